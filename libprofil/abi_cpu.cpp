// SPDX-License-Identifier: LGPL-2.1-or-later
/* The functions of <profil/cpu.h>. */
#include "libprofil/caller.h"
#include "libprofil/cpu/cpu.h"

using namespace libprofil;

extern "C" {

PROFIL_EXPORT int profil_cpu_start(const profil_cpu_options *options)
{
	const Caller caller;

	return caller.answer(start_cpu_profile(options));
}

PROFIL_EXPORT int profil_cpu_stop(void)
{
	const Caller caller;

	return caller.answer(stop_cpu_profile());
}

PROFIL_EXPORT int profil_cpu_pause(void)
{
	const Caller caller;

	return caller.answer(pause_cpu_profile());
}

PROFIL_EXPORT int profil_cpu_resume(void)
{
	const Caller caller;

	return caller.answer(resume_cpu_profile());
}

PROFIL_EXPORT int profil_cpu_thread(void)
{
	const Caller caller;

	return caller.answer(add_cpu_thread());
}

PROFIL_EXPORT int profil_cpu_write(int fd)
{
	const Caller caller;

	return caller.answer(write_cpu_profile(fd));
}

PROFIL_EXPORT int profil_cpu_get_status(profil_status *status)
{
	const Caller caller;

	return caller.answer(cpu_profile_status(status));
}

} // extern "C"
