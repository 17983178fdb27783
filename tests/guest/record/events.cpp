// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/events.cpp  Recordings of events instead of CPU time. */
#include "tests/guest/record/support.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <linux/perf_event.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace guest;

namespace {

constexpr uint32_t event_flags = PROFIL_FOLLOW | PROFIL_EVENT;
constexpr size_t page = 4096;

/* Bytes of each of the functions, at most. */
constexpr size_t longest = 64;

/** Touch each page for the first time. */
__attribute__((noinline, aligned(longest))) void touch(volatile char *from, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		from[i * page] = 1;
}

/** The same elsewhere. */
__attribute__((noinline, aligned(longest))) void touch_again(volatile char *from, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		from[i * page] = 2;
}

/** Loops of two instructions a round. */
__attribute__((noipa, aligned(longest))) void count_down(uintptr_t rounds)
{
	code_count_down(rounds);
}

/** The same elsewhere. */
__attribute__((noipa, aligned(longest))) void count_down_again(uintptr_t rounds)
{
	code_count_down(rounds);
}

/** The offset of an address in the file that is mapped there. */
uint64_t file_offset(uintptr_t address)
{
	std::ifstream maps("/proc/self/maps");
	std::string line;

	while (std::getline(maps, line)) {
		uintptr_t low = 0, high = 0, offset = 0;

		if (sscanf(line.c_str(), "%lx-%lx %*s %lx", &low, &high, &offset) == 3 && address >= low &&
		    address < high)
			return address - low + offset;
	}
	throw std::runtime_error("nothing is mapped there");
}

/** The ticks in one of the functions above. */
template <typename Function> uint64_t ticks_in(const Recording &recording, Function *function)
{
	const uint64_t begin = file_offset(reinterpret_cast<uintptr_t>(function));

	return recording.sum([&](const Row &row) {
		return row.text.kind == PROFIL_KIND_FILE && row.owner.who() == "guest" &&
		       row.offset >= begin && row.offset < begin + longest;
	});
}

/** Memory whose pages are not there yet, nor large. */
volatile char *fresh_pages(size_t pages)
{
	void *const memory =
		mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need_that(memory != MAP_FAILED, "memory is mapped");
	madvise(memory, pages * page, MADV_NOHUGEPAGE);
	return static_cast<volatile char *>(memory);
}

/** Touches pages when told to, and says when it has. */
class Faulter {
public:
	Faulter(size_t pages, size_t more)
		: child_([this, pages, more] {
			  go_.wait();
			  touch(fresh_pages(pages), pages);
			  if (more)
				  touch_again(fresh_pages(more), more);
			  done_.open();
			  for (;;)
				  pause();
		  })
	{
	}

	pid_t pid() const { return child_.pid(); }
	void run()
	{
		go_.open();
		done_.wait();
	}

private:
	Gate go_;
	Gate done_;
	Child child_;
};

/** A number in the module's fdinfo of a device. */
uint64_t in_fdinfo(const Device &device, const std::string &name)
{
	std::ifstream lines("/proc/self/fdinfo/" + std::to_string(device.fd()));
	std::string line;

	while (std::getline(lines, line)) {
		if (line.starts_with(name + ":\t"))
			return std::stoull(line.substr(name.size() + 2));
	}
	throw std::runtime_error("no " + name + " in fdinfo");
}

/** Runs both loops when told to, and says when it has. */
class Looper {
public:
	Looper(uintptr_t rounds, uintptr_t more)
		: child_([this, rounds, more] {
			  go_.wait();
			  count_down(rounds);
			  count_down_again(more);
			  done_.open();
			  for (;;)
				  pause();
		  })
	{
	}

	pid_t pid() const { return child_.pid(); }
	void run()
	{
		go_.open();
		done_.wait();
	}

private:
	Gate go_;
	Gate done_;
	Child child_;
};

/** An event of the CPU's cycles; skips the test where they are not counted. */
Fd cycles_of(pid_t pid, bool exclude_kernel)
{
	Fd fd = open_proof({.pid = pid,
			    .exclude_kernel = exclude_kernel,
			    .type = PERF_TYPE_HARDWARE,
			    .config = PERF_COUNT_HW_CPU_CYCLES});

	if (fd.get() < 0 && errno == ENOENT)
		support::skip("this CPU has no counters that the kernel can use");
	need(fd.get(), "perf_event_open");
	return fd;
}

/** How far two numbers of ticks are apart: the phase of a counter decides about one. */
uint64_t apart(uint64_t one, uint64_t other)
{
	return std::max(one, other) - std::min(one, other);
}

#ifdef __x86_64__
/** The address of a variable of the kernel. */
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

/** How often the caller has been switched from. */
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
	CHECK(ticks_in(recording, touch) == 1000);
	CHECK(ticks_in(recording, touch_again) == 300);
	const profil_status status = recording.status();
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
	/* Faults of other processes, between them, are counted for nobody. */
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

	/* Profiles of one event share its counters, and what became of them. */
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

TEST_CASE_METHOD(AtRest, "everybody's page faults are in a recording of everybody", "[record][source]")
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

/* There a breakpoint of the kernel comes as an NMI does, whatever it interrupts. */
TEST_CASE_METHOD(AtRest, "events that come in an NMI are counted behind it", "[record][source]")
{
	Child child([] {
		const Burner burner;

		burner.burn_until(Burner::usual, [] { return false; });
	});
	Recording recording(4096, 1);

	recording.begin_with(open_proof({.pid = child.pid(),
					 .type = PERF_TYPE_BREAKPOINT,
					 .config = 0,
					 .address = address_of("jiffies_64")}),
			     event_flags | PROFIL_RECORD_KERNEL);
	CHECK(soon([&] { return recording.status().kernel >= 20; }));
	recording.finish();
	const profil_status status = recording.status();
	CHECK(status.ticks == status.kernel);
	CHECK(recording.sum() == status.ticks);
	/* All from one instruction, or the few places where time is kept. */
	CHECK(recording.rows().size() <= 8);
}
#else
/* Here the program would come to the breakpoint again and again, and never get past it. */
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

/*
 * QEMU's counter of cycles has nanoseconds of virtual time, which are instructions under -icount, and
 * interrupts behind the right one.  No task has a counter of its own here: with one, QEMU 7.2 loses
 * interrupts of the CPU's, also those of perf record -a.
 */
TEST_CASE_METHOD(AtRest, "a CPU's cycles are counted where they went, to the period",
		 "[record][source][icount]")
{
	constexpr uint64_t period = 100'000;
	Looper looper(45'000'000, 15'000'000);
	Recording recording(4096, period);

	recording.begin_with(cycles_of(looper.pid(), true), event_flags);
	looper.run();
	recording.finish();
	const profil_status status = recording.status();
	CHECK(apart(ticks_in(recording, count_down), 90'000'000 / period) <= 1);
	CHECK(apart(ticks_in(recording, count_down_again), 30'000'000 / period) <= 1);
	CHECK(apart(status.ticks, 120'000'000 / period) <= 1);
	CHECK(status.ticks == status.counted);
	CHECK(recording.sum() == status.ticks);
}

TEST_CASE_METHOD(AtRest, "two recordings share a CPU's counter of cycles, with a period of each",
		 "[record][source][icount]")
{
	Looper looper(15'000'000, 30'000'000);
	const Fd proof = cycles_of(looper.pid(), true);
	Recording seldom(4096, 300'000), often(4096, 100'000);

	/* The second one has the counter, which runs already, come three times as often. */
	seldom.begin_with(proof, event_flags);
	often.begin_with(proof, event_flags);
	looper.run();
	often.finish();
	seldom.finish();
	CHECK(apart(ticks_in(often, count_down), 300) <= 1);
	CHECK(apart(ticks_in(often, count_down_again), 600) <= 1);
	CHECK(apart(ticks_in(seldom, count_down), 100) <= 1);
	CHECK(apart(ticks_in(seldom, count_down_again), 200) <= 1);
}

/* A fault is four instructions of the program's, and thousands of the kernel's. */
TEST_CASE_METHOD(AtRest, "a CPU's cycles in the kernel are counted as such, or not at all",
		 "[record][source][icount]")
{
	Faulter faulter(10'000, 0);
	Recording both(4096, 100'000), user(4096, 100'000);

	both.begin_with(cycles_of(faulter.pid(), false), event_flags | PROFIL_RECORD_KERNEL);
	user.begin_with(cycles_of(faulter.pid(), true), event_flags);
	faulter.run();
	user.finish();
	both.finish();
	const profil_status status = both.status();
	CAPTURE(status.kernel, status.counted);
	CHECK(status.kernel >= 100);
	CHECK(status.counted <= status.kernel / 10);
	CHECK(both.sum() == status.ticks);
	CHECK(user.status().ticks <= 1);
}

TEST_CASE_METHOD(AtRest, "switches of a task are counted in the kernel", "[record][source]")
{
	Gate go, done;
	Child child([&] {
		go.wait();
		/* A slow kernel may find that the time is over before it has switched. */
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
