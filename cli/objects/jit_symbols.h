// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/jit_symbols.h  Symbols of code that a program generates at run time. */
#pragma once

#include "cli/base/byte_source.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/**
 * The functions of one process by address, as reported by its JIT compiler.
 *
 * Later code replaces earlier code at the same addresses, so each address has the name of the last
 * code there.  Nothing in the files is trusted.
 */
class JitSymbols {
public:
	/** A source line that begins @c offset bytes into the code. */
	struct Place {
		uint64_t offset = 0;
		int64_t line = 0;
		std::shared_ptr<const std::string> file;
	};

	/** The name and lines of some code.  Entries share it, as code may be split and moved. */
	struct Code {
		std::string name;
		std::vector<Place> places; /**< ascending */

		/** The source line at @p offset, or nullptr. */
		[[nodiscard]] const Place *place_at(uint64_t offset) const;
	};

	/** The code at a range of addresses. */
	struct Entry {
		uint64_t end = 0;
		uint64_t base = 0; /**< where the whole code would begin */
		std::shared_ptr<const Code> code;
	};

	/**
	 * Add the text of a /tmp/perf-PID.map: "START SIZE NAME" in each line, with
	 * hexadecimal numbers; see tools/perf/Documentation/jit-interface.txt.
	 * Malformed lines and an incomplete last line are skipped.
	 */
	void add_perf_map(std::string_view text);
	/**
	 * Add a jitdump in our byte order; see
	 * tools/perf/Documentation/jitdump-specification.txt.  Stops at an
	 * incomplete record, which the compiler may be writing.
	 */
	void add_jitdump(ByteSource &source);

	[[nodiscard]] bool empty() const { return entries_.empty(); }
	/** The entry that contains an address, or nullptr. */
	[[nodiscard]] const Entry *find(uint64_t address) const;

private:
	friend class JitDump;

	void add(uint64_t start, uint64_t size, uint64_t base, std::shared_ptr<const Code> code);
	void clear(uint64_t start, uint64_t end);

	std::map<uint64_t, Entry> entries_; /* by start; disjoint */
};

} // namespace cli
