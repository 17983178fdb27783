// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/objects/text_segments.h"

#include <algorithm>
#include <iterator>

namespace cli {

void TextSegments::widen(TextSegment &text, const TextSegment &by, bool in_file)
{
	if (in_file && by.low < text.low)
		text.offset = by.offset;
	text.low = std::min(text.low, by.low);
	text.high = std::max(text.high, by.high);
}

void TextSegments::add(TextSegment text, bool in_file)
{
	Run &run = runs_[in_file ? text.low - text.offset : 0];
	auto next = run.upper_bound(text.low);

	size_ -= run.size();
	if (next != run.begin()) {
		const auto before = std::prev(next);

		if (before->second.high >= text.low || size_ + run.size() >= most) {
			widen(text, before->second, in_file);
			run.erase(before);
		}
	}
	while (next != run.end() && next->first <= text.high) {
		widen(text, next->second, in_file);
		next = run.erase(next);
	}
	run.emplace(text.low, text);
	size_ += run.size();
}

const TextSegment *TextSegments::find(uint64_t address) const
{
	for (const auto &[distance, run] : runs_) {
		const auto above = run.upper_bound(address);

		if (above != run.begin() && address < std::prev(above)->second.high)
			return &std::prev(above)->second;
	}
	return nullptr;
}

std::vector<TextSegment> TextSegments::all() const
{
	std::vector<TextSegment> texts;

	for (const auto &[distance, run] : runs_) {
		for (const auto &[low, text] : run)
			texts.push_back(text);
	}
	std::sort(texts.begin(), texts.end());
	return texts;
}

} // namespace cli
