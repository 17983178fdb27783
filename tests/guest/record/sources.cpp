// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/sources.cpp  The counters of events: their CPUs, number and periods,
 * and the commands that wait for them.
 */
#include "tests/guest/hostile/support.h"
#include "tests/guest/record/event_programs.h"
#include "tests/guest/support/cpu.h"
#include "tests/guest/support/own_pmu.h"
#include "tests/guest/support/partition.h"
#include "tests/guest/support/ways.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <deque>
#include <filesystem>
#include <linux/perf_event.h>
#include <sched.h>
#include <thread>

using namespace guest;

namespace {

const char switch_of_cpu1[] = "/sys/devices/system/cpu/cpu1/online";

/** A child that does some work on a CPU each time it is told to. */
class Repeater {
public:
	explicit Repeater(const std::function<void(uint64_t)> &work)
		: child_([this, work] {
			  const volatile size_t none = 0;

			  /* Fault in touch()'s text before anything is counted. */
			  touch(nullptr, none);
			  ready_.open();
			  for (;;) {
				  go_.wait();
				  work(counter<uint64_t>(amount_));
				  done_.open();
			  }
		  })
	{
		ready_.wait();
	}

	pid_t pid() const { return child_.pid(); }
	void run(int cpu, uint64_t amount)
	{
		*amount_.at<uint64_t>() = amount;
		stay_on(cpu, pid());
		go_.open();
		done_.wait();
	}

private:
	const Memory amount_{page, MAP_SHARED};
	const Gate ready_, go_, done_;
	const Child child_;
};

/** Touches pages for the first time. */
class Toucher : public Repeater {
public:
	Toucher()
		: Repeater([](uint64_t pages) {
			  volatile char *const memory = fresh_pages(pages);

			  touch(memory, pages);
			  munmap(const_cast<char *>(memory), pages * page);
		  })
	{
	}
};

/** Raises samples of OwnPmu's event on a CPU, if the event is counted there. */
class Firer : public Repeater {
public:
	Firer() : Repeater([](uint64_t times) { OwnPmu::fire(static_cast<unsigned>(times)); }) {}
};

Fd faults_of(pid_t pid)
{
	return open_proof({.pid = pid, .config = PERF_COUNT_SW_PAGE_FAULTS});
}

/** Proofs for this many different events of a process. */
std::deque<Fd> different_events(pid_t pid, size_t number)
{
	const std::filesystem::path tracepoints = "/sys/kernel/tracing/events/syscalls";
	std::deque<Fd> events;

	if (!is_directory(tracepoints))
		support::skip("this kernel has no tracepoints of system calls");
	for (const auto &entry : std::filesystem::directory_iterator(tracepoints)) {
		if (events.size() == number)
			break;
		if (!entry.is_directory())
			continue;
		events.push_back(open_proof({.pid = pid,
					     .type = PERF_TYPE_TRACEPOINT,
					     .config = std::stoull(read_file(entry.path() / "id"))}));
		need(events.back().get(), "perf_event_open");
	}
	need_that(events.size() == number, "there are so many tracepoints");
	return events;
}

int begin_error(Recording &recording, const Fd &proof)
{
	profil_record record = recording.request(event_flags);

	record.proof = proof.get();
	return recording.device().call(PROFIL_RECORD, &record);
}

} // namespace

TEST_CASE_METHOD(AtRest, "page faults on a CPU are counted again after it was offline",
		 "[record][source][smp]")
{
	Toucher toucher;
	Recording recording(4096, 1);

	recording.begin_with(faults_of(toucher.pid()), event_flags);
	toucher.run(1, 100);
	CHECK(ticks_in(recording, touch) == 100);
	write_file(switch_of_cpu1, "0");
	toucher.run(0, 10);
	CHECK(ticks_in(recording, touch) == 110);
	write_file(switch_of_cpu1, "1");
	/* A worker makes the new counter. */
	CHECK(soon([&] {
		const uint64_t before = ticks_in(recording, touch);

		toucher.run(1, 1);
		return ticks_in(recording, touch) > before;
	}));
	const uint64_t before = ticks_in(recording, touch);
	toucher.run(1, 1000);
	CHECK(ticks_in(recording, touch) == before + 1000);
	recording.finish();
}

TEST_CASE_METHOD(AtRest, "an event that was made while its CPU went offline is counted when that is back",
		 "[record][source][smp][lifetime]")
{
	/* Offline callbacks run in reverse order: profil's, the PMU's (which waits), and perf's. */
	need_that(soon([] { return !unload_module(); }), "the module is not in use");
	const OwnPmu pmu;
	need_that(!load_module(), "the module loads again");
	Firer firer;
	Recording recording(4096, 1);
	const Fd proof = OwnPmu::event_of(firer.pid());

	need(proof.get(), "perf_event_open");
	OwnPmu::set("hold_offline", "1");
	std::thread offline([] { write_file(switch_of_cpu1, "0"); });
	CHECK(soon([] { return OwnPmu::held() == 1; }));
	const int error = recording.try_begin_with(proof, event_flags);
	OwnPmu::set("hold_offline", "0");
	offline.join();
	write_file(switch_of_cpu1, "1");
	REQUIRE(error == 0);
	CHECK(soon([&] {
		firer.run(1, 1);
		return recording.status().ticks > 0;
	}));
	const uint64_t before = recording.status().ticks;
	firer.run(1, 50);
	CHECK(recording.status().ticks == before + 50);
	recording.finish();
}

TEST_CASE_METHOD(
	AtRest,
	"an event is not counted on a CPU that a cpuset partition isolates, and is again after it returns",
	"[record][source][smp]")
{
	need_cpusets();
	const Partition partition;

	if (!isolation_ends_housekeeping(partition))
		support::skip("this kernel's isolated partitions have housekeeping");
	Toucher toucher;
	Recording recording(4096, 1), later(4096, 1);
	const auto counts = [&] {
		const uint64_t before = recording.status().ticks;

		toucher.run(1, 1);
		return recording.status().ticks > before;
	};

	partition.enter(toucher.pid());
	recording.begin_with(faults_of(toucher.pid()), event_flags);
	CHECK(counts());
	partition.become("isolated");
	CHECK(soon([&] { return !counts(); }));
	later.begin_with(open_proof({.pid = toucher.pid(), .config = PERF_COUNT_SW_PAGE_FAULTS_MIN}),
			 event_flags);
	const uint64_t before = recording.status().ticks;
	toucher.run(1, 100);
	CHECK(recording.status().ticks == before);
	CHECK(later.status().ticks == 0);
	partition.become("member");
	CHECK(soon(counts));
	const uint64_t after = ticks_in(recording, touch);
	toucher.run(1, 100);
	CHECK(ticks_in(recording, touch) == after + 100);
	recording.finish();
	later.finish();
}

TEST_CASE_METHOD(AtRest, "an event that only CPUs of one kind can count is counted on these",
		 "[record][source][smp]")
{
	const OwnPmu pmu("cpus=1");
	Firer firer;
	Recording recording(4096, 1);

	recording.begin_with(OwnPmu::event_of(firer.pid()), event_flags);
	firer.run(0, 30);
	firer.run(1, 30);
	CHECK(recording.status().ticks == 30);
	recording.finish();
}

TEST_CASE_METHOD(AtRest, "an event that no CPU can count is refused", "[record][source]")
{
	const OwnPmu pmu("cpus=0");
	Firer firer;
	Recording recording(4096, 1);

	CHECK(begin_error(recording, OwnPmu::event_of(firer.pid())) == ENOENT);
	OwnPmu::set("cpus", "3");
	CHECK(begin_error(recording, OwnPmu::event_of(firer.pid())) == 0);
}

TEST_CASE_METHOD(AtRest, "a counter of a hybrid machine's CPUs is refused at period 1", "[record][source]")
{
	const OwnPmu pmu("hybrid=1");
	Firer firer;

	for (const uint64_t period : {1, 2}) {
		Recording recording(4096, period);

		CHECK(begin_error(recording, OwnPmu::event_of(firer.pid())) == (period == 1 ? EINVAL : 0));
	}
}

TEST_CASE_METHOD(AtRest, "an event whose PMU is gone is refused", "[record][source]")
{
	const OwnPmu pmu;
	Firer firer;
	Recording recording(4096, 1);
	const Fd event = OwnPmu::event_of(firer.pid());

	need(event.get(), "perf_event_open");
	if (read_file("/proc/modules").find("profil_pmu 1") == std::string::npos) {
		/*
		 * On this kernel the event does not hold the PMU's module, and may outlive the PMU.
		 */
		OwnPmu::set("go", "1");
		CHECK(begin_error(recording, event) == ENODEV);
		return;
	}
	support::skip("this kernel takes no event from a PMU that goes");
}

TEST_CASE_METHOD(AtRest, "as many events as one likes can be counted, one after another",
		 "[record][source][lifetime]")
{
	Child child([] { pause(); });

	for (const Fd &event : different_events(child.pid(), 65)) {
		Recording recording(512, 1'000'000);

		recording.begin_with(event, event_flags);
		recording.finish();
	}
}

TEST_CASE_METHOD(AtRest, "no more than 64 events are counted at a time", "[record][source]")
{
	Child child([] { pause(); });
	const std::deque<Fd> events = different_events(child.pid(), 66);
	std::deque<Recording> recordings;

	for (size_t i = 0; i < 64; i++) {
		recordings.emplace_back(512, 1'000'000);
		CHECK(begin_error(recordings.back(), events[i]) == 0);
	}
	Recording shared(512, 1'000'000), more(512, 1'000'000), too_many(512, 1'000'000);
	CHECK(begin_error(more, events[64]) == EBUSY);
	/* An event that is already counted needs no more counters. */
	CHECK(begin_error(shared, events[0]) == 0);
	recordings.pop_back();
	CHECK(begin_error(more, events[64]) == 0);
	CHECK(begin_error(too_many, events[65]) == EBUSY);
}

TEST_CASE_METHOD(AtRest, "a recording with a shorter period does not change another's page fault samples",
		 "[record][source]")
{
	Toucher toucher;
	Recording longer(4096, 1000), shorter(4096, 10);
	const auto period = [&] { return in_fdinfo(longer.device(), "event_period"); };

	longer.begin_with(faults_of(toucher.pid()), event_flags);
	CHECK(period() == 1000);
	shorter.begin_with(faults_of(toucher.pid()), event_flags);
	CHECK(period() == 10);
	toucher.run(0, 500);
	shorter.finish();
	/* Sources of other events keep a shorter period for less than this time. */
	std::this_thread::sleep_for(std::chrono::milliseconds(2500));
	toucher.run(0, 300);
	longer.finish();
	/* Some samples come at faults of other processes. */
	CHECK(ticks_in(shorter, touch) >= 45);
	CHECK(ticks_in(shorter, touch) <= 51);
	CHECK(ticks_in(longer, touch) <= 1);
}

TEST_CASE_METHOD(AtRest, "a user's shorter period does not change the period of a privileged recording",
		 "[record][source]")
{
	Toucher toucher;
	Recording longer(4096, 1000);
	const hostile::PerfForUsers perf;

	longer.begin_with(user_faults_of(toucher.pid()), event_flags);
	Child user = hostile::as_user(hostile::attacker, [] {
		Recording shorter(512, 10);

		shorter.begin_with(user_faults_of(getpid()), event_flags);
		need_that(in_fdinfo(shorter.device(), "event_period") == 10, "it has its period");
		shorter.finish();
	});
	user.join();
	CHECK(in_fdinfo(longer.device(), "event_period") == 1000);
	longer.finish();
}

TEST_CASE_METHOD(AtRest, "an event begins through a ring as it does by ioctl", "[record][source]")
{
	Toucher toucher;
	const Fd proof = faults_of(toucher.pid());

	for (const Way &way : {by_ioctl(), by_ring()}) {
		const Recording recording(4096, 1);
		profil_record record = recording.request(event_flags);

		record.proof = proof.get();
		CHECK(way(recording.device(), PROFIL_RECORD, &record, sizeof(record)) == 0);
		toucher.run(0, 20);
		CHECK(recording.device().status(record.profile).ticks >= 20);
	}
}

TEST_CASE_METHOD(AtRest, "commands that wait for the counters of an event can be killed",
		 "[record][source][hostile][lifetime]")
{
	const OwnPmu pmu;
	Toucher toucher;
	Recording counted(4096, 1);

	counted.begin_with(faults_of(toucher.pid()), event_flags);
	OwnPmu::set("hold", "1");
	const Child slow([&] {
		Recording recording;

		recording.begin_with(OwnPmu::event_of(getpid()), event_flags);
	});
	CHECK(soon([] { return OwnPmu::held() == 1; }));
	const Gate ready;
	const Child starter([&] {
		Recording recording;
		const Fd proof = open_proof({.pid = getpid(), .config = PERF_COUNT_SW_ALIGNMENT_FAULTS});

		ready.open();
		recording.begin_with(proof, event_flags);
	});
	const Child reader([&] {
		const std::string file = "/proc/self/fdinfo/" + std::to_string(counted.device().fd());

		ready.open();
		read_file(file);
	});
	ready.wait();
	ready.wait();
	for (const Child *child : {&slow, &starter, &reader}) {
		kill(child->pid(), SIGKILL);
		CHECK(hostile::ends(*child));
	}
	OwnPmu::set("hold", "0");
	counted.finish();
}

TEST_CASE_METHOD(AtRest,
		 "an event counts for a new recording after a process was killed while beginning another",
		 "[record][source][hostile][lifetime][slow]")
{
	const hostile::PerfForUsers users;
	const auto mine = [](uint64_t event) {
		return open_proof({.pid = getpid(), .exclude_kernel = true, .config = event});
	};
	/* Reading an event's times in fdinfo makes other commands wait for their turn. */
	const Child reader([&] {
		Recording read(512, 1);

		read.begin_with(mine(PERF_COUNT_SW_DUMMY), event_flags);
		for (;;)
			in_fdinfo(read.device(), "event_enabled_ns");
	});
	unsigned counted = 0, rounds = 0;

	for (; rounds < 60; rounds++) {
		const Gate begins;
		Child claimer([&] {
			Recording killed(512, 1);
			const Fd proof = mine(PERF_COUNT_SW_PAGE_FAULTS);

			begins.open();
			killed.begin_with(proof, event_flags);
			pause();
		});
		begins.wait();
		usleep(rounds * 5 % 16 * 1000);
		kill(claimer.pid(), SIGKILL);
		usleep(rounds * 3 % 8 * 1000);
		Recording next(512, 1);
		next.begin_with(mine(PERF_COUNT_SW_PAGE_FAULTS), event_flags);
		volatile char *const memory = fresh_pages(100);
		touch(memory, 100);
		munmap(const_cast<char *>(memory), 100 * page);
		next.finish();
		counted += ticks_in(next, touch) >= 100;
	}
	CHECK(counted == rounds);
}
