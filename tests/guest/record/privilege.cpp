// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/privilege.cpp  A user may record exactly the tasks that the user may
 * open with perf_event_open(2).
 *
 * Every case asks the kernel, then the module, and compares both answers with the documented rules.
 * libprofil passes the module the same descriptor that the kernel returned.  For several targets at
 * once, it passes a descriptor on a CPU if the caller has CAP_PERFMON.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/record/target_kinds.h"
#include "tests/guest/support/places.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <profil.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const std::string paranoid = "/proc/sys/kernel/perf_event_paranoid";
const std::string ptrace_scope = "/proc/sys/kernel/yama/ptrace_scope";

/**
 * The rules of perf_event_open(2) as its manual page and ptrace(2) (PTRACE_MODE_READ_REALCREDS)
 * document them.  Returns 0 or the error.
 */
int known(const Attacker &who, int kind, int level, bool kernel_ticks)
{
	/* Debian's patch for level 3 accepts only CAP_SYS_ADMIN, not CAP_PERFMON. */
	if (level > 2 && !(who.capabilities & admin))
		return EACCES;
	if (who.capabilities & (perfmon | admin))
		return 0;
	if (kernel_ticks && level > 1)
		return EACCES;
	if (who.capabilities & ptrace)
		return 0;
	const bool own = kind == TargetKinds::plain || kind == TargetKinds::user_ns ||
			 kind == TargetKinds::pid_ns || kind == TargetKinds::mount_ns ||
			 kind == TargetKinds::container;
	return who.user == nobody && own && !who.in_namespace ? 0 : EACCES;
}

struct Answer {
	int by_kernel, by_module, by_shared_proof, by_library, by_library_together;
};

int ask_kernel(pid_t pid, bool kernel_ticks, Fd &proof)
{
	proof = open_proof({.pid = pid, .exclude_kernel = !kernel_ticks});
	return proof.get() < 0 ? errno : 0;
}

/** Begin a recording.  Returns 0 or the error. */
int ask_module(uint32_t flags, int proof, pid_t target = 0)
{
	const Device device;
	const Memory table(page);
	profil_record how = describe_recording(table, flags, period_nobody);

	how.proof = proof;
	how.target = target;
	return device.call(PROFIL_RECORD, &how);
}

/** Name the task along with a system-wide proof, if perf_event_open(2) grants one. */
int ask_with_shared_proof(uint32_t flags, pid_t pid)
{
	const Fd proof = open_proof({.pid = -1, .exclude_kernel = !(flags & PROFIL_KERNEL_TICKS), .cpu = 0});

	return proof.get() < 0 ? errno : ask_module(flags, proof.get(), pid);
}

int ask_library(uint32_t flags, pid_t pid)
{
	const std::unique_ptr<profil_session, void (*)(profil_session *)> session(profil_session_open(),
										  profil_session_close);
	const Memory table(page);
	profil_record how = describe_recording(table, flags, period_nobody);

	need_that(session != nullptr, "a session");
	return profil_session_record(session.get(), pid, &how, nullptr) ? errno : 0;
}

/**
 * Add the process twice to the caller's recording, so that libprofil may use a shared proof.
 * Returns 0 if one attempt succeeded, as then the other must fail with EEXIST; otherwise both must
 * fail with the same error, which is returned.
 */
int ask_library_together(uint32_t flags, pid_t pid)
{
	const std::unique_ptr<profil_session, void (*)(profil_session *)> session(profil_session_open(),
										  profil_session_close);
	const Memory table(page);
	profil_record how = describe_recording(table, flags, period_nobody);
	profil_target targets[2] = {};

	need_that(session != nullptr, "a session");
	if (profil_session_record(session.get(), getpid(), &how, nullptr))
		return errno;
	targets[0].pid = targets[1].pid = pid;
	profil_session_add(session.get(), how.profile, targets, 2);
	const auto [one, other] = std::minmax(targets[0].error, targets[1].error);
	need_that(other == (one ? one : EEXIST), "both have the same answer");
	return one;
}

/** Without a proof, the error of perf_event_open(2) stands for the module's answer. */
Answer ask(pid_t pid, bool kernel_ticks)
{
	const uint32_t flags = kernel_ticks ? PROFIL_KERNEL_TICKS : 0;
	Answer answer;
	Fd proof;

	answer.by_kernel = ask_kernel(pid, kernel_ticks, proof);
	answer.by_module = answer.by_kernel ? answer.by_kernel : ask_module(flags, proof.get());
	answer.by_shared_proof = ask_with_shared_proof(flags, pid);
	answer.by_library = ask_library(flags, pid);
	answer.by_library_together = pid == getpid() ? answer.by_library : ask_library_together(flags, pid);
	return answer;
}

struct Answers {
	Answer of[TargetKinds::kinds][2];
};

void check_all(const TargetKinds &targets, int level, const std::string &circumstances)
{
	const Setting setting(paranoid, std::to_string(level));

	for (const Attacker &attacker : attackers) {
		const auto answers = in_child([&] {
			Answers all_of_them;

			attacker.be();
			for (int kind = 0; kind < TargetKinds::kinds; kind++)
				for (const bool kernel_ticks : {false, true})
					all_of_them.of[kind][kernel_ticks] =
						ask(targets.pid(kind), kernel_ticks);
			return all_of_them;
		});
		for (int kind = 0; kind < TargetKinds::kinds; kind++)
			for (const bool kernel_ticks : {false, true}) {
				const Answer &answer = answers.of[kind][kernel_ticks];

				CAPTURE(circumstances, level, attacker.name, TargetKinds::names[kind],
					kernel_ticks);
				CHECK(answer.by_kernel == known(attacker, kind, level, kernel_ticks));
				CHECK(answer.by_module == answer.by_kernel);
				CHECK(answer.by_shared_proof == (attacker.capabilities & (perfmon | admin)
									 ? answer.by_kernel
									 : EACCES));
				CHECK(answer.by_library == answer.by_kernel);
				CHECK(answer.by_library_together == answer.by_kernel);
			}
	}
}

/**
 * The levels of perf_event_paranoid to check.  Slow kernels check one, because a check begins
 * thousands of recordings, and the end of each waits for grace periods.
 */
std::vector<int> levels()
{
	return slowness() == 1 ? std::vector{-1, 0, 1, 2, 3} : std::vector{2};
}

void need_yama()
{
	if (!std::filesystem::exists(ptrace_scope))
		support::skip("this kernel has no Yama");
}

} // namespace

TEST_CASE_METHOD(AtRest, "recording needs the permissions of perf_event_open at every perf_event_paranoid",
		 "[record][privilege][slow]")
{
	const TargetKinds targets;

	for (const int level : levels())
		check_all(targets, level, "Yama unchanged");
}

TEST_CASE_METHOD(AtRest, "Yama's ptrace_scope changes nothing, as it changes nothing for perf",
		 "[record][privilege][slow]")
{
	need_yama();
	const TargetKinds targets;

	for (const char *scope : {"0", "1", "2"}) {
		const Setting setting(ptrace_scope, scope);
		check_all(targets, 2, std::string("Yama ") + scope);
	}
}

/* The setting cannot be undone, so this test comes last. */
TEST_CASE_METHOD(AtRest, "Yama's ptrace_scope 3 also changes nothing", "[record][privilege][slow][last]")
{
	need_yama();
	const TargetKinds targets;

	write_file(ptrace_scope, "3");
	for (const int level : levels())
		check_all(targets, level, "Yama 3");
}

TEST_CASE_METHOD(AtRest, "a container records its own processes by the PIDs it sees", "[record][privilege]")
{
	const Setting usual(paranoid, "2");
	struct Seen {
		Answer child, first;
		pid_t pid, told;
	};

	const auto seen = in_container([] {
		Seen result = {};
		const Child target([] { pause(); });
		Recording recording(256, period_nobody);

		result.pid = target.pid();
		result.child = ask(result.pid, false);
		result.first = ask(1, false); /* itself: the machine's PID 1 has no PID here */
		recording.begin_with(open_proof({.pid = result.pid, .exclude_kernel = true}),
				     PROFIL_RECORD_PROCESSES);
		for (uint32_t number = 1; number <= recording.described(0).numbers; number++)
			result.told = std::max(result.told, recording.described(number).pid);
		return result;
	});
	CHECK(seen.pid == 2);
	CHECK(seen.child.by_kernel == 0);
	CHECK(seen.child.by_module == 0);
	CHECK(seen.child.by_library == 0);
	CHECK(seen.first.by_kernel == 0);
	CHECK(seen.first.by_module == 0);
	CHECK(seen.first.by_library == 0);
	CHECK(seen.told == 2);
}

TEST_CASE_METHOD(AtRest, "every user can profile their own process, even where perf is forbidden",
		 "[record][privilege]")
{
	const Setting forbidden(paranoid, "3");
	struct Counted {
		uint64_t ticks, counter;
	};
	const auto count = [] {
		const Device device;
		const Burner burner;
		const Memory memory(page);
		Counted result;

		device.start(describe(region_on(memory.at()), period_nobody));
		result.ticks = burn_ticks(device, burner, counted_text, 3);
		result.counter = counter<uint64_t>(memory);
		device.stop();
		return result;
	};
	const auto check = [](const Counted &counted) {
		CHECK(counted.ticks >= 3);
		CHECK(counted.counter == counted.ticks);
	};

	for (const Attacker &attacker : attackers) {
		CAPTURE(attacker.name);
		check(in_child([&] {
			attacker.be();
			return count();
		}));
	}
	check(in_container(count));
	check(in_child([&] { /* as a set-uid program does */
			     need(setresuid(nobody, 0, 0), "setresuid");
			     need(prctl(PR_SET_DUMPABLE, 0), "PR_SET_DUMPABLE");
			     return count();
	}));
	check(in_child([&] {
		const Device opened_before;
		as_nobody();
		need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
		return count();
	}));
}
