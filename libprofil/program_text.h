// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file program_text.h  What of this process can be executed. */
#pragma once

#include "libprofil/scratch.h"

#include <climits>
#include <cstdint>

namespace libprofil {

/** A segment of the program, or of a shared object, that can be executed. */
struct Text {
	uintptr_t low;		 /**< first PC */
	uintptr_t high;		 /**< first PC above it */
	uintptr_t base;		 /**< what is added to the addresses in the file */
	char name[NAME_MAX + 1]; /**< last part of the file's name; "" for the program */
};

/** The program's segments first, then those of its shared objects; without the vDSO, which has no file. */
class ProgramText {
public:
	ProgramText();

	/** False: there was no memory. */
	explicit operator bool() const { return static_cast<bool>(texts_); }
	[[nodiscard]] size_t size() const { return nr_; }
	const Text &operator[](size_t index) const { return texts_[index]; }

private:
	Scratch<Text> texts_;
	size_t nr_;
};

} // namespace libprofil
