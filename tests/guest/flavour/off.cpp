// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/flavour/off.cpp  Turning a profile off in a process that has since lost its
 * descriptors, its root directory or system calls.  On the classical systems this never fails.
 */
#include "tests/guest/flavour/forms.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <atomic>
#include <cstddef>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pcsample.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>

using namespace guest;
using namespace lib_test;

extern "C" {
int monitor_tru64(char *, char *, char *, size_t, size_t);
int moncontrol(int);
}

namespace {

void use_up_descriptors()
{
	const rlimit few = {64, 64};

	need(setrlimit(RLIMIT_NOFILE, &few), "setrlimit");
	while (dup(STDERR_FILENO) >= 0)
		;
}

void allow_no_descriptors()
{
	const rlimit none = {};

	need(setrlimit(RLIMIT_NOFILE, &none), "setrlimit");
}

void change_root()
{
	char empty[] = "/tmp/profil-off-XXXXXX";

	need_that(mkdtemp(empty) != nullptr, "mkdtemp");
	need(chroot(empty), "chroot");
	need(chdir("/"), "chdir");
}

/** From now on open(2) and its relatives have this outcome. */
void forbid_open(unsigned outcome)
{
	const auto call = static_cast<unsigned>(offsetof(seccomp_data, nr));
	const sock_filter lines[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, call),
#ifdef SYS_open
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 2, 0),
#else
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 2, 0),
#endif
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, outcome),
	};
	const sock_fprog filter = {sizeof lines / sizeof *lines, const_cast<sock_filter *>(lines)};

	need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), "PR_SET_SECCOMP");
}

struct Loss {
	const char *name;
	void (*strike)();
	int error; /* of turning a profile on; 0 if that still works */
};

const Loss losses[] = {
	{"every descriptor in use", use_up_descriptors, EMFILE},
	{"RLIMIT_NOFILE is 0", allow_no_descriptors, EMFILE},
	{"all descriptors closed", [] { close_range(0, ~0U, 0); }, 0},
	{"another root directory", change_root, ENODEV},
	{"another root directory, and no descriptor",
	 [] {
		 change_root();
		 allow_no_descriptors();
	 },
	 EMFILE},
	{"open() is forbidden", [] { forbid_open(SECCOMP_RET_ERRNO | EPERM); }, EPERM},
	{"open() is deadly", [] { forbid_open(SECCOMP_RET_KILL_PROCESS); }, -1},
};

/**
 * What a child saw before and after its Loss; in shared memory, because its descriptors may be
 * gone.
 */
struct Seen {
	bool ended, counted, wrote_later, right;
	int error_off, error_on;
};

template <typename Run> Seen in_losing_child(Run run)
{
	const Memory report(4096, MAP_SHARED);
	auto &seen = *report.at<Seen>();
	Child child([&] {
		seen = run();
		seen.ended = true;
	});

	child.join();
	return seen;
}

Seen lose_and_turn_off(const Form &form, const Loss &loss, const Loop &loop)
{
	const Memory memory(4096);
	auto &counter = *memory.at<volatile unsigned short>();
	Seen seen = {};

	form.on(memory.at(), 4096, loop.pc());
	seen.counted = is_counted(loop, counter);
	loss.strike();
	seen.error_off = errno_of(form.off);
	seen.wrote_later = !is_off(loop, counter);
	if (loss.error > 0)
		seen.error_on = errno_of([&] { form.on(memory.at(), 4096, loop.pc()); });
	return seen;
}

} // namespace

TEST_CASE_METHOD(AtRest, "every form is off at once, whatever the process has lost", "[lib][flavour][off]")
{
	const ClockKeeper ticking;
	const Loop loop;

	for (const Form &form : forms)
		for (const Loss &loss : losses) {
			INFO(form << ": " << loss.name);
			const auto seen =
				in_losing_child([&] { return lose_and_turn_off(form, loss, loop); });

			CHECK(seen.ended);
			CHECK(seen.counted);
			CHECK_FALSE(seen.wrote_later);
			CHECK(seen.error_off == 0);
			/* IRIX always returns 0. */
			if (loss.error > 0 && std::string(form.name) != "IRIX profil")
				CHECK(seen.error_on == loss.error);
		}
}

TEST_CASE_METHOD(AtRest, "every form is off without a system call in a process of one thread",
		 "[lib][flavour][off]")
{
	const ClockKeeper ticking;
	const Loop loop;

	for (const Form &form : forms) {
		/* AIX and BSD take a lock that blocks signals, by a system call. */
		const std::string name = form.name;
		if (name.starts_with("AIX") || name.starts_with("BSD"))
			continue;
		const Memory memory(4096), result(4096, MAP_SHARED);
		auto &counter = *memory.at<volatile unsigned short>();
		auto &after = *result.at<volatile unsigned>();

		INFO(form);
		after = ~0U;
		Child child([&] {
			form.on(memory.at(), 4096, loop.pc());
			is_counted(loop, counter);
			need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT), "PR_SET_SECCOMP");
			form.off();
			const unsigned short before = counter;
			for (int i = 0; i < 200; i++)
				loop.spin(1'000'000);
			after = counter - before;
			syscall(SYS_exit, 0);
		});
		child.join();
		CHECK(after == 0);
	}
}

TEST_CASE_METHOD(AtRest, "pcsample returns what it has stored, whatever the process has lost",
		 "[lib][pcsample][off]")
{
	const ClockKeeper ticking;
	const Loop loop;

	for (const Loss &loss : losses) {
		INFO(loss.name);
		const auto seen = in_losing_child([&] {
			const Memory memory(2 * 4096);
			const auto *const pcs = memory.at<const volatile uintptr_t>();
			const auto stored = [&] {
				long n = 0;

				while (pcs[n])
					n++;
				return n;
			};

			need_that(pcsample(memory.at<uintptr_t>(), 1000) == 0, "pcsample");
			loop.spin_until([&] { return stored() >= 5; });
			loss.strike();
			const long returned = pcsample(nullptr, 0);
			const long there = stored();
			loop.spin_ms(60);
			Seen result = {};
			result.right = returned == there && stored() == there && pcsample(nullptr, 0) == 0;
			return result;
		});
		CHECK(seen.ended);
		CHECK(seen.right);
	}
}

TEST_CASE_METHOD(AtRest, "moncontrol(0) is off at once, whatever the process has lost", "[lib][gmon][off]")
{
	const ClockKeeper ticking;
	const Loop loop;

	for (const Loss &loss : losses) {
		INFO(loss.name);
		const auto seen = in_losing_child([&] {
			const Memory memory(4096);
			auto &counter = *memory.at<volatile unsigned short>();
			auto *const low = reinterpret_cast<char *>(loop.pc());

			need(monitor_tru64(low, low + 64, memory.at<char>(), 4096, 0), "monitor");
			is_counted(loop, counter);
			loss.strike();
			const int was = moncontrol(0);
			Seen result = {};
			result.right = was == 1 && is_off(loop, counter);
			return result;
		});
		CHECK(seen.ended);
		CHECK(seen.right);
	}
}

TEST_CASE_METHOD(AtRest, "a counter is not written after off has returned in a thread while others run",
		 "[lib][flavour][off][smp]")
{
	const Loop loop;
	const OffAtEnd off;
	std::atomic<bool> enough = false;
	std::thread others([&] {
		while (!enough)
			loop.spin(1000);
	});
	const Memory memory(4096);
	auto &counter = *memory.at<volatile uint32_t>();
	profil_region region = one_counter(loop.pc(), loop.pc() + 64, memory.at());
	profil_spec spec = {};
	unsigned written = 0;

	spec.size = sizeof spec;
	spec.period = period_10khz;
	spec.regions = &region;
	spec.nr_regions = 1;
	for (int round = 0; round < 300; round++) {
		need(profil_self_start(&spec, nullptr), "profil_self_start");
		counter = 0;
		loop.spin(20'000);
		need(profil_self_stop(nullptr), "profil_self_stop");
		counter = 0;
		loop.spin(20'000);
		written += counter != 0;
	}
	enough = true;
	others.join();
	CHECK(written == 0);
}

TEST_CASE_METHOD(AtRest, "a child can turn off what it has inherited without its parent",
		 "[lib][flavour][off]")
{
	const ClockKeeper ticking;
	const Loop loop;
	const OffAtEnd off;

	for (const Form &form : forms) {
		const Memory memory(4096);
		auto &counter = *memory.at<volatile unsigned short>();

		INFO(form);
		form.on(memory.at(), 4096, loop.pc());
		REQUIRE(is_counted(loop, counter));
		CHECK(in_child([&] {
			allow_no_descriptors();
			is_counted(loop, counter);
			form.off();
			return is_off(loop, counter);
		}));
		CHECK(is_counted(loop, counter));
		form.off();
		/* No child inherits a profile that is off, even if the kernel has yet to notice. */
		form.on(memory.at(), 4096, loop.pc());
		REQUIRE(is_counted(loop, counter));
		form.off();
		CHECK(in_child([&] { return is_off(loop, counter); }));
	}
}

TEST_CASE_METHOD(AtRest, "turning on for the first time after such a loss says why it fails",
		 "[lib][flavour][off]")
{
	const Loop loop;

	for (const Form &form : forms)
		for (const Loss &loss : losses) {
			if (loss.error < 0)
				continue;
			INFO(form << ": " << loss.name);
			const auto seen = in_losing_child([&] {
				const Memory memory(4096);
				Seen result = {};

				loss.strike();
				result.error_on = errno_of([&] { form.on(memory.at(), 4096, loop.pc()); });
				result.error_off = errno_of(form.off);
				return result;
			});

			CHECK(seen.ended);
			CHECK(seen.error_off == 0);
			/* IRIX always returns 0. */
			CHECK(seen.error_on == (std::string(form.name) == "IRIX profil" ? 0 : loss.error));
		}
}

TEST_CASE_METHOD(AtRest, "off never fails without the module", "[lib][flavour][off]")
{
	need_that(soon([] { return !unload_module(); }), "the module is not in use");
	for (const Form &form : forms) {
		INFO(form);
		CHECK(errno_of(form.off) == 0);
	}
	CHECK(pcsample(nullptr, 0) == 0);
	CHECK(profil_self_stop(nullptr) == 0);
	CHECK(load_module() == 0);
}
