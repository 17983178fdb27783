/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A watch: a process that a session follows.
 *
 * Context: tracepoint probe
 */
#ifndef PROFIL_WATCH_H
#define PROFIL_WATCH_H

#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

#define PROFIL_WATCH_BITS	12

struct pid;
struct profil_event;
struct profil_binding;
struct profil_profile;
struct profil_user;
struct task_struct;

/**
 * struct profil_follower - the part of a session that follows processes
 * @pending: watches with something to report; guarded by profil_bindings_lock
 * @user: the account that is charged for watches: of the user who opened the file
 * @reader: serialises read(2), and keeps it out while watches are removed
 * @wait: readers and pollers
 * @wake: wakes them for the probes, which must not take a sleeping lock
 */
struct profil_follower {
	struct list_head pending;
	struct profil_user *user;
	struct mutex reader;	/* see the kernel-doc above */
	wait_queue_head_t wait;
	struct irq_work wake;
};

/**
 * struct profil_watch - a process that a session follows
 * @node: in the table of watches, by @pid
 * @link: in its profile's list
 * @pending: in the follower's list of watches to report; empty if there is nothing
 *	to report
 * @follower: of the session that follows it; outlives its watches
 * @profile: the profile that its ticks count for, referenced
 * @pid: its thread group, referenced
 * @parent: with PROFIL_EVENT_FORK the parent's thread group, referenced; or NULL
 * @what: &enum profil_event_bit, not reported yet
 *
 * All of it is guarded by profil_bindings_lock.  A watch is freed by the reader
 * that reports the process's end, or with its profile or session.
 */
struct profil_watch {
	struct hlist_node node;
	struct list_head link;
	struct list_head pending;
	struct profil_follower *follower;
	struct profil_profile *profile;
	struct pid *pid;
	struct pid *parent;
	u32 what;
};

/* Guarded by profil_bindings_lock. */
extern struct hlist_head profil_watches[1 << PROFIL_WATCH_BITS];

static inline struct hlist_head *profil_watch_bucket(const struct pid *pid)
{
	return &profil_watches[hash_ptr(pid, PROFIL_WATCH_BITS)];
}

/* Without the lock: a watch that is missed here was added after the event. */
static inline bool profil_watched(const struct pid *pid)
{
	return !hlist_empty(profil_watch_bucket(pid));
}

struct profil_watch *profil_watch_alloc(void);
struct profil_watch *profil_watch_find(const struct profil_follower *follower,
				       const struct pid *pid, unsigned int *count);
void profil_watch_add(struct profil_watch *watch, struct profil_follower *follower,
		      struct profil_profile *profile, struct pid *pid);
void profil_watch_note(struct profil_watch *watch, u32 what);
int profil_watch_publish(struct profil_binding *binding, struct profil_watch *watch,
			 struct profil_follower *follower, struct task_struct *target);
void profil_watches_remove(struct profil_follower *follower, struct profil_profile *profile);
unsigned int profil_watches_report(struct profil_follower *follower, struct profil_event *events,
				   unsigned int max);

#endif /* PROFIL_WATCH_H */
