/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <sys/profil.h> for sources of another system, including the profil() that it declared there. */
#ifndef PROFIL_ORIGINAL_SYS_PROFIL_H
#define PROFIL_ORIGINAL_SYS_PROFIL_H

#pragma GCC system_header
#include <profil/irix.h>

#endif /* PROFIL_ORIGINAL_SYS_PROFIL_H */
