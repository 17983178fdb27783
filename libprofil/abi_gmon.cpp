// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the startup files and the code of gcc -pg call instead of libc's, and monitor(). */
#include "libprofil/caller.h"
#include "libprofil/gmon.h"
#include "libprofil/monitor.h"

#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdlib>

using namespace libprofil;

extern "C" {

PROFIL_EXPORT int monstartup(unsigned long low, unsigned long high)
{
	const Caller caller;

	/* AIX: all of the program; also as the int that an unprototyped call makes of -1. */
	if ((low == ULONG_MAX || low == UINT32_MAX) && !high) {
		low = 1;
		high = ULONG_MAX;
	}
	return caller.answer(start_execution_profile(low, high), "monstartup");
}

PROFIL_EXPORT int __monstartup(unsigned long low, unsigned long high) __attribute__((alias("monstartup")));

PROFIL_EXPORT int moncontrol(int mode)
{
	const Caller caller;
	bool was = false;
	const int error = switch_execution_profile(mode != 0, was);

	return caller.answer(error, "moncontrol") ? -1 : was;
}

PROFIL_EXPORT void _mcleanup(void)
{
	const Caller caller;

	/* It has said itself what could not be written. */
	(void)finish_execution_profile();
	(void)caller.answer(0);
}

PROFIL_EXPORT void monitor_svid(const void *low, const void *high, unsigned short *buffer, size_t bufsize,
				size_t)
{
	const Caller caller;

	caller.leave(monitor(address(low), address(high), buffer, bufsize * sizeof *buffer), "monitor");
}

PROFIL_EXPORT int monitor_aix(char *low, char *high, unsigned short *buffer, int bufsize, int)
{
	const Caller caller;
	const size_t bytes = bufsize > 0 ? static_cast<size_t>(bufsize) * sizeof *buffer : 0;

	/* There, what was begun by hand is written by exit(), too. */
	static std::atomic<bool> at_exit = false;

	if (!at_exit.exchange(true))
		atexit(_mcleanup);
	if (low && bufsize == -1)
		return caller.answer(monitor_ranges(buffer), "monitor");
	return caller.answer(monitor(address(low), address(high), buffer, bytes), "monitor");
}

PROFIL_EXPORT int monitor_tru64(char *low, char *high, char *buffer, size_t bufsiz, size_t)
{
	const Caller caller;

	return caller.answer(monitor(address(low), address(high), buffer, bufsiz), "monitor");
}

} // extern "C"
