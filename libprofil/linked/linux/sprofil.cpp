// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/linked/linked.h"

#include <profil/linux.h>

extern "C" int linked_sprofil(prof *profp, int profcnt, timeval *tvp, unsigned flags)
	PROFIL_LINKED("sprofil");

int linked_sprofil(prof *profp, int profcnt, timeval *tvp, unsigned flags)
{
	return sprofil_linux(profp, profcnt, tvp, flags);
}
