// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/about.h"
#include "cli/build_profile.h"
#include "cli/command.h"
#include "cli/limits.h"
#include "cli/output_file.h"
#include "cli/pprof.h"
#include "cli/progress.h"
#include "cli/record_options.h"
#include "cli/recorder.h"
#include "cli/stop_signals.h"
#include "cli/subcommands.h"
#include "cli/text.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fmt/format.h>
#include <optional>
#include <poll.h>

namespace cli {
namespace {

constexpr std::chrono::milliseconds progress_interval{250};

double seconds_since(Clock::time_point start)
{
	return std::chrono::duration<double>(Clock::now() - start).count();
}

/** One run of profil record, from its options to the file. */
class RecordRun {
public:
	explicit RecordRun(RecordOptions options) : options_(std::move(options)) {}

	int run();

private:
	Outcome prepare();
	Outcome attach();
	void record();
	void wait(Clock::time_point until);
	[[nodiscard]] bool over() const;
	void show_progress();
	Outcome write();
	void summarize(const Recording &recording, double duration);
	[[nodiscard]] Profile describe(const Recording &recording, double duration);
	int end_command();

	RecordOptions options_;
	Console console_{"profil record"};
	StopSignals signals_;
	profil_info info_ = {};
	uint64_t period_ = 0;
	std::optional<OutputFile> output_;
	std::optional<Command> command_;
	std::optional<Recorder> recorder_;
	int64_t time_nanos_ = 0;
	Clock::time_point start_;
	Clock::time_point next_progress_;
};

/* Everything that can be found wrong beforehand is. */
Outcome RecordRun::prepare()
{
	Result<OutputFile> output = OutputFile::prepare(options_.output);

	if (!output)
		return Error{output.error().text + " (choose another file with -o)"};
	output_ = std::move(*output);

	const Result<profil_info> info = module_info();

	if (!info)
		return info.error();
	info_ = *info;

	const Result<uint64_t> period = choose_period(options_.rate, info_);

	if (!period)
		return period.error();
	period_ = *period;
	if (options_.command.empty())
		return Done();

	const std::string warning = privilege_warning(options_.command.front(), geteuid());

	if (!warning.empty())
		console_.say(warning);
	/* Before raise_limits(): the command gets the limits that it would have without us. */
	Result<Command> command = Command::start(options_.command, StopSignals::restore);

	if (!command)
		return command.error();
	command_.emplace(*std::move(command));
	return Done();
}

Outcome RecordRun::attach()
{
	Result<Session> session = Session::open();

	if (!session)
		return session.error();
	raise_limits();

	const RecorderSettings settings = {period_, options_.kernel_ticks, pin_limit(info_),
					   info_.region_max};
	std::vector<pid_t> pids = options_.pids;

	if (command_)
		pids = {command_->pid()};
	recorder_.emplace(*std::move(session), settings,
			  [this](const std::string &text) { console_.say(text); });
	if (!recorder_->attach(pids, command_.has_value()))
		return Error{command_ ? "the command was not run" : "nothing was recorded"};
	return command_ ? command_->resume() : Done();
}

bool RecordRun::over() const
{
	if (StopSignals::caught() || (options_.seconds && seconds_since(start_) >= *options_.seconds))
		return true;
	return recorder_->idle();
}

void RecordRun::wait(Clock::time_point until)
{
	std::array<pollfd, 3> events = {{{recorder_->fd(), POLLIN, 0},
					 {signals_.fd(), POLLIN, 0},
					 {command_ ? command_->fd() : -1, POLLIN, 0}}};

	/* Not as a time: -d may be longer than the clock's range. */
	double left = -seconds_since(until);

	if (options_.seconds)
		left = std::min(left, *options_.seconds - seconds_since(start_));
	poll(events.data(), events.size(), poll_timeout(left));
}

void RecordRun::show_progress()
{
	const Clock::time_point now = Clock::now();

	if (!console_.shows_progress() || now < next_progress_)
		return;
	console_.progress(seconds_since(start_), recorder_->processes(), recorder_->accounting());
	next_progress_ = now + progress_interval;
}

void RecordRun::record()
{
	start_ = Clock::now();
	time_nanos_ = std::chrono::duration_cast<std::chrono::nanoseconds>(
			      std::chrono::system_clock::now().time_since_epoch())
			      .count();
	while (!over()) {
		wait(recorder_->next_work(Clock::now()));
		recorder_->work(Clock::now());
		/* Its end is the recording's; what it left running in the background is not waited for. */
		if (command_ && command_->ended())
			break;
		show_progress();
	}
	console_.clear();
}

Profile RecordRun::describe(const Recording &recording, double duration)
{
	std::vector<std::string> warnings;
	Profile profile = build_profile(recording.tally, recording.program.get(), period_, warnings);

	for (const std::string &warning : warnings)
		console_.say(warning);
	profile.time_nanos = time_nanos_;
	profile.duration_nanos = static_cast<int64_t>(duration * 1e9);
	profile.comments = to_comments({profil_version(), recording.targets, recording.granularity,
					recording.processes, recording.accounting});
	return profile;
}

Outcome RecordRun::write()
{
	const double duration = seconds_since(start_);
	const Recording recording = recorder_->finish();
	const Outcome written = output_->write(encode_pprof(describe(recording, duration)));

	if (!written)
		return Error{written.error().text + ": the profile is lost (choose another file with -o)"};
	summarize(recording, duration);
	return Done();
}

void RecordRun::summarize(const Recording &recording, double duration)
{
	const uint64_t samples = recording.tally.total();

	console_.say(fmt::format("{} of {} in {} at {}: {}", counted_noun(samples, "sample"),
				 counted_noun(recording.processes, "process"), duration_text(duration),
				 rate_text(1e9 / static_cast<double>(period_)), output_->path()));
	console_.detail(recording.counter_bytes ? fmt::format("{} ({})", recording.granularity,
							      bytes_text(recording.counter_bytes))
						: recording.granularity);
	for (const std::string &line : accounting_lines(recording.accounting))
		console_.detail(line);
	if (!recording.accounting.ticks)
		console_.detail("no ticks of the clock: nothing that was attached used the CPU meanwhile");
	if (samples < recording.accounting.counted)
		console_.say(fmt::format("{} that the module counted were not found in its counters",
					 counted_noun(recording.accounting.counted - samples, "sample")));
}

/* A terminal's Ctrl-C reached the command as well; a signal for us alone did not. */
int RecordRun::end_command()
{
	if (!command_->ended() && (!StopSignals::caught() || StopSignals::from_terminal()))
		console_.say("the recording is over, the command runs on");
	while (!command_->ended()) {
		std::array<pollfd, 2> events = {{{command_->fd(), POLLIN, 0}, {signals_.fd(), POLLIN, 0}}};

		if (StopSignals::caught() && !StopSignals::from_terminal())
			command_->terminate();
		if (StopSignals::caught())
			command_->wait();
		else
			poll(events.data(), events.size(), -1);
	}
	console_.say(fmt::format("the command {}", command_->ending()));
	return command_->exit_status();
}

int RecordRun::run()
{
	for (const auto step : {&RecordRun::prepare, &RecordRun::attach}) {
		if (const Outcome done = (this->*step)(); !done) {
			console_.say(done.error().text);
			return exit_failure;
		}
	}
	record();

	const Outcome written = write();

	if (!written)
		console_.say(written.error().text);

	const int status = command_ ? end_command() : exit_ok;

	return written ? status : exit_failure;
}

} // namespace

int record_main(const std::vector<std::string> &arguments)
{
	RecordOptions options;

	if (const std::optional<int> status = parse_record_options(arguments, options))
		return *status;
	return RecordRun(std::move(options)).run();
}

} // namespace cli
