/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The <sys/profil.h> of another system, which also declares that system's profil(). */
#ifndef PROFIL_ORIGINAL_SYS_PROFIL_H
#define PROFIL_ORIGINAL_SYS_PROFIL_H

#pragma GCC system_header
#include <profil/irix.h>

#endif /* PROFIL_ORIGINAL_SYS_PROFIL_H */
