/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <mon.h> for sources of another system, including the profil() that it declared there. */
#ifndef PROFIL_ORIGINAL_MON_H
#define PROFIL_ORIGINAL_MON_H

#pragma GCC system_header
#include <profil/aix.h>
#include <profil/monitor.h>

#endif /* PROFIL_ORIGINAL_MON_H */
