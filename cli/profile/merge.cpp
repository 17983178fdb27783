// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/merge.h"

#include "cli/base/saturate.h"
#include "cli/profile/about.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace cli {
namespace {

/** For each common type, the index of its value in the samples of one profile. */
using Columns = std::vector<size_t>;

std::optional<size_t> find_type(const Profile &profile, const ValueType &wanted)
{
	const auto &types = profile.sample_types;
	const auto found = std::find(types.begin(), types.end(), wanted);

	if (found == types.end())
		return std::nullopt;
	return static_cast<size_t>(found - types.begin());
}

std::vector<ValueType> common_types(std::span<const Profile> profiles)
{
	std::vector<ValueType> common;

	for (const ValueType &type : profiles.front().sample_types) {
		if (std::all_of(profiles.begin(), profiles.end(),
				[&](const Profile &one) { return find_type(one, type).has_value(); }))
			common.push_back(type);
	}
	return common;
}

/** Maps the indices of one profile to those of the sum. */
struct Indices {
	std::vector<size_t> mappings;
	std::vector<size_t> functions;
	std::vector<size_t> locations;
};

class Sum {
public:
	explicit Sum(std::vector<ValueType> types) { profile_.sample_types = std::move(types); }

	void add(const Profile &profile)
	{
		Indices indices;
		Columns columns;

		for (const ValueType &type : profile_.sample_types)
			columns.push_back(*find_type(profile, type));
		for (const ProfileMapping &one : profile.mappings)
			indices.mappings.push_back(mapping(one));
		for (const Function &one : profile.functions)
			indices.functions.push_back(function(one));
		for (const Location &one : profile.locations)
			indices.locations.push_back(location(profile, one, indices));
		for (const Sample &one : profile.samples)
			sample(one, indices, columns);
	}

	Profile take() { return std::move(profile_); }

private:
	size_t mapping(const ProfileMapping &one)
	{
		const std::string &name = one.build_id.empty() ? one.filename : one.build_id;
		/* Anonymous memory has no file: only its address identifies it. */
		const bool in_file = !one.build_id.empty() || one.filename.starts_with('/');
		const auto [place, fresh] =
			mappings_.try_emplace({name, one.build_id.empty(), one.limit - one.start, one.offset,
					       in_file ? 0 : one.start},
					      profile_.mappings.size());

		if (fresh)
			profile_.mappings.push_back(one);

		ProfileMapping &known = profile_.mappings[place->second];

		known.has_functions |= one.has_functions;
		known.has_filenames |= one.has_filenames;
		known.has_line_numbers |= one.has_line_numbers;
		known.has_inline_frames |= one.has_inline_frames;
		return place->second;
	}

	size_t function(const Function &one)
	{
		const auto [place, fresh] = functions_.try_emplace(
			{one.name, one.system_name, one.filename, one.start_line}, profile_.functions.size());

		if (fresh)
			profile_.functions.push_back(one);
		return place->second;
	}

	/* Moves a location to its address in the first profile with this mapping. */
	Location moved(const Profile &from, const Location &one, const Indices &indices) const
	{
		Location here = one;

		if (one.mapping) {
			here.mapping = indices.mappings[*one.mapping];
			here.address = one.address - from.mappings[*one.mapping].start +
				       profile_.mappings[*here.mapping].start;
		}
		for (Line &line : here.lines)
			line.function = indices.functions[line.function];
		return here;
	}

	size_t location(const Profile &from, const Location &one, const Indices &indices)
	{
		Location here = moved(from, one, indices);
		std::vector<std::pair<size_t, int64_t>> lines;

		for (const Line &line : here.lines)
			lines.emplace_back(line.function, line.line);

		const auto [first, unseen] =
			first_at_.try_emplace({here.mapping, here.address}, profile_.locations.size());

		if (unseen) {
			profile_.locations.push_back(std::move(here));
			return locations_[{first->first, lines}] = first->second;
		}
		/* A location without a name gets the name that another profile has for it. */
		if (lines.empty())
			return first->second;
		if (profile_.locations[first->second].lines.empty()) {
			profile_.locations[first->second].lines = std::move(here.lines);
			return locations_[{first->first, lines}] = first->second;
		}

		const auto [place, fresh] =
			locations_.try_emplace({first->first, lines}, profile_.locations.size());

		if (fresh)
			profile_.locations.push_back(std::move(here));
		return place->second;
	}

	void sample(const Sample &one, const Indices &indices, const Columns &columns)
	{
		std::vector<size_t> locations;
		std::vector<LabelKey> labels;

		for (const size_t index : one.locations)
			locations.push_back(indices.locations[index]);
		for (const Label &label : one.labels)
			labels.emplace_back(label.key, label.text, label.number, label.unit);

		const auto [place, fresh] =
			samples_.try_emplace({locations, std::move(labels)}, profile_.samples.size());

		if (fresh)
			profile_.samples.push_back(
				{std::move(locations), std::vector<int64_t>(columns.size()), one.labels});

		std::vector<int64_t> &values = profile_.samples[place->second].values;

		for (size_t i = 0; i < columns.size(); i++)
			values[i] = saturating_add(values[i], one.values[columns[i]]);
	}

	using PlaceKey = std::pair<std::optional<size_t>, uint64_t>;
	using LineKeys = std::vector<std::pair<size_t, int64_t>>;
	using LabelKey = std::tuple<std::string, std::string, int64_t, std::string>;

	Profile profile_;
	std::map<std::tuple<std::string, bool, uint64_t, uint64_t, uint64_t>, size_t> mappings_;
	std::map<std::tuple<std::string, std::string, std::string, int64_t>, size_t> functions_;
	std::map<PlaceKey, size_t> first_at_;
	std::map<std::pair<PlaceKey, LineKeys>, size_t> locations_;
	std::map<std::pair<std::vector<size_t>, std::vector<LabelKey>>, size_t> samples_;
};

void add_times(Profile &sum, std::span<const Profile> profiles)
{
	sum.period = have_one_period(profiles) ? profiles.front().period : 0;
	sum.period_type = profiles.front().period_type;
	for (const Profile &one : profiles) {
		if (one.time_nanos && (!sum.time_nanos || one.time_nanos < sum.time_nanos))
			sum.time_nanos = one.time_nanos;
		sum.duration_nanos = saturating_add(sum.duration_nanos, one.duration_nanos);
	}
	for (const ValueType &type : sum.sample_types) {
		if (type.type == profiles.front().default_sample_type)
			sum.default_sample_type = type.type;
	}
}

void add_comments(Profile &sum, std::span<const Profile> profiles)
{
	std::set<std::string_view> seen;
	std::vector<About> abouts;
	std::vector<std::string> others;

	for (const Profile &one : profiles) {
		const bool ours = std::any_of(one.comments.begin(), one.comments.end(), is_about);

		if (ours)
			abouts.push_back(from_comments(one.comments));
		for (const std::string &comment : one.comments) {
			if (!is_about(comment) && seen.insert(comment).second)
				others.push_back(comment);
		}
	}
	if (!abouts.empty())
		sum.comments = to_comments(merge_abouts(abouts));
	sum.comments.insert(sum.comments.end(), others.begin(), others.end());
}

} // namespace

bool have_one_period(std::span<const Profile> profiles)
{
	return std::all_of(profiles.begin(), profiles.end(), [&](const Profile &one) {
		return one.period == profiles.front().period &&
		       one.period_type == profiles.front().period_type;
	});
}

Result<Profile> merge(std::span<const Profile> profiles)
{
	if (profiles.empty())
		return Error{"there is nothing to add up"};

	std::vector<ValueType> types = common_types(profiles);

	if (types.empty())
		return Error{"the profiles have no type of value in common"};

	Sum sum(std::move(types));

	for (const Profile &one : profiles)
		sum.add(one);

	Profile merged = sum.take();

	add_times(merged, profiles);
	add_comments(merged, profiles);
	return merged;
}

} // namespace cli
