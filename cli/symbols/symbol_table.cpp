// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/symbol_table.h"

#include <algorithm>
#include <cstring>
#include <gelf.h>
#include <map>
#include <optional>
#include <utility>

namespace cli {
namespace {

/* How many symbols back a symbol may begin that contains others. */
constexpr int most_nested = 64;

/** The ends of executable sections; symbols in other sections are ignored. */
class TextSections {
public:
	/** The end of a section, relocated like its symbols; nothing if it is not executable. */
	std::optional<uint64_t> end_of(Elf *elf, GElf_Word index, uint64_t shift)
	{
		/* Nearly all symbols are in the same section as the one before. */
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

/** A symbol of a module. */
struct Found {
	GElf_Sym symbol = {};
	GElf_Addr address = 0; /**< its value, relocated */
	GElf_Word section = 0;
	Elf *elf = nullptr;
	const char *name = nullptr;
};

/**
 * The symbols of a module by their numbers.
 *
 * libdwfl combines the tables of up to three files, and finds out for each symbol which
 * file it is in.  If a linked object has one table, reading that directly takes a fifth
 * of the time, and less if its elements are those of GElf_Sym already.
 */
class ModuleSymbols {
public:
	explicit ModuleSymbols(Dwfl_Module *module)
		: module_(module), count_(module ? dwfl_module_getsymtab(module) : 0)
	{
		if (count_ > 1)
			find_table(of_module(1));
	}

	[[nodiscard]] int count() const { return count_; }

	[[nodiscard]] Found at(int number) const
	{
		Found found;

		if (symbols_)
			found.symbol = symbols_[number];
		else if (!table_ || !gelf_getsym(table_, number, &found.symbol))
			return of_module(number);
		/* Larger section numbers are stored elsewhere. */
		if (found.symbol.st_shndx == SHN_XINDEX || found.symbol.st_name >= names_->d_size)
			return of_module(number);
		found.address = found.symbol.st_value + shift_;
		found.section = found.symbol.st_shndx;
		found.elf = elf_;
		found.name = static_cast<const char *>(names_->d_buf) + found.symbol.st_name;
		return found;
	}

private:
	[[nodiscard]] Found of_module(int number) const
	{
		Dwarf_Addr bias = 0;
		Found found;

		found.name = dwfl_module_getsym_info(module_, number, &found.symbol, &found.address,
						     &found.section, &found.elf, &bias);
		return found;
	}

	/** Use the table that @p first is from, if the module has no other. */
	void find_table(const Found &first)
	{
		GElf_Ehdr about;
		GElf_Shdr header;

		if (!first.elf || !gelf_getehdr(first.elf, &about) || about.e_type == ET_REL)
			return;
		for (Elf_Scn *scn = elf_nextscn(first.elf, nullptr); scn; scn = elf_nextscn(first.elf, scn)) {
			if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB ||
			    !header.sh_entsize ||
			    header.sh_size / header.sh_entsize != static_cast<uint64_t>(count_))
				continue;

			Elf_Data *const table = elf_getdata(scn, nullptr);
			Elf_Data *const names = elf_getdata(elf_getscn(first.elf, header.sh_link), nullptr);

			if (!table || !names || !names->d_size ||
			    static_cast<const char *>(names->d_buf)[names->d_size - 1])
				return;
			elf_ = first.elf;
			table_ = table;
			if (gelf_getclass(elf_) == ELFCLASS64 &&
			    table->d_size / sizeof(GElf_Sym) >= static_cast<size_t>(count_))
				symbols_ = static_cast<const GElf_Sym *>(table->d_buf);
			names_ = names;
			shift_ = first.address - first.symbol.st_value;
			return;
		}
	}

	Dwfl_Module *module_;
	int count_;
	Elf *elf_ = nullptr;
	Elf_Data *table_ = nullptr;	    /**< nullptr: ask the module */
	const GElf_Sym *symbols_ = nullptr; /**< the table, if of 64 bits; libelf has aligned it */
	Elf_Data *names_ = nullptr;
	GElf_Addr shift_ = 0;
};

bool is_code(const GElf_Sym &symbol, GElf_Word section, const char *name)
{
	const int type = GELF_ST_TYPE(symbol.st_info);

	/* On some machines, "$x" and similar symbols mark code and data. */
	if (!name || !*name || *name == '$' || section == SHN_UNDEF || section == SHN_ABS)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

int leading_underscores(const char *name)
{
	return static_cast<int>(std::strspn(name, "_"));
}

/*
 * The order of preference in perf, so that the same names are shown: symbols with a
 * size, not weak, global, with fewer leading underscores, longer.
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
	const ModuleSymbols symbols(module);
	TextSections sections;

	entries_.reserve(static_cast<size_t>(std::max(symbols.count(), 0)));
	for (int i = 1; i < symbols.count(); i++) {
		const Found found = symbols.at(i);

		if (!is_code(found.symbol, found.section, found.name))
			continue;
		if (const std::optional<uint64_t> end =
			    sections.end_of(found.elf, found.section, found.address - found.symbol.st_value))
			entries_.push_back(
				{found.address,
				 found.symbol.st_size ? found.address + found.symbol.st_size : *end,
				 found.name, found.symbol.st_size != 0,
				 static_cast<unsigned char>(GELF_ST_BIND(found.symbol.st_info))});
	}
	keep_best();
	end_unsized();
}

/* Keeps one symbol for each address: the first of those with the highest rank. */
void SymbolTable::keep_best()
{
	std::vector<std::pair<uint64_t, size_t>> order; /* much smaller than the entries to sort */
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

uint64_t SymbolTable::next(uint64_t address) const
{
	const auto above =
		std::upper_bound(entries_.begin(), entries_.end(), address,
				 [](uint64_t value, const Entry &one) { return value < one.start; });

	return above == entries_.end() ? UINT64_MAX : above->start;
}

} // namespace cli
