/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil/monitor.h
 * monitor(), monstartup() and moncontrol(), as in <mon.h> of AIX, of Tru64 UNIX and
 * of the SVID's systems.
 *
 * <profil/aix.h> or <profil/tru64.h>, if included before this header, selects that
 * system's functions; otherwise they are the SVID's.  In C before C23 they have no
 * prototypes, because old sources pass integers, or functions, or only one argument.
 *
 * They write gmon.out, for gprof(1), instead of mon.out.  See monitor(3).
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
 * The whole buffer holds counters, which stay at 65535.  Each counter stands for the
 * same number of bytes of text: the smallest power of two for which the buffer has
 * enough counters.  The rate is PROFIL_RATE in the environment, in Hz; the default is
 * 100.
 *
 * AIX: int monitor(char *lowpc, char *highpc, unsigned short *buffer, int bufsize, int nfunc)
 * Tru64: int monitor(char *lowpc, char *highpc, char *buffer, size_t bufsiz, size_t nfunc)
 * SVID: void monitor(void (*lowpc)(void), void (*highpc)(void), WORD *buffer, size_t bufsize, size_t nfunc)
 *
 * @param lowpc first PC; 0: end the profile and write the file.
 * @param highpc first PC above the range.
 * @param buffer 16-bit counters; AIX, with bufsize -1: an array of struct prof.
 * @param bufsize number of counters; Tru64: bytes.
 * @param nfunc ignored: the table of calls is not in the buffer.
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
 * @param lowpc first PC; as on AIX, -1 with highpc 0 means the whole program.
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
