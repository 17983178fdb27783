// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/plt.h  Names of the stubs by which functions of other objects are called. */
#pragma once

#include "cli/symbols/symbol_table.h"

#include <cstdint>
#include <deque>
#include <libelf.h>
#include <string>
#include <vector>

namespace cli {

/**
 * The procedure linkage table of an x86-64 object: "memcmp@plt", as objdump has it.
 *
 * No symbol table has its stubs.  Each jumps through a slot of the global offset
 * table, and the relocation of the slot has the name; this holds for every form
 * that linkers write (.plt, .plt.got, and .plt.sec of indirect branch tracking).
 * What is no such stub, as the one that resolves the others at their first call,
 * has the name of its section.
 */
class Plt {
public:
	Plt() = default;
	/** @param elf outlives this, as @p symbols does in find(). */
	explicit Plt(Elf *elf);

	/** The stub at an address, or NULL; relocations are read when the first one is found. */
	[[nodiscard]] const SymbolTable::Entry *find(uint64_t address, const SymbolTable &symbols);

private:
	struct Section {
		size_t number;
		uint64_t low;
		uint64_t high;
		const char *name;
	};
	/** A relocation of a slot that a function's address is put into. */
	struct Slot {
		uint64_t address;
		uint64_t type;
		uint64_t addend;
		uint32_t symbol;
		uint32_t table; /**< section of symbols */
	};
	struct Stub {
		SymbolTable::Entry entry;
		Slot slot; /**< of which comes the entry's name, as long as it has none */
	};

	[[nodiscard]] std::vector<Slot> read_slots() const;
	void add_slots(std::vector<Slot> &slots, Elf_Scn *scn, uint64_t &budget) const;
	void add_stubs(const Section &section, const std::vector<Slot> &slots);
	void end_stub(uint64_t low, uint64_t high, const Section &section, const Slot *slot);
	void read();
	[[nodiscard]] std::string name_of(const Slot &slot, const SymbolTable &symbols) const;

	Elf *elf_ = nullptr;
	std::vector<Section> sections_;
	bool read_ = false;
	std::vector<Stub> stubs_; /* sorted */
	std::deque<std::string> names_;
};

} // namespace cli
