/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file profil.h
 * The generic profile beneath profil(2), sprofil(2) and pcsample(2), for tools.
 *
 * Programs that use a flavour of profil(2) include that flavour's header instead.
 * This header is for tools that profile other processes, and for programs that
 * need wide counters or rates that no flavour offers.  It uses the terms (regions,
 * counters, samples, ticks, lost) and the structures of <linux/profil.h>.
 *
 * Conventions of this interface:
 *  1. A function that returns int returns 0, or -1 with errno set to one of
 *     the values listed at the head of <linux/profil.h>.  Without the module
 *     errno is ENODEV (no /dev/profil, for example in a chroot without it) or
 *     ENXIO (the node exists, but its driver does not).  EPROTO means that the
 *     module's PROFIL_ABI differs from the library's.  A call that succeeds
 *     leaves errno unchanged.
 *  2. Where a structure begins with @c size, the caller sets that member to the
 *     sizeof of the structure, so that programs and libraries of different versions
 *     work together.  A size above 4096 is E2BIG.
 *  3. Nothing is thrown, printed, or kept in static buffers.
 *  4. Threads may use different sessions at the same time, but not the same one.
 *  5. Times are in nanoseconds, sizes in bytes, rates in Hz.  Addresses are those
 *     of the process they belong to.
 */
#ifndef PROFIL_H
#define PROFIL_H

#include <linux/perf_event.h>
#include <linux/profil_record.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this header; profil_version() returns the library's. */
#define PROFIL_VERSION "0.1.0"

/**
 * What a profile counts, and where.
 *
 * Zero it, set @c size, then set the members you need.  Each member has the
 * meaning, unit and limits that struct profil_start in <linux/profil.h> gives.
 */
struct profil_spec {
	size_t size;			     /**< sizeof(struct profil_spec) */
	uint32_t flags;			     /**< enum profil_flag */
	uint32_t clock;			     /**< enum profil_clock */
	uint32_t limit_policy;		     /**< enum profil_limit */
	uint32_t nr_regions;		     /**< number of regions */
	uint64_t period;		     /**< ns of CPU time between samples */
	uint64_t limit;			     /**< greatest value of a counter; 0: its maximum */
	const struct profil_region *regions; /**< ascending, disjoint */
	void *overflow;			     /**< counter for PCs in no region, or NULL */
	void *samples;			     /**< array of PCs, or NULL */
	uint64_t nr_samples;		     /**< number of elements of samples */
	uint32_t overflow_width;	     /**< bytes: 2, 4, 8; 0 without overflow */
	uint32_t sample_width;		     /**< bytes: 4, 8; 0 without samples */
};

/** One process to add to a recording, and the result. */
struct profil_target {
	pid_t pid;	  /**< in: process ID in the caller's PID namespace; with PROFIL_THREAD a thread ID */
	int error;	  /**< out: 0, or an errno value */
	const char *step; /**< out: the call that failed ("perf_event_open", "PROFIL_ADD"), or NULL */
};

/** An open /dev/profil and its recordings. */
struct profil_session;

/** Version of the library, "major.minor.patch". */
const char *profil_version(void);

/**
 * Get the CPU time between two ticks of a flavour's profil().
 * @param flavour "linux", "solaris", "irix", "bsd", "tru64" or "aix"; NULL: the
 *        flavour of the plain profil(), which PROFIL_FLAVOUR in the environment sets.
 * @param period receives ns of CPU time.  (PROF_FAST on IRIX and Linux is 1 ms;
 *        sprofil() reports its own period.)
 * @return 0, or -1 with errno EINVAL (no such flavour), EFAULT (period is NULL).
 */
int profil_flavour_period(const char *flavour, uint64_t *period);

/**
 * Get the module's limits and abilities, as they apply to this caller.
 * @param info the caller sets size; the rest is filled in.
 * @return 0, or -1 with errno: ENODEV, ENXIO, EPROTO, EACCES, EMFILE, EINVAL.
 */
int profil_get_info(struct profil_info *info);

/**
 * Profile the calling process, with all its threads, from now on.
 *
 * Replaces the process's current profile.  The counters must stay mapped until
 * profil_self_stop() has returned.  Needs no privilege and keeps no descriptor
 * open.  If the process later closes all its descriptors or changes its root
 * directory, the profile continues, and profil_self_stop() still ends it.
 * Async-signal-safe.
 *
 * @param spec what to count.
 * @param stored if not NULL, receives the number of PCs that the replaced profile
 *        had stored.
 * @return 0, or -1 with errno; the previous profile then continues.
 */
int profil_self_start(const struct profil_spec *spec, uint64_t *stored);

/**
 * End the calling process's profile.  It is not an error if there is none.
 *
 * When this returns, the counters are no longer written.  Ending a profile that the library has
 * started needs no descriptor, and, with glibc in a process with one thread, no system call.
 * Async-signal-safe.
 *
 * @param stored if not NULL, receives the number of PCs that the profile had stored.
 * @return 0, always.
 */
int profil_self_stop(uint64_t *stored);

/** Get the status of the calling process's profile.  @param status the caller sets size. */
int profil_self_get_status(struct profil_status *status);

/**
 * Open a session, which owns recordings.
 * @return the session, or NULL with errno set.  It ends with
 *         profil_session_close(), or with the process.
 */
struct profil_session *profil_session_open(void);

/** End all recordings and free the session; NULL is ignored. */
void profil_session_close(struct profil_session *session);

/**
 * The session's descriptor, for poll(2), which reports POLLPRI after profil_session_wait().  The
 * session owns the descriptor.
 */
int profil_session_fd(const struct profil_session *session);

/**
 * Begin a recording of a process or of the whole system.
 *
 * A recording counts by file, and needs neither regions nor a reaction to exec or
 * dlopen(3): see <linux/profil_record.h>.  The caller may read its table at any time.
 * profil_session_stop() or profil_session_finish() ends it.
 *
 * @param session the owner.
 * @param pid the process; ignored with PROFIL_RECORD_SELF, which needs no permission, and with
 *        PROFIL_RECORD_EVERYBODY, which needs CAP_PERFMON or perf_event_paranoid 0.
 * @param record in: size, flags, clock, period, table (from profil_counters_alloc()) and
 *        nr_counts.  The rest is 0; the library fills in proof.  out: profile.
 * @param step if not NULL, receives the call that failed ("perf_event_open",
 *        "PROFIL_RECORD"), or NULL.
 * @return 0, or -1 with errno.
 */
int profil_session_record(struct profil_session *session, pid_t pid, struct profil_record *record,
			  const char **step);

/**
 * Add many processes (with PROFIL_THREAD, threads) to a recording, with one io_uring submission
 * for each batch.
 *
 * For each target the library opens a perf event like the recording's, which proves that the
 * caller may record the target (perf_event_open(2), perf_event_paranoid), adds the target, and
 * closes the event.  If the caller has CAP_PERFMON, and the recording's ticks come from a clock,
 * all targets share an event on a CPU instead.  A batch has at most 128 targets, and uses at most
 * half of RLIMIT_NOFILE.  Falls back to ioctl(2) where io_uring is forbidden, and in the library
 * for i386.
 *
 * @param session the owner.
 * @param profile number of a recording that profil_session_record() or
 *        profil_session_record_event() has begun in this session.
 * @param targets in: pid of each; out: step, and error, which is EEXIST if the recording already
 *        has the process.
 * @param nr number of targets.
 * @return the number of targets that were added (their error is 0), 0 to nr; -1 with errno
 *         ENOENT if there is no such recording, EINVAL if it is a system-wide one or one of
 *         PROFIL_RECORD_SELF, EFAULT if targets is NULL.
 */
ssize_t profil_session_add(struct profil_session *session, uint32_t profile, struct profil_target *targets,
			   size_t nr);

/**
 * Begin a recording whose ticks come from an event instead of a clock: page faults, cache
 * misses, writes to a variable.  Otherwise the same as profil_session_record().
 *
 * @param session the owner.
 * @param pid as for profil_session_record().
 * @param event the event, as for perf_event_open(2).  Only type, config, config1, config2,
 *        bp_type, precise_ip, exclude_user and exclude_kernel are used.  The event is counted
 *        on every CPU, so all but software events need CAP_PERFMON.  With exclude_user,
 *        @p record needs PROFIL_RECORD_KERNEL.
 * @param record as for profil_session_record(), except that its period is a number of events.
 * @param step as for profil_session_record().
 * @return 0, or -1 with errno: EPERM if the event needs CAP_PERFMON, and the caller lacks it.
 */
int profil_session_record_event(struct profil_session *session, pid_t pid,
				const struct perf_event_attr *event, struct profil_record *record,
				const char **step);

/**
 * Make a recording count in another table.  Afterwards the old one no longer changes: it may be
 * read, and then freed.
 * @param session the owner.
 * @param profile number of the recording.
 * @param table from profil_counters_alloc(), in the same process as the old one.
 * @param nr_counts number of its elements, a power of two from 256 to 2^28.
 * @return 0, or -1 with errno: ENOENT if the recording has ended, EPERM, EINVAL, ENOMEM, EDQUOT, EFAULT.
 */
int profil_session_table(struct profil_session *session, uint32_t profile, void *table, uint32_t nr_counts);

/**
 * Arm the wake-up: poll(2) of profil_session_fd() then reports POLLPRI as struct profil_wait says.
 * @param session the owner.
 * @param profile number of the recording.
 * @param keys number of new keys in its table to wait for, from 1 to 2^31 - 1.
 * @return 0, or -1 with errno: ENOENT if the recording has ended, EINVAL.
 */
int profil_session_wait(struct profil_session *session, uint32_t profile, uint32_t keys);

/**
 * Report what a number (an ID) in a recording stands for: a text, an owner, a cell or a module.
 * With PROFIL_DESCRIBE_OPEN, also open the file: the number must stand for one.
 * @param describe in and out, as struct profil_describe says.
 * @return 0, or -1 with errno.
 */
int profil_session_describe(struct profil_session *session, struct profil_describe *describe);

/**
 * End a recording, but keep its numbers for profil_session_describe(), and its status,
 * until profil_session_stop() or the end of the session.
 * @return 0, or -1 with errno: ENOENT, EDQUOT.
 */
int profil_session_finish(struct profil_session *session, uint32_t profile);

/** End one recording of the session, and forget its numbers.  @return 0, or -1 with errno: ENOENT. */
int profil_session_stop(struct profil_session *session, uint32_t profile);

/** Get the status of one recording of the session.  @param status the caller sets size. */
int profil_get_status(struct profil_session *session, uint32_t profile, struct profil_status *status);

/**
 * Map zeroed, page-aligned memory for counters or samples.
 * @return the memory, or NULL with errno ENOMEM, or EINVAL for 0 bytes.
 */
void *profil_counters_alloc(size_t bytes);

/** Free memory that profil_counters_alloc() returned for the same size. */
void profil_counters_free(void *counters, size_t bytes);

/**
 * Read one counter while the module may be incrementing it.
 * @param region the region; its buffer is in the caller's memory.
 * @param index number of the counter, below bytes / width.
 * @return its value; 0 if index is out of range.
 */
uint64_t profil_counter_read(const struct profil_region *region, size_t index);

/**
 * Index of the counter that a PC increments, computed as the module does.
 * @return the index, or -1 if the PC is not counted in this region.
 */
int64_t profil_counter_index(const struct profil_region *region, uint64_t pc);

/** End every profile on the machine, so that the module can be unloaded.  Needs CAP_SYS_ADMIN. */
int profil_all_stop(void);

/**
 * Describe an error of this interface, and what to do about it.
 * @param error errno value.
 * @param step the call that failed, as in struct profil_target, or NULL.
 * @param buffer receives the text, always terminated.
 * @param bytes size of buffer.
 * @return buffer.
 */
char *profil_explain(int error, const char *step, char *buffer, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_H */
