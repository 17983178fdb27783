// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Without libdebuginfod's headers: what there is in place of debuginfod.cpp.  libdwfl may find the
 * library, and ask the servers, all the same.
 */
#include "cli/symbols/debug_file.h"

#include "cli/base/stream.h"

namespace cli {

Fd download_debug_file(const std::string & /*object*/, const std::string & /*build_id*/)
{
	static bool told = false;

	if (!told && has_debuginfod_servers())
		write_message("profil: DEBUGINFOD_URLS: this profil was built without libdebuginfod: it "
			      "downloads no debug information of its own accord (install its headers, and "
			      "build profil again)\n");
	told = true;
	return {};
}

} // namespace cli
