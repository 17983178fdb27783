// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbol_table.h"

#include <algorithm>
#include <cstring>
#include <gelf.h>
#include <map>
#include <optional>
#include <utility>

namespace cli {
namespace {

/* How far back a symbol may begin that holds others inside it. */
constexpr int most_nested = 64;

/** Ends of the sections that have instructions; a symbol elsewhere is none. */
class TextSections {
public:
	/** End of a section, relocated as a symbol in it is; nothing if it has no text. */
	std::optional<uint64_t> end_of(Elf *elf, GElf_Word index, uint64_t shift)
	{
		/* Nearly all are in the one that the symbol before was in. */
		if (last_ == ends_.end() || last_->first != Section{elf, index})
			last_ = find(elf, index);
		return last_->second ? std::optional(*last_->second + shift) : std::nullopt;
	}

private:
	using Section = std::pair<Elf *, GElf_Word>;
	using Ends = std::map<Section, std::optional<uint64_t>>;

	Ends::const_iterator find(Elf *elf, GElf_Word index)
	{
		const auto [place, fresh] = ends_.try_emplace({elf, index});
		GElf_Shdr header;

		if (fresh && gelf_getshdr(elf_getscn(elf, index), &header) &&
		    (header.sh_flags & SHF_EXECINSTR))
			place->second = header.sh_addr + header.sh_size;
		return place;
	}

	Ends ends_;
	Ends::const_iterator last_ = ends_.end();
};

bool is_code(const GElf_Sym &symbol, GElf_Word section, const char *name)
{
	const int type = GELF_ST_TYPE(symbol.st_info);

	/* "$x" and the like mark what the bytes are, on some machines. */
	if (!name || !*name || *name == '$' || section == SHN_UNDEF || section == SHN_ABS)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

int leading_underscores(const char *name)
{
	return static_cast<int>(std::strspn(name, "_"));
}

/*
 * perf's order, so that the same names are shown: those with a size, not weak,
 * global, with fewer underscores, longer.
 */
int rank_of(const SymbolTable::Entry &symbol)
{
	const int length = static_cast<int>(std::min<size_t>(std::strlen(symbol.name), 4095));

	return (symbol.sized ? 1 << 20 : 0) + (symbol.binding != STB_WEAK ? 1 << 19 : 0) +
	       (symbol.binding == STB_GLOBAL ? 1 << 18 : 0) +
	       ((15 - std::min(leading_underscores(symbol.name), 15)) << 12) + length;
}

} // namespace

SymbolTable::SymbolTable(Dwfl_Module *module)
{
	const int count = module ? dwfl_module_getsymtab(module) : 0;
	TextSections sections;

	entries_.reserve(static_cast<size_t>(std::max(count, 0)));
	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address = 0;
		GElf_Word section = 0;
		Elf *elf = nullptr;
		Dwarf_Addr bias = 0;
		const char *name =
			dwfl_module_getsym_info(module, i, &symbol, &address, &section, &elf, &bias);

		if (!is_code(symbol, section, name))
			continue;
		if (const std::optional<uint64_t> end =
			    sections.end_of(elf, section, address - symbol.st_value))
			entries_.push_back({address, symbol.st_size ? address + symbol.st_size : *end, name,
					    symbol.st_size != 0, GELF_ST_BIND(symbol.st_info)});
	}
	keep_best();
	end_unsized();
}

/* One for each address: the first of those with the highest rank. */
void SymbolTable::keep_best()
{
	std::vector<std::pair<uint64_t, size_t>> order; /* much smaller than what it stands for */
	std::vector<Entry> best;

	order.reserve(entries_.size());
	best.reserve(entries_.size());
	for (size_t i = 0; i < entries_.size(); i++)
		order.emplace_back(entries_[i].start, i);
	std::sort(order.begin(), order.end());
	for (const auto &[start, index] : order) {
		const Entry &entry = entries_[index];

		if (best.empty() || best.back().start != start)
			best.push_back(entry);
		else if (rank_of(entry) > rank_of(best.back()))
			best.back() = entry;
	}
	entries_ = std::move(best);
}

void SymbolTable::end_unsized()
{
	for (size_t i = 0; i + 1 < entries_.size(); i++) {
		if (!entries_[i].sized)
			entries_[i].end = std::min(entries_[i].end, entries_[i + 1].start);
	}
}

const SymbolTable::Entry *SymbolTable::find(uint64_t address) const
{
	auto entry = std::upper_bound(entries_.begin(), entries_.end(), address,
				      [](uint64_t value, const Entry &one) { return value < one.start; });

	for (int steps = 0; steps < most_nested && entry != entries_.begin(); steps++) {
		--entry;
		if (address < entry->end)
			return &*entry;
	}
	return nullptr;
}

} // namespace cli
