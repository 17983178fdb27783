/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The <mon.h> of another system, which also declares that system's profil(). */
#ifndef PROFIL_ORIGINAL_MON_H
#define PROFIL_ORIGINAL_MON_H

#pragma GCC system_header
#include <profil/aix.h>
#include <profil/monitor.h>

#endif /* PROFIL_ORIGINAL_MON_H */
