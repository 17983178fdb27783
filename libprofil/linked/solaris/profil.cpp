// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/linked/linked.h"

#include <profil/solaris.h>

extern "C" int linked_profil(unsigned short *buff, unsigned bufsiz, size_t offset, unsigned scale)
	PROFIL_LINKED("profil");

int linked_profil(unsigned short *buff, unsigned bufsiz, size_t offset, unsigned scale)
{
	profil_solaris(buff, bufsiz, offset, scale);
	return 0;
}
