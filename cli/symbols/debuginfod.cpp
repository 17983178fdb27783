// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/debug_file.h"

#include "cli/symbols/debuginfod_notice.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <elfutils/libdwfl.h>
#include <memory>

namespace cli {

Fd download_debug_file(const std::string &object, const std::string &build_id)
{
	static const Dwfl_Callbacks callbacks = {};
	const std::unique_ptr<Dwfl, decltype(&dwfl_end)> dwfl(dwfl_begin(&callbacks), dwfl_end);

	if (!dwfl || build_id.empty() || !has_debuginfod_servers())
		return {};

	/* This loads the library.  Linking it would load a TLS stack every time profil starts. */
	debuginfod_client *const client = dwfl_get_debuginfod_client(dwfl.get());
	void *const library = dlopen(DEBUGINFOD_SONAME, RTLD_LAZY | RTLD_NOLOAD);

	if (!client || !library)
		return {};

	const auto find = reinterpret_cast<decltype(&debuginfod_find_debuginfo)>(
		dlsym(library, "debuginfod_find_debuginfo"));

	if (!find)
		return {};

	const DebuginfodNotice notice(object);

	/* Length 0 means that the build-id is a string of digits. */
	return Fd(find(client, reinterpret_cast<const unsigned char *>(build_id.c_str()), 0, nullptr));
}

} // namespace cli
