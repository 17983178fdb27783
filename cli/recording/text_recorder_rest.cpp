// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * While nothing happens, the recorder sleeps until the module has news (PROFIL_RECORD_NEWS).
 *
 * Checks that are otherwise made each second wait for news as well.  The module reports what these
 * checks look for: new texts, a table that fills up, new processes, which need the numbers of ended
 * ones, and the end of the recording.  Generated code is looked at when it ticks at new places.
 */
#include "cli/recording/text_recorder.h"

#include <algorithm>
#include <linux/profil_record.h>

namespace cli {

std::vector<pollfd> TextRecorder::descriptors() const
{
	/* When not at rest, POLLPRI only reports news that is known already. */
	const auto events = static_cast<short>(rests_ ? POLLIN | POLLPRI : POLLIN);

	return {{Clock::now() < next_events_ ? -1 : session_.fd(), events, 0}};
}

Clock::time_point TextRecorder::next_work(Clock::time_point now) const
{
	if (now < next_events_)
		return next_events_;
	if (settings_.threads)
		return std::min(now + pace_.interval(), next_check_);
	return rests_ ? Clock::time_point::max() : now + pace_.interval();
}

bool TextRecorder::has_news() const
{
	pollfd session = {session_.fd(), POLLPRI, 0};

	return poll(&session, 1, 0) == 1;
}

bool TextRecorder::may_rest(Clock::time_point now) const
{
	if (!profile_ || over_ || !pace_.may_rest(now))
		return false;
	/* Whether a process matches, and what threads are called, must be looked up soon after its ticks. */
	if (texts_.filter() || settings_.per_thread)
		return false;
	/* Nothing reports the end of a thread. */
	if (settings_.threads)
		return false;
	/* Something that failed has to be tried again. */
	if (texts_.has_nameless() || next_change_ > now + look_interval)
		return false;
	/* Nothing reports the end of the last process if no event has reported the process itself. */
	return everybody_ || !members_.empty();
}

/** Arm the wake-up for news, then look once more for what was missed. */
void TextRecorder::rest(Clock::time_point now)
{
	const uint64_t keys = texts_.has_code() ? 1 : table_->counts() / table_part;
	profil_record record = {};

	record.size = sizeof(record);
	record.flags = PROFIL_RECORD_NEWS;
	record.proof = -1;
	record.profile = profile_;
	record.nr_counts = static_cast<uint32_t>(keys);
	if (profil_session_record(session_.get(), 0, &record, nullptr)) {
		/* The recording has ended. */
		check(now);
		return;
	}
	pace_.rest(now);
	texts_.learn();
	texts_.look();
	/* If only this look has found generated code, rest again, with a wake-up for each new key. */
	rests_ = keys == 1 || !texts_.has_code();
}

} // namespace cli
