// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/exit.h"
#include "cli/base/numbers.h"
#include "cli/base/snapshot_signal.h"
#include "cli/base/stop_signals.h"
#include "cli/commands/record/control.h"
#include "cli/commands/record/options.h"
#include "cli/commands/record/profile_files.h"
#include "cli/commands/record/sliced_recorder.h"
#include "cli/options/subcommands.h"
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

/** Skip a checkpoint if the file is due at most this many seconds later: it costs as much. */
constexpr double spared = 1;

/** One run of profil record, from its options to the last file. */
class RecordRun : private RecorderLog {
public:
	explicit RecordRun(RecordOptions options)
		: options_(std::move(options)), profiler_(options_.target, *this, in_slices(options_.slice)),
		  files_(options_, console_)
	{
	}

	int run();

private:
	void refused(pid_t pid, const std::string &process, const std::string &why) override;
	void warn(const std::string &text) override { console_.say(text); }

	Outcome prepare();
	void begin();
	void record();
	/** Seconds until the file of this period is due. */
	[[nodiscard]] double until_file() const;
	/** Seconds until a checkpoint is due; infinite if it can be skipped: see spared. */
	[[nodiscard]] double until_checkpoint() const;
	/** Seconds until something is due. */
	[[nodiscard]] double time_left() const;
	[[nodiscard]] bool over();
	void keep_times();
	void show_progress();
	[[nodiscard]] RecordedTime time_so_far() const;
	[[nodiscard]] Recording so_far();
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
	int64_t time_nanos_ = 0;
	Clock::time_point start_;
	Clock::time_point part_;  /* start of the file that is due next */
	double part_seconds_ = 0; /* the length of its period, with --loop */
	Clock::time_point next_progress_;
	std::optional<TickCost> tick_cost_; /* set if progress is shown and the cost is known */
	bool delayed_ = false;
	ProfileFiles files_;
	std::optional<Control> control_;
	bool stopped_ = false;	  /* a --control command has ended the recording */
	bool enabled_ = true;	  /* samples are kept, not discarded */
	Recording kept_;	  /* while disabled: the samples from before that */
	double kept_seconds_ = 0; /* seconds of enabled recording before part_ */
};

/* Print a line for each PID that the user gave; a search may have hundreds of refusals. */
void RecordRun::refused(pid_t pid, const std::string &process, const std::string &why)
{
	if (!options_.target.selection.searches())
		console_.say(fmt::format("pid {}: {}", pid, why));
	else
		refusals_.add(pid, process, why, true);
}

/* Find every error that can be found before the command runs its first instruction. */
Outcome RecordRun::prepare()
{
	begin();
	if (Outcome prepared = files_.prepare(profiler_.first_pid(), time_nanos_); !prepared)
		return prepared;
	if (Outcome prepared = profiler_.prepare(); !prepared)
		return prepared;
	/* The name may contain the command's PID. */
	if (profiler_.command()) {
		if (Outcome prepared = files_.prepare(profiler_.first_pid(), time_nanos_); !prepared)
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
	/* Measure before the profiles start: otherwise, the result would include their ticks. */
	if (console_.shows_progress()) {
		if (profiler_.backend().perf)
			tick_cost_ = profiler_.perf_cost();
		else if (const Result<TickCost> cost = profiler_.period()
							       ? measure_tick_cost(profiler_.period())
							       : Error{"no clock ticks"})
			tick_cost_ = *cost;
	}
	if (profiler_.backend().perf)
		console_.say(backend_line(profiler_.backend(), profiler_.perf_cost()));
	return profiler_.start();
}

/** Begin the period that the next file covers. */
void RecordRun::begin()
{
	part_ = Clock::now();
	part_seconds_ = options_.loop.value_or(0);
	time_nanos_ = wall_clock_ns();
	files_.begin();
}

bool RecordRun::over()
{
	if (StopSignals::caught() || profiler_.over() || stopped_)
		return true;
	return !delayed_ && options_.seconds && seconds_since(start_) >= *options_.seconds;
}

/* The result is in seconds, because -d may exceed the range of a time point. */
double RecordRun::until_file() const
{
	double left = std::numeric_limits<double>::infinity();

	if (options_.seconds)
		left = *options_.seconds - seconds_since(start_);
	if (options_.loop)
		left = std::min(left, part_seconds_ - seconds_since(part_));
	return left;
}

double RecordRun::until_checkpoint() const
{
	const double left = files_.checkpoint_left();

	return left + spared < until_file() ? left : std::numeric_limits<double>::infinity();
}

double RecordRun::time_left() const
{
	if (delayed_)
		return *options_.delay - seconds_since(start_);
	return std::min(until_file(), until_checkpoint());
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
	if (!delayed_ && until_checkpoint() <= 0)
		files_.save(time_so_far(), [this] { return so_far(); });
	if (snapshots_ && snapshots_->taken())
		write_snapshot();
	if (control_)
		obey();
}

void RecordRun::obey()
{
	for (const ControlCommand &command : control_->take()) {
		if (!command.word) {
			console_.say(fmt::format(
				"--control: there is no command '{}' (give enable, disable, snapshot, "
				"stop or ping)",
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

/* Ticks are counted even while recording is disabled: discard the samples of that time. */
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

Recording RecordRun::so_far()
{
	return enabled_ ? profiler_.recorder().snapshot() : kept_;
}

void RecordRun::write_snapshot()
{
	if (delayed_) {
		console_.say("nothing to write yet: --delay is not over");
		return;
	}
	if (Outcome written = files_.write_snapshot(so_far(), time_so_far()); !written)
		console_.say(written.error().text);
}

/* Ticks are counted during the write, too.  If the write fails, the next file gets the samples. */
void RecordRun::write_part()
{
	const Recording part = profiler_.recorder().take_part();
	const RecordedTime time = time_so_far();
	const Clock::time_point began = part_;

	begin();
	if (Outcome written = files_.write_part(part, time); !written) {
		console_.say(written.error().text + ": its samples will be in the next file");
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
		/* Discard the samples that disable() has kept, too. */
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

/** Write the last file, and report problems. */
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

	Outcome written = files_.write_last(recording, time, StopSignals::caught() ? -1 : signals_.fd());

	for (const std::string &line : refusals_.lines())
		console_.say(line);
	if (!written)
		return written;
	if (recording.missing)
		console_.say(fmt::format("{} counted by the module are missing from the profile",
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
			   : files_.recorded() ? exit_ok
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
