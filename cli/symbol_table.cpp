// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbol_table.h"

#include <algorithm>
#include <cstring>
#include <gelf.h>
#include <map>
#include <optional>

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
int rank_of(const GElf_Sym &symbol, const char *name)
{
	const int binding = GELF_ST_BIND(symbol.st_info);
	const int length = static_cast<int>(std::min<size_t>(std::strlen(name), 4095));

	return (symbol.st_size ? 1 << 20 : 0) + (binding != STB_WEAK ? 1 << 19 : 0) +
	       (binding == STB_GLOBAL ? 1 << 18 : 0) +
	       ((15 - std::min(leading_underscores(name), 15)) << 12) + length;
}

} // namespace

SymbolTable::SymbolTable(Dwfl_Module *module)
{
	const int count = module ? dwfl_module_getsymtab(module) : 0;
	TextSections sections;

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
			entries_.push_back({address, symbol.st_size ? address + symbol.st_size : *end,
					    symbol.st_size != 0, rank_of(symbol, name), name});
	}
	keep_best();
	end_unsized();
}

/* One for each address. */
void SymbolTable::keep_best()
{
	std::sort(entries_.begin(), entries_.end(), [](const Entry &a, const Entry &b) {
		return a.start != b.start ? a.start < b.start : a.rank > b.rank;
	});
	entries_.erase(std::unique(entries_.begin(), entries_.end(),
				   [](const Entry &a, const Entry &b) { return a.start == b.start; }),
		       entries_.end());
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
