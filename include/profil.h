/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil.h
 * The generic profile beneath profil(2), sprofil(2) and pcsample(2): for tools.
 *
 * Programs that want a flavour of profil(2) include that flavour's header and
 * never this one.  Tools that profile other processes, and programs that want
 * wide counters or rates that no flavour has, describe here what the kernel
 * module counts; the vocabulary (regions, counters, samples, ticks, lost) is
 * that of <linux/profil.h>, whose structures are used as they are.
 *
 * Conventions of this interface:
 *  1. A function that returns int returns 0, or -1 with errno set to one of
 *     the values listed at the head of <linux/profil.h>.  Without the module
 *     errno is ENODEV (no /dev/profil, as in a root directory without it) or
 *     ENXIO (the node is there, its driver is not); with a module whose
 *     PROFIL_ABI is not ours it is EPROTO.  A call that succeeds leaves errno
 *     as it was.
 *  2. Structures that begin with @c size have it filled in by the caller with
 *     sizeof, so that programs and libraries of different age work together;
 *     more than 4096 bytes are E2BIG.
 *  3. Nothing is thrown, printed, or kept in static buffers.
 *  4. Sessions may be used from several threads; one session by one at a time.
 *  5. Times are nanoseconds, sizes are bytes, rates are Hz, addresses are
 *     those of the process that they belong to.
 */
#ifndef PROFIL_H
#define PROFIL_H

#include <linux/profil.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this header; the library's own is profil_version(). */
#define PROFIL_VERSION "0.1.0"

/**
 * What a profile counts, and where.
 *
 * Fill it with zeroes, set @c size, then what is wanted.  The meaning, the
 * units and the limits of each member are those of struct profil_start in
 * <linux/profil.h>.
 */
struct profil_spec {
	size_t size;			/**< sizeof(struct profil_spec) */
	uint32_t flags;			/**< enum profil_flag */
	uint32_t clock;			/**< enum profil_clock */
	uint32_t limit_policy;		/**< enum profil_limit */
	uint32_t nr_regions;		/**< elements of regions */
	uint64_t period;		/**< ns of CPU time between samples */
	uint64_t limit;			/**< greatest value of a counter, or 0 */
	const struct profil_region *regions; /**< ascending, disjoint */
	void *overflow;			/**< counter for PCs in no region, or NULL */
	void *samples;			/**< array of PCs, or NULL */
	uint64_t nr_samples;		/**< elements of samples */
	uint32_t overflow_width;	/**< bytes: 2, 4, 8; 0 without overflow */
	uint32_t sample_width;		/**< bytes: 4, 8; 0 without samples */
};

/** One process to attach to, and what came of it. */
struct profil_target {
	pid_t pid;			/**< in: process, in our PID namespace; with PROFIL_THREAD a thread ID */
	int error;			/**< out: 0, or why not: an errno value */
	const char *step;		/**< out: call that failed ("perf_event_open", "PROFIL_ATTACH"), or NULL */
	const struct profil_spec *spec;	/**< in: what to count in it */
	uint32_t profile;		/**< out: number of the profile in the session */
};

/** An open /dev/profil and what is attached through it. */
struct profil_session;

/** Version of the library, "major.minor.patch". */
const char *profil_version(void);

/**
 * The true time between two ticks of a flavour's calls.
 * @param flavour "linux", "solaris", "irix", "bsd", "tru64" or "aix"; NULL: that
 *        of the plain profil(), as PROFIL_FLAVOUR in the environment has it.
 * @param period receives ns of CPU time.  (IRIX' and Linux' PROF_FAST is 1 ms;
 *        sprofil() tells its own.)
 * @return 0, or -1 with errno EINVAL (no such flavour), EFAULT (period is NULL).
 */
int profil_flavour_period(const char *flavour, uint64_t *period);

/**
 * Ask the module what it can do for this caller.
 * @param info size set; the rest is filled in.
 * @return 0, or -1 with errno: ENODEV, ENXIO, EPROTO, EACCES, EMFILE, EINVAL.
 */
int profil_get_info(struct profil_info *info);

/**
 * Profile the calling process, all its threads, from now on.
 *
 * Replaces its present profile.  The counters must stay where they are until
 * profil_self_stop() has returned.  Needs no privilege, keeps no descriptor
 * open, and goes on in a process that closes all of them or changes its root
 * directory; but to stop it, /dev/profil must be there.  Async-signal-safe.
 *
 * @param spec what to count.
 * @param stored if not NULL: the PCs that the replaced profile had stored.
 * @return 0, or -1 with errno; a profile that was on goes on then.
 */
int profil_self_start(const struct profil_spec *spec, uint64_t *stored);

/**
 * End the calling process's profile; no error if there is none.
 *
 * After it has returned the counters are not written any more.
 * Async-signal-safe.
 *
 * @param stored if not NULL: the PCs it had stored.
 */
int profil_self_stop(uint64_t *stored);

/** Status of the calling process's profile.  @param status size set. */
int profil_self_get_status(struct profil_status *status);

/**
 * Open a session: the owner of attached profiles.
 * @return the session, or NULL with errno set.  Ends with
 *         profil_session_close(), or with the process.
 */
struct profil_session *profil_session_open(void);

/** Detach everything and free the session; NULL is ignored. */
void profil_session_close(struct profil_session *session);

/**
 * The session's descriptor, for poll(2): readable when profil_session_events()
 * has something to tell.  Belongs to the session.
 */
int profil_session_fd(const struct profil_session *session);

/**
 * Attach to many processes with one io_uring submission.
 *
 * For each target a perf event is opened on it as the proof that the caller
 * may profile it (perf_event_open(2), perf_event_paranoid), the profile is
 * made, and the event is closed again.  Takes at most half of RLIMIT_NOFILE at
 * a time, so many targets go in batches.
 * Falls back to ioctl(2) where io_uring is forbidden.  Attaching again to a
 * process that this session already profiles moves it to the new profile
 * without losing or doubling a sample.
 *
 * @param session the owner.
 * @param targets in: pid and spec of each; out: profile, error, step.
 * @param nr elements of targets.
 * @return number of targets attached, 0 to nr, whose error is 0; -1 with errno
 *         if nothing could be tried.
 */
ssize_t profil_attach(struct profil_session *session, struct profil_target *targets, size_t nr);

/** Replace the regions of a profile; every tick sees the old or the new ones. */
int profil_set_regions(struct profil_session *session, uint32_t profile,
		       const struct profil_region *regions, uint32_t nr_regions);

/** End one profile of the session.  @param stored as in profil_self_stop(). */
int profil_detach(struct profil_session *session, uint32_t profile, uint64_t *stored);

/** Status of one profile of the session.  @param status size set. */
int profil_get_status(struct profil_session *session, uint32_t profile, struct profil_status *status);

/**
 * What happened to followed processes: fork, exec, exit.  Never waits.
 * @param events room for nr of them.
 * @return number of events, 0 when nothing happened, or -1 with errno.
 */
ssize_t profil_session_events(struct profil_session *session, struct profil_event *events, size_t nr);

/**
 * Zeroed, page-aligned memory of its own mapping, for counters or samples.
 * @return the memory, or NULL with errno ENOMEM, or EINVAL for 0 bytes.
 */
void *profil_counters_alloc(size_t bytes);

/** Give back what profil_counters_alloc() returned for the same size. */
void profil_counters_free(void *counters, size_t bytes);

/**
 * Read one counter while it is being counted.
 * @param region whose buffer is in our memory.
 * @param index below bytes / width.
 * @return its value; 0 when index is out of range.
 */
uint64_t profil_counter_read(const struct profil_region *region, size_t index);

/**
 * Index of the counter that a PC increments, by the module's own arithmetic.
 * @return the index, or -1 when the PC is not counted in this region.
 */
int64_t profil_counter_index(const struct profil_region *region, uint64_t pc);

/** End every profile on the machine (CAP_SYS_ADMIN), so that the module can be unloaded. */
int profil_all_stop(void);

/**
 * An error of this interface in words, with the next step for the reader.
 * @param error errno value.
 * @param step call that failed, as in struct profil_target, or NULL.
 * @param buffer receives the text, always terminated.
 * @param bytes size of buffer.
 * @return buffer.
 */
char *profil_explain(int error, const char *step, char *buffer, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_H */
