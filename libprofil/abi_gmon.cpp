// SPDX-License-Identifier: LGPL-2.1-or-later
/* The functions that gcc -pg's startup files and code call, in place of libc's, and monitor(). */
#include "libprofil/caller.h"
#include "libprofil/gmon/gmon.h"
#include "libprofil/gmon/monitor.h"

#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdlib>

using namespace libprofil;

/* Our own code calls this, not _mcleanup(), which a program may define itself. */
static void finish()
{
	const Caller caller;

	/* Failures to write are already reported on standard error. */
	(void)finish_execution_profile();
	(void)caller.answer(0);
}

extern "C" {

PROFIL_EXPORT int monstartup(unsigned long low, unsigned long high)
{
	const Caller caller;

	/* AIX: -1 means the whole program.  A call without a prototype passes it as an int. */
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
	finish();
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

	/* On AIX, exit() also writes a profile that monitor() has started. */
	static std::atomic<bool> at_exit = false;

	if (!at_exit.exchange(true))
		atexit(finish);
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
