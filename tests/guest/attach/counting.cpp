// SPDX-License-Identifier: GPL-2.0-or-later
// What an attached profile counts, and until when.
#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"

#include <catch2/catch.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

// A child that burns in a loop from begin() to end(); otherwise it waits, and
// is not in user mode.  (A tick in kernel mode may still come between two
// commands, and meet only one of two profiles that are compared.)
class Target {
public:
	Target()
		: child_([this] {
			  const Burner burner;
			  for (;;) {
				  begin_.wait();
				  burner.burn_until(text, [this] { return counter<uint64_t>(flag_) == 0; });
				  ended_.open();
			  }
		  })
	{
		await_sleep();
	}

	pid_t pid() const { return child_.pid(); }
	void begin() const
	{
		*flag_.at<volatile uint64_t>() = 1;
		begin_.open();
	}
	void end() const
	{
		*flag_.at<volatile uint64_t>() = 0;
		ended_.wait();
		await_sleep();
	}

private:
	void await_sleep() const
	{
		need_that(soon([this] { return asleep(pid()); }), "the target waits");
	}

	Memory flag_{page, MAP_SHARED};
	Gate begin_, ended_;
	Child child_;
};

profil_region loop_in(const Memory &counters, size_t index = 0)
{
	return one_counter(text, text + CODE_LOOP_RETURN, counters.at(index * 8), 8);
}

bool counted_to(const Memory &counters, uint64_t value, size_t index = 0)
{
	return soon([&] { return counter<uint64_t>(counters, index) >= value; });
}

// Run a program that burns at the usual place, as a child of ours.
Child executed(const Gate &go)
{
	return Child([&] {
		const auto path = program("uapi_target");
		const auto where = std::to_string(text);

		go.wait();
		execl(path.c_str(), path.c_str(), "burn", where.c_str(), nullptr);
		need(-1, path.c_str());
	});
}

} // namespace

TEST_CASE_METHOD(AtRest, "a target counts in the attacher's memory", "[attach]")
{
	const Target target;
	const Device device;
	const Memory counters(page);
	Fd proof = proof_of(target.pid());

	const auto profile = device.attach(describe(loop_in(counters)), proof.get());
	proof.reset();
	target.begin();
	CHECK(counted_to(counters, 20));
	target.end();
	CHECK(device.status().state == PROFIL_STATE_NONE); // no self profile
	const auto status = device.status(profile);
	CHECK(status.counted == counter<uint64_t>(counters));
	CHECK(status.pinned == page);
	CHECK(status.processes == 1);
	CHECK(status.state == PROFIL_STATE_RUNNING);
	CHECK(locked_bytes() == page);
	CHECK(locked_bytes(target.pid()) == 0);
	device.stop(profile);
	CHECK(locked_bytes() == 0);
}

TEST_CASE_METHOD(AtRest, "what ends an attached profile: stop, close, the attacher's death", "[attach]")
{
	const Target target;
	const Memory counters(page, MAP_SHARED);

	target.begin();
	SECTION("PROFIL_STOP")
	{
		const Device device;
		const auto profile = device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());
		CHECK(counted_to(counters, 5));
		device.stop(profile);
		profil_status status = {};
		status.size = sizeof(status);
		status.profile = profile;
		CHECK(device.call(PROFIL_STATUS, &status) == ENOENT);
	}
	SECTION("close")
	{
		Device device;
		device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());
		CHECK(counted_to(counters, 5));
		device.close();
	}
	SECTION("SIGKILL")
	{
		Child attacher([&] {
			const Device device;
			device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());
			pause();
		});
		CHECK(counted_to(counters, 5));
		kill(attacher.pid(), SIGKILL);
		attacher.reap();
		CHECK(soon([] { return module_stat("pinned_pages") == 0; }));
	}
	const auto last = counter<uint64_t>(counters);
	usleep(50'000);
	CHECK(counter<uint64_t>(counters) == last);
	target.end();
}

TEST_CASE_METHOD(AtRest, "a profile ends with the memory of its attacher, though its file lives on",
		 "[attach]")
{
	const Target target;
	const Device device;
	const Memory counters(page, MAP_SHARED);

	target.begin();
	const auto profile = in_child([&] {
		const auto number = device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());
		need_that(counted_to(counters, 5), "it counts");
		return number;
	});
	// We have the file, but never had the pages.
	CHECK(soon([&] { return device.status(profile).state == PROFIL_STATE_STOPPED; }));
	const auto last = counter<uint64_t>(counters);
	usleep(50'000);
	CHECK(counter<uint64_t>(counters) == last);
	CHECK(soon([] { return module_stat("pinned_pages") == 0; }));
	target.end();
	device.stop(profile);
}

TEST_CASE_METHOD(AtRest, "two sessions on one target both count every tick", "[attach]")
{
	await_no_clock();
	const Target target;
	const Device one, two;
	const Memory counters(page);

	const auto first = one.attach(describe(loop_in(counters, 0)), proof_of(target.pid()).get());
	const auto second = two.attach(describe(loop_in(counters, 1)), proof_of(target.pid()).get());
	target.begin();
	CHECK(counted_to(counters, 20));
	target.end();
	CHECK(counter<uint64_t>(counters, 0) == counter<uint64_t>(counters, 1));
	CHECK(one.status(first).counted == two.status(second).counted);
	CHECK(one.status(first).outside == two.status(second).outside);
}

TEST_CASE_METHOD(AtRest, "attaching again moves a target, and no tick is lost or doubled", "[attach]")
{
	await_no_clock();
	const Target target;
	const Device device, witness;
	const Memory counters(2 * page);
	const Fd proof = proof_of(target.pid());
	std::vector<uint32_t> profiles;

	witness.attach(describe(loop_in(counters, 512)), proof.get());
	profiles.push_back(device.attach(describe(loop_in(counters, 0)), proof.get()));
	target.begin();
	for (size_t i = 1; i < 20; i++) {
		CHECK(counted_to(counters, 3, i - 1));
		profiles.push_back(device.attach(describe(loop_in(counters, i)), proof.get()));
	}
	CHECK(counted_to(counters, 3, 19));
	target.end();

	uint64_t counted = 0, outside = 0;
	for (size_t i = 0; i < profiles.size(); i++) {
		const auto status = device.status(profiles[i]);
		CHECK(status.counted == counter<uint64_t>(counters, i));
		CHECK(status.processes == (i == 19));
		counted += status.counted;
		outside += status.outside;
	}
	const auto all = witness.status(1);
	CHECK(counted == counter<uint64_t>(counters, 512));
	CHECK(outside == all.outside);
	CHECK(module_stat("images") == 2);
}

TEST_CASE_METHOD(AtRest, "PROFIL_UPDATE changes the regions, and no tick is lost", "[attach]")
{
	await_no_clock();
	const Target target;
	const Device device, witness;
	const Memory counters(3 * page);
	const Fd proof = proof_of(target.pid());

	witness.attach(describe(loop_in(counters, 1024)), proof.get());
	const auto profile = device.attach(describe(loop_in(counters, 0)), proof.get());
	target.begin();
	uint64_t pinned = 0;
	for (size_t i = 1; i < 20; i++) {
		CHECK(counted_to(counters, 3, i - 1));
		// Sometimes more pages, sometimes fewer, sometimes another kind of tick.
		const profil_region regions[] = {
			loop_in(counters, i),
			one_counter(text + 64, text + 64 + CODE_LOOP_RETURN, counters.at(i % 3 * page), 4)};
		auto update = describe_update(profile, std::span(regions, 1 + i % 2));
		CHECK(device.call(PROFIL_UPDATE, &update) == 0);
		pinned = device.status(profile).pinned;
		CHECK(pinned == (i % 2 && i % 3 ? 2 : 1) * page);
	}
	CHECK(counted_to(counters, 3, 19));
	target.end();

	uint64_t counted = 0;
	for (size_t i = 0; i < 20; i++)
		counted += counter<uint64_t>(counters, i);
	const auto status = device.status(profile);
	CHECK(counted == counter<uint64_t>(counters, 1024));
	CHECK(status.counted == counted);
	const auto all = witness.status(1);
	CHECK(status.outside == all.outside);
	CHECK(locked_bytes() == pinned + page);
}

TEST_CASE_METHOD(AtRest, "PROFIL_UPDATE is for the memory that the profile is in", "[attach]")
{
	const Target target;
	const Device device;
	const Memory counters(page);
	const auto profile = device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());

	const auto error = in_child([&] {
		const auto region = loop_in(counters, 1);
		auto update = describe_update(profile, std::span(&region, 1));
		return device.call(PROFIL_UPDATE, &update);
	});
	CHECK(error == EPERM);

	// A failed one changes nothing.
	const auto nowhere = one_counter(text, text + CODE_LOOP_RETURN, nullptr, 8);
	auto update = describe_update(profile, std::span(&nowhere, 1));
	CHECK(device.call(PROFIL_UPDATE, &update) == EFAULT);
	target.begin();
	CHECK(counted_to(counters, 3));
	target.end();
	CHECK(device.status(profile).state == PROFIL_STATE_RUNNING);
}

TEST_CASE_METHOD(AtRest, "PROFIL_UPDATE keeps the overflow counter and the samples", "[attach]")
{
	const Target target;
	const Device device;
	const Memory counters(page), samples(page);

	SECTION("the overflow counter")
	{
		auto how = describe(loop_in(counters, 0));
		how.overflow = counters.address() + 8;
		how.overflow_width = 8;
		const auto profile = device.attach(how, proof_of(target.pid()).get());
		profil_update none = {};
		none.size = sizeof(none);
		none.profile = profile;
		CHECK(device.call(PROFIL_UPDATE, &none) == 0);
		target.begin();
		CHECK(counted_to(counters, 5, 1));
		target.end();
		CHECK(counter<uint64_t>(counters, 0) == 0);
	}
	SECTION("the samples")
	{
		const auto profile =
			device.attach(describe_samples(samples.at(), 512), proof_of(target.pid()).get());
		target.begin();
		CHECK(soon([&] { return device.status(profile).stored >= 5; }));
		const auto region = loop_in(counters, 0);
		auto update = describe_update(profile, std::span(&region, 1));
		CHECK(device.call(PROFIL_UPDATE, &update) == 0);
		CHECK(counted_to(counters, 5, 0));
		target.end();
		CHECK(device.stop(profile) >= 5);
		CHECK(counter<uint64_t>(samples, 4) != 0);
	}
}

TEST_CASE_METHOD(AtRest, "children of a target count in the attacher's memory, too", "[attach]")
{
	const Device device;
	const Memory counters(page);
	const Memory done(page, MAP_SHARED);
	const Gate go;
	Child parent([&] {
		const Burner burner;
		const auto until = [&](size_t step) {
			return [&, step] { return counter<uint64_t>(done) >= step; };
		};
		go.wait();
		for (size_t i = 1; i <= 3; i++)
			in_child([&] {
				burner.burn_until(text + 64 * i, until(i));
				return 0;
			});
		burner.burn_until(text, until(4));
	});
	std::vector<profil_region> regions;
	for (size_t i = 0; i < 4; i++)
		regions.push_back(
			one_counter(text + 64 * i, text + 64 * i + CODE_LOOP_RETURN, counters.at(8 * i), 8));
	auto how = describe(regions);

	how.flags = PROFIL_FOLLOW;
	const auto profile = device.attach(how, proof_of(parent.pid()).get());
	go.open();
	for (const size_t i : {1, 2, 3, 0}) {
		CHECK(counted_to(counters, 5, i));
		__atomic_fetch_add(done.at<uint64_t>(), 1, __ATOMIC_RELAXED);
	}
	parent.join();
	const auto status = device.status(profile);
	CHECK(status.counted == sum_counters<uint64_t>(counters));
	CHECK(status.forks_lost == 0);
	CHECK(locked_bytes() == page); // once, whoever counts there
}

TEST_CASE_METHOD(AtRest, "ticks after an exec are lost, and known, until the program is attached", "[attach]")
{
	const Device device;
	const Memory counters(page);
	const Gate go;
	const Child target = executed(go);
	const auto first = device.attach(describe(loop_in(counters, 0)), proof_of(target.pid()).get());

	go.open();
	CHECK(soon([&] { return device.status(first).lost_exec >= 10; }));
	CHECK(counter<uint64_t>(counters, 0) == 0);
	CHECK(device.read_events()[0].what == PROFIL_EVENT_EXEC);
	CHECK(soon([&] { return device.status(first).processes == 1; }));

	const auto second = device.attach(describe(loop_in(counters, 1)), proof_of(target.pid()).get());
	const auto lost = device.status(first).lost_exec;
	CHECK(counted_to(counters, 10, 1));
	CHECK(device.status(first).lost_exec == lost);
	CHECK(device.status(second).lost_exec == 0);
	CHECK(device.status(first).processes == 0);
	CHECK(device.status(second).processes == 1);
	CHECK(counter<uint64_t>(counters, 0) == 0);
	kill(target.pid(), SIGKILL);
	CHECK(soon([&] { return device.status(second).processes == 0; }));
	CHECK(device.read_events()[0].what == PROFIL_EVENT_EXIT);
}

TEST_CASE_METHOD(AtRest, "what an attached profile counts stops at a limit, for all its targets", "[attach]")
{
	const Target one, two;
	const Device device;
	const Memory counters(page);
	auto how = describe(loop_in(counters));

	how.limit_policy = PROFIL_LIMIT_STOP;
	how.limit = 7;
	const auto profile = device.attach(how, proof_of(one.pid()).get());
	one.begin();
	CHECK(soon([&] { return device.status(profile).state == PROFIL_STATE_LIMIT; }));
	CHECK(counter<uint64_t>(counters) == 7);
	one.end();
}

TEST_CASE_METHOD(AtRest, "an attached profile whose memory goes away is off when it is looked at",
		 "[attach][fault]")
{
	const ClockKeeper keeper;
	const Target target;
	const Device device;
	const Memory counters(page);
	const auto profile = device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());

	target.begin();
	CHECK(counted_to(counters, 3));
	mprotect(counters.at(), page, PROT_READ);
	CHECK(device.status(profile).state == PROFIL_STATE_FAULT);
	const auto last = counter<uint64_t>(counters);
	CHECK(soon([&] { return device.status(profile).off > 0; }));
	CHECK(counter<uint64_t>(counters) == last);
	target.end();
}

TEST_CASE_METHOD(AtRest, "an attacher's end is noticed though its target has ended before", "[attach]")
{
	const Device device;
	const Memory counters(page, MAP_SHARED);
	const Gate attached, gone;

	Child target([] { pause(); });
	Child attacher([&] {
		device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());
		attached.open();
		gone.wait();
	});
	attached.wait();
	kill(target.pid(), SIGKILL);
	target.reap();
	CHECK(soon([] { return module_stat("images") == 0; }));
	CHECK(module_stat("pinned_pages") == 1);
	gone.open();
	attacher.join();
	CHECK(soon([] { return module_stat("pinned_pages") == 0; }));
	CHECK(device.status(1).state == PROFIL_STATE_STOPPED);
	CHECK(soon([] { return module_stat("clock_period") == 0; }));
	device.stop(1);
}

TEST_CASE_METHOD(AtRest, "a full array is full, and not more, after everything was ended", "[attach]")
{
	const Target target;
	const Device device;
	const Memory counters(page), samples(page);
	const auto elsewhere = one_counter(text + 64, text + 64 + CODE_LOOP_RETURN, counters.at(), 8);
	auto how = describe(elsewhere);
	profil_stop_all all = {};

	// The loop is in no region: its PCs are stored, and there is room for three.
	how.samples = samples.address();
	how.nr_samples = 3;
	how.sample_width = 8;
	const auto profile = device.attach(how, proof_of(target.pid()).get());
	target.begin();
	CHECK(soon([&] { return device.status(profile).outside > 3; }));
	CHECK(device.status(profile).stored == 3);
	all.size = sizeof(all);
	CHECK(device.call(PROFIL_STOP_ALL, &all) == 0);
	CHECK(device.status(profile).stored == 3);
	target.end();
}

TEST_CASE_METHOD(AtRest, "who ends another's profile does not wait for that one's memory", "[attach]")
{
	const Target target;
	const Gate attached, again;
	const Device device;
	const Memory counters(page, MAP_SHARED);

	// A thread that has its address space locked half of the time.
	const Child attacher([&] {
		std::thread([] {
			for (;;) {
				const auto begin = std::chrono::steady_clock::now();
				{
					const Memory changing(256 * page, MAP_POPULATE);
				}
				std::this_thread::sleep_for(std::chrono::steady_clock::now() - begin);
			}
		}).detach();
		for (;;) {
			device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());
			attached.open();
			again.wait();
		}
	});
	for (unsigned round = 0; round < 24 / slowness(); round++) {
		attached.wait();
		CHECK(locked_bytes(attacher.pid()) == page);
		device.stop(1);
		CHECK(soon([&] { return locked_bytes(attacher.pid()) == 0; }));
		again.open();
	}
	attached.wait();
}
