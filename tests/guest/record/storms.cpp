// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/storms.cpp  Recordings of short programs lose no ticks: the ticks add
 * up to the CPU time.
 */
#include "tests/guest/record/support.h"
#include "tests/support/catch.h"

#include <filesystem>
#include <sys/resource.h>

using namespace guest;

namespace {

/** Short enough to keep the random error of a sum of ticks within the test's tolerance. */
constexpr uint64_t period = 20'000;

/** Copy the program to memory, so that reads never wait.  Returns the path. */
std::string copied_program()
{
	const std::string copy = "/tmp/record_short";

	std::filesystem::copy_file(program("record_short"), copy,
				   std::filesystem::copy_options::overwrite_existing);
	return copy;
}

/** The CPU time of all children that have ended, in ns. */
double children_ns()
{
	rusage use = {};

	getrusage(RUSAGE_CHILDREN, &use);
	const auto ns = [](const timeval &t) { return t.tv_sec * 1e9 + t.tv_usec * 1e3; };
	return ns(use.ru_utime) + ns(use.ru_stime);
}

struct Storm {
	double ratio; /**< counted time / CPU time of the storm's processes */
	profil_status status;
};

/** @param begin is given the process that will start the storm, before it executes anything. */
template <typename Begin> Storm run_storm(const std::string &how, const Recording &recording, Begin begin)
{
	const std::string path = copied_program();
	const Gate go;
	Child child([&] {
		go.wait();
		execl(path.c_str(), path.c_str(), "300", how.c_str(), nullptr);
		need(-1, path.c_str());
	});

	begin(child.pid());
	const double before = children_ns();
	go.open();
	child.join();
	recording.finish();
	std::filesystem::remove(path);

	const profil_status after = recording.status();
	const uint64_t ticks = recording.sum([&](const Row &row) {
		return row.owner.who() == "record_short" || row.owner.who() == "guest";
	});

	CHECK(recording.sum() == after.counted + after.kernel);
	CHECK(after.lost_full == 0);
	CHECK(after.forks_lost == 0);
	return {static_cast<double>(ticks * period) / (children_ns() - before), after};
}

} // namespace

/* Needs virtual time: time that the host takes from the guest is in rusage, but has no ticks. */
TEST_CASE_METHOD(AtRest, "ticks are the CPU time of a storm of short programs", "[record][icount]")
{
	const std::string how = GENERATE("fork", "exec", "vfork");
	CAPTURE(how);
	skip_if_late_is_unknown();
	Recording recording(8192, period);
	const Storm storm = run_storm(how, recording, [&](pid_t pid) { recording.begin(pid); });

	CAPTURE(storm.status.ticks, storm.status.lost_late, storm.status.kernel);
	INFO("ratio " << storm.ratio);
	CHECK(storm.ratio > 0.99);
	CHECK(storm.ratio < 1.01);
}

TEST_CASE_METHOD(AtRest, "the ticks of a system-wide recording are the CPU time of a storm of short programs",
		 "[record][icount]")
{
	const std::string how = GENERATE("fork", "exec", "vfork");
	CAPTURE(how);
	skip_if_late_is_unknown();
	Recording recording(8192, period);
	const Storm storm =
		run_storm(how, recording, [&](pid_t) { REQUIRE(recording.begin_everybody() == 0); });

	CAPTURE(storm.status.ticks, storm.status.lost_late, storm.status.kernel);
	INFO("ratio " << storm.ratio);
	CHECK(storm.ratio > 0.99);
	CHECK(storm.ratio < 1.01);
}
