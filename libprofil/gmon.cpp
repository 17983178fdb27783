// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/gmon.h"

#include "libprofil/classic.h"
#include "libprofil/flavour.h"
#include "libprofil/lock.h"
#include "libprofil/program_text.h"
#include "libprofil/scratch.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace libprofil {
namespace {

constexpr uint8_t finest = 2;	 /* four bytes of text a counter */
constexpr uint8_t coarsest = 16; /* as much as a record of gmon.out has */
constexpr uint32_t unscaled = 0x10000;
constexpr unsigned long rate_max = 1'000'000'000;

/* Who began: another process that finds it in its environment is not the first. */
constexpr char owner_name[] = "PROFIL_GMON_OWNER";

/** Where the files go. */
struct Names {
	pid_t first; /**< the process that has gmon.out itself; 0: none has */
};

/** Counters for a range, and whose text it is. */
struct Range {
	TextCounters counters;
	char name[NAME_MAX + 1]; /**< of the shared object, or "" */
};

/** What has begun. */
struct ExecutionProfile {
	Range *ranges; /**< a mapping of room for nr_ranges, or nullptr */
	size_t nr_ranges;
	void *memory; /**< a mapping of memory_bytes for their counters, or nullptr */
	size_t memory_bytes;
	uint32_t hz;
	bool on;
};

struct Present {
	Lock lock;
	ExecutionProfile profile;
	Names names;
} present;

/* PID as it stands in the environment. */
struct Digits {
	char text[24];

	explicit Digits(pid_t pid) { snprintf(text, sizeof text, "%ld", static_cast<long>(pid)); }
};

/* Once, by the first who begins anything. */
void remember_who(Names &names)
{
	const Digits own(getpid());
	const char *const owner = secure_getenv(owner_name);

	if (names.first)
		return;
	names.first = !owner || !strcmp(owner, own.text) ? getpid() : -1;
	/* Without memory for it only those who are executed do not know. */
	if (!owner)
		setenv(owner_name, own.text, 1);
}

void say(const char *what, const char *which, const char *why)
{
	char text[512];
	const int length = snprintf(text, sizeof text, "libprofil: %s%s: %s\n", what, which, why);

	if (length > 0)
		(void)!write(STDERR_FILENO, text, std::min(static_cast<size_t>(length), sizeof text - 1));
}

uint32_t wanted_rate()
{
	const char *const text = secure_getenv("PROFIL_RATE");
	char *end = nullptr;

	if (!text || !*text)
		return classic_hz;

	const unsigned long hz = strtoul(text, &end, 10);

	if (*end || *text < '0' || *text > '9' || !hz || hz > rate_max) {
		say("PROFIL_RATE=", text, "not a rate in Hz; taking 100");
		return classic_hz;
	}
	return static_cast<uint32_t>(hz);
}

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

int start_counting(const ExecutionProfile &profile)
{
	const Scratch<profil_region> regions(profile.nr_ranges);
	profil_spec spec = classic_profile();

	if (!regions)
		return ENOMEM;
	for (size_t i = 0; i < profile.nr_ranges; i++)
		regions[i] = region_of(profile.ranges[i].counters);
	std::sort(regions.get(), regions.get() + profile.nr_ranges,
		  [](const profil_region &one, const profil_region &other) { return one.low < other.low; });
	spec.limit_policy = PROFIL_SATURATE;
	spec.period = period_of(profile.hz);
	spec.regions = regions.get();
	spec.nr_regions = static_cast<uint32_t>(profile.nr_ranges);
	return start_self(spec, nullptr);
}

void *map(size_t bytes)
{
	void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? nullptr : memory;
}

void release(ExecutionProfile &profile)
{
	if (profile.memory)
		munmap(profile.memory, profile.memory_bytes);
	if (profile.ranges)
		munmap(profile.ranges, profile.nr_ranges * sizeof(Range));
	profile = {};
}

/* A child made by fork begins with zeroes. */
int make_memory(ExecutionProfile &profile, uint8_t shift)
{
	size_t bytes = 0;

	for (size_t i = 0; i < profile.nr_ranges; i++) {
		TextCounters &counters = profile.ranges[i].counters;

		counters.shift = shift;
		counters.bytes = counters.needed() * sizeof(uint32_t);
		bytes += counters.bytes;
	}
	profile.memory = map(bytes);
	profile.memory_bytes = bytes;
	if (profile.memory)
		madvise(profile.memory, bytes, MADV_WIPEONFORK);

	auto *next = static_cast<char *>(profile.memory);

	for (size_t i = 0; i < profile.nr_ranges; i++) {
		TextCounters &counters = profile.ranges[i].counters;

		counters.counters = next;
		if (next)
			next += counters.bytes;
		else
			counters.bytes = 0;
	}
	return next ? 0 : ENOMEM;
}

/* As fine as the machine, or the user's limit, lets it be. */
int start_with_memory(ExecutionProfile &profile)
{
	int error = ENOMEM;

	for (uint8_t shift = finest; shift <= coarsest; shift++) {
		error = make_memory(profile, shift);
		if (!error)
			error = start_counting(profile);
		if (error != ENOMEM && error != EDQUOT)
			break;
		if (shift < coarsest && profile.memory) {
			munmap(profile.memory, profile.memory_bytes);
			profile.memory = nullptr;
		}
	}
	return error;
}

/* The part of a text that is asked for, if any is. */
bool clip(Text &text, uintptr_t low, uintptr_t high)
{
	if (low >= text.high || high <= text.low)
		return false;
	text.low = std::max(text.low, low);
	text.high = std::min(text.high, high);
	return true;
}

void place(const Text &text, Range &range)
{
	range.counters.low = text.low;
	range.counters.high = text.high;
	range.counters.base = text.base;
	memcpy(range.name, text.name, sizeof range.name);
}

/* What is asked for of one object, and all of the others. */
int choose_ranges(ExecutionProfile &profile, uintptr_t low, uintptr_t high)
{
	const ProgramText texts;
	bool clipped = false;

	if (!texts)
		return ENOMEM;
	profile.ranges = static_cast<Range *>(map(texts.size() * sizeof(Range)));
	if (!profile.ranges)
		return ENOMEM;
	profile.nr_ranges = texts.size();
	for (size_t i = 0; i < texts.size(); i++) {
		clipped = clipped || clip(texts[i], low, high);
		place(texts[i], profile.ranges[i]);
		profile.ranges[i].counters.width = sizeof(uint32_t);
	}
	return clipped ? 0 : EINVAL;
}

/* Text that is of no file has addresses as they are. */
void find_place(const ProgramText &texts, const OwnCounters &own, Range &range)
{
	range.counters.low = own.low;
	range.counters.high = own.high;
	for (size_t i = 0; i < texts.size(); i++) {
		if (clip(texts[i], own.low, own.high)) {
			place(texts[i], range);
			return;
		}
	}
}

/* As fine as the caller's counters let it be. */
int fit(TextCounters &counters)
{
	for (counters.shift = 1; counters.shift <= coarsest; counters.shift++)
		if (counters.needed() <= counters.bytes / counters.width)
			return 0;
	return EINVAL;
}

int take_ranges(ExecutionProfile &profile, const OwnCounters *own, size_t nr)
{
	const ProgramText texts;

	profile.ranges = static_cast<Range *>(map(nr * sizeof(Range)));
	if (!texts || !profile.ranges)
		return ENOMEM;
	profile.nr_ranges = nr;
	for (size_t i = 0; i < nr; i++) {
		TextCounters &counters = profile.ranges[i].counters;

		find_place(texts, own[i], profile.ranges[i]);
		counters.counters = own[i].counters;
		counters.bytes = own[i].bytes / sizeof(uint16_t) * sizeof(uint16_t);
		counters.width = sizeof(uint16_t);
		if (const int error = fit(counters))
			return error;
	}
	return 0;
}

/* End what was on, as its counters are about to go. */
void stop_counting(ExecutionProfile &profile)
{
	/* Without the module nothing is on. */
	if (profile.on)
		(void)stop_self(nullptr);
	profile.on = false;
}

/* @choose fills the ranges of the new one, @start starts it. */
template <typename Choose, typename Start> int begin_profile(Choose choose, Start start)
{
	const std::lock_guard guard(present.lock);
	ExecutionProfile profile = {};

	remember_who(present.names);
	stop_counting(present.profile);
	release(present.profile);
	profile.hz = wanted_rate();
	if (const int error = choose(profile)) {
		release(profile);
		return error;
	}

	const int error = start(profile);
	const int error_calls = count_calls(true);

	/* If not, its files are written without ticks, but with calls. */
	profile.on = !error;
	present.profile = profile;
	return error ? error : error_calls;
}

int path_of(const Names &names, const char *object, char *path, size_t bytes)
{
	const char *const prefix = secure_getenv("GMON_OUT_PREFIX");
	const bool numbered = (prefix && *prefix) || getpid() != names.first;
	const Digits number(getpid());
	const int length =
		snprintf(path, bytes, "%s%s%s%s%s", prefix && *prefix ? prefix : "gmon.out",
			 numbered ? "." : "", numbered ? number.text : "", *object ? "." : "", object);

	return length < 0 || static_cast<size_t>(length) >= bytes ? ENAMETOOLONG : 0;
}

/* All ranges of one object are neighbours. */
size_t same_object(const ExecutionProfile &profile, size_t first)
{
	size_t end = first + 1;

	while (end < profile.nr_ranges && !strcmp(profile.ranges[end].name, profile.ranges[first].name))
		end++;
	return end;
}

int write_object(const ExecutionProfile &profile, const Names &names, size_t first, size_t end)
{
	const Scratch<TextCounters> ranges(end - first);
	const char *const object = profile.ranges[first].name;
	char path[PATH_MAX];

	if (!ranges)
		return ENOMEM;
	for (size_t i = first; i < end; i++)
		ranges[i - first] = profile.ranges[i].counters;

	const Gmon gmon = {ranges.get(), end - first, counted_calls(), profile.hz};

	if (*object && !has_counts(gmon))
		return 0;

	int error = path_of(names, object, path, sizeof path);

	if (!error)
		error = write_gmon(path, gmon);
	if (error)
		say(path, "", strerrordesc_np(error));
	return error;
}

} // namespace

int start_execution_profile(uintptr_t low, uintptr_t high)
{
	return begin_profile([=](ExecutionProfile &profile) { return choose_ranges(profile, low, high); },
			     start_with_memory);
}

int start_execution_profile(const OwnCounters *ranges, size_t nr)
{
	return begin_profile([=](ExecutionProfile &profile) { return take_ranges(profile, ranges, nr); },
			     start_counting);
}

int switch_execution_profile(bool on, bool &was)
{
	const std::lock_guard guard(present.lock);
	ExecutionProfile &profile = present.profile;

	was = profile.on;
	if (was == on || !profile.nr_ranges)
		return 0;
	if (on)
		if (const int error = start_counting(profile))
			return error;
	if (!on)
		stop_counting(profile);
	profile.on = on;
	return count_calls(on);
}

int finish_execution_profile()
{
	ExecutionProfile profile;
	Names names;
	int error = 0;

	{
		const std::lock_guard guard(present.lock);

		stop_counting(present.profile);
		(void)count_calls(false);
		profile = std::exchange(present.profile, {});
		names = present.names;
	}
	for (size_t i = 0; i < profile.nr_ranges;) {
		const size_t end = same_object(profile, i);
		const int error_here = write_object(profile, names, i, end);

		error = error ? error : error_here;
		i = end;
	}
	release(profile);
	return error;
}

} // namespace libprofil
