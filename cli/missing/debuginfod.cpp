// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Without libdebuginfod's headers: what there is in place of debuginfod_notice.cpp.  libdwfl may
 * find the library, and ask the servers, all the same; but nobody learns what it waits for.
 */
#include "cli/base/stream.h"
#include "cli/symbols/debug_file.h"
#include "cli/symbols/debuginfod_notice.h"

namespace cli {
namespace {

void tell_once()
{
	static bool told = false;

	if (!told && has_debuginfod_servers())
		write_message("profil: DEBUGINFOD_URLS: this profil was built without libdebuginfod: it "
			      "downloads no debug information of its own accord, and does not tell what "
			      "libdwfl waits for (install its headers, and build profil again)\n");
	told = true;
}

} // namespace

DebuginfodNotice::DebuginfodNotice(Dwfl * /*dwfl*/, std::string object) : object_(std::move(object))
{
	tell_once();
}

Fd download_debug_file(const std::string & /*object*/, const std::string & /*build_id*/)
{
	tell_once();
	return {};
}

} // namespace cli
