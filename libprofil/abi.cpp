// SPDX-License-Identifier: LGPL-2.1-or-later
/* The C interface, except the functions that gcc -pg calls: those are in abi_gmon.cpp. */
#include "libprofil/add.h"
#include "libprofil/caller.h"
#include "libprofil/counter.h"
#include "libprofil/explain.h"
#include "libprofil/flavours/bsd.h"
#include "libprofil/flavours/flavour.h"
#include "libprofil/flavours/irix.h"
#include "libprofil/flavours/linux.h"
#include "libprofil/flavours/solaris.h"
#include "libprofil/profile.h"
#include "libprofil/record.h"
#include "libprofil/session.h"

#include <cerrno>
#include <pcsample.h>
#include <profil.h>
#include <sys/mman.h>

using namespace libprofil;

extern "C" {

/*
 * profil() is defined under another name, because glibc's <unistd.h> declares the buffer
 * of profil() as never NULL.  NULL is one way to turn profiling off, and a compiler
 * that inlines plain_profil() could drop that case.
 */
PROFIL_EXPORT int exported_profil(unsigned short *buffer, size_t size, size_t offset,
				  unsigned scale) __asm__("profil");

int exported_profil(unsigned short *buffer, size_t size, size_t offset, unsigned scale)
{
	const Caller caller;

	return caller.answer(plain_profil(buffer, size, offset, scale), "profil");
}

PROFIL_EXPORT int sprofil(void *profp, int profcnt, struct timeval *tvp, unsigned flags)
{
	const Caller caller;

	return caller.answer(linux_sprofil(profp, profcnt, tvp, flags), "sprofil");
}

PROFIL_EXPORT int profil_linux(unsigned short *buffer, size_t size, size_t offset, unsigned scale)
{
	const Caller caller;

	return caller.answer(linux_profil(shorts(buffer, size, offset, scale)), "profil");
}

PROFIL_EXPORT int sprofil_linux(void *profp, int profcnt, struct timeval *tvp, unsigned flags)
{
	const Caller caller;

	return caller.answer(linux_sprofil(profp, profcnt, tvp, flags), "sprofil");
}

PROFIL_EXPORT void profil_solaris(unsigned short *buffer, size_t size, size_t offset, unsigned scale)
{
	const Caller caller;

	caller.leave(solaris_profil(shorts(buffer, size, offset, scale)), "profil");
}

PROFIL_EXPORT int profil_irix(unsigned short *buffer, unsigned size, size_t offset, unsigned scale)
{
	const Caller caller;

	caller.ignore(irix_profil(shorts(buffer, size, offset, scale)), "profil");
	return 0;
}

PROFIL_EXPORT int sprofil_irix(void *profp, int profcnt, struct timeval *tvp, unsigned flags)
{
	const Caller caller;

	return caller.answer(irix_sprofil(profp, profcnt, tvp, flags), "sprofil");
}

#ifdef __i386__
/* sprofil_linux() for programs compiled with _TIME_BITS=64; the headers select it. */
PROFIL_EXPORT int sprofil_linux_time64(void *profp, int profcnt, void *tvp, unsigned flags)
{
	const Caller caller;

	return caller.answer(linux_sprofil(profp, profcnt, tvp, flags, TimeBits::wide), "sprofil");
}

PROFIL_EXPORT int sprofil_irix_time64(void *profp, int profcnt, void *tvp, unsigned flags)
{
	const Caller caller;

	return caller.answer(irix_sprofil(profp, profcnt, tvp, flags, TimeBits::wide), "sprofil");
}
#endif

PROFIL_EXPORT int profil_bsd(char *samples, size_t size, unsigned long offset, unsigned scale)
{
	const Caller caller;

	return caller.answer(bsd_profil(shorts(samples, size, offset, scale)), "profil");
}

PROFIL_EXPORT int add_profil_bsd(char *samples, size_t size, unsigned long offset, unsigned scale)
{
	const Caller caller;
	const int error = bsd_add_profil(shorts(samples, size, offset, scale));

	if (error != EFAULT)
		return caller.answer(error, "add_profil");
	caller.ignore(error, "add_profil");
	return 0;
}

PROFIL_EXPORT void profil_tru64(void *buffer, size_t size, unsigned long offset, unsigned long scale)
{
	const Caller caller;

	caller.leave(tru64_any(buffer, size, offset, scale, false), "profil");
}

PROFIL_EXPORT void profil_tru64_v5(void *buffer, size_t size, unsigned long offset, unsigned long scale)
{
	const Caller caller;

	caller.leave(tru64_any(buffer, size, offset, scale, true), "profil");
}

PROFIL_EXPORT void profil_aix(unsigned short *buffer, size_t size, unsigned long offset, unsigned scale)
{
	const Caller caller;

	caller.leave(aix_any(buffer, size, offset, scale), "profil");
}

PROFIL_EXPORT long pcsample(uintptr_t *samples, long nsamples)
{
	const Caller caller;
	long previous = 0;
	const int error = solaris_pcsample(samples, nsamples, previous);

	return caller.answer(error, "pcsample") ? -1 : previous;
}

/*
 * profil() for Fortran, which passes arguments by reference.  IRIX integers have four
 * bytes; the Fortran module in profil.f90 also accepts eight.
 */
PROFIL_EXPORT int profil_(unsigned short *buffer, const int *bufsiz, const int *offset, const int *scale)
{
	const Caller caller;
	const uintptr_t low = irix_offset(static_cast<uint32_t>(*offset));

	caller.ignore(irix_profil(shorts(buffer, static_cast<unsigned>(*bufsiz), low,
					 static_cast<unsigned>(*scale))),
		      "profil");
	return 0;
}

PROFIL_EXPORT int profil_flavour_period(const char *flavour, uint64_t *period)
{
	const Caller caller;
	Flavour which;

	if (!period)
		return caller.answer(EFAULT);

	const int error = flavour ? flavour_named(flavour, which) : plain_flavour(which);

	if (!error)
		*period = flavour_period(which);
	return caller.answer(error);
}

PROFIL_EXPORT const char *profil_version(void)
{
	return PROFIL_VERSION;
}

PROFIL_EXPORT int profil_get_info(profil_info *info)
{
	const Caller caller;
	Device device;
	const int error = device.open();

	return caller.answer(error ? error : device.info(info));
}

PROFIL_EXPORT int profil_self_start(const profil_spec *spec, uint64_t *stored)
{
	const Caller caller;
	profil_spec known;
	const int error = import_spec(spec, known);

	return caller.answer(error ? error : start_callers(known, stored));
}

PROFIL_EXPORT int profil_self_stop(uint64_t *stored)
{
	const Caller caller;

	stop_self(stored);
	return caller.answer(0);
}

PROFIL_EXPORT int profil_self_get_status(profil_status *status)
{
	const Caller caller;
	Device device;
	const int error = device.open();

	return caller.answer(error ? error : device.status(0, status));
}

PROFIL_EXPORT profil_session *profil_session_open(void)
{
	const Caller caller;
	profil_session *session = nullptr;

	return caller.answer(profil_session::create(session)) ? nullptr : session;
}

PROFIL_EXPORT void profil_session_close(profil_session *session)
{
	const Caller caller;

	if (session)
		profil_session::destroy(session);
	(void)caller.answer(0);
}

PROFIL_EXPORT int profil_session_fd(const profil_session *session)
{
	return session->device.fd();
}

PROFIL_EXPORT ssize_t profil_session_add(profil_session *session, uint32_t profile, profil_target *targets,
					 size_t nr)
{
	const Caller caller;
	const Begun *const recording = session->begun(profile);

	if (!recording || (nr && !targets))
		return caller.answer(recording ? EFAULT : ENOENT);
	if (recording->flags & (PROFIL_RECORD_EVERYBODY | PROFIL_RECORD_SELF))
		return caller.answer(EINVAL);
	return caller.answer(0, add(session->device, *recording, {targets, nr}));
}

PROFIL_EXPORT int profil_session_record(profil_session *session, pid_t pid, profil_record *request,
					const char **step)
{
	const Caller caller;

	return caller.answer(record(*session, pid, request, step));
}

PROFIL_EXPORT int profil_session_record_event(profil_session *session, pid_t pid,
					      const perf_event_attr *event, profil_record *request,
					      const char **step)
{
	const Caller caller;

	return caller.answer(event ? record(*session, pid, request, step, event) : EFAULT);
}

PROFIL_EXPORT int profil_session_table(profil_session *session, uint32_t profile, void *table,
				       uint32_t nr_counts)
{
	const Caller caller;
	profil_table request = {};

	request.size = sizeof request;
	request.profile = profile;
	request.nr_counts = nr_counts;
	request.table = reinterpret_cast<uintptr_t>(table);
	return caller.answer(session->device.sized(PROFIL_TABLE, &request));
}

PROFIL_EXPORT int profil_session_wait(profil_session *session, uint32_t profile, uint32_t keys)
{
	const Caller caller;
	profil_wait request = {};

	request.size = sizeof request;
	request.profile = profile;
	request.keys = keys;
	return caller.answer(session->device.sized(PROFIL_WAIT, &request));
}

PROFIL_EXPORT int profil_session_describe(profil_session *session, profil_describe *describe)
{
	const Caller caller;

	return caller.answer(session->device.sized(PROFIL_DESCRIBE, describe));
}

PROFIL_EXPORT int profil_session_finish(profil_session *session, uint32_t profile)
{
	const Caller caller;

	return caller.answer(profile ? session->device.stop(profile, nullptr, PROFIL_STOP_KEEP) : ENOENT);
}

PROFIL_EXPORT int profil_session_stop(profil_session *session, uint32_t profile)
{
	const Caller caller;
	/* Number 0 is the calling process's own profile, which belongs to no session. */
	const int error = profile ? session->device.stop(profile, nullptr) : ENOENT;

	if (!error)
		session->forget(profile);
	return caller.answer(error);
}

PROFIL_EXPORT int profil_get_status(profil_session *session, uint32_t profile, profil_status *status)
{
	const Caller caller;

	return caller.answer(profile ? session->device.status(profile, status) : ENOENT);
}

PROFIL_EXPORT void *profil_counters_alloc(size_t bytes)
{
	const Caller caller;
	void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return caller.answer(memory == MAP_FAILED ? errno : 0) ? nullptr : memory;
}

PROFIL_EXPORT void profil_counters_free(void *counters, size_t bytes)
{
	const Caller caller;

	if (counters)
		munmap(counters, bytes);
	(void)caller.answer(0);
}

PROFIL_EXPORT uint64_t profil_counter_read(const profil_region *region, size_t index)
{
	return read_counter(*region, index);
}

PROFIL_EXPORT int64_t profil_counter_index(const profil_region *region, uint64_t pc)
{
	return counter_index(*region, pc);
}

PROFIL_EXPORT int profil_all_stop(void)
{
	const Caller caller;
	Device device;
	const int error = device.open();

	return caller.answer(error ? error : device.stop_all());
}

PROFIL_EXPORT char *profil_explain(int error, const char *step, char *buffer, size_t bytes)
{
	const Caller caller;

	explain(error, step, buffer, bytes);
	(void)caller.answer(0);
	return buffer;
}

} // extern "C"
