// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/objects/module_file.h"

#include <cerrno>
#include <fmt/format.h>
#include <gelf.h>
#include <memory>
#include <string_view>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

namespace cli {
namespace {

struct ElfCloser {
	void operator()(Elf *elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfCloser>;

/* The address of the other sections: beyond the code of any module. */
constexpr uint64_t rest = module_shift + 0x40000000;

Result<Fd> copy_of(const Fd &file, const std::string &name)
{
	Fd copy(memfd_create("profil-module", MFD_CLOEXEC));
	struct stat about;
	off_t from = 0;

	if (!copy || fstat(file.get(), &about))
		return system_error(name);
	while (from < about.st_size) {
		const ssize_t sent =
			sendfile(copy.get(), file.get(), &from, static_cast<size_t>(about.st_size - from));

		if (sent < 0 && errno != EINTR)
			return system_error(name);
		if (!sent)
			return system_error(name, EIO); /* it was truncated */
	}
	return copy;
}

/** Puts sections one after the other. */
class Place {
public:
	explicit Place(uint64_t begin) : next_(begin) {}

	uint64_t take(const GElf_Shdr &header)
	{
		const uint64_t align = header.sh_addralign ? header.sh_addralign : 1;
		const uint64_t at = (next_ + align - 1) / align * align;

		next_ = at + header.sh_size;
		return at;
	}

private:
	uint64_t next_;
};

bool set_addresses(Elf *elf)
{
	GElf_Ehdr file_header;
	Place code(module_shift);
	Place other(rest);
	size_t names = 0;

	if (!gelf_getehdr(elf, &file_header) || file_header.e_type != ET_REL ||
	    elf_getshdrstrndx(elf, &names))
		return false;
	/* Change only addresses: no section moves in the file. */
	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	for (Elf_Scn *scn = nullptr; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header))
			return false;
		if (!(header.sh_flags & SHF_ALLOC))
			continue;

		const char *const name = elf_strptr(elf, names, header.sh_name);
		const bool kept = header.sh_flags & SHF_EXECINSTR && name &&
				  !std::string_view(name).starts_with(".init");

		header.sh_addr = (kept ? code : other).take(header);
		if (!gelf_update_shdr(scn, &header))
			return false;
	}
	return elf_update(elf, ELF_C_WRITE) >= 0;
}

} // namespace

Result<Fd> lay_out_module(const Fd &file, const std::string &name)
{
	Result<Fd> copy = copy_of(file, name);

	if (!copy)
		return copy;
	elf_version(EV_CURRENT);

	const ElfHandle elf(elf_begin(copy->get(), ELF_C_RDWR, nullptr));

	if (!elf || !set_addresses(elf.get()))
		return Error{fmt::format("{}: not the file of a kernel module", name)};
	return copy;
}

} // namespace cli
