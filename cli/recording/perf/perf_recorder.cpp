// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/perf/perf_recorder.h"

#include "cli/base/look_pace.h"
#include "cli/base/monotonic.h"
#include "cli/base/whole_number.h"
#include "cli/process/cgroup_numbers.h"
#include "cli/process/criteria.h"
#include "cli/process/process.h"
#include "cli/recording/perf/access.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <thread>

namespace cli {
namespace {

/* A CPU writes a record a little after its timestamp, so records newer than this are read later. */
constexpr uint64_t settling_ns = 1'000'000;
constexpr uint64_t all_records = std::numeric_limits<uint64_t>::max();
constexpr std::chrono::seconds upkeep_interval{1};
constexpr std::chrono::milliseconds longest_interval{1000};
/* The kernel's longest tick: at the next one, perf restarts an event that it has throttled. */
constexpr uint64_t longest_stop_ns = 10'000'000;
/* A profile names up to this many attached processes. */
constexpr size_t most_named = 100;
/* Up to this many ended processes keep rows of their own for their generated code. */
constexpr size_t most_ended = 1000;
/* Above this many program names, drop those that have neither samples nor live processes. */
constexpr size_t most_owners = 4096;
constexpr auto no_process = static_cast<pid_t>(-1);

std::vector<pid_t> threads_of(pid_t pid)
{
	std::vector<pid_t> threads;
	std::error_code error;

	for (std::filesystem::directory_iterator task(fmt::format("/proc/{}/task", pid), error), end;
	     !error && task != end; task.increment(error)) {
		if (const auto tid = whole_number<pid_t>(task->path().filename().native()))
			threads.push_back(*tid);
	}
	return threads;
}

} // namespace

Result<std::unique_ptr<Recorder>> PerfRecorder::create(PerfSettings settings, RecorderLog &log)
{
	std::unique_ptr<PerfRecorder> recorder(new PerfRecorder(std::move(settings), log));
	const PerfSettings &its = recorder->settings_;

	if (its.per_cgroup)
		recorder->events_.ask_for_cgroups();
	if (Outcome opened = recorder->events_.open_rings(); !opened)
		return opened.error();
	recorder->throttled_.resize(its.sources.size());
	recorder->events_parted_.resize(its.sources.size());
	recorder->recording_.by_perf = true;
	recorder->recording_.counter_bytes = recorder->events_.ring_bytes();
	recorder->processes_.tell_apart(its.per_process, its.per_cgroup);
	if (its.kernel != KernelTime::LeftOut)
		recorder->kernel_.begin_with_addresses();
	return std::unique_ptr<Recorder>(std::move(recorder));
}

/** Open events for all threads of a process; threads that it creates later inherit them. */
int PerfRecorder::add(pid_t pid)
{
	int error = ESRCH;
	bool any = false;

	if (settings_.threads)
		return events_.add(pid);
	for (const pid_t tid : threads_of(pid)) {
		error = events_.add(tid);
		any = any || !error;
		if (error && error != ESRCH)
			break;
	}
	return any ? 0 : error;
}

size_t PerfRecorder::attach(std::span<const pid_t> pids, bool)
{
	size_t attached = 0;

	/* A search also finds children that have inherited events already. */
	read(all_records);
	for (const pid_t pid : pids) {
		if (members_.contains(pid))
			continue;

		const std::string name = process_name(pid);
		const Outcome checked = settings_.threads ? check_thread(pid) : check_process(pid);
		const int error = checked ? add(pid) : 0;

		if (!checked || error) {
			log_.refused(pid, name,
				     checked ? why_not_sampled(error, settings_.sources.front().attr)
					     : checked.error().text);
			continue;
		}
		if (recording_.targets.size() < most_named)
			recording_.targets.push_back(
				fmt::format("{} ({} {})", name, settings_.threads ? "tid" : "pid", pid));
		members_.insert(pid);
		/* Read /proc only now that the events are open: they report all later mappings. */
		processes_.at(process_of(pid));
		attached++;
	}
	recording_.processes += attached;
	warn_of_hidden_kernel();
	return attached;
}

bool PerfRecorder::attach_everybody(const Selection &selection)
{
	const bool selects = !selection.only_everything();
	Result<Criteria> criteria = Criteria::create(selection);

	if (!criteria || !are_cgroups_2(criteria->cgroups()))
		return false;
	if (!criteria->cgroups().empty())
		events_.ask_for_cgroups();
	began_ = machine_time();
	if (events_.add(-1))
		return false;
	if (!criteria->cgroups().empty() && !events_.knows_cgroups())
		return false;
	if (selects)
		processes_.select(*std::move(criteria), settings_.follow);
	else if (!sees_all_pids())
		log_.warn("all processes outside this container's PID namespace are shown as "
			  "[outside] (docker run --pid host shows them)");
	everybody_ = true;
	warn_of_hidden_kernel();
	return true;
}

void PerfRecorder::warn_of_hidden_kernel()
{
	if (events_.hides_kernel() && !std::exchange(warned_, true))
		log_.warn(fmt::format("{} in the kernel {} not sampled: {}",
				      settings_.sources.front().clock ? "time" : "events",
				      settings_.sources.front().clock ? "is" : "are",
				      why_kernel_is_hidden()));
}

std::vector<pollfd> PerfRecorder::descriptors() const
{
	return {{events_.fd(), POLLIN, 0}};
}

Clock::time_point PerfRecorder::next_work(Clock::time_point) const
{
	return next_read_;
}

/**
 * The number of urgent records so far.  If there are new ones, the next read() is soon, because the
 * processes and files that they name may be gone later.
 *
 * If samples are also added up by thread, each sample needs the thread's name; if all processes are
 * recorded, a sample may be the first of a process.  Otherwise only new programs and mappings
 * cannot wait.
 */
uint64_t PerfRecorder::urgent() const
{
	return everybody_ || settings_.per_thread ? ticks_ : changes_;
}

void PerfRecorder::work(Clock::time_point now)
{
	if (now >= next_read_ || events_.is_filling_up()) {
		const uint64_t before = urgent();

		read(monotonic_ns() - settling_ns);
		interval_ = urgent() > before ? look_interval
					      : std::clamp(2 * interval_, look_interval, longest_interval);
		next_read_ = now + interval_;
	}
	events_.close_ended();
	if (now >= next_look_) {
		processes_.look();
		recording_.tally.join_ended_memory(most_ended);
		if (processes_.owners().size() > most_owners)
			processes_.forget_unused(recording_.tally);
		next_look_ = now + upkeep_interval;
	}
}

/** Add up the samples in the rings. */
void PerfRecorder::read(uint64_t until)
{
	if (OwnerFilter *const filter = processes_.filter())
		filter->begin_round();
	events_.read(until, [this](const PerfRecord &record) { take(record); });
	count_threads();
	if (const OwnerFilter *const filter = processes_.filter()) {
		recording_.processes = filter->processes();
		recording_.targets = filter->named();
	}
}

void PerfRecorder::take(const PerfRecord &record)
{
	changes_ += record.type() != PERF_RECORD_SAMPLE;
	switch (record.type()) {
	case PERF_RECORD_SAMPLE: count(record.sample(events_.knows_cgroups()), record.misc()); break;
	case PERF_RECORD_MMAP2: processes_.map(record); break;
	case PERF_RECORD_COMM: processes_.name(record); break;
	case PERF_RECORD_FORK: note_fork(record); break;
	case PERF_RECORD_EXIT: note_exit(record); break;
	case PERF_RECORD_THROTTLE: note_throttling(record, true); break;
	case PERF_RECORD_UNTHROTTLE: note_throttling(record, false); break;
	case PERF_RECORD_LOST:
		lost_ += record.at<uint64_t>(8);
		processes_.distrust();
		break;
	default: break;
	}
}

void PerfRecorder::note_fork(const PerfRecord &record)
{
	const auto child = static_cast<pid_t>(record.at<uint32_t>(0));
	const auto parent = static_cast<pid_t>(record.at<uint32_t>(4));

	/* Skip threads, and children that do not inherit events. */
	if (child == parent || (!everybody_ && (!settings_.follow || settings_.threads)))
		return;
	processes_.fork(child, parent);
	if (everybody_ || members_.insert(child).second)
		recording_.processes++;
}

void PerfRecorder::note_exit(const PerfRecord &record)
{
	const auto pid = static_cast<pid_t>(record.at<uint32_t>(0));
	const auto tid = static_cast<pid_t>(record.at<uint32_t>(8));

	if (pid != tid)
		return;
	processes_.exit(pid);
	members_.erase(pid);
}

/* While perf throttles an event, it takes no samples, so it reports none as lost. */
void PerfRecorder::note_throttling(const PerfRecord &record, bool stopped)
{
	const auto time = record.at<uint64_t>(0);
	const auto id = record.at<uint64_t>(8);
	const uint32_t source = events_.source_of(id);

	if (stopped) {
		throttled_[source].throttled++;
		stopped_[id] = time;
	} else if (const auto since = stopped_.find(id); since != stopped_.end()) {
		if (settings_.sources[source].clock)
			lost_late_ += std::min(time - since->second, longest_stop_ns) /
				      settings_.sources[source].period;
		stopped_.erase(since);
	}
}

void PerfRecorder::count(const PerfSample &sample, uint16_t misc)
{
	const auto pid = static_cast<pid_t>(sample.pid);

	if (pid == no_process) {
		if (processes_.filter())
			unowned_++;
		else
			add_place(sample, misc, nullptr);
		return;
	}

	PerfProcesses::Process &process = processes_.at(pid);

	if (events_.knows_cgroups())
		processes_.set_cgroup(pid, process, sample.cgroup);
	if (processes_.filter() && !processes_.filter()->matches(process.owner))
		return;
	add_place(sample, misc, &process);
	if (settings_.per_thread)
		threads_[{static_cast<pid_t>(sample.tid), process.program}]++;
}

/** @param process nullptr if the process is not known, because it is exiting. */
void PerfRecorder::add_place(const PerfSample &sample, uint16_t misc, PerfProcesses::Process *process)
{
	const uint16_t mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	Bucket bucket = {0, process ? process->program : processes_.unknown_program(),
			 settings_.sources.size() > 1 ? events_.source_of(sample.id) : 0};

	ticks_++;
	if (mode == PERF_RECORD_MISC_KERNEL) {
		const KernelPlace place = kernel_.find_address(sample.ip);

		bucket.address = place.address;
		recording_.tally.add(place.object, bucket, 1);
		return;
	}

	const PerfPlace place = process && mode == PERF_RECORD_MISC_USER
					? processes_.find(static_cast<pid_t>(sample.pid), *process, sample.ip)
					: PerfPlace();

	bucket.address = place.address;
	if (place.object)
		recording_.tally.add(place.object, bucket, 1);
	else
		recording_.tally.add_unknown(bucket, 1);
}

/** A thread that has ended gets the name of its program. */
void PerfRecorder::count_threads()
{
	for (const auto &[thread, samples] : std::exchange(threads_, {})) {
		const auto [tid, program] = thread;
		const std::optional<ProcessFacts> now = process_facts(tid);
		const Owner *const owner = processes_.owners().find(program);

		recording_.threads.add(tid, now ? now->name : owner ? owner->name : "[unknown]", samples);
	}
}

std::vector<EventAccount> PerfRecorder::event_accounts() const
{
	std::vector<EventAccount> all = events_.accounts();

	for (size_t i = 0; i < all.size(); i++)
		all[i].throttled = throttled_[i].throttled;
	return all;
}

Accounting PerfRecorder::accounting() const
{
	Accounting all;

	all.counted = ticks_;
	if (processes_.filter()) {
		/* Lost samples may belong to any process. */
		all.lost_unowned = lost_ + lost_late_ + unowned_;
	} else {
		all.lost_full = lost_;
		all.lost_late = lost_late_;
	}
	all.ticks = all.counted + all.lost();

	const std::optional<MachineTime> now = ended_ ? ended_ : machine_time();

	if (everybody_ && !processes_.filter() && began_ && now) {
		all.cpu_ms = cpu_ms_between(*began_, *now);
		all.idle_ms = std::min(now->idle_ms - began_->idle_ms, all.cpu_ms);
	}
	return all.since(parted_);
}

void PerfRecorder::complete(Recording &recording, const Accounting &accounting) const
{
	recording.owners = processes_.owners();
	recording.owners.keep_only(recording.tally.owners());
	recording.program = processes_.busiest_program(recording.tally);
	recording.accounting = accounting;
	recording.without_kernel = settings_.kernel == KernelTime::LeftOut || events_.hides_kernel();
	if (!settings_.sources.front().clock) {
		recording.events = event_accounts();
		for (size_t i = 0; i < recording.events.size(); i++)
			recording.events[i] = recording.events[i].since(events_parted_[i]);
	}
}

Recording PerfRecorder::snapshot()
{
	work(Clock::now());

	/* The snapshot has all samples up to this time, and no later ones. */
	const uint64_t now = monotonic_ns();

	std::this_thread::sleep_for(std::chrono::nanoseconds(settling_ns));
	read(now);

	Recording copy = recording_;

	complete(copy, accounting());
	return copy;
}

Recording PerfRecorder::take_part()
{
	Recording part = snapshot();

	parted_.add(part.accounting);
	events_parted_ = event_accounts();
	recording_.tally = Tally();
	recording_.threads = ThreadTotals();
	processes_.forget_unused(recording_.tally);
	return part;
}

void PerfRecorder::give_back(const Recording &part)
{
	recording_.tally.add(part.tally);
	processes_.restore(part.owners);
	recording_.threads.add(part.threads);
	recording_.tally.join_ended_memory(most_ended);
	parted_ = parted_.since(part.accounting);
	for (size_t i = 0; i < part.events.size(); i++)
		events_parted_[i] = events_parted_[i].since(part.events[i]);
}

Recording PerfRecorder::finish()
{
	events_.stop();
	read(all_records);
	processes_.look();
	ended_ = machine_time();
	/* perf reports losses only before its next record, so the last ones have no record yet. */
	lost_ = std::max(lost_, events_.lost());
	complete(recording_, accounting());
	return std::move(recording_);
}

} // namespace cli
