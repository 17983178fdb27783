/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil/linux.h
 * profil() and sprofil() as glibc declares them, counted by the kernel.
 *
 * Bugs of glibc's functions are fixed: scale 0 turns profiling off, all threads and
 * children are profiled, exec(2) ends the profile, and no signal is sent.
 *
 * The names are macros for this flavour's entry points, so that one program can be
 * built from sources of several systems; each source has one flavour.  <unistd.h>,
 * which also declares profil(), may be included before or after.
 * Link with -lprofil.  Needs the kernel module profil.
 */
#ifndef PROFIL_LINUX_H
#define PROFIL_LINUX_H

#ifdef PROFIL_FLAVOUR_CHOSEN
#error "<profil/linux.h>: this source already has another flavour of profil(); it can have only one"
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
 * Count the program counter at each tick, 100 times per second of CPU time.
 *
 * A PC at d bytes above offset counts in counter ((d / 2) * scale) >> 16.
 *
 * @param buffer 16-bit counters, which wrap; NULL: off.
 * @param size size of the buffer in bytes; (size_t)-1: its end is not known.
 * @param offset lowest PC that is counted.
 * @param scale 16.16 fixed point; 0: off.
 * @return 0, or -1 with errno EINVAL (a buffer at an odd address), EFAULT (it
 *         cannot be written), ENODEV (no module).
 */
int profil_linux(unsigned short *buffer, size_t size, size_t offset, unsigned int scale);

/* As in libc's <sys/profil.h>; whichever of the two headers is included first declares this. */
#ifndef _PROFIL_H
#define _PROFIL_H 1
/** A region of sprofil(). */
struct prof {
	void *pr_base;		/**< its counters */
	size_t pr_size;		/**< size of the counters in bytes */
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
 * Count like profil(), in many regions, whose counters stay at their greatest value.
 *
 * Where regions overlap, the one with the largest pr_off counts.  PCs in no region
 * count in the first counter of an entry with pr_off 0 and pr_scale 2.
 *
 * @param profp the regions.
 * @param profcnt number of regions; 0: off.
 * @param tvp receives the time between two ticks, unless NULL.
 * @param flags PROF_USHORT or PROF_UINT, and PROF_FAST.
 * @return 0, or -1 with errno as from profil(), or EFAULT for profp and tvp.
 */
#if defined(__i386__) && defined(__USE_TIME_BITS64)
/* _TIME_BITS=64: struct timeval is longer. */
int sprofil_linux(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags) __asm__("sprofil_linux_time64");
#else
int sprofil_linux(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags);
#endif

#ifdef __cplusplus
}
#endif

#define profil profil_linux
#define sprofil sprofil_linux

#endif /* PROFIL_LINUX_H */
