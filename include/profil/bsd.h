/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil/bsd.h
 * profil() of the BSDs and add_profil() of macOS.
 *
 * The scales 1 and 2 have no special meaning.
 *
 * The names are macros for this flavour's entry points, so that one program can be
 * built from sources of several systems; each source has one flavour.  <unistd.h>,
 * which also declares profil(), may be included before or after.
 * Link with -lprofil.  Needs the kernel module profil.
 */
#ifndef PROFIL_BSD_H
#define PROFIL_BSD_H

#ifdef PROFIL_FLAVOUR_CHOSEN
#error "<profil/bsd.h>: this source already has another flavour of profil(); it can have only one"
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
 * A PC at d bytes above offset counts in 16-bit counter ((d * scale) >> 16) / 2.
 *
 * @param samples the counters, which wrap.
 * @param size size of the counters in bytes.
 * @param offset lowest PC that is counted.
 * @param scale 16.16 fixed point, up to 0x10000; 0: off.
 * @return 0, or -1 with errno EINVAL (scale above 0x10000, samples at an odd
 *         address), EFAULT (samples cannot be written; profiling is then off),
 *         ENODEV (no module).
 */
int profil_bsd(char *samples, size_t size, unsigned long offset, unsigned int scale);

/**
 * Add a buffer for another range of PCs, until the next profil().
 *
 * A PC that several buffers cover counts in one of them: profil()'s own, else the one
 * that was added last.
 *
 * @param samples, size, offset as for profil().
 * @param scale as for profil(), but not limited; 0: the call does nothing.
 * @return 0, even if the call does nothing because profiling is off, or because samples
 *         cannot be written; or -1 with errno EINVAL (samples at an odd address), ENOMEM
 *         (beyond 100 buffers), ENODEV (no module).
 */
int add_profil_bsd(char *samples, size_t size, unsigned long offset, unsigned int scale);

#ifdef __cplusplus
}
#endif

#define profil profil_bsd
#define add_profil add_profil_bsd

#endif /* PROFIL_BSD_H */
