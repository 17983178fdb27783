// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/flavour/aix.cpp  profil() of AIX, both forms, as its manual page describes it. */
#include "tests/guest/flavour/support.h"
#include "tests/support/catch.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>

#include <profil/aix.h>

using namespace guest;
using namespace lib_test;

namespace {

char *text(uintptr_t address)
{
	return reinterpret_cast<char *>(address);
}

prof range(uintptr_t low, uintptr_t high, volatile unsigned short *buffer, int bytes, unsigned scale)
{
	return {text(low), text(high), const_cast<unsigned short *>(buffer), bytes, scale};
}

constexpr prof end = {};

unsigned short *as_buffer(volatile void *list)
{
	return static_cast<unsigned short *>(const_cast<void *>(list));
}

template <size_t Nr> int error_of(prof (&list)[Nr])
{
	return errno_of([&] { profil(as_buffer(list), -1, 0, 0); });
}

void on(volatile unsigned short *buffer, size_t size, size_t offset, unsigned scale)
{
	profil(as_buffer(buffer), size, offset, scale);
}

} // namespace

TEST_CASE_METHOD(AtRest, "AIX: a counter stays at USHRT_MAX", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<2> counters;

	counters.counter[0] = 65533;
	on(counters.counter, sizeof counters.counter, loop.pc(), four_bytes);
	loop.spin_until([&] { return self_status().saturated >= 3; });
	CHECK(counters.counter[0] == 65535);
	CHECK(state() == PROFIL_STATE_RUNNING);
}

TEST_CASE_METHOD(AtRest, "AIX: ticks in the kernel are not counted", "[lib][flavour]")
{
	const Burner burner;
	const OffAtEnd off;
	Guarded<2> counters;
	const auto pc = burner.start() + 0x400;

	burner.plant_syscalls(pc, 1000);
	on(counters.counter, sizeof counters.counter, 0, 2);
	while (self_status().kernel < 5)
		Burner::spin(pc, 1);
	on(counters.counter, sizeof counters.counter, 0, 2);
	uint64_t counted = 0;
	const auto status = steady_status([&] { return uint64_t{counters.counter[0]}; }, counted);
	CHECK(counted == status.counted);
	CHECK(counters.only(0));
}

TEST_CASE_METHOD(AtRest, "AIX: only the low 16 bits of the scale are used", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;

	on(counters.counter, sizeof counters.counter, loop.pc(), 0x10000);
	CHECK(state() == PROFIL_STATE_NONE);
	/* The buffer has one counter: the loop's return would be in the next one. */
	on(counters.counter, sizeof counters.counter[0], loop.pc() - 1, 0x28000);
	/* (1 * 0x8000 >> 16) + 1, halved. */
	loop.spin_until([&] { return counters.counter[0] >= 3; });
	CHECK(counters.only(0));
}

TEST_CASE_METHOD(AtRest, "AIX: turning a running profile on has no effect, in either form", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> first, second;
	prof list[] = {range(loop.pc(), loop.pc() + 4, second.counter, 8, 0x8000), end};

	on(first.counter, sizeof first.counter, loop.pc(), four_bytes);
	CHECK(errno_of([&] { on(second.counter, sizeof second.counter, loop.pc(), four_bytes); }) == 0);
	CHECK(is_counted(loop, first.counter[0]));
	CHECK(error_of(list) == 0);
	CHECK(is_counted(loop, first.counter[0]));
	CHECK(second.is_zero());
	/* Invalid arguments have no effect either. */
	CHECK(errno_of([&] { profil(nullptr, 8, loop.pc(), four_bytes); }) == 0);
	prof falling[] = {list[0], list[0], end};
	CHECK(error_of(falling) == 0);
	CHECK(is_counted(loop, first.counter[0]));
}

TEST_CASE_METHOD(AtRest, "AIX: turning off in the other form has no effect", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<4> counters;
	prof list[] = {range(loop.pc(), loop.pc() + 4, counters.counter, 8, 0x8000), end};
	prof none[] = {end};

	CHECK(error_of(none) == 0);
	on(counters.counter, sizeof counters.counter, loop.pc(), four_bytes);
	CHECK(error_of(none) == 0);
	CHECK(is_counted(loop, counters.counter[0]));
	profil(nullptr, 0, 0, 0);
	CHECK(state() == PROFIL_STATE_NONE);

	CHECK(error_of(list) == 0);
	CHECK(is_counted(loop, counters.counter[0]));
	profil(nullptr, 0, 0, 1);
	CHECK(is_counted(loop, counters.counter[0]));
	CHECK(error_of(none) == 0);
	CHECK(state() == PROFIL_STATE_NONE);
}

TEST_CASE_METHOD(AtRest, "AIX: a bad buffer is EFAULT, an odd one EINVAL, a buffer of no counter no error",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const ReadOnly read_only;
	Guarded<4> counters;
	const auto error = [&](volatile void *buffer, size_t size) {
		return errno_of([&] { profil(as_buffer(buffer), size, loop.pc(), four_bytes); });
	};

	CHECK(error(nullptr, 8) == EFAULT);
	CHECK(error(read_only.get<void>(), 8) == EFAULT);
	CHECK(error(nowhere<void>(), 8) == EFAULT);
	CHECK(error(const_cast<char *>(reinterpret_cast<volatile char *>(counters.counter)) + 1, 4) ==
	      EINVAL);
	CHECK(error(counters.counter, 0) == 0);
	CHECK(error(counters.counter, 1) == 0);
	CHECK(state() == PROFIL_STATE_NONE);
	prof bad[] = {range(loop.pc(), loop.pc() + 4, read_only.get<unsigned short>(), 8, 0x8000), end};
	CHECK(error_of(bad) == EFAULT);
	CHECK(errno_of([&] { profil(nowhere<unsigned short>(), -1, 0, 0); }) == EFAULT);
	CHECK(state() == PROFIL_STATE_NONE);
}

TEST_CASE_METHOD(
	AtRest,
	"AIX: a profile beyond a limit of the user is EFAULT in either form, but RLIMIT_MEMLOCK is none",
	"[lib][flavour]")
{
	struct Errors {
		int form, list;
		uint32_t state;
		bool counted;
	};
	constexpr int bytes = 4 * 4096;
	const Loop loop;
	const auto tried = [&](bool may_lock) {
		return in_child([&] {
			const rlimit none = {};
			const Memory memory(bytes);
			auto *const counters = memory.at<volatile unsigned short>();
			prof list[] = {range(loop.pc(), loop.pc() + bytes, counters, bytes, 0xffff), end};
			Errors errors = {};

			become_nobody();
			if (!may_lock)
				need(setrlimit(RLIMIT_MEMLOCK, &none), "RLIMIT_MEMLOCK");
			errors.form = errno_of([&] { on(counters, bytes, loop.pc(), 0xffff); });
			profil(nullptr, 0, 0, 0);
			errors.list = error_of(list);
			errors.state = state();
			errors.counted = !errors.list && is_counted(loop, counters[0]);
			return errors;
		});
	};
	const auto is_profiled = [](const Errors &errors) {
		CHECK(errors.form == 0);
		CHECK(errors.list == 0);
		CHECK(errors.state == PROFIL_STATE_RUNNING);
		CHECK(errors.counted);
	};
	const auto is_refused = [](const Errors &errors) {
		CHECK(errors.form == EFAULT);
		CHECK(errors.list == EFAULT);
		CHECK(errors.state == PROFIL_STATE_NONE);
	};

	is_profiled(tried(true));
	is_profiled(tried(false));
	for (const char *name : {"max_user_pages", "max_user_profiles"}) {
		const Setting limit = module_parameter(name, 0);

		CAPTURE(name);
		is_refused(tried(true));
	}
}

TEST_CASE_METHOD(AtRest, "AIX: a list must ascend, and the first range that holds a PC counts it",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Memory memory(4096);
	auto *const counters = memory.at<volatile unsigned short>();
	prof falling[] = {range(loop.pc(), loop.pc() + 8, counters, 8, 0x8000),
			  range(loop.pc(), loop.pc() + 8, counters + 4, 8, 0x8000), end};
	prof list[] = {range(loop.pc() - 64, loop.pc() - 32, counters, 8, 0x8000),
		       range(loop.pc() - 16, loop.pc() + 4, counters + 16, 32, 0x8000),
		       range(loop.pc() - 64, loop.pc() + 64, counters + 32, 64, 0x8000), end};

	CHECK(error_of(falling) == EINVAL);
	CHECK(state() == PROFIL_STATE_NONE);
	CHECK(error_of(list) == 0);
	loop.spin_until([&] { return counters[16 + 4] >= 3; });
	for (int i = 32; i < 64; i++)
		CHECK(counters[i] == 0);
}

TEST_CASE_METHOD(AtRest,
		 "AIX: scale -1 makes the buffer cover the range, and a range with scale 0 counts nothing",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Memory memory(4096);
	auto *const counters = memory.at<volatile unsigned short>();
	/*
	 * 64 bytes of text in 8 counters give scale 0x4000 - 1; 40 bytes from the start is counter
	 * (9 + 1) >> 1.
	 */
	prof list[] = {range(loop.pc() - 40, loop.pc() + 24, counters, 16, static_cast<unsigned>(-1)), end};
	prof nothing[] = {range(loop.pc() - 40, loop.pc() + 24, counters + 64, 16, 0),
			  range(loop.pc() - 40, loop.pc() + 64, counters + 128, 16, 0x8000), end};
	prof none[] = {end};

	CHECK(error_of(list) == 0);
	loop.spin_until([&] { return counters[5] >= 3; });
	CHECK(error_of(none) == 0);
	CHECK(error_of(nothing) == 0);
	CHECK(state() == PROFIL_STATE_RUNNING);
	CHECK(is_left_alone(loop, counters[64]));
	for (int i = 128; i < 136; i++)
		CHECK(counters[i] == 0);
}

TEST_CASE_METHOD(AtRest,
		 "AIX: a list in which no range counts turns nothing on, so the next call has its effect",
		 "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	Guarded<16> counters;
	const auto low = loop.pc();
	const auto one = [&](int bytes, unsigned scale) {
		return range(low, low + 64, counters.counter, bytes, scale);
	};
	/* Only the low 16 bits of the scale matter, and a computed scale may be below 2, too. */
	prof lists[][3] = {
		{one(32, 0), end, end},
		{one(32, 1), end, end},
		{one(32, 0x10000), end, end},
		{one(0, 0x8000), end, end},
		{one(1, static_cast<unsigned>(-1)), end, end},
		{range(low, low + (1UL << 32), counters.counter, 32, static_cast<unsigned>(-1)), end, end},
		{one(32, 0), range(low, low + 128, counters.counter, 32, 1), end}};
	prof list[] = {one(32, 0x8000), end};

	for (auto &nothing : lists) {
		INFO(&nothing - lists);
		CHECK(error_of(nothing) == 0);
		CHECK(state() == PROFIL_STATE_NONE);
	}
	CHECK(error_of(list) == 0);
	CHECK(is_counted(loop, counters.counter[0]));
	/* Such a list does not turn off a running profile either. */
	for (auto &nothing : lists)
		CHECK(error_of(nothing) == 0);
	CHECK(is_counted(loop, counters.counter[0]));
	/* Errors in such a list are still reported. */
	prof none[] = {end};
	CHECK(error_of(none) == 0);
	prof falling[] = {one(32, 0), one(32, 0), end};
	CHECK(error_of(falling) == EINVAL);
}

TEST_CASE_METHOD(AtRest, "AIX: a range around an earlier range counts on both sides of it", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Memory memory(4096);
	auto *const counters = memory.at<volatile unsigned short>();
	prof list[] = {range(loop.pc() + 64, loop.pc() + 128, counters, 64, 0x8000),
		       range(loop.pc() - 64, loop.pc() + 256, counters + 64, 256, 0x8000), end};

	CHECK(error_of(list) == 0);
	loop.spin_until([&] { return counters[64 + 16] >= 3; });
}

TEST_CASE_METHOD(AtRest, "AIX: a size of -1 in an unsigned int also marks a list", "[lib][flavour]")
{
	const Loop loop;
	const OffAtEnd off;
	const Memory memory(4096);
	auto *const counters = memory.at<volatile unsigned short>();
	const auto size = static_cast<unsigned>(-1);
	prof list[] = {range(loop.pc(), loop.pc() + 64, counters, 64, 0x8000), end};

	profil(as_buffer(list), size, 0, 0);
	loop.spin_until([&] { return counters[0] >= 3; });
}

TEST_CASE_METHOD(AtRest, "AIX: lists are also read after the first thread has ended", "[lib][flavour]")
{
	static unsigned short counters[8];
	static prof list[] = {range(0x1000, 0x2000, counters, sizeof counters, 0x8000), end};
	const pid_t child = fork();

	if (!child) {
		std::thread([] {
			while (read_file("/proc/" + std::to_string(getpid()) + "/stat").find(") Z ") ==
			       std::string::npos)
				usleep(1000);
			const int error = error_of(list);
			_exit(error ? error : state() == PROFIL_STATE_RUNNING ? 0 : 1);
		}).detach();
		syscall(SYS_exit, 0); /* only this thread */
	}
	int status = -1;
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(status == 0);
}
