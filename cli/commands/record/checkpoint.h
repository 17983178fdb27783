// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/record/checkpoint.h  FILE.part, which a killed recording leaves behind. */
#pragma once

#include "cli/base/output_file.h"
#include "cli/recording/recorder.h"

#include <functional>
#include <optional>
#include <string>

namespace cli {

/**
 * Saves the profile so far at intervals, in FILE.part next to the file that is due next.
 *
 * Each checkpoint replaces the previous one as a whole, so a reader always finds a complete one.
 * With many programs, a checkpoint may take a long time.  The pause after it is then longer, too,
 * so that checkpoints take at most one percent of the time.
 */
class Checkpoints {
public:
	/** @param interval in seconds. */
	explicit Checkpoints(double interval) : interval_(interval), pause_(interval) {}

	/** A file begins: the first checkpoint is due an interval later. */
	void begin();
	/** The seconds until the next checkpoint is due; 0 or less if it is due now. */
	[[nodiscard]] double left() const;
	/**
	 * Write a checkpoint.  A checkpoint from a killed recording is kept as FILE.part.old.
	 * @param output finds the file that is due next.  Devices and pipes have no checkpoints.
	 * @param content makes the content of the checkpoint.
	 * @return an error, unless the previous attempt had failed, too.
	 */
	Outcome write(const std::function<Result<const OutputFile *>()> &output,
		      const std::function<std::string()> &content);
	/** Remove the checkpoint, if any, because the file itself has been written. */
	Outcome remove();
	/** The path of the last checkpoint, or empty. */
	[[nodiscard]] std::string path() const { return part_ ? part_->path() : ""; }

private:
	Outcome replace(const OutputFile &output, std::string_view content);

	double interval_;
	double pause_; /**< seconds from last_ to the next checkpoint */
	Clock::time_point last_ = Clock::now();
	std::optional<OutputFile> part_; /**< the last checkpoint, until remove() */
	bool failed_ = false;
};

} // namespace cli
