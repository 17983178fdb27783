// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/record/checkpoint.h  FILE.part: what a recording that is killed leaves behind. */
#pragma once

#include "cli/base/output_file.h"
#include "cli/recording/recorder.h"

#include <functional>
#include <optional>
#include <string>

namespace cli {

/**
 * Saves the profile so far at intervals, in FILE.part beside the file that is due next.
 *
 * Each checkpoint replaces the one before it as a whole, so a reader finds all of one or all of
 * the other.  Making one may take long if there are many programs: the pause before the next is
 * then made longer, so that checkpoints take one percent of the time at most.
 */
class Checkpoints {
public:
	/** @param interval in seconds. */
	explicit Checkpoints(double interval) : interval_(interval), pause_(interval) {}

	/** A file begins: the first checkpoint is due an interval later. */
	void begin();
	/** The seconds until the next one is due; 0 or less: now. */
	[[nodiscard]] double left() const;
	/**
	 * Write one.  If a recording that was killed has left one, it is kept, with ".old" at the end of
	 * its name.
	 * @param output finds the file that is due next.  Devices and pipes have no checkpoints.
	 * @param content makes what is written.
	 * @return an error only if the attempt before has not failed, too.
	 */
	Outcome write(const std::function<Result<const OutputFile *>()> &output,
		      const std::function<std::string()> &content);
	/** The file itself has been written: remove its checkpoint, if there is one. */
	Outcome remove();
	/** The path of the last checkpoint, or empty. */
	[[nodiscard]] std::string path() const { return part_ ? part_->path() : ""; }

private:
	Outcome replace(const OutputFile &output, std::string_view content);

	double interval_;
	double pause_; /**< seconds from last_ to the next one */
	Clock::time_point last_ = Clock::now();
	std::optional<OutputFile> part_; /**< written since begin() */
	bool failed_ = false;
};

} // namespace cli
