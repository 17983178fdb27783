// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/debuginfod_notice.h"

#include "cli/base/characters.h"
#include "cli/base/stream.h"
#include "cli/symbols/debug_file.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <fmt/format.h>
#include <memory>

namespace cli {
namespace {

/* Shorter waits are not worth a notice. */
constexpr std::chrono::milliseconds patience{500};

/**
 * A function of the library that libdwfl loads before its first request.  Linking
 * it would load a TLS stack every time profil starts.
 */
template <typename Function> Function *loaded(const char *name)
{
	void *const library = dlopen(DEBUGINFOD_SONAME, RTLD_LAZY | RTLD_NOLOAD);

	return library ? reinterpret_cast<Function *>(dlsym(library, name)) : nullptr;
}

#define LOADED(name) loaded<decltype(name)>(#name)

} // namespace

DebuginfodNotice::DebuginfodNotice(Dwfl *dwfl, std::string object) : object_(std::move(object))
{
	if (!dwfl || !has_debuginfod_servers())
		return;

	debuginfod_client *client = dwfl_get_debuginfod_client(dwfl);
	const auto set_user_data = LOADED(debuginfod_set_user_data);
	const auto set_progressfn = LOADED(debuginfod_set_progressfn);

	if (!client || !set_user_data || !set_progressfn || !LOADED(debuginfod_get_user_data))
		return;
	set_user_data(client, this);
	set_progressfn(client, progress);
}

int DebuginfodNotice::progress(debuginfod_client *client, long /*done*/, long /*all*/)
{
	static_cast<DebuginfodNotice *>(LOADED(debuginfod_get_user_data)(client))->waiting();
	return 0;
}

void DebuginfodNotice::waiting()
{
	const auto now = std::chrono::steady_clock::now();

	if (begin_ == std::chrono::steady_clock::time_point())
		begin_ = now;
	if (said_ || now - begin_ < patience)
		return;
	said_ = true;
	write_message(fmt::format("profil: {}: waiting for debug information from the servers in "
				  "DEBUGINFOD_URLS (DEBUGINFOD_TIMEOUT limits it)\n",
				  printable(object_)));
}

Fd download_debug_file(const std::string &object, const std::string &build_id)
{
	static const Dwfl_Callbacks callbacks = {};
	const std::unique_ptr<Dwfl, decltype(&dwfl_end)> dwfl(dwfl_begin(&callbacks), dwfl_end);

	if (!dwfl || build_id.empty() || !has_debuginfod_servers())
		return {};

	const DebuginfodNotice notice(dwfl.get(), object);
	debuginfod_client *const client = dwfl_get_debuginfod_client(dwfl.get());
	const auto find = LOADED(debuginfod_find_debuginfo);

	if (!client || !find)
		return {};
	/* Of length 0, an identifier is one of digits. */
	return Fd(find(client, reinterpret_cast<const unsigned char *>(build_id.c_str()), 0, nullptr));
}

} // namespace cli
