// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/debug_info.h  Reads lines and inlined functions from DWARF. */
#pragma once

#include "cli/symbols/frame.h"

#include <cstdint>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace cli {

/**
 * The debug information of a module.
 *
 * It has its own index of compilation units by address, because libdwfl relies on
 * .debug_aranges, which clang does not write.  A unit is read only when an address
 * in it is looked up, and units are dropped when there are many.  A caller that
 * goes unit by unit (see unit_of()) reads each unit once and keeps few in memory.
 */
class DebugInfo {
public:
	DebugInfo() = default;
	/** @param module must outlive this; if it is nullptr or has no DWARF, nothing is found. */
	explicit DebugInfo(Dwfl_Module *module);

	[[nodiscard]] bool present() const { return !units_.empty(); }
	/** A number for the compilation unit that contains an address; 0: none. */
	[[nodiscard]] Dwarf_Off unit_of(Dwarf_Addr address) const;
	/**
	 * The functions at an address, innermost inlined function first; empty if
	 * unknown.  In assembly, which has only lines, the function has no name.
	 */
	[[nodiscard]] std::vector<Frame> frames(Dwarf_Addr address);

private:
	/** A range of addresses, and the offset of its DIE in .debug_info. */
	struct Range {
		Dwarf_Addr low;
		Dwarf_Addr high;
		Dwarf_Off die;
	};
	using Ranges = std::vector<Range>;

	/** The functions of a unit. */
	struct Functions {
		Ranges ranges;
		bool complete = false; /**< includes functions nested in others */
	};
	struct DwarfCloser {
		void operator()(Dwarf *dwarf) const { dwarf_end(dwarf); }
	};

	static void add_ranges(Ranges &ranges, Dwarf_Die &die);
	static void add_functions(Ranges &ranges, Dwarf_Die scope, unsigned depth);
	static void add_nested_functions(Ranges &ranges, Dwarf_Die &unit);
	static void sort(Ranges &ranges);
	static std::optional<Dwarf_Off> find(const Ranges &ranges, Dwarf_Addr address);
	std::optional<Dwarf_Off> find_function(Dwarf_Die &unit, Dwarf_Addr address);
	bool open_unit(Dwarf_Off offset, Dwarf_Die &unit);

	Dwarf *dwarf_ = nullptr; /* owned by the module */
	Dwarf_Addr bias_ = 0;
	Ranges units_;
	/* libdw frees nothing until its handle is closed, so this handle is closed now and then. */
	std::unique_ptr<Dwarf, DwarfCloser> reader_;
	std::map<Dwarf_Off, Functions> functions_; /* of the units that reader_ has read */
	size_t lines_ = 0;			   /* lines that reader_ has read */
};

} // namespace cli
