// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/gmon/ranges.h"

#include "libprofil/gmon/program_text.h"
#include "libprofil/mapping.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <utility>

namespace libprofil {

static int make_ranges(GmonRanges &ranges, size_t nr)
{
	ranges.range = static_cast<GmonRange *>(map_zeroes(nr * sizeof(GmonRange)));
	ranges.nr = ranges.range ? nr : 0;
	return ranges.range ? 0 : ENOMEM;
}

/* Clip a text to [low, high).  Returns false if nothing is left. */
static bool clip(Text &text, uintptr_t low, uintptr_t high)
{
	if (low >= text.high || high <= text.low)
		return false;
	/*
	 * The startup code passes _start as low, but compilers put main() and code
	 * that is seldom run before it.
	 */
	if (low != getauxval(AT_ENTRY))
		text.low = std::max(text.low, low);
	text.high = std::min(text.high, high);
	return true;
}

static void place(const Text &text, GmonRange &range)
{
	range.counters.low = text.low;
	range.counters.high = text.high;
	range.counters.base = text.base;
	memcpy(range.name, text.name, sizeof range.name);
}

int choose_ranges(GmonRanges &ranges, uintptr_t low, uintptr_t high)
{
	const ProgramText texts;
	bool clipped = false;

	if (!texts || make_ranges(ranges, texts.size()))
		return ENOMEM;
	for (size_t i = 0; i < texts.size(); i++) {
		Text text = texts[i];

		clipped = clipped || clip(text, low, high);
		place(text, ranges.range[i]);
		ranges.range[i].counters.width = sizeof(uint32_t);
	}
	return clipped ? 0 : EINVAL;
}

static void drop_memory(GmonRanges &ranges)
{
	if (ranges.memory)
		munmap(std::exchange(ranges.memory, nullptr), ranges.memory_bytes);
}

int make_counters(GmonRanges &ranges, uint8_t shift)
{
	size_t bytes = 0;

	drop_memory(ranges);
	for (size_t i = 0; i < ranges.nr; i++) {
		TextCounters &counters = ranges.range[i].counters;

		counters.shift = shift;
		counters.bytes = counters.needed() * sizeof(uint32_t);
		bytes += counters.bytes;
	}

	auto *next = static_cast<char *>(map_wiped_by_fork(bytes));

	if (!next) {
		forget_counters(ranges);
		return ENOMEM;
	}
	ranges.memory = next;
	ranges.memory_bytes = bytes;
	for (size_t i = 0; i < ranges.nr; i++) {
		ranges.range[i].counters.counters = next;
		next += ranges.range[i].counters.bytes;
	}
	return 0;
}

/* Set the range's object.  Text that belongs to no file keeps its run-time addresses. */
static void find_place(const ProgramText &texts, const OwnCounters &own, GmonRange &range)
{
	range.counters.low = own.low;
	range.counters.high = own.high;
	for (size_t i = 0; i < texts.size(); i++) {
		Text text = texts[i];

		if (clip(text, own.low, own.high)) {
			place(text, range);
			return;
		}
	}
}

/* Choose the finest scale for which the caller has enough counters. */
static int fit(TextCounters &counters)
{
	for (counters.shift = 1; counters.shift <= coarsest_shift; counters.shift++)
		if (counters.needed() <= counters.bytes / counters.width)
			return 0;
	return EINVAL;
}

int take_ranges(GmonRanges &ranges, const OwnCounters *own, size_t nr)
{
	const ProgramText texts;

	if (!texts || make_ranges(ranges, nr))
		return ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		TextCounters &counters = ranges.range[i].counters;

		find_place(texts, own[i], ranges.range[i]);
		counters.counters = own[i].counters;
		counters.bytes = own[i].bytes / sizeof(uint16_t) * sizeof(uint16_t);
		counters.width = sizeof(uint16_t);
		if (const int error = fit(counters))
			return error;
	}
	return 0;
}

void forget_counters(GmonRanges &ranges)
{
	for (size_t i = 0; i < ranges.nr; i++) {
		ranges.range[i].counters.counters = nullptr;
		ranges.range[i].counters.bytes = 0;
	}
}

void release_ranges(GmonRanges &ranges)
{
	/* Clear the ranges first: a child forked during munmap() must not see unmapped ones. */
	const GmonRanges old = std::exchange(ranges, {});

	if (old.memory)
		munmap(old.memory, old.memory_bytes);
	if (old.range)
		munmap(old.range, old.nr * sizeof(GmonRange));
}

} // namespace libprofil
