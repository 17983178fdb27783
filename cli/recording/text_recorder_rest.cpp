// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * While nothing happens, nothing is looked at: the module says when there are news.
 *
 * What is looked at each second otherwise waits for these, too: new texts and full tables are
 * news themselves, and so are processes that need the numbers of ended ones, and the end of the
 * recording.  Where processes make code is looked at when they tick at new places.
 */
#include "cli/recording/text_recorder.h"

#include <cerrno>
#include <linux/profil_record.h>

namespace cli {

std::vector<pollfd> TextRecorder::descriptors() const
{
	/* Without a rest, POLLPRI says what is known already. */
	const auto events = static_cast<short>(rests_ ? POLLIN | POLLPRI : POLLIN);

	return {{Clock::now() < next_events_ ? -1 : session_.fd(), events, 0}};
}

Clock::time_point TextRecorder::next_work(Clock::time_point now) const
{
	if (now < next_events_)
		return next_events_;
	return rests_ ? Clock::time_point::max() : now + pace_.interval();
}

bool TextRecorder::has_news() const
{
	pollfd session = {session_.fd(), POLLPRI, 0};

	return poll(&session, 1, 0) == 1;
}

bool TextRecorder::may_rest(Clock::time_point now) const
{
	if (!told_of_news_ || !profile_ || over_ || !pace_.may_rest(now))
		return false;
	/* What a process is when it has ticks decides whether it matches, and what threads are called. */
	if (texts_.filter() || settings_.per_thread)
		return false;
	/* What could not be done yet is tried again. */
	if (texts_.has_nameless() || next_change_ > now + look_interval)
		return false;
	/* Nobody tells when the last process is gone of which no event has told. */
	return everybody_ || !members_.empty();
}

/** Wait for news from now on; what was missed until now is looked at once more. */
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
		told_of_news_ = errno != EINVAL;
		/* It has ended. */
		if (told_of_news_)
			check(now);
		return;
	}
	pace_.rest(now);
	texts_.learn();
	texts_.look();
	/* Code that was met only now is looked at when it ticks at any new place. */
	rests_ = keys == 1 || !texts_.has_code();
}

} // namespace cli
