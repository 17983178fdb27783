// SPDX-License-Identifier: GPL-2.0-or-later
/** @file record_options.h  Arguments of profil record. */
#pragma once

#include "cli/profile_file.h"
#include "cli/result.h"
#include "profil.h"

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace cli {

struct RecordOptions {
	std::vector<pid_t> pids; /**< each once */
	std::vector<std::string> command;
	std::optional<double> seconds;
	/* Odd, so that it does not run in step with what programs do every millisecond. */
	double rate = 999;
	std::string output = default_profile_file;
	bool kernel_ticks = false;
};

/** Parse; an exit status when there is nothing to do. */
std::optional<int> parse_record_options(const std::vector<std::string> &arguments, RecordOptions &options);

/** For poll(2): @p seconds as milliseconds, rounded up; at least 0, at most an hour. */
int poll_timeout(double seconds);

/** Nanoseconds between samples at a rate that the module permits us, or why it does not. */
Result<uint64_t> choose_period(double rate, const profil_info &info);

} // namespace cli
