// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/exit.h"
#include "cli/base/file_name.h"
#include "cli/base/numbers.h"
#include "cli/base/output_file.h"
#include "cli/base/snapshot_signal.h"
#include "cli/base/stop_signals.h"
#include "cli/commands/record/control.h"
#include "cli/commands/record/kept_files.h"
#include "cli/commands/record/options.h"
#include "cli/commands/record/sliced_recorder.h"
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
#include <memory>
#include <optional>

namespace cli {
namespace {

constexpr std::chrono::milliseconds progress_interval{250};
constexpr int64_t ns_per_second = 1000000000;

/** One run of profil record, from its options to the last file. */
class RecordRun : private RecorderLog {
public:
	explicit RecordRun(RecordOptions options)
		: options_(std::move(options)), profiler_(options_.target, *this, in_slices(options_.slice)),
		  files_(options_.keep)
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
	/** May more than one file be written? */
	[[nodiscard]] bool several() const { return options_.loop || options_.snapshot || options_.control; }
	Outcome prepare_output(int64_t begin);
	Outcome write(const Recording &recording, const RecordedTime &time);
	void summarize(const Recording &recording, const RecordedTime &time, const About &about);
	[[nodiscard]] RecordedTime time_so_far() const;
	void write_snapshot();
	void obey();
	void obey(ControlWord word);
	void enable();
	void disable();
	void forget_kept();
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
	std::optional<TickCost> tick_cost_; /* if progress is shown, and it could be measured */
	bool delayed_ = false;
	KeptFiles files_;
	std::optional<Control> control_;
	bool stopped_ = false;	  /* by a command */
	bool recorded_ = false;	  /* some file has samples */
	bool enabled_ = true;	  /* samples are kept, not discarded */
	Recording kept_;	  /* while disabled: the samples from before */
	double kept_seconds_ = 0; /* the time in which recording was enabled */
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
	if (options_.control) {
		Result<Control> control = Control::open(*options_.control);

		if (!control)
			return Error{control.error().text + " (--control)"};
		control_ = *std::move(control);
	}
	/* Measure before the profiles start: their ticks would be part of the result. */
	if (console_.shows_progress()) {
		const Result<TickCost> cost =
			profiler_.period() ? measure_tick_cost(profiler_.period()) : Error{"no clock ticks"};

		if (cost)
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
	if (StopSignals::caught() || profiler_.over() || stopped_)
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
		forget_kept();
		begin();
		start_ = part_;
	}
	if (!delayed_ && options_.loop && seconds_since(part_) >= part_seconds_)
		write_part();
	if (snapshots_ && snapshots_->taken())
		write_snapshot();
	if (control_)
		obey();
}

void RecordRun::obey()
{
	for (const ControlCommand &command : control_->take()) {
		if (!command.word) {
			console_.say(
				fmt::format("--control: there is no command '{}': enable, disable, snapshot, "
					    "stop and ping are known",
					    command.text));
			continue;
		}
		obey(*command.word);
		control_->acknowledge();
	}
}

void RecordRun::obey(ControlWord word)
{
	switch (word) {
	case ControlWord::Enable: return enable();
	case ControlWord::Disable: return disable();
	case ControlWord::Snapshot: return write_snapshot();
	case ControlWord::Stop: stopped_ = true; return;
	case ControlWord::Ping: return;
	}
}

void RecordRun::forget_kept()
{
	kept_ = {};
	kept_seconds_ = 0;
}

/* Counting goes on while recording is disabled; the samples of that time are discarded here. */
void RecordRun::enable()
{
	if (std::exchange(enabled_, true))
		return;
	profiler_.recorder().take_part();
	profiler_.recorder().give_back(std::exchange(kept_, {}));
	part_ = Clock::now();
}

void RecordRun::disable()
{
	if (!std::exchange(enabled_, false))
		return;
	kept_seconds_ += seconds_since(part_);
	kept_ = profiler_.recorder().take_part();
}

void RecordRun::write_snapshot()
{
	if (delayed_) {
		console_.say("nothing to write yet: --delay is not over");
		return;
	}
	if (Outcome written = write(enabled_ ? profiler_.recorder().snapshot() : kept_, time_so_far());
	    !written)
		console_.say(written.error().text);
}

/* Counting goes on during the write.  If it fails, the next file gets the samples. */
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
	begin();
	start_ = part_;
	delayed_ = options_.delay.has_value();
	if (options_.disabled) {
		/* Discard what was counted before this point, too. */
		disable();
		forget_kept();
	}
	while (!over()) {
		const std::array descriptors = {signals_.fd(), snapshots_ ? snapshots_->fd() : -1,
						control_ ? control_->fd() : -1};

		profiler_.step(time_left(), descriptors);
		keep_times();
		show_progress();
	}
	console_.clear();
}

RecordedTime RecordRun::time_so_far() const
{
	return {time_nanos_, kept_seconds_ + (enabled_ ? seconds_since(part_) : 0), profiler_.sources()};
}

Outcome RecordRun::write(const Recording &recording, const RecordedTime &time)
{
	std::vector<std::string> warnings;

	if (several()) {
		/* All snapshots have the same start time, so each is named by the time when it is taken. */
		if (Outcome prepared = prepare_output(options_.loop ? time.begin : wall_clock_ns());
		    !prepared)
			return prepared;
	}

	auto profile =
		std::make_unique<const Profile>(recorded_profile(recording, time, options_.lines, warnings));
	const std::string content = encode_pprof(*profile);

	for (const std::string &warning : warnings)
		console_.say(warning);
	/* perf record also keeps the old file.  A file of a series has its own name, or is meant to be
	 * replaced. */
	if (Outcome written = output_->write(content, several() ? OutputFile::Before::Replaced
								: OutputFile::Before::Kept);
	    !written)
		return written;
	recorded_ |= recording.tally.total() > 0;
	summarize(recording, time, from_comments(profile->comments));
	/* The process ends next, and releasing all samples would take longer than writing them. */
	if (!several()) {
		[[maybe_unused]] static const Profile &only = *profile.release();
	}
	if (Outcome kept = files_.add(output_->path()); !kept)
		console_.say(kept.error().text);
	return Done();
}

void RecordRun::summarize(const Recording &recording, const RecordedTime &time, const About &about)
{
	console_.say(fmt::format("{} of {} in {}{}: {}", counted_noun(recording.tally.total(), "sample"),
				 processes_text(recording.processes, recording.accounting),
				 duration_text(time.seconds), sources_text(time.sources), output_->path()));
	if (recording.accounting.ticks || recording.accounting.lost_unowned)
		console_.detail(accounting_line(recording.accounting));
	if (!recording.accounting.ticks)
		console_.detail(profiler_.period() ? "no ticks of the clock: no attached process used the CPU"
						   : "no attached process had such an event");
	if (shared_bytes(about) > 1)
		console_.detail(recording.granularity + " (--max-memory gives more counters)");

	for (const std::string &line : event_lines(about))
		console_.detail(line);

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
	Recording recording = profiler_.recorder().finish();

	/* Discard every tick since recording was disabled. */
	if (!enabled_) {
		recording.tally = kept_.tally;
		recording.threads = kept_.threads;
		recording.accounting = kept_.accounting;
		recording.missing = kept_.missing;
		recording.events = kept_.events;
		recording.owners.add(kept_.owners);
	}

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

	const int status = profiler_.command() ? profiler_.end_command(signals_)
			   : recorded_	       ? exit_ok
					       : exit_failure;

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
