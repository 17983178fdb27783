// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/symbols.h  From addresses to functions and lines. */
#pragma once

#include "cli/objects/jit_symbols.h"
#include "cli/objects/object.h"
#include "cli/symbols/debug_info.h"
#include "cli/symbols/debuginfod_notice.h"
#include "cli/symbols/eh_frame.h"
#include "cli/symbols/frame.h"
#include "cli/symbols/plt.h"
#include "cli/symbols/symbol_table.h"

#include <elfutils/libdwfl.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cli {

/** A run of link-time addresses. */
struct Extent {
	uint64_t low = 0;
	uint64_t high = 0; /**< the first address behind it */

	[[nodiscard]] bool holds(uint64_t address) const { return address >= low && address < high; }
	bool operator==(const Extent &) const = default;
};

/** How much to learn of an address. */
enum class Detail {
	Functions, /**< their names: debug information is read where there is no symbol */
	Lines,	   /**< also what is inlined in them, and lines */
};

/** The names in one object: its symbol tables, debug information, call frames. */
class Symbols {
public:
	/** Takes what the object's file offers, and what is installed for its build-id. */
	explicit Symbols(const Object &object, Detail detail = Detail::Lines);

	/**
	 * The functions at a link-time address: the one that was inlined last
	 * comes first, the one that has the symbol is the last.
	 *
	 * A function without a name is "object+0xstart"; where not even its
	 * start is known there is none.  If nothing is at @p address, but a
	 * function begins within the @p size bytes that shared its counter, it
	 * is that one.
	 */
	[[nodiscard]] std::vector<Frame> frames(uint64_t address, uint64_t size);

	/**
	 * Whose frames are best asked for one after the other: a number for what
	 * was compiled together; 0 where that is not known.
	 */
	[[nodiscard]] uint64_t unit_of(uint64_t address) const { return debug_.unit_of(address); }
	/** In which order, by index, to ask for many addresses, so that each unit is read once. */
	[[nodiscard]] std::vector<size_t> unit_by_unit(std::span<const uint64_t> addresses) const;

	/**
	 * Where the function at a link-time address begins and ends.  Without a
	 * size of its own it reaches to the next function, with the padding in
	 * between, or to UINT64_MAX.
	 */
	[[nodiscard]] std::optional<Extent> extent(uint64_t address);
	/** "function" or "function+0x12", demangled; empty without a symbol. */
	[[nodiscard]] std::string label(uint64_t address);

	/** Is there any symbol of a function? */
	[[nodiscard]] bool has_functions() const { return !table_.empty() || !jit_.empty(); }
	/** Is there debug information? */
	[[nodiscard]] bool has_lines() const { return debug_.present(); }

private:
	struct DwflCloser {
		void operator()(Dwfl *dwfl) const { dwfl_end(dwfl); }
	};

	[[nodiscard]] std::vector<Frame> frames_at(uint64_t address);
	[[nodiscard]] std::vector<Frame> jit_frames(uint64_t address, uint64_t size) const;
	[[nodiscard]] const SymbolTable::Entry *entry_at(uint64_t address);
	[[nodiscard]] std::optional<uint64_t> start_without_symbol(uint64_t address);
	[[nodiscard]] std::optional<Frame> function_without_symbol(uint64_t address);
	[[nodiscard]] const std::string &readable_name(const char *name);

	std::string object_name_;
	JitSymbols jit_;			   /* of memory, which has nothing else */
	std::unique_ptr<DebuginfodNotice> notice_; /* which dwfl_ holds a pointer to */
	std::unique_ptr<Dwfl, DwflCloser> dwfl_;
	Dwfl_Module *module_ = nullptr; /* owned by dwfl_ */
	SymbolTable table_;
	Plt plt_; /* for what has no symbol */
	DebugInfo debug_;
	std::optional<DebugInfo> names_; /* without debug_: read when something has no symbol */
	FunctionStarts starts_;
	const char *readable_of_ = nullptr; /* a symbol's, which stays */
	std::string readable_;
};

} // namespace cli
