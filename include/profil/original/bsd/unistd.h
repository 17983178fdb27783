/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The <unistd.h> of another system, which also declares that system's profil(). */
#ifndef PROFIL_ORIGINAL_UNISTD_H
#define PROFIL_ORIGINAL_UNISTD_H

#pragma GCC system_header
#include_next <unistd.h>
#include <profil/bsd.h>

#endif /* PROFIL_ORIGINAL_UNISTD_H */
