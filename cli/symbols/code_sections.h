// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/code_sections.h  Where an object has instructions. */
#pragma once

#include <cstdint>
#include <libelf.h>
#include <utility>
#include <vector>

namespace cli {

/** The executable sections of an object, at their link-time addresses. */
class CodeSections {
public:
	CodeSections() = default;
	/** Empty if the object has no table of sections. */
	explicit CodeSections(Elf *elf);

	/** How many of the bytes from @p low up to @p high are in these sections. */
	[[nodiscard]] uint64_t bytes_in(uint64_t low, uint64_t high) const;
	/** The first address above @p address at which a section begins or ends; UINT64_MAX: none. */
	[[nodiscard]] uint64_t next(uint64_t address) const;

private:
	std::vector<std::pair<uint64_t, uint64_t>> sections_; /* from, up to */
};

} // namespace cli
