/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <sys/resource.h> for sources of another system, including the profil() that it declared there. */
#ifndef PROFIL_ORIGINAL_SYS_RESOURCE_H
#define PROFIL_ORIGINAL_SYS_RESOURCE_H

#pragma GCC system_header
#include_next <sys/resource.h>
#include <profil/tru64.h>

#endif /* PROFIL_ORIGINAL_SYS_RESOURCE_H */
