// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/follow.cpp  Attaching while the target creates threads and children, executes
 * and ends.  A second session is attached from the beginning: the counts of the first session's
 * profiles must add up to its counts.
 */
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <map>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;
/** CPU time in ns in which every profile at this rate gets a tick. */
constexpr uint64_t enough = 20'000'000;

profil_start counting_in(const Memory &counters, size_t index, uint32_t flags = PROFIL_FOLLOW)
{
	auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(8 * index), 8));

	how.flags = flags;
	return how;
}

bool readable(const Device &device)
{
	pollfd poller = {device.fd(), POLLIN, 0};

	return need(poll(&poller, 1, 0), "poll") == 1;
}

bool has_ended(const Memory &flag)
{
	return counter<uint64_t>(flag) != 0;
}

/** A target of two sessions, of which one is attached from the beginning. */
struct Watched {
	Burner burner;
	Device witness, device;
	Memory counters, reference{page}, ended{page, MAP_SHARED};
	Gate go;

	explicit Watched(size_t profiles) : counters((profiles * 8 + page - 1) / page * page)
	{
		burner.plant_loop(text);
		await_no_clock();
	}
	/** The target runs once go is opened, and sets `ended` at its end. */
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

/** The events that one session reported for each process. */
class Story {
public:
	/** Read the events; returns the processes whose fork is new and that have not exited. */
	std::vector<pid_t> read(const Device &device)
	{
		std::vector<pid_t> born;

		while (readable(device))
			for (const auto &event : device.read_events()) {
				forks_[event.pid] += !!(event.what & PROFIL_EVENT_FORK);
				exits_[event.pid] += !!(event.what & PROFIL_EVENT_EXIT);
				if ((event.what & PROFIL_EVENT_FORK) && !(event.what & PROFIL_EVENT_EXIT))
					born.push_back(event.pid);
			}
		return born;
	}
	static size_t once(const std::map<pid_t, unsigned> &what)
	{
		return std::count_if(what.begin(), what.end(), [](auto &one) { return one.second == 1; });
	}
	size_t forked_once() const { return once(forks_); }
	size_t ended_once() const { return once(exits_); }
	size_t processes() const { return exits_.size(); }

private:
	std::map<pid_t, unsigned> forks_, exits_;
};

} // namespace

TEST_CASE_METHOD(AtRest, "a storm of threads is counted in full while it is attached repeatedly", "[race]")
{
	const Watched all(512);
	const unsigned threads = rounds(300);
	Child target = all.target([&] {
		for (unsigned i = 0; i < threads; i += 2) {
			std::thread a([] { Burner::spin(text, 20'000); }),
				b([] { Burner::spin(text, 20'000); });
			a.join();
			b.join();
		}
		all.burner.burn(text, enough);
	});
	const Fd proof = proof_of(target.pid());
	const auto whole = all.witness.attach(counting_in(all.reference, 0), proof.get());
	auto profile = all.device.attach(counting_in(all.counters, 0), proof.get());
	uint64_t sum = 0, moves = 0;

	all.go.open();
	while (!has_ended(all.ended)) {
		auto how = counting_in(all.counters, ++moves % 512);
		how.proof = proof.get();
		const int error = all.device.call(PROFIL_ATTACH, &how);
		if (error) {
			need_that(error == ESRCH, "the target has ended");
			moves--;
			break;
		}
		/*
		 * The previous profile is no longer attached to anything, and after the stop
		 * nothing writes to its counters.
		 */
		const auto status = all.device.status(profile);
		all.device.stop(profile);
		auto *counted = all.counters.at<uint64_t>(8 * ((moves - 1) % 512));
		need_that(status.processes == 0, "the previous profile has no process");
		sum += *counted;
		*counted = 0;
		profile = how.profile;
	}
	target.join();
	sum += counter<uint64_t>(all.counters, moves % 512);
	INFO(moves << " moves");
	CHECK(sum == counter<uint64_t>(all.reference));
	CHECK(sum == all.witness.status(whole).counted);
	CHECK(sum > 0);
}

TEST_CASE_METHOD(AtRest, "a storm of forks is counted in full while each child is attached again", "[race]")
{
	const unsigned families = rounds(8);
	constexpr unsigned members = 14; /* below each, of depth 3 */
	const Watched all(families * members + 1);
	Child target = all.target([&] {
		for (unsigned i = 0; i < families; i++)
			family(3);
		all.burner.burn(text, enough);
	});
	const Fd proof = proof_of(target.pid());
	const auto whole = all.witness.attach(counting_in(all.reference, 0), proof.get());
	std::vector<uint32_t> profiles = {all.device.attach(counting_in(all.counters, 0), proof.get())};
	Story story, reference;

	all.go.open();
	for (bool last = false; !last;) {
		last = has_ended(all.ended);
		for (const pid_t pid : story.read(all.device)) {
			const Fd its = open_proof({.pid = pid});
			auto how = counting_in(all.counters, profiles.size());

			how.proof = its.get();
			const int error = its.get() < 0 ? errno : all.device.call(PROFIL_ATTACH, &how);
			if (!error)
				profiles.push_back(how.profile);
			else
				need_that(error == ESRCH, "the child has already ended");
		}
	}
	target.join();
	story.read(all.device);
	reference.read(all.witness);

	uint64_t sum = 0;
	for (size_t i = 0; i < profiles.size(); i++) {
		const auto status = all.device.status(profiles[i]);
		CHECK(status.counted == counter<uint64_t>(all.counters, i));
		CHECK(status.forks_lost == 0);
		sum += status.counted;
	}
	CHECK(sum == counter<uint64_t>(all.reference));
	CHECK(sum > 0);
	CHECK(all.witness.status(whole).forks_lost == 0);
	/* Process IDs are not reused this soon. */
	for (const Story *one : {&story, &reference}) {
		CHECK(one->processes() == families * members + 1);
		CHECK(one->forked_once() == families * members);
		CHECK(one->ended_once() == families * members + 1);
	}
}

/* The child's PID is known before the fork is reported, and even before the fork happens. */
TEST_CASE_METHOD(AtRest, "a child that is attached during its fork is one process", "[race]")
{
	const unsigned children = rounds(70);
	const Watched all(1);
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
	Story story;
	unsigned attached = 0;
	const auto first = all.device.attach(counting_in(all.counters, 0), proof_of(target.pid()).get());

	all.go.open();
	while (!has_ended(all.ended)) {
		const pid_t pid = __atomic_load_n(next.at<pid_t>(), __ATOMIC_RELAXED);
		const Fd its = pid ? open_proof({.pid = pid}) : Fd();

		if (its.get() < 0)
			continue;
		auto how = counting_in(all.counters, 0);
		how.proof = its.get();
		const int error = all.device.call(PROFIL_ATTACH, &how);
		need_that(!error || error == ESRCH, "the child is attached or has ended");
		attached += !error;
		story.read(all.device);
	}
	target.join();
	story.read(all.device);
	INFO(attached << " attached");
	CHECK(story.processes() == story.ended_once());
	CHECK(story.processes() == children + 1);
	CHECK(all.device.status(first).forks_lost == 0);
}

TEST_CASE_METHOD(AtRest, "attaching to a process that executes and ends gives a profile or ESRCH", "[race]")
{
	const Burner burner;
	const Memory counters(page);
	const auto path = program("uapi_target");
	const ModuleCount all;
	unsigned attached = 0;

	burner.plant_loop(text);
	for (unsigned i = 0; i < rounds(16); i++) {
		const Device device;
		Child target([&] {
			Burner::spin(text, 1'000 * (i % 40) + 1);
			if (i % 3 == 0) {
				close(1);
				execl(path.c_str(), path.c_str(), "wait", nullptr);
			}
			std::thread last([] { Burner::spin(text, 10'000); });
			if (i % 3 == 1)
				last.join();
			_exit(0);
		});
		unsigned its = 0;
		for (unsigned k = 0; k < 4; k++) {
			const Fd event = open_proof({.pid = target.pid()});
			auto how = counting_in(counters, 0);

			how.proof = event.get();
			const int error = event.get() < 0 ? errno : device.call(PROFIL_ATTACH, &how);
			need_that(!error || error == ESRCH, "a profile or ESRCH");
			its += !error;
		}
		target.reap();
		if (its) {
			unsigned ends = 0;
			while (readable(device))
				for (const auto &event : device.read_events())
					ends += !!(event.what & PROFIL_EVENT_EXIT);
			need_that(ends == 1, "its end is reported once");
			attached++;
		}
		for (unsigned k = 1; k <= its; k++)
			device.stop(k);
	}
	INFO(attached << " attached");
	CHECK(all.becomes(counter<uint64_t>(counters)));
}

namespace {

/** Burn until the thread has been attached, and for some more CPU time. */
void burn_attached(const Burner &burner, const Memory &attached)
{
	while (__atomic_load_n(attached.at<pid_t>(), __ATOMIC_RELAXED) != gettid())
		Burner::spin(text, 1'000);
	burner.burn(text, enough);
}

} // namespace

TEST_CASE_METHOD(AtRest, "threads that are attached while they end are counted once and leave nothing behind",
		 "[race][thread]")
{
	const Watched all(1);
	const Memory next(page, MAP_SHARED), attached(page, MAP_SHARED);
	const unsigned threads = rounds(400);
	std::vector<uint32_t> profiles;
	uint64_t counted = 0;
	pid_t last = 0;
	Child target = all.target([&] {
		for (unsigned i = 0; i < threads; i++)
			std::thread([&] {
				__atomic_store_n(next.at<pid_t>(), gettid(), __ATOMIC_RELAXED);
				Burner::spin(text, 3'000 * slowness() * (i % 40) + 1);
				/* Some threads live until they have been attached and ticked. */
				if (i % 40 == 39)
					burn_attached(all.burner, attached);
			}).join();
	});

	const auto whole = all.witness.attach(counting_in(all.reference, 0), proof_of(target.pid()).get());
	all.go.open();
	while (!has_ended(all.ended)) {
		const pid_t tid = __atomic_load_n(next.at<pid_t>(), __ATOMIC_RELAXED);
		const Fd its = tid != last ? open_proof({.pid = tid}) : Fd();

		last = tid;
		if (its.get() < 0)
			continue;
		auto how = counting_in(all.counters, 0, PROFIL_THREAD);
		how.proof = its.get();
		const int error = all.device.call(PROFIL_ATTACH, &how);
		/*
		 * EBUSY: 64 profiled threads have ended, and the module has not yet released all of
		 * them.
		 */
		need_that(!error || error == ESRCH || error == EBUSY,
			  "a profile, an ended thread or no room");
		if (error == EBUSY)
			last = 0;
		if (!error) {
			profiles.push_back(how.profile);
			__atomic_store_n(attached.at<pid_t>(), tid, __ATOMIC_RELAXED);
		}
	}
	target.join();
	for (const auto profile : profiles) {
		CHECK(soon([&] { return all.device.status(profile).processes == 0; }));
		counted += all.device.status(profile).counted;
	}
	INFO(profiles.size() << " attached");
	CHECK(profiles.size() >= threads / 40);
	CHECK(counted > 0);
	CHECK(counter<uint64_t>(all.counters) == counted);
	CHECK(counted <= counter<uint64_t>(all.reference));
	CHECK(counter<uint64_t>(all.reference) == all.witness.status(whole).counted);
}

namespace {

struct Spied {
	uint64_t seen;
	unsigned attached;
	int last;
};

/** As nobody, attach to a process repeatedly until that is refused; then let the process burn. */
Spied spy_on(pid_t pid, const Gate &go)
{
	const Memory counters(page);
	const Device device;
	auto how = counting_in(counters, 0);
	Spied result = {};

	become_nobody();
	const Fd event = open_proof({.pid = pid, .exclude_kernel = true});
	need(event.get(), "perf_event_open");
	how.period = period_nobody;
	how.proof = event.get();
	for (uint32_t before = 0; !(result.last = device.call(PROFIL_ATTACH, &how)); before = how.profile) {
		if (!result.attached++)
			go.open();
		else
			device.stop(before);
	}
	need_that(process_runs_for(pid, 20'000'000), "the process burns");
	result.seen = counter<uint64_t>(counters);
	return result;
}

} // namespace

TEST_CASE_METHOD(AtRest, "attaching during the exec of a set-uid program shows none of its PCs", "[race]")
{
	const Setting allowed("/proc/sys/kernel/perf_event_paranoid", "2");
	const SetUidProgram program_of_root("uapi_target");
	unsigned attached = 0;

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
		attached += spied.attached;
	}
	CHECK(attached > 0);
}
