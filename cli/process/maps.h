// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/maps.h  The executable mappings of a process. */
#pragma once

#include "cli/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace cli {

/** The origin of a mapping's bytes. */
enum class Source {
	File,	   /**< a file, possibly deleted */
	Vdso,	   /**< the kernel's shared object */
	Anonymous, /**< memory: JIT code, trampolines */
	Kernel,	   /**< not a process's mapping: the kernel, or a kernel module */
	Special	   /**< [vsyscall], [uprobes]: not worth counters */
};

/** One executable mapping of a process. */
struct Mapping {
	uint64_t start = 0;
	uint64_t end = 0;
	uint64_t offset = 0;
	uint64_t device = 0;
	uint64_t inode = 0;
	std::string name; /**< path without " (deleted)", "[vdso]", "[anon]", ... */
	bool deleted = false;
	Source source = Source::File;

	[[nodiscard]] uint64_t size() const { return end - start; }
	bool operator==(const Mapping &) const = default;
};

/** Set a mapping's name, source and deleted flag from its name in /proc/PID/maps. */
void name_mapping(Mapping &mapping, std::string_view name);

/**
 * The executable mappings in the text of a /proc/PID/maps, in ascending order.
 * Mappings that continue each other are merged.  Lines that cannot be parsed are
 * skipped: a future kernel may add some.
 */
std::vector<Mapping> parse_maps(std::string_view text);

/** The executable mappings of a process; empty for a kernel thread or a zombie. */
Result<std::vector<Mapping>> read_maps(pid_t pid);

} // namespace cli
