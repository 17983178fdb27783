// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/debug_file.h  Finds the file with an object's debug information. */
#pragma once

#include "cli/base/fd.h"

#include <elfutils/libdwfl.h>
#include <string>

namespace cli {

/** True if libdwfl may ask debuginfod servers. */
bool has_debuginfod_servers();

/**
 * The find_debuginfo of Dwfl_Callbacks.  Calls dwfl_standard_find_debuginfo(), but only if that may
 * find something.
 *
 * Otherwise libdwfl would load the debuginfod client and its network libraries, only to learn that
 * no server is configured.  That takes longer than everything else at the end of a short recording.
 */
int find_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file,
		    const char *debuglink, GElf_Word crc, char **found);

/**
 * Get debug information from the servers in DEBUGINFOD_URLS, or from the cache of earlier
 * downloads.
 * @param object the object's name, for the notice.
 * @param build_id in hexadecimal digits.
 * @return the file; an empty Fd if DEBUGINFOD_URLS names no server, or no server has the file.
 */
Fd download_debug_file(const std::string &object, const std::string &build_id);

} // namespace cli
