// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/exit.h"
#include "cli/base/file_name.h"
#include "cli/base/numbers.h"
#include "cli/base/output_file.h"
#include "cli/base/snapshot_signal.h"
#include "cli/base/stop_signals.h"
#include "cli/commands/record/options.h"
#include "cli/options/subcommands.h"
#include "cli/profile/about.h"
#include "cli/profile/pprof.h"
#include "cli/recording/progress.h"
#include "cli/recording/recorded_profile.h"
#include "cli/recording/recording_run.h"
#include "cli/recording/refusals.h"
#include "cli/recording/tick_cost.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace cli {
namespace {

constexpr std::chrono::milliseconds progress_interval{250};
constexpr int64_t ns_per_second = 1000000000;

/** One run of profil record, from its options to the last file. */
class RecordRun : private RecorderLog {
public:
	explicit RecordRun(RecordOptions options)
		: options_(std::move(options)), profiler_(options_.target, *this)
	{
	}

	int run();

private:
	void refused(pid_t pid, const std::string &process, const std::string &why) override;
	void warn(const std::string &text) override { console_.say(text); }

	Outcome prepare();
	void begin();
	void record();
	[[nodiscard]] double time_left() const;
	[[nodiscard]] bool over();
	void keep_times();
	void show_progress();
	Outcome prepare_output(int64_t begin);
	Outcome write(const Recording &recording, const RecordedTime &time);
	void summarize(const Recording &recording, const RecordedTime &time, const About &about);
	[[nodiscard]] RecordedTime time_so_far() const;
	void write_snapshot();
	void write_part();
	Outcome finish();

	RecordOptions options_;
	Console console_{"profil record"};
	Refusals refusals_;
	StopSignals signals_;
	RecordingRun profiler_;
	std::optional<SnapshotSignal> snapshots_;
	std::optional<OutputFile> output_;
	int64_t time_nanos_ = 0;
	Clock::time_point start_;
	Clock::time_point part_;  /* start of the file that is due next */
	double part_seconds_ = 0; /* its length, with --loop */
	Clock::time_point next_progress_;
	std::optional<TickCost> tick_cost_; /* if it is shown, and could be measured */
	bool delayed_ = false;
};

/* Each given PID deserves a line; a search may have hundreds of refusals. */
void RecordRun::refused(pid_t pid, const std::string &process, const std::string &why)
{
	if (!options_.target.selection.searches())
		console_.say(fmt::format("pid {}: {}", pid, why));
	else
		refusals_.add(pid, process, why, true);
}

Outcome RecordRun::prepare_output(int64_t begin)
{
	const NameParts parts = {profiler_.first_pid(), begin / ns_per_second, host_name()};
	Result<OutputFile> output = OutputFile::prepare(expand_name(options_.output, parts));

	if (!output)
		return Error{output.error().text + " (choose another file with -o)"};
	output_ = std::move(*output);
	return Done();
}

/* Find every error that can be found before the command runs its first instruction. */
Outcome RecordRun::prepare()
{
	begin();
	if (Outcome prepared = prepare_output(time_nanos_); !prepared)
		return prepared;
	if (Outcome prepared = profiler_.prepare(); !prepared)
		return prepared;
	/* The name may contain the command's PID. */
	if (profiler_.command()) {
		if (Outcome prepared = prepare_output(time_nanos_); !prepared)
			return prepared;
	}
	if (options_.snapshot)
		snapshots_.emplace();
	/* Measure before the profiles start: their ticks would be part of the result. */
	if (console_.shows_progress()) {
		if (const Result<TickCost> cost = measure_tick_cost(profiler_.period()); cost)
			tick_cost_ = *cost;
	}
	return profiler_.start();
}

/** Begin the period that the next file covers. */
void RecordRun::begin()
{
	part_ = Clock::now();
	part_seconds_ = options_.loop.value_or(0);
	time_nanos_ = wall_clock_ns();
}

bool RecordRun::over()
{
	if (StopSignals::caught() || profiler_.over())
		return true;
	return !delayed_ && options_.seconds && seconds_since(start_) >= *options_.seconds;
}

/* In seconds, not as a time point: -d may exceed the clock's range. */
double RecordRun::time_left() const
{
	double left = std::numeric_limits<double>::infinity();

	if (delayed_)
		return *options_.delay - seconds_since(start_);
	if (options_.seconds)
		left = *options_.seconds - seconds_since(start_);
	if (options_.loop)
		left = std::min(left, part_seconds_ - seconds_since(part_));
	return left;
}

/** Do whatever is due now. */
void RecordRun::keep_times()
{
	if (delayed_ && seconds_since(start_) >= *options_.delay) {
		delayed_ = false;
		profiler_.recorder().take_part();
		begin();
		start_ = part_;
	}
	if (!delayed_ && options_.loop && seconds_since(part_) >= part_seconds_)
		write_part();
	if (snapshots_ && snapshots_->taken())
		write_snapshot();
}

void RecordRun::write_snapshot()
{
	if (delayed_) {
		console_.say("nothing to write yet: --delay is not over");
		return;
	}
	if (Outcome written = write(profiler_.recorder().snapshot(), time_so_far()); !written)
		console_.say(written.error().text);
}

/* Counting goes on meanwhile.  If the file cannot be written, the next one gets its samples. */
void RecordRun::write_part()
{
	const Recording part = profiler_.recorder().take_part();
	const RecordedTime time = time_so_far();
	const Clock::time_point began = part_;

	begin();
	if (Outcome written = write(part, time); !written) {
		console_.say(written.error().text + ": the next file will have these samples");
		profiler_.recorder().give_back(part);
		part_ = began;
		time_nanos_ = time.begin;
		part_seconds_ = time.seconds + *options_.loop;
	}
}

void RecordRun::show_progress()
{
	const Clock::time_point now = Clock::now();

	if (!console_.shows_progress() || now < next_progress_)
		return;

	const Accounting accounting = profiler_.recorder().accounting();
	const double seconds = seconds_since(part_);
	std::optional<double> cost;

	if (tick_cost_ && seconds > 0)
		cost = static_cast<double>(accounting.ticks) * tick_cost_->ns / ns_per_second / seconds * 100;
	console_.progress({seconds, profiler_.recorder().processes(), accounting, cost});
	next_progress_ = now + progress_interval;
}

void RecordRun::record()
{
	const std::array descriptors = {signals_.fd(), snapshots_ ? snapshots_->fd() : -1};

	begin();
	start_ = part_;
	delayed_ = options_.delay.has_value();
	while (!over()) {
		profiler_.step(time_left(), descriptors);
		keep_times();
		show_progress();
	}
	console_.clear();
}

RecordedTime RecordRun::time_so_far() const
{
	return {time_nanos_, seconds_since(part_), profiler_.period()};
}

Outcome RecordRun::write(const Recording &recording, const RecordedTime &time)
{
	std::vector<std::string> warnings;

	if (options_.loop || options_.snapshot) {
		/* All snapshots begin together: each has the name of its own time. */
		if (Outcome prepared = prepare_output(options_.loop ? time.begin : wall_clock_ns());
		    !prepared)
			return prepared;
	}

	const Profile profile = recorded_profile(recording, time, options_.lines, warnings);
	const std::string content = encode_pprof(profile);

	for (const std::string &warning : warnings)
		console_.say(warning);
	/* As perf record does; a file of a series has its own name, or is to be replaced. */
	const bool one = !options_.loop && !options_.snapshot;

	if (Outcome written =
		    output_->write(content, one ? OutputFile::Before::Kept : OutputFile::Before::Replaced);
	    !written)
		return written;
	summarize(recording, time, from_comments(profile.comments));
	return Done();
}

void RecordRun::summarize(const Recording &recording, const RecordedTime &time, const About &about)
{
	console_.say(fmt::format("{} of {} in {} at {}: {}", counted_noun(recording.tally.total(), "sample"),
				 processes_text(recording.processes, recording.accounting),
				 duration_text(time.seconds),
				 rate_text(1e9 / static_cast<double>(profiler_.period())), output_->path()));
	if (recording.accounting.ticks)
		console_.detail(accounting_line(recording.accounting));
	else
		console_.detail("no ticks of the clock: no attached process used the CPU");
	if (shared_bytes(about) > 1)
		console_.detail(recording.granularity + " (--max-memory gives more counters)");

	std::string memory = fmt::format("{} of counters", bytes_text(recording.counter_bytes));

	if (!about.lines_later.empty())
		memory += fmt::format("; reports will read lines of {} from the files (--lines stores them)",
				      counted_noun(about.lines_later.size(), "object"));
	console_.detail(memory);
}

/** Write the last file, and report what went wrong. */
Outcome RecordRun::finish()
{
	if (delayed_) {
		profiler_.recorder().take_part();
		begin();
	}

	const RecordedTime time = time_so_far();
	const Recording recording = profiler_.recorder().finish();
	Outcome written = write(recording, time);

	for (const std::string &line : refusals_.lines())
		console_.say(line);
	if (!written)
		return Error{written.error().text + ": the profile is lost (choose another file with -o)"};
	if (recording.missing)
		console_.say(fmt::format("{} that the module counted were not found in its counters",
					 counted_noun(recording.missing, "sample")));
	return Done();
}

int RecordRun::run()
{
	if (Outcome prepared = prepare(); !prepared) {
		for (const std::string &line : refusals_.lines())
			console_.say(line);
		console_.say(prepared.error().text);
		return exit_failure;
	}
	record();

	Outcome written = finish();

	if (!written)
		console_.say(written.error().text);

	const int status = profiler_.command() ? profiler_.end_command(signals_) : exit_ok;

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
