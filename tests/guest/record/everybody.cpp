// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/everybody.cpp  System-wide recordings, with an owner for each program
 * or for each process.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/cpu.h"
#include "tests/guest/support/credentials.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <vector>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

/** The ticks in the file at @p place of owners with the name @p who. */
uint64_t ticks_of(const Recording &recording, const std::string &who, const std::string &place)
{
	return recording.sum(
		[&](const Row &row) { return row.owner.who() == who && row.text.place == place; });
}

int refused(const Recording &recording, profil_record record, const Fd &proof)
{
	record.proof = proof.get();
	return recording.device().call(PROFIL_RECORD, &record);
}

} // namespace

TEST_CASE_METHOD(AtRest, "a system-wide recording has running processes and those that begin later",
		 "[record]")
{
	const LoopFile before("profil-before"), after("profil-after");
	Steps running([&](auto spin) {
		before.map(text);
		spin(text);
	});
	Recording recording;

	REQUIRE(recording.begin_everybody() == 0);
	CHECK(grows([&] { return ticks_of(recording, "guest", before.path()); }));
	{
		Steps young([&](auto spin) {
			after.map(text);
			spin(text);
		});

		CHECK(grows([&] { return ticks_of(recording, "guest", after.path()); }));
	}
	recording.finish();
	const profil_status status = recording.status();
	CHECK(recording.sum() == status.counted + status.kernel);
	CHECK(status.lost_full == 0);
	CHECK(recording.add(running.pid()) == EINVAL);
}

TEST_CASE_METHOD(AtRest, "a process that only calls the kernel is known without a tick in user mode",
		 "[record]")
{
	const Gate named;
	Steps child([&](auto spin) {
		const Burner burner;
		burner.plant_syscalls(text, SYS_getppid);
		need(prctl(PR_SET_NAME, "profil-calls"), "prctl");
		named.open();
		spin(text);
	});
	Recording recording;

	named.wait();
	REQUIRE(recording.begin_everybody() == 0);
	CHECK(grows([&] {
		return recording.sum([](const Row &row) {
			return row.owner.who() == "profil-calls" && row.text.kind == PROFIL_KIND_KERNEL;
		});
	}));
}

TEST_CASE_METHOD(AtRest, "a process with a plain profile of its own is in a system-wide recording, too",
		 "[record]")
{
	const LoopFile file("profil-loop");
	Memory counters(4096, MAP_SHARED);
	const bool first = GENERATE(true, false);
	const Gate go;
	Child child([&] {
		const Device device;

		file.map(text);
		if (!first)
			go.wait();
		device.start(describe(one_counter(text, text + 16, counters.at())));
		spin_while(text, [] { return true; });
	});
	Recording recording;
	const auto own = [&] { return counter<uint32_t>(counters); };

	if (first)
		REQUIRE(grows([&] { return uint64_t{own()}; }));
	REQUIRE(recording.begin_everybody() == 0);
	go.open();
	CHECK(grows([&] { return ticks_of(recording, "guest", file.path()); }));
	CHECK(grows([&] { return uint64_t{own()}; }));
	recording.finish();
	CHECK(grows([&] { return uint64_t{own()}; }));
}

TEST_CASE_METHOD(AtRest, "each process is an owner of its own if that is asked for", "[record]")
{
	const LoopFile file("profil-loop");
	const bool everybody = GENERATE(false, true);
	const Gate go;
	Memory forked(4096, MAP_SHARED);
	Child child([&] {
		file.map(text);
		go.wait();
		const pid_t other = fork();

		if (other)
			*forked.at<pid_t>() = other;
		spin_while(text, [] { return true; });
	});
	Recording recording;
	const auto ticks = [&](pid_t pid) {
		return recording.sum([&](const Row &row) {
			return row.owner.pid == pid && row.owner.who() == "guest" &&
			       row.text.place == file.path();
		});
	};

	if (everybody)
		REQUIRE(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	else
		recording.begin(child.pid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	go.open();
	CHECK(grows([&] { return ticks(child.pid()); }));
	const pid_t other = *forked.at<pid_t>();
	REQUIRE(other > 0);
	CHECK(grows([&] { return ticks(other); }));
	need(kill(other, SIGKILL), "kill");
}

TEST_CASE_METHOD(AtRest, "only a sampling event of a CPU is a proof for a system-wide recording", "[record]")
{
	Recording recording;
	const profil_record request = recording.request(PROFIL_RECORD_EVERYBODY);
	const int cpu = sched_getcpu();

	CHECK(refused(recording, request, proof_of(getpid())) == EINVAL);
	CHECK(refused(recording, request, open_proof({.pid = getpid(), .cpu = cpu})) == EINVAL);
	CHECK(refused(recording, request, open_proof({.pid = -1, .sampling = false, .cpu = cpu})) == EINVAL);
	CHECK(refused(recording, request, open_proof({.pid = -1, .cpu = cpu, .sample_type = 2})) == EINVAL);
	CHECK(refused(recording, request, Fd(-1)) == EBADF);
	/* An event on a CPU is not a proof for a process. */
	CHECK(refused(recording, recording.request(), open_proof({.pid = -1, .cpu = cpu})) == EINVAL);
}

TEST_CASE_METHOD(AtRest, "there are four privileged system-wide recordings at most", "[record]")
{
	std::vector<Recording> all(5);

	for (size_t i = 0; i < 4; i++)
		CHECK(all[i].begin_everybody() == 0);
	CHECK(all[4].begin_everybody() == EBUSY);
	all[1].finish();
	CHECK(all[4].begin_everybody() == 0);
	for (const size_t i : {0, 2, 3, 4})
		CHECK(grows([&] { return all[i].sum(); }));
}

namespace {

/** Reaps a child.  Returns its CPU time in ns, as the kernel accounts it. */
double reap(pid_t pid)
{
	rusage use = {};
	int status = 0;
	const auto ns = [](const timeval &t) { return t.tv_sec * 1e9 + t.tv_usec * 1e3; };

	need(wait4(pid, &status, 0, &use), "wait4");
	need_that(status == 0, "the child has done its work");
	return ns(use.ru_utime) + ns(use.ru_stime);
}

/** Forks a child that works for a while; every fourth child works much longer. */
pid_t worker(unsigned number)
{
	const pid_t pid = need(fork(), "fork");

	if (pid)
		return pid;
	const Burner burner;
	burner.plant_loop(text);
	code_run(text, number % 4 ? 20'000 : 2'000'000 + 100'000 * number);
	_exit(0);
}

} // namespace

/* Needs virtual time: time that the host takes from the guest is in rusage, but has no ticks. */
TEST_CASE_METHOD(AtRest, "each of many processes has its share of a system-wide recording's ticks",
		 "[record][icount]")
{
	constexpr unsigned processes = 100;
	constexpr uint64_t period = 50'000;

	/* On a debug kernel a tick takes so long that the next one is due before it ends. */
	skip_if_late_is_unknown();
	Recording recording(8192, period);
	std::map<pid_t, double> used;
	std::map<pid_t, uint64_t> ticks;
	double all = 0, sum = 0, distance = 0, chance = 0;

	REQUIRE(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	for (unsigned number = 0; number < processes; number++)
		used[worker(number)] = 0;
	for (auto &[pid, ns] : used)
		all += ns = reap(pid);
	recording.finish();
	for (const Row &row : recording.rows()) {
		if (used.contains(row.owner.pid)) {
			ticks[row.owner.pid] += row.count;
			sum += static_cast<double>(row.count);
		}
	}
	for (const auto &[pid, ns] : used) {
		const double share = ns / all;

		distance += std::abs(static_cast<double>(ticks[pid]) / sum - share) / 2;
		chance += std::sqrt(2 * share * (1 - share) / (M_PI * sum)) / 2;
	}
	CAPTURE(sum, distance, chance, sum * period / all);
	CHECK(sum * period / all > 0.99);
	CHECK(sum * period / all < 1.01);
	CHECK(distance < 1.5 * chance);
}

/*
 * In each recording, a tick in a system call of a process without a known owner is deferred until
 * the owner is known.
 */
TEST_CASE_METHOD(AtRest,
		 "each of two system-wide recordings has the ticks of processes that neither has seen yet",
		 "[record][icount]")
{
	/* Six ticks per process: fewer than can be deferred for one task. */
	constexpr size_t processes = 50, bytes = 20 << 10;

	skip_if_late_is_unknown();
	std::vector<Gate> go(processes);
	std::vector<Child> children;
	std::vector<pid_t> pids;

	for (size_t i = 0; i < processes; i++)
		children.emplace_back([&, i] {
			static char random[bytes];

			go[i].wait();
			need_that(syscall(SYS_getrandom, random, bytes, 0) == bytes, "getrandom");
			/* Leave time for the worker that finds the owner of these ticks. */
			usleep(20'000);
		});
	for (const Child &child : children)
		pids.push_back(child.pid());
	Recording first(8192), second(8192);
	for (Recording *recording : {&first, &second})
		REQUIRE(recording->begin_everybody(PROFIL_RECORD_PROCESSES) == 0);

	/* Only a few tasks can have deferred ticks at a time, so run them one after another. */
	for (size_t i = 0; i < processes; i++) {
		go[i].open();
		children[i].join();
	}
	first.finish();
	second.finish();

	const auto ticks = [&](const Recording &recording) {
		std::map<pid_t, uint64_t> of;
		uint64_t all = 0;

		for (const Row &row : recording.rows())
			of[row.owner.pid] += row.count;
		for (const pid_t pid : pids) {
			CHECK(of[pid] > 3);
			all += of[pid];
		}
		return all;
	};
	const uint64_t one = ticks(first), other = ticks(second);

	/*
	 * A few ticks, fewer than one per process, come after the worker's answer for one recording
	 * and before its answer for the other.
	 */
	CHECK(std::max(one, other) - std::min(one, other) < processes);
}

TEST_CASE_METHOD(AtRest, "PROFIL_STOP_ALL ends a system-wide recording", "[record]")
{
	Recording recording;
	Steps child([&](auto spin) {
		const Burner burner;
		burner.plant_loop(text);
		spin(text);
	});

	REQUIRE(recording.begin_everybody() == 0);
	REQUIRE(grows([&] { return recording.sum(); }));
	profil_stop_all all = {};
	all.size = sizeof(all);
	REQUIRE(Device().call(PROFIL_STOP_ALL, &all) == 0);
	CHECK(recording.status().state == PROFIL_STATE_STOPPED);
	const uint64_t sum = recording.sum();
	const ClockKeeper keeper;
	/* The ended recording counts nothing, while a new one counts the same processes. */
	Recording next;
	REQUIRE(next.begin_everybody() == 0);
	CHECK(grows([&] { return next.sum(); }));
	CHECK(recording.sum() == sum);
}

/*
 * A session follows a process only once.  So the system-wide recording must find this process's
 * owner anew at each tick in the kernel, and the next tick is due before the owner is found.
 */
TEST_CASE_METHOD(AtRest, "a system-wide recording names a process that another recording of its file follows",
		 "[record][icount]")
{
	if (slowness() > 1)
		support::skip("a tick takes this kernel longer than the 10 us until the next one");
	const Setting rate = module_parameter("max_rate", 100'000);
	const Gate go;
	Child child([&] {
		go.wait();
		for (int i = 0; i < 50'000; i++)
			getppid();
	});
	const pid_t pid = child.pid();
	Recording one(4096, 10'000), all = one.beside(4096, 10'000);

	/* Owners that only `one` has, so that the same numbers mean something else in `all`. */
	std::vector<std::unique_ptr<Child>> others;
	for (int i = 0; i < 3; i++)
		others.push_back(std::make_unique<Child>([] { pause(); }));
	one.begin(others[0]->pid(), PROFIL_RECORD_PROCESSES);
	REQUIRE(one.add(others[1]->pid()) == 0);
	REQUIRE(one.add(others[2]->pid()) == 0);
	REQUIRE(one.add(pid) == 0);

	REQUIRE(all.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	go.open();
	child.join();
	const uint64_t its = all.sum([&](const Row &row) { return row.owner.pid == pid; });
	/*
	 * Both recordings had the same ticks, but the system-wide one had to find the owner first.
	 */
	CHECK(its > one.sum() / 2);
}

TEST_CASE_METHOD(AtRest, "processes of a system-wide recording are not charged to its owner",
		 "[record][quota]")
{
	const Setting watches = module_parameter("max_user_watches", 1);
	const Child targets[] = {Child([] { pause(); }), Child([] { pause(); })};
	const Steps busy([](auto spin) {
		const Burner burner;
		burner.plant_loop(text);
		spin(text);
	});
	const auto check_one = [&] {
		const WithoutPerfmon unprivileged;
		Recording one(512, period_nobody);

		one.begin(targets[0].pid());
		CHECK(one.add(targets[1].pid()) == EDQUOT);
	};
	Recording recording;

	REQUIRE(recording.begin_everybody() == 0);
	/* These steps create watches of running processes, of children and of ended processes. */
	CHECK(grows(
		[&] { return recording.sum([](const Row &row) { return row.owner.who() == "guest"; }); }));
	for (int i = 0; i < 5; i++)
		Child([] {}).join();
	CHECK(recording.status().joined > 5);
	CHECK(recording.status().forks_lost == 0);
	check_one();
	/* A watch lasts for a moment after the process's end. */
	usleep(300'000);
	recording.finish();
	check_one();
}
