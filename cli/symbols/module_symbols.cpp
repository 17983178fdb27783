// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/module_symbols.h"

namespace cli {
namespace {

/* Set in a symbol's version if it is not the default version. */
constexpr GElf_Versym hidden_version = 0x8000;

} // namespace

ModuleSymbols::ModuleSymbols(Dwfl_Module *module)
	: module_(module), count_(module ? dwfl_module_getsymtab(module) : 0)
{
	if (count_ > 1)
		find_table(of_module(1));
}

ModuleSymbol ModuleSymbols::of_module(int number) const
{
	Dwarf_Addr bias = 0;
	ModuleSymbol found;

	found.name = dwfl_module_getsym_info(module_, number, &found.symbol, &found.address, &found.section,
					     &found.elf, &bias);
	return found;
}

/* If the module has only one table, use the table that contains the first symbol. */
void ModuleSymbols::find_table(const ModuleSymbol &first)
{
	GElf_Ehdr about;
	GElf_Shdr header;

	if (!first.elf || !gelf_getehdr(first.elf, &about) || about.e_type == ET_REL)
		return;
	for (Elf_Scn *scn = elf_nextscn(first.elf, nullptr); scn; scn = elf_nextscn(first.elf, scn)) {
		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB || !header.sh_entsize ||
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

bool OldNames::has(const ModuleSymbol &symbol)
{
	const std::string_view name = symbol.name;

	/* Static symbols have the version in the name; "@@" precedes the default version. */
	if (const size_t at = name.find('@'); at != name.npos && at + 1 < name.size())
		return name[at + 1] != '@';
	if (!read_)
		read();
	return names_.contains({symbol.symbol.st_value, name});
}

/* Only .dynsym has versions, an element of .gnu.version for each symbol. */
void OldNames::read()
{
	GElf_Addr bias = 0;
	Elf *const elf = dwfl_module_getelf(module_, &bias);
	GElf_Shdr header;

	read_ = true;
	for (Elf_Scn *scn = elf ? elf_nextscn(elf, nullptr) : nullptr; scn; scn = elf_nextscn(elf, scn)) {
		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_GNU_versym)
			continue;

		Elf_Data *const versions = elf_getdata(scn, nullptr);
		Elf_Scn *const symbols = elf_getscn(elf, header.sh_link);
		Elf_Data *const table = elf_getdata(symbols, nullptr);
		GElf_Versym version = 0;
		GElf_Sym symbol;

		if (!versions || !table || !gelf_getshdr(symbols, &header))
			return;
		for (int i = 1; gelf_getversym(versions, i, &version) && gelf_getsym(table, i, &symbol);
		     i++) {
			const char *const name = elf_strptr(elf, header.sh_link, symbol.st_name);

			if (name && (version & hidden_version))
				names_.emplace(symbol.st_value, name);
		}
		return;
	}
}

/** Looks up the end of a section, and makes it last_end_. */
void TextSections::find(const Section &section)
{
	const auto [place, fresh] = ends_.try_emplace(section);
	GElf_Shdr header;

	if (fresh && gelf_getshdr(elf_getscn(section.first, section.second), &header) &&
	    (header.sh_flags & SHF_EXECINSTR))
		place->second = header.sh_addr + header.sh_size;
	last_ = section;
	last_end_ = place->second;
}

} // namespace cli
