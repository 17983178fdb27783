/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file pcsample.h
 * pcsample(2), as on Solaris: store the program counter at every clock tick.
 *
 * Link with -lprofil.  Needs the kernel module profil.
 */
#ifndef PCSAMPLE_H
#define PCSAMPLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Store the program counter of the calling process in an array, 100 times per
 * second of CPU time, until the array is full.
 *
 * All threads of the process are sampled.  A child made by fork(2) continues after
 * its parent's samples, in its own copy of the array.  Sampling ends with exec(2).
 * pcsample() and profil(2) replace each other.  Async-signal-safe.
 *
 * An element is checked only when a PC is stored in it.  Sampling ends at the first element
 * that cannot be written.
 *
 * @param samples the array, which must stay mapped until sampling ends.
 * @param nsamples number of its elements; 0 ends sampling.
 * @return the number of elements stored since the previous call, 0 the first
 *         time; or -1 with errno EINVAL (nsamples is negative, or samples is not
 *         aligned), ENODEV (the module is not loaded), or another value listed at the
 *         head of <linux/profil.h>.  Ending sampling never fails.
 */
long pcsample(uintptr_t samples[], long nsamples);

#ifdef __cplusplus
}
#endif

#endif /* PCSAMPLE_H */
