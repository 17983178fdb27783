// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/gmon/program_text.h  The executable segments of this process. */
#pragma once

#include "libprofil/scratch.h"

#include <climits>
#include <cstdint>

namespace libprofil {

/** An executable segment of the program or of a shared object. */
struct Text {
	uintptr_t low;		 /**< first PC */
	uintptr_t high;		 /**< first PC above it */
	uintptr_t base;		 /**< load bias: run-time address minus address in the file */
	char name[NAME_MAX + 1]; /**< base name of the file; "" for the program */
};

/** The program's segments, then those of its shared objects, except the vDSO, which has no file. */
class ProgramText {
public:
	ProgramText();

	/** False if there was no memory. */
	explicit operator bool() const { return static_cast<bool>(texts_); }
	[[nodiscard]] size_t size() const { return nr_; }
	const Text &operator[](size_t index) const { return texts_[index]; }

private:
	Scratch<Text> texts_;
	size_t nr_;
};

} // namespace libprofil
