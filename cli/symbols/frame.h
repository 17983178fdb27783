// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/frame.h  One function at an address, and the line in it. */
#pragma once

#include <cstdint>
#include <string>

namespace cli {

struct Frame {
	std::string name;	 /**< demangled */
	std::string system_name; /**< as the linker has it */
	std::string file;
	int64_t line = 0;	/**< 0: not known */
	int64_t start_line = 0; /**< where the function begins */
};

} // namespace cli
