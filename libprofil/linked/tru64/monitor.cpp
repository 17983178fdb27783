// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/linked/linked.h"

#include <profil/tru64.h>
/* After the flavour's header, because it declares that flavour's monitor(). */
#include <profil/monitor.h>

extern "C" int linked_monitor(char *lowpc, char *highpc, char *buffer, size_t bufsiz, size_t nfunc)
	PROFIL_LINKED("monitor");

int linked_monitor(char *lowpc, char *highpc, char *buffer, size_t bufsiz, size_t nfunc)
{
	return monitor(lowpc, highpc, buffer, bufsiz, nfunc);
}
