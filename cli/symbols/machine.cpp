// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/disassembly.h"

#include <gelf.h>

namespace cli {
namespace {

struct ElfCloser {
	void operator()(Elf *elf) const { elf_end(elf); }
};

} // namespace

std::optional<Machine> machine_of(int fd)
{
	elf_version(EV_CURRENT);

	const std::unique_ptr<Elf, ElfCloser> elf(elf_begin(fd, ELF_C_READ, nullptr));
	GElf_Ehdr header;

	if (!elf || elf_kind(elf.get()) != ELF_K_ELF || !gelf_getehdr(elf.get(), &header))
		return std::nullopt;
	if (header.e_ident[EI_DATA] != ELFDATA2LSB)
		return std::nullopt;
	switch (header.e_machine) {
	case EM_X86_64: return Machine::X86_64;
	case EM_386: return Machine::I386;
	case EM_AARCH64: return Machine::Aarch64;
	default: return std::nullopt;
	}
}

} // namespace cli
