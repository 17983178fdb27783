/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil/aix.h
 * profil() of AIX, both forms.
 *
 * Counters stay at 65535, and ticks in the kernel are not counted.
 *
 * The names are macros for this flavour's own entry points, so that sources of
 * several systems can be one program; each has one flavour.  <unistd.h>, which
 * declares a profil() too, may be included before or after.
 * Link with -lprofil.  Needs the kernel module profil.
 */
#ifndef PROFIL_AIX_H
#define PROFIL_AIX_H

#ifdef PROFIL_FLAVOUR_CHOSEN
#error "<profil/aix.h>: this source has another flavour of profil() already; each source has one"
#endif
#define PROFIL_FLAVOUR_CHOSEN

/* Which has another struct prof. */
#ifdef _PROFIL_H
#error "<profil/aix.h>: this source has libc's <sys/profil.h> already; AIX' is another"
#endif
#define _PROFIL_H 1

#include <stddef.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A counter of the second form. */
typedef unsigned short HISTCOUNTER;

/** A range of the second form; p_high NULL ends the list. */
struct prof {
	char *p_low;	      /**< first PC */
	char *p_high;	      /**< first PC above; ascending */
	HISTCOUNTER *p_buff;  /**< its counters */
	int p_bufsize;	      /**< bytes of them */
	unsigned int p_scale; /**< 16.16 fixed point; -1: computed; 0: not counted */
};

/**
 * Count the program counter at each tick, 100 times in a second of CPU time.
 *
 * First form: a PC at d bytes above offset counts in counter
 * (((d * scale) >> 16) + 1) / 2.  Second form, known by bufsiz -1: shortbuf is an
 * array of struct prof, offset and scale are ignored.  Turning on what is on,
 * and turning off in the other form, have no effect.
 *
 * @param shortbuf 16-bit counters, or ranges.
 * @param bufsiz bytes of counters, 0: ineffective; or -1.
 * @param offset lowest PC that is counted.
 * @param scale 16.16 fixed point, of which the low 16 bits count; 0 and 1: off;
 *        2: all in the first counter.
 *
 * Returns nothing; errno is EFAULT (the buffer cannot be written or pinned, or
 * the list cannot be read), EINVAL (p_high does not ascend, a buffer at an odd
 * address), ENODEV (no module), or as it was.
 */
void profil_aix(unsigned short *shortbuf, size_t bufsiz, unsigned long offset, unsigned int scale);

#ifdef __cplusplus
}
#endif

#define profil profil_aix

#endif /* PROFIL_AIX_H */
