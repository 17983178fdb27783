// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/debug_file.h"

#include "cli/base/characters.h"
#include "cli/base/numbers.h"
#include "cli/symbols/debuginfod_notice.h"

#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <unistd.h>

namespace cli {
namespace {

const std::string debug_directory = "/usr/lib/debug";

bool exists(const std::string &path)
{
	return !access(path.c_str(), F_OK);
}

bool has_file_of_build_id(Dwfl_Module *module)
{
	const unsigned char *bits = nullptr;
	GElf_Addr address = 0;
	const int length = dwfl_module_build_id(module, &bits, &address);

	if (length < 2)
		return false;

	const std::string id = hex({reinterpret_cast<const char *>(bits), static_cast<size_t>(length)});

	return exists(
		fmt::format("{}/.build-id/{}/{}.debug", debug_directory, id.substr(0, 2), id.substr(2)));
}

/**
 * Looks where libdwfl does by default.  Below debug_directory, libdwfl also tries the file's directory
 * without its leading components.
 */
bool has_file_of_name(const std::string &file, const std::string &name)
{
	const size_t slash = file.rfind('/');
	const std::string directory = slash == std::string::npos ? "." : file.substr(0, slash);

	if (exists(directory + "/" + name) || exists(directory + "/.debug/" + name))
		return true;
	for (size_t part = 0; part != std::string::npos; part = directory.find('/', part + 1))
		if (exists(debug_directory + "/" + directory.substr(part) + "/" + name))
			return true;
	return exists(debug_directory + "/" + name);
}

} // namespace

bool has_debuginfod_servers()
{
	const char *urls = std::getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

int find_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file,
		    const char *debuglink, GElf_Word crc, char **found)
{
	std::optional<DebuginfodNotice> notice;

	if (has_debuginfod_servers())
		notice.emplace(std::string(base_name(name)));
	/* Without @file, libdwfl looks for the file that several debug files share (.gnu_debugaltlink). */
	if (notice || !file || has_file_of_build_id(module) ||
	    has_file_of_name(file, debuglink ? debuglink : std::string(base_name(file)) + ".debug"))
		return dwfl_standard_find_debuginfo(module, user, name, base, file, debuglink, crc, found);
	return -1;
}

} // namespace cli
