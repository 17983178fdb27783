// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/linked/linked.h"

#include <profil/aix.h>

extern "C" int linked_profil(unsigned short *buffer, unsigned size, unsigned long offset, unsigned scale)
	PROFIL_LINKED("profil");

int linked_profil(unsigned short *buffer, unsigned size, unsigned long offset, unsigned scale)
{
	profil_aix(buffer, size, offset, scale);
	return 0;
}
