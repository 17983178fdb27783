// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/flavours/classic.h"

#include "kmod/memory/bin.h"
#include "libprofil/user_memory.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <sys/auxv.h>

namespace libprofil {

static uint8_t shift_of(uint8_t width)
{
	return width == sizeof(uint32_t) ? 2 : 1;
}

bool is_possible(const Histogram &histogram)
{
	const uint64_t bytes = histogram.bytes; /* a 32-bit size_t never exceeds the maximum */

	return bytes <= PROFIL_BIN_BYTES_MAX;
}

/*
 * The end of user space; with 32-bit addresses, an upper bound.  The kernel puts the
 * program's name (AT_EXECFN) right below the end, which with 64-bit addresses is a power
 * of two, or a page less.
 */
static uint64_t end_of_user_space()
{
	return std::bit_ceil(uint64_t{getauxval(AT_EXECFN)}) - 4096;
}

/* Bytes of a buffer that are in user space.  A start beyond user space is left to the module. */
static uint64_t bytes_in_user_space(uint64_t start, uint64_t bytes)
{
	const uint64_t end = end_of_user_space();

	return start < end ? std::min(bytes, end - start) : bytes;
}

static uint64_t usable_bytes(const Histogram &histogram)
{
	const uint64_t bytes = std::min<uint64_t>(histogram.bytes, PROFIL_BIN_BYTES_MAX);

	return bytes - bytes % histogram.width;
}

profil_region region_of(const Histogram &histogram, Rounding rounding)
{
	const uint8_t shift = shift_of(histogram.width);
	profil_region region = {};

	/* The module accepts no empty region, and no program is at the highest addresses. */
	region.low = std::min<uint64_t>(histogram.offset, UINT64_MAX - 1);
	region.high = UINT64_MAX;
	region.offset = region.low;
	region.buffer = histogram.buffer;
	region.bytes = usable_bytes(histogram);
	region.scale = histogram.scale;
	region.width = histogram.width;
	switch (rounding) {
	case Rounding::down: region.post = shift; break;
	case Rounding::up:
		region.post = shift;
		/* Only indices of 16-bit counters are rounded up. */
		region.bias = histogram.width == sizeof(uint16_t);
		break;
	case Rounding::halve_first: region.pre = shift; break;
	}
	return region;
}

profil_region region_or_clock(const Histogram &histogram, Rounding rounding)
{
	profil_region region = region_of(histogram, rounding);

	if (region.scale == scale_of_clock)
		region.scale = 0;
	return region;
}

profil_region swallowing(const profil_region &region)
{
	profil_region same = region;

	same.bytes = 0;
	same.buffer = 0;
	return same;
}

template <typename Timeval> static int store_as(void *tvp, uint64_t ns)
{
	Timeval value = {};

	value.tv_sec = static_cast<decltype(value.tv_sec)>(ns / 1'000'000'000);
	value.tv_usec = static_cast<decltype(value.tv_usec)>(ns / 1000 % 1'000'000);
	return copy_to_caller(tvp, &value, sizeof value);
}

int store_period(void *tvp, uint64_t ns, TimeBits bits)
{
	struct Wide {
		int64_t tv_sec, tv_usec;
	};

	if (!tvp)
		return 0;
	return bits == TimeBits::wide ? store_as<Wide>(tvp, ns) : store_as<timeval>(tvp, ns);
}

static bool is_of_arguments(int error)
{
	return error == EFAULT || error == EINVAL;
}

/*
 * More bytes than any program's text needs.  The module keeps a word for each page of a
 * buffer, mapped or not, and charges the user for these words.
 */
constexpr uint64_t used_bytes_max = uint64_t{1} << 30;

uint64_t used_bytes(uint64_t start, uint64_t bytes)
{
	return bytes_in_user_space(start, std::min(bytes, used_bytes_max));
}

static void cut_buffers(const profil_spec &spec, profil_region *regions)
{
	for (uint32_t i = 0; i < spec.nr_regions; i++) {
		const uint64_t bytes = used_bytes(regions[i].buffer, regions[i].bytes);

		regions[i].bytes = bytes - bytes % regions[i].width;
	}
}

/* Programs pass (size_t)-1 where they know no limit. */
static bool is_endless(const profil_region &region)
{
	return region.bytes > used_bytes_max;
}

int start_regions(const profil_spec &spec, profil_region *regions)
{
	if (std::none_of(regions, regions + spec.nr_regions, is_endless))
		return start_self(spec, nullptr);
	cut_buffers(spec, regions);
	return start_unchecked(spec, nullptr);
}

int start_or_off(const profil_spec &spec, profil_region *regions)
{
	cut_buffers(spec, regions);

	const int error = start_unchecked(spec, nullptr);

	if (!error)
		return 0;
	/* Whatever failed, the caller assumes that the previous buffer is no longer used. */
	stop_self(nullptr);
	return is_of_arguments(error) ? 0 : error;
}

int start_histogram_or_off(profil_spec spec, const Histogram &histogram, Rounding rounding)
{
	if (histogram.scale < scale_of_clock || !has_room(histogram) || !is_aligned(histogram)) {
		stop_self(nullptr);
		return 0;
	}

	profil_region region = region_or_clock(histogram, rounding);

	spec.regions = &region;
	spec.nr_regions = 1;
	return start_or_off(spec, &region);
}

} // namespace libprofil
