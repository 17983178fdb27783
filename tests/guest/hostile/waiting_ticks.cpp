// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/waiting_ticks.cpp  Deferred ticks: a process whose ticks stay deferred
 * takes nothing from others.
 */
#include "tests/guest/hostile/holder.h"
#include "tests/guest/hostile/unserved.h"
#include "tests/guest/record/event_programs.h"
#include "tests/guest/support/cpu.h"
#include "tests/guest/support/mounted.h"
#include "tests/support/catch.h"

#include <linux/perf_event.h>
#include <memory>
#include <sys/mount.h>
#include <sys/uio.h>
#include <thread>

using namespace guest;
using namespace guest::hostile;

namespace {

constexpr int shared_cpu = 1;

/** A process of the user nobody in one long writev(2): it runs only while its pipe is read. */
class Writer {
public:
	Writer() : pipe_(make_pipe()), child_([this] { write_all(); }) { read(1 << 20); }

	void read(size_t bytes) const
	{
		while (bytes > 0) {
			const ssize_t got =
				::read(pipe_.first.get(), buffer_.at(), std::min(bytes, buffer_.bytes()));

			need(static_cast<int>(got), "read");
			bytes -= static_cast<size_t>(got);
		}
	}
	pid_t pid() const { return child_.pid(); }

private:
	void write_all() const
	{
		iovec part = {buffer_.at(), buffer_.bytes()};
		const std::vector<iovec> parts(1024, part);

		become_nobody();
		stay_on(shared_cpu);
		need(static_cast<int>(
			     writev(pipe_.second.get(), parts.data(), static_cast<int>(parts.size()))),
		     "writev");
	}
	static std::pair<Fd, Fd> make_pipe()
	{
		int ends[2];

		need(pipe2(ends, O_CLOEXEC), "pipe2");
		return {Fd(ends[0]), Fd(ends[1])};
	}

	const Memory buffer_{1 << 20};
	const std::pair<Fd, Fd> pipe_;
	const Child child_;
};

/** Use CPU time on the shared CPU, in a process that then ends.  Returns its PID. */
pid_t burn_beside()
{
	Child burning([] {
		const Burner burner;

		stay_on(shared_cpu);
		burner.plant_loop(Burner::usual);
		Burner::spin(Burner::usual, 100'000'000);
	});
	const pid_t pid = burning.pid();

	burning.join();
	return pid;
}

uint64_t ticks_of(const Recording &recording, pid_t pid, uint32_t kind)
{
	return recording.sum([&](const Row &row) { return row.owner.pid == pid && row.text.kind == kind; });
}

/** Threads of a process that wait in page faults on one CPU, for ever; with one or two user IDs. */
void wait_in_faults(const Gate &go, const Gate &waiting, size_t ids)
{
	constexpr size_t number = 16;
	const UnservedMemory memory(number);
	std::vector<std::thread> threads;

	go.wait();
	for (size_t i = 0; i < number; i++)
		threads.emplace_back([&memory, i, ids] {
			stay_on(shared_cpu);
			/* Unlike libc's function, this changes the IDs of one thread only. */
			if (ids > 1)
				need(static_cast<int>(syscall(SYS_setresuid, i % ids, i % ids, i % ids)),
				     "setresuid");
			/* New mappings, so that the tick must look up its text again. */
			fresh_pages(1);
			touch(static_cast<volatile char *>(memory.at(i)), 1);
		});
	memory.await(number);
	waiting.open();
	pause();
}

} // namespace

TEST_CASE_METHOD(AtRest, "a user with several user IDs gets no more places for waiting ticks than with one",
		 "[hostile][record][source]")
{
	const PerfForUsers perf;
	const FaultsForUsers faults;
	const Gate go, waiting;
	const Subordinate attackers(0, [&] { wait_in_faults(go, waiting, 2); });
	Recording waits(512, 1), recording;

	waits.begin_with(user_faults_of(attackers.pid()), event_flags);
	go.open();
	waiting.wait();
	REQUIRE(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	const pid_t pid = burn_beside();
	recording.finish();
	CHECK(ticks_of(recording, pid, PROFIL_KIND_MEMORY) > 0);
	CHECK(ticks_of(recording, pid, PROFIL_KIND_UNKNOWN) == 0);
}

TEST_CASE_METHOD(AtRest, "two users' tasks that wait in page faults take no places from the clock's ticks",
		 "[hostile][record][source]")
{
	const FaultsForUsers faults;
	const Gate go, waiting;
	const Child one = as_user(attacker, [&] { wait_in_faults(go, waiting, 1); });
	const Child two = as_user(victim, [&] { wait_in_faults(go, waiting, 1); });
	Recording waits(512, 1), recording;

	waits.begin_with(user_faults_of(one.pid()), event_flags);
	REQUIRE(waits.add_with(user_faults_of(two.pid())) == 0);
	for (int i = 0; i < 2; i++) {
		go.open();
		waiting.wait();
	}
	REQUIRE(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	const pid_t pid = burn_beside();
	recording.finish();
	CHECK(ticks_of(recording, pid, PROFIL_KIND_MEMORY) > 0);
	CHECK(ticks_of(recording, pid, PROFIL_KIND_UNKNOWN) == 0);
}

TEST_CASE_METHOD(AtRest, "a process that waits for its counter's page holds no reference to a recording",
		 "[hostile][record][lifetime]")
{
	need_fuse();
	const std::string refcnt = "/sys/module/profil/refcnt";
	constexpr size_t page_size = guest::page;
	FuseFile file(2 * page_size);
	const Memory recorded(page_size, MAP_SHARED);
	const Gate started;
	const Child holder = as_user(attacker, [&] {
		const Device device;
		const FuseMemory counters(file);
		const Burner burner;
		std::vector<profil_region> regions;

		for (size_t i = 0; i < 2; i++) {
			const uintptr_t pc = counted_text + 64 * i;

			regions.push_back(
				one_counter(pc, pc + CODE_LOOP_RETURN, counters.at(i * page_size), 8));
		}
		device.start(describe(regions, period_nobody));
		burner.burn_until(regions[0].low, [&] { return *counters.at<volatile uint64_t>() > 0; });
		started.open();
		burner.burn_until(regions[0].low, [&] { return counter<uint64_t>(recorded) > 0; });
		file.hold();
		/* A new mapping, so that the next tick has to look up its text, and to pin its page. */
		fresh_pages(1);
		burner.burn_until(regions[1].low, [] { return false; });
	});

	started.wait();
	const std::string references = read_file(refcnt);
	auto recording = std::make_unique<Recording>(512, period_nobody);
	REQUIRE(recording->begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	REQUIRE(grows([&] { return ticks_of(*recording, holder.pid(), PROFIL_KIND_MEMORY); }));
	*recorded.at<uint64_t>() = 1;
	file.await_reader();
	recording->finish();
	recording.reset();
	CHECK(soon([&] { return read_file(refcnt) == references; }));
	kill(holder.pid(), SIGKILL);
	file.abort();
}

TEST_CASE_METHOD(
	AtRest,
	"processes that stay in a system call delay no other process's ticks and do not pin the module",
	"[hostile][record][lifetime]")
{
	const std::string refcnt = "/sys/module/profil/refcnt";
	const std::string references = read_file(refcnt);
	const std::vector<Writer> writers(2);
	auto recording = std::make_unique<Recording>(), other = std::make_unique<Recording>();

	for (const auto &one : {recording.get(), other.get()})
		REQUIRE(one->begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	for (const Writer &writer : writers)
		writer.read(32 << 20);
	const pid_t pid = burn_beside();
	for (const auto &one : {recording.get(), other.get()}) {
		one->finish();
		CHECK(soon([&] {
			const profil_status status = one->status();

			return status.counted + status.kernel == one->sum();
		}));
	}
	CHECK(ticks_of(*recording, pid, PROFIL_KIND_MEMORY) > 0);
	CHECK(ticks_of(*recording, pid, PROFIL_KIND_UNKNOWN) == 0);
	for (const Writer &writer : writers)
		CHECK(ticks_of(*recording, writer.pid(), PROFIL_KIND_KERNEL) > 0);
	recording.reset();
	other.reset();
	CHECK(soon([&] { return read_file(refcnt) == references; }));
}

TEST_CASE_METHOD(AtRest,
		 "a process waiting in a page fault does not keep the files of a closed recording open",
		 "[hostile][record][source][lifetime]")
{
	const FaultsForUsers faults;
	const Gate go, waiting, mapped;
	const Child attackers = as_user(attacker, [&] { wait_in_faults(go, waiting, 1); });
	const Mounted mounted("profil-kept");
	auto recording = std::make_unique<Recording>(512, 1);
	Child program([&] {
		const LoopFile file("profil-kept/program");

		mapped.wait();
		file.map(Burner::usual);
		/* The loop's first instruction is not in memory yet. */
		Burner::spin(Burner::usual, 1);
	});

	recording->begin_with(user_faults_of(attackers.pid()), event_flags);
	REQUIRE(recording->add_with(user_faults_of(program.pid())) == 0);
	mapped.open();
	program.join();
	CHECK(recording->of_kind(PROFIL_KIND_FILE) > 0);
	go.open();
	waiting.wait();
	recording.reset();
	CHECK(umount2(mounted.path().c_str(), 0) == 0);
}
