// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/thread_total.h  The number of samples of each thread. */
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace cli {

struct ThreadTotal {
	pid_t tid = 0;
	std::string name;
	uint64_t samples = 0; /**< in user mode and in the kernel */

	bool operator==(const ThreadTotal &) const = default;
};

/** Sums of samples by thread. */
class ThreadTotals {
public:
	/** @param name the thread's name: another thread may have had the same ID. */
	void add(pid_t tid, const std::string &name, uint64_t samples);
	void add(const ThreadTotals &other);
	/** All sums, the thread with the most samples first. */
	[[nodiscard]] std::vector<ThreadTotal> sorted() const;

private:
	std::map<std::pair<pid_t, std::string>, uint64_t> samples_;
};

} // namespace cli
