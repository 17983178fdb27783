/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil/monitor.h
 * monitor(), monstartup() and moncontrol(), as AIX, Tru64 UNIX and the systems
 * of the SVID have them in <mon.h>.
 *
 * Whose they are is told by the flavour that was included before (<profil/aix.h>,
 * <profil/tru64.h>); without one of these, they are the SVID's.  In C before C23
 * they have no prototypes, as sources of their time call them with integers,
 * with functions, or with one argument.
 *
 * The result is gmon.out, for gprof(1), and not mon.out.  See monitor(3).
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
 * Begin to count the program counter, or end it and write gmon.out.
 *
 * All of the buffer is counters, which stay at 65535; each is of as few bytes of
 * text, a power of two, as the buffer allows.  PROFIL_RATE in the environment
 * is the rate in Hz, else it is 100.
 *
 * AIX: int monitor(char *lowpc, char *highpc, unsigned short *buffer, int bufsize, int nfunc)
 * Tru64: int monitor(char *lowpc, char *highpc, char *buffer, size_t bufsiz, size_t nfunc)
 * SVID: void monitor(void (*lowpc)(void), void (*highpc)(void), WORD *buffer, size_t bufsize, size_t nfunc)
 *
 * @param lowpc first PC; 0: end, and write.
 * @param highpc first PC above.
 * @param buffer 16-bit counters; AIX, with bufsize -1: an array of struct prof.
 * @param bufsize counters; Tru64: bytes.
 * @param nfunc ignored: calls have memory of their own.
 *
 * Returns 0, or -1 with errno: EINVAL (no text, or no room for a counter), EFAULT
 * (the buffer), ENODEV (no module), or what was met when writing.  The SVID's
 * returns nothing, and has errno only.
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
 * Begin to count the program counter in memory of the library's.
 * @param lowpc first PC; AIX, with highpc 0: -1 is all of the program.
 * @param highpc first PC above.
 * @return 0, or -1 with errno.
 */
int monstartup PROFIL_MONITOR_ARGUMENTS((char *lowpc, char *highpc));

/**
 * Count again, or for a while not.
 * @param mode 0: do not count.
 * @return what it was, 0 or 1; or -1 with errno.
 */
int moncontrol PROFIL_MONITOR_ARGUMENTS((int mode));

#undef PROFIL_MONITOR_ARGUMENTS
#undef PROFIL_MONITOR_OR_0

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_MONITOR_H */
