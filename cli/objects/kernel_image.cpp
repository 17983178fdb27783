// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/objects/kernel_image.h"

#include "cli/base/letter_case.h"
#include "cli/base/numbers.h"
#include "cli/objects/kernel_objects.h"
#include "cli/objects/kernel_symbols.h"
#include "cli/objects/object.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <memory>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <vector>

namespace cli {
namespace {

#ifdef __aarch64__
constexpr uint16_t machine = EM_AARCH64;
#else
constexpr uint16_t machine = EM_X86_64;
#endif
/* Mappings of processes, whose names look like those of modules. */
constexpr std::array<std::string_view, 4> no_kernel = {"[vdso]", "[vsyscall]", "[uprobes]", "[unknown]"};

struct ElfCloser {
	void operator()(Elf *elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfCloser>;

/** Code of the running kernel, and where it was linked. */
struct Running {
	uint64_t low = 0; /**< run-time address */
	uint64_t high = 0;
	uint64_t shift = 0; /**< run-time minus link-time address */
	std::string module; /**< empty: the kernel itself */
};

Result<std::string> read_code(const Running &code)
{
	const Fd core(open("/proc/kcore", O_RDONLY | O_CLOEXEC));

	if (!core)
		return system_error("/proc/kcore");

	const ElfHandle elf(elf_begin(core.get(), ELF_C_READ, nullptr));
	size_t headers = 0;
	std::string bytes(code.high - code.low, '\0');

	if (elf_getphdrnum(elf.get(), &headers))
		return Error{"/proc/kcore: not an ELF file"};
	for (size_t i = 0; i < headers; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf.get(), static_cast<int>(i), &header) || header.p_type != PT_LOAD ||
		    code.low < header.p_vaddr || code.high > header.p_vaddr + header.p_memsz)
			continue;
		for (size_t done = 0; done < bytes.size();) {
			const ssize_t got = pread(
				core.get(), &bytes[done], bytes.size() - done,
				static_cast<off_t>(header.p_offset + (code.low - header.p_vaddr) + done));

			if (got <= 0)
				return system_error("/proc/kcore");
			done += static_cast<size_t>(got);
		}
		return bytes;
	}
	return Error{fmt::format("/proc/kcore has no segment at {:#x}", code.low)};
}

/**
 * Writes an ELF file of code and its symbols.
 *
 * It has no build-id.  If it had one, libdwfl would look for the debug information, and place it by
 * that file's first segment, which is larger than this file's.
 */
class Image {
public:
	Image(const KernelSymbols &symbols, const Running &code, std::string bytes)
		: code_(code), bytes_(std::move(bytes)), strings_(1, '\0'), symbols_(1)
	{
		for (const KernelFunction &function : symbols.functions(code.low, code.high))
			add(function);
	}

	Result<Fd> write()
	{
		Fd file(memfd_create("profil-kernel", MFD_CLOEXEC));

		elf_version(EV_CURRENT);

		const ElfHandle elf(file ? elf_begin(file.get(), ELF_C_WRITE, nullptr) : nullptr);

		if (!elf || !gelf_newehdr(elf.get(), ELFCLASS64) || !gelf_newphdr(elf.get(), 1))
			return Error{
				fmt::format("an ELF file of the kernel cannot be made: {}", elf_errmsg(-1))};
		fill(elf.get());
		if (elf_update(elf.get(), ELF_C_WRITE) < 0)
			return Error{
				fmt::format("an ELF file of the kernel cannot be made: {}", elf_errmsg(-1))};
		return file;
	}

private:
	void add(const KernelFunction &function)
	{
		Elf64_Sym symbol = {};

		if (function.module != code_.module)
			return;
		symbol.st_name = static_cast<Elf64_Word>(strings_.size());
		symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
		symbol.st_shndx = 1;
		symbol.st_value = function.start - code_.shift;
		symbol.st_size = std::min(function.end, code_.high) - function.start;
		symbols_.push_back(symbol);
		strings_ += function.name;
		strings_ += '\0';
	}

	struct Section {
		std::string_view name;
		uint32_t type = 0;
		uint64_t flags = 0;
		uint64_t address = 0;
		uint32_t link = 0;
		uint32_t info = 0;
		uint64_t entry = 0;
	};

	GElf_Shdr add_section(Elf *elf, const Section &section, std::string &content, Elf_Type type)
	{
		Elf_Scn *const scn = elf_newscn(elf);
		Elf_Data *const data = elf_newdata(scn);
		GElf_Shdr header = {};

		data->d_buf = content.data();
		data->d_size = content.size();
		data->d_type = type;
		data->d_align = 8;
		data->d_version = EV_CURRENT;
		header.sh_name = static_cast<Elf64_Word>(names_.size());
		header.sh_type = section.type;
		header.sh_flags = section.flags;
		header.sh_addr = section.address;
		header.sh_link = section.link;
		header.sh_info = section.info;
		header.sh_entsize = section.entry;
		names_ += section.name;
		names_ += '\0';
		gelf_update_shdr(scn, &header);
		return header;
	}

	static void set_program(Elf *elf, int index, size_t section, uint32_t type, uint32_t flags)
	{
		GElf_Shdr from;
		GElf_Phdr to = {};

		if (!gelf_getshdr(elf_getscn(elf, section), &from))
			return;
		to.p_type = type;
		to.p_flags = flags;
		to.p_offset = from.sh_offset;
		to.p_vaddr = to.p_paddr = from.sh_addr;
		to.p_filesz = to.p_memsz = from.sh_size;
		to.p_align = 8;
		gelf_update_phdr(elf, index, &to);
	}

	void fill(Elf *elf)
	{
		GElf_Ehdr header;

		table_.assign(reinterpret_cast<const char *>(symbols_.data()),
			      symbols_.size() * sizeof(symbols_[0]));
		gelf_getehdr(elf, &header);
		header.e_type = ET_EXEC;
		header.e_machine = machine;
		header.e_version = EV_CURRENT;
		header.e_shstrndx = 4;
		header.e_ident[EI_DATA] =
			__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
		gelf_update_ehdr(elf, &header);

		const uint64_t low = code_.low - code_.shift;

		add_section(elf, {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, low, 0, 0, 0}, bytes_,
			    ELF_T_BYTE);
		add_section(elf, {".symtab", SHT_SYMTAB, 0, 0, 3, 1, sizeof(Elf64_Sym)}, table_, ELF_T_SYM);
		add_section(elf, {".strtab", SHT_STRTAB, 0, 0, 0, 0, 0}, strings_, ELF_T_BYTE);
		/* The section names must be complete before the section with them is added. */
		names_ += ".shstrtab";
		names_ += '\0';

		std::string all = names_;

		names_.resize(names_.size() - sizeof(".shstrtab"));
		all_names_ = std::move(all);
		add_section(elf, {".shstrtab", SHT_STRTAB, 0, 0, 0, 0, 0}, all_names_, ELF_T_BYTE);
		/* This sets the offsets of the sections. */
		elf_update(elf, ELF_C_NULL);
		set_program(elf, 0, 1, PT_LOAD, PF_R | PF_X);
	}

	Running code_;
	std::string bytes_;
	std::string strings_;
	std::string names_ = std::string(1, '\0');
	std::string all_names_;
	std::string table_;
	std::vector<Elf64_Sym> symbols_;
};

/** True if a file has code, and not only debug information. */
bool has_code(const Fd &file)
{
	elf_version(EV_CURRENT);

	const ElfHandle elf(elf_begin(file.get(), ELF_C_READ, nullptr));
	size_t names = 0;

	if (!elf || elf_getshdrstrndx(elf.get(), &names))
		return false;
	for (Elf_Scn *scn = nullptr; (scn = elf_nextscn(elf.get(), scn));) {
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header))
			continue;

		const char *const name = elf_strptr(elf.get(), names, header.sh_name);

		if (name && name == std::string_view(".text"))
			return header.sh_type == SHT_PROGBITS;
	}
	return false;
}

Result<Fd> running_text(const ProfileMapping &mapping)
{
	const KernelSymbols symbols = KernelSymbols::read();
	Running code;

	if (!symbols.known())
		return Error{fmt::format("{}: kernel.kptr_restrict hides its addresses", mapping.filename)};
	if (mapping.filename == kernel_name) {
		code.low = symbols.text();
		code.high = symbols.text_end();
		code.shift = kernel_shift(symbols);
	} else {
		code.module = mapping.filename.substr(1, mapping.filename.size() - 2);

		const LoadedModule *const loaded = symbols.module(code.module);

		if (!loaded || !loaded->base)
			return Error{fmt::format("{}: the module is not loaded", mapping.filename)};

		const std::vector<KernelFunction> all =
			symbols.functions(loaded->base, loaded->base + loaded->size);

		code.low = code.shift = loaded->base;
		code.high = all.empty() ? code.low : all.back().start;
		/* The end of the last function is not known. */
		code.high = (code.high + 4096) & ~uint64_t{4095};
	}

	Result<std::string> bytes = read_code(code);

	if (!bytes)
		return bytes.error();
	return Image(symbols, code, *std::move(bytes)).write();
}

} // namespace

bool is_kernel_text(std::string_view filename)
{
	return filename.size() > 2 && filename.front() == '[' && filename.back() == ']' &&
	       filename.find(':') == filename.npos &&
	       std::find(no_kernel.begin(), no_kernel.end(), filename) == no_kernel.end();
}

std::string find_vmlinux(const std::string &build_id, const std::string &root)
{
	utsname kernel;

	if (build_id.size() < 3 || uname(&kernel))
		return "";

	const std::string release = kernel.release;

	for (const std::string &name :
	     {fmt::format("/usr/lib/debug/.build-id/{}/{}.debug", build_id.substr(0, 2), build_id.substr(2)),
	      "/usr/lib/debug/boot/vmlinux-" + release, "/usr/lib/debug/lib/modules/" + release + "/vmlinux",
	      "/lib/modules/" + release + "/build/vmlinux", "/boot/vmlinux-" + release}) {
		if (std::string path = root + name; hex(build_id_of(path)) == build_id)
			return path;
	}
	return "";
}

std::string find_debug_file_of(const std::string &build_id, const std::string &root)
{
	if (build_id.size() < 3)
		return "";

	std::string path = fmt::format("{}/usr/lib/debug/.build-id/{}/{}.debug", root, build_id.substr(0, 2),
				       build_id.substr(2));

	return hex(build_id_of(path)) == build_id ? path : "";
}

Result<Fd> open_kernel_text(const ProfileMapping &mapping, const std::string &root)
{
	const bool kernel = mapping.filename == kernel_name;
	const std::string recorded = lower_case(mapping.build_id);
	const std::string path = kernel ? find_vmlinux(recorded, root) : "";

	if (!path.empty()) {
		Fd vmlinux(open(path.c_str(), O_RDONLY | O_CLOEXEC));

		if (vmlinux && has_code(vmlinux))
			return vmlinux;
	}

	const std::string now =
		hex(kernel ? kernel_build_id()
			   : module_build_id(mapping.filename.substr(1, mapping.filename.size() - 2)));

	if (recorded.empty() || now != recorded)
		return Error{fmt::format("{}: not the running build, and there is no vmlinux with its "
					 "build-id {} (install "
					 "the kernel's debug information)",
					 mapping.filename,
					 recorded.empty() ? "(not recorded)" : short_build_id(recorded))};

	Result<Fd> running = running_text(mapping);

	if (!running)
		return Error{fmt::format("{} (root may read the running code)", running.error().text)};
	return running;
}

} // namespace cli
