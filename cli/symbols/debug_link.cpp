// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/debug_link.h"

#include "cli/base/characters.h"
#include "cli/base/numbers.h"

#include <elfutils/libdwelf.h>
#include <fmt/format.h>
#include <memory>

namespace cli {
namespace {

struct ElfCloser {
	void operator()(Elf *elf) const { elf_end(elf); }
};

/** The file name in .gnu_debuglink, without directory; empty if there is none. */
std::string debug_link(const Object &object)
{
	const std::unique_ptr<Elf, ElfCloser> elf(elf_begin(object.file.get(), ELF_C_READ, nullptr));
	GElf_Word crc = 0;
	const char *link = elf ? dwelf_elf_gnu_debuglink(elf.get(), &crc) : nullptr;

	return link ? std::string(base_name(link)) : "";
}

} // namespace

bool has_debug_link(const Object &object)
{
	return object.file && !debug_link(object).empty();
}

std::string foreign_debug_file(const Object &object)
{
	const std::string link = object.file && !object.build_id.empty() ? debug_link(object) : "";
	const std::string directory = object.name.substr(0, object.name.rfind('/') + 1);

	if (link.empty())
		return "";
	for (const std::string &path :
	     {fmt::format("{}{}", directory, link), fmt::format("{}.debug/{}", directory, link),
	      fmt::format("/usr/lib/debug{}{}", directory, link)}) {
		const std::string build_id = build_id_of(path);

		if (!build_id.empty() && build_id != object.build_id)
			return fmt::format("{} is from another build: its build-id is {}, not {}", path,
					   short_build_id(hex(build_id)),
					   short_build_id(hex(object.build_id)));
	}
	return "";
}

} // namespace cli
