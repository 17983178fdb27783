/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The <sys/resource.h> of another system, which also declares that system's profil(). */
#ifndef PROFIL_ORIGINAL_SYS_RESOURCE_H
#define PROFIL_ORIGINAL_SYS_RESOURCE_H

#pragma GCC system_header
#include_next <sys/resource.h>
#include <profil/tru64.h>

#endif /* PROFIL_ORIGINAL_SYS_RESOURCE_H */
