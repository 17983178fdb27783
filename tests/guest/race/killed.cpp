// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/killed.cpp  Attachers and targets that are killed in the middle of an
 * operation, by a signal or by the OOM killer.
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

/** Issue every command that an attacher can, until killed. */
void attach_for_ever(pid_t target, const Memory &counters)
{
	const Device device(O_RDWR | O_NONBLOCK);
	const Fd proof = proof_of(target);
	auto how = describe(each_address(text, text + 1024, counters.at(), 8));
	const auto other = one_counter(text, text + CODE_LOOP_RETURN, counters.at(page), 8);

	how.flags = PROFIL_FOLLOW;
	for (;;) {
		const auto profile = device.attach(how, proof.get());
		auto update = describe_update(profile, std::span(&other, 1));

		need_that(device.call(PROFIL_UPDATE, &update) == 0, "PROFIL_UPDATE");
		device.status(profile);
		device.attach(how, proof.get());
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
		 "an attacher killed at any moment leaves nothing behind and nothing is written any more",
		 "[race]")
{
	const Burner burner;
	const Memory counters(2 * page, MAP_SHARED);
	unsigned touched = 0;

	burner.plant_loop(text);
	const Child target = burning_child(text);
	for (unsigned i = 0; i < rounds(40); i++) {
		Child attacher([&] { attach_for_ever(target.pid(), counters); });

		usleep(i % 10 * 1000);
		kill(attacher.pid(), SIGKILL);
		CHECK(was_killed(attacher));
		give_up(counters);
		Burner::spin(text, 20'000);
		touched += !given_up(counters);
	}
	CHECK(touched == 0);
}

TEST_CASE_METHOD(AtRest,
		 "a process killed by the OOM killer leaves nothing behind and nothing is written any more",
		 "[race]")
{
	const Burner burner;
	const Memory counters(page, MAP_SHARED), its(page, MAP_SHARED);
	const Cgroup group("profil-oom");
	const ModuleCount all;
	uint64_t counted = 0;

	burner.plant_loop(text);
	group.set("memory.max", "16M");
	for (unsigned i = 0; i < rounds(2); i++) {
		const Device device;
		const Gate attached;
		const Child bystander = burning_child(text);

		memset(counters.at(), 0, page);
		memset(its.at(), 0, page);
		/* The victim is profiled by itself and by us, and itself profiles another process. */
		Child victim([&] {
			const Device own;
			group.enter();
			own.start(describe(one_counter(text, text + CODE_LOOP_RETURN, its.at(), 8)));
			own.attach(describe(one_counter(text, text + CODE_LOOP_RETURN, its.at(64), 8)),
				   proof_of(bystander.pid()).get());
			attached.wait();
			const Burners others(text);
			eat_memory();
		});
		const auto profile =
			device.attach(describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8)),
				      proof_of(victim.pid()).get());
		attached.open();
		CHECK(was_killed(victim));
		counted += counter<uint64_t>(counters) + counter<uint64_t>(its) + counter<uint64_t>(its, 8);
		CHECK(device.status(profile).counted == counter<uint64_t>(counters));
		give_up(counters);
		give_up(its);
		Burner::spin(text, 20'000);
		CHECK(given_up(counters));
		CHECK(given_up(its));
	}
	CHECK(all.becomes(counted));
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
	for (unsigned i = 0; i < rounds(2); i++) {
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
