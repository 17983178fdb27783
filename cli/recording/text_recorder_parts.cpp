// SPDX-License-Identifier: GPL-2.0-or-later
/* The samples and the accounting of a recording, and its parts. */
#include "cli/recording/text_recorder.h"

#include <algorithm>
#include <utility>

namespace cli {
namespace {

/* The most ended processes whose anonymous memory keeps mappings of its own in the file. */
constexpr size_t most_ended = 1000;

} // namespace

/**
 * Only ticks in the table have an owner.  Lost ticks may be of any process, so they are not
 * among the selected ticks.
 * @param all the accounting of the whole recording.
 */
Accounting TextRecorder::selected(const Accounting &all) const
{
	const Selected &selected = texts_.selected();
	Accounting mine;

	mine.counted = selected.counted;
	mine.kernel = selected.kernel;
	mine.lost_unowned = all.lost() + selected.unowned;
	mine.ticks = mine.counted + mine.kernel;
	mine.forks_lost = all.forks_lost;
	return mine;
}

void TextRecorder::add_machine_time(Accounting &all) const
{
	const std::optional<MachineTime> now = ended_ ? ended_ : machine_time();

	if (!everybody_ || texts_.filter() || !began_ || !now)
		return;
	all.cpu_ms = cpu_ms_between(*began_, *now);
	all.idle_ms = std::min(now->idle_ms - began_->idle_ms, all.cpu_ms);
}

Accounting TextRecorder::accounting() const
{
	Accounting all;

	if (profile_)
		all.add(session_.status(profile_));
	if (texts_.filter())
		all = selected(all);
	if (counts_kernel())
		all.counted += std::exchange(all.kernel, 0);
	add_machine_time(all);
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
	recording.program = texts_.busiest_program(recording.tally);
	recording.missing = accounting.counted - std::min(samples, accounting.counted);
	recording.accounting = accounting;
	recording.accounting.ticks += samples - accounting.counted;
	recording.accounting.counted = samples;
	if (settings_.event)
		recording.events = {event_.since(event_parted_)};
}

Recording TextRecorder::snapshot()
{
	work(Clock::now());
	look_at_event();

	Accounting now = accounting();

	drain();
	/* drain() has just found out which processes match. */
	if (texts_.filter())
		now = accounting();

	Recording copy = recording_;

	complete(copy, now);
	return copy;
}

Recording TextRecorder::take_part()
{
	Recording part = snapshot();

	parted_.add(part.accounting);
	event_parted_ = event_;
	recording_.tally = Tally();
	recording_.threads = ThreadTotals();
	texts_.forget_unused();
	return part;
}

void TextRecorder::give_back(const Recording &part)
{
	recording_.tally.add(part.tally);
	texts_.restore(part.owners);
	recording_.threads.add(part.threads);
	recording_.tally.join_ended_memory(most_ended);
	parted_ = parted_.since(part.accounting);
	if (!part.events.empty())
		event_parted_ = event_parted_.since(part.events.front());
}

Recording TextRecorder::finish()
{
	work(Clock::now());
	check(Clock::now());
	look_at_event();
	if (profile_)
		profil_session_finish(session_.get(), profile_);
	ended_ = machine_time();
	texts_.learn();
	drain();
	complete(recording_, accounting());
	return std::move(recording_);
}

} // namespace cli
