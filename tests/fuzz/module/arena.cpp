// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/module/arena.h"
#include "tests/fuzz/module/shared.h"
#include "tests/fuzz/module/slow_file.h"

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace fuzz {

namespace {

constexpr size_t page = 4096;
constexpr int both = PROT_READ | PROT_WRITE;
int shared_file = -1;
/**
 * A userfaultfd.  Nothing reads its events, so a fault waits until the descriptor is closed or a
 * signal comes.  Only the process that opened the descriptor may close it: other processes share
 * this memory, but not their descriptors.
 */
struct Faults {
	int fd = -1;
	pid_t process = 0;
};
std::atomic<Faults> faults;

void *address_of(unsigned slot)
{
	return reinterpret_cast<void *>(Arena::start + slot * Arena::slot_bytes);
}

void map(unsigned slot, int flags, int fd = -1, size_t offset = 0)
{
	mmap(address_of(slot), Arena::slot_bytes, both, MAP_FIXED | flags, fd, static_cast<off_t>(offset));
}

void map_anonymous(unsigned slot)
{
	map(slot, MAP_PRIVATE | MAP_ANONYMOUS);
}

void map_shared(unsigned slot)
{
	map(slot, MAP_SHARED, shared_file, slot * Arena::slot_bytes);
}

/** Map a part of the slow file, which has probably not been read yet. */
void map_slow(unsigned slot, Random &random)
{
	const size_t offset = random.below(SlowFile::bytes / Arena::slot_bytes) * Arena::slot_bytes;
	const int fd = open(shared->slow_file, O_RDONLY | O_CLOEXEC);

	/* The kernel has no FUSE, or the server is being restarted. */
	if (fd < 0)
		return map_anonymous(slot);
	map(slot, MAP_PRIVATE, fd, offset);
	close(fd);
}

/** Without privileges, a userfaultfd gets only faults in user mode; those in the kernel fail. */
int open_faults()
{
	const int fd = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC));

	return fd >= 0 ? fd : static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
}

/** Make a userfaultfd watch some memory, or close the current one. */
void watch_faults(void *at, size_t bytes, bool begin)
{
	const int fresh = begin ? open_faults() : -1;
	uffdio_api api = {};
	uffdio_register range = {};

	api.api = UFFD_API;
	range.range.start = reinterpret_cast<uintptr_t>(at);
	range.range.len = bytes;
	range.mode = UFFDIO_REGISTER_MODE_MISSING;
	if (fresh >= 0 && !ioctl(fresh, UFFDIO_API, &api))
		ioctl(fresh, UFFDIO_REGISTER, &range);
	const Faults before = faults.exchange({fresh, getpid()});
	if (before.fd >= 0 && before.process == getpid())
		close(before.fd);
}

} // namespace

void Arena::map_all(Random &random)
{
	if (shared_file < 0) {
		shared_file = memfd_create("fuzz", MFD_CLOEXEC);
		if (ftruncate(shared_file, slots * slot_bytes))
			complain("ftruncate");
	}
	for (unsigned slot = 0; slot < slots; slot++)
		if (slot % 4 == 3)
			map_shared(slot);
		else if (slot % 16 == 5)
			map_slow(slot, random);
		else
			map_anonymous(slot);
}

void Arena::disturb(Random &random)
{
	const auto slot = static_cast<unsigned>(random.below(slots));
	const auto other = static_cast<unsigned>(random.below(slots));
	char *const at = static_cast<char *>(address_of(slot));
	const size_t offset = random.below(slot_bytes / page) * page;
	const size_t bytes = random.one_in(2) ? slot_bytes : page;
	char *const where = bytes == page ? at + offset : at;
	static const int protections[] = {PROT_NONE, PROT_READ, both};
	static const int advice[] = {MADV_DONTNEED,   MADV_FREE,
				     MADV_HUGEPAGE,   MADV_NOHUGEPAGE,
				     MADV_MERGEABLE,  MADV_DONTFORK,
				     MADV_DOFORK,     MADV_WIPEONFORK,
				     MADV_KEEPONFORK, MADV_PAGEOUT,
				     MADV_COLD,	      MADV_POPULATE_WRITE,
				     MADV_REMOVE,     25 /* MADV_COLLAPSE, newer than this libc */};

	switch (random.below(10)) {
	case 0: munmap(where, bytes); break;
	case 1: mprotect(where, bytes, random.pick(protections)); break;
	case 2:
		if (slot != other)
			mremap(at, slot_bytes, slot_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, address_of(other));
		break;
	case 3:
	case 4: madvise(where, bytes, random.pick(advice)); break;
	case 5:
		if (random.one_in(2))
			mlock(where, bytes);
		else
			munlock(where, bytes);
		break;
	case 6: watch_faults(where, bytes, random.one_in(3)); break;
	case 7: map_slow(slot, random); break;
	case 8: map_shared(slot); break;
	default: map_anonymous(slot);
	}
}

/** Reads with a system call, which returns an error where a load would kill the process. */
void Arena::check_margins(Random &random)
{
	const auto slot = static_cast<unsigned>(random.below(slots));
	char found[margin];
	const iovec to = {found, margin}, from = {address_of(slot), margin};

	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(margin))
		return;
	if (std::any_of(found, found + margin, [](char byte) { return byte != 0; }))
		complain("slot %u: written where there is no counter", slot);
}

uint64_t Arena::place(Random &random, uint64_t align, uint64_t &bytes)
{
	const uint64_t slot = start + random.below(slots) * slot_bytes;
	const uint64_t offset = random.between(margin, slot_bytes - margin) / align * align;

	if (random.one_in(40)) {
		static const uint64_t nowhere[] = {0,
						   8,
						   1 << 16,
						   0x7ffffffff000,
						   0x800000000000,
						   0xffff888000000000,
						   0xffffffffffffff00,
						   start - 8};
		return random.pick(nowhere);
	}
	/* Never reaches into the margin of the next slot. */
	bytes = std::min(bytes, slot_bytes - offset) / align * align;
	return slot + offset + (random.one_in(60) && bytes ? 1 : 0);
}

} // namespace fuzz
