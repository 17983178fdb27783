// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/recording_run.h"

#include "cli/base/stop_signals.h"
#include "cli/events/available.h"
#include "cli/events/calibrate.h"
#include "cli/process/process.h"
#include "cli/recording/limits.h"
#include "cli/recording/perf/access.h"
#include "cli/recording/perf/perf_recorder.h"
#include "cli/recording/session.h"
#include "cli/recording/sources/sources_recorder.h"
#include "cli/recording/text_recorder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <poll.h>
#include <vector>

namespace cli {
namespace {

constexpr std::chrono::seconds search_interval{1};
constexpr const char *nothing_yet = "no process matches so far: waiting for one";

/* perf reports the end of a process, which has lost its memory by then, before wait(2) does. */
bool is_ending(pid_t pid)
{
	const std::optional<ProcessFacts> facts = process_facts(pid);

	return !facts || !facts->has_memory;
}

} // namespace

int poll_timeout(double seconds)
{
	return static_cast<int>(std::ceil(std::clamp(seconds, 0.0, 3600.0) * 1e3));
}

double seconds_since(Clock::time_point start)
{
	return std::chrono::duration<double>(Clock::now() - start).count();
}

pid_t RecordingRun::first_pid() const
{
	if (!options_.selection.pids.empty())
		return options_.selection.pids.front();
	return command_ ? command_->pid() : getpid();
}

Outcome RecordingRun::prepare()
{
	if (options_.selection.searches()) {
		Result<ProcessFinder> finder = ProcessFinder::create(options_.selection);

		if (!finder)
			return finder.error();
		finder_.emplace(*std::move(finder));
	}

	Result<Backend> backend = choose_backend(options_);

	if (!backend)
		return backend.error();
	backend_ = *std::move(backend);
	for (const Event &event : options_.events) {
		if (Outcome available = check_available(event); !available)
			return available;
	}
	/* Periods cannot be derived from a command that has not run yet. */
	if (!options_.selection.empty())
		choose_periods(options_.events, options_.selection.pids);
	for (const Event &event : options_.events)
		sources_.push_back({event.name, "count", event.period});
	if (sources_.empty()) {
		const Result<uint64_t> period = choose_period(options_, backend_);

		if (!period)
			return period.error();
		period_ = *period;
		sources_.push_back({.period = period_});
	}
	if (backend_.perf) {
		if (const Result<TickCost> cost = measure_perf_cost())
			perf_cost_ = *cost;
	}
	return options_.command.empty() ? Done() : start_command();
}

/* Call this before raise_limits(), so that the command has its usual limits. */
Outcome RecordingRun::start_command()
{
	const std::string warning = privilege_warning(options_.command.front(), geteuid());

	if (!warning.empty())
		log_.warn(warning);

	Result<ChildProcess> command = ChildProcess::start(options_.command, StopSignals::restore);

	if (!command)
		return command.error();
	command_.emplace(*std::move(command));
	return Done();
}

Outcome RecordingRun::make_perf_recorder()
{
	PerfSettings settings = {{},
				 options_.kernel,
				 options_.follow,
				 options_.selection.threads,
				 options_.per_process,
				 options_.per_thread,
				 options_.per_cgroup,
				 options_.memory.value_or(perf_ring_bytes * static_cast<uint64_t>(sysconf(
										    _SC_NPROCESSORS_CONF)))};

	for (const Event &event : options_.events)
		settings.sources.push_back({event.attr, event.period, false});
	if (settings.sources.empty())
		settings.sources.push_back(perf_clock(period_));

	Result<std::unique_ptr<Recorder>> recorder = PerfRecorder::create(std::move(settings), log_);

	if (!recorder)
		return recorder.error();
	recorder_ = *std::move(recorder);
	return Done();
}

/** Make a recorder for the clock, or one for each event. */
Outcome RecordingRun::make_module_recorders(RecorderSettings settings)
{
	std::vector<std::unique_ptr<Recorder>> all;

	settings.memory /= sources_.size();
	for (size_t i = 0; i < sources_.size(); i++) {
		Result<Session> session = Session::open();

		if (!session)
			return session.error();
		settings.period = sources_[i].period;
		if (!options_.events.empty())
			settings.event = options_.events[i].attr;
		all.push_back(std::make_unique<TextRecorder>(*std::move(session), settings, log_));
	}
	recorder_ = all.size() == 1 ? std::move(all.front())
				    : std::make_unique<SourcesRecorder>(std::move(all), log_);
	return Done();
}

Outcome RecordingRun::make_one()
{
	const uint64_t memory = options_.memory.value_or(most_pinned);

	raise_limits(memory);
	if (backend_.perf)
		return make_perf_recorder();
	return make_module_recorders({period_, options_.kernel, options_.follow, options_.selection.threads,
				      options_.per_process, pin_limit(backend_.info, memory),
				      options_.per_thread, options_.per_cgroup, std::nullopt});
}

Outcome RecordingRun::start()
{
	if (Outcome made = make_one(); !made)
		return made;
	if (wrap_)
		recorder_ = wrap_(std::move(recorder_));
	if (Outcome attached = attach(); !attached)
		return attached;
	return command_ ? command_->resume() : Done();
}

Outcome RecordingRun::attach()
{
	const Error nothing{command_ ? "the command was not run" : "nothing was recorded"};

	if (finder_ && recorder_->attach_everybody(options_.selection)) {
		/* Search once, only for the warning: the recording needs no search. */
		if (!options_.selection.only_everything() && finder_->find().empty())
			log_.warn(nothing_yet);
		finder_.reset();
		return Done();
	}
	if (finder_) {
		const size_t found = search();

		if (found && recorder_->idle())
			return nothing;
		if (!found)
			log_.warn(nothing_yet);
		return Done();
	}

	/* With a selection, the command only sets the duration. */
	const bool of_command = options_.selection.empty();
	const std::vector<pid_t> pids =
		of_command ? std::vector<pid_t>{command_->pid()} : options_.selection.pids;

	return recorder_->attach(pids, of_command) ? Outcome(Done()) : nothing;
}

/** @return the number of processes found that have not ended. */
size_t RecordingRun::search()
{
	std::vector<pid_t> found = finder_->find();

	next_search_ = Clock::now() + search_interval;
	if (!found.empty())
		recorder_->attach(found, false);
	for (const pid_t pid : found) {
		if (!recorder_->is_profiled(pid))
			finder_->put_back(pid);
	}
	return static_cast<size_t>(
		std::count_if(found.begin(), found.end(), [](pid_t pid) { return !has_ended(pid); }));
}

bool RecordingRun::over()
{
	/* The recording ends with the command, even if that leaves processes in the background. */
	if (command_ && command_->ended())
		return true;
	return !finder_ && recorder_->idle();
}

int RecordingRun::end_command(const StopSignals &signals)
{
	if (!command_->ended() && !is_ending(command_->pid()) &&
	    (!StopSignals::caught() || StopSignals::from_terminal()))
		log_.warn("the recording is over; the command is still running");
	while (!command_->ended()) {
		std::array<pollfd, 2> events = {{{command_->fd(), POLLIN, 0}, {signals.fd(), POLLIN, 0}}};

		if (StopSignals::caught() && !StopSignals::from_terminal())
			command_->terminate();
		if (StopSignals::caught())
			command_->wait();
		else
			poll(events.data(), events.size(), -1);
	}
	if (command_->exit_status())
		log_.warn("the command " + command_->ending());
	return command_->exit_status();
}

void RecordingRun::step(double seconds, std::span<const int> descriptors)
{
	std::vector<pollfd> events = recorder_->descriptors();
	double left = std::min(seconds, -seconds_since(recorder_->next_work(Clock::now())));

	events.push_back({command_ ? command_->fd() : -1, POLLIN, 0});
	for (const int descriptor : descriptors)
		events.push_back({descriptor, POLLIN, 0});
	if (finder_)
		left = std::min(left, -seconds_since(next_search_));
	poll(events.data(), events.size(), poll_timeout(left));
	recorder_->work(Clock::now());
	if (finder_ && Clock::now() >= next_search_)
		search();
}

} // namespace cli
