// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/linked/linked.h"

#include <profil/monitor.h>

extern "C" int linked_monitor(void (*lowpc)(), void (*highpc)(), WORD *buffer, size_t bufsize, size_t nfunc)
	PROFIL_LINKED("monitor");

int linked_monitor(void (*lowpc)(), void (*highpc)(), WORD *buffer, size_t bufsize, size_t nfunc)
{
	monitor(lowpc, highpc, buffer, bufsize, nfunc);
	return 0;
}
