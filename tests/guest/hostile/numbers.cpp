// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/numbers.cpp  A user whose programs take as many numbers, and as much memory,
 * of another user's recording as they can get.
 */
#include "tests/guest/hostile/support.h"
#include "tests/guest/record/support.h"
#include "tests/guest/support/busy_module.h"
#include "tests/guest/support/race.h"
#include "tests/support/programs.h"

#include <csignal>
#include <deque>
#include <filesystem>
#include <optional>
#include <sys/prctl.h>
#include <sys/syscall.h>

using namespace guest;
using namespace guest::hostile;

namespace {

/** Each process takes four numbers; together they take more than a module for these tests has. */
constexpr unsigned processes = 80;

/** An attack, which goes on until the attacker's processes are killed. */
struct Attack {
	const char *name;
	uint32_t flags; /**< the recording's */
	/** Opens @p ready, and attacks once @p go is opened, once per process. */
	void (*run)(const std::string &program, const Gate &ready, const Gate &go);
	bool system_wide = true; /**< or the recording is of the attacker's and the victim's process */
};

/** Execute a program under one name after another. */
void execute_names(const std::string &program, const Gate &ready, const Gate &go)
{
	ready.open();
	go.wait();
	for (unsigned i = 0; i < processes; i++) {
		const std::string path = program + std::to_string(i);

		/* An earlier attacker was killed at any time. */
		std::filesystem::remove(path);
		std::filesystem::create_symlink(program, path);
		Child([&] {
			execl(path.c_str(), path.c_str(), nullptr);
			need(-1, path.c_str());
		}).join();
		std::filesystem::remove(path);
	}
	pause();
}

/** Fork children that sleep. */
void fork_sleepers(const std::string & /*program*/, const Gate &ready, const Gate &go)
{
	std::deque<Child> children;

	ready.open();
	go.wait();
	for (unsigned i = 0; i < processes; i++)
		children.emplace_back([] { pause(); });
	pause();
}

/**
 * Before the recording, fork children that only call the kernel: a work item finds their owners.
 */
void call_kernel(const std::string & /*program*/, const Gate &ready, const Gate &go)
{
	std::deque<Child> children;

	for (unsigned i = 0; i < processes; i++)
		children.emplace_back([&, i] {
			static char random[16 << 10];

			prctl(PR_SET_NAME, ("caller" + std::to_string(i)).c_str());
			go.wait();
			for (;;) {
				syscall(SYS_getrandom, random, sizeof(random), 0);
				usleep(10'000);
			}
		});
	ready.open();
	pause();
}

/** Kernel threads, which the kernel makes for users in many ways, and which run as root. */
void have_kernel_threads(const std::string & /*program*/, const Gate &ready, const Gate & /*go*/)
{
	ready.open();
	pause();
}

const std::vector<Attack> attacks = {
	{"programs under many names", 0, execute_names},
	{"programs under many names", PROFIL_FOLLOW, execute_names, false},
	{"sleeping children", PROFIL_RECORD_PROCESSES, fork_sleepers},
	{"sleeping children", PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES, fork_sleepers, false},
	{"processes that only call the kernel", 0, call_kernel},
	{"kernel threads", PROFIL_RECORD_KERNEL, have_kernel_threads},
};

} // namespace

TEST_CASE_METHOD(AtRest, "one user's programs leave numbers of a recording for another user's programs",
		 "[hostile][window]")
{
	const auto attack = GENERATE(from_range(attacks));
	const std::string copy = "/tmp/profil-short";
	const uintptr_t text = Burner::usual;
	const LoopFile file("profil-loop");
	const Gate named, ready, go, go_on;
	/* The module for these tests takes a long time for each tick, and few are needed. */
	Recording recording(4096, 100'000'000);
	std::optional<BusyModule> busy;

	CAPTURE(attack.name, attack.system_wide);
	if (attack.run == have_kernel_threads)
		busy.emplace();
	std::filesystem::copy_file(program("record_short"), copy,
				   std::filesystem::copy_options::overwrite_existing);
	Steps other([&](auto spin) {
		become(victim, 0);
		need(prctl(PR_SET_NAME, "profil-victim"), "prctl");
		file.map(text);
		named.open();
		go_on.wait();
		spin(text);
	});
	auto hostile = std::make_unique<Child>(as_user(attacker, [&] { attack.run(copy, ready, go); }));
	named.wait();
	ready.wait();
	if (attack.system_wide) {
		REQUIRE(recording.begin_everybody(attack.flags) == 0);
	} else {
		recording.begin(hostile->pid(), attack.flags);
		REQUIRE(recording.add(other.pid()) == 0);
	}
	const uint32_t highest = recording.described(0).highest;
	if (highest <= 4 * processes) {
		go.open(processes);
		if (busy)
			busy->threads(processes);
		CHECK(soon([&] { return recording.status().joined >= processes; }));
		/*
		 * The attacker gets at most half of the numbers that the recording itself and root
		 * leave.
		 */
		CHECK(highest - recording.described(0).in_use > highest / 4);
		hostile.reset();
		go_on.open();
		const auto ticks = [&] {
			return recording.sum([&](const Row &row) {
				return row.owner.who() == "profil-victim" && row.text.place == file.path();
			});
		};
		CHECK(grows(ticks, 5));
	}
	hostile.reset();
	std::filesystem::remove(copy);
	if (highest > 4 * processes)
		support::skip("the numbers of this module do not end before the test would");
}

/* A module for these tests has caches for 16 address spaces. */
TEST_CASE_METHOD(AtRest, "one user's processes cost the reader of a system-wide recording little memory",
		 "[hostile][window]")
{
	constexpr unsigned number = 24;
	const uintptr_t text = Burner::usual;
	const Cgroup group("recorder");
	const Gate begun, end;
	std::deque<Gate> go(number);
	std::deque<Child> burners;
	const auto slab = [&] { return group.number("memory.stat", "slab_unreclaimable"); };
	{
		Recording recording(256, 200'000'000);

		recording.begin(getpid());
		if (recording.described(0).highest > 10'000)
			support::skip("this module has more caches than the test has processes");
	}
	/* They are forked before the recorder enters its group, which would pay for them. */
	for (unsigned i = 0; i < number; i++)
		burners.push_back(as_user(attacker, [&] {
			const Burner burner;

			burner.plant_loop(text);
			go[i].wait();
			spin_while(text, [] { return true; });
		}));
	Child recorder([&] {
		group.enter();
		Recording recording(256, 200'000'000);
		need_that(recording.begin_everybody() == 0, "PROFIL_RECORD");
		begun.open();
		end.wait();
		/* A tick without a cache counts like any other. */
		need_that(recording.sum([&](const Row &row) {
			return row.owner.who() == "guest" && row.text.kind == PROFIL_KIND_MEMORY;
		}) >= number,
			  "each process has ticks");
	});
	begun.wait();
	const uint64_t before = slab();
	/* One after the other: in this module, a switch of tasks takes as long as a tick. */
	for (unsigned i = 0; i < number; i++) {
		go[i].open();
		REQUIRE(process_runs_for(burners[i].pid(), 450'000'000));
		kill(burners[i].pid(), SIGSTOP);
	}
	const uint64_t after = slab();
	burners.clear();
	end.open();
	recorder.join();
	/* A cache has more than a page; a binding and a watch have 384 bytes. */
	CHECK(after - before < number * 3072);
}
