// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/events.cpp  Recordings of events instead of CPU time. */
#include "tests/guest/record/event_programs.h"
#include "tests/guest/support/busy_module.h"
#include "tests/guest/support/cpu.h"
#include "tests/support/catch.h"

#include <deque>
#include <filesystem>
#include <fstream>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <thread>

using namespace guest;

namespace {

#ifdef __x86_64__
/** The address of a kernel variable. */
uint64_t address_of(const std::string &symbol)
{
	std::ifstream symbols("/proc/kallsyms");
	std::string address, type, name, rest;

	while (symbols >> address >> type >> name) {
		if (name == symbol)
			return std::stoull(address, nullptr, 16);
		std::getline(symbols, rest);
	}
	throw std::runtime_error("no symbol " + symbol);
}
#endif

/** The caller's context switches, voluntary and involuntary. */
long switches()
{
	rusage use = {};

	need(getrusage(RUSAGE_SELF, &use), "getrusage");
	return use.ru_nvcsw + use.ru_nivcsw;
}

Fd faults_of(pid_t pid, int cpu = -1)
{
	return open_proof({.pid = pid, .cpu = cpu, .config = PERF_COUNT_SW_PAGE_FAULTS});
}

} // namespace

TEST_CASE_METHOD(AtRest, "page faults are counted where they come, to the last one", "[record][source]")
{
	Faulter faulter(1000, 300);
	Recording recording(4096, 1);

	recording.begin_with(faults_of(faulter.pid()), event_flags);
	faulter.run();
	recording.finish();
	const profil_status status = recording.status();
	INFO(causes_text(status) << recording.rows_text());
	CHECK(ticks_in(recording, touch) == 1000);
	CHECK(ticks_in(recording, touch_again) == 300);
	CHECK(status.period == 1);
	CHECK(status.ticks == status.counted + status.kernel);
	CHECK(recording.sum() == status.ticks);
}

TEST_CASE_METHOD(AtRest, "one of so many page faults is counted", "[record][source]")
{
	Faulter faulter(1000, 0);
	Recording recording(4096, 10);

	recording.begin_with(faults_of(faulter.pid()), event_flags);
	faulter.run();
	recording.finish();
	/* Some samples fall on faults of other processes, which are not counted. */
	CHECK(ticks_in(recording, touch) >= 90);
	CHECK(ticks_in(recording, touch) <= 101);
}

TEST_CASE_METHOD(AtRest, "fdinfo says how long an event was counted: one of software, all the time",
		 "[record][source]")
{
	Faulter faulter(100, 0);
	Recording recording(4096, 1);
	Recording later(4096, 1);

	recording.begin_with(faults_of(faulter.pid()), event_flags);
	faulter.run();

	const Device &device = recording.device();
	const uint64_t enabled = in_fdinfo(device, "event_enabled_ns");

	CHECK(enabled > 0);
	CHECK(in_fdinfo(device, "event_running_ns") >= enabled);
	CHECK(in_fdinfo(device, "event_throttled") == 0);
	CHECK_THROWS(in_fdinfo(later.device(), "event_enabled_ns"));

	/* Profiles of one event share its counters, and thus these numbers. */
	later.begin_with(faults_of(faulter.pid()), event_flags);
	CHECK(in_fdinfo(later.device(), "event_enabled_ns") > enabled);
	later.finish();
	recording.finish();
	CHECK_THROWS(in_fdinfo(device, "event_enabled_ns"));
}

TEST_CASE_METHOD(AtRest, "recordings of the clock and of events do not count each other's ticks",
		 "[record][source]")
{
	Faulter faulter(500, 0);
	Recording time, faults(4096, 1), others(4096, 1);

	time.begin(faulter.pid());
	faults.begin_with(faults_of(faulter.pid()), event_flags);
	others.begin_with(open_proof({.pid = faulter.pid(), .config = PERF_COUNT_SW_ALIGNMENT_FAULTS}),
			  event_flags);
	faulter.run();
	faults.finish();
	others.finish();
	time.finish();
	CHECK(ticks_in(faults, touch) == 500);
	CHECK(others.status().ticks == 0);
	CHECK(time.sum() == time.status().counted + time.status().kernel);
}

TEST_CASE_METHOD(AtRest, "a system-wide recording has the page faults of all processes", "[record][source]")
{
	Faulter faulter(200, 0);
	Recording recording(4096, 1);
	const Fd proof = faults_of(-1, 0);

	need(proof.get(), "perf_event_open");
	recording.begin_with(proof, PROFIL_RECORD_EVERYBODY | PROFIL_EVENT);
	faulter.run();
	recording.finish();
	CHECK(ticks_in(recording, touch) == 200);
}

#ifdef __x86_64__
TEST_CASE_METHOD(AtRest, "a breakpoint finds what writes a variable", "[record][source]")
{
	Memory shared(page, MAP_SHARED);
	volatile char *const variable = static_cast<volatile char *>(shared.at<char>());
	Gate go, done;
	Child child([&] {
		go.wait();
		for (int i = 0; i < 700; i++)
			touch(variable, 1);
		for (int i = 0; i < 50; i++)
			touch_again(variable, 1);
		done.open();
		for (;;)
			pause();
	});
	Recording recording(4096, 1);

	recording.begin_with(open_proof({.pid = child.pid(),
					 .type = PERF_TYPE_BREAKPOINT,
					 .config = 0,
					 .address = shared.address()}),
			     event_flags);
	go.open();
	done.wait();
	recording.finish();
	CHECK(ticks_in(recording, touch) == 700);
	CHECK(ticks_in(recording, touch_again) == 50);
	CHECK(recording.status().ticks == 750);
}

TEST_CASE_METHOD(AtRest, "a CPU has breakpoints for four periods, and any number of recordings with these",
		 "[record][source]")
{
	const Memory variable(page, MAP_SHARED);
	Child child([] { pause(); });
	const Fd proof = open_proof({.pid = child.pid(),
				     .type = PERF_TYPE_BREAKPOINT,
				     .config = 0,
				     .address = variable.address()});
	std::deque<Recording> recordings;
	const auto begin = [&](uint64_t period) {
		return recordings.emplace_back(256, period).try_begin_with(proof, event_flags);
	};

	/* The proof itself uses one of the four breakpoints. */
	for (const uint64_t period : {1, 2, 3})
		CHECK(begin(period) == 0);
	CHECK(begin(4) == ENOSPC);
	CHECK(begin(2) == 0);
}

/* On x86, a breakpoint that the kernel hits is handled like an NMI, whatever it interrupts. */
TEST_CASE_METHOD(AtRest, "events that come in an NMI are counted behind it", "[record][source]")
{
	Gate go;
	/* Keeps every CPU busy, because only the timekeeping CPU writes jiffies_64. */
	Child child([&] {
		const Burner burner;
		const auto burn = [](int cpu) {
			stay_on(cpu);
			for (;;)
				Burner::spin(Burner::usual, 100'000);
		};

		burner.plant_loop(Burner::usual);
		go.wait();
		for (int cpu = 1; cpu < get_nprocs(); cpu++)
			std::thread(burn, cpu).detach();
		burn(0);
	});
	Recording recording(4096, 1);

	recording.begin_with(open_proof({.pid = child.pid(),
					 .type = PERF_TYPE_BREAKPOINT,
					 .config = 0,
					 .address = address_of("jiffies_64")}),
			     event_flags | PROFIL_RECORD_KERNEL);
	go.open();
	CHECK(soon([&] { return recording.status().kernel >= 20; }));
	recording.finish();
	const profil_status status = recording.status();
	CHECK(status.ticks == status.kernel);
	CHECK(recording.sum() == status.ticks);
	/* All ticks are in the timer interrupt, at the few instructions that write jiffies_64. */
	CHECK(recording.rows().size() <= 8);
	CHECK(recording.sum([](const Row &row) { return row.owner.state == PROFIL_OWNER_IRQ; }) ==
	      status.ticks);
}

namespace {

/** A proof for the process's writes to the module's watched variable. */
Fd writes_of_watched(pid_t pid)
{
	return open_proof({.pid = pid,
			   .type = PERF_TYPE_BREAKPOINT,
			   .config = 0,
			   .address = address_of(BusyModule::watched)});
}

} // namespace

TEST_CASE_METHOD(AtRest,
		 "of the events in NMIs while interrupts are off, eight are counted and the rest missed",
		 "[record][source]")
{
	const BusyModule module;
	Worker worker([] { BusyModule::write_watched(20); });
	Recording recording(4096, 1);

	recording.begin_with(writes_of_watched(worker.pid()), event_flags | PROFIL_RECORD_KERNEL);
	worker.run();
	CHECK(in_fdinfo(recording.device(), "event_missed") == 12);
	recording.finish();
	CHECK(recording.status().kernel == 8);
	CHECK(recording.status().ticks == 8);
}

TEST_CASE_METHOD(AtRest, "an event in an NMI is missed if its task is switched from before it is counted",
		 "[record][source]")
{
	const BusyModule module;
	Worker worker([] { BusyModule::write_watched_and_leave(); });
	Recording recording(4096, 1);

	recording.begin_with(writes_of_watched(worker.pid()), event_flags | PROFIL_RECORD_KERNEL);
	worker.run();
	CHECK(in_fdinfo(recording.device(), "event_missed") == 1);
	recording.finish();
	CHECK(recording.status().ticks == 0);
}
#else
/*
 * On this architecture, the program would hit the breakpoint again and again, and never get past
 * it.
 */
TEST_CASE_METHOD(AtRest, "a breakpoint is refused where one would stop the program", "[record][source]")
{
	Memory shared(page, MAP_SHARED);
	Child child([] { pause(); });
	const Fd proof = open_proof(
		{.pid = child.pid(), .type = PERF_TYPE_BREAKPOINT, .config = 0, .address = shared.address()});
	Recording recording(4096, 1);
	profil_record record = recording.request(event_flags);

	record.proof = need(proof.get(), "perf_event_open");
	CHECK(recording.device().call(PROFIL_RECORD, &record) == EOPNOTSUPP);
}
#endif

TEST_CASE_METHOD(AtRest, "an event can be sampled in the kernel alone", "[record][source]")
{
	/* The kernel writes zeroes to 500 of the pages, so their faults are in the kernel. */
	Worker worker([] {
		const Fd zero(need(open("/dev/zero", O_RDONLY | O_CLOEXEC), "/dev/zero"));

		touch(fresh_pages(1000), 1000);
		need_that(read(zero.get(), const_cast<char *>(fresh_pages(500)), 500 * page) == 500 * page,
			  "/dev/zero is read");
	});
	const Fd kernel_faults =
		open_proof({.pid = worker.pid(), .config = PERF_COUNT_SW_PAGE_FAULTS, .exclude_user = true});
	Recording recording(4096, 1), user(4096, 1), clock(4096);

	recording.begin_with(kernel_faults, event_flags | PROFIL_RECORD_KERNEL);
	/*
	 * The first request would sample nothing.  The second samples CPU time, and includes user
	 * mode.
	 */
	for (const uint32_t flags : {uint32_t{event_flags}, uint32_t{PROFIL_FOLLOW | PROFIL_RECORD_KERNEL}}) {
		profil_record record = user.request(flags);

		record.proof = kernel_faults.get();
		record.period = flags & PROFIL_EVENT ? 1 : period_nobody;
		CHECK(user.device().call(PROFIL_RECORD, &record) == EACCES);
	}
	worker.run();
	recording.finish();
	const profil_status status = recording.status();
	CAPTURE(status.ticks);
	CHECK(ticks_in(recording, touch) == 0);
	CHECK(status.kernel == status.ticks);
	CHECK(status.kernel >= 500);
	CHECK(status.kernel < 550);
}

/*
 * perf samples tracepoints in any mode; a sample at a system call's tracepoint has the caller's PC.
 */
TEST_CASE_METHOD(AtRest, "a tracepoint that comes in user mode is not one of the kernel alone",
		 "[record][source]")
{
	const std::filesystem::path tracepoint = "/sys/kernel/tracing/events/syscalls/sys_enter_getppid";
	if (!is_directory(tracepoint))
		support::skip("this kernel has no tracepoints of system calls");
	const uint64_t id = std::stoull(read_file(tracepoint / "id"));
	Worker worker([] {
		for (int i = 0; i < 100; i++)
			syscall(SYS_getppid);
	});
	const auto calls = [&](bool exclude_user) {
		return open_proof({.pid = worker.pid(),
				   .type = PERF_TYPE_TRACEPOINT,
				   .config = id,
				   .exclude_user = exclude_user});
	};
	Recording kernel(4096, 1), both(4096, 1);

	kernel.begin_with(calls(true), event_flags | PROFIL_RECORD_KERNEL);
	both.begin_with(calls(false), event_flags);
	worker.run();
	kernel.finish();
	both.finish();
	CHECK(kernel.status().ticks == 0);
	CHECK(both.status().ticks == 100);
	CHECK(both.status().counted == 100);
}

TEST_CASE_METHOD(AtRest, "switches of a task are counted in the kernel", "[record][source]")
{
	Gate go, done;
	Child child([&] {
		go.wait();
		/* On a slow kernel a sleep may be over before the task is switched out. */
		for (const long before = switches(); switches() - before < 100;)
			usleep(1000);
		done.open();
		for (;;)
			pause();
	});
	Recording recording(4096, 1);

	recording.begin_with(open_proof({.pid = child.pid(), .config = PERF_COUNT_SW_CONTEXT_SWITCHES}),
			     event_flags | PROFIL_RECORD_KERNEL);
	go.open();
	done.wait();
	recording.finish();
	const profil_status status = recording.status();
	CHECK(status.kernel >= 100);
	CHECK(status.ticks == status.kernel);
	CHECK(in_fdinfo(recording.device(), "counted") == status.kernel);
}

TEST_CASE_METHOD(AtRest, "adding a process to a recording of an event needs a proof on that very event",
		 "[record][source]")
{
	constexpr uint32_t software = 1, dummy = 9, minor_faults = 5, faults = 2;
	const Child first([] { pause(); }), second([] { pause(); }), third([] { pause(); });
	Recording recording(4096, 1);
	const auto add = [&](const Fd &proof) { return recording.add_with(proof); };

	recording.begin_with(faults_of(first.pid()), event_flags);
	CHECK(add(open_proof({.pid = second.pid(), .type = software, .config = dummy})) == EACCES);
	CHECK(add(open_proof({.pid = second.pid(), .type = software, .config = minor_faults})) == EACCES);
	CHECK(add(proof_of(second.pid())) == EINVAL);
	CHECK(add(faults_of(second.pid())) == 0);
	/* The proof may sample other modes than the recording's first proof. */
	const Proof both = {.pid = third.pid(), .type = software, .config = faults};
	CHECK(add(open_proof(both)) == 0);
	const Proof user = {.pid = third.pid(), .exclude_kernel = true, .type = software, .config = faults};
	CHECK(add(open_proof(user)) == EEXIST);
}

TEST_CASE_METHOD(AtRest, "an event is refused in each way that is not for it", "[record][source]")
{
	Child child([] { pause(); });
	const Fd faults = faults_of(child.pid());
	const Fd clock = proof_of(child.pid());
	Recording recording(4096, 1);
	const auto refused = [&](const Fd &proof, uint64_t period, uint32_t clock_number = 0) {
		profil_record record = recording.request(event_flags);

		record.proof = proof.get();
		record.period = period;
		record.clock = clock_number;
		return recording.device().call(PROFIL_RECORD, &record);
	};

	CHECK(refused(clock, 1) == EINVAL);
	CHECK(refused(faults, 0) == ERANGE);
	CHECK(refused(faults, (1ULL << 48) + 1) == ERANGE);
	CHECK(refused(faults, 1, PROFIL_CLOCK_LAZY) == EINVAL);
	CHECK(refused(faults, 1, PROFIL_CLOCK_PERF) == EINVAL);
	CHECK(refused(faults, 1ULL << 48) == 0);
}
