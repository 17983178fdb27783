// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/perf/objects.h  The objects of mappings that perf reports. */
#pragma once

#include "cli/objects/object.h"
#include "cli/process/maps.h"

#include <map>
#include <memory>
#include <string>
#include <sys/types.h>
#include <utility>

namespace cli {

/**
 * Finds each object once, whether perf has reported its build-id or /proc its inode.
 *
 * Most files are known by path and build-id.  So nothing has to be opened when another process maps
 * the same file, and the file that is opened is the one that was mapped, even if the process has
 * ended.
 */
class PerfObjects {
public:
	/** @param build_id in bytes; empty: not known. */
	std::shared_ptr<Object> find(pid_t pid, const Mapping &mapping, const std::string &build_id);
	/** See ObjectTable::forget_memory(). */
	void forget_memory(pid_t pid) { table_.forget_memory(pid); }
	/** Drop the objects that have no other reference. */
	void forget_unused();

private:
	struct Known {
		std::shared_ptr<Object> object;
		bool in_table = false;
	};

	std::map<std::pair<std::string, std::string>, Known> files_; /* by name and build-id */
	ObjectTable table_;					     /* all other objects */
};

} // namespace cli
