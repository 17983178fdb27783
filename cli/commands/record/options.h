// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/record/options.h  Arguments of profil record. */
#pragma once

#include "cli/profile/profile_file.h"
#include "cli/recording/target_options.h"
#include "cli/symbols/later_lines.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cli {

struct RecordOptions {
	TargetOptions target;
	std::optional<double> seconds;
	std::optional<double> delay;	    /**< seconds at the start that are not recorded */
	std::optional<double> loop;	    /**< seconds per file */
	uint64_t keep = 0;		    /**< number of files of --loop to keep; 0: all */
	double checkpoint = 60;		    /**< seconds between checkpoints */
	std::optional<double> slice;	    /**< seconds per slice of a file */
	std::optional<std::string> control; /**< the argument for Control::open() */
	bool disabled = false;		    /**< no samples are kept until a command enables it */
	bool snapshot = false;		    /**< write the profile so far at SIGUSR1 */
	Lines lines = Lines::OfFewPlaces;
	std::string output = default_profile_file;
};

/** Parse the arguments; returns the exit status if --help or an error ends the command. */
std::optional<int> parse_record_options(const std::vector<std::string> &arguments, RecordOptions &options);

} // namespace cli
