// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/debug_info.h  Lines and inlined functions, from DWARF. */
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
 * Indexes compilation units by address itself: .debug_aranges, on which
 * libdwfl relies, is missing from what clang writes.  Units are read only when
 * an address lies in them, and forgotten when there are many: who asks unit by
 * unit, see unit_of(), has each read once, and few in memory.
 */
class DebugInfo {
public:
	DebugInfo() = default;
	/** @param module outlives this; NULL or without DWARF: never finds anything. */
	explicit DebugInfo(Dwfl_Module *module);

	[[nodiscard]] bool present() const { return !units_.empty(); }
	/** A number for the compilation unit that an address belongs to; 0: none. */
	[[nodiscard]] Dwarf_Off unit_of(Dwarf_Addr address) const;
	/**
	 * Innermost inlined function first; empty where nothing is known.  The
	 * last has no name where there are lines only (assembly).
	 */
	[[nodiscard]] std::vector<Frame> frames(Dwarf_Addr address);

private:
	/** A run of addresses, and where its DIE is in .debug_info. */
	struct Range {
		Dwarf_Addr low;
		Dwarf_Addr high;
		Dwarf_Off die;
	};
	using Ranges = std::vector<Range>;

	/** The functions of a unit. */
	struct Functions {
		Ranges ranges;
		bool complete = false; /**< with those that are within others */
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
	/* What libdw has read it keeps until the end of its handle: this one has an end. */
	std::unique_ptr<Dwarf, DwarfCloser> reader_;
	std::map<Dwarf_Off, Functions> functions_; /* of units that were read by it */
	size_t lines_ = 0;			   /* that it has read */
};

} // namespace cli
