/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <unistd.h> for sources of another system, including the profil() that it declared there. */
#ifndef PROFIL_ORIGINAL_UNISTD_H
#define PROFIL_ORIGINAL_UNISTD_H

#pragma GCC system_header
#include_next <unistd.h>
#include <profil/linux.h>

#endif /* PROFIL_ORIGINAL_UNISTD_H */
