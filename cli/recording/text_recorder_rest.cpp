// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * While nothing happens, the recorder sleeps until the module wakes it (PROFIL_WAIT).  At other
 * times it looks at intervals, and the end of a recorded process wakes it, too.
 *
 * Checks that are otherwise made each second also wait for a wake-up.  The module reports all that
 * they look for: new texts, a table that fills up, new processes, which need the numbers of ended
 * ones, and the end of the recording.  The recorder looks at generated code when there are ticks at
 * new addresses.
 */
#include "cli/recording/text_recorder.h"

#include <algorithm>
#include <linux/profil_record.h>

namespace cli {

std::vector<pollfd> TextRecorder::descriptors() const
{
	return {{armed_ && Clock::now() >= next_news_ ? session_.fd() : -1, POLLPRI, 0}};
}

Clock::time_point TextRecorder::next_work(Clock::time_point now) const
{
	if (now < next_news_)
		return next_news_;
	if (settings_.threads)
		return std::min(now + pace_.interval(), next_check_);
	return rests_ ? Clock::time_point::max() : now + pace_.interval();
}

bool TextRecorder::has_news() const
{
	pollfd session = {session_.fd(), POLLPRI, 0};

	return poll(&session, 1, 0) == 1;
}

/** True if the module reports the ends of the recording's processes. */
bool TextRecorder::learns_of_ends() const
{
	return profile_ && !over_ && !everybody_ && !settings_.threads;
}

bool TextRecorder::may_rest(Clock::time_point now) const
{
	if (!profile_ || over_ || !pace_.may_rest(now))
		return false;
	/* A process's match and the names of its threads must be looked up soon after its ticks. */
	if (texts_.filter() || settings_.per_thread)
		return false;
	/* Nothing reports the end of a thread. */
	if (settings_.threads)
		return false;
	/* Something that failed has to be tried again. */
	if (texts_.has_nameless() || next_change_ > now + look_interval)
		return false;
	/* Nothing reports the end of a process that is not followed. */
	return everybody_ || follows_;
}

/**
 * Request a wake-up from the module: at the next change, or when the table has @p keys new keys.
 * @return false if the recording has ended.
 */
bool TextRecorder::arm(uint32_t keys)
{
	return !profil_session_wait(session_.get(), profile_, keys);
}

/** Arm the wake-up, then look once more for changes that came before. */
void TextRecorder::rest(Clock::time_point now)
{
	const uint64_t keys = texts_.has_code() ? 1 : table_->counts() / table_part;

	armed_ = arm(static_cast<uint32_t>(keys));
	if (!armed_) {
		check(now);
		return;
	}
	pace_.rest(now);
	texts_.learn();
	texts_.look();
	if (learns_of_ends()) {
		texts_.look_at_ended();
		check(now);
	}
	/* If this look was the first to find generated code, rest again later, with keys = 1. */
	rests_ = !idle() && (keys == 1 || !texts_.has_code());
}

} // namespace cli
