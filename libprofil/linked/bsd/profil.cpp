// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/linked/linked.h"

#include <profil/bsd.h>

extern "C" int linked_profil(char *samples, size_t size, unsigned long offset, unsigned scale)
	PROFIL_LINKED("profil");

int linked_profil(char *samples, size_t size, unsigned long offset, unsigned scale)
{
	return profil_bsd(samples, size, offset, scale);
}
