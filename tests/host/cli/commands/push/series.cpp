// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/push/series.cpp  The labels under which a profile's samples are
 * pushed. */
#include "cli/commands/push/series.h"

#include "cli/base/gzip.h"
#include "cli/commands/push/event_types.h"
#include "cli/commands/push/workload.h"
#include "cli/profile/about.h"
#include "cli/profile/pprof.h"
#include "tests/host/cli/event_profile.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"

#include <map>

using namespace cli;

namespace {

constexpr char id[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/** 700 samples of nginx in a unit, 200 of nginx in a container, 60 of sh, 40 without a label. */
Profile services()
{
	Profile profile = sample_profile();

	profile.samples[0].labels = {{"process", "nginx", 0, ""},
				     {"cgroup", "/system.slice/nginx.service", 0, ""}};
	profile.samples[1].labels = {{"process", "nginx", 0, ""},
				     {"cgroup", std::string("/system.slice/docker-") + id + ".scope", 0, ""}};
	profile.samples[2].labels = {{"process", "sh", 0, ""}};
	return profile;
}

std::string value_of(const PushSeries &series, const std::string &name)
{
	for (const PushLabel &label : series.labels) {
		if (label.name == name)
			return label.value;
	}
	return "";
}

std::vector<PushSeries> series_of(const Profile &profile, const std::vector<PushLabel> &given = {})
{
	Result<std::vector<PushSeries>> all = push_series(given, profile, encode_pprof(profile));

	if (!all)
		FAIL(all.error().text);
	return *std::move(all);
}

uint64_t samples_in(const PushSeries &series)
{
	const Result<Profile> profile = decode_pprof(series.profile.content);
	uint64_t sum = 0;

	REQUIRE(profile);
	for (const Sample &sample : profile->samples)
		sum += samples_of(sample, samples_index(*profile));
	CHECK(profile->samples.size() == series.decoded.samples.size());
	return sum;
}

} // namespace

TEST_CASE("a cgroup's path tells its unit, container and pod", "[cli][push]")
{
	const std::string container = id;
	const std::string uid = "0a1b2c3d-1111-2222-3333-444455556666";
	const std::string slice = "kubepods-burstable-pod0a1b2c3d_1111_2222_3333_444455556666.slice";

	CHECK(workload_labels("/system.slice/nginx.service") == PushLabels{{"unit", "nginx.service"}});
	CHECK(workload_labels("/user.slice/user-1000.slice/user@1000.service/app.slice/app-x.scope") ==
	      PushLabels{{"unit", "app-x.scope"}});
	CHECK(workload_labels("/system.slice/docker-" + container + ".scope") ==
	      PushLabels{{"container_id", container}});
	CHECK(workload_labels("/docker/" + container) == PushLabels{{"container_id", container}});
	CHECK(workload_labels("/machine.slice/libpod-" + container + ".scope/container") ==
	      PushLabels{{"container_id", container}});
	CHECK(workload_labels("/kubepods.slice/kubepods-burstable.slice/" + slice + "/cri-containerd-" +
			      container + ".scope") == PushLabels{{"container_id", container}, {"pod", uid}});
	CHECK(workload_labels("/kubepods/burstable/pod" + uid + "/" + container) ==
	      PushLabels{{"container_id", container}, {"pod", uid}});
	CHECK(workload_labels("/system.slice/containerd.service/kubepods-pod" + uid) ==
	      PushLabels{{"pod", uid}, {"unit", "containerd.service"}});
	for (const std::string &path :
	     {std::string("/"), std::string(), std::string("/init.slice"), "/podman/" + container.substr(1),
	      "/x/" + container + "0", "/pod" + uid.substr(1)})
		CHECK(workload_labels(path).empty());
}

TEST_CASE("each program and cgroup is a series of its own, and no sample is in two", "[cli][push]")
{
	const std::vector<PushSeries> all = series_of(services());

	REQUIRE(all.size() == 4);
	CHECK(value_of(all[0], "service_name") == "nginx");
	CHECK(value_of(all[0], "unit") == "nginx.service");
	CHECK(samples_in(all[0]) == 700);
	CHECK(value_of(all[1], "service_name") == "nginx");
	CHECK(value_of(all[1], "container_id") == id);
	CHECK(value_of(all[1], "unit").empty());
	CHECK(samples_in(all[1]) == 200);
	CHECK(value_of(all[2], "service_name") == "sh");
	CHECK(samples_in(all[2]) == 60);
	/* Samples without a label: the service has the first object's name, as in other tools. */
	CHECK(value_of(all[3], "service_name") == "program");
	CHECK(samples_in(all[3]) == 40);
	/* A part of a profile has only its samples' functions and mappings, and no tick counts. */
	CHECK(all[1].decoded.functions.size() == 1);
	CHECK(all[1].decoded.functions[0].name == "memcpy");
	CHECK(all[1].decoded.mappings.size() == 1);
	CHECK(from_comments(all[1].decoded.comments).version == "0.1.0");
	CHECK(from_comments(all[1].decoded.comments).accounting.ticks == 0);
	CHECK(all[0].profile.normalized);
	CHECK(all[0].profile.id != all[1].profile.id);
}

TEST_CASE("samples with the same labels are one series, whatever program they are of", "[cli][push]")
{
	const std::vector<PushSeries> web = series_of(services(), {{"service_name", "web"}});

	REQUIRE(web.size() == 3);
	CHECK(value_of(web[0], "unit") == "nginx.service");
	CHECK(samples_in(web[1]) == 200);
	CHECK(samples_in(web[2]) == 100);

	Profile profile = services();
	profile.samples[1].labels = profile.samples[0].labels;
	profile.samples[2].labels = profile.samples[0].labels;
	profile.samples[3].labels = profile.samples[0].labels;
	const std::string content = encode_pprof(profile);
	const Result<std::vector<PushSeries>> one = push_series({}, profile, content);
	REQUIRE(one);
	REQUIRE(one->size() == 1);
	CHECK(one->front().profile.content == content);

	/* The labels are checked even if the profile is empty. */
	CHECK(series_of(Profile()).size() == 1);
	CHECK_FALSE(push_series({{"a", "1"}, {"a", "2"}}, Profile(), ""));
	/* An uncompressed profile is compressed first. */
	CHECK(is_gzip(push_series({}, profile, *decompress(content, 1 << 20))->front().profile.content));
}

TEST_CASE("the rarest of very many programs are pushed together", "[cli][push]")
{
	Profile profile = sample_profile();

	profile.samples.clear();
	for (int64_t i = 1; i <= 250; i++)
		profile.samples.push_back({{0}, {i, i}, {{"process", "p" + std::to_string(i), 0, ""}}});

	const std::vector<PushSeries> all = series_of(profile);

	REQUIRE(all.size() == most_series);
	CHECK(value_of(all.front(), "service_name") == "p250");
	CHECK(value_of(all[98], "service_name") == "p152");
	CHECK(value_of(all[99], "service_name") == "[other]");
	CHECK(samples_in(all[99]) == 151 * 152 / 2);
}

TEST_CASE("of events, each is a type by a name that servers can select", "[cli][push]")
{
	CHECK(type_for_servers("page-faults") == "page_faults");
	CHECK(type_for_servers("mem:0x601040/4:rw") == "mem_0x601040_4_rw");

	Profile profile = event_profile();

	profile.sample_types[3].type = "cycles:u";
	const std::vector<PushSeries> all = series_of(profile);

	REQUIRE(all.size() == 1);
	CHECK(value_of(all[0], "__name__") == "events");
	CHECK(value_of(all[0], "service_name") == "load");
	CHECK(all[0].periods == std::vector<uint64_t>{1, 1, 1'000'000});
	const Result<Profile> sent = decode_pprof(all[0].profile.content);
	REQUIRE(sent);
	CHECK(sent->sample_types == std::vector<ValueType>{{"page_faults", "count"},
							   {"context_switches", "count"},
							   {"cycles_u", "count"}});
	CHECK(sent->period_type == ValueType{"page_faults", "count"});
	CHECK(sent->default_sample_type == "page_faults");
	REQUIRE(sent->samples.size() == 3);
	CHECK(sent->samples[0].values == std::vector<int64_t>{900, 0, 1'000'000});
	CHECK(sent->samples[2].values == std::vector<int64_t>{0, 41, 0});
	CHECK(all[0].decoded.sample_types == sent->sample_types);

	/* A profile of time keeps its name. */
	CHECK(series_of(sample_profile())[0].periods.empty());
	CHECK(value_of(series_of(sample_profile())[0], "__name__") == "process_cpu");
	CHECK(value_of(series_of(profile, {{"__name__", "mine"}})[0], "__name__") == "mine");
}

TEST_CASE("one event has its own period, and each program its series", "[cli][push]")
{
	Profile profile = sample_profile();

	profile.sample_types = {{"samples", "count"}, {"context-switches", "count"}};
	profile.period_type = {"context-switches", "count"};
	profile.default_sample_type = "context-switches";
	profile.period = 10;
	profile.samples = {{{0}, {7, 70}, {{"process", "nginx", 0, ""}}},
			   {{0}, {2, 20}, {{"process", "sh", 0, ""}}}};

	const std::vector<PushSeries> all = series_of(profile);

	REQUIRE(all.size() == 2);
	for (const PushSeries &one : all) {
		CHECK(one.periods == std::vector<uint64_t>{10});
		CHECK(value_of(one, "__name__") == "events");
		CHECK(one.decoded.sample_types == std::vector<ValueType>{{"context_switches", "count"}});
	}
	CHECK(samples_in(all[0]) == 70);
	CHECK(value_of(all[1], "service_name") == "sh");
	CHECK(samples_in(all[1]) == 20);
}
