// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/attach/counting.cpp  What an attached profile counts. */
#include "tests/guest/attach/burning_target.h"
#include "tests/support/catch.h"

#include <csignal>
#include <unistd.h>

using namespace guest;

namespace {

/** A child that, once go is opened, executes a program that burns at the usual address. */
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

/** The same, but a child of the program burns instead, as that user. */
Child executed_parent(const Gate &go, uid_t user)
{
	return Child([&go, user] {
		const auto path = program("uapi_target");
		const auto where = std::to_string(text), who = std::to_string(user);

		go.wait();
		execl(path.c_str(), path.c_str(), "child", where.c_str(), who.c_str(), nullptr);
		need(-1, path.c_str());
	});
}

/** Wait for the event of a fork, and return the child's process ID. */
pid_t next_child(const Device &device)
{
	for (;;)
		for (const auto &event : device.read_events())
			if (event.what & PROFIL_EVENT_FORK)
				return event.pid;
}

} // namespace

TEST_CASE_METHOD(AtRest, "a target counts in the attacher's memory", "[attach]")
{
	const BurningTarget target;
	const Device device;
	const Memory counters(page);
	Fd proof = proof_of(target.pid());

	const auto profile = device.attach(describe(loop_in(counters)), proof.get());
	proof.reset();
	target.begin();
	CHECK(counted_to(counters, 20));
	target.end();
	CHECK(device.status().state == PROFIL_STATE_NONE); /* no self profile */
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

TEST_CASE_METHOD(AtRest, "a new profile has no ticks of the profiles whose memory it reuses", "[attach]")
{
	constexpr size_t number = 40;
	const BurningTarget target;
	const Memory counters(page);
	const Fd proof = proof_of(target.pid());
	const auto others = module_stat("profiles");
	std::vector<std::unique_ptr<Device>> sessions;
	std::vector<uint32_t> profiles;

	const auto attach = [&](const Device &device) {
		return device.attach(describe(loop_in(counters)), proof.get());
	};
	for (size_t i = 0; i < number; i++) {
		sessions.push_back(std::make_unique<Device>());
		profiles.push_back(attach(*sessions.back()));
	}
	target.begin();
	CHECK(counted_to(counters, 20 * number));
	target.end();
	/* The module allocates several at once, so keep only every eighth. */
	for (size_t i = 0; i < number; i++) {
		CHECK(sessions[i]->status(profiles[i]).counted);
		if (i % 8)
			sessions[i]->stop(profiles[i]);
	}
	REQUIRE(soon([&] { return module_stat("profiles") == others + number / 8; }));
	for (size_t i = 0; i < number; i++) {
		if (i % 8) {
			const auto fresh = sessions[i]->status(attach(*sessions[i]));

			CHECK(fresh.ticks == 0);
			CHECK(causes(fresh) == 0);
		}
	}
}

TEST_CASE_METHOD(AtRest, "two sessions on one target both count every tick", "[attach]")
{
	await_no_clock();
	const BurningTarget target;
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
	const BurningTarget target;
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
	CHECK(module_stat("images") == images() + 2);
}

TEST_CASE_METHOD(AtRest, "children of a target also count in the attacher's memory", "[attach]")
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
	CHECK(locked_bytes() == page); /* charged once, for any number of processes */
}

TEST_CASE_METHOD(AtRest, "ticks after an exec are lost and reported until the new program is attached",
		 "[attach]")
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

/* The session has no proof for the new program, so the program's children inherit none. */
TEST_CASE_METHOD(AtRest, "children of an exec'ed program are lost until they are attached", "[attach]")
{
	const uid_t user = GENERATE(0, 65534);
	const Device device;
	const Memory counters(page);
	const Gate go;
	const Child target = executed_parent(go, user);
	auto how = describe(loop_in(counters, 0));

	CAPTURE(user);
	how.flags = PROFIL_FOLLOW;
	const auto first = device.attach(how, proof_of(target.pid()).get());
	go.open();
	const pid_t child = next_child(device);
	CHECK(soon([&] { return asleep(target.pid()); }));
	/* From now on only the child has ticks. */
	const auto before = device.status(first).lost_exec;
	CHECK(soon([&] {
		const auto now = device.status(first);
		return now.lost_exec >= before + 10 || now.counted;
	}));
	auto status = device.status(first);
	CHECK(status.lost_exec >= before + 10);
	CHECK(status.counted == 0);
	CHECK(status.processes == 2);
	CHECK(status.forks_lost == 0);
	CHECK(sum_counters<uint64_t>(counters) == 0);

	const auto second = device.attach(describe(loop_in(counters, 1)), proof_of(child).get());
	const auto lost = device.status(first).lost_exec;
	CHECK(counted_to(counters, 10, 1));
	status = device.status(first);
	CHECK(status.lost_exec == lost);
	CHECK(status.counted == 0);
	CHECK(device.status(second).lost_exec == 0);
	CHECK(counter<uint64_t>(counters, 0) == 0);
}

TEST_CASE_METHOD(AtRest, "an attached profile stops at its limit", "[attach]")
{
	const BurningTarget one, two;
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
