// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/linked/linked.h"

#include <profil/aix.h>
/* After the flavour's header, because it declares that flavour's monitor(). */
#include <profil/monitor.h>

extern "C" int linked_monitor(char *lowpc, char *highpc, unsigned short *buffer, int bufsize, int nfunc)
	PROFIL_LINKED("monitor");

int linked_monitor(char *lowpc, char *highpc, unsigned short *buffer, int bufsize, int nfunc)
{
	return monitor(lowpc, highpc, buffer, bufsize, nfunc);
}
