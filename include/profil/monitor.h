/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil/monitor.h
 * monitor(), monstartup() and moncontrol(), as AIX, Tru64 UNIX and the systems
 * of the SVID have them in <mon.h>.
 *
 * A flavour that was included before (<profil/aix.h>, <profil/tru64.h>) selects the
 * system; otherwise the functions are the SVID's.  In C before C23 they have no
 * prototypes, because sources of that age call them with integers, with functions,
 * or with one argument.
 *
 * They write gmon.out, for gprof(1), and not mon.out.  See monitor(3).
 * Link with -lprofil.  Needs the kernel module profil.
 */
#ifndef PROFIL_MONITOR_H
#define PROFIL_MONITOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A counter of the buffer. */
#ifndef WORD
#define WORD unsigned short
#endif

#ifdef __cplusplus
#define PROFIL_MONITOR_ARGUMENTS(list) list
#define PROFIL_MONITOR_OR_0 = 0
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ > 201710L
#define PROFIL_MONITOR_ARGUMENTS(list) list
#define PROFIL_MONITOR_OR_0
#else
#define PROFIL_MONITOR_ARGUMENTS(list) ()
#endif

/**
 * Begin to count the program counter, or end the profile and write gmon.out.
 *
 * The whole buffer holds counters, which stay at 65535.  Each counter stands for as
 * few bytes of text, a power of two, as the buffer allows.  The rate is
 * PROFIL_RATE in the environment, in Hz; the default is 100.
 *
 * AIX: int monitor(char *lowpc, char *highpc, unsigned short *buffer, int bufsize, int nfunc)
 * Tru64: int monitor(char *lowpc, char *highpc, char *buffer, size_t bufsiz, size_t nfunc)
 * SVID: void monitor(void (*lowpc)(void), void (*highpc)(void), WORD *buffer, size_t bufsize, size_t nfunc)
 *
 * @param lowpc first PC; 0: end the profile and write the file.
 * @param highpc first PC above the range.
 * @param buffer 16-bit counters; AIX, with bufsize -1: an array of struct prof.
 * @param bufsize number of counters; Tru64: bytes.
 * @param nfunc ignored: calls have memory of their own.
 *
 * Returns 0, or -1 with errno: EINVAL (no text, or no room for a counter), EFAULT
 * (the buffer), ENODEV (no module), or an error of writing the file.  The SVID's
 * function returns nothing and only sets errno.
 */
#if defined(PROFIL_AIX_H)
int monitor PROFIL_MONITOR_ARGUMENTS((char *lowpc, char *highpc PROFIL_MONITOR_OR_0, unsigned short *buffer PROFIL_MONITOR_OR_0,
				      int bufsize PROFIL_MONITOR_OR_0, int nfunc PROFIL_MONITOR_OR_0)) __asm__("monitor_aix");
#elif defined(PROFIL_TRU64_H)
int monitor PROFIL_MONITOR_ARGUMENTS((char *lowpc, char *highpc PROFIL_MONITOR_OR_0, char *buffer PROFIL_MONITOR_OR_0,
				      size_t bufsiz PROFIL_MONITOR_OR_0, size_t nfunc PROFIL_MONITOR_OR_0)) __asm__("monitor_tru64");
#else
void monitor PROFIL_MONITOR_ARGUMENTS((void (*lowpc)(void), void (*highpc)(void), WORD *buffer,
				       size_t bufsize, size_t nfunc)) __asm__("monitor_svid");
#endif

/**
 * Begin to count the program counter in the library's own memory.
 * @param lowpc first PC; AIX, with highpc 0: -1 is the whole program.
 * @param highpc first PC above the range.
 * @return 0, or -1 with errno.
 */
int monstartup PROFIL_MONITOR_ARGUMENTS((char *lowpc, char *highpc));

/**
 * Resume or pause counting.
 * @param mode 0: pause; else resume.
 * @return the previous mode, 0 or 1; or -1 with errno.
 */
int moncontrol PROFIL_MONITOR_ARGUMENTS((int mode));

#undef PROFIL_MONITOR_ARGUMENTS
#undef PROFIL_MONITOR_OR_0

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_MONITOR_H */
