/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil/tru64.h
 * profil() of Tru64 UNIX, both forms, at 1024 Hz.
 *
 * If PROFIL_TRU64_V5 is defined before this header is included, struct profil_args is
 * that of the version 5 headers, which has no offset.
 *
 * The names are macros for this flavour's entry points, so that one program can be
 * built from sources of several systems; each source has one flavour.  <unistd.h>,
 * which also declares profil(), may be included before or after.
 * Link with -lprofil.  Needs the kernel module profil.
 */
#ifndef PROFIL_TRU64_H
#define PROFIL_TRU64_H

#ifdef PROFIL_FLAVOUR_CHOSEN
#error "<profil/tru64.h>: this source already has another flavour of profil(); it can have only one"
#endif
#define PROFIL_FLAVOUR_CHOSEN

/* Suppress warnings in this header: variadic macros are newer than C90. */
#pragma GCC system_header
#include <stddef.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A range of the extended form, as the manual page declares it. */
#ifndef PROFIL_TRU64_V5
struct profil_args {
	unsigned int *buffer; /**< 32-bit counters, as many as range and scale need */
	void *highpc;	      /**< last PC */
	void *lowpc;	      /**< first PC */
	void *offset;	      /**< subtracted from the PC */
	unsigned int scale;   /**< 16.16 fixed point: bytes of counters per byte of text */
};
#else
struct profil_args {
	unsigned int *buffer;
	void *highpc;
	void *lowpc;
	unsigned long scale;
};
#endif

/** A range as in the version 5 headers, under a name of its own, for profil_v5(). */
struct profil_args_v5 {
	unsigned int *buffer;
	void *highpc;
	void *lowpc;
	unsigned long scale;
};

#define PROFIL_FLAGS_ALL_THREADS 1 /**< no effect: all threads are always profiled */

/** Maximum number of ranges, as in <sys/resource.h>.  @see profil(2) of Tru64, args */
#define PROFIL_MAX 64

/* Scales, named as in <sys/resource.h>.  See profil(2) of Tru64, DESCRIPTION. */
#define PROFIL_SCALE_TOTAL 2  /**< every PC counts in the first counter */
#define PROFIL_SCALE_STOP_1 1 /**< off */
#define PROFIL_SCALE_STOP 0   /**< off */

/**
 * Count the program counter at each tick, 1024 times per second of CPU time.
 *
 * First form: a PC at d bytes above offset counts in 16-bit counter
 * (((d * scale) >> 16) + 1) / 2.  Second form, selected by offset -1: buffer is an
 * array of struct profil_args, size is their number, 1 to PROFIL_MAX, and scale holds
 * the flags.  The ranges are in decreasing order and do not overlap, but may touch: the
 * highpc of one may be the lowpc of the one before it, which then counts that PC.
 *
 * @param buffer counters, which wrap, or ranges.
 * @param size size of the counters in bytes (0: nothing is counted), or the number
 *        of ranges.
 * @param offset lowest PC that is counted, or -1.
 * @param scale 16.16 fixed point (0 and 1: off; 2: every PC counts in the first
 *        counter), or flags: 0 or PROFIL_FLAGS_ALL_THREADS.
 *
 * Returns nothing.  errno is EINVAL or EFAULT if the ranges are not valid (then
 * nothing changes), ENODEV without the module.
 */
void profil_tru64(void *buffer, size_t size, unsigned long offset, unsigned long scale);

/** The same as profil_tru64(), but the ranges are struct profil_args_v5. */
void profil_tru64_v5(void *buffer, size_t size, unsigned long offset, unsigned long scale);

#ifdef __cplusplus
}
#endif

/*
 * With four arguments, the name is called, and the arguments are converted: the offset may be
 * -1 or, as the manual page declares it, a pointer.  With fewer arguments, a source declares
 * the name, as in `extern void profil();`, and the declaration stays as it is.
 */
#define profil_tru64(...) PROFIL_TRU64_CHOSEN(__VA_ARGS__)(profil_tru64, __VA_ARGS__)
#define profil_tru64_v5(...) PROFIL_TRU64_CHOSEN(__VA_ARGS__)(profil_tru64_v5, __VA_ARGS__)
#define PROFIL_TRU64_CHOSEN(...) \
	PROFIL_TRU64_FIFTH(__VA_ARGS__, PROFIL_TRU64_CALL, PROFIL_TRU64_DECLARE, PROFIL_TRU64_DECLARE, \
			   PROFIL_TRU64_DECLARE, PROFIL_TRU64_DECLARE)
#define PROFIL_TRU64_CALL(name, buffer, size, offset, scale) \
	(name)((void *)(buffer), (size_t)(size), (unsigned long)(offset), (unsigned long)(scale))
#define PROFIL_TRU64_DECLARE(name, ...) (name)(__VA_ARGS__)
#define PROFIL_TRU64_FIFTH(first, second, third, fourth, fifth, ...) fifth
#ifdef PROFIL_TRU64_V5
#define profil profil_tru64_v5
#else
#define profil profil_tru64
#endif
#define profil_v5 profil_tru64_v5

#endif /* PROFIL_TRU64_H */
