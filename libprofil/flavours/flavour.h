// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file libprofil/flavours/flavour.h
 * Choose the system whose semantics the plain profil() has.
 */
#pragma once

#include "libprofil/flavours/classic.h"

namespace libprofil {

/** The systems. */
enum class Flavour { linux, solaris, irix, bsd, tru64, aix };

/**
 * The flavour of the plain profil(): PROFIL_FLAVOUR in the environment, for
 * programs that cannot be rebuilt, or else Linux.
 * @return 0, or EINVAL: unknown flavour.
 */
[[nodiscard]] int plain_flavour(Flavour &flavour);

/**
 * The plain profil().
 *
 * The buffer may be a list only in the flavours of AIX (size -1) and Tru64 (offset -1;
 * the scale holds the flags).  In the other flavours it never is a list: there, a size of
 * (size_t)-1 means that the program does not know the size.
 * @return 0, or an errno value.
 */
[[nodiscard]] int plain_profil(void *buffer, size_t size, size_t offset, unsigned scale);

/** The time between two ticks of a flavour, in ns. */
[[nodiscard]] uint64_t flavour_period(Flavour flavour);

/** Find a flavour by its name in lower case.  @return 0, or EINVAL. */
[[nodiscard]] int flavour_named(const char *name, Flavour &flavour);

/** A histogram of 16-bit counters, as in every system's first form. */
[[nodiscard]] Histogram shorts(const void *buffer, size_t size, size_t offset, unsigned long scale);

/** profil() of AIX, both forms. */
[[nodiscard]] int aix_any(void *buffer, size_t size, size_t offset, unsigned scale);

/** profil() of Tru64, both forms. */
[[nodiscard]] int tru64_any(void *buffer, size_t size, size_t offset, unsigned long scale, bool v5);

/**
 * Report an error on standard error if PROFIL_VERBOSE is set.
 * @param call name of the function that failed.
 */
void tell(int error, const char *call);

} // namespace libprofil
