// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/flavours/flavour.h"

#include "libprofil/explain.h"
#include "libprofil/flavours/aix.h"
#include "libprofil/flavours/bsd.h"
#include "libprofil/flavours/irix.h"
#include "libprofil/flavours/linux.h"
#include "libprofil/flavours/solaris.h"
#include "libprofil/flavours/tru64.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

namespace libprofil {

int flavour_named(const char *name, Flavour &flavour)
{
	static constexpr struct {
		const char *name;
		Flavour flavour;
	} known[] = {
		{"linux", Flavour::linux}, {"solaris", Flavour::solaris}, {"irix", Flavour::irix},
		{"bsd", Flavour::bsd},	   {"tru64", Flavour::tru64},	  {"aix", Flavour::aix},
	};

	for (const auto &one : known) {
		if (!strcmp(name, one.name)) {
			flavour = one.flavour;
			return 0;
		}
	}
	return EINVAL;
}

int plain_flavour(Flavour &flavour)
{
	const char *const name = secure_getenv("PROFIL_FLAVOUR");

	flavour = Flavour::linux;
	return name && *name ? flavour_named(name, flavour) : 0;
}

uint64_t flavour_period(Flavour flavour)
{
	return period_of(flavour == Flavour::tru64 ? tru64_hz : classic_hz);
}

Histogram shorts(const void *buffer, size_t size, size_t offset, unsigned long scale)
{
	const uint32_t known = scale > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(scale);

	return {address(buffer), size, offset, known, sizeof(uint16_t)};
}

int aix_any(void *buffer, size_t size, size_t offset, unsigned scale)
{
	/* The manual page declares the size as unsigned int, so -1 may arrive as 32 bits. */
	if (size == SIZE_MAX || size == UINT32_MAX)
		return aix_extended(buffer);
	return aix_profil(shorts(buffer, size, offset, scale));
}

int tru64_any(void *buffer, size_t size, size_t offset, unsigned long scale, bool v5)
{
	/*
	 * A call without a prototype passes -1 as an int, and leaves the upper half of the
	 * register undefined.  No text begins at such an address.
	 */
	if (static_cast<uint32_t>(offset) == UINT32_MAX)
		return tru64_extended(buffer, size, scale, v5 ? Tru64Layout::v5 : Tru64Layout::manual);
	return tru64_profil(shorts(buffer, size, offset, scale));
}

int plain_profil(void *buffer, size_t size, size_t offset, unsigned scale)
{
	Flavour flavour;

	if (const int error = plain_flavour(flavour))
		return error;
	const Histogram histogram = shorts(buffer, size, offset, scale);

	switch (flavour) {
	case Flavour::linux: return linux_profil(histogram);
	case Flavour::solaris: return solaris_profil(histogram);
	case Flavour::irix:
		/* IRIX always returns 0. */
		if (const int error = irix_profil(histogram))
			tell(error, "profil");
		return 0;
	case Flavour::bsd: return bsd_profil(histogram);
	case Flavour::tru64: return tru64_any(buffer, size, offset, scale, false);
	case Flavour::aix: return aix_any(buffer, size, offset, scale);
	}
	return EINVAL;
}

void tell(int error, const char *call)
{
	char text[512];

	if (!secure_getenv("PROFIL_VERBOSE"))
		return;
	explain(error, nullptr, text, sizeof text);

	const iovec line[] = {{const_cast<char *>(call), strlen(call)},
			      {const_cast<char *>(": "), 2},
			      {text, strlen(text)},
			      {const_cast<char *>("\n"), 1}};
	/* A failure to write has nowhere to be reported. */
	(void)!writev(STDERR_FILENO, line, sizeof line / sizeof *line);
}

} // namespace libprofil
