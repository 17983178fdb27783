// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/capstone.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace cli {
namespace {

#ifdef PROFIL_STATIC_CAPSTONE

/* libcapstone is part of the program: see cli_portable_objects in cli/build.mk. */
Result<Capstone> load()
{
	return Capstone{cs_open, cs_close, cs_option, cs_strerror, cs_malloc, cs_free, cs_disasm_iter};
}

#else

/** Put the address of a function into @p function; false if the library does not have it. */
template <typename Function> bool find(void *library, const char *name, Function &function)
{
	function = reinterpret_cast<Function>(dlsym(library, name));
	return function;
}

Result<Capstone> load()
{
	const std::string name = fmt::format("libcapstone.so.{}", CS_API_MAJOR);
	void *const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
	Capstone functions{};

	if (!library || !find(library, "cs_open", functions.open) ||
	    !find(library, "cs_close", functions.close) || !find(library, "cs_option", functions.option) ||
	    !find(library, "cs_strerror", functions.strerror) ||
	    !find(library, "cs_malloc", functions.malloc) || !find(library, "cs_free", functions.free) ||
	    !find(library, "cs_disasm_iter", functions.disasm_iter))
		return Error{fmt::format("cannot disassemble: {} (install Debian's package libcapstone{})",
					 dlerror(), CS_API_MAJOR)};
	return functions;
}

#endif

} // namespace

Result<const Capstone *> capstone()
{
	static const Result<Capstone> loaded = load();

	if (!loaded)
		return loaded.error();
	return &*loaded;
}

} // namespace cli
