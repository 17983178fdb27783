// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/thread_total.h"

#include "cli/base/saturate.h"

#include <algorithm>

namespace cli {

void ThreadTotals::add(pid_t tid, const std::string &name, uint64_t samples)
{
	uint64_t &sum = samples_[{tid, name}];

	sum = saturating_add(sum, samples);
}

void ThreadTotals::add(const ThreadTotals &other)
{
	for (const auto &[thread, samples] : other.samples_)
		add(thread.first, thread.second, samples);
}

std::vector<ThreadTotal> ThreadTotals::sorted() const
{
	std::vector<ThreadTotal> all;

	for (const auto &[thread, samples] : samples_)
		all.push_back({thread.first, thread.second, samples});
	std::stable_sort(all.begin(), all.end(),
			 [](const ThreadTotal &a, const ThreadTotal &b) { return a.samples > b.samples; });
	return all;
}

} // namespace cli
