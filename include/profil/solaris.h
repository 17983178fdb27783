/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil/solaris.h
 * profil() and, with <pcsample.h>, pcsample() of Solaris.
 *
 * Profiling of the whole process stops instead of counting beyond 32767.
 *
 * The names are macros for this flavour's entry points, so that one program can be
 * built from sources of several systems; each source has one flavour.  <unistd.h>,
 * which also declares profil(), may be included before or after.
 * Link with -lprofil.  Needs the kernel module profil.
 */
#ifndef PROFIL_SOLARIS_H
#define PROFIL_SOLARIS_H

#ifdef PROFIL_FLAVOUR_CHOSEN
#error "<profil/solaris.h>: this source already has another flavour of profil(); it can have only one"
#endif
#define PROFIL_FLAVOUR_CHOSEN

#include <stddef.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Count the program counter at each tick, 100 times per second of CPU time.
 *
 * A PC at d bytes above offset counts in counter ((d * scale) >> 16) / 2.
 *
 * @param buff 16-bit counters.
 * @param bufsiz size of the counters in bytes; 0: nothing is counted.
 * @param offset lowest PC that is counted.
 * @param scale 16.16 fixed point; 0 and 1: off; 2: every PC counts in the first
 *        counter.
 *
 * Returns nothing.  errno is ENODEV without the module.  Bad arguments leave it
 * unchanged.
 */
void profil_solaris(unsigned short *buff, size_t bufsiz, size_t offset, unsigned int scale);

#ifdef __cplusplus
}
#endif

#define profil profil_solaris

#include <pcsample.h>

#endif /* PROFIL_SOLARIS_H */
