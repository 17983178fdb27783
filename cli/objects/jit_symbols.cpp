// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/objects/jit_symbols.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

namespace cli {
namespace {

/* Far more than any JIT compiler has, and at most a few hundred megabytes. */
constexpr size_t most_entries = 1000000;
constexpr size_t longest_name = 4096;

/** Removes a hexadecimal number and the spaces after it from the start of @p text. */
std::optional<uint64_t> take_number(std::string_view &text)
{
	uint64_t number = 0;

	if (text.starts_with("0x"))
		text.remove_prefix(2);

	const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);

	if (error != std::errc())
		return std::nullopt;
	text.remove_prefix(static_cast<size_t>(end - text.data()));
	text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
	return number;
}

} // namespace

void JitSymbols::add_perf_map(std::string_view text)
{
	for (size_t end = 0; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
		std::string_view line = text.substr(0, end);
		const auto start = take_number(line);
		const auto size = start ? take_number(line) : std::nullopt;

		if (size && !line.empty())
			add(*start, *size, *start,
			    std::make_shared<Code>(Code{std::string(line.substr(0, longest_name)), {}}));
	}
}

/* Trims or splits entries that straddle the range. */
void JitSymbols::clear(uint64_t start, uint64_t end)
{
	auto place = entries_.lower_bound(start);

	if (place != entries_.begin()) {
		Entry &before = std::prev(place)->second;

		if (before.end > end)
			entries_.emplace(end, before);
		before.end = std::min(before.end, start);
	}
	place = entries_.lower_bound(start);
	while (place != entries_.end() && place->first < end) {
		if (place->second.end > end)
			entries_.emplace(end, place->second);
		place = entries_.erase(place);
	}
}

void JitSymbols::add(uint64_t start, uint64_t size, uint64_t base, std::shared_ptr<const Code> code)
{
	const uint64_t end = start + size;

	if (!size || end < start || entries_.size() >= most_entries)
		return;
	clear(start, end);
	entries_.emplace(start, Entry{end, base, std::move(code)});
}

const JitSymbols::Entry *JitSymbols::find(uint64_t address) const
{
	auto above = entries_.upper_bound(address);

	if (above == entries_.begin())
		return nullptr;
	--above;
	return address < above->second.end ? &above->second : nullptr;
}

const JitSymbols::Place *JitSymbols::Code::place_at(uint64_t offset) const
{
	const auto above =
		std::upper_bound(places.begin(), places.end(), offset,
				 [](uint64_t value, const Place &place) { return value < place.offset; });

	return above == places.begin() ? nullptr : &*std::prev(above);
}

} // namespace cli
