// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/late.cpp  Self profiles pin a counter's memory only when a tick needs it.
 */
#include "tests/guest/support/places.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <vector>

using namespace guest;

namespace {

constexpr size_t page = 4096;

/** Reserve address space, parts of which mprotect(2) can make usable later. */
Memory reserve(size_t bytes)
{
	return Memory(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

/**
 * A region over @p memory, in which the 8-byte counter @p index is that of the loop at
 * counted_text.
 */
profil_region wide_region(const Memory &memory, size_t index)
{
	profil_region region =
		each_address(counted_text - index, counted_text + CODE_LOOP_RETURN, memory.at(), 8);

	region.bytes = memory.bytes();
	return region;
}

} // namespace

TEST_CASE_METHOD(AtRest, "a self profile pins nothing before a tick, and then only its page", "[uapi][late]")
{
	const Device device;
	const Burner burner;
	const Memory memory(64 * page);

	device.start(describe(wide_region(memory, 512 * 10)));
	CHECK(device.status().pinned == 0);
	CHECK(locked_bytes() == 0);
	check_counts_on(device, burner, memory.at<volatile uint64_t>(10 * page));
	CHECK(device.status().pinned == page);
	CHECK(locked_bytes() == page);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a self profile counts in memory that is mapped after the start", "[uapi][late]")
{
	const Device device;
	const Burner burner;
	const Memory memory = reserve(4 * page);

	device.start(describe(wide_region(memory, 512)));
	need(mprotect(memory.at(page), page, PROT_READ | PROT_WRITE), "mprotect");
	check_counts_on(device, burner, memory.at<volatile uint64_t>(page));
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a tick that meets a hole turns a self profile off", "[uapi][late]")
{
	const ClockKeeper ticking;
	const Device device;
	const Burner burner;
	const Memory memory = reserve(4 * page);

	for (const int protection : {PROT_NONE, PROT_READ}) {
		CAPTURE(protection);
		need(mprotect(memory.at(), page, PROT_READ | PROT_WRITE), "mprotect");
		need(mprotect(memory.at(page), page, protection), "mprotect");
		device.start(describe(wide_region(memory, 511)));
		check_counts_on(device, burner, memory.at<volatile uint64_t>(511 * 8));
		device.start(describe(wide_region(memory, 512)));
		const auto status = status_at_hole(device, burner);
		CHECK(status.counted == 0);
		CHECK(status.off > 0);
		need(mprotect(memory.at(page), page, PROT_READ | PROT_WRITE), "mprotect");
		burner.burn(counted_text, 5'000'000);
		CHECK(*memory.at<volatile uint64_t>(page) == 0);
		device.stop();
	}
}

TEST_CASE_METHOD(AtRest, "with PROFIL_FAULT_REGION a hole turns only its region off", "[uapi][late]")
{
	const ClockKeeper ticking;
	const Device device;
	const Burner burner;
	const Memory memory = reserve(4 * page);
	constexpr uintptr_t other = counted_text + 0x1000;
	const profil_region regions[] = {
		one_counter(counted_text, counted_text + CODE_LOOP_RETURN, memory.at(page), 8),
		one_counter(other, other + CODE_LOOP_RETURN, memory.at(16), 8),
	};
	auto how = describe(regions);

	need(mprotect(memory.at(), page, PROT_READ | PROT_WRITE), "mprotect");
	how.flags |= PROFIL_FAULT_REGION;
	how.overflow = memory.address() + 64;
	how.overflow_width = 8;
	device.start(how);
	burn_ticks(device, burner, counted_text, 3, &profil_status::off);
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	need(mprotect(memory.at(page), page, PROT_READ | PROT_WRITE), "mprotect");
	burn_ticks(device, burner, counted_text, 3, &profil_status::off);
	CHECK(*memory.at<volatile uint64_t>(page) == 0);
	const auto ticks = burn_ticks(device, burner, other, 3);
	CHECK(*memory.at<volatile uint64_t>(16) + *memory.at<volatile uint64_t>(64) >= ticks);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "every tick of a self profile counts where RLIMIT_MEMLOCK allows no page",
		 "[uapi][late]")
{
	in_child([] {
		const rlimit none = {};
		const Burner burner;
		const Memory memory(4 * page), gate(page);

		need(setrlimit(RLIMIT_MEMLOCK, &none), "setrlimit");
		become_nobody();
		const Device device;
		auto how = describe(wide_region(memory, 512), period_nobody);

		how.gate = gate.address();
		device.start(how);
		burn_ticks(device, burner, counted_text, 5);
		const auto status = device.status();
		need_that(status.pinned == 0, "nothing is pinned");
		need_that(status.state == PROFIL_STATE_RUNNING, "the profile runs");
		need_that(*memory.at<volatile uint64_t>(page) == status.counted, "every tick counts");
		device.stop();
		return 0;
	});
}

TEST_CASE_METHOD(AtRest, "the gate of a late profile is charged to the user, and given back with the profile",
		 "[uapi][late][gate][quota]")
{
	in_child([] {
		const Memory memory(page), gate(page);

		become_nobody();
		const Device device;
		auto how = describe(region_on(memory.at()), period_nobody);
		const auto before = module_stat("pinned_pages");
		const auto start = [&] {
			device.start(how);
			return module_stat("pinned_pages") - before;
		};

		const auto without = start();
		how.gate = gate.address();
		need_that(start() == without + 1, "the gate is charged");
		need_that(locked_bytes() == 0, "but not to RLIMIT_MEMLOCK");
		need(mprotect(gate.at(), page, PROT_READ), "mprotect");
		(void)device.status(); /* checks the memory */
		need_that(device.status().state == PROFIL_STATE_NONE, "it has ended");
		need_that(module_stat("pinned_pages") == before, "the charge is given back");
		return 0;
	});
}

TEST_CASE_METHOD(AtRest, "a late profile that has used up RLIMIT_MEMLOCK makes room for the next",
		 "[uapi][late]")
{
	in_child([] {
		const rlimit three = {3 * page, 3 * page};
		const Burner burner;
		const Memory memory(8 * page), gates(2 * page);
		profil_region regions[6];

		for (unsigned i = 0; i < 6; i++) {
			const uintptr_t pc = counted_text + 0x100 * i;

			regions[i] = one_counter(pc, pc + CODE_LOOP_RETURN, memory.at(i * page), 8);
		}
		need(setrlimit(RLIMIT_MEMLOCK, &three), "setrlimit");
		become_nobody();
		const Device device;
		auto how = describe(regions, period_nobody);

		how.gate = gates.address();
		device.start(how);
		for (unsigned i = 0; i < 6; i++)
			burn_ticks(device, burner, counted_text + 0x100 * i, 3);
		need_that(device.status().pinned == 3 * page, "the limit is used up");
		how.gate = gates.address() + page;
		device.start(how);
		burn_ticks(device, burner, counted_text, 3);
		/* A profile without a gate fits as well. */
		device.start(describe(regions[0], period_nobody));
		burn_ticks(device, burner, counted_text, 3);
		device.stop();
		return 0;
	});
}

TEST_CASE_METHOD(AtRest, "memory is rechecked even if RLIMIT_MEMLOCK leaves room for no page",
		 "[uapi][late][gate]")
{
	in_child([] {
		const rlimit none = {};
		const Burner burner;
		const Memory memory(page), gate(page);

		need(setrlimit(RLIMIT_MEMLOCK, &none), "setrlimit");
		become_nobody();
		const Device device;
		auto how = describe(region_on(memory.at()), period_nobody);

		how.gate = gate.address();
		device.start(how);
		burn_ticks(device, burner, counted_text, 5);
		/* From now on the gate is in a new page, and no command checks the memory. */
		need(madvise(gate.at(), page, MADV_DONTNEED), "madvise");
		const uint64_t checked = counter<uint64_t>(memory) + 500;
		burner.burn_until(counted_text, [&] { return counter<uint64_t>(memory) >= checked; });
		__atomic_fetch_add(gate.at<uint32_t>(), 1, __ATOMIC_SEQ_CST);
		const auto before = counter<uint64_t>(memory);
		burner.burn(counted_text, 50'000'000);
		need_that(before >= 5, "it counted");
		need_that(counter<uint64_t>(memory) == before, "the gate is shut");
		return 0;
	});
}

TEST_CASE_METHOD(AtRest, "a self profile counts in private hugetlb pages, in a forked child's own copy, too",
		 "[uapi][late][fork]")
{
	constexpr size_t huge = 2 << 20;
	const Setting some("/proc/sys/vm/nr_hugepages", "2");
	const Device device;
	const Burner burner;

	REQUIRE(std::stoi(read_file("/proc/sys/vm/nr_hugepages")) == 2);
	const Memory memory(huge, MAP_PRIVATE | MAP_HUGETLB);
	auto how = describe(wide_region(memory, 512 * 7));

	how.flags |= PROFIL_FOLLOW;
	device.start(how);
	check_counts_on(device, burner, memory.at<volatile uint64_t>(7 * page));
	CHECK(device.status().pinned == 0);
	CHECK(in_child([&] {
		const Device own;
		const auto before = *memory.at<volatile uint64_t>(7 * page);
		const auto ticks = burn_ticks(own, burner, counted_text, 5);

		return *memory.at<volatile uint64_t>(7 * page) >= before + ticks;
	}));
	check_counts_on(device, burner, memory.at<volatile uint64_t>(7 * page));
	const auto status = device.status();
	CHECK(status.state == PROFIL_STATE_RUNNING);
	CHECK(status.lost_contended == 0);
	CHECK(*memory.at<volatile uint64_t>(7 * page) == status.counted);
	/* Here as elsewhere, read-only memory is a hole. */
	need(mprotect(memory.at(), huge, PROT_READ), "mprotect");
	CHECK(status_at_hole(device, burner).state == PROFIL_STATE_FAULT);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a self profile counts in what is mapped at the address now", "[uapi][late]")
{
	const Device device;
	const Burner burner;
	const Memory memory(2 * page);
	const auto map_anew = [&] {
		need_that(mmap(memory.at(page), page, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == memory.at(page),
			  "mmap");
	};

	device.start(describe(wide_region(memory, 512)));
	check_counts_on(device, burner, memory.at<volatile uint64_t>(page));
	map_anew();
	(void)device.status(); /* checks the memory */
	check_counts_on(device, burner, memory.at<volatile uint64_t>(page));
	CHECK(device.status().pinned == page);
	need(madvise(memory.at(page), page, MADV_DONTNEED), "madvise");
	(void)device.status();
	check_counts_on(device, burner, memory.at<volatile uint64_t>(page));
	CHECK(locked_bytes() == page);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "an array of PCs goes on in a forked child's own copy", "[uapi][late][fork]")
{
	const Device device;
	const Burner burner;
	const Memory memory(2 * page);
	auto how = describe(wide_region(memory, 512));

	how.flags |= PROFIL_FOLLOW;
	device.start(how);
	check_counts_on(device, burner, memory.at<volatile uint64_t>(page));
	CHECK(in_child([&] {
		const Device own;
		const auto before = *memory.at<volatile uint64_t>(page);
		const auto ticks = burn_ticks(own, burner, counted_text, 5);

		return *memory.at<volatile uint64_t>(page) >= before + ticks;
	}));
	check_counts_on(device, burner, memory.at<volatile uint64_t>(page));
	device.stop();
}

TEST_CASE_METHOD(AtRest, "PCs are stored up to a hole, where the profile ends", "[uapi][late]")
{
	const ClockKeeper ticking;
	const Device device;
	const Burner burner;
	const Memory memory = reserve(4 * page);
	/*
	 * Few PCs: on debug kernels, some CPUs have no timer but the scheduler's, so ticks are
	 * rare.
	 */
	const size_t before = 16, room = 64;

	for (const uint32_t width : {4, 8}) {
		CAPTURE(width);
		need(mprotect(memory.at(), 4 * page, PROT_NONE), "mprotect");
		need(madvise(memory.at(), 4 * page, MADV_DONTNEED), "madvise");
		need(mprotect(memory.at(), 2 * page, PROT_READ | PROT_WRITE), "mprotect");
		device.start(describe_samples(memory.at(2 * page - before * width), room, width));
		const auto status = status_at_hole(device, burner);
		CHECK(status.stored == before);
		CHECK(status.counted == status.stored);
		CHECK(*memory.at<volatile uint32_t>(2 * page - width) != 0);
		CHECK(device.stop() == before);
	}
}

TEST_CASE_METHOD(AtRest, "a self profile stores the PC that fills the array", "[uapi][late]")
{
	const Device device;
	const Burner burner;

	for (const uint64_t room : {1, 2, 600}) {
		const Memory memory(2 * page);

		CAPTURE(room);
		device.start(describe_samples(memory.at(), room));
		burner.burn_until(counted_text, [&] { return device.status().state == PROFIL_STATE_FULL; });
		CHECK(*memory.at<volatile uint64_t>(8 * (room - 1)) != 0);
		CHECK(*memory.at<volatile uint64_t>(8 * room) == 0);
		CHECK(device.status().counted == room);
		CHECK(device.stop() == room);
	}
}

TEST_CASE_METHOD(AtRest, "ticks of a long system call wait for its return", "[uapi][late]")
{
	const Device device;
	const Burner burner;
	const auto returns_to = burner.plant_syscalls(counted_text, 200);
	const Memory memory(2 * page);
	auto how = describe(each_address(returns_to, returns_to + 1, memory.at(page), 8));

	how.flags |= PROFIL_KERNEL_TICKS;
	for (int round = 0; round < 20; round++) {
		device.start(how);
		Burner::spin(counted_text, 200);
		const auto status = device.status();
		CHECK(counter<uint64_t>(memory, page / 8) == status.counted);
		CHECK(status.lost_contended == 0);
		device.stop();
		memset(memory.at(), 0, 2 * page);
		need(madvise(memory.at(), 2 * page, MADV_DONTNEED), "madvise");
	}
}

TEST_CASE_METHOD(AtRest, "threads that need pages at once lose no tick", "[uapi][late][smp]")
{
	constexpr unsigned threads = 8;
	const Device device;
	const Burner burner;
	const Memory memory(threads * page);
	std::vector<std::thread> running;
	profil_region regions[threads];

	for (unsigned i = 0; i < threads; i++) {
		const uintptr_t pc = counted_text + 0x100 * i;

		burner.plant_loop(pc);
		regions[i] = one_counter(pc, pc + CODE_LOOP_RETURN, memory.at(i * page), 8);
	}
	device.start(describe(regions));
	for (unsigned i = 0; i < threads; i++)
		running.emplace_back([i] {
			for (int round = 0; round < 200; round++)
				Burner::spin(counted_text + 0x100 * i, 100'000);
		});
	for (auto &thread : running)
		thread.join();
	const auto status = device.status();
	device.stop();
	CHECK(status.counted > 0);
	CHECK(status.counted == sum_counters<uint64_t>(memory));
	CHECK(status.lost_contended == 0);
	CHECK(status.off == 0);
}

TEST_CASE_METHOD(AtRest, "a buffer of 64 GiB needs room for its list of pages", "[uapi][late][quota]")
{
	in_child([] {
		const Setting few = module_parameter("max_user_pages", 10'000);
		const Memory memory = reserve(page);
		profil_region region = each_address(counted_text, ~0ULL, memory.at(), 8);

		region.bytes = uint64_t{64} << 30;
		become_nobody();
		const Device device;
		auto how = describe(region, period_nobody);

		how.flags |= PROFIL_FAULT_REGION;
		need_that(device.call(PROFIL_START, &how) == EDQUOT, "EDQUOT");
		return 0;
	});
}
