// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/symbol_table.h  Functions by address, from an object's symbol tables. */
#pragma once

#include "cli/symbols/module_symbols.h"

#include <compare>
#include <cstdint>
#include <elfutils/libdwfl.h>
#include <optional>
#include <vector>

namespace cli {

/**
 * The symbols of a module, sorted.
 *
 * libdwfl's own look-up scans the whole table each time, which takes minutes for
 * the addresses of a large program.  Only the sort keys are kept, because most symbols
 * are never looked up.
 */
class SymbolTable {
public:
	/** A symbol and the text that it stands for. */
	struct Entry {
		uint64_t start = 0;
		uint64_t end = 0;	    /**< without a size: end of the section, or the next symbol */
		const char *name = nullptr; /**< owned by the module */
		bool sized = false;	    /**< the symbol has a size */
	};

	SymbolTable() = default;
	/** @param module must outlive this; nullptr: no symbols. */
	explicit SymbolTable(Dwfl_Module *module);

	[[nodiscard]] bool empty() const { return places_.empty(); }
	/**
	 * The innermost symbol that contains an address, if any.  Of several symbols with the
	 * same start, only the highest-ranking is kept.
	 */
	[[nodiscard]] std::optional<Entry> find(uint64_t address) const;
	/** The first start above @p address; UINT64_MAX: none. */
	[[nodiscard]] uint64_t next(uint64_t address) const;

private:
	struct Place {
		uint64_t start;
		int number; /**< number of the symbol */

		auto operator<=>(const Place &) const = default;
	};
	using Places = std::vector<Place>;

	void keep_best(OldNames old);
	[[nodiscard]] Places::const_iterator above(uint64_t address) const;
	[[nodiscard]] Entry entry_of(Places::const_iterator place) const;

	ModuleSymbols symbols_;
	mutable TextSections sections_; /**< caches the sections that it has read */
	Places places_;
};

} // namespace cli
