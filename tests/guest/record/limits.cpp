// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/limits.cpp  Limited resources: system-wide recordings, numbers, and
 * memory for forks.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/credentials.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;
/** A recording with `counts` elements has at most `most_numbers` numbers. */
constexpr uint32_t most_numbers = 32768, counts = 65536;
/** The cell of ticks whose owner and text are unknown. */
constexpr uint64_t unknown_of_nobody = 6;

uint64_t in_cell(Recording &recording, uint64_t cell)
{
	uint64_t sum = 0;

	for (size_t at = 0; at < recording.table().bytes(); at += sizeof(profil_count)) {
		const auto *element = recording.table().at<profil_count>(at);

		if (__atomic_load_n(&element->key, __ATOMIC_RELAXED) >> PROFIL_COUNT_SHIFT == cell)
			sum += __atomic_load_n(&element->count, __ATOMIC_RELAXED);
	}
	return sum;
}

/** A child that executes one new text after another until told to stop. */
Child many_texts(const Memory &stop)
{
	return Child([&stop] {
		constexpr uintptr_t apart = 1 << 21, places = 1000;
		const Fd fd(need(memfd_create("profil-many", MFD_CLOEXEC), "memfd_create"));

		LoopFile::fill(fd.get());
		for (uintptr_t i = 0; !counter<uint64_t>(stop); i++) {
			/* With another size, the file is another text. */
			need(ftruncate(fd.get(), static_cast<off_t>(2 * LoopFile::offset + i)), "ftruncate");
			const uintptr_t at = text + i % places * apart;
			LoopFile::map(fd.get(), at);
			code_run(at, 25'000);
			munmap(reinterpret_cast<void *>(at), LoopFile::offset);
		}
		for (;;)
			pause();
	});
}

} // namespace

TEST_CASE_METHOD(AtRest, "unprivileged users share two system-wide recordings, privileged users four",
		 "[record]")
{
	const Setting allowed("/proc/sys/kernel/perf_event_paranoid", "-1");
	const bool privileged_first = GENERATE(false, true);
	const auto begin_four = [](std::vector<Recording> &recordings) {
		for (size_t i = 0; i < 4; i++)
			CHECK(recordings[i].begin_everybody() == 0);
	};
	const Gate begin, begun, go;
	ChildOf<int> user([&] {
		std::vector<Recording> recordings;
		int errors = 0;

		begin.wait();

		for (int i = 0; i < 3; i++)
			recordings.emplace_back(256, period_nobody);
		become_nobody();
		for (int i = 0; i < 2; i++)
			errors += recordings[i].begin_everybody() != 0;
		const int third = recordings[2].begin_everybody();
		begun.open();
		go.wait();
		recordings[0].finish();
		return errors ? -1 : third * 1000 + recordings[2].begin_everybody();
	});
	std::vector<Recording> recordings(5);

	if (privileged_first)
		begin_four(recordings);
	begin.open();
	begun.wait();
	if (!privileged_first)
		begin_four(recordings);
	CHECK(recordings[4].begin_everybody() == EBUSY);
	CHECK(grows([&] { return recordings[1].sum(); }));
	go.open();
	CHECK(user.result() == EBUSY * 1000);
}

TEST_CASE_METHOD(AtRest, "without free numbers ticks have no owner, until some are forgotten",
		 "[record][icount]")
{
	if (slowness() > 1)
		support::skip("to give all numbers takes this kernel minutes");
	const Memory stop(4096, MAP_SHARED);
	const Child greedy = many_texts(stop);
	const LoopFile file("profil-loop");
	Steps late([&](auto spin) {
		file.map(text);
		spin(text);
	});
	Recording recording(counts, late_ticks_are_counted() ? 20'000 : 100'000);

	recording.begin(greedy.pid(), PROFIL_RECORD_PROCESSES);
	for (uint32_t next = 4000; next <= most_numbers; next += 4096)
		REQUIRE(soon([&] { return recording.described(0).in_use >= next; }));
	REQUIRE(soon([&] { return recording.described(0).in_use == most_numbers; }));
	CHECK(recording.add(late.pid()) == 0);
	CHECK(grows([&] { return in_cell(recording, unknown_of_nobody); }));
	CHECK(recording.described(0).in_use == most_numbers);
	*stop.at<volatile uint64_t>() = 1;
	const uint32_t last = recording.described(0).numbers;
	CHECK(last == most_numbers);
	/* The last hundred numbers stand for texts, and for cells of the only owner. */
	for (uint32_t number = last; number > last - 100; number--)
		CHECK(recording.forget(number) == 0);
	/*
	 * A tick without an owner uses a number for its text and one for its cell.  The greedy
	 * process's last tick may use two numbers as well.
	 */
	CHECK(soon([&] {
		for (uint32_t number = last + 1; number <= recording.described(0).numbers; number++)
			if (recording.described(number).owner == nobody_owner)
				return true;
		return false;
	}));
	CHECK(recording.described(0).in_use <= most_numbers - 90);
	recording.finish();
	const profil_status status = recording.status();
	uint64_t sum = 0;
	for (size_t at = 0; at < recording.table().bytes(); at += sizeof(profil_count))
		sum += recording.table().at<profil_count>(at)->count;
	CHECK(sum == status.counted + status.kernel);
	CHECK(status.ticks == causes(status));
}

namespace {

double children_ns()
{
	rusage use = {};

	getrusage(RUSAGE_CHILDREN, &use);
	const auto ns = [](const timeval &t) { return t.tv_sec * 1e9 + t.tv_usec * 1e3; };
	return ns(use.ru_utime) + ns(use.ru_stime);
}

} // namespace

/* Needs virtual time: time that the host takes from the guest is in rusage, but has no ticks. */
TEST_CASE_METHOD(AtRest, "forks that find no memory in the pool lose no tick of a system-wide recording",
		 "[record][icount]")
{
	constexpr uint64_t period = 20'000;
	constexpr unsigned forks = 700;
	skip_if_late_is_unknown();
	Recording recording(8192, period);

	REQUIRE(recording.begin_everybody() == 0);
	const uint64_t empty = module_stat("pool_empty");
	const double before = children_ns();
	Child storm([&] {
		const Burner burner;

		burner.plant_loop(text);
		/* This also keeps the work item that fills the pool from running. */
		run_before_others();
		for (unsigned i = 0; i < forks; i++) {
			if (need(fork(), "fork"))
				continue;
			code_run(text, 100'000);
			_exit(0);
		}
		while (wait(nullptr) > 0)
			;
	});
	storm.join();
	recording.finish();
	const double used = children_ns() - before;
	const profil_status status = recording.status();
	CHECK(module_stat("pool_empty") > empty);
	CHECK(status.forks_lost == 0);
	/* Most cells differ only in their owner, but the table still has room for all of them. */
	CHECK(status.lost_full == 0);
	CHECK(recording.sum() == status.counted + status.kernel);
	const uint64_t ticks = recording.sum(
		[](const Row &row) { return row.owner.who() == "guest" || row.owner.who().empty(); });
	/* A tick is late if the clock could not attribute its time to a task. */
	const double found = static_cast<double>((ticks + status.lost_late) * period) / used;
	CAPTURE(ticks, used, status.lost_late, found);
	CHECK(found > 0.98);
	CHECK(found < 1.02);
}

TEST_CASE_METHOD(AtRest,
		 "a child's ticks have no owner, not its parent, if the pool has no memory for an owner",
		 "[record][icount]")
{
	/* Each fork takes three nodes, one of them for the owner; the pool has at most 512. */
	constexpr unsigned forks = 200;
	const Gate go;
	Recording recording(8192, 20'000);
	Child parent([&] {
		const Burner burner;

		burner.plant_loop(text);
		go.wait();
		/* This also keeps the work item that fills the pool from running. */
		run_before_others();
		for (unsigned i = 0; i < forks; i++) {
			if (need(fork(), "fork"))
				continue;
			code_run(text, 100'000);
			_exit(0);
		}
		while (wait(nullptr) > 0)
			;
	});
	const pid_t pid = parent.pid();

	recording.begin(pid, PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	go.open();
	parent.join();
	recording.finish();
	CHECK(recording.status().forks_lost > 0);
	const auto in_loop = [&](auto is_its) {
		return recording.sum([&](const Row &row) {
			return row.text.kind == PROFIL_KIND_MEMORY && is_its(row.owner);
		});
	};
	CHECK(in_loop([](const Described &owner) { return owner.number == nobody_owner; }) > 0);
	/* Only the children have run this loop. */
	CHECK(in_loop([&](const Described &owner) { return owner.pid == pid; }) == 0);
	CHECK(recording.sum() == recording.status().counted + recording.status().kernel);
}

TEST_CASE_METHOD(AtRest, "a fork storm of one user leaves memory for the forks of another user's process",
		 "[record][hostile][icount]")
{
	/* Each fork takes three nodes; the pool begins with 70. */
	constexpr unsigned storm = 300, few = 4;
	const Gate go, gone;
	const Memory pids(4096, MAP_SHARED);
	/* Neither lets the work item run that fills the pool. */
	const auto fork_all = [](id_t user, const Gate &when, unsigned forks, pid_t *into) {
		run_before_others();
		become(user, 0);
		when.wait();
		for (unsigned i = 0; i < forks; i++) {
			const pid_t pid = need(fork(), "fork");

			if (!pid)
				_exit(0);
			if (into)
				into[i] = pid;
		}
	};
	Child attacker([&] {
		fork_all(1000, go, storm, nullptr);
		gone.open();
		pause();
	});
	Child victim([&] {
		fork_all(1001, gone, few, pids.at<pid_t>());
		pause();
	});
	Recording recording(8192, period_nobody);

	recording.begin(attacker.pid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	REQUIRE(recording.add(victim.pid()) == 0);
	go.open();
	REQUIRE(soon([&] { return pids.at<volatile pid_t>()[few - 1] != 0; }));
	CHECK(recording.status().forks_lost > 0);
	unsigned found = 0;
	for (uint32_t number = 1; number <= recording.described(0).numbers; number++) {
		const auto one = recording.known(number);

		for (unsigned i = 0; one && one->kind == PROFIL_KIND_OWNER && i < few; i++)
			found += one->pid == pids.at<pid_t>()[i];
	}
	CHECK(found == few);
}

namespace {

/** The ticks of a process.  Skips elements whose numbers were forgotten. */
uint64_t ticks_of_process(Recording &recording, pid_t pid)
{
	uint64_t sum = 0;

	for (size_t at = 0; at < recording.table().bytes(); at += sizeof(profil_count)) {
		const auto *element = recording.table().at<profil_count>(at);
		const uint64_t key = __atomic_load_n(&element->key, __ATOMIC_RELAXED);
		const auto cell = key ? recording.known(static_cast<uint32_t>(key >> PROFIL_COUNT_SHIFT))
				      : std::nullopt;
		const auto owner = cell ? recording.known(cell->owner) : std::nullopt;

		if (owner && owner->pid == pid)
			sum += __atomic_load_n(&element->count, __ATOMIC_RELAXED);
	}
	return sum;
}

} // namespace

TEST_CASE_METHOD(AtRest, "numbers that were forgotten are given again once all have been given",
		 "[record][window][lifetime]")
{
	Recording recording(4096, period_nobody);

	recording.begin(getpid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	const uint32_t highest = recording.described(0).highest;
	if (highest > 100'000)
		support::skip("the numbers of this module do not end before the test would");
	uint32_t last = recording.described(0).numbers;
	unsigned begun_again = 0, found = 0;

	/* Each child has four numbers. */
	for (uint32_t i = 0; i < highest / 2; i++) {
		Child child([] {});
		const pid_t pid = child.pid();

		child.join();
		for (const uint32_t end = recording.described(0).numbers; last != end;) {
			begun_again += last == highest;
			last = last == highest ? 1 : last + 1;
			const auto one = recording.known(last);
			if (!one || one->kind != PROFIL_KIND_OWNER || one->pid != pid)
				continue;
			found++;
			CHECK(recording.forget(last) == 0);
		}
	}
	CHECK(found == highest / 2);
	CHECK(begun_again >= 1);
	CHECK(recording.described(0).in_use < highest / 2);
	Steps late([](auto spin) {
		const Burner burner;
		burner.plant_loop(text);
		spin(text);
	});
	CHECK(grows([&] { return ticks_of_process(recording, late.pid()); }, 3));
}

/* Each owner has four consecutive numbers. */
TEST_CASE_METHOD(AtRest, "an owner for whom three numbers are left gets none", "[record][window]")
{
	/* Nothing ticks, so only processes and programs get numbers. */
	const Fd never = open_proof({.pid = getpid(), .config = PERF_COUNT_SW_ALIGNMENT_FAULTS});
	Recording recording(4096, uint64_t{1} << 48);

	recording.begin_with(never, PROFIL_FOLLOW | PROFIL_EVENT | PROFIL_RECORD_PROCESSES);
	const uint32_t highest = recording.described(0).highest;
	if (highest > 100'000)
		support::skip("the numbers of this module do not end before the test would");
	const auto left = [&] { return highest - recording.described(0).in_use; };

	for (uint32_t now = left(); now > 3; now = left()) {
		Child([] {}).join();
		REQUIRE(left() == now - 4);
	}
	REQUIRE(left() == 3);
	Child child([] {});
	const pid_t pid = child.pid();
	child.join();
	CHECK(left() == 3);
	for (uint32_t number = 1; number <= recording.described(0).numbers; number++) {
		const Described owner = recording.described(number);

		CHECK(owner.pid != pid);
		if (owner.kind != PROFIL_KIND_OWNER)
			continue;
		for (uint32_t cell = number + 1; cell <= number + 3; cell++)
			CHECK(recording.described(cell).owner == number);
	}
}
