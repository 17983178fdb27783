// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/killed.cpp  Owners and targets of recordings that are killed in the
 * middle of an operation, by a signal or by the OOM killer.
 */
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

/** Issue every command on a recording, until killed. */
void record_for_ever(pid_t target, const Memory &tables)
{
	const Device device;
	const Fd proof = proof_of(target);
	const auto how = describe_recording(tables.at(), page, PROFIL_FOLLOW, period_10khz);

	for (;;) {
		const auto profile = device.record(how, proof.get());
		auto change = describe_table(profile, tables.at(page), page);
		auto again = how;

		need_that(device.call(PROFIL_TABLE, &change) == 0, "PROFIL_TABLE");
		device.status(profile);
		again.proof = proof.get();
		need_that(device.call(PROFIL_RECORD, &again) == EEXIST, "it is recorded already");
		device.stop(profile);
	}
}

/** Allocate memory until killed. */
[[noreturn]] void eat_memory()
{
	for (;;) {
		void *more =
			mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		need_that(more != MAP_FAILED, "address space is available");
		memset(more, 1, 1 << 20);
	}
}

bool was_killed(Child &child)
{
	const int status = child.reap();

	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

} // namespace

TEST_CASE_METHOD(AtRest,
		 "a recorder killed at any moment leaves nothing behind and nothing is written any more",
		 "[race]")
{
	const Burner burner;
	const Memory tables(2 * page, MAP_SHARED);
	unsigned touched = 0;

	burner.plant_loop(text);
	const Child target = burning_child(text);
	for (unsigned i = 0; i < rounds(40); i++) {
		memset(tables.at(), 0, tables.bytes());
		Child recorder([&] { record_for_ever(target.pid(), tables); });

		usleep(i % 10 * 1000);
		kill(recorder.pid(), SIGKILL);
		CHECK(was_killed(recorder));
		give_up(tables);
		Burner::spin(text, 20'000);
		touched += !given_up(tables);
	}
	CHECK(touched == 0);
}

TEST_CASE_METHOD(AtRest,
		 "a process killed by the OOM killer leaves nothing behind and nothing is written any more",
		 "[race]")
{
	const Burner burner;
	const Memory table(page, MAP_SHARED), its(page, MAP_SHARED), own(page, MAP_SHARED);
	const Cgroup group("profil-oom");
	const uint64_t before = module_ticks("counted"), kernel = module_ticks("kernel");
	uint64_t counted = 0;

	burner.plant_loop(text);
	group.set("memory.max", "16M");
	for (unsigned i = 0; i < rounds(2); i++) {
		const Device device;
		const Gate recorded;
		const Child bystander = burning_child(text);

		for (const Memory *one : {&table, &its, &own})
			memset(one->at(), 0, page);
		/* The victim profiles itself, records a bystander, and is recorded by the test. */
		Child victim([&] {
			const Device mine;
			group.enter();
			mine.start(describe(one_counter(text, text + CODE_LOOP_RETURN, own.at(), 8)));
			mine.record(describe_recording(its), proof_of(bystander.pid()).get());
			recorded.wait();
			const Burners others(text);
			eat_memory();
		});
		const auto profile = device.record(describe_recording(table), proof_of(victim.pid()).get());
		recorded.open();
		CHECK(was_killed(victim));
		const auto status = device.status(profile);
		CHECK(status.counted + status.kernel == sum_table(table));
		counted += sum_table(table) + sum_table(its) + counter<uint64_t>(own);
		for (const Memory *one : {&table, &its, &own}) {
			if (one == &table)
				device.stop(profile);
			give_up(*one);
		}
		Burner::spin(text, 20'000);
		for (const Memory *one : {&table, &its, &own})
			CHECK(given_up(*one));
	}
	/*
	 * The recordings' ticks in the kernel are in their tables; the self profile's are in no
	 * memory.
	 */
	CHECK(counted >= module_ticks("counted") - before);
	CHECK(counted <= module_ticks("counted") - before + module_ticks("kernel") - kernel);
}

TEST_CASE_METHOD(AtRest,
		 "children without memory for their counters fail or are killed and leave nothing behind",
		 "[race]")
{
	const Burner burner;
	const Cgroup group("profil-fork");
	constexpr size_t bytes = 2 << 20;

	burner.plant_loop(text);
	group.set("memory.max", "16M");
	for (unsigned i = 0; i < rounds(1); i++) {
		Child parent([&] {
			const Device device;
			const Memory counters(bytes);

			group.enter();
			auto how = describe(each_address(text, text + bytes / 8, counters.at(), 8));
			how.flags = PROFIL_FOLLOW;
			device.start(how);
			for (;;) {
				const pid_t pid = fork();
				if (!pid) {
					prctl(PR_SET_PDEATHSIG, SIGKILL);
					for (;;)
						Burner::spin(text, 20'000);
				}
				need_that(pid > 0 || errno == ENOMEM, "only memory can be missing");
				if (pid < 0)
					break;
			}
			kill(getpid(), SIGKILL);
		});
		CHECK(was_killed(parent));
		group.set("cgroup.kill", "1");
		CHECK(soon([&] { return group.get("cgroup.procs").empty(); }));
	}
}
