// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/names/similar.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <numeric>
#include <utility>
#include <vector>

namespace cli {
namespace {

/* Names in profiles can be of any length. */
constexpr size_t longest_compared = 200;

/** The number of letters to insert, remove, replace or swap with the next to turn @p a into @p b. */
size_t distance(std::string_view a, std::string_view b)
{
	/* The optimal string alignment: three rows of the table are enough. */
	std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);

	std::iota(row.begin(), row.end(), 0);
	for (size_t i = 1; i <= a.size(); i++) {
		before = std::exchange(last, row);
		row[0] = i;
		for (size_t j = 1; j <= b.size(); j++) {
			row[j] =
				std::min({last[j - 1] + (a[i - 1] != b[j - 1]), last[j] + 1, row[j - 1] + 1});
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = std::min(row[j], before[j - 2] + 1);
		}
	}
	return row[b.size()];
}

} // namespace

bool is_similar(std::string_view wanted, std::string_view name)
{
	wanted = wanted.substr(0, longest_compared);
	name = name.substr(0, longest_compared);
	return distance(wanted, name) <= std::max(wanted.size(), name.size()) / 3;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> names)
{
	wanted = wanted.substr(0, longest_compared);

	const auto best = std::min_element(names.begin(), names.end(), [&](const auto &a, const auto &b) {
		return distance(wanted, a) < distance(wanted, b);
	});

	if (best == names.end() || !is_similar(wanted, *best))
		return "";
	return fmt::format("; did you mean '{}'?", *best);
}

} // namespace cli
