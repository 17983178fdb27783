// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/numbers.cpp  A user whose programs take as many numbers of a system-wide
 * recording as they can get.
 */
#include "tests/guest/hostile/support.h"
#include "tests/guest/record/support.h"
#include "tests/support/programs.h"

#include <deque>
#include <filesystem>
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
};

/** Execute a program under one name after another. */
void execute_names(const std::string &program, const Gate &ready, const Gate &go)
{
	ready.open();
	go.wait();
	for (unsigned i = 0; i < processes; i++) {
		const std::string path = program + std::to_string(i);

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

const std::vector<Attack> attacks = {
	{"programs under many names", 0, execute_names},
	{"sleeping children", PROFIL_RECORD_PROCESSES, fork_sleepers},
	{"processes that only call the kernel", 0, call_kernel},
};

} // namespace

TEST_CASE_METHOD(AtRest,
		 "one user's programs leave numbers of a system-wide recording for another user's programs",
		 "[hostile][window]")
{
	const auto attack = GENERATE(from_range(attacks));
	const std::string copy = "/tmp/profil-short";
	const uintptr_t text = Burner::usual;
	const LoopFile file("profil-loop");
	const Gate named, ready, go, go_on;
	/* The module for these tests takes a long time for each tick. */
	Recording recording(4096, 2'000'000);

	CAPTURE(attack.name);
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
	REQUIRE(recording.begin_everybody(attack.flags) == 0);
	const uint32_t highest = recording.described(0).highest;
	if (highest <= 4 * processes) {
		go.open(processes);
		CHECK(soon([&] { return recording.status().joined >= processes; }));
		/*
		 * The attacker gets at most half of the numbers that the recording itself and root
		 * leave.
		 */
		CHECK(highest - recording.described(0).in_use > highest / 4);
		hostile.reset();
		go_on.open();
		CHECK(grows([&] {
			return recording.sum([&](const Row &row) {
				return row.owner.who() == "profil-victim" && row.text.place == file.path();
			});
		}));
	}
	hostile.reset();
	std::filesystem::remove(copy);
	if (highest > 4 * processes)
		support::skip("the numbers of this module do not end before the test would");
}
