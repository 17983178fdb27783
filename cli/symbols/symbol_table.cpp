// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/symbol_table.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace cli {
namespace {

/* A symbol that contains an address is looked for among this many symbols before the address. */
constexpr int most_nested = 64;

bool is_code(const ModuleSymbol &found)
{
	const int type = GELF_ST_TYPE(found.symbol.st_info);

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	if (found.section == SHN_UNDEF || found.section == SHN_ABS)
		return false;
	/* On some machines, "$x" and similar symbols, which have no type, mark code and data. */
	return found.name && found.symbol.st_name &&
	       (type != STT_NOTYPE || (*found.name && *found.name != '$'));
}

int leading_underscores(const char *name)
{
	return static_cast<int>(std::strspn(name, "_"));
}

int rank_of(const GElf_Sym &symbol)
{
	const int binding = GELF_ST_BIND(symbol.st_info);

	return (binding != STB_WEAK ? 2 : 0) + (binding == STB_GLOBAL ? 1 : 0);
}

int rank_of(const char *name)
{
	const int length = static_cast<int>(std::min<size_t>(std::strlen(name), 4095));

	return ((15 - std::min(leading_underscores(name), 15)) << 12) + length;
}

/*
 * The order is that of perf, so that the same names are shown: symbols with a size come first, then
 * strong ones, global ones, those with fewer leading underscores, and longer ones.  Unlike in perf,
 * old names come last among the symbols with a size, and among those without.
 */
bool is_better(const ModuleSymbol &found, const ModuleSymbol &other, OldNames &old)
{
	if (!found.symbol.st_size != !other.symbol.st_size)
		return found.symbol.st_size != 0;
	if (const bool is_old = old.has(found); is_old != old.has(other))
		return !is_old;

	const int difference = rank_of(found.symbol) - rank_of(other.symbol);

	return difference ? difference > 0 : rank_of(found.name) > rank_of(other.name);
}

/*
 * std::sort() with fewer comparisons.  Functions are spread evenly over the text, so if the text
 * is divided into about as many parts as there are functions, each part has only a few.
 */
template <typename Place> void sort_by_start(std::vector<Place> &places)
{
	if (places.empty())
		return;

	const auto [low, high] =
		std::minmax_element(places.begin(), places.end(),
				    [](const Place &a, const Place &b) { return a.start < b.start; });
	const uint64_t base = low->start;
	uint64_t last = high->start - base; /* the number of the last part */
	int shift = 0;

	for (; last >= places.size(); last >>= 1)
		shift++;

	const auto part = [&](const Place &place) { return (place.start - base) >> shift; };
	std::vector<size_t> ends(last + 1);
	std::vector<Place> sorted(places.size());

	for (const Place &place : places)
		ends[part(place)]++;
	std::partial_sum(ends.begin(), ends.end(), ends.begin());
	/* Go backwards, so that each end becomes the beginning of its part. */
	for (size_t i = places.size(); i--;)
		sorted[--ends[part(places[i])]] = places[i];
	for (size_t i = 0; i < ends.size(); i++) {
		const size_t end = i + 1 < ends.size() ? ends[i + 1] : sorted.size();

		if (end - ends[i] > 1)
			std::sort(sorted.begin() + static_cast<ptrdiff_t>(ends[i]),
				  sorted.begin() + static_cast<ptrdiff_t>(end));
	}
	places = std::move(sorted);
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
	sort_by_start(places_);
	keep_best(OldNames(module));
}

/* Keeps one symbol for each address: the first of the best. */
void SymbolTable::keep_best(OldNames old)
{
	size_t kept = 0;

	for (const Place &place : places_) {
		if (!kept || places_[kept - 1].start != place.start)
			places_[kept++] = place;
		else if (is_better(symbols_.at(place.number), symbols_.at(places_[kept - 1].number), old))
			places_[kept - 1] = place;
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
