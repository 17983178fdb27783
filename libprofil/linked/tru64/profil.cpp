// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/linked/linked.h"

#include <profil/tru64.h>

extern "C" int linked_profil(void *buffer, unsigned size, unsigned long offset, unsigned scale)
	PROFIL_LINKED("profil");

int linked_profil(void *buffer, unsigned size, unsigned long offset, unsigned scale)
{
	profil_tru64(buffer, size, offset, scale);
	return 0;
}
