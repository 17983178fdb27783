// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/flavour/edges.cpp  Every form of every flavour: kinds of memory, sizes,
 * offsets, limits, threads, fork and exec.
 */
#include "tests/guest/flavour/forms.h"
#include "tests/guest/support/mounted.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <algorithm>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <thread>

using namespace guest;
using namespace lib_test;
using namespace support;

namespace {

/**
 * Turn the profile on, run the loop, and turn the profile off.  Only the first counter may change.
 */
void count_first(const Form &form, const Loop &loop, void *buffer, size_t bytes)
{
	auto *const counter = static_cast<volatile unsigned char *>(buffer);

	form.on(buffer, bytes, loop.pc());
	loop.spin_until([&] { return counter[0] >= 3; });
	form.off();
	CHECK(state() == PROFIL_STATE_NONE);
	/* One tick in a million is at the end of the loop, in the second counter. */
	for (size_t i = 2 * form.width; i < bytes; i++)
		if (counter[i])
			FAIL("byte " << i << " is " << int{counter[i]});
}

} // namespace

TEST_CASE_METHOD(AtRest, "every form counts in all kinds of memory, across pages, and stops when it is off",
		 "[lib][flavour][edge]")
{
	const Loop loop;
	const OffAtEnd off;
	static unsigned bss[64];

	for (const Form &form : forms) {
		const Memory private_pages(3 * 4096), shared_pages(4096, MAP_SHARED);
		unsigned stack[64] = {};

		INFO(form);
		memset(bss, 0, sizeof bss);
		count_first(form, loop, stack, sizeof stack);
		count_first(form, loop, bss, sizeof bss);
		count_first(form, loop, shared_pages.at(), 4096);
		count_first(form, loop, private_pages.at(4096 - 8), 4096 + 16);

		const unsigned before = stack[0];

		loop.spin_ms(60);
		CHECK(stack[0] == before);
	}
}

TEST_CASE_METHOD(AtRest, "every form counts in private pages of hugetlbfs, and no fork fails for that",
		 "[lib][flavour][edge]")
{
	constexpr size_t huge = 2 << 20;
	const Setting some("/proc/sys/vm/nr_hugepages", "1");
	const Loop loop;
	const OffAtEnd off;

	REQUIRE(std::stoi(read_file("/proc/sys/vm/nr_hugepages")) == 1);
	for (const Form &form : forms) {
		const Memory memory(huge, MAP_PRIVATE | MAP_HUGETLB);
		auto &counter = *memory.at<volatile unsigned short>(3 * 4096);

		INFO(form);
		CHECK(errno_of([&] { form.on(memory.at(3 * 4096), 4096, loop.pc()); }) == 0);
		CHECK(state() == PROFIL_STATE_RUNNING);
		CHECK(is_counted(loop, counter));
		/* No other huge page is free, so the child gets none, but the fork succeeds. */
		CHECK(in_child([&] {
			meet_hole(loop);
			return true;
		}));
		CHECK(is_counted(loop, counter));
		CHECK(self_status().pinned == 0);
		form.off();
		CHECK(is_off(loop, counter));
	}
}

TEST_CASE_METHOD(AtRest, "every form is off after a tick has met a shared file of a file system on a device",
		 "[lib][flavour][edge]")
{
	const Mounted files("files", "ramfs"); /* the module treats ramfs as if on a device */
	const Loop loop;
	const OffAtEnd off;

	for (const Form &form : forms) {
		const Fd file(open((files.path() + "/counters").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));

		INFO(form);
		need(ftruncate(file.get(), 4096), "ftruncate");
		const Memory memory(4096, MAP_SHARED, file.get());
		CHECK(errno_of([&] { form.on(memory.at(), 4096, loop.pc()); }) == 0);
		CHECK(state() != PROFIL_STATE_NONE);
		meet_hole(loop);
		CHECK(self_status().counted == 0);
		CHECK(*memory.at<volatile uint64_t>() == 0);
		form.off();
	}
}

TEST_CASE_METHOD(AtRest, "every form is off after a tick has met unmapped or read-only memory",
		 "[lib][flavour][edge]")
{
	const Loop loop;
	const OffAtEnd off;

	for (const Form &form : forms) {
		const Memory memory(4096);
		auto &counter = *memory.at<volatile unsigned short>();

		INFO(form);
		form.on(memory.at(), 4096, loop.pc());
		REQUIRE(is_counted(loop, counter));
		need(mprotect(memory.at(), 4096, PROT_READ), "mprotect");
		meet_hole(loop);
		need(mprotect(memory.at(), 4096, PROT_READ | PROT_WRITE), "mprotect");
		CHECK(is_off(loop, counter));
		form.off();

		form.on(memory.at(), 4096, loop.pc());
		REQUIRE(is_counted(loop, counter));
		need(munmap(memory.at(), 4096), "munmap");
		meet_hole(loop);
		need_that(mmap(memory.at(), 4096, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == memory.at(),
			  "mmap");
		CHECK(is_off(loop, counter));
		form.off();
	}
}

TEST_CASE_METHOD(AtRest, "every form counts only in the whole counters of its buffer, for any given size",
		 "[lib][flavour][edge]")
{
	const Loop loop;
	const OffAtEnd off;

	for (const Form &form : forms) {
		INFO(form);
		/* Tru64's extended form takes no buffer size: the range of text implies it. */
		if (form.width == 4)
			continue;
		for (const size_t bytes : {0, 1, 2, 3, 5, 7}) {
			Guarded<4> counters;
			auto *const buffer = const_cast<unsigned short *>(counters.counter);

			INFO(bytes << " bytes");
			/*
			 * First with the loop in the last counter, if there is one, then just past
			 * the last counter.
			 */
			if (bytes >= 2) {
				const size_t last = bytes / 2 - 1;

				form.on(buffer, bytes, loop.pc() - 2 * last);
				loop.spin_until([&] { return counters.counter[last] >= 2; });
				CHECK(counters.only(last));
				form.off();
				memset(buffer, 0, 8);
			}
			form.on(buffer, bytes, loop.pc() - bytes / 2 * 2);
			loop.spin_ms(40);
			CHECK(counters.is_zero());
			form.off();
		}
		/* Sizes beyond the mapping, and beyond any possible mapping. */
		const Memory memory(4096);

		for (const size_t bytes : {size_t{8192}, size_t{1} << 31, size_t{1} << 40, SIZE_MAX / 2}) {
			INFO(bytes << " bytes");
			form.on(memory.at(), bytes, loop.pc());
			form.off();
			CHECK(state() == PROFIL_STATE_NONE);
		}
	}
}

TEST_CASE_METHOD(AtRest, "every form counts from its offset on and nothing below", "[lib][flavour][edge]")
{
	const Loop loop;
	const OffAtEnd off;

	for (const Form &form : forms) {
		const Memory memory(4096);
		const auto *const bytes = memory.at<const volatile unsigned char>();

		INFO(form);
		for (const size_t below : {4, 8, 4000}) {
			INFO(below);
			form.on(memory.at(), 4096, loop.pc() - below);
			loop.spin_until([&] { return bytes[below] >= 2; });
			form.off();
			memset(memory.at(), 0, 4096);
		}
		for (const size_t above : {3, 64, 0x10000}) {
			INFO(above);
			form.on(memory.at(), 4096, loop.pc() + above);
			loop.spin_ms(40);
			CHECK(std::all_of(bytes, bytes + 4096, [](unsigned char byte) { return !byte; }));
			form.off();
		}
	}
}

TEST_CASE_METHOD(AtRest, "every form treats a counter at its limit as its system does",
		 "[lib][flavour][edge]")
{
	const Loop loop;
	const OffAtEnd off;

	for (const Form &form : forms) {
		INFO(form);
		if (form.width == 4) {
			alignas(4) volatile unsigned wide[16] = {UINT_MAX - 1};

			form.on(const_cast<unsigned *>(wide), sizeof wide, loop.pc());
			loop.spin_until([&] { return wide[0] < UINT_MAX / 2; });
			form.off();
			continue;
		}
		for (const unsigned short preset : {32766, 32767, 32768, 65534, 65535}) {
			Guarded<8> counters;
			volatile unsigned short &counter = counters.counter[0];

			INFO(preset);
			counter = preset;
			form.on(const_cast<unsigned short *>(counters.counter), sizeof counters.counter,
				loop.pc());
			switch (form.limit) {
			case Limit::wraps:
				loop.spin_until([&] {
					return preset < 65000 ? counter > preset + 2 : counter < 30000;
				});
				break;
			case Limit::stays:
				loop.spin_until([&] {
					return counter == 65535 || (preset < 65000 && counter > preset + 2);
				});
				CHECK((preset < 65000 || is_left_alone(loop, counter)));
				break;
			case Limit::stops_at_32767:
				loop.spin_until([&] { return state() == PROFIL_STATE_LIMIT; });
				CHECK(counter == std::max<unsigned short>(preset, 32767));
				break;
			}
			form.off();
			CHECK(counters.is_whole());
		}
	}
}

TEST_CASE_METHOD(AtRest, "every form goes on in a child, in copied or shared memory, and is off after exec",
		 "[lib][flavour][edge]")
{
	const Loop loop;
	const OffAtEnd off;

	for (const Form &form : forms) {
		const Memory own(4096), shared(4096, MAP_SHARED);
		auto &counter = *own.at<volatile unsigned short>();
		auto &common = *shared.at<volatile unsigned short>();

		INFO(form);
		form.on(own.at(), 4096, loop.pc());
		REQUIRE(is_counted(loop, counter));

		const auto counted = in_child([&] {
			const unsigned short before = counter;
			loop.spin_until([&] { return counter >= before + 3; });
			form.off();
			return is_off(loop, counter);
		});
		const unsigned short mine = counter;

		CHECK(counted);
		/* The child's counts are not in the parent's copy, and the parent still counts. */
		CHECK(is_counted(loop, counter));
		CHECK(counter >= mine);
		CHECK(run(program("uapi_target") + " state").text == "0\n");
		form.off();

		form.on(shared.at(), 4096, loop.pc());
		in_child([&] {
			loop.spin_until([&] { return common >= 3; });
			return 0;
		});
		CHECK(common >= 3);
		CHECK(is_counted(loop, common));
		form.off();
	}
}

TEST_CASE_METHOD(AtRest, "every form counts all threads, even if the thread that turned it on has ended",
		 "[lib][flavour][edge]")
{
	const Loop loop;
	const OffAtEnd off;

	for (const Form &form : forms) {
		const Memory memory(4096);
		auto &counter = *memory.at<volatile unsigned short>();
		const auto spin = [&] {
			const unsigned short before = counter;
			loop.spin_until([&] { return counter >= before + 3; });
		};

		INFO(form);
		std::thread([&] { form.on(memory.at(), 4096, loop.pc()); }).join();
		spin();
		std::thread(spin).join();
		std::thread([&] { form.off(); }).join();
		CHECK(is_off(loop, counter));
	}
}

TEST_CASE_METHOD(AtRest, "every form can be turned off twice and then on again", "[lib][flavour][edge]")
{
	const Loop loop;
	const OffAtEnd off;

	for (const Form &form : forms) {
		const Memory first(4096), second(4096);
		auto &one = *first.at<volatile unsigned short>(),
		     &other = *second.at<volatile unsigned short>();
		const bool aix = std::string(form.name).starts_with("AIX");

		INFO(form);
		form.off();
		form.off();
		CHECK(state() == PROFIL_STATE_NONE);
		form.on(first.at(), 4096, loop.pc());
		REQUIRE(is_counted(loop, one));
		/* Turning a running profile on replaces it, but has no effect on AIX. */
		form.on(second.at(), 4096, loop.pc());
		CHECK(is_counted(loop, aix ? one : other));
		CHECK(is_left_alone(loop, aix ? other : one));
		form.off();
		CHECK(state() == PROFIL_STATE_NONE);
	}
}

TEST_CASE_METHOD(AtRest, "every form except AIX charges kernel ticks to the PC they return to",
		 "[lib][flavour][edge]")
{
	const Burner burner;
	const OffAtEnd off;
	const auto pc = burner.start() + 0x400;
	const auto returns_to = burner.plant_syscalls(pc, 1000);

	for (const Form &form : forms) {
		const Memory memory(4096);
		const auto &at_return =
			*memory.at<volatile unsigned char>((returns_to - pc) / form.width * form.width);
		const bool aix = std::string(form.name).starts_with("AIX");

		INFO(form);
		form.on(memory.at(), 4096, pc);
		while (aix ? self_status().kernel < 5 : at_return < 3)
			Burner::spin(pc, 1);
		CHECK((self_status().kernel == 0) == !aix);
		form.off();
	}
}
