// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/text_recorder.h"

#include "cli/process/process.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <fmt/format.h>
#include <utility>

namespace cli {
namespace {

/* New texts are opened within this time: without privilege, their processes must not have ended. */
constexpr std::chrono::milliseconds look_interval{100};
/* A file names only this many of the processes that a search has found. */
constexpr size_t most_named = 100;
/* Ended processes whose anonymous memory still has mappings of its own in the file. */
constexpr size_t most_ended = 1000;
/* The module's limits for a table of counts, and what is enough for most machines. */
constexpr uint64_t least_counts = 256;
constexpr uint64_t usual_counts = uint64_t{1} << 19;

/** Why a recording has ended. */
const char *ending(uint32_t state)
{
	return state == PROFIL_STATE_FAULT ? "the memory of its counters went away"
					   : "an administrator has ended all profiles";
}

} // namespace

uint32_t TextRecorder::flags() const
{
	return static_cast<uint32_t>(settings_.follow ? PROFIL_FOLLOW : 0) |
	       static_cast<uint32_t>(settings_.per_process ? PROFIL_RECORD_PROCESSES : 0);
}

/** Begin the recording, with the largest table that may be pinned. */
AttachError TextRecorder::begin(pid_t pid, uint32_t flags)
{
	uint64_t counts = std::clamp(std::bit_floor(settings_.memory / 2 / sizeof(profil_count)),
				     least_counts, usual_counts);
	profil_record record = {};
	const char *step = nullptr;

	record.size = sizeof(record);
	record.flags = flags;
	record.period = settings_.period;
	for (; counts >= least_counts; counts /= 2) {
		table_ = std::make_unique<CounterMemory>(counts * sizeof(profil_count));
		if (!table_->data())
			continue;
		record.table = reinterpret_cast<uintptr_t>(table_->data());
		record.nr_counts = static_cast<uint32_t>(counts);
		if (!profil_session_record(session_.get(), pid, &record, &step)) {
			profile_ = record.profile;
			texts_.begin(profile_);
			seen_.resize(counts);
			recording_.counter_bytes = table_->bytes();
			return {};
		}
		if (errno != ENOMEM && errno != EDQUOT)
			break;
	}
	return {errno, step};
}

AttachError TextRecorder::add(pid_t pid)
{
	profil_record record = {};
	const char *step = nullptr;

	if (!profile_)
		return begin(pid, flags());
	record.size = sizeof(record);
	record.profile = profile_;
	/* EEXIST: a child that is followed, of which no event was read yet. */
	if (profil_session_record(session_.get(), pid, &record, &step) && errno != EEXIST)
		return {errno, step};
	return {};
}

size_t TextRecorder::attach(std::span<const pid_t> pids, bool)
{
	size_t attached = 0;

	for (const pid_t pid : pids) {
		if (members_.contains(pid))
			continue;

		const std::string name = process_name(pid);
		const Outcome checked = check_process(pid);
		const AttachError error = checked ? add(pid) : AttachError{};

		if (!checked || error.error) {
			log_.refused(pid, name,
				     checked ? explain(error.error, error.step) : checked.error().text);
			continue;
		}
		if (recording_.targets.size() < most_named)
			recording_.targets.push_back(fmt::format("{} (pid {})", name, pid));
		members_.insert(pid);
		attached++;
	}
	recording_.processes += attached;
	texts_.learn();
	return attached;
}

bool TextRecorder::attach_everybody()
{
	const AttachError error = begin(-1, flags() | PROFIL_RECORD_EVERYBODY);

	everybody_ = !error.error;
	if (error.error == EBUSY)
		log_.warn("others record all processes already, so those that there are are searched for "
			  "(profil status shows who)");
	return everybody_;
}

Clock::time_point TextRecorder::next_work(Clock::time_point now) const
{
	return now + look_interval;
}

void TextRecorder::handle_event(const profil_event &event)
{
	/* A search may have attached the child before its fork event was read. */
	if (event.what & PROFIL_EVENT_FORK && !members_.contains(event.pid)) {
		recording_.processes++;
		members_.insert(event.pid);
	}
	if (event.what & PROFIL_EVENT_EXIT)
		members_.erase(event.pid);
	/* In another PID namespace: it is counted, but has no PID here. */
	members_.erase(0);
}

void TextRecorder::check(Clock::time_point now)
{
	if (!profile_ || over_)
		return;

	const profil_status status = session_.status(profile_);

	others_ = members_.empty() ? status.processes : 0;
	if (everybody_)
		recording_.processes = std::max<uint64_t>(recording_.processes, status.processes);
	if (status.state != PROFIL_STATE_RUNNING) {
		over_ = true;
		others_ = 0;
		members_.clear();
		log_.warn(fmt::format("the recording has ended: {}", ending(status.state)));
	}
	next_check_ = now + check_interval;
}

void TextRecorder::work(Clock::time_point now)
{
	std::set<pid_t> ended;

	for (const profil_event &event : session_.events()) {
		handle_event(event);
		if (event.what & PROFIL_EVENT_EXIT)
			ended.insert(event.pid);
	}
	texts_.learn();
	if (!ended.empty())
		texts_.look_at_ended(ended);
	if (now >= next_look_) {
		texts_.look();
		next_look_ = now + check_interval;
	}
	if (now >= next_check_ || (members_.empty() && !everybody_))
		check(now);
}

/** Move what was counted since the last time to the tally, while the kernel goes on counting. */
void TextRecorder::drain()
{
	if (!table_)
		return;

	const std::span<profil_count> counts = table_->elements<profil_count>();

	for (size_t i = 0; i < seen_.size(); i++) {
		const uint64_t now = __atomic_load_n(&counts[i].count, __ATOMIC_ACQUIRE);

		if (now == seen_[i])
			continue;
		texts_.count(__atomic_load_n(&counts[i].key, __ATOMIC_RELAXED), now - seen_[i],
			     recording_.tally);
		seen_[i] = now;
	}
}

Accounting TextRecorder::accounting() const
{
	Accounting all;

	if (profile_)
		all.add(session_.status(profile_));
	return all.since(parted_);
}

/*
 * Make the accounting match the samples in the recording: some ticks are counted between
 * reading the status and the table.
 */
void TextRecorder::complete(Recording &recording, const Accounting &accounting) const
{
	const uint64_t samples = recording.tally.total();

	recording.owners = texts_.owners();
	recording.owners.keep_only(recording.tally.owners());
	recording.granularity = "a counter for every byte of text";
	recording.program = texts_.busiest_program(recording.tally);
	recording.missing = accounting.counted - std::min(samples, accounting.counted);
	recording.accounting = accounting;
	recording.accounting.ticks += samples - accounting.counted;
	recording.accounting.counted = samples;
}

Recording TextRecorder::snapshot()
{
	work(Clock::now());

	const Accounting now = accounting();

	drain();

	Recording copy = recording_;

	complete(copy, now);
	return copy;
}

Recording TextRecorder::take_part()
{
	Recording part = snapshot();

	parted_.add(part.accounting);
	recording_.tally = Tally();
	texts_.forget_unused();
	return part;
}

void TextRecorder::give_back(const Recording &part)
{
	recording_.tally.add(part.tally);
	recording_.tally.join_ended_memory(most_ended);
	parted_ = parted_.since(part.accounting);
}

Recording TextRecorder::finish()
{
	work(Clock::now());
	if (profile_)
		profil_session_finish(session_.get(), profile_);
	texts_.learn();
	drain();
	complete(recording_, accounting());
	return std::move(recording_);
}

} // namespace cli
