// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/code_sections.h"

#include <algorithm>
#include <gelf.h>

namespace cli {

CodeSections::CodeSections(Elf *elf)
{
	GElf_Shdr header;

	for (Elf_Scn *scn = elf_nextscn(elf, nullptr); scn; scn = elf_nextscn(elf, scn)) {
		if (gelf_getshdr(scn, &header) && header.sh_flags & SHF_EXECINSTR &&
		    header.sh_addr + header.sh_size > header.sh_addr)
			sections_.emplace_back(header.sh_addr, header.sh_addr + header.sh_size);
	}
}

uint64_t CodeSections::bytes_in(uint64_t low, uint64_t high) const
{
	uint64_t bytes = 0;

	for (const auto &[from, to] : sections_)
		bytes += std::max(std::min(to, high), std::max(from, low)) - std::max(from, low);
	return bytes;
}

uint64_t CodeSections::next(uint64_t address) const
{
	uint64_t next = UINT64_MAX;

	for (const auto &[from, to] : sections_)
		next = std::min({next, from > address ? from : next, to > address ? to : next});
	return next;
}

} // namespace cli
