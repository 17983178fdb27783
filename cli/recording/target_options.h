// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/target_options.h  The options of every subcommand that profiles. */
#pragma once

#include "cli/base/result.h"
#include "cli/events/event.h"
#include "cli/options/cli11.h"
#include "cli/process/selection.h"
#include "cli/recording/recorder.h"
#include "profil.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** The backend that should take the samples. */
enum class WantedBackend {
	Any, /**< the module, or else perf's events */
	Module,
	Perf,
};

struct TargetOptions {
	Selection selection;
	std::vector<std::string> command; /**< the command and its arguments */
	/* Not 1000, so as not to run in step with programs that act every millisecond. */
	double rate = 999;	       /**< Hz of CPU time; infinity: as many as the module allows */
	std::optional<uint64_t> count; /**< ns of CPU time between samples, instead of a rate */
	std::vector<Event> events;     /**< the events to sample instead of time */
	KernelTime kernel = KernelTime::ByFunction;
	bool follow = true;
	bool per_process = false;
	bool per_thread = false;	/**< not set by TargetParser: not every subcommand shows it */
	bool per_cgroup = false;	/**< likewise */
	std::optional<uint64_t> memory; /**< most bytes of counters */
	WantedBackend backend = WantedBackend::Any;
};

/** Adds these options to CLI11, and turns the parsed values into TargetOptions. */
class TargetParser {
public:
	/** @param name the subcommand, for messages.  @param with_command whether it can run a command. */
	TargetParser(std::string name, CLI::App &app, TargetOptions &options, bool with_command = true);

	/**
	 * Split off the command after the first "--", so that its arguments are
	 * not parsed; the result is for parse_arguments().
	 */
	std::vector<std::string> own(std::vector<std::string> arguments);
	/** True if the user has chosen targets. */
	[[nodiscard]] bool given() const
	{
		return !after_mark_.empty() || !users_.empty() || !threads_.empty() ||
		       !options_.selection.empty();
	}
	/** True if the user has chosen how to profile. */
	[[nodiscard]] bool how_given() const;
	/** Call this after CLI11 has parsed; returns an exit status if the usage is wrong. */
	std::optional<int> finish();

private:
	[[nodiscard]] std::optional<int> check() const;
	std::optional<int> find_users();
	std::optional<int> find_events();

	std::string name_;
	CLI::App &app_;
	TargetOptions &options_;
	bool with_command_;
	std::vector<std::string> after_mark_;
	std::vector<std::string> users_;
	std::vector<pid_t> threads_;
	uint64_t memory_ = 0;
	uint64_t count_ = 0;
	std::string kernel_at_;
	std::string backend_;
	std::vector<std::string> event_list_;
};

/** The part of --help for these options.  @param memory the default of --max-memory. */
std::string target_help(bool with_command = true, std::string_view memory = "128M");

/** For choose_period(): how to raise the limit with the module. */
inline constexpr std::string_view module_raises_limit =
	"CAP_PERFMON or the module's parameters max_rate and max_user_rate raise the limit";

/**
 * The sampling period in ns, or an error if the rate is not permitted.
 * @param raises text for the error: how to raise the limit.
 */
Result<uint64_t> choose_period(const TargetOptions &options, const profil_info &info,
			       std::string_view raises = module_raises_limit);

} // namespace cli
