/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil/solaris.h
 * profil() and, with <pcsample.h>, pcsample() of Solaris.
 *
 * Profiling of the whole process ends instead of counting beyond 32767.
 *
 * The names are macros for this flavour's own entry points, so that sources of
 * several systems can be one program; each has one flavour.  <unistd.h>, which
 * declares a profil() too, may be included before or after.
 * Link with -lprofil.  Needs the kernel module profil.
 */
#ifndef PROFIL_SOLARIS_H
#define PROFIL_SOLARIS_H

#ifdef PROFIL_FLAVOUR_CHOSEN
#error "<profil/solaris.h>: this source has another flavour of profil() already; each source has one"
#endif
#define PROFIL_FLAVOUR_CHOSEN

#include <stddef.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Count the program counter at each tick, 100 times in a second of CPU time.
 *
 * A PC at d bytes above offset counts in counter ((d * scale) >> 16) / 2.
 *
 * @param buff 16-bit counters.
 * @param bufsiz bytes of them; 0: ineffective.
 * @param offset lowest PC that is counted.
 * @param scale 16.16 fixed point; 0 and 1: off; 2: all in the first counter.
 *
 * Returns nothing; errno is ENODEV without the module, else as it was when the
 * arguments are to blame.
 */
void profil_solaris(unsigned short *buff, size_t bufsiz, size_t offset, unsigned int scale);

#ifdef __cplusplus
}
#endif

#define profil profil_solaris

#include <pcsample.h>

#endif /* PROFIL_SOLARIS_H */
