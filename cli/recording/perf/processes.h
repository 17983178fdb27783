// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/perf/processes.h  A recording's processes: names, mappings, owners. */
#pragma once

#include "cli/objects/object.h"
#include "cli/objects/owners.h"
#include "cli/objects/tally.h"
#include "cli/process/cgroup_paths.h"
#include "cli/process/maps.h"
#include "cli/process/owner_filter.h"
#include "cli/recording/perf/objects.h"
#include "cli/recording/perf/ring.h"
#include "cli/recording/recorder.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace cli {

/** A place in a program. */
struct PerfPlace {
	std::shared_ptr<Object> object; /**< nullptr: not known */
	uint64_t address = 0;
};

/**
 * Learns the name and the mappings of each process from perf's records.  Older names and mappings
 * are read from /proc when a process is first seen.
 */
class PerfProcesses {
public:
	struct Process {
		std::string name;	/**< as in proc_pid_comm(5) */
		bool in_kernel = false; /**< a kernel thread */
		uid_t user = 0;
		uint64_t cgroup = 0;  /**< 0: not known */
		uint32_t owner = 0;   /**< number in the filter, one for each executed program */
		uint32_t program = 0; /**< number in owners() */

	private:
		friend class PerfProcesses;

		struct Part {
			uint64_t end = 0;
			uint64_t offset = 0; /* in the file */
			std::shared_ptr<Object> object;
		};
		using Parts = std::map<uint64_t, Part>; /* by start address; disjoint */

		std::shared_ptr<Parts> parts; /* shared with a child until either changes them */
		std::shared_ptr<Object> program_file;
		Clock::time_point next_scan{};
	};

	/** Set whether programs are distinguished by process, and by the process's cgroup. */
	void tell_apart(bool per_process, bool per_cgroup);
	/** Record only processes that match. */
	void select(Criteria criteria, bool follow);
	/** The selection; nullptr: everything is recorded. */
	[[nodiscard]] OwnerFilter *filter() const { return filter_.get(); }

	/** The process; a new one is read from /proc. */
	Process &at(pid_t pid);
	/** True if the process is known. */
	[[nodiscard]] bool contains(pid_t pid) const { return processes_.contains(pid); }
	/** Note the cgroup that a sample of the process was in. */
	void set_cgroup(pid_t pid, Process &process, uint64_t cgroup);
	/** Find the object that is mapped at an address of a process. */
	PerfPlace find(pid_t pid, Process &process, uint64_t address);
	/** After records were lost: let find() read /proc at once for an unknown address. */
	void distrust();

	/** Take a PERF_RECORD_MMAP2. */
	void map(const PerfRecord &record);
	/** Take a PERF_RECORD_COMM. */
	void name(const PerfRecord &record);
	/** Take the PERF_RECORD_FORK of a process. */
	void fork(pid_t child, pid_t parent);
	/** Take the PERF_RECORD_EXIT of a process's first thread; other threads may still run. */
	void exit(pid_t pid);

	/** Look for new names of generated code, and forget ended processes. */
	void look();
	[[nodiscard]] const Owners &owners() const { return owners_; }
	/** The number of a program that is not known. */
	uint32_t unknown_program() { return owners_.number(0, "[unknown]"); }
	/** Restore the owners of a part that is given back. */
	void restore(const Owners &earlier) { owners_.add(earlier); }
	/** The program with the most samples. */
	[[nodiscard]] std::shared_ptr<Object> busiest_program(const Tally &tally) const
	{
		return tally.busiest_of(programs_);
	}
	/** Release everything that neither a process nor @p tally needs. */
	void forget_unused(const Tally &tally);

private:
	[[nodiscard]] Process read(pid_t pid);
	void forget(pid_t pid);
	void scan(pid_t pid, Process &process);
	void add_part(pid_t pid, Process &process, const Mapping &mapping, const std::string &build_id);
	void add_owner(pid_t pid, Process &process, uint32_t parent);
	void name_program(pid_t pid, Process &process);
	std::optional<OwnerFacts> facts_of(uint32_t owner);

	std::unordered_map<pid_t, Process> processes_;
	std::set<pid_t> ended_;	 /* may still have samples */
	std::set<pid_t> doomed_; /* those of ended_ that had ended before the last look() */
	PerfObjects objects_;
	std::set<std::shared_ptr<Object>> programs_;
	std::set<std::shared_ptr<Object>> code_; /* memory in which programs generate code */
	std::unique_ptr<OwnerFilter> filter_;
	std::unordered_map<uint32_t, pid_t> process_of_; /* by the owner's number */
	std::set<uint32_t> ended_owners_;
	uint32_t last_owner_ = 0;
	bool per_process_ = false;
	std::unique_ptr<CgroupPaths> cgroups_;
	Owners owners_;
};

} // namespace cli
