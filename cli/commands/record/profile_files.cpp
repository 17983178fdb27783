// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/record/profile_files.h"

#include "cli/base/file_name.h"
#include "cli/commands/record/rescue.h"
#include "cli/commands/record/summary.h"
#include "cli/profile/pprof.h"

#include <fmt/format.h>

namespace cli {
namespace {

constexpr int64_t ns_per_second = 1000000000;

} // namespace

Outcome ProfileFiles::prepare(pid_t pid, int64_t begin)
{
	const NameParts parts = {pid, begin / ns_per_second, host_name()};
	Result<OutputFile> output = OutputFile::prepare(expand_name(options_.output, parts));

	if (!output)
		return Error{output.error().text + " (choose another file with -o)"};
	pid_ = pid;
	output_ = std::move(*output);
	return Done();
}

ProfileFiles::Made ProfileFiles::make(const Recording &recording, const RecordedTime &time)
{
	std::vector<std::string> warnings;
	Made made;

	made.profile =
		std::make_unique<const Profile>(recorded_profile(recording, time, options_.lines, warnings));
	made.content = encode_pprof(*made.profile);
	for (const std::string &warning : warnings)
		console_.say(warning);
	return made;
}

Outcome ProfileFiles::store(const Made &made, const RecordedTime &time)
{
	if (several()) {
		/* All snapshots have the same start time, so each is named by the time when it is taken. */
		if (Outcome prepared = prepare(pid_, options_.loop ? time.begin : wall_clock_ns()); !prepared)
			return prepared;
	}
	/* Keep the old file, as perf record does.  A file of a series has its own name, or is meant
	 * to be replaced. */
	return output_->write(made.content,
			      several() ? OutputFile::Before::Replaced : OutputFile::Before::Kept);
}

void ProfileFiles::stored(const Recording &recording, const RecordedTime &time, const Made &made, bool quiet)
{
	const About about = from_comments(made.profile->comments);

	recorded_ |= recording.tally.total() > 0;
	if (!quiet || !is_as_expected(about))
		summarize(console_, recording, time, *made.profile, about, output_->path());
	if (Outcome kept = kept_.add(output_->path()); !kept)
		console_.say(kept.error().text);
}

Outcome ProfileFiles::write_snapshot(const Recording &recording, const RecordedTime &time)
{
	const Made made = make(recording, time);
	Outcome written = store(made, time);

	if (written)
		stored(recording, time, made, false);
	return written;
}

Outcome ProfileFiles::write_part(const Recording &recording, const RecordedTime &time)
{
	const Made made = make(recording, time);
	Outcome written = store(made, time);

	if (written) {
		stored(recording, time, made, true);
		remove_checkpoint();
	}
	return written;
}

Outcome ProfileFiles::write_last(const Recording &recording, const RecordedTime &time, int signals)
{
	Made made = make(recording, time);
	Outcome written = store(made, time);

	if (!written) {
		if (const Result<std::string> kept = rescue(made.content, rescue_directories()); kept)
			return Error{
				fmt::format("{}: the profile is in {} instead (move it where you want it)",
					    written.error().text, *kept)};
	}
	while (!written) {
		console_.say(written.error().text + ", and no other directory has room for the profile");
		console_.detail("make room, then press Enter to try again (Ctrl-C: give up)");
		if (!enter_pressed(signals))
			return Error{written.error().text + ": the profile is lost" +
				     (checkpoints_.path().empty()
					      ? " (choose another file with -o)"
					      : ", except for what is in " + checkpoints_.path())};
		written = store(made, time);
	}
	stored(recording, time, made, false);
	remove_checkpoint();
	/* The process is about to exit; releasing all samples takes longer than writing them. */
	[[maybe_unused]] static const Profile &only = *made.profile.release();
	return written;
}

/* @snapshot leaves the samples in the recorder, so the file itself gets them, too. */
void ProfileFiles::save(const RecordedTime &time, const std::function<Recording()> &snapshot)
{
	const auto output = [&]() -> Result<const OutputFile *> {
		if (several()) {
			if (Outcome prepared = prepare(pid_, time.begin); !prepared)
				return prepared.error();
		}
		return &*output_;
	};
	const auto content = [&] {
		std::vector<std::string> warnings;

		return encode_pprof(recorded_profile(snapshot(), time, Lines::OfFewPlaces, warnings));
	};

	if (const Outcome written = checkpoints_.write(output, content); !written)
		console_.say(written.error().text +
			     ": no checkpoint; if profil is killed now, more samples are lost");
}

void ProfileFiles::remove_checkpoint()
{
	if (const Outcome removed = checkpoints_.remove(); !removed)
		console_.say(removed.error().text);
}

} // namespace cli
