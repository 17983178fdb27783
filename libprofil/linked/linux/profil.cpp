// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/linked/linked.h"

#include <profil/linux.h>

extern "C" int linked_profil(unsigned short *buffer, size_t size, size_t offset, unsigned scale)
	PROFIL_LINKED("profil");

int linked_profil(unsigned short *buffer, size_t size, size_t offset, unsigned scale)
{
	return profil_linux(buffer, size, offset, scale);
}
