// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/gmon/monitor.h"

#include "libprofil/flavours/aix.h"
#include "libprofil/gmon/gmon.h"
#include "libprofil/scratch.h"
#include "libprofil/user_memory.h"

#include <cerrno>

namespace libprofil {

static int check(const OwnCounters &own)
{
	if (own.low >= own.high || own.bytes < sizeof(uint16_t) || address(own.counters) % sizeof(uint16_t))
		return EINVAL;
	return own.counters ? 0 : EFAULT;
}

int monitor(uintptr_t low, uintptr_t high, void *counters, size_t bytes)
{
	const OwnCounters own = {low, high, counters, bytes};

	if (!low)
		return finish_execution_profile();
	if (const int error = check(own))
		return error;
	return start_execution_profile(&own, 1);
}

/* Copy the ranges that are to be counted. */
static int take_list(const AixRange *list, size_t nr, OwnCounters *own, size_t &taken)
{
	uintptr_t before = 0;

	taken = 0;
	for (size_t i = 0; i < nr; i++) {
		AixRange range;

		if (const int error = copy_from_caller(&range, list + i, sizeof range))
			return error;

		const OwnCounters one = {address(range.low), address(range.high), range.buffer,
					 range.bytes > 0 ? static_cast<size_t>(range.bytes) : 0};

		if (one.low < before || one.low >= one.high)
			return EINVAL;
		before = one.high;
		if (!range.scale)
			continue;
		if (const int error = check(one))
			return error;
		own[taken++] = one;
	}
	return taken ? 0 : EINVAL;
}

int monitor_ranges(const void *list)
{
	const auto *const ranges = static_cast<const AixRange *>(list);
	size_t nr = 0, taken = 0;

	if (const int error = count_ranges(ranges, nr))
		return error;

	const Scratch<OwnCounters> own(nr);

	if (!own)
		return ENOMEM;
	if (const int error = take_list(ranges, nr, own.get(), taken))
		return error;
	return start_execution_profile(own.get(), taken);
}

} // namespace libprofil
