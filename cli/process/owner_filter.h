// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/owner_filter.h  Selects the owners of a system-wide recording. */
#pragma once

#include "cli/process/cgroup_numbers.h"
#include "cli/process/criteria.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace cli {

/** The facts about an owner that is one process, from the module or from perf's records. */
struct OwnerFacts {
	std::string name;
	pid_t pid = 0;
	uid_t user = 0;
	uint64_t cgroup = 0;
	uint32_t parent = 0; /**< the owner that forked or executed it; 0: not known */
	bool ended = false;  /**< the facts do not change any more */
};

/**
 * Decides which owners are recorded.
 *
 * As in a search, an owner matches if its name, user and cgroup do.  Then everything that it
 * executes matches as well, and so does everything that it forks, if children are followed.
 * An owner that has matched keeps matching.  A live owner that does not match is checked again,
 * once a round.
 *
 * If children are not followed, a program does not match merely because a forked child executed
 * it: that child may have matched only by the name of its parent.
 *
 * Our own process never matches.
 */
class OwnerFilter {
public:
	/** The current facts about an owner; nullopt if it is no longer known. */
	using Look = std::function<std::optional<OwnerFacts>(uint32_t owner)>;

	/** @param follow whether children are recorded. */
	OwnerFilter(Criteria criteria, bool follow, Look look)
		: criteria_(std::move(criteria)), cgroups_(criteria_.cgroups()), follow_(follow),
		  look_(std::move(look))
	{
	}

	/** Add a new owner.  Parents are added before their children. */
	void add(uint32_t owner, OwnerFacts facts);
	/** Begin a new round, in which owners may be checked again. */
	void begin_round() { round_++; }
	[[nodiscard]] bool matches(uint32_t owner);
	/** Forget owners that have ended; their children keep their ancestors. */
	void forget(const std::set<uint32_t> &owners);
	/** The number of processes that have matched; each counts only once. */
	[[nodiscard]] uint64_t processes() const { return processes_; }
	/** "cli_burn (pid 4711)": the first owners that matched the criteria themselves. */
	[[nodiscard]] const std::vector<std::string> &named() const { return named_; }

private:
	/** A process, no matter what it executes. */
	struct Life {
		bool counted = false;
	};
	struct Known {
		OwnerFacts facts;
		std::shared_ptr<Life> life;
		bool forked = false; /**< forked, with no exec since: its name is its parent's */
		bool matched = false;
		bool final = false; /**< its facts were checked after its end */
		uint64_t round = 0; /**< the last round in which it did not match */
	};

	[[nodiscard]] bool criteria_match(const OwnerFacts &facts);
	void check(Known &known);
	void look_again(uint32_t owner, Known &known);
	/** The owner that includes this one if it matches; nullptr: none. */
	[[nodiscard]] Known *ancestor(const Known &known);
	void include(Known &known);

	Criteria criteria_;
	CgroupNumbers cgroups_;
	bool follow_;
	Look look_;
	std::map<uint32_t, Known> known_;
	std::vector<std::string> named_;
	uint64_t processes_ = 0;
	uint64_t round_ = 1;
};

} // namespace cli
