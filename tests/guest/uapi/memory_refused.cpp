// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/memory_refused.cpp  Memory in which the module refuses to count. */
#include "tests/guest/uapi/memory_kinds.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

#include <cerrno>
#include <linux/userfaultfd.h>
#include <sstream>
#include <sys/ioctl.h>
#include <sys/syscall.h>

using namespace guest;

namespace {

/** Each way to give the module an address for counting. */
const struct {
	const char *name;
	profil_start (*describe)(const volatile void *at);
} ways[] = {
	{"a region", [](const volatile void *at) { return describe(region_on(at)); }},
	{"the overflow counter",
	 [](const volatile void *at) {
		 auto how = describe(std::span<const profil_region>());
		 how.regions = how.region_size = 0;
		 how.overflow = reinterpret_cast<uintptr_t>(at);
		 how.overflow_width = 8;
		 return how;
	 }},
	{"the samples", [](const volatile void *at) { return describe_samples(const_cast<void *>(at), 1); }},
};

void check_refused(const volatile void *at)
{
	const Device device;

	for (const auto &way : ways) {
		auto how = way.describe(at);
		CAPTURE(way.name);
		/* The memory is checked at a tick, but a kernel address is refused at once. */
		if (reinterpret_cast<intptr_t>(at) > 0)
			check_off(how);
		else
			CHECK(device.call(PROFIL_START, &how) == EFAULT);
	}
	const Fd proof = proof_of(getpid());
	auto record = describe_recording(reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(at) & -page),
					 page, PROFIL_FOLLOW, period_10khz);
	record.proof = proof.get();
	CHECK(device.call(PROFIL_RECORD, &record) == EFAULT);
	CHECK(locked_bytes() == 0);
}

void check_refused(const Memory &memory, size_t offset = 0)
{
	check_refused(memory.at(offset));
}

/**
 * userfaultfd(2) on a range, in one of its modes; converts to false if the kernel lacks the mode.
 */
class Faults {
public:
	Faults(const void *at, size_t bytes, uint64_t mode)
		: fd_(need(static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC)), "userfaultfd"))
	{
		uffdio_api api = {};
		uffdio_register range = {};

		api.api = UFFD_API;
		need(ioctl(fd_.get(), UFFDIO_API, &api), "UFFDIO_API");
		range.range.start = reinterpret_cast<uintptr_t>(at);
		range.range.len = bytes;
		range.mode = mode;
		registered_ = ioctl(fd_.get(), UFFDIO_REGISTER, &range) == 0;
	}

	explicit operator bool() const { return registered_; }
	void bring_zeroes(void *at) const
	{
		uffdio_zeropage where = {};

		where.range.start = reinterpret_cast<uintptr_t>(at);
		where.range.len = page;
		need(ioctl(fd_.get(), UFFDIO_ZEROPAGE, &where), "UFFDIO_ZEROPAGE");
	}
	void protect(void *at, bool writes) const
	{
		uffdio_writeprotect how = {};

		how.range.start = reinterpret_cast<uintptr_t>(at);
		how.range.len = page;
		how.mode = writes ? UFFDIO_WRITEPROTECT_MODE_WP : 0;
		need(ioctl(fd_.get(), UFFDIO_WRITEPROTECT, &how), "UFFDIO_WRITEPROTECT");
	}

private:
	Fd fd_;
	bool registered_;
};

/** A mapping of this process by its name in /proc/self/maps; NULL if there is none. */
void *mapping_named(const std::string &name)
{
	std::istringstream maps(read_file("/proc/self/maps"));

	for (std::string line; std::getline(maps, line);)
		if (line.ends_with(name))
			return reinterpret_cast<void *>(std::stoull(line, nullptr, 16));
	return nullptr;
}

} // namespace

TEST_CASE_METHOD(AtRest,
		 "memory that cannot hold counters turns a self profile off, and is refused as a table",
		 "[uapi][buffer]")
{
	SECTION("not writable")
	{
		check_refused(Memory(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
		check_refused(Memory(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1));
		check_refused(Memory(nullptr, page, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1));
	}
	SECTION("a file opened for reading")
	{
		const Fd file = memfd();
		need(ftruncate(file.get(), page), "ftruncate");
		const Fd reader(need(
			open(("/proc/self/fd/" + std::to_string(file.get())).c_str(), O_RDONLY | O_CLOEXEC),
			"the memfd, read-only"));
		check_refused(Memory(nullptr, page, PROT_READ, MAP_SHARED, reader.get()));
	}
	SECTION("past the end of the file")
	{
		const Fd file = memfd();
		need(ftruncate(file.get(), page), "ftruncate");
		const Memory beyond(2 * page, MAP_SHARED, file.get());
		check_refused(beyond, page);
		const Memory own(2 * page, MAP_PRIVATE, file.get());
		check_refused(own, page);
		check_counts_in(beyond);
	}
	SECTION("the kernel's memory")
	{
		for (const char *name : {"[vdso]", "[vvar]"})
			if (const void *at = mapping_named(name))
				check_refused(at);
		check_refused(reinterpret_cast<void *>(0xffffffffff600000)); /* [vsyscall] */
		io_uring ring;
		need_that(!io_uring_queue_init(2, &ring, 0), "io_uring_queue_init");
		check_refused(ring.sq.sqes);
		check_refused(
			reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(ring.sq.ring_ptr) & -page));
		io_uring_queue_exit(&ring);
	}
	SECTION("a file on a network file system")
	{
		const std::string path = "/run/profil/counters";
		const Fd file(need(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), path.c_str()));
		need(ftruncate(file.get(), page), "ftruncate");
		void *at = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
		if (at != MAP_FAILED) { /* without a cache, the file cannot be mapped */
			check_refused(at);
			munmap(at, page);
		}
		unlink(path.c_str());
	}
}

TEST_CASE_METHOD(AtRest, "counters under a userfaultfd turn a profile off only where a fault would go to it",
		 "[uapi][buffer]")
{
	SECTION("a shared page that is missing")
	{
		const Memory memory(page, MAP_SHARED);
		const Faults faults(memory.at(), page, UFFDIO_REGISTER_MODE_MISSING);
		REQUIRE(faults);
		check_refused(memory);
	}
	SECTION("a shared page that is there, but not mapped")
	{
		const Fd file = memfd();
		need(ftruncate(file.get(), page), "ftruncate");
		const Memory other(page, MAP_SHARED, file.get()), memory(page, MAP_SHARED, file.get());
		*other.at<volatile uint64_t>() = 1;
		const Faults faults(memory.at(), page, UFFDIO_REGISTER_MODE_MINOR);
		if (!faults)
			support::skip("this kernel does not report minor faults");
		check_refused(memory);
		check_counts_in(other);
	}
	SECTION("zeroes that it has provided")
	{
		const Memory memory(page);
		const Faults faults(memory.at(), page, UFFDIO_REGISTER_MODE_MISSING);
		REQUIRE(faults);
		check_refused(memory);
		faults.bring_zeroes(memory.at());
		check_counts_in(memory);
		need(madvise(memory.at(), page, MADV_DONTNEED), "MADV_DONTNEED");
		check_refused(memory);
	}
	SECTION("a shared page that is already populated")
	{
		const Fd file = memfd();
		need(ftruncate(file.get(), page), "ftruncate");
		const Memory other(page, MAP_SHARED, file.get()), memory(page, MAP_SHARED, file.get());
		*other.at<volatile uint64_t>() = 1;
		const Faults faults(memory.at(), page, UFFDIO_REGISTER_MODE_MISSING);
		REQUIRE(faults);
		check_counts_in(memory);
		CHECK(counter<uint64_t>(other) > 1);
	}
	SECTION("a write-protected page")
	{
		const Memory memory(page);
		auto *counter = memory.at<volatile uint64_t>();
		*counter = 1;
		const Faults faults(memory.at(), page, UFFDIO_REGISTER_MODE_WP);
		if (!faults)
			support::skip("this kernel does not report writes");
		check_counts_in(memory);
		faults.protect(memory.at(), true);
		const auto left = *counter;
		check_refused(memory);
		faults.protect(memory.at(), false);

		const Device device;
		const Burner burner;
		device.start(describe(region_on(counter)));
		check_counts_on(device, burner, counter);
		/* Protect the page of a running profile: for a moment first, then for good. */
		faults.protect(memory.at(), true);
		faults.protect(memory.at(), false);
		CHECK(device.status().state == PROFIL_STATE_RUNNING);
		check_counts_on(device, burner, counter);
		faults.protect(memory.at(), true);
		CHECK(device.status().pinned == 0);
		const auto last = *counter;
		CHECK(last > left);
		status_at_hole(device, burner);
		CHECK(*counter == last);
		device.stop();
	}
}
