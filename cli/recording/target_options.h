// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/target_options.h  What to profile, and how: options of every subcommand that profiles.
 */
#pragma once

#include "cli/base/result.h"
#include "cli/process/selection.h"
#include "profil.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct TargetOptions {
	Selection selection;
	std::vector<std::string> command; /**< and its arguments */
	/* Odd, so that it does not run in step with what programs do every millisecond. */
	double rate = 999;
	std::optional<uint64_t> count; /**< ns of CPU time between samples, instead of a rate */
	bool kernel_ticks = false;
	bool follow = true;
	bool per_process = false;
	std::optional<uint64_t> memory; /**< bytes of counters, at most */
};

/** Collects these options on the way from CLI11's types to ours. */
class TargetParser {
public:
	/** @param name of the subcommand, for messages. @param with_command may there be one to run? */
	TargetParser(std::string name, CLI::App &app, TargetOptions &options, bool with_command = true);

	/**
	 * Split off the command behind the first "--", which is not for us to
	 * understand; the rest is for parse_arguments().
	 */
	std::vector<std::string> own(std::vector<std::string> arguments);
	/** Was anything said of what to profile? */
	[[nodiscard]] bool given() const
	{
		return !after_mark_.empty() || !users_.empty() || !threads_.empty() ||
		       !options_.selection.empty();
	}
	/** Was anything said of how? */
	[[nodiscard]] bool how_given() const;
	/** When CLI11 is done; an exit status when that is wrong usage. */
	std::optional<int> finish();

private:
	[[nodiscard]] std::optional<int> check() const;
	std::optional<int> find_users();

	std::string name_;
	CLI::App &app_;
	TargetOptions &options_;
	bool with_command_;
	std::vector<std::string> after_mark_;
	std::vector<std::string> users_;
	std::vector<pid_t> threads_;
	uint64_t memory_ = 0;
	uint64_t count_ = 0;
};

/** Their part of --help; not all subcommands run a command, or take as much memory. */
std::string target_help(bool with_command = true, std::string_view memory = "128M");

/** Nanoseconds between samples that the module permits us, or why it does not. */
Result<uint64_t> choose_period(const TargetOptions &options, const profil_info &info);

} // namespace cli
