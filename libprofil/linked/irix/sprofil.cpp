// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/linked/linked.h"

#include <profil/irix.h>

extern "C" int linked_sprofil(prof *profp, int profcnt, timeval *tvp, unsigned flags)
	PROFIL_LINKED("sprofil");

int linked_sprofil(prof *profp, int profcnt, timeval *tvp, unsigned flags)
{
	return sprofil_irix(profp, profcnt, tvp, flags);
}
