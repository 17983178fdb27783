// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/follow.cpp  Tasks are added to a recording while they begin, execute and
 * end.  Another recording has all of them from the start.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <map>
#include <sys/wait.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;
/** Enough CPU time, in ns, for a tick in each recording at 10 kHz. */
constexpr uint64_t enough = 20'000'000;

bool has_ended(const Memory &flag)
{
	return counter<uint64_t>(flag) != 0;
}

/** A target that two recordings watch. */
struct Watched {
	Burner burner;
	Recording witness, recording;
	Memory ended{page, MAP_SHARED};
	Gate go;

	Watched()
	{
		burner.plant_loop(text);
		await_no_clock();
	}
	/** A target that runs after go is opened, and sets `ended` at its end. */
	Child target(const std::function<void()> &run) const
	{
		return Child([=, this] {
			go.wait();
			run();
			*ended.at<volatile uint64_t>() = 1;
		});
	}
};

/** Fork two children with children of their own, `depth` levels deep. */
void family(unsigned depth)
{
	for (unsigned i = 0; i < 2 && depth; i++) {
		const pid_t pid = need(fork(), "fork");
		if (!pid) {
			family(depth - 1);
			_exit(0);
		}
	}
	Burner::spin(text, 40'000);
	while (wait(nullptr) > 0)
		;
}

/** Checks that each of @p processes processes has one owner, whose end was noticed. */
void check_owners(const Recording &recording, size_t processes)
{
	std::map<pid_t, unsigned> owners;

	for (const Described &owner : recording.owners("guest")) {
		owners[owner.pid]++;
		CHECK(owner.state == PROFIL_OWNER_ENDED);
	}
	/* Process IDs are not reused this soon. */
	CHECK(owners.size() == processes);
	for (const auto &[pid, number] : owners)
		CHECK(number == 1);
	CHECK(recording.status().forks_lost == 0);
}

} // namespace

TEST_CASE_METHOD(AtRest, "a storm of forks is counted in full, and each process is one owner", "[race]")
{
	const unsigned families = rounds(8);
	constexpr unsigned members = 14; /* of each family, three levels deep */
	Watched all;
	Child target = all.target([&] {
		for (unsigned i = 0; i < families; i++)
			family(3);
		all.burner.burn(text, enough);
	});

	for (Recording *one : {&all.witness, &all.recording})
		one->begin(target.pid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	all.go.open();
	target.join();
	for (const Recording *one : {&all.witness, &all.recording}) {
		one->finish();
		const auto status = one->status();
		CAPTURE(causes_text(status));
		CHECK(one->sum() == status.counted + status.kernel);
		CHECK(status.lost_full == 0);
		check_owners(*one, families * members + 1);
	}
	CHECK(all.recording.of_kind(PROFIL_KIND_MEMORY) == all.witness.of_kind(PROFIL_KIND_MEMORY));
	CHECK(all.recording.of_kind(PROFIL_KIND_MEMORY) > 0);
}

/* The child's PID is known before its owner is described, and even before the fork. */
TEST_CASE_METHOD(AtRest, "a child that is added during its fork is one owner", "[race]")
{
	const unsigned children = rounds(70);
	Watched all;
	const Memory next(page, MAP_SHARED);
	Child target = all.target([&] {
		pid_t before = getpid();
		for (unsigned i = 0; i < children; i++) {
			__atomic_store_n(next.at<pid_t>(), before + 1, __ATOMIC_RELAXED);
			before = need(fork(), "fork");
			if (!before)
				_exit(0);
			waitpid(before, nullptr, 0);
		}
	});
	unsigned met = 0;

	all.recording.begin(target.pid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	all.go.open();
	while (!has_ended(all.ended)) {
		const pid_t pid = __atomic_load_n(next.at<pid_t>(), __ATOMIC_RELAXED);
		const Fd its = pid ? open_proof({.pid = pid}) : Fd();

		if (its.get() < 0)
			continue;
		const int error = all.recording.add_with(its);
		need_that(!error || error == EEXIST || error == ESRCH,
			  "the child is added, was added or has ended");
		met += error != ESRCH;
	}
	target.join();
	INFO(met << " met");
	check_owners(all.recording, children + 1);
}

namespace {

/** Spin until the thread has been added, and then for some more CPU time. */
void burn_added(const Burner &burner, const Memory &added)
{
	while (__atomic_load_n(added.at<pid_t>(), __ATOMIC_RELAXED) != gettid())
		Burner::spin(text, 1'000);
	burner.burn(text, enough);
}

} // namespace

TEST_CASE_METHOD(AtRest, "threads that are added while they end are counted once and leave nothing behind",
		 "[race][thread]")
{
	Watched all;
	const Memory next(page, MAP_SHARED), added(page, MAP_SHARED);
	const unsigned threads = rounds(400);
	unsigned number = 0;
	pid_t last = 0;
	Child target = all.target([&] {
		for (unsigned i = 0; i < threads; i++)
			std::thread([&] {
				__atomic_store_n(next.at<pid_t>(), gettid(), __ATOMIC_RELAXED);
				Burner::spin(text, 3'000 * slowness() * (i % 40) + 1);
				/*
				 * Some threads live until they have been added and have had a tick.
				 */
				if (i % 40 == 39)
					burn_added(all.burner, added);
			}).join();
	});

	all.witness.begin(target.pid());
	all.recording.begin(target.pid(), PROFIL_THREAD);
	all.go.open();
	while (!has_ended(all.ended)) {
		const pid_t tid = __atomic_load_n(next.at<pid_t>(), __ATOMIC_RELAXED);
		const Fd its = tid != last ? open_proof({.pid = tid}) : Fd();

		last = tid;
		if (its.get() < 0)
			continue;
		const int error = all.recording.add_with(its);
		/*
		 * EBUSY: 64 recorded threads have ended, and the module has not yet released all of
		 * them.
		 */
		need_that(!error || error == ESRCH || error == EBUSY,
			  "the thread is added, or has ended, or there is no room for it");
		if (error == EBUSY)
			last = 0;
		if (!error) {
			number++;
			__atomic_store_n(added.at<pid_t>(), tid, __ATOMIC_RELAXED);
		}
	}
	target.join();
	INFO(number << " added");
	CHECK(number >= threads / 40);
	CHECK(soon([&] { return all.recording.status().processes == 0; }));
	for (const Recording *one : {&all.witness, &all.recording})
		CHECK(one->sum() == one->status().counted + one->status().kernel);
	const uint64_t counted = all.recording.of_kind(PROFIL_KIND_MEMORY);
	CHECK(counted > 0);
	CHECK(counted <= all.witness.of_kind(PROFIL_KIND_MEMORY));
}

namespace {

struct Spied {
	uint64_t seen;
	unsigned recorded;
	int last;
};

/**
 * As the user nobody, record a process again and again until that is refused; then let the process
 * run.
 */
Spied spy_on(pid_t pid, const Gate &go)
{
	std::unique_ptr<Recording> current;
	Spied result = {};

	become_nobody();
	const Fd event = open_proof({.pid = pid, .exclude_kernel = true});
	need(event.get(), "perf_event_open");
	for (;;) {
		auto next = std::make_unique<Recording>(256, period_nobody);

		result.last = next->try_begin_with(event);
		if (result.last)
			break;
		current = std::move(next);
		if (!result.recorded++)
			go.open();
	}
	need_that(process_runs_for(pid, 20'000'000), "the process burns");
	/* The process's exec may have ticks in the kernel. */
	result.seen = current->of_kind(PROFIL_KIND_MEMORY);
	return result;
}

} // namespace

TEST_CASE_METHOD(AtRest, "recording a process during its exec of a set-uid program shows none of its PCs",
		 "[race]")
{
	const Setting allowed("/proc/sys/kernel/perf_event_paranoid", "2");
	const SetUidProgram program_of_root("uapi_target");
	unsigned recorded = 0;

	for (unsigned i = 0; i < rounds(20); i++) {
		const Gate ready, go;
		const Child target([&] {
			become_nobody();
			ready.open();
			go.wait();
			execl(program_of_root.path().c_str(), "program", "burn", std::to_string(text).c_str(),
			      nullptr);
		});
		ready.wait();
		const auto spied = in_child([&] { return spy_on(target.pid(), go); });
		CHECK(spied.seen == 0);
		CHECK(spied.last == ESRCH);
		recorded += spied.recorded;
	}
	CHECK(recorded > 0);
}
