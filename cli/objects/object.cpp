// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/objects/object.h"

#include "cli/base/files.h"
#include "cli/process/process.h"
#include "cli/process/root.h"

#include <algorithm>
#include <array>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

namespace cli {
namespace {

constexpr uint64_t page = 4096;

struct ElfCloser {
	void operator()(Elf *elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfCloser>;

/** Open what was found; return an empty Fd if it is not a regular file. */
Fd only_regular(Fd found)
{
	Fd file = open_regular(std::move(found));
	struct stat about;

	if (!file || fstat(file.get(), &about) || !S_ISREG(about.st_mode))
		return Fd();
	return file;
}

/* Inodes are compared only where the devices are comparable: not on overlay or btrfs. */
bool is_replaced(const Fd &file, const Mapping &mapping)
{
	struct stat about;

	return fstat(file.get(), &about) || (about.st_dev == mapping.device && about.st_ino != mapping.inode);
}

/** Open what a process has mapped, or executes, even if it was deleted, or return an empty Fd. */
Fd open_deleted_file(pid_t pid, const Mapping &mapping)
{
	const auto open = [&](const std::string &link) {
		const std::string path = fmt::format("/proc/{}/{}", pid, link);

		return only_regular(Fd(::open(path.c_str(), O_PATH | O_CLOEXEC)));
	};
	/* This needs CAP_CHECKPOINT_RESTORE. */
	Fd file = open(fmt::format("map_files/{:x}-{:x}", mapping.start, mapping.end));
	struct stat about;

	if (file)
		return file;
	file = open("exe");
	const bool same = file && !fstat(file.get(), &about) && about.st_ino == mapping.inode;

	return same ? std::move(file) : Fd();
}

/**
 * Open a mapped file, or return an empty Fd: names from a file that has replaced it would be wrong.
 * If it was deleted, only the user's own processes lead to it: the links in /proc of another user's
 * process may lead to a FUSE server of theirs.
 */
Fd open_mapped_file(pid_t pid, const Mapping &mapping)
{
	Fd file = mapping.deleted ? Fd() : only_regular(find_in_root(pid, mapping.name));

	if (file && !is_replaced(file, mapping))
		return file;
	return is_own(pid) ? open_deleted_file(pid, mapping) : Fd();
}

/* Reading another process's memory needs ptrace permission; without it, use our own vdso if it has the same
 * size. */
bool read_vdso(pid_t pid, const Mapping &mapping, std::string &content)
{
	const iovec here = {content.data(), content.size()};
	const iovec there = {reinterpret_cast<void *>(mapping.start), content.size()};
	const auto *own = reinterpret_cast<const char *>(getauxval(AT_SYSINFO_EHDR));

	if (process_vm_readv(pid, &here, 1, &there, 1, 0) == static_cast<ssize_t>(content.size()))
		return true;
	const Result<std::vector<Mapping>> ours = read_maps(getpid());
	const bool alike =
		ours && std::any_of(ours->begin(), ours->end(), [&](const Mapping &candidate) {
			return candidate.source == Source::Vdso && candidate.size() == mapping.size();
		});
	if (!own || !alike)
		return false;
	content.assign(own, content.size());
	return true;
}

Fd open_vdso(pid_t pid, const Mapping &mapping)
{
	std::string content(mapping.size(), '\0');
	Fd file(memfd_create("vdso", MFD_CLOEXEC));

	if (!file || !read_vdso(pid, mapping, content))
		return Fd();
	if (write(file.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size()))
		return Fd();
	return file;
}

/* All anonymous memory of a process is one object, even if the process has named parts of it. */
std::string memory_name(pid_t pid, const Mapping &mapping)
{
	return mapping.source == Source::Anonymous ? fmt::format("[anon:{}]", pid) : mapping.name;
}

} // namespace

uint64_t Object::link_address(uint64_t offset) const
{
	for (const Segment &segment : segments) {
		/* Whole pages are mapped, so text may begin before its segment. */
		const uint64_t first = segment.offset & ~(page - 1);
		const uint64_t end = (segment.offset + segment.size + page - 1) & ~(page - 1);

		if (offset >= first && offset < end)
			return segment.address + (offset - segment.offset);
	}
	return offset;
}

void inspect_elf(Object &object)
{
	elf_version(EV_CURRENT);

	const ElfHandle elf(elf_begin(object.file.get(), ELF_C_READ, nullptr));
	size_t headers = 0;
	const void *build_id = nullptr;

	if (!elf || elf_kind(elf.get()) != ELF_K_ELF || elf_getphdrnum(elf.get(), &headers))
		return;
	for (size_t i = 0; i < headers; i++) {
		GElf_Phdr header;

		/* Take only executable segments: pages at segments' edges are mapped twice. */
		if (gelf_getphdr(elf.get(), static_cast<int>(i), &header) && header.p_type == PT_LOAD &&
		    (header.p_flags & PF_X))
			object.segments.push_back({header.p_offset, header.p_filesz, header.p_vaddr});
	}

	const ssize_t length = dwelf_elf_gnu_build_id(elf.get(), &build_id);

	if (length > 0)
		object.build_id.assign(static_cast<const char *>(build_id), static_cast<size_t>(length));
}

void add_segments_as_text(Object &object)
{
	const auto page_of = [](uint64_t address) { return address & ~(page - 1); };

	for (const Segment &segment : object.segments) {
		const uint64_t low = page_of(segment.address);
		const uint64_t high = page_of(segment.address + segment.size + page - 1);

		object.texts.add({low, high, page_of(segment.offset)}, true);
	}
}

std::string build_id_of(const std::string &path)
{
	Object file;

	file.file = only_regular(Fd(open(path.c_str(), O_PATH | O_CLOEXEC)));
	if (!file.file)
		return "";
	inspect_elf(file);
	return file.build_id;
}

ObjectTable::Key ObjectTable::key_of(pid_t pid, const Mapping &mapping)
{
	if (mapping.source == Source::File)
		return {mapping.source, mapping.device, mapping.inode, 0, {}};
	/* A 32-bit process has a different vdso: of another size, or below 4 GiB. */
	if (mapping.source == Source::Vdso)
		return {mapping.source, mapping.size(), mapping.start >> 32 ? 64U : 32U, 0, mapping.name};
	return {mapping.source, 0, 0, mapping.source == Source::Anonymous ? pid : 0,
		memory_name(pid, mapping)};
}

std::shared_ptr<Object> ObjectTable::find(pid_t pid, const Mapping &mapping)
{
	const bool is_dump = mapping.source == Source::File && is_jitdump(mapping.name);

	/* Threads share their process's memory. */
	if (mapping.source == Source::Anonymous || is_dump)
		pid = process_of(pid);

	std::shared_ptr<Object> &object = objects_[key_of(pid, mapping)];

	if (!object)
		object = make(pid, mapping);
	/* The compiler may create its file at any time. */
	if (object->jit)
		object->jit->look();
	/* A compiler maps its jitdump so that profilers can find it; its children inherit the mapping. */
	if (is_dump && object->file)
		jit_of(pid)->add_dump(object->file);
	return object;
}

std::shared_ptr<Object> ObjectTable::make(pid_t pid, const Mapping &mapping)
{
	auto object = std::make_shared<Object>();

	object->name = memory_name(pid, mapping);
	object->source = mapping.source;
	object->deleted = mapping.deleted;
	if (mapping.source == Source::File) {
		object->file = open_mapped_file(pid, mapping);
	} else if (mapping.source == Source::Vdso) {
		object->file = open_vdso(pid, mapping);
	} else if (mapping.source == Source::Anonymous) {
		object->pid = pid;
		object->jit = jit_of(pid);
	}
	if (object->file)
		inspect_elf(*object);
	return object;
}

void ObjectTable::forget_memory(pid_t pid)
{
	/*
	 * Look a last time: others may still refer to the files, and the process may just have
	 * written its map.
	 */
	if (const auto place = jits_.find(pid); place != jits_.end())
		place->second->look();
	std::erase_if(objects_, [&](const auto &entry) { return entry.first.pid == pid; });
	jits_.erase(pid);
}

void ObjectTable::forget_unused()
{
	std::erase_if(objects_, [](const auto &entry) { return entry.second.use_count() == 1; });
	/* Keep a jitdump until its process ends: it may name memory that is mapped later. */
	std::erase_if(jits_, [](const auto &entry) {
		return entry.second.use_count() == 1 && !entry.second->has_dumps();
	});
}

/** The JIT files of the parent of @p pid, if neither has called exec since the fork; else nullptr. */
std::shared_ptr<JitFiles> ObjectTable::jit_of_parent(pid_t pid, unsigned generations)
{
	const std::optional<ProgramStart> start = program_start(pid);
	const pid_t parent = start && generations ? parent_of(pid) : 0;

	return parent && program_start(parent) == start ? jit_of(parent, generations - 1) : nullptr;
}

std::shared_ptr<JitFiles> ObjectTable::jit_of(pid_t pid, unsigned generations)
{
	std::shared_ptr<JitFiles> &jit = jits_[pid];

	if (!jit)
		jit = std::make_shared<JitFiles>(pid, jit_of_parent(pid, generations));
	return jit;
}

std::string_view short_build_id(std::string_view digits)
{
	return digits.substr(0, 8);
}

} // namespace cli
