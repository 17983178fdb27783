/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linked with libprofil.a and musl's libc, static. */
#include "tests/guest/programs/lib_histogram.h"

#ifdef __GLIBC__
#error "these are the headers of glibc, which has a profil() of its own"
#endif
