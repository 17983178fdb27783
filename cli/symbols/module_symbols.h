// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/module_symbols.h  The symbols of an object by their numbers. */
#pragma once

#include <cstdint>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace cli {

/** A symbol of a module. */
struct ModuleSymbol {
	GElf_Sym symbol = {};
	GElf_Addr address = 0; /**< its value, relocated */
	GElf_Word section = 0;
	Elf *elf = nullptr;
	const char *name = nullptr; /**< owned by the module */
};

/**
 * The symbols of a module by their numbers.
 *
 * libdwfl combines the tables of up to three files, and searches for the file of each
 * symbol.  If a linked object has one table, reading the table directly takes a fifth of
 * the time, and even less if its elements are laid out like GElf_Sym.
 */
class ModuleSymbols {
public:
	ModuleSymbols() = default;
	/** @param module must outlive this; nullptr: no symbols. */
	explicit ModuleSymbols(Dwfl_Module *module);

	/** The number of symbols, including number 0, which stands for no symbol. */
	[[nodiscard]] int count() const { return count_; }
	/** The symbol with a number.  Inline, because each symbol of a large table is read. */
	[[nodiscard]] ModuleSymbol at(int number) const
	{
		ModuleSymbol found;

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
	[[nodiscard]] ModuleSymbol of_module(int number) const;
	void find_table(const ModuleSymbol &first);

	Dwfl_Module *module_ = nullptr;
	int count_ = 0;
	Elf *elf_ = nullptr;
	Elf_Data *table_ = nullptr;	    /**< nullptr: ask the module */
	const GElf_Sym *symbols_ = nullptr; /**< the table of a 64-bit file; libelf has aligned it */
	Elf_Data *names_ = nullptr;
	GElf_Addr shift_ = 0;
};

/**
 * The names that a library keeps only for programs that were linked long ago: symbols whose
 * version is not the default one, such as cfree@GLIBC_2.2.5.
 */
class OldNames {
public:
	OldNames() = default;
	/** @param module must outlive this. */
	explicit OldNames(Dwfl_Module *module) : module_(module) {}

	/** Reads the module's versions when it is first called. */
	[[nodiscard]] bool has(const ModuleSymbol &symbol);

private:
	void read();

	Dwfl_Module *module_ = nullptr;
	bool read_ = false;
	std::set<std::pair<GElf_Addr, std::string_view>> names_; /**< of dynamic symbols */
};

/** The ends of executable sections; symbols in other sections are ignored. */
class TextSections {
public:
	/**
	 * The end of a symbol's section, relocated like the symbol; nullopt if the section is not
	 * executable.  Inline, as nearly all symbols are in the same section as the one before.
	 */
	std::optional<uint64_t> end_of(const ModuleSymbol &symbol)
	{
		if (const Section section = {symbol.elf, symbol.section}; section != last_)
			find(section);
		return last_end_ ? std::optional(*last_end_ + (symbol.address - symbol.symbol.st_value))
				 : std::nullopt;
	}

private:
	using Section = std::pair<Elf *, GElf_Word>;

	void find(const Section &section);

	Section last_ = {};
	std::optional<uint64_t> last_end_;
	std::map<Section, std::optional<uint64_t>> ends_;
};

} // namespace cli
