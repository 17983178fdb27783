// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/memory_moved.cpp  Counters in pages that the kernel swaps, merges or
 * splits, or that io_uring also pins.
 */
#include "tests/guest/support/race.h"
#include "tests/guest/support/swap.h"
#include "tests/guest/uapi/memory_kinds.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

#include <filesystem>
#include <sys/uio.h>
#include <sys/wait.h>

using namespace guest;

namespace {

bool swapped_out(const volatile void *at)
{
	const Fd map(need(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC), "pagemap"));
	uint64_t entry;

	need_that(pread(map.get(), &entry, 8,
			static_cast<off_t>(reinterpret_cast<uintptr_t>(at) / page * 8)) == 8,
		  "an entry of pagemap");
	return entry >> 62 & 1;
}

} // namespace

TEST_CASE_METHOD(AtRest, "swapped-out counters are swapped in and count", "[uapi][buffer]")
{
	const Swap swap("16M");
	const Memory memory(page);
	auto *counter = memory.at<volatile uint64_t>();

	if (!swap)
		support::skip("this kernel has no zram");
	*counter = 7;
	REQUIRE(soon([&] {
		madvise(memory.at(), page, MADV_PAGEOUT);
		return swapped_out(counter);
	}));
	check_counts_in(memory);
	CHECK(*counter > 7);

	/* A page that holds counters is not swapped out. */
	const Device device;
	const Burner burner;
	device.start(describe(region_on(counter)));
	check_counts_on(device, burner, counter);
	for (int i = 0; i < 10; i++) {
		madvise(memory.at(), page, MADV_PAGEOUT);
		CHECK_FALSE(swapped_out(counter));
		check_counts_on(device, burner, counter);
	}
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a table for which a cgroup has no memory is refused for that", "[uapi][buffer]")
{
	const Swap swap("64M");
	const Cgroup group("profil-small");
	constexpr size_t bytes = 32 << 20;

	if (!swap)
		support::skip("this kernel has no zram");
	group.set("memory.max", "12M");
	/*
	 * By the time the last page has been faulted in, the first ones have been swapped out
	 * again.
	 */
	const auto error = [&] {
		Child child([&] {
			group.enter();
			const Device device;
			const Memory table(bytes);
			const Fd proof = proof_of(getpid());
			auto how = describe_recording(table.at(), bytes, 0, period_10khz);

			how.proof = proof.get();
			_exit(device.call(PROFIL_RECORD, &how));
		});
		const int status = child.reap();

		return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	};
	int first = error();

	/* The kernel sometimes kills the child instead. */
	for (int tries = 0; first == -SIGKILL && tries < 20; tries++)
		first = error();
	CHECK(first == ENOMEM);
}

TEST_CASE_METHOD(AtRest, "counting in a merged page gives the program its own copy", "[uapi][buffer]")
{
	if (!std::filesystem::exists("/sys/kernel/mm/ksm/run"))
		support::skip("this kernel does not merge pages");
	const Setting eager("/sys/kernel/mm/ksm/pages_to_scan", "10000");
	const Setting busy("/sys/kernel/mm/ksm/sleep_millisecs", "1");
	const Setting running("/sys/kernel/mm/ksm/run", "1");
	const Memory memory(2 * page);
	auto *counter = memory.at<volatile uint64_t>(), *other = memory.at<volatile uint64_t>(page);

	memset(memory.at(), 0x5a, 2 * page);
	need(madvise(memory.at(), 2 * page, MADV_MERGEABLE), "MADV_MERGEABLE");
	REQUIRE(soon([] { return std::stoull(read_file("/sys/kernel/mm/ksm/pages_sharing")) > 0; }));
	check_counts_in(memory);
	CHECK(*counter != *other);
	CHECK(*other == 0x5a5a5a5a5a5a5a5a);
	need(madvise(memory.at(), 2 * page, MADV_UNMERGEABLE), "MADV_UNMERGEABLE");
}

TEST_CASE_METHOD(AtRest, "a huge page with counters may be split and joined", "[uapi][buffer]")
{
	if (!kernel_has_huge_pages())
		support::skip("this kernel has no transparent huge pages");
	const Device device;
	const Burner burner;
	const Place place = transparent_huge();
	auto *start = reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(place.start()) & -huge);

	device.start(describe(region_on(place.counter)));
	check_counts_on(device, burner, place.counter);
	/*
	 * Neighbouring pages in the huge page get other permissions, are dropped, unmapped and
	 * restored.
	 */
	mprotect(start, page, PROT_READ);
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	check_counts_on(device, burner, place.counter);
	madvise(start + 9 * page, 100 * page, MADV_DONTNEED);
	check_counts_on(device, burner, place.counter);
	munmap(start + huge / 2, page);
	check_counts_on(device, burner, place.counter);
	mprotect(start, page, PROT_READ | PROT_WRITE);
	memset(start + 9 * page, 1, 100 * page);
	madvise(start, huge, 25); /* MADV_COLLAPSE, which may find the page pinned */
	write_file("/proc/sys/vm/compact_memory", "1");
	check_counts_on(device, burner, place.counter);
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "counters may be in pages pinned by io_uring, which keeps its pins",
		 "[uapi][buffer]")
{
	const Device device;
	const Burner burner;
	const Memory memory(2 * page);
	auto *counter = memory.at<volatile uint64_t>();
	const auto pinned = pinned_in_kernel();
	io_uring ring;
	const iovec buffer = {memory.at(), 2 * page};

	need_that(!io_uring_queue_init(2, &ring, 0), "io_uring_queue_init");
	need_that(!io_uring_register_buffers(&ring, &buffer, 1), "io_uring_register_buffers");
	CHECK(pinned_in_kernel() == pinned + 2);
	check_counts_in(device, burner, counter);
	CHECK(pinned_in_kernel() == pinned + 2);

	device.start(describe(region_on(counter)));
	check_counts_on(device, burner, counter);
	CHECK(pinned_in_kernel() == pinned + 3);
	need_that(!io_uring_unregister_buffers(&ring), "io_uring_unregister_buffers");
	CHECK(soon([&] { return pinned_in_kernel() == pinned + 1; }));
	check_counts_on(device, burner, counter);
	/* Register the buffer again: the kernel's view of it is the page with the counts. */
	need_that(!io_uring_register_buffers(&ring, &buffer, 1), "io_uring_register_buffers");
	check_counts_on(device, burner, counter);
	device.stop();
	io_uring_queue_exit(&ring);
	CHECK(soon([&] { return pinned_in_kernel() == pinned; }));
}
