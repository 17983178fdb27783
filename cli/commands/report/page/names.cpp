// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/page/names.h"

#include "cli/base/characters.h"

#include <algorithm>

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

std::vector<size_t> HtmlNames::shared() const
{
	std::vector<size_t> all;
	std::string_view last;

	all.reserve(texts_.size());
	for (const std::string_view text : texts_) {
		const size_t most = std::min(last.size(), text.size());
		size_t same = 0;

		/* A byte of ASCII is a character also where texts are not UTF-8. */
		while (same < most && last[same] == text[same] && !(text[same] & 0x80))
			same++;
		all.push_back(same);
		last = text;
	}
	return all;
}

std::vector<std::string_view> HtmlNames::rests() const
{
	const std::vector<size_t> same = shared();
	std::vector<std::string_view> all;

	all.reserve(texts_.size());
	for (size_t i = 0; i < texts_.size(); i++)
		all.push_back(std::string_view(texts_[i]).substr(same[i]));
	return all;
}

} // namespace cli
