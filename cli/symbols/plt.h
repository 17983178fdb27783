// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/plt.h  Names the stubs that call functions of other objects. */
#pragma once

#include "cli/symbols/symbol_table.h"

#include <cstdint>
#include <deque>
#include <libelf.h>
#include <string>
#include <vector>

namespace cli {

/**
 * The procedure linkage table of an x86-64 object, with names as in objdump:
 * "memcmp@plt".
 *
 * Symbol tables do not contain the stubs.  Each stub jumps through a slot of the
 * global offset table, and the relocation of the slot has the name.  This holds for
 * every form that linkers write (.plt, .plt.got, and .plt.sec of indirect branch
 * tracking).  Other code in these sections, such as the stub that resolves the others
 * at their first call, gets the name of its section.
 */
class Plt {
public:
	Plt() = default;
	/** @param elf must outlive this, and so must @p symbols in find(). */
	explicit Plt(Elf *elf);

	/** The stub at an address, if any.  Relocations are read when an address in a PLT is first looked
	 * up. */
	[[nodiscard]] std::optional<SymbolTable::Entry> find(uint64_t address, const SymbolTable &symbols);

private:
	struct Section {
		size_t number;
		uint64_t low;
		uint64_t high;
		const char *name;
	};
	/** The relocation of a slot that holds the address of a function. */
	struct Slot {
		uint64_t address;
		uint64_t type;
		uint64_t addend;
		uint32_t symbol;
		uint32_t table; /**< section with the symbols */
	};
	struct Stub {
		SymbolTable::Entry entry;
		Slot slot; /**< the source of the entry's name, which is looked up when needed */
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
