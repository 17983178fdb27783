// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/text_recorder.h"

#include "cli/events/event.h"
#include "cli/process/process.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace cli {
namespace {

constexpr uint64_t look_ns = std::chrono::nanoseconds(look_interval).count();
constexpr uint64_t event_ns_least = 1000;
/*
 * Wake-ups are at least this far apart.  Each program that a shell script runs would cause some,
 * and each wake-up costs more than the program's ticks.
 */
constexpr std::chrono::milliseconds news_interval{50};
/* The most attached processes that a profile names. */
constexpr size_t most_named = 100;

/* One number for every 8 elements of the first table, but at least least_numbers. */
constexpr uint64_t counts_for_number = 8;
constexpr uint64_t least_numbers = uint64_t{1} << 15;

/** The reason why a recording has ended. */
const char *ending(uint32_t state)
{
	return state == PROFIL_STATE_FAULT ? "the memory of its counters went away"
					   : "an administrator has ended all profiles";
}

} // namespace

uint32_t TextRecorder::flags() const
{
	return static_cast<uint32_t>(settings_.follow && !settings_.threads ? PROFIL_FOLLOW : 0) |
	       static_cast<uint32_t>(settings_.per_process || settings_.per_cgroup ? PROFIL_RECORD_PROCESSES
										   : 0) |
	       static_cast<uint32_t>(settings_.per_thread ? PROFIL_RECORD_THREADS : 0) |
	       static_cast<uint32_t>(settings_.threads ? PROFIL_THREAD : 0) |
	       static_cast<uint32_t>(settings_.kernel == KernelTime::AtCall ? PROFIL_KERNEL_TICKS : 0);
}

/** Begin the recording, with kernel addresses if they are wanted and permitted. */
AttachError TextRecorder::begin(pid_t pid, uint32_t flags)
{
	if (counts_kernel()) {
		texts_.prepare();
		began_ = machine_time();
	}
	if (settings_.kernel != KernelTime::ByFunction)
		return begin_with(pid, flags);

	const AttachError error = begin_with(pid, flags | PROFIL_RECORD_KERNEL);

	if (error.error != EACCES && error.error != EPERM)
		return error;
	return begin_with(pid, flags);
}

/** Begin with the largest useful table that may be pinned. */
AttachError TextRecorder::begin_with(pid_t pid, uint32_t flags)
{
	const auto cpus = static_cast<uint64_t>(sysconf(_SC_NPROCESSORS_CONF));
	/* Software events occur at most once in event_ns_least, and others are throttled. */
	const uint64_t ticks =
		settings_.event ? cpus * look_ns / event_ns_least : cpus * (look_ns / settings_.period + 1);
	uint64_t counts = first_counts(settings_.memory, ticks,
				       flags & PROFIL_RECORD_EVERYBODY && flags & PROFIL_RECORD_PROCESSES);
	profil_record record = {};
	const char *step = nullptr;

	record.size = sizeof(record);
	record.flags = flags;
	record.period = settings_.period;
	for (; counts >= least_counts; counts /= 2) {
		table_ = std::make_unique<CountTable>(counts);
		if (!table_->ok())
			continue;
		record.table = table_->address();
		record.nr_counts = static_cast<uint32_t>(counts);
		if (!record_on(pid, record, &step)) {
			profile_ = record.profile;
			texts_.begin(profile_, counts_kernel());
			texts_.tell_apart(settings_.per_process, settings_.per_cgroup);
			numbers_ = std::max(counts / counts_for_number, least_numbers);
			recording_.counter_bytes = table_->bytes();
			event_parted_ = look_at_event();
			pace_.begin(counts, ticks);
			return {};
		}
		if (errno != ENOMEM && errno != EDQUOT)
			break;
	}

	const AttachError error = {errno, step};

	table_.reset();
	return error;
}

/** Make the module count in @p table from now on. */
bool TextRecorder::give(const CountTable &table)
{
	return !profil_session_table(session_.get(), profile_, table.memory(),
				     static_cast<uint32_t>(table.counts()));
}

/**
 * Switch to another table before this one runs out of room for new keys.  If another cannot be
 * allocated, this one stays.
 */
bool TextRecorder::change_table()
{
	const uint64_t least = std::max(table_->counts() / 2, least_counts);
	uint64_t counts = next_counts(settings_.memory, table_->counts());

	for (; counts >= least; counts /= 2) {
		auto next = std::make_unique<CountTable>(counts);

		if (!next->ok() || !give(*next))
			continue;
		recording_.counter_bytes =
			std::max(recording_.counter_bytes, table_->bytes() + next->bytes());
		texts_.learn();
		std::swap(table_, next);
		count(*next);
		return true;
	}
	return false;
}

std::string TextRecorder::why(const AttachError &error) const
{
	/* From perf_event_open(2), the same errors have other causes. */
	const bool of_module = error.step && std::string_view(error.step) != "perf_event_open";

	const std::string of_event =
		settings_.event && of_module ? why_event_is_refused(*settings_.event, error.error) : "";

	return of_event.empty() ? explain(error.error, error.step) : of_event;
}

Outcome TextRecorder::check_target(pid_t pid) const
{
	return settings_.threads ? check_thread(pid) : check_process(pid);
}

/** @return true if the process, or the thread, has newly joined the recording. */
bool TextRecorder::join(pid_t pid, const std::string &name, const AttachError &error)
{
	/* EEXIST: a child of a process that is followed. */
	if (error.error && error.error != EEXIST) {
		log_.refused(pid, name, why(error));
		return false;
	}
	if (!members_.insert(pid).second || error.error)
		return false;
	if (recording_.targets.size() < most_named)
		recording_.targets.push_back(
			fmt::format("{} ({} {})", name, settings_.threads ? "tid" : "pid", pid));
	if (settings_.threads)
		starts_[pid] = program_start(pid);
	recording_.processes++;
	follows_ = true;
	return true;
}

/** Begin with the first process that can be recorded, and add the others all at once. */
size_t TextRecorder::attach(std::span<const pid_t> pids, bool)
{
	std::vector<profil_target> targets;
	std::vector<std::string> names;
	size_t attached = 0;

	for (const pid_t pid : pids) {
		const std::string name = process_name(pid);

		if (const Outcome checked = check_target(pid); !checked) {
			log_.refused(pid, name, checked.error().text);
		} else if (!profile_) {
			attached += join(pid, name, begin(pid, flags()));
		} else {
			targets.emplace_back().pid = pid;
			names.push_back(name);
		}
	}
	if (!targets.empty())
		profil_session_add(session_.get(), profile_, targets.data(), targets.size());
	for (size_t i = 0; i < targets.size(); i++) {
		const profil_target &target = targets[i];

		attached += join(target.pid, names[i], {target.error, target.step});
	}
	texts_.learn();
	return attached;
}

bool TextRecorder::attach_everybody(const Selection &selection)
{
	const bool selects = !selection.only_everything();
	Result<Criteria> criteria = Criteria::create(selection);

	if (!criteria || !are_cgroups_2(criteria->cgroups()))
		return false;
	/* Ticks at calls may wait in one of a few slots: leave these to the selected processes. */
	if (selects && settings_.kernel == KernelTime::AtCall)
		return false;

	const AttachError error =
		begin(-1, flags() | PROFIL_RECORD_EVERYBODY | (selects ? PROFIL_RECORD_PROCESSES : 0U));

	if (error.error == EBUSY)
		log_.warn("the limit of recordings of all processes is reached, so profil searches "
			  "for processes once a second (sudo profil status shows the recordings)");
	if (error.error)
		return false;
	if (selects)
		texts_.select(*std::move(criteria), settings_.follow);
	everybody_ = true;
	return true;
}

/** True if a thread has ended, or runs another program, in which the module does not record it. */
bool TextRecorder::has_left(pid_t tid, const std::optional<ProgramStart> &start)
{
	const bool runs = static_cast<bool>(check_thread(tid));

	if (runs && program_start(tid) == start)
		return false;
	if (runs)
		log_.warn(fmt::format("tid {} ({}): its process runs another program, which is not profiled",
				      tid, process_name(tid)));
	return true;
}

void TextRecorder::look_at_threads()
{
	std::erase_if(starts_, [this](const auto &thread) {
		return has_left(thread.first, thread.second) && members_.erase(thread.first);
	});
}

bool TextRecorder::idle() const
{
	if (everybody_)
		return over_;
	return settings_.threads ? members_.empty() : !follows_ && !others_;
}

void TextRecorder::check(Clock::time_point now)
{
	if (!profile_ || over_)
		return;

	const profil_status status = session_.status(profile_);

	/* Only once a second: there may be thousands of members, and a wake-up every 50 ms. */
	if (now >= next_check_) {
		look_at_threads();
		std::erase_if(members_, [](pid_t pid) { return has_ended(pid); });
		next_check_ = now + check_interval;
	}
	if (everybody_ && !texts_.filter())
		recording_.processes = std::max<uint64_t>(recording_.processes, status.processes);
	if (learns_of_ends()) {
		recording_.processes = status.joined;
		follows_ = status.followed;
		others_ = !follows_ && status.processes;
	}
	if (status.state != PROFIL_STATE_RUNNING) {
		over_ = true;
		follows_ = others_ = false;
		members_.clear();
		log_.warn(fmt::format("the recording has ended: {}", ending(status.state)));
	}
}

void TextRecorder::work(Clock::time_point now)
{
	const bool news = armed_ && has_news();

	if (news && rests_)
		pace_.wake(now, session_.status(profile_).ticks);
	else if (news)
		pace_.hurry();
	if (news) {
		armed_ = rests_ = false;
		next_news_ = now + news_interval;
	}
	/* Arm before looking: a change that the looks below miss then wakes us. */
	if (learns_of_ends() && !armed_)
		armed_ = arm(INT32_MAX);
	texts_.learn();
	if (news)
		texts_.look_at_ended();
	if (now >= next_look_) {
		texts_.look();
		next_look_ = now + check_interval;
	}
	if (table_ && !over_ && now >= next_change_)
		next_change_ = now + (table_->fills_up() && !change_table() ? check_interval : look_interval);
	if (pace_.due(now))
		pace_.look(now, session_.status(profile_).ticks);
	/* Not for threads: the module describes a single thread's owner as ended from the start. */
	if (!settings_.threads && now >= next_forgetting_ &&
	    texts_.in_use() > std::min(numbers_, texts_.highest_number()) / 4)
		forget_ended(now);
	/* Read samples while their processes exist, to look up matches and names of threads. */
	if ((texts_.filter() || settings_.per_thread) && now >= next_check_)
		drain();
	if (news || now >= next_check_ || (learns_of_ends() && !follows_))
		check(now);
	rests_ = rests_ && pace_.quiet();
	if (!rests_ && may_rest(now))
		rest(now);
}

/** Make room for new processes, which need the numbers of ended processes. */
void TextRecorder::forget_ended(Clock::time_point now)
{
	drain();
	texts_.forget_ended(now, recording_.tally);
	next_forgetting_ = now + check_interval;
}

void TextRecorder::count(CountTable &table)
{
	texts_.begin_round();
	table.drain([this](uint64_t key, uint64_t samples) {
		texts_.count(key, samples, recording_.tally, recording_.threads);
	});
}

/** Move the counts since the last call to the tally, while the kernel goes on counting. */
void TextRecorder::drain()
{
	if (!table_)
		return;

	count(*table_);
	if (const OwnerFilter *filter = texts_.filter()) {
		recording_.processes = filter->processes();
		recording_.targets = filter->named();
	}
}

} // namespace cli
