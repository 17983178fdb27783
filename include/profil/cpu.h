/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil/cpu.h
 * A program profiles itself: CPU profiles, in the format of pprof.
 *
 *	profil_cpu_start(NULL);
 *	work();
 *	profil_cpu_stop();
 *	profil_cpu_write(fd);
 *
 * The kernel module counts where the process's threads, present and future, spend their CPU time,
 * in user mode and in system calls.  This needs no privilege, no signal, no timer and no thread, and
 * works at every perf_event_paranoid.  In the program, profiling runs code only in these functions.
 *
 * A file has the addresses of each object, with its build-id.  `profil report` reads the names from
 * the objects, and so do `go tool pprof` and servers of profiles.
 *
 * All functions may be called from any thread and from signal handlers, which need 24 KiB of stack.
 * They return 0, or -1 with errno; profil_explain() says what an error means.  Without the module,
 * profil_cpu_start() fails with ENODEV or ENXIO, and the others find no profile, so a program can
 * always be linked with this library (-lprofil).
 *
 * A process has one CPU profile for each copy of this library.  It does not disturb profil(2).  A
 * child made by fork has none, until it starts one itself.
 */
#ifndef PROFIL_CPU_H
#define PROFIL_CPU_H

#include <linux/profil.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of profil_cpu_options.flags. */
enum profil_cpu_flag {
	/** Also count in children made by fork, until they execute a program. */
	PROFIL_CPU_CHILDREN = 1,
	/** Count only in threads that call profil_cpu_thread(), up to 64; the caller is the first. */
	PROFIL_CPU_THREADS = 2
};

/** What profil_cpu_start() counts.  Zero it, set @c size, then set the members you need. */
struct profil_cpu_options {
	size_t size;	/**< sizeof(struct profil_cpu_options) */
	uint32_t flags; /**< enum profil_cpu_flag */
	uint32_t hz;	/**< samples per second of CPU time, of each CPU; 0: 100 */
	/**
	 * Number of instructions for which there is room at first, a power of two from 256 to 2^28;
	 * 0: 16384.  Each takes 16 bytes of locked memory, twice while the profile is written.  If
	 * the user may lock less, there is less room.  If half of it was used at a
	 * profil_cpu_write(), there is twice as much from the next one on.  Samples without room
	 * count as lost_full.
	 */
	uint32_t places;
	uint32_t reserved; /**< 0 */
};

/**
 * Start a profile, without the samples of an earlier one.
 * @param options what to count, or NULL.
 * @return 0, or -1 with errno: EALREADY (a profile is running or paused), EINVAL, ERANGE (hz is
 *         above what this user may have), ENODEV, ENXIO (no module), ENOMEM, EBUSY or EDQUOT (a
 *         limit is reached), EMFILE.
 */
int profil_cpu_start(const struct profil_cpu_options *options);

/**
 * Stop the profile.  Its samples are kept for profil_cpu_write() until the next start.  It is not
 * an error if none is running.
 * @return 0, or -1 with errno ENOMEM or EDQUOT: nothing is lost; call again.
 */
int profil_cpu_stop(void);

/** Stop counting until profil_cpu_resume().  @return as profil_cpu_stop(). */
int profil_cpu_pause(void);

/**
 * Count again, in the profile that was paused.  With PROFIL_CPU_THREADS, each thread has to ask again.
 * @return 0, or -1 with errno: ENOENT (no profile is running or paused), or one of profil_cpu_start().
 */
int profil_cpu_resume(void);

/**
 * With PROFIL_CPU_THREADS: also count in the calling thread.
 * @return 0, or -1 with errno: ENOENT (no profile is running), EINVAL (the profile is one of all
 *         threads), EEXIST (the thread is already counted), EBUSY (there are 64).
 */
int profil_cpu_thread(void);

/**
 * Write all samples since the start, while the profile runs or later, as an uncompressed pprof
 * file.
 * @param fd where to; it may be a pipe or a socket, and must not be in non-blocking mode.
 * @return 0, or -1 with errno: ENOENT (no profile was started), ENOMEM, or an error of write(2).
 */
int profil_cpu_write(int fd);

/**
 * Account for every tick since the start: what was counted and what was lost.
 * @param status the caller sets size.  period and state are those of the last start or resume.
 * @return 0, or -1 with errno: ENOENT (no profile was started), EINVAL, E2BIG, EFAULT.
 */
int profil_cpu_get_status(struct profil_status *status);

#ifdef __cplusplus
}

#include <cerrno>

/** Profiles a scope of a C++ program: starts when it is made, and stops when it is destroyed. */
class profil_cpu_scope {
public:
	explicit profil_cpu_scope(uint32_t hz = 0, uint32_t flags = 0) noexcept
	{
		profil_cpu_options options = {sizeof options, flags, hz, 0, 0};

		error_ = profil_cpu_start(&options) ? errno : 0;
	}
	profil_cpu_scope(const profil_cpu_scope &) = delete;
	profil_cpu_scope &operator=(const profil_cpu_scope &) = delete;
	~profil_cpu_scope()
	{
		if (!error_)
			(void)profil_cpu_stop();
	}

	/** 0, or the errno value with which the start has failed. */
	int error() const noexcept { return error_; }

	/** As profil_cpu_write(); fails with the start's error if that failed. */
	int write(int fd) const noexcept
	{
		if (!error_)
			return profil_cpu_write(fd);
		errno = error_;
		return -1;
	}

private:
	int error_;
};
#endif

#endif /* PROFIL_CPU_H */
