/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil/aix.h
 * profil() of AIX, both forms.
 *
 * Counters stay at 65535, and ticks in the kernel are not counted.
 *
 * The names are macros for this flavour's entry points, so that one program can be
 * built from sources of several systems; each source has one flavour.  <unistd.h>,
 * which also declares profil(), may be included before or after.
 * Link with -lprofil.  Needs the kernel module profil.
 */
#ifndef PROFIL_AIX_H
#define PROFIL_AIX_H

#ifdef PROFIL_FLAVOUR_CHOSEN
#error "<profil/aix.h>: this source already has another flavour of profil(); it can have only one"
#endif
#define PROFIL_FLAVOUR_CHOSEN

/* libc's <sys/profil.h> declares a different struct prof. */
#ifdef _PROFIL_H
#error "<profil/aix.h>: this source already has libc's <sys/profil.h>, which differs from AIX's"
#endif
#define _PROFIL_H 1

#include <stddef.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A counter of the second form. */
typedef unsigned short HISTCOUNTER;

/** A range of the second form; a p_high of NULL ends the list. */
struct prof {
	char *p_low;	      /**< first PC */
	char *p_high;	      /**< first PC above it; ascending */
	HISTCOUNTER *p_buff;  /**< its counters */
	int p_bufsize;	      /**< size of the counters in bytes */
	unsigned int p_scale; /**< 16.16 fixed point; -1: computed; 0 and 1: not counted */
};

/**
 * Count the program counter at each tick, 100 times per second of CPU time.
 *
 * First form: a PC at d bytes above offset counts in counter
 * (((d * scale) >> 16) + 1) / 2.  Second form, selected by bufsiz -1: shortbuf is an
 * array of struct prof; offset and scale are ignored.
 *
 * Three calls have no effect: one that turns profiling on while it is on, one that turns
 * it off in the other form, and one with a list in which nothing is counted.
 *
 * @param shortbuf 16-bit counters, or ranges.
 * @param bufsiz size of the counters in bytes, 0: no effect; or -1.
 * @param offset lowest PC that is counted.
 * @param scale 16.16 fixed point, of which only the low 16 bits are used; 0 and 1:
 *        off; 2: every PC counts in the first counter.
 *
 * Returns nothing.  errno is EFAULT (the buffer cannot be written, or
 * the list cannot be read), EINVAL (p_high does not ascend, a buffer is at an odd
 * address), ENODEV (no module), or unchanged.
 */
void profil_aix(unsigned short *shortbuf, size_t bufsiz, unsigned long offset, unsigned int scale);

#ifdef __cplusplus
}
#endif

#define profil profil_aix

#endif /* PROFIL_AIX_H */
