// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/page/names.h"

#include "cli/base/characters.h"

namespace cli {

size_t HtmlNames::number(std::string_view text)
{
	const auto [place, fresh] = numbers_.try_emplace(std::string(text), texts_.size());

	if (!fresh)
		return place->second;

	const std::string safe = printable(text);

	texts_.push_back(shortened(safe, longest_));
	cut_ += texts_.back() != safe;
	bytes_ += texts_.back().size();
	return place->second;
}

} // namespace cli
