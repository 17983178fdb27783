// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/cpu/text.h  What contains code: files, the vDSO, memory, the kernel. */
#pragma once

#include "libprofil/growing.h"

#include <cstdint>
#include <linux/profil_record.h>
#include <string_view>

namespace libprofil {

/** An executable segment of an ELF file. */
struct CodeSegment {
	uint64_t offset;  /**< in the file */
	uint64_t bytes;	  /**< in the file */
	uint64_t address; /**< link-time address of its first byte */
};

/** The executable segments of an ELF file and its build-id. */
struct Elf {
	static constexpr unsigned most_segments = 8;
	static constexpr unsigned most_id = 32;

	CodeSegment segment[most_segments];
	unsigned nr_segments; /**< 0: not read, or no ELF file of this machine's kind */
	uint8_t id[most_id];
	unsigned id_bytes; /**< 0: it has no build-id */
};

/**
 * A text, as PROFIL_DESCRIBE describes it.  Its path is in memory that all texts share.
 *
 * Several recordings of a profile share a text: see CodeTexts::find().
 */
struct CodeText {
	uint32_t kind; /**< enum profil_kind */
	uint32_t device_major, device_minor;
	uint64_t inode, modified, bytes, base;
	size_t path, path_bytes; /**< its place in the paths */
	Elf elf;
};

/** The texts of a profile, numbered from 0. */
class CodeTexts {
public:
	/**
	 * Find a text, or add it.
	 * @param path "" if it has none.
	 * @param number receives its number.
	 * @return false without memory.
	 */
	[[nodiscard]] bool find(const profil_describe &about, std::string_view path, uint32_t &number);

	[[nodiscard]] size_t size() const { return all_.size(); }
	const CodeText &operator[](size_t number) const { return all_[number]; }
	/** The path of a file, or "[vdso]", "[anon]", "[kernel]" or "[unknown]". */
	[[nodiscard]] std::string_view name(const CodeText &text) const;
	void clear();

private:
	Growing<CodeText> all_;
	Growing<char> paths_;
};

/** The segment with a file offset, or nullptr. */
[[nodiscard]] const CodeSegment *segment_of(const CodeText &text, uint64_t offset);

} // namespace libprofil
