// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/symbol_table.h"

#include <algorithm>
#include <cstring>

namespace cli {
namespace {

/* How many symbols back a symbol may begin that contains others. */
constexpr int most_nested = 64;

bool is_code(const ModuleSymbol &found)
{
	const int type = GELF_ST_TYPE(found.symbol.st_info);

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	if (found.section == SHN_UNDEF || found.section == SHN_ABS)
		return false;
	/* On some machines, "$x" and similar symbols mark code and data. */
	return found.name && *found.name && *found.name != '$';
}

int leading_underscores(const char *name)
{
	return static_cast<int>(std::strspn(name, "_"));
}

/*
 * The order of preference in perf, so that the same names are shown: symbols with a
 * size, not weak, global, with fewer leading underscores, longer.
 */
int rank_of(const ModuleSymbol &found)
{
	const int length = static_cast<int>(std::min<size_t>(std::strlen(found.name), 4095));
	const int binding = GELF_ST_BIND(found.symbol.st_info);

	return (found.symbol.st_size ? 1 << 20 : 0) + (binding != STB_WEAK ? 1 << 19 : 0) +
	       (binding == STB_GLOBAL ? 1 << 18 : 0) +
	       ((15 - std::min(leading_underscores(found.name), 15)) << 12) + length;
}

} // namespace

SymbolTable::SymbolTable(Dwfl_Module *module) : symbols_(module)
{
	places_.reserve(static_cast<size_t>(std::max(symbols_.count(), 0)));
	for (int i = 1; i < symbols_.count(); i++) {
		const ModuleSymbol found = symbols_.at(i);

		if (is_code(found) && sections_.end_of(found))
			places_.push_back({found.address, i});
	}
	std::sort(places_.begin(), places_.end());
	keep_best();
}

/* Keeps one symbol for each address: the first of those with the highest rank. */
void SymbolTable::keep_best()
{
	size_t kept = 0;
	int best = -1; /* rank of the one kept last, once it was compared */

	for (const Place &place : places_) {
		if (!kept || places_[kept - 1].start != place.start) {
			places_[kept++] = place;
			best = -1;
			continue;
		}
		if (best < 0)
			best = rank_of(symbols_.at(places_[kept - 1].number));
		if (const int rank = rank_of(symbols_.at(place.number)); rank > best) {
			places_[kept - 1] = place;
			best = rank;
		}
	}
	places_.resize(kept);
}

/** The place after the last one that starts at or below an address. */
SymbolTable::Places::const_iterator SymbolTable::above(uint64_t address) const
{
	return std::upper_bound(places_.begin(), places_.end(), address,
				[](uint64_t value, const Place &one) { return value < one.start; });
}

SymbolTable::Entry SymbolTable::entry_of(Places::const_iterator place) const
{
	const ModuleSymbol found = symbols_.at(place->number);
	const auto next = std::next(place);
	Entry entry = {.start = found.address,
		       .end = found.address + found.symbol.st_size,
		       .name = found.name,
		       .sized = found.symbol.st_size != 0};

	if (!entry.sized)
		entry.end = std::min(sections_.end_of(found).value_or(UINT64_MAX),
				     next == places_.end() ? UINT64_MAX : next->start);
	return entry;
}

std::optional<SymbolTable::Entry> SymbolTable::find(uint64_t address) const
{
	auto place = above(address);

	for (int steps = 0; steps < most_nested && place != places_.begin(); steps++) {
		const Entry entry = entry_of(--place);

		if (address < entry.end)
			return entry;
	}
	return std::nullopt;
}

uint64_t SymbolTable::next(uint64_t address) const
{
	const auto place = above(address);

	return place == places_.end() ? UINT64_MAX : place->start;
}

} // namespace cli
