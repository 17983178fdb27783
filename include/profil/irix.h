/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil/irix.h
 * profil() and sprofil() of IRIX.
 *
 * The values of PROF_USHORT, PROF_UINT and PROF_FAST differ from those in glibc.
 *
 * The names are macros for this flavour's entry points, so that one program can be
 * built from sources of several systems; each source has one flavour.  <unistd.h>,
 * which also declares profil(), may be included before or after.
 * Link with -lprofil.  Needs the kernel module profil.
 */
#ifndef PROFIL_IRIX_H
#define PROFIL_IRIX_H

#ifdef PROFIL_FLAVOUR_CHOSEN
#error "<profil/irix.h>: this source already has another flavour of profil(); it can have only one"
#endif
#define PROFIL_FLAVOUR_CHOSEN

/* libc's <sys/profil.h> declares a different struct prof. */
#ifdef _PROFIL_H
#error "<profil/irix.h>: this source already has libc's <sys/profil.h>, which differs from IRIX's"
#endif
#define _PROFIL_H 1

#include <stddef.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Count the program counter at each tick, 100 times per second of CPU time.
 *
 * A PC at d bytes above offset counts in counter ((d * scale) >> 16) / 2.
 *
 * @param buff 16-bit counters, which wrap.
 * @param bufsiz size of the counters in bytes; 0: nothing is counted.
 * @param offset lowest PC that is counted.
 * @param scale 16.16 fixed point; 0 and 1: off; 2: every PC counts in the first
 *        counter.
 * @return 0, always.
 */
int profil_irix(unsigned short *buff, unsigned int bufsiz, size_t offset, unsigned int scale);

/** A region of sprofil(). */
struct prof {
	void *pr_base;	       /**< its counters */
	unsigned int pr_size;  /**< size of the counters in bytes */
	size_t pr_off;	       /**< PCs above it are counted; in the lowest region, also this PC */
	unsigned int pr_scale; /**< 16.16 fixed point; 0 and 1: the region swallows its ticks */
};

#define PROF_USHORT 1 /**< 16-bit counters */
#define PROF_UINT 2   /**< 32-bit counters, even if PROF_USHORT is also set */
#define PROF_FAST 4   /**< 1000 Hz */

/** PROF_FAST ticks per ordinary tick, as in <sys/profil.h>.  @see sprofil(2) of IRIX, flags */
#define PROF_FAST_CNT 10

/** Maximum number of sprofil() regions, as in <sys/profil.h>.  @see sprofil(2) of IRIX, E2BIG */
#define PROFIL_MAX 100

/**
 * Count like profil(), in up to 100 regions.
 *
 * A PC belongs to the region with the largest pr_off strictly below it; the region
 * with the lowest pr_off also includes the PC equal to it.  The last entry may have pr_off 0
 * and pr_scale 2: PCs beyond the end of their region, or below all regions, then count in
 * its first counter.
 *
 * @param profp the regions.
 * @param profcnt number of regions, 1 to PROFIL_MAX.
 * @param tvp receives the time between two ticks, unless NULL.
 * @param flags PROF_USHORT or PROF_UINT, and PROF_FAST.
 * @return 0, or -1 with errno E2BIG (profcnt), EFAULT (profp, tvp), EINVAL (an
 *         overflow entry that is not the last, flags, an unaligned pr_base),
 *         ENODEV (no module).
 */
#if defined(__i386__) && defined(__USE_TIME_BITS64)
/* _TIME_BITS=64: struct timeval is longer. */
int sprofil_irix(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags) __asm__("sprofil_irix_time64");
#else
int sprofil_irix(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags);
#endif

#ifdef __cplusplus
}
#endif

#define profil profil_irix
#define sprofil sprofil_irix

#endif /* PROFIL_IRIX_H */
