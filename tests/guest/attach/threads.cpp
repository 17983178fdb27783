// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/attach/threads.cpp  A profile of one thread of a process. */
#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"
#include "tests/guest/support/two_threads.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;
constexpr size_t threads = 2;

using Target = TwoThreads;

uintptr_t loop_of(size_t thread)
{
	return TwoThreads::loop_of(thread);
}

/** One counter for each thread's loop. */
class Counters {
public:
	std::vector<profil_region> regions() const
	{
		std::vector<profil_region> all;

		for (size_t i = 0; i < threads; i++)
			all.push_back(
				one_counter(loop_of(i), loop_of(i) + CODE_LOOP_RETURN, memory_.at(8 * i), 8));
		return all;
	}
	uint64_t operator[](size_t thread) const { return counter<uint64_t>(memory_, thread); }
	bool reaches(size_t thread, uint64_t value) const
	{
		return soon([&] { return (*this)[thread] >= value; });
	}

private:
	const Memory memory_{page};
};

uint32_t attach(const Device &device, pid_t task, const Counters &counters, uint32_t flags)
{
	const auto regions = counters.regions();
	auto how = describe(regions);

	how.flags = flags;
	return device.attach(how, proof_of(task).get());
}

uint32_t attach_thread(const Device &device, pid_t thread, const Counters &counters)
{
	return attach(device, thread, counters, PROFIL_THREAD);
}

int error_of(const Device &device, unsigned command, uint32_t flags, int proof)
{
	const Counters counters;
	const auto regions = counters.regions();
	auto how = describe(regions);

	how.flags = flags;
	how.proof = proof;
	return device.call(command, &how);
}

} // namespace

TEST_CASE_METHOD(AtRest, "a profile of one thread counts the ticks of that thread only", "[attach][thread]")
{
	const Target target;
	const Device device;
	const Counters of_process, of_second;

	await_no_clock();
	attach(device, target.pid(), of_process, 0);
	const auto profile = attach_thread(device, target.tid(1), of_second);
	for (size_t i = 0; i < threads; i++)
		target.begin(i);
	CHECK(of_process.reaches(0, 20));
	CHECK(of_second.reaches(1, 20));
	for (size_t i = 0; i < threads; i++)
		target.rest(i);
	CHECK(of_second[0] == 0);
	CHECK(of_second[1] == of_process[1]);
	const auto status = device.status(profile);
	CHECK(status.counted == of_second[1]);
	CHECK(status.ticks == causes(status));
	CHECK(status.processes == 1);
}

TEST_CASE_METHOD(AtRest, "the profiles of all threads add up to the profile of the process",
		 "[attach][thread]")
{
	const Target target;
	const Device device;
	const Counters of_process, of_thread[threads];

	await_no_clock();
	attach(device, target.pid(), of_process, 0);
	for (size_t i = 0; i < threads; i++)
		attach_thread(device, target.tid(i), of_thread[i]);
	for (size_t i = 0; i < threads; i++)
		target.begin(i);
	for (size_t i = 0; i < threads; i++)
		CHECK(of_thread[i].reaches(i, 20));
	for (size_t i = 0; i < threads; i++)
		target.rest(i);
	for (size_t i = 0; i < threads; i++) {
		CHECK(of_thread[i][i] == of_process[i]);
		CHECK(of_thread[i][1 - i] == 0);
	}
}

TEST_CASE_METHOD(AtRest, "a thread that is attached again counts for the new profile only",
		 "[attach][thread]")
{
	const Target target;
	const Device device;
	const Counters before, after, of_other;

	const auto old = attach_thread(device, target.tid(0), before);
	attach_thread(device, target.tid(1), of_other);
	attach_thread(device, target.tid(0), after);
	CHECK(device.status(old).processes == 0);
	for (size_t i = 0; i < threads; i++)
		target.begin(i);
	CHECK(after.reaches(0, 10));
	CHECK(of_other.reaches(1, 10));
	for (size_t i = 0; i < threads; i++)
		target.rest(i);
	CHECK(before[0] == 0);
}

TEST_CASE_METHOD(AtRest, "the profile of an ended thread keeps its counts and reports no event",
		 "[attach][thread]")
{
	const Target target;
	const Device device(O_RDWR | O_NONBLOCK);
	const Counters of_first, of_second;
	const auto first = attach_thread(device, target.tid(0), of_first);
	const auto second = attach_thread(device, target.tid(1), of_second);
	profil_event event;

	target.begin(1);
	CHECK(of_second.reaches(1, 10));
	target.rest(1);
	const auto counted = of_second[1];
	target.end(1);
	CHECK(soon([&] { return device.status(second).processes == 0; }));
	CHECK(device.status(second).counted == counted);
	CHECK(device.status(second).state == PROFIL_STATE_RUNNING);
	CHECK(device.status(first).processes == 1);
	CHECK(read(device.fd(), &event, sizeof(event)) == -1);
	CHECK(errno == EAGAIN);
}

TEST_CASE_METHOD(AtRest, "an exec ends the profile of a thread", "[attach][thread]")
{
	const Gate go;
	const Child target([&] {
		const auto path = program("uapi_target");

		go.wait();
		execl(path.c_str(), path.c_str(), "burn", std::to_string(text).c_str(), nullptr);
		need(-1, path.c_str());
	});
	const Device device;
	const Counters counters;
	const auto profile = attach_thread(device, target.pid(), counters);

	CHECK(device.status(profile).processes == 1);
	go.open();
	CHECK(soon([&] { return device.status(profile).processes == 0; }));
	CHECK(device.status(profile).lost_exec == 0);
	CHECK(counters[0] == 0);
}

TEST_CASE_METHOD(AtRest, "64 thread profiles fit in a process and leave room for a process profile",
		 "[attach][thread]")
{
	const Target target;
	const Counters counters;
	const Fd proof = proof_of(target.tid(0));
	std::vector<Device> devices(65);

	for (size_t i = 0; i < 64; i++)
		CHECK(error_of(devices[i], PROFIL_ATTACH, PROFIL_THREAD, proof.get()) == 0);
	CHECK(error_of(devices[64], PROFIL_ATTACH, PROFIL_THREAD, proof.get()) == EBUSY);
	CHECK(error_of(devices[64], PROFIL_ATTACH, 0, proof.get()) == 0);
	devices[0].close();
	CHECK(error_of(devices[64], PROFIL_ATTACH, PROFIL_THREAD, proof.get()) == 0);
}

TEST_CASE_METHOD(AtRest, "a thread cannot be followed and cannot profile itself alone", "[attach][thread]")
{
	const Target target;
	const Device device;
	const Fd proof = proof_of(target.tid(1));

	CHECK(error_of(device, PROFIL_ATTACH, PROFIL_THREAD | PROFIL_FOLLOW, proof.get()) == EINVAL);
	CHECK(error_of(device, PROFIL_START, PROFIL_THREAD, -1) == EINVAL);
	CHECK(error_of(device, PROFIL_ATTACH, PROFIL_THREAD, proof.get()) == 0);
}

TEST_CASE_METHOD(AtRest, "a thread that has ended cannot be attached to", "[attach][thread]")
{
	const Target target;
	const Device device;
	const Fd proof = proof_of(target.tid(1));

	target.end(1);
	CHECK(error_of(device, PROFIL_ATTACH, PROFIL_THREAD, proof.get()) == ESRCH);
	CHECK(error_of(device, PROFIL_ATTACH, 0, proof_of(target.tid(0)).get()) == 0);
}
