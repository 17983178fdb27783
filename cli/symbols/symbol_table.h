// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/symbol_table.h  Functions by address, from an object's symbol tables. */
#pragma once

#include <cstdint>
#include <elfutils/libdwfl.h>
#include <string>
#include <vector>

namespace cli {

/**
 * The symbols of a module, sorted.
 *
 * libdwfl's own look-up scans the whole table each time, which takes minutes for
 * the addresses of a large program.
 */
class SymbolTable {
public:
	/** A symbol and the text that it stands for. */
	struct Entry {
		uint64_t start = 0;
		uint64_t end = 0;	    /**< without a size: end of the section, or the next symbol */
		const char *name = nullptr; /**< owned by the module */
		bool sized = false;	    /**< the symbol has a size */
		unsigned char binding = 0;  /**< STB_LOCAL ... */
	};

	SymbolTable() = default;
	/** @param module must outlive this; nullptr: no symbols. */
	explicit SymbolTable(Dwfl_Module *module);

	[[nodiscard]] bool empty() const { return entries_.empty(); }
	/**
	 * The innermost symbol that contains an address, or nullptr.  Of symbols with one start only
	 * the best is kept, by rank.
	 */
	[[nodiscard]] const Entry *find(uint64_t address) const;
	/** The first start above @p address; UINT64_MAX: none. */
	[[nodiscard]] uint64_t next(uint64_t address) const;

private:
	void keep_best();
	void end_unsized();

	std::vector<Entry> entries_;
};

} // namespace cli
