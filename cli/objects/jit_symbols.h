// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/jit_symbols.h  Names of code that a program made while it ran. */
#pragma once

#include "cli/base/byte_source.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/**
 * Functions by address in one process, as its JIT compiler told them.
 *
 * Code that is told later takes the place of what was there: names are those
 * of the last code at an address.  Nothing in the files is trusted.
 */
class JitSymbols {
public:
	/** A source line that begins so many bytes into the code. */
	struct Place {
		uint64_t offset = 0;
		int64_t line = 0;
		std::shared_ptr<const std::string> file;
	};

	/** What was told of some code; it may be cut into pieces and moved, and is not copied. */
	struct Code {
		std::string name;
		std::vector<Place> places; /**< ascending */

		/** The source line so many bytes into it, or NULL. */
		[[nodiscard]] const Place *place_at(uint64_t offset) const;
	};

	/** A run of addresses. */
	struct Entry {
		uint64_t end = 0;
		uint64_t base = 0; /**< where its code would begin */
		std::shared_ptr<const Code> code;
	};

	/**
	 * Add what a /tmp/perf-PID.map says, "START SIZE NAME" in each line with
	 * hexadecimal numbers; see tools/perf/Documentation/jit-interface.txt.
	 * Lines that are not so, and the last if it is not complete, are left out.
	 */
	void add_perf_map(std::string_view text);
	/**
	 * Add what a jitdump of our byte order says; see
	 * tools/perf/Documentation/jitdump-specification.txt.  Ends where a
	 * record is not complete: the compiler may be writing it.
	 */
	void add_jitdump(ByteSource &source);

	[[nodiscard]] bool empty() const { return entries_.empty(); }
	/** The function that holds an address, or NULL. */
	[[nodiscard]] const Entry *find(uint64_t address) const;
	/** The first that begins in [low, high), or NULL. */
	[[nodiscard]] const Entry *first_in(uint64_t low, uint64_t high) const;

private:
	friend class JitDump;

	void add(uint64_t start, uint64_t size, uint64_t base, std::shared_ptr<const Code> code);
	void clear(uint64_t start, uint64_t end);

	std::map<uint64_t, Entry> entries_; /* by start; disjoint */
};

} // namespace cli
