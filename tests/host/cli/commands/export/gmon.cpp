// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/export/gmon.cpp  gmon.out files of a profile, read by gprof. */
#include "tests/host/cli/commands/export/support.h"

using namespace export_test;
using support::flat_profile;
using support::read_gmon;

namespace {

/* The file's header, and a histogram of 4,096 bytes of text with its own header. */
constexpr size_t header_bytes = 20, record_bytes = 41 + 4096;

/** The samples in all files, as a strict reader finds them, plus those that no file contains. */
uint64_t samples_in_gmon(const Profile &profile)
{
	const TemporaryDirectory directory;
	const Result<GmonFiles> gmon = export_gmon(profile);

	REQUIRE(gmon);

	uint64_t sum = gmon->elsewhere;

	for (const GmonOut &out : gmon->files) {
		const uint64_t own = read_gmon(file(directory, "gmon.out", out.content)).all_ticks();

		CHECK(own == out.samples);
		sum += own;
	}
	return sum;
}

} // namespace

TEST_CASE("gprof finds exact counts above 65535, in the program and a shared object", "[cli][export]")
{
	const RealProfile real;
	const TemporaryDirectory directory;
	const Result<GmonFiles> gmon = export_gmon(real.profile);

	REQUIRE(gmon);
	REQUIRE(gmon->files.size() == 2);
	CHECK(gmon->files[0].name.empty());
	CHECK(gmon->files[0].samples == RealProfile::in_run + RealProfile::in_hidden);
	CHECK(gmon->files[1].name == ".libwork.so");
	CHECK(gmon->elsewhere == 0);

	auto program = flat_profile("--no-demangle " + real.program(),
				    file(directory, "gmon.out", gmon->files[0].content));
	auto library = flat_profile("--no-demangle " + real.library(),
				    file(directory, "gmon.out.libwork.so", gmon->files[1].content));

	/* A sample is 10 ms. */
	CHECK(program[RealProfile::run_symbol].self_seconds == Approx(10000.03).epsilon(0).margin(0.001));
	CHECK(program[RealProfile::hidden_symbol].self_seconds == Approx(700).epsilon(0).margin(0.001));
	CHECK(library[RealProfile::run_symbol].self_seconds == Approx(655.35).epsilon(0).margin(0.001));
}

TEST_CASE("gmon.out files have every sample that is in an object", "[cli][export]")
{
	CHECK(samples_in_gmon(sample_profile()) == 1000);
	CHECK(export_gmon(sample_profile())->elsewhere == 40);
	CHECK(samples_in_gmon(stack_profile()) == 12);
	CHECK(samples_in_gmon(hostile_profile()) == 1000);
	CHECK(samples_in_gmon(RealProfile().profile) == RealProfile::total);
}

TEST_CASE("gmon.out has the rate of the profile, and the addresses of the file", "[cli][export]")
{
	const TemporaryDirectory directory;
	const Result<GmonFiles> gmon = export_gmon(sample_profile());
	const support::GmonFile program = read_gmon(file(directory, "gmon.out", gmon->files[0].content));

	CHECK(program.hz == 999);
	CHECK(program.bin == 2);
	CHECK(program.ticks == std::map<uint64_t, uint64_t>{{0x401110, 700}});
	CHECK(gmon->files[0].object == "/opt/bin/program");
	CHECK(gmon->files[1].name == ".libc.so.6");
}

TEST_CASE("a program without samples has a gmon.out, and objects of the same name have numbers",
	  "[cli][export]")
{
	const TemporaryDirectory directory;
	Profile profile = sample_profile();

	profile.mappings.push_back({0x1000, 0x2000, 0, "/other/libc.so.6", "", true, false, false, false});
	profile.locations[0].mapping = 2;

	const Result<GmonFiles> gmon = export_gmon(profile);

	REQUIRE(gmon->files.size() == 3);
	CHECK(read_gmon(file(directory, "gmon.out", gmon->files[0].content)).all_ticks() == 0);
	CHECK(read_gmon(file(directory, "gmon.out", gmon->files[0].content)).bin == 2);
	CHECK(gmon->files[1].name == ".libc.so.6");
	CHECK(gmon->files[1].object == "/other/libc.so.6");
	CHECK(gmon->files[2].name == ".libc.so.6.2");
}

TEST_CASE("no two gmon.out files have the same name, whatever the objects are called", "[cli][export]")
{
	Profile profile = sample_profile();

	profile.mappings.resize(1);
	profile.locations.clear();
	profile.samples.clear();
	for (const char *path : {"/a/libx.so", "/b/libx.so", "/c/libx.so.2", "/d/libx.so.2"}) {
		profile.locations.push_back({profile.mappings.size(), 0x1000, {}});
		profile.samples.push_back({{profile.locations.size() - 1}, {1, 1}, {}});
		profile.mappings.push_back({0x1000, 0x2000, 0, path, "", true, false, false, false});
	}

	const Result<GmonFiles> gmon = export_gmon(profile);
	std::vector<std::string> names;

	REQUIRE(gmon);
	for (const GmonOut &out : gmon->files)
		names.push_back(out.name);
	CHECK(names ==
	      std::vector<std::string>{"", ".libx.so", ".libx.so.2", ".libx.so.2.2", ".libx.so.2.3"});
}

TEST_CASE("the name of a gmon.out stays in its directory", "[cli][export]")
{
	const Result<GmonFiles> gmon = export_gmon(hostile_profile());

	REQUIRE(gmon->files.size() == 2);
	for (const GmonOut &out : gmon->files) {
		CHECK(out.name.find('/') == std::string::npos);
		CHECK(out.name.find('\n') == std::string::npos);
	}
}

TEST_CASE("a count has as many records as it needs, and they add up to it", "[cli][export]")
{
	const std::pair<int64_t, size_t> all[] = {{1, 1},      {65534, 1},  {65535, 1},
						  {65536, 2},  {131069, 2}, {131070, 2},
						  {131071, 3}, {196605, 3}, {196606, 4}};

	for (const auto &[count, records] : all) {
		const TemporaryDirectory directory;
		Profile profile = sample_profile();

		profile.samples[0].values[0] = count;

		const Result<GmonFiles> gmon = export_gmon(profile);

		CAPTURE(count);
		REQUIRE(gmon);
		REQUIRE(gmon->files.size() == 2);

		const support::GmonFile read = read_gmon(file(directory, "gmon.out", gmon->files[0].content));

		CHECK(read.ticks == std::map<uint64_t, uint64_t>{{0x401110, static_cast<uint64_t>(count)}});
		CHECK(gmon->files[0].samples == static_cast<uint64_t>(count));
		CHECK(gmon->files[0].content.size() == header_bytes + records * record_bytes);
	}
}

TEST_CASE("counters of one record may need different numbers of records", "[cli][export]")
{
	const std::map<uint64_t, uint64_t> counts = {
		{0x401000, 65535}, {0x401002, 65536}, {0x401110, 131070}, {0x401ffe, 1}, {0x402000, 65537}};
	const TemporaryDirectory directory;
	Profile profile = sample_profile();

	profile.samples.clear();
	for (const auto &[address, count] : counts) {
		profile.samples.push_back({{profile.locations.size()}, {static_cast<int64_t>(count), 1}, {}});
		profile.locations.push_back({0, address, {}});
	}

	const Result<GmonFiles> gmon = export_gmon(profile);

	REQUIRE(gmon);
	REQUIRE(gmon->files.size() == 1);
	CHECK(read_gmon(file(directory, "gmon.out", gmon->files[0].content)).ticks == counts);
	CHECK(gmon->files[0].content.size() == header_bytes + 4 * record_bytes);
}

TEST_CASE("more samples than fit into gmon.out are refused, with a next step", "[cli][export]")
{
	Profile profile = sample_profile();

	profile.samples[0].values[0] = INT64_MAX;
	REQUIRE_FALSE(export_gmon(profile));
	CHECK(has(export_gmon(profile).error().text, "use callgrind"));
}
