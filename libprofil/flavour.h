// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file flavour.h
 * The plain profil(): whose it is.
 */
#pragma once

#include "libprofil/classic.h"

namespace libprofil {

/** The systems. */
enum class Flavour { linux, solaris, irix, bsd, tru64, aix };

/**
 * Whose semantics the plain profil() has: PROFIL_FLAVOUR of the environment, for
 * a program that cannot be built again, or Linux.
 * @return 0, or EINVAL: there is no such system.
 */
[[nodiscard]] int plain_flavour(Flavour &flavour);

/**
 * The plain profil().
 *
 * The extended forms of AIX (size -1) and Tru64 (offset -1) are known by what no
 * buffer and no program can have in any other flavour.  The scale is then
 * Tru64's flags.
 * @return 0, or an errno value.
 */
[[nodiscard]] int plain_profil(void *buffer, size_t size, size_t offset, unsigned scale);

/** ns between two ticks of a flavour. */
[[nodiscard]] uint64_t flavour_period(Flavour flavour);

/** By its name in lower case.  @return 0, or EINVAL. */
[[nodiscard]] int flavour_named(const char *name, Flavour &flavour);

/** 16-bit counters, as all first forms have them. */
[[nodiscard]] Histogram shorts(const void *buffer, size_t size, size_t offset, unsigned long scale);

/** profil() of AIX, both forms. */
[[nodiscard]] int aix_any(void *buffer, size_t size, size_t offset, unsigned scale);

/** profil() of Tru64, both forms. */
[[nodiscard]] int tru64_any(void *buffer, size_t size, size_t offset, unsigned long scale, bool v5);

/** A line on standard error, if PROFIL_VERBOSE is set.  @param call name of the function that failed. */
void tell(int error, const char *call);

} // namespace libprofil
