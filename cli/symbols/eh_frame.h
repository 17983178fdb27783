// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/eh_frame.h  Finds the starts of functions in a stripped object. */
#pragma once

#include <cstdint>
#include <libelf.h>
#include <optional>
#include <vector>

namespace cli {

/**
 * The search table of .eh_frame_hdr.
 *
 * Exceptions and debuggers need it at run time, so strip keeps it.  It shows where functions
 * without symbols begin.
 */
class FunctionStarts {
public:
	FunctionStarts() = default;
	/** Empty if the object has no such table, or one in another form.  @p elf must outlive this. */
	explicit FunctionStarts(Elf *elf) : unread_(elf) {}

	/** True if no start is known. */
	[[nodiscard]] bool empty();
	/** The last start that is not above @p address. */
	[[nodiscard]] std::optional<uint64_t> find(uint64_t address);
	/** The first start above @p address. */
	[[nodiscard]] std::optional<uint64_t> next(uint64_t address);

private:
	[[nodiscard]] const std::vector<uint64_t> &starts();
	[[nodiscard]] std::vector<uint64_t>::const_iterator above(uint64_t address);
	void read(Elf *elf);

	Elf *unread_ = nullptr; /* the file, until the first lookup reads it; then nullptr */
	std::vector<uint64_t> starts_;
};

} // namespace cli
