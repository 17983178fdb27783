// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/frame.h  A function at an address, and the line in it. */
#pragma once

#include <cstdint>
#include <string>

namespace cli {

struct Frame {
	std::string name;	 /**< demangled */
	std::string system_name; /**< the linker's name */
	std::string file;
	int64_t line = 0;	/**< 0: unknown */
	int64_t start_line = 0; /**< first line of the function */
};

} // namespace cli
