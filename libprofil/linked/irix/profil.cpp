// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/linked/linked.h"

#include <profil/irix.h>

extern "C" int linked_profil(unsigned short *buff, unsigned bufsiz, size_t offset, unsigned scale)
	PROFIL_LINKED("profil");

int linked_profil(unsigned short *buff, unsigned bufsiz, size_t offset, unsigned scale)
{
	return profil_irix(buff, bufsiz, offset, scale);
}
