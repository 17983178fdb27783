// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/symbols.h  Translates addresses to functions and lines. */
#pragma once

#include "cli/objects/jit_symbols.h"
#include "cli/objects/object.h"
#include "cli/symbols/debug_info.h"
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

/** A range of link-time addresses. */
struct Extent {
	uint64_t low = 0;
	uint64_t high = 0; /**< the first address after it */

	[[nodiscard]] bool holds(uint64_t address) const { return address >= low && address < high; }
	bool operator==(const Extent &) const = default;
};

/** The detail to look up for an address. */
enum class Detail {
	Functions, /**< only names; debug information is read only where symbols are missing */
	Lines,	   /**< also inlined functions and lines */
};

/** The names in one object: its symbol tables, debug information, call frames. */
class Symbols {
public:
	/** Uses the object's file, and the debug information installed for its build-id. */
	explicit Symbols(const Object &object, Detail detail = Detail::Lines);

	/**
	 * The functions at a link-time address: the innermost inlined function
	 * comes first, the function of the symbol last.
	 *
	 * A function without a name is "object+0xstart"; if its start is unknown as well, the
	 * result is empty.  But code without a name is nameless_code_name() in anonymous memory,
	 * and has the name of the object in the kernel.
	 */
	[[nodiscard]] std::vector<Frame> frames(uint64_t address);

	/**
	 * A range of addresses with the same frames, which begins at the address of the last
	 * frames(); empty if none is known.
	 */
	[[nodiscard]] Extent alike() const { return alike_; }

	/**
	 * A number for the compilation unit of an address; 0 if unknown.  Looking up
	 * the addresses of one unit together is faster.
	 */
	[[nodiscard]] uint64_t unit_of(uint64_t address) const { return debug_.unit_of(address); }
	/** The indices of @p addresses, in an order in which each unit is read only once. */
	[[nodiscard]] std::vector<size_t> unit_by_unit(std::span<const uint64_t> addresses) const;

	/**
	 * The extent of the function at a link-time address.  A function without a
	 * size extends to the next function, including the padding in between, or
	 * to UINT64_MAX.
	 */
	[[nodiscard]] std::optional<Extent> extent(uint64_t address);
	/** "function" or "function+0x12", demangled; empty without a symbol. */
	[[nodiscard]] std::string label(uint64_t address);

	/** True if frames() can name functions, if only by their start addresses. */
	[[nodiscard]] bool has_functions()
	{
		return !table_.empty() || !jit_.empty() || kernel_ || !starts_.empty();
	}
	/** True if there is debug information. */
	[[nodiscard]] bool has_lines() const { return debug_.present(); }

private:
	struct DwflCloser {
		void operator()(Dwfl *dwfl) const { dwfl_end(dwfl); }
	};

	[[nodiscard]] std::vector<Frame> named_frames(uint64_t address);
	[[nodiscard]] std::vector<Frame> frames_at(uint64_t address);
	[[nodiscard]] std::vector<Frame> jit_frames(const JitSymbols::Entry &entry, uint64_t address) const;
	[[nodiscard]] std::optional<SymbolTable::Entry> entry_at(uint64_t address);
	[[nodiscard]] std::optional<uint64_t> start_without_symbol(uint64_t address);
	[[nodiscard]] std::optional<Frame> function_without_symbol(uint64_t address);
	[[nodiscard]] const std::string &readable_name(const char *name);

	std::string object_name_;
	std::string nameless_;			   /* for places without a name; may be empty */
	JitSymbols jit_;			   /* the only names of anonymous memory */
	std::shared_ptr<const KernelText> kernel_; /* the only names of the kernel; or nullptr */
	std::unique_ptr<Dwfl, DwflCloser> dwfl_;
	Dwfl_Module *module_ = nullptr; /* owned by dwfl_ */
	SymbolTable table_;
	Plt plt_; /* for stubs, which have no symbols */
	DebugInfo debug_;
	std::optional<DebugInfo> names_; /* without debug_: read when a function has no symbol */
	FunctionStarts starts_;
	const char *readable_of_ = nullptr; /* the symbol name that readable_ was made from */
	std::string readable_;
	Extent alike_; /* see alike() */
};

} // namespace cli
