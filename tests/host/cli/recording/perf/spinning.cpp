// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/host/cli/recording/perf/spinning.h"

#include "cli/recording/recorded_profile.h"
#include "cli/rows/flat.h"

#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>

namespace spinning {
namespace {

constexpr int look_ms = 100;

} // namespace

void one_part(unsigned rounds)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < rounds; i++)
		sum = sum + i;
}

void three_parts(unsigned rounds)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < 3 * rounds; i++)
		sum = sum + i;
}

Child::Child(const std::function<void()> &work)
{
	char start = 0;

	if (pipe(gate_))
		throw std::runtime_error("pipe");
	pid_ = fork();
	if (pid_ < 0)
		throw std::runtime_error("fork");
	if (!pid_) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		if (read(gate_[0], &start, 1) == 1)
			work();
		_exit(0);
	}
	setpgid(pid_, pid_);
}

Child::~Child()
{
	kill(-pid_, SIGKILL);
	waitpid(pid_, nullptr, 0);
	close(gate_[0]);
	close(gate_[1]);
}

void Child::go()
{
	if (write(gate_[1], "", 1) != 1)
		throw std::runtime_error("write");
}

void Child::wait_for_cpu(uint64_t ns) const
{
	clockid_t clock = 0;
	timespec used = {};

	if (clock_getcpuclockid(pid_, &clock))
		throw std::runtime_error("clock_getcpuclockid");
	while (!clock_gettime(clock, &used) &&
	       static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec) < ns)
		usleep(1000);
}

cli::PerfSettings fast_clock()
{
	cli::PerfSettings settings;

	settings.sources = {cli::perf_clock(100'000)};
	settings.memory = cli::perf_ring_bytes * static_cast<uint64_t>(sysconf(_SC_NPROCESSORS_CONF));
	return settings;
}

std::unique_ptr<cli::Recorder> recorder(const cli::PerfSettings &settings, cli::RecorderLog &log)
{
	cli::Result<std::unique_ptr<cli::Recorder>> made = cli::PerfRecorder::create(settings, log);

	if (!made)
		throw std::runtime_error(made.error().text);
	return *std::move(made);
}

void collect(cli::Recorder &recorder, uint64_t samples)
{
	while (recorder.accounting().counted < samples && !recorder.idle()) {
		std::vector<pollfd> events = recorder.descriptors();

		poll(events.data(), events.size(), look_ms);
		recorder.work(cli::Clock::now());
	}
}

void collect_until(cli::Recorder &recorder, const std::function<bool(const cli::Recording &)> &done)
{
	while (!done(recorder.snapshot()) && !recorder.idle()) {
		std::vector<pollfd> events = recorder.descriptors();

		poll(events.data(), events.size(), look_ms);
		recorder.work(cli::Clock::now());
	}
}

std::map<std::string, uint64_t> functions_of(const cli::Recording &recording)
{
	std::vector<std::string> warnings;
	const cli::Profile profile = cli::recorded_profile(recording, {0, 1, {{.period = 100'000}}},
							   cli::Lines::OfFewPlaces, warnings);
	std::map<std::string, uint64_t> samples;

	for (const cli::Row &row : cli::flatten(profile, {}).rows)
		samples[std::string(row.function)] += row.samples;
	return samples;
}

std::map<std::string, uint64_t> programs_of(const cli::Recording &recording)
{
	std::map<std::string, uint64_t> samples;
	const auto add = [&](const cli::Tally::Buckets &buckets) {
		for (const auto &[bucket, count] : buckets) {
			if (const cli::Owner *const owner = recording.owners.find(bucket.owner))
				samples[owner->name] += count;
		}
	};

	for (const auto &[object, buckets] : recording.tally.objects())
		add(buckets);
	add(recording.tally.unknown());
	return samples;
}

} // namespace spinning
