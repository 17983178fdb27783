/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil/linux.h
 * profil() and sprofil() as glibc declares them, counted by the kernel.
 *
 * What glibc does wrong is right here: scale 0 turns profiling off, all threads
 * and children are profiled, exec(2) ends it, no signal is sent.
 *
 * The names are macros for this flavour's own entry points, so that sources of
 * several systems can be one program; each has one flavour.  <unistd.h>, which
 * declares a profil() too, may be included before or after.
 * Link with -lprofil.  Needs the kernel module profil.
 */
#ifndef PROFIL_LINUX_H
#define PROFIL_LINUX_H

#ifdef PROFIL_FLAVOUR_CHOSEN
#error "<profil/linux.h>: this source has another flavour of profil() already; each source has one"
#endif
#define PROFIL_FLAVOUR_CHOSEN

#include <stddef.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Count the program counter at each tick, 100 times in a second of CPU time.
 *
 * A PC at d bytes above offset counts in counter ((d / 2) * scale) >> 16.
 *
 * @param buffer 16-bit counters, which wrap; NULL: off.
 * @param size of the buffer, in bytes.
 * @param offset lowest PC that is counted.
 * @param scale 16.16 fixed point; 0: off.
 * @return 0, or -1 with errno EINVAL (a buffer at an odd address), EFAULT (it
 *         cannot be written), ENOMEM (RLIMIT_MEMLOCK), ENODEV (no module).
 */
int profil_linux(unsigned short *buffer, size_t size, size_t offset, unsigned int scale);

/* As in <sys/profil.h>, where there is one: whichever comes first declares it. */
#ifndef _PROFIL_H
#define _PROFIL_H 1
/** A region of sprofil(). */
struct prof {
	void *pr_base;		/**< its counters */
	size_t pr_size;		/**< bytes of them */
	size_t pr_off;		/**< lowest PC */
	unsigned long pr_scale; /**< 16.16 fixed point */
};

enum {
	PROF_USHORT = 0, /**< 16-bit counters */
	PROF_UINT = 1,	 /**< 32-bit counters */
	PROF_FAST = 2	 /**< 1000 Hz */
};
#endif

/**
 * The same for many regions, whose counters stay at their greatest value.
 *
 * Of regions that overlap the one with the largest pr_off counts.  An entry with
 * pr_off 0 and pr_scale 2 counts in its first counter what no region does.
 *
 * @param profp the regions.
 * @param profcnt their number; 0: off.
 * @param tvp receives the time between two ticks, unless NULL.
 * @param flags PROF_USHORT or PROF_UINT, and PROF_FAST.
 * @return 0, or -1 with errno: as profil(), and EFAULT for profp and tvp.
 */
int sprofil_linux(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags);

#ifdef __cplusplus
}
#endif

#define profil profil_linux
#define sprofil sprofil_linux

#endif /* PROFIL_LINUX_H */
