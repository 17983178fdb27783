// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/recording/perf/rights.cpp  The samples that perf shows to users with
 * different rights. */
#include "cli/objects/kernel_symbols.h"
#include "tests/host/cli/recording/perf/spinning.h"
#include "tests/support/catch.h"
#include "tests/support/text.h"

#include <array>
#include <fstream>
#include <grp.h>
#include <sys/prctl.h>

using namespace spinning;
using support::has;

namespace {

constexpr unsigned rounds = 20'000;
constexpr uint64_t enough = 1000;

void spin_one()
{
	for (;;)
		one_part(rounds);
}

/** The result of @p work in a child without privileges. */
std::string as_nobody(const std::function<std::string()> &work)
{
	constexpr uid_t nobody = 65534;
	std::array<int, 2> ends{};
	std::string text;

	if (geteuid())
		support::skip("only root can become another user");
	REQUIRE_FALSE(pipe(ends.data()));
	if (const pid_t child = fork(); child) {
		close(ends[1]);
		for (char c = 0; read(ends[0], &c, 1) == 1;)
			text += c;
		close(ends[0]);
		waitpid(child, nullptr, 0);
		return text;
	}
	if (setgroups(0, nullptr) || setresgid(nobody, nobody, nobody) || setresuid(nobody, nobody, nobody))
		_exit(1);
	/* Otherwise the files of this process in /proc would belong to root. */
	prctl(PR_SET_DUMPABLE, 1);

	const std::string out = work();

	_exit(write(ends[1], out.data(), out.size()) < 0);
}

long paranoid()
{
	long level = 0;

	std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level;
	return level;
}

} // namespace

TEST_CASE("perf shows time in the kernel by function, or leaves it out", "[perf]")
{
	need_perf();

	const bool leave_out = GENERATE(false, true);
	cli::PerfSettings settings = fast_clock();
	Log log;
	Child child([] {
		for (std::array<char, 65536> bytes{};;) {
			std::ifstream("/dev/urandom").read(bytes.data(), bytes.size());
			one_part(rounds);
		}
	});

	if (leave_out)
		settings.kernel = cli::KernelTime::LeftOut;

	const auto recording = recorder(settings, log);
	const std::array pids = {child.pid()};

	REQUIRE(recording->attach(pids, false) == 1);
	if (!log.warnings.empty())
		support::skip(log.warnings.front());
	child.go();
	collect(*recording, enough);

	const cli::Recording result = recording->finish();
	uint64_t in_kernel = 0;
	uint64_t with_address = 0;

	for (const auto &[object, buckets] : result.tally.objects()) {
		if (object->source != cli::Source::Kernel)
			continue;
		in_kernel += cli::Tally::total_of(buckets);
		for (const auto &[bucket, samples] : buckets)
			with_address += bucket.address ? samples : 0;
	}
	CHECK((in_kernel == 0) == leave_out);
	if (!leave_out && cli::KernelSymbols::read().known())
		CHECK(with_address > in_kernel / 2);
}

TEST_CASE("without privileges, perf samples one's own programs, and the user is told what is missing",
	  "[perf]")
{
	need_perf();
	if (paranoid() != 2)
		support::skip("kernel.perf_event_paranoid is not 2, as Linux sets it");

	const std::string own = as_nobody([] {
		Log log;
		Child child(spin_one);
		const auto recording = recorder(fast_clock(), log);
		const std::array pids = {child.pid()};
		const size_t attached = recording->attach(pids, false);

		child.go();
		collect(*recording, 100);

		const cli::Recording result = recording->finish();

		return std::to_string(attached) +
		       (result.tally.total() >= 100 ? " sampled " : " not sampled ") +
		       (log.warnings.empty() ? "" : log.warnings.front());
	});

	CHECK(own == "1 sampled time in the kernel is not sampled: kernel.perf_event_paranoid is 2 (needs "
		     "CAP_PERFMON, or 'sysctl kernel.perf_event_paranoid=1')");

	const std::string other = as_nobody([parent = getppid()] {
		Log log;
		const auto recording = recorder(fast_clock(), log);
		const std::array pids = {parent};

		const size_t attached = recording->attach(pids, false);

		return std::to_string(attached) + " " + (log.refusals.empty() ? "" : log.refusals.front());
	});

	CAPTURE(other);
	CHECK(has(other, "0 permission denied: kernel.perf_event_paranoid is 2 (needs CAP_PERFMON;"));

	const std::string everybody = as_nobody([] {
		Log log;
		cli::Selection all;

		all.everything = true;
		return std::string(recorder(fast_clock(), log)->attach_everybody(all) ? "all" : "not all");
	});

	CHECK(everybody == "not all");
}
