// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/page/names.h"

#include "cli/base/characters.h"

#include <algorithm>
#include <utility>

namespace cli {

namespace {

/** The length of the ASCII prefix that two texts share. */
size_t shared_bytes(std::string_view one, std::string_view other)
{
	const size_t most = std::min(one.size(), other.size());
	size_t same = 0;

	while (same < most && one[same] == other[same] && !(one[same] & 0x80))
		same++;
	return same;
}

} // namespace

size_t HtmlNames::number(std::string_view text)
{
	const auto [place, fresh] = numbers_.try_emplace(std::string(text), rests_.size());

	if (!fresh)
		return place->second;

	const std::string safe = printable(text);
	std::string shown = shortened(safe, longest_);
	const size_t same = shared_bytes(last_, shown);

	cut_ += shown != safe;
	bytes_ += shown.size();
	shared_.push_back(same);
	rests_.push_back(shown.substr(same));
	last_ = std::move(shown);
	return place->second;
}

} // namespace cli
