// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/push/series.h"

#include "cli/base/characters.h"
#include "cli/base/gzip.h"
#include "cli/base/saturate.h"
#include "cli/commands/push/event_types.h"
#include "cli/commands/push/workload.h"
#include "cli/profile/about.h"
#include "cli/profile/location.h"
#include "cli/profile/pprof.h"
#include "cli/profile/subset.h"
#include "cli/rows/events.h"

#include <algorithm>
#include <array>
#include <map>
#include <sys/random.h>
#include <utility>

namespace cli {
namespace {

/** The samples with one set of labels. */
struct Group {
	PushLabels labels;
	std::vector<size_t> samples; /**< indices in Profile::samples */
	uint64_t count = 0;
};

Result<std::string> new_uuid()
{
	std::array<char, 16> bytes = {};

	if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
		return system_error("cannot get random bytes");
	return uuid_from({bytes.data(), bytes.size()});
}

std::string_view cgroup_of(const Sample &sample)
{
	const auto label = std::find_if(sample.labels.begin(), sample.labels.end(),
					[](const Label &one) { return one.key == "cgroup"; });

	return label == sample.labels.end() ? std::string_view() : std::string_view(label->text);
}

/** The groups, the one with the most samples first.  @param kind the kind of the profile. */
Result<std::vector<Group>> groups_of(const std::vector<PushLabel> &given, const Profile &profile,
				     const std::string &kind)
{
	std::map<std::pair<std::string_view, std::string_view>, size_t> by_program;
	std::map<PushLabels, size_t> by_labels;
	const size_t index = samples_index(profile);
	std::vector<Group> groups;
	const auto group_of = [&](std::string_view program, std::string_view cgroup) -> Result<size_t> {
		Result<PushLabels> labels = complete_push_labels(
			given, program.empty() ? service_of(profile) : printable(program),
			workload_labels(cgroup), kind);

		if (!labels)
			return labels.error();

		const auto [found, fresh] = by_labels.try_emplace(*labels, groups.size());

		if (fresh)
			groups.push_back({*std::move(labels), {}, 0});
		return found->second;
	};

	if (profile.samples.empty()) {
		if (const Result<size_t> only = group_of("", ""); !only)
			return only.error();
	}
	for (size_t i = 0; i < profile.samples.size(); i++) {
		const Sample &sample = profile.samples[i];
		const std::pair key(process_of(sample).command, cgroup_of(sample));
		auto found = by_program.find(key);

		if (found == by_program.end()) {
			const Result<size_t> group = group_of(key.first, key.second);

			if (!group)
				return group.error();
			found = by_program.emplace(key, *group).first;
		}
		groups[found->second].samples.push_back(i);
		groups[found->second].count =
			saturating_add(groups[found->second].count, samples_of(sample, index));
	}
	std::stable_sort(groups.begin(), groups.end(),
			 [](const Group &a, const Group &b) { return a.count > b.count; });
	return groups;
}

/** Join the groups beyond the limit, which have the fewest samples. */
Outcome limit(std::vector<Group> &groups, const std::vector<PushLabel> &given, const std::string &kind)
{
	if (groups.size() <= most_series)
		return Done();

	Result<PushLabels> labels = complete_push_labels(given, other_service, {}, kind);

	if (!labels)
		return labels.error();

	Group other = {*std::move(labels), {}, 0};

	for (size_t i = most_series - 1; i < groups.size(); i++)
		other.samples.insert(other.samples.end(), groups[i].samples.begin(), groups[i].samples.end());
	groups.resize(most_series - 1);
	groups.push_back(std::move(other));
	return Done();
}

Result<std::vector<PushSeries>> series_of(const std::vector<PushLabel> &given, const Profile &profile,
					  std::string content, const std::string &kind)
{
	/* profil writes link-time addresses; other tools may not. */
	const bool ours = !from_comments(profile.comments).version.empty();
	Result<std::vector<Group>> groups = groups_of(given, profile, kind);
	std::vector<PushSeries> all;

	if (!groups)
		return groups.error();
	if (const Outcome limited = limit(*groups, given, kind); !limited)
		return limited.error();
	for (Group &group : *groups) {
		Result<std::string> id = new_uuid();
		PushSeries one;

		if (!id)
			return id.error();
		if (groups->size() == 1) {
			one.decoded = profile;
			if (content.empty())
				content = encode_pprof(profile);
			one.profile.content = is_gzip(content) ? std::move(content) : compress(content);
		} else {
			one.decoded = subset(profile, group.samples);
			one.profile.content = encode_pprof(one.decoded);
		}
		one.labels = std::move(group.labels);
		one.profile.start_nanos = profile.time_nanos;
		one.profile.duration_nanos = profile.duration_nanos;
		one.profile.normalized = ours;
		one.profile.id = *std::move(id);
		all.push_back(std::move(one));
	}
	return all;
}

/** The period of each event.  Other tools' profiles have only the first event's period. */
std::vector<uint64_t> periods_of(const Profile &profile)
{
	std::vector<uint64_t> periods = event_periods(profile);

	periods.resize(std::max<size_t>(periods.size(), 1));
	periods.front() = static_cast<uint64_t>(profile.period);
	return periods;
}

} // namespace

Result<std::vector<PushSeries>> push_series(const std::vector<PushLabel> &given, const Profile &profile,
					    std::string content)
{
	if (!is_of_events(profile))
		return series_of(given, profile, std::move(content), push_kind_default);

	Result<std::vector<PushSeries>> all =
		series_of(given, events_for_servers(profile), "", push_kind_events);

	if (all) {
		for (PushSeries &one : *all)
			one.periods = periods_of(profile);
	}
	return all;
}

} // namespace cli
