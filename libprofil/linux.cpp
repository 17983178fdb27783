// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/linux.h"

#include "libprofil/profile.h"

#include <cerrno>

namespace libprofil {

constexpr size_t width = sizeof(unsigned short);

/* profil((unsigned short *)array, -1, 0, 0) on AIX: an array of struct prof. */
static bool is_aix_form(size_t size)
{
	return size == SIZE_MAX;
}

/* profil(array, n, -1, flags) on Tru64: an array of struct profil_args. */
static bool is_tru64_form(size_t offset)
{
	return offset == SIZE_MAX;
}

/* Everything from offset up; the module clips it to what the buffer covers. */
static profil_region region_of(unsigned short *buffer, size_t size, size_t offset, unsigned scale)
{
	profil_region region = {};

	region.low = offset;
	region.high = UINT64_MAX;
	region.offset = offset;
	region.buffer = reinterpret_cast<uintptr_t>(buffer);
	region.bytes = size - size % width;
	region.scale = scale;
	region.width = width;
	region.pre = 1; /* this flavour halves the distance before it is scaled */
	return region;
}

int linux_profil(unsigned short *buffer, size_t size, size_t offset, unsigned scale)
{
	if (!buffer)
		return stop_self(nullptr);
	if (is_aix_form(size) || is_tru64_form(offset))
		return EINVAL;
	if (!scale || size < width)
		return stop_self(nullptr);

	const profil_region region = region_of(buffer, size, offset, scale);
	profil_spec spec = classic_profile();

	spec.regions = &region;
	spec.nr_regions = 1;
	return start_self(spec, nullptr);
}

} // namespace libprofil
