// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/cpu/text.h"

#include "libprofil/fd.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace libprofil {
namespace {

/* Small, because signal handlers have small stacks. */
constexpr size_t most_headers = 32;
constexpr size_t most_notes = 1024;

bool read_at(const Fd &file, void *to, size_t bytes, uint64_t offset)
{
	return syscall(SYS_pread64, file.get(), to, bytes, offset) == static_cast<long>(bytes);
}

/* A note is its header, its name and its contents, the latter two padded to a multiple of 4 bytes. */
void find_build_id(Elf &elf, const Fd &file, const ElfW(Phdr) & header)
{
	alignas(ElfW(Nhdr)) char notes[most_notes];
	const size_t bytes = std::min<size_t>(header.p_filesz, sizeof notes);

	if (elf.id_bytes || !read_at(file, notes, bytes, header.p_offset))
		return;
	for (size_t at = 0; bytes - at >= sizeof(ElfW(Nhdr));) {
		ElfW(Nhdr) note;

		memcpy(&note, notes + at, sizeof note);

		const size_t left = bytes - at - sizeof note;
		const size_t name = (size_t{note.n_namesz} + 3) / 4 * 4;
		const size_t contents = (size_t{note.n_descsz} + 3) / 4 * 4;

		if (name > left || note.n_descsz > left - name)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
		    !memcmp(notes + at + sizeof note, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) &&
		    note.n_descsz <= sizeof elf.id) {
			memcpy(elf.id, notes + at + sizeof note + name, note.n_descsz);
			elf.id_bytes = note.n_descsz;
			return;
		}
		if (contents > left - name)
			return;
		at += sizeof note + name + contents;
	}
}

void read_elf(Elf &elf, const Fd &file)
{
	ElfW(Phdr) headers[most_headers];
	ElfW(Ehdr) head;

	if (!read_at(file, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_phentsize != sizeof *headers || head.e_phnum > most_headers ||
	    !read_at(file, headers, head.e_phnum * sizeof *headers, head.e_phoff))
		return;
	for (size_t i = 0; i < head.e_phnum; i++) {
		const auto &header = headers[i];

		if (header.p_type == PT_NOTE)
			find_build_id(elf, file, header);
		if (header.p_type == PT_LOAD && header.p_flags & PF_X && elf.nr_segments < Elf::most_segments)
			elf.segment[elf.nr_segments++] = {header.p_offset, header.p_filesz, header.p_vaddr};
	}
}

bool on_overlay(const Fd &file)
{
	struct statfs about;

	return !fstatfs(file.get(), &about) && about.f_type == OVERLAYFS_SUPER_MAGIC;
}

/*
 * The file at the path may be another one by now: then its build-id would name the wrong program.
 * The device does not tell: on overlayfs and btrfs, stat(2) has one of its own.  On overlayfs, the
 * inode does not tell either.
 */
bool is_same(const CodeText &text, const Fd &file)
{
	struct stat now;

	return !fstat(file.get(), &now) && S_ISREG(now.st_mode) &&
	       static_cast<uint64_t>(now.st_size) == text.bytes &&
	       (now.st_ino == text.inode || on_overlay(file)) &&
	       static_cast<uint64_t>(now.st_mtim.tv_sec) * 1'000'000'000 +
			       static_cast<uint64_t>(now.st_mtim.tv_nsec) ==
		       text.modified;
}

void read_file(CodeText &text, const char *path)
{
	const Fd file(static_cast<int>(
		syscall(SYS_openat, AT_FDCWD, path,
			O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW | O_LARGEFILE, 0)));

	if (file && is_same(text, file))
		read_elf(text.elf, file);
}

bool is_like(const CodeText &one, const CodeText &other)
{
	return one.kind == other.kind && one.inode == other.inode && one.modified == other.modified &&
	       one.base == other.base && one.device_major == other.device_major &&
	       one.device_minor == other.device_minor;
}

} // namespace

bool CodeTexts::find(const profil_describe &about, std::string_view path, uint32_t &number)
{
	constexpr std::string_view deleted = " (deleted)";
	CodeText text = {};

	if (about.kind == PROFIL_KIND_FILE && path.ends_with(deleted))
		path.remove_suffix(deleted.size());
	text.kind = about.kind;
	text.device_major = about.device_major;
	text.device_minor = about.device_minor;
	text.inode = about.inode;
	text.modified = about.modified;
	text.bytes = about.bytes;
	text.base = about.base;
	text.path = paths_.size();
	text.path_bytes = path.size();
	for (number = 0; number < all_.size(); number++) {
		if (is_like(all_[number], text) &&
		    std::string_view(paths_.begin() + all_[number].path, all_[number].path_bytes) == path)
			return true;
	}
	if (!paths_.reserve(path.size() + 1) || !all_.reserve(1))
		return false;
	paths_.append(path.data(), path.size());
	paths_.append('\0');
	if (text.kind == PROFIL_KIND_FILE)
		read_file(text, paths_.begin() + text.path);
	all_.append(text);
	return true;
}

std::string_view CodeTexts::name(const CodeText &text) const
{
	switch (text.kind) {
	case PROFIL_KIND_FILE: return {paths_.begin() + text.path, text.path_bytes};
	case PROFIL_KIND_VDSO: return "[vdso]";
	case PROFIL_KIND_MEMORY: return "[anon]";
	case PROFIL_KIND_KERNEL: return "[kernel]";
	default: return "[unknown]";
	}
}

void CodeTexts::clear()
{
	all_.clear();
	paths_.clear();
}

const CodeSegment *segment_of(const CodeText &text, uint64_t offset)
{
	for (unsigned i = 0; i < text.elf.nr_segments; i++) {
		if (offset - text.elf.segment[i].offset < text.elf.segment[i].bytes)
			return &text.elf.segment[i];
	}
	return nullptr;
}

} // namespace libprofil
