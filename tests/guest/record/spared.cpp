// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/spared.cpp  Recordings by a user whose memory cgroup is full. */
#include "tests/guest/record/support.h"
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <linux/perf_event.h>
#include <set>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

/** Set a limit that the group already exceeds, and spare the recorder from the OOM killer. */
void fill_up(const Cgroup &group, pid_t recorder)
{
	std::ofstream("/proc/" + std::to_string(recorder) + "/oom_score_adj") << -1000 << std::flush;
	group.set("memory.max", "64K");
}

/** Fault in all of the caller's memory: it gets no more once its group is full. */
void touch_all_memory()
{
	need(mlockall(MCL_CURRENT), "mlockall");
}

/**
 * The time, in us, for which a group's processes have waited for memory; 0 without CONFIG_PSI.  The
 * kernel updates it every two seconds.
 */
uint64_t stalled(const Cgroup &group)
{
	if (!std::filesystem::exists("/proc/pressure/memory"))
		return 0;
	const std::string pressure = group.get("memory.pressure");
	const std::string total = "total=";

	return std::stoull(pressure.substr(pressure.find(total) + total.size()));
}

} // namespace

TEST_CASE_METHOD(AtRest, "no process reclaims memory for a user's system-wide recording", "[record][slow]")
{
	constexpr unsigned burners = 4;
	constexpr uint64_t ns_each = 200'000'000;
	const Cgroup group("recorder"), others("burner");
	const Gate begun, end;
	const Memory seen(4096, MAP_SHARED);
	const Burner burner;

	burner.plant_loop(text);
	Child recorder([&] {
		group.enter();
		Recording recording(4096);
		need_that(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0, "PROFIL_RECORD");
		begun.open();
		end.wait();
		*seen.at<uint64_t>() = recording.status().ticks;
	});

	begun.wait();
	fill_up(group, recorder.pid());
	const uint64_t before = group.number("memory.events", "max");
	const auto from = std::chrono::steady_clock::now();
	for (unsigned i = 0; i < burners; i++) {
		const Child child = burning_child(text);
		others.enter(child.pid());
		REQUIRE(process_runs_for(child.pid(), ns_each));
	}
	const uint64_t failed = group.number("memory.events", "max") - before;
	const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - from;
	sleep(4);
	const uint64_t waited = stalled(others);
	group.set("memory.max", "max");
	end.open();
	recorder.join();
	/* There are ticks at 10 kHz, but a busy host delivers few of them. */
	CHECK(*seen.at<uint64_t>() >= 100);
	CHECK(waited == 0);
	/*
	 * Only the worker reclaims, at most four times a second, and twice each time.  Newer
	 * kernels also count allocations that fail without reclaim, as those of a tick do.
	 */
	if (failed < *seen.at<uint64_t>() / 4)
		CHECK(failed <= (seconds.count() + 0.25) * 4 * 2);
}

namespace {

/** Counts the kernel's reclaims of groups' memory on behalf of all tasks, or of one. */
class Reclaims {
public:
	explicit Reclaims(pid_t pid = -1)
	{
		const std::string tracepoint =
			"/sys/kernel/tracing/events/vmscan/mm_vmscan_memcg_reclaim_begin/id";
		uint64_t id = 0;

		if (!(std::ifstream(tracepoint) >> id))
			support::skip("this kernel has no tracepoint vmscan:mm_vmscan_memcg_reclaim_begin");
		for (int cpu = 0; cpu < get_nprocs(); cpu++) {
			counters_.push_back(open_proof({.pid = pid,
							.sampling = false,
							.cpu = cpu,
							.type = PERF_TYPE_TRACEPOINT,
							.config = id}));
			need(ioctl(counters_.back().get(), PERF_EVENT_IOC_ENABLE, 0),
			     "PERF_EVENT_IOC_ENABLE");
		}
	}
	[[nodiscard]] uint64_t number() const
	{
		uint64_t sum = 0, one = 0;

		for (const Fd &counter : counters_) {
			need_that(read(counter.get(), &one, sizeof(one)) == sizeof(one), "read");
			sum += one;
		}
		return sum;
	}

private:
	std::vector<Fd> counters_;
};

} // namespace

TEST_CASE_METHOD(AtRest, "the worker that looks up system calls' texts reclaims no memory", "[record][slow]")
{
	const Reclaims by_all;
	const Cgroup group("recorder");
	const Gate begun, end, go;
	const Memory seen(4096, MAP_SHARED);
	const Child caller([&] {
		const Burner burner;

		burner.plant_syscalls(text, SYS_getppid);
		go.wait();
		spin_while(text, [] { return true; });
	});
	Child recorder([&] {
		group.enter();
		Recording recording(4096);
		recording.begin(caller.pid(), PROFIL_KERNEL_TICKS);
		touch_all_memory();
		begun.open();
		end.wait();
		*seen.at<uint64_t>() = recording.status().ticks;
	});

	begun.wait();
	fill_up(group, recorder.pid());
	/* The process itself may reclaim memory for its ticks in user mode. */
	const Reclaims by_caller(caller.pid());
	const uint64_t before = by_all.number();
	/* The kernel has tried to get the group below its limit. */
	CHECK(before > 0);
	go.open();
	REQUIRE(process_runs_for(caller.pid(), 500'000'000));
	need(kill(caller.pid(), SIGSTOP), "SIGSTOP");
	CHECK(soon([&] { return by_all.number() - before == by_caller.number(); }));
	group.set("memory.max", "max");
	end.open();
	recorder.join();
	CHECK(*seen.at<uint64_t>() >= 100);
}

TEST_CASE_METHOD(AtRest, "a process whose ticks found no memory is named once there is some",
		 "[record][slow]")
{
	/* More processes than the recording's pool has nodes for. */
	constexpr unsigned processes = 40;
	const Cgroup group("recorder");
	const Gate begun, first, then, enough;
	const Memory pids(4096, MAP_SHARED), done(4096, MAP_SHARED);
	std::vector<std::unique_ptr<Child>> children;

	for (unsigned i = 0; i < processes; i++) {
		children.push_back(std::make_unique<Child>([&] {
			const Burner burner;
			burner.plant_loop(text);
			first.wait();
			Burner::spin(text, 2'000'000);
			__atomic_fetch_add(done.at<uint32_t>(), 1, __ATOMIC_RELEASE);
			then.wait();
			for (;;)
				Burner::spin(text, 100'000);
		}));
		pids.at<pid_t>()[i] = children.back()->pid();
	}
	Child recorder([&] {
		group.enter();
		Recording recording(16384);
		need_that(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0, "PROFIL_RECORD");
		begun.open();
		enough.wait();
		std::set<pid_t> unnamed(pids.at<pid_t>(), pids.at<pid_t>() + processes);
		need_that(soon([&] {
				  for (const Row &row : recording.rows())
					  unnamed.erase(row.owner.pid);
				  return unnamed.empty();
			  }),
			  "each process is named");
	});

	begun.wait();
	fill_up(group, recorder.pid());
	first.open(processes);
	REQUIRE(soon([&] { return __atomic_load_n(done.at<uint32_t>(), __ATOMIC_ACQUIRE) == processes; }));
	group.set("memory.max", "max");
	then.open(processes);
	enough.open();
	CHECK_NOTHROW(recorder.join());
}

TEST_CASE_METHOD(AtRest, "a program that began when there was no memory is named once there is some",
		 "[record][slow]")
{
	const Cgroup group("recorder");
	const Gate begun, met, execute, some;
	const Child program([&] {
		const Burner burner;

		begun.wait();
		burner.burn(text, 2'000'000);
		met.open();
		execute.wait();
		execlp("sh", "sh", "-c", "while :; do :; done", nullptr);
	});
	Child recorder([&] {
		group.enter();
		Recording recording(16384);
		need_that(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0, "PROFIL_RECORD");
		begun.open();
		some.wait();
		need_that(soon([&] { return !recording.owners("sh").empty(); }), "the program is named");
	});

	met.wait();
	fill_up(group, recorder.pid());
	const uint64_t empty = module_stat("pool_empty");
	std::vector<std::unique_ptr<Child>> children;
	while (module_stat("pool_empty") < empty + 20)
		children.push_back(std::make_unique<Child>([] { pause(); }));
	execute.open();
	REQUIRE(soon(
		[&] { return read_file("/proc/" + std::to_string(program.pid()) + "/comm") == "sh\n"; }));
	REQUIRE(process_runs_for(program.pid(), 20'000'000));
	group.set("memory.max", "max");
	some.open();
	CHECK_NOTHROW(recorder.join());
}

TEST_CASE_METHOD(AtRest, "no process reclaims memory for ticks charged to a cgroup over its memory.high",
		 "[record][slow]")
{
	/* The kernel charges a group for 64 pages at a time; a text and its cell need 256 bytes or more. */
	constexpr unsigned texts = 3000;
	const size_t apart = 2 * LoopFile::offset;
	const Cgroup recorders("recorder"), burners("burner");
	const Gate begun, end, mapped, go;
	const Memory sampled(4096, MAP_SHARED), ran(4096, MAP_SHARED);

	Child recorder([&] {
		recorders.enter();
		Recording recording(65536);
		need_that(recording.begin_everybody() == 0, "PROFIL_RECORD");
		begun.open();
		end.wait();
		*sampled.at<uint64_t>() = recording.described(0).numbers;
	});
	const Child burner([&] {
		burners.enter();
		for (unsigned i = 0; i < texts; i++) {
			const LoopFile file("profil-text");
			LoopFile::map(file.fd(), text + i * apart);
			code_run(text + i * apart, 1);
		}
		mapped.open();
		go.wait();
		for (unsigned i = 0; i < texts; i++)
			code_run(text + i * apart, 25'000);
		*ran.at<uint32_t>() = 1;
		for (;;)
			pause();
	});

	mapped.wait();
	begun.wait();
	recorders.set("memory.high", "64K");
	burners.set("memory.high", "64K");
	const uint64_t before = burners.number("memory.events", "high");
	go.open();
	REQUIRE(soon([&] { return __atomic_load_n(ran.at<uint32_t>(), __ATOMIC_ACQUIRE) == 1; }));
	CHECK(burners.number("memory.events", "high") == before);
	recorders.set("memory.high", "max");
	end.open();
	recorder.join();
	/* A busy host delivers fewer ticks. */
	CHECK(*sampled.at<uint64_t>() >= 1100);
}

namespace {

/** A process that forks, once told to, until a recording of it has lost a child. */
class Forking {
public:
	[[nodiscard]] pid_t pid() const { return parent_.pid(); }

	/**
	 * Fill the recorder's group; wait until the recording's pool is empty and a child is lost.
	 */
	void lose_child(const Cgroup &group, pid_t recorder) const
	{
		fill_up(group, recorder);
		const uint64_t before = module_stat("forks_lost");
		fork_.open();
		REQUIRE(soon([&] { return module_stat("forks_lost") > before; }));
		*lost_.at<uint32_t>() = 1;
		idle_.wait();
	}

private:
	const Gate fork_, idle_;
	const Memory lost_{4096, MAP_SHARED};
	const Child parent_{[this] {
		std::vector<std::unique_ptr<Child>> children;

		fork_.wait();
		while (!counter<uint32_t>(lost_))
			children.push_back(std::make_unique<Child>([] { pause(); }));
		idle_.open();
		for (;;)
			pause();
	}};
};

} // namespace

TEST_CASE_METHOD(AtRest,
		 "the pool of a session is filled once there is memory, though nobody has asked again",
		 "[record][slow]")
{
	const Cgroup group("recorder");
	const Gate begun, stop, stopped, end;
	const Forking forking;
	Child recorder([&] {
		group.enter();
		Recording recording(4096), other = recording.beside(256);
		recording.begin(forking.pid());
		other.begin(getpid());
		touch_all_memory();
		begun.open();
		stop.wait();
		other.device().stop(other.profile());
		stopped.open();
		end.wait();
	});

	begun.wait();
	forking.lose_child(group, recorder.pid());
	/* The worker continues when another profile of the session ends. */
	stop.open();
	stopped.wait();
	const uint64_t full = std::stoull(group.get("memory.current"));
	group.set("memory.max", "max");
	/* The pool's nodes take 96 KiB. */
	CHECK(soon([&] { return std::stoull(group.get("memory.current")) > full + (64 << 10); }));
	end.open();
	recorder.join();
}

TEST_CASE_METHOD(AtRest, "no worker reclaims memory for a session whose profiles have all ended",
		 "[record][slow]")
{
	const bool by_stop_all = GENERATE(false, true);
	const Cgroup group("recorder");
	const Gate begun, stop, stopped, end;
	const Forking forking;
	Child recorder([&] {
		group.enter();
		Recording recording(4096);
		recording.begin(forking.pid());
		/* A recording that fails to begin is not one of the session's profiles. */
		need_that(recording.try_begin(forking.pid()) == EEXIST, "it is followed already");
		touch_all_memory();
		begun.open();
		stop.wait();
		if (!by_stop_all)
			recording.finish();
		stopped.open();
		end.wait();
	});

	CAPTURE(by_stop_all);
	begun.wait();
	forking.lose_child(group, recorder.pid());
	/* The recording needs memory, so a worker tries again and again. */
	const uint64_t before = group.number("memory.events", "max");
	CHECK(soon([&] { return group.number("memory.events", "max") > before + 4; }));
	stop.open();
	stopped.wait();
	if (by_stop_all) {
		profil_stop_all all = {};
		all.size = sizeof(all);
		REQUIRE(Device().call(PROFIL_STOP_ALL, &all) == 0);
	}
	bool quiet = false;
	for (unsigned i = 0; i < 10 && !quiet; i++) {
		const uint64_t tries = group.number("memory.events", "max");
		sleep(3);
		quiet = group.number("memory.events", "max") == tries;
	}
	CHECK(quiet);
	group.set("memory.max", "max");
	end.open();
	recorder.join();
}
