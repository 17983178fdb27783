// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/gmon/gmon.h"

#include "libprofil/flavours/classic.h"
#include "libprofil/gmon/calls.h"
#include "libprofil/gmon/names.h"
#include "libprofil/lock.h"
#include "libprofil/scratch.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

namespace libprofil {
namespace {

constexpr uint32_t unscaled = 0x10000;

/** A profile that has begun. */
struct ExecutionProfile {
	GmonRanges ranges;
	uint32_t hz = 0;
	/** generation() at the last start.  Once generation() differs, the profile is off. */
	uint64_t generation = 0;
};

/* constinit: a static program's startup code gets here before any constructor has run. */
constinit struct Present {
	Lock lock;
	ExecutionProfile profile;
	pid_t first = 0; /**< PID of the process that writes gmon.out; -1: not this process */
} present;

profil_region region_of(const TextCounters &counters)
{
	profil_region region = {};

	region.low = counters.low;
	region.high = counters.high;
	region.offset = counters.first_pc();
	region.buffer = address(counters.counters);
	region.bytes = counters.bytes;
	region.scale = unscaled >> counters.shift;
	region.width = counters.width;
	return region;
}

int start_ticks(ExecutionProfile &profile)
{
	const Scratch<profil_region> regions(profile.ranges.nr);
	profil_spec spec = classic_profile();

	if (!regions)
		return ENOMEM;
	for (size_t i = 0; i < profile.ranges.nr; i++)
		regions[i] = region_of(profile.ranges.range[i].counters);
	std::sort(regions.get(), regions.get() + profile.ranges.nr,
		  [](const profil_region &one, const profil_region &other) { return one.low < other.low; });
	spec.limit_policy = PROFIL_SATURATE;
	spec.period = period_of(profile.hz);
	spec.regions = regions.get();
	spec.nr_regions = static_cast<uint32_t>(profile.ranges.nr);
	if (const int error = start_self(spec, nullptr))
		return error;
	mark(Kind::execution);
	profile.generation = generation();
	return 0;
}

bool is_ours(const ExecutionProfile &profile)
{
	return is_marked(Kind::execution) && profile.generation == generation();
}

/*
 * End an execution profile, ours or another copy's, so that the module no longer writes to
 * its counters.  If the program has called profil() since, that profile is not ours to end.
 */
void stop_ticks()
{
	if (is_marked(Kind::execution))
		stop_self(nullptr);
}

/* Use the finest counters that the machine's memory and the user's limit allow. */
int start_with_memory(ExecutionProfile &profile)
{
	int error = ENOMEM;

	for (uint8_t shift = finest_shift; shift <= coarsest_shift; shift++) {
		error = make_counters(profile.ranges, shift);
		if (!error)
			error = start_ticks(profile);
		if (error != ENOMEM && error != EDQUOT)
			break;
	}
	return error;
}

int start_with_own(ExecutionProfile &profile)
{
	const int error = start_ticks(profile);

	if (error)
		forget_counters(profile.ranges);
	return error;
}

/* @choose fills in the ranges of the new profile, @start starts it. */
template <typename Choose, typename Start> int begin_profile(Choose choose, Start start)
{
	const std::lock_guard guard(present.lock);
	ExecutionProfile profile;
	int error = choose(profile.ranges);

	if (error) {
		release_ranges(profile.ranges);
		return error;
	}
	stop_ticks();
	release_ranges(present.profile.ranges);
	if (!present.first)
		present.first = first_process();
	profile.hz = wanted_rate();
	error = start(profile);
	present.profile = profile;

	const int error_calls = begin_calls();

	return error ? error : error_calls;
}

/* The ranges of one object are adjacent. */
size_t end_of_object(const GmonRanges &ranges, size_t first)
{
	size_t end = first + 1;

	while (end < ranges.nr && ranges.range[end].counters.base == ranges.range[first].counters.base)
		end++;
	return end;
}

/* The number of objects with this name, up to and including this one. */
size_t number_of_name(const GmonRanges &ranges, size_t first)
{
	size_t number = 1;

	for (size_t i = 0; i < first; i = end_of_object(ranges, i))
		number += !strcmp(ranges.range[i].name, ranges.range[first].name);
	return number;
}

int write_object(const ExecutionProfile &profile, pid_t process, size_t first, size_t end)
{
	const Scratch<TextCounters> counters(end - first);
	const GmonRange *const range = profile.ranges.range;
	const char *const object = range[first].name;
	char path[PATH_MAX] = "gmon.out";
	int error = ENOMEM;

	if (counters) {
		for (size_t i = first; i < end; i++)
			counters[i - first] = range[i].counters;

		const Gmon gmon = {counters.get(), end - first, counted_calls(), profile.hz};

		if (*object && !has_counts(gmon))
			return 0;
		error = gmon_path(process, object, number_of_name(profile.ranges, first), path, sizeof path);
		if (!error)
			error = write_gmon(path, gmon);
	}
	if (error)
		say(path, nullptr, error);
	return error;
}

/* Report the calls that are missing from the files. */
void say_lost(const Calls *calls)
{
	char why[96];

	if (!calls || !calls->lost)
		return;
	snprintf(why, sizeof why, "%llu calls were not counted: too many pairs of caller and function",
		 static_cast<unsigned long long>(calls->lost));
	say("gmon.out", why, 0);
}

} // namespace

int start_execution_profile(uintptr_t low, uintptr_t high)
{
	return begin_profile([=](GmonRanges &ranges) { return choose_ranges(ranges, low, high); },
			     start_with_memory);
}

int start_execution_profile(const OwnCounters *own, size_t nr)
{
	return begin_profile([=](GmonRanges &ranges) { return take_ranges(ranges, own, nr); },
			     start_with_own);
}

int switch_execution_profile(bool on, bool &was)
{
	const std::lock_guard guard(present.lock);
	ExecutionProfile &profile = present.profile;

	was = is_marked(Kind::execution);
	if (profile.ranges.nr)
		switch_calls(on);
	if (!on)
		stop_ticks();
	else if (profile.ranges.nr && !is_ours(profile))
		return start_ticks(profile);
	return 0;
}

int finish_execution_profile()
{
	ExecutionProfile profile;
	pid_t first;
	int error = 0;

	{
		const std::lock_guard guard(present.lock);

		stop_ticks();
		switch_calls(false);
		profile = std::exchange(present.profile, {});
		first = present.first;
	}
	for (size_t i = 0; i < profile.ranges.nr;) {
		const size_t end = end_of_object(profile.ranges, i);
		const int error_here = write_object(profile, first, i, end);

		error = error ? error : error_here;
		i = end;
	}
	if (profile.ranges.nr)
		say_lost(counted_calls());
	release_ranges(profile.ranges);
	return error;
}

} // namespace libprofil
