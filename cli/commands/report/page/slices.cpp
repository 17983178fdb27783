// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/page/slices.h"

#include "cli/base/saturate.h"
#include "cli/commands/report/page/tree.h"
#include "cli/profile/about.h"
#include "cli/profile/location.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {
namespace {

using Json = nlohmann::ordered_json;
using Counts = std::vector<uint64_t>;

/** Maps locations to indices in PlaceTree::functions; functions beyond a limit have no index. */
class FunctionNumbers {
public:
	FunctionNumbers(const Profile &profile, const PlaceTree &places, size_t most)
		: of_location_(profile.locations.size())
	{
		std::map<std::pair<std::string_view, std::string>, size_t> numbers;

		for (size_t i = 0; i < std::min(most, places.functions.size()); i++)
			numbers.emplace(
				std::pair(std::string_view(places.objects[places.functions[i].object].path),
					  places.functions[i].name),
				i);
		for (size_t i = 0; i < profile.locations.size(); i++) {
			const Location &location = profile.locations[i];
			const auto found =
				numbers.find({object_of(profile, location), function_of(profile, location)});

			if (found != numbers.end())
				of_location_[i] = found->second;
		}
	}

	[[nodiscard]] std::optional<size_t> of(const Sample &sample) const
	{
		return sample.locations.empty() ? std::nullopt : of_location_[sample.locations.front()];
	}

private:
	std::vector<std::optional<size_t>> of_location_;
};

Json counts_json(const Counts &counts)
{
	Json json = Json::array();

	for (const uint64_t count : counts)
		json.push_back(html_count(count));
	return json;
}

/** The first and the last slice with samples, in ms from the beginning. */
std::optional<std::pair<int64_t, int64_t>> range_of(const Profile &profile)
{
	std::optional<std::pair<int64_t, int64_t>> range;

	for (const Sample &sample : profile.samples) {
		const std::optional<int64_t> slice = slice_of(sample);

		if (!slice || *slice < 0)
			continue;
		if (!range)
			range = {*slice, *slice};
		range->first = std::min(range->first, *slice);
		range->second = std::max(range->second, *slice);
	}
	return range;
}

} // namespace

Json html_slices(const Profile &profile, const PlaceTree &places, size_t functions, const HtmlLimits &limits)
{
	const uint64_t slice_ms = from_comments(profile.comments).slice_ms;
	const auto range = range_of(profile);

	if (!slice_ms || !range)
		return nullptr;

	const auto slices = static_cast<uint64_t>(range->second - range->first) / slice_ms + 1;
	const uint64_t together = (slices + limits.slices - 1) / limits.slices;
	const uint64_t columns = (slices + together - 1) / together;
	const size_t rows = std::min(functions, limits.sliced);
	const FunctionNumbers numbers(profile, places, rows);
	const size_t index = samples_index(profile);
	std::vector<Counts> counts(rows, Counts(columns));
	Counts all(columns);
	const auto add = [](uint64_t &sum, uint64_t samples) { sum = saturating_add(sum, samples); };

	for (const Sample &sample : profile.samples) {
		const std::optional<int64_t> slice = slice_of(sample);

		if (!slice || *slice < 0)
			continue;

		const uint64_t column = static_cast<uint64_t>(*slice - range->first) / slice_ms / together;
		const uint64_t samples = samples_of(sample, index);

		add(all[column], samples);
		if (const std::optional<size_t> row = numbers.of(sample))
			add(counts[*row][column], samples);
	}

	Json table = Json::array();

	for (const Counts &row : counts)
		table.push_back(counts_json(row));
	return {{"start_ms", range->first},
		{"column_ms", slice_ms * together},
		{"all", counts_json(all)},
		{"functions", std::move(table)}};
}

} // namespace cli
