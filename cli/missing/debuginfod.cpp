// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Replaces symbols/debuginfod.cpp in a build without libdebuginfod's headers.  libdwfl may still
 * load the library at run time, and query the servers by itself.
 */
#include "cli/symbols/debug_file.h"

#include "cli/base/stream.h"

namespace cli {

Fd download_debug_file(const std::string & /*object*/, const std::string & /*build_id*/)
{
	static bool told = false;

	if (!told && has_debuginfod_servers())
		write_message("profil: DEBUGINFOD_URLS is set, but this profil was built without "
			      "libdebuginfod and does not download debug information itself (install its "
			      "headers, and build profil again)\n");
	told = true;
	return {};
}

} // namespace cli
