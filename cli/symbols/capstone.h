// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/symbols/capstone.h  Loads libcapstone when something is disassembled.
 *
 * The library's tables need 77,000 relocations in 327 pages.  If it were linked in, they
 * would take most of each command's start-up time.
 */
#pragma once

#include "cli/base/result.h"

#include <capstone/capstone.h>

namespace cli {

/** The functions of libcapstone that are in use, as <capstone/capstone.h> declares them. */
struct Capstone {
	decltype(&cs_open) open;
	decltype(&cs_close) close;
	decltype(&cs_option) option;
	decltype(&cs_strerror) strerror;
	decltype(&cs_malloc) malloc;
	decltype(&cs_free) free;
	decltype(&cs_disasm_iter) disasm_iter;
};

/**
 * Load libcapstone with the first call.
 *
 * @return its functions, for as long as the program runs; an error if the library is
 * missing or is not the version of the headers.
 */
Result<const Capstone *> capstone();

} // namespace cli
