// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/record/profile_files.h  The files that profil record writes. */
#pragma once

#include "cli/base/output_file.h"
#include "cli/commands/record/checkpoint.h"
#include "cli/commands/record/kept_files.h"
#include "cli/commands/record/options.h"
#include "cli/recording/progress.h"
#include "cli/recording/recorded_profile.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

namespace cli {

/** Names and writes the files of a recording, and reports them. */
class ProfileFiles {
public:
	/** @param options and @param console must outlive this. */
	ProfileFiles(const RecordOptions &options, Console &console)
		: options_(options), console_(console), checkpoints_(options.checkpoint), kept_(options.keep)
	{
	}

	/**
	 * Check that a file can be written.
	 * @param pid the value of %p in its name, from now on.
	 * @param begin the time when the profile begins, in ns since 1970.
	 */
	Outcome prepare(pid_t pid, int64_t begin);

	/** A profile begins: its first checkpoint is due an interval later. */
	void begin() { checkpoints_.begin(); }
	/** The seconds until a checkpoint is due; 0 or less if it is due now. */
	[[nodiscard]] double checkpoint_left() const { return checkpoints_.left(); }
	/** Write a checkpoint of a profile that is still being recorded. */
	void save(const RecordedTime &time, const std::function<Recording()> &snapshot);

	/** Write a snapshot of a profile that is still being recorded. */
	Outcome write_snapshot(const Recording &recording, const RecordedTime &time);
	/** Write a file of a series; prints nothing if is_as_expected(). */
	Outcome write_part(const Recording &recording, const RecordedTime &time);
	/**
	 * Write the last file.  If that fails, try other directories, then ask for more room.
	 * @param signals a descriptor that is readable when the user gives up; -1: none.
	 */
	Outcome write_last(const Recording &recording, const RecordedTime &time, int signals);

	/** True if any of the written files contains samples. */
	[[nodiscard]] bool recorded() const { return recorded_; }

private:
	/** A profile, and the content of its file. */
	struct Made {
		std::unique_ptr<const Profile> profile;
		std::string content;
	};

	/** True if more than one file may be written. */
	[[nodiscard]] bool several() const { return options_.loop || options_.snapshot || options_.control; }
	[[nodiscard]] Made make(const Recording &recording, const RecordedTime &time);
	Outcome store(const Made &made, const RecordedTime &time);
	void stored(const Recording &recording, const RecordedTime &time, const Made &made, bool quiet);
	void remove_checkpoint();

	const RecordOptions &options_;
	Console &console_;
	pid_t pid_ = 0;
	bool recorded_ = false;
	std::optional<OutputFile> output_;
	Checkpoints checkpoints_;
	KeptFiles kept_;
};

} // namespace cli
