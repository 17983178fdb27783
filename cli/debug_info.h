// SPDX-License-Identifier: GPL-2.0-or-later
/** @file debug_info.h  Lines and inlined functions, from DWARF. */
#pragma once

#include "cli/frame.h"

#include <cstdint>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <map>
#include <optional>
#include <vector>

namespace cli {

/**
 * The debug information of a module.
 *
 * Indexes compilation units by address itself: .debug_aranges, on which
 * libdwfl relies, is missing from what clang writes.  Units are read only when
 * an address lies in them.
 */
class DebugInfo {
public:
	DebugInfo() = default;
	/** @param module outlives this; NULL or without DWARF: never finds anything. */
	explicit DebugInfo(Dwfl_Module *module);

	[[nodiscard]] bool present() const { return !units_.empty(); }
	/**
	 * Innermost inlined function first; empty where nothing is known.  The
	 * last has no name where there are lines only (assembly).
	 */
	[[nodiscard]] std::vector<Frame> frames(Dwarf_Addr address);

private:
	/** A run of addresses, and the DIE that they belong to. */
	struct Range {
		Dwarf_Addr low;
		Dwarf_Addr high;
		Dwarf_Die die;
	};
	using Ranges = std::vector<Range>;

	static void add_ranges(Ranges &ranges, Dwarf_Die &die);
	static std::optional<Dwarf_Die> find(Ranges &ranges, Dwarf_Addr address);
	Ranges &functions_of(Dwarf_Die &unit);

	Dwarf_Addr bias_ = 0;
	Ranges units_;
	std::map<Dwarf_Off, Ranges> functions_;
};

} // namespace cli
