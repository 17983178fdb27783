// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/memory_allowed.cpp  Memory in which the module counts. */
#include "tests/guest/uapi/memory_kinds.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

#include <cerrno>
#include <filesystem>
#include <pthread.h>
#include <sys/shm.h>

using namespace guest;

TEST_CASE_METHOD(AtRest, "counters may be in memory that has not been written yet", "[uapi][buffer]")
{
	SECTION("the zero page")
	{
		const Memory memory(page);
		CHECK(*memory.at<volatile uint64_t>() == 0);
		check_counts_in(memory);
	}
	SECTION("the huge zero page")
	{
		if (!kernel_has_huge_pages())
			support::skip("this kernel has no transparent huge pages");
		const auto always = always_huge_pages();
		const Memory memory(3 * huge);
		const auto aligned = ((memory.address() + huge - 1) & -huge) - memory.address();
		CHECK(*memory.at<volatile uint64_t>(aligned) == 0);
		check_counts_in(memory, aligned + 5 * page);
		CHECK(*memory.at<volatile uint64_t>(aligned + 6 * page) == 0);
	}
	SECTION("a hole in a file")
	{
		const Place place = shared_file();
		check_counts_in(place.counter);
	}
	SECTION("memory that is not reserved")
	{
		check_counts_in(Memory(page, MAP_NORESERVE));
	}
	SECTION("/dev/zero")
	{
		const Fd zero(need(open("/dev/zero", O_RDWR | O_CLOEXEC), "/dev/zero"));
		check_counts_in(Memory(page, MAP_SHARED, zero.get()));
		check_counts_in(Memory(page, MAP_PRIVATE, zero.get()));
	}
}

TEST_CASE_METHOD(AtRest, "counters may be in a heap, a thread's stack and System V memory", "[uapi][buffer]")
{
	SECTION("the heap")
	{
		auto *end = static_cast<volatile uint64_t *>(sbrk(page));
		check_counts_in(end);
		sbrk(-static_cast<intptr_t>(page));
	}
	SECTION("a stack that grows")
	{
		check_counts_in(Memory(8 * page, MAP_GROWSDOWN | MAP_STACK), 4 * page);
	}
	SECTION("a thread's stack")
	{
		pthread_t thread;
		const auto count = [](void *) -> void * {
			volatile uint64_t here = 5;
			check_counts_in(&here);
			return nullptr;
		};
		REQUIRE(pthread_create(&thread, nullptr, count, nullptr) == 0);
		REQUIRE(pthread_join(thread, nullptr) == 0);
	}
	SECTION("System V shared memory")
	{
		const HugePages pages;

		if (!std::filesystem::exists("/proc/sysvipc/shm"))
			support::skip("this kernel has no System V shared memory");
		for (const int flags : {0, SHM_HUGETLB}) {
			const int id = need(shmget(IPC_PRIVATE, huge, IPC_CREAT | 0600 | flags), "shmget");
			auto *at = static_cast<volatile uint64_t *>(shmat(id, nullptr, 0));
			need(shmctl(id, IPC_RMID, nullptr), "IPC_RMID");
			check_counts_in(at + 9);
			shmdt(const_cast<uint64_t *>(at));
		}
	}
	SECTION("a file on the guest's disk, which is in memory")
	{
		const std::string path = "/var/tmp/profil-counters";
		Fd file(need(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), path.c_str()));
		unlink(path.c_str());
		const Place place = in_file(MAP_SHARED, std::move(file));
		check_counts_in(place.counter);
	}
}

TEST_CASE_METHOD(AtRest, "counters may be in locked, advised, executable and write-only memory",
		 "[uapi][buffer]")
{
	const Memory memory(page);

	SECTION("locked")
	{
		const Device device;
		const Burner burner;
		need(mlock(memory.at(), page), "mlock");
		CHECK(locked_bytes() == page);
		device.start(describe(region_on(memory.at())));
		check_counts_on(device, burner, memory.at<volatile uint64_t>());
		CHECK(locked_bytes() == 2 * page);
		need(munlock(memory.at(), page), "munlock");
		CHECK(locked_bytes() == page);
		check_counts_on(device, burner, memory.at<volatile uint64_t>());
		device.stop();
		CHECK(locked_bytes() == 0);
	}
	SECTION("advised")
	{
		for (const int advice :
		     {MADV_DONTFORK, MADV_WIPEONFORK, MADV_MERGEABLE, MADV_HUGEPAGE, MADV_DONTDUMP}) {
			CAPTURE(advice);
			madvise(memory.at(), page, advice);
			check_counts_in(memory);
		}
	}
	SECTION("executable")
	{
		need(mprotect(memory.at(), page, PROT_READ | PROT_WRITE | PROT_EXEC), "mprotect");
		check_counts_in(memory);
	}
	SECTION("write-only")
	{
		need(mprotect(memory.at(), page, PROT_WRITE), "mprotect");
		check_counts_in(memory);
	}
}

TEST_CASE_METHOD(AtRest, "many profiles may count in one page and in one counter", "[uapi][buffer]")
{
	const Device device;
	const Burner burner;
	const Memory memory(page, MAP_SHARED);

	const auto count = [&] {
		device.start(describe(region_on(memory.at())));
		burn_ticks(device, burner, counted_text, 50);
		const auto counted = device.status().counted;
		device.stop();
		return counted;
	};
	ChildOf<uint64_t> one(count), another(count), third(count);
	const auto sum = one.result() + another.result() + third.result();
	CHECK(counter<uint64_t>(memory) == sum);
}

TEST_CASE_METHOD(AtRest, "one buffer may span mappings of several kinds", "[uapi][buffer]")
{
	const Device device;
	const Burner burner;
	const Memory memory(3 * page);
	const Fd file = memfd();
	const Memory middle(memory.at(page), page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
			    Fd(need(open("/bin/true", O_RDONLY | O_CLOEXEC), "/bin/true")).get());
	need(ftruncate(file.get(), page), "ftruncate");
	const Memory last(memory.at(2 * page), page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			  file.get());
	const auto region = each_address(counted_text, counted_text + 3 * page / 8, memory.at(), 8);

	memset(memory.at(), 0, 3 * page);
	device.start(describe(region));
	for (const uintptr_t at : {0, 600, 1100}) {
		const auto ticks = burn_ticks(device, burner, counted_text + at, 3);
		CHECK(counter<uint64_t>(memory, at) + counter<uint64_t>(memory, at + CODE_LOOP_RETURN) ==
		      ticks);
	}
	CHECK(device.status().pinned == 3 * page);
	/* A fault in one of the mappings turns the profile off. */
	mprotect(memory.at(page), page, PROT_READ);
	CHECK(device.status().pinned == 2 * page);
	burner.burn_until(counted_text + 600, [&] { return device.status().state == PROFIL_STATE_FAULT; });
	device.stop();
}
