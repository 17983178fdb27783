/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Following processes: what fork, exec and exit do to profiles.
 */
#ifndef PROFIL_FOLLOW_H
#define PROFIL_FOLLOW_H

#include <linux/list.h>
#include <linux/types.h>

struct pid;
struct profil_event;
struct profil_image;
struct profil_profile;
struct profil_session;
struct task_struct;

/**
 * struct profil_watch - a process that a session follows
 * @node: in the table of watches, by @pid
 * @link: in its profile's list
 * @pending: in the session's list of what is to be reported; empty when
 *	there is nothing
 * @session: who follows it; outlives its watches
 * @profile: what its ticks count for, referenced
 * @pid: its thread group, referenced
 * @parent: with PROFIL_EVENT_FORK its parent's, referenced; or NULL
 * @what: &enum profil_event_bit, not reported yet
 *
 * All of it is guarded by profil_images_lock.  A watch is freed by a reader
 * that has reported its end, by the end of its profile, or by its session's.
 */
struct profil_watch {
	struct hlist_node node;
	struct list_head link;
	struct list_head pending;
	struct profil_session *session;
	struct profil_profile *profile;
	struct pid *pid;
	struct pid *parent;
	u32 what;
};

int profil_follow_init(void);
void profil_follow_exit(void);
struct profil_watch *profil_watch_alloc(void);
int profil_follow_publish(struct profil_image *image, struct profil_watch *watch,
			  struct profil_session *session, struct task_struct *target);
void profil_watches_remove(struct profil_session *session, struct profil_profile *profile);
unsigned int profil_watch_report(struct profil_session *session, struct profil_event *events,
				 unsigned int max);

#endif /* PROFIL_FOLLOW_H */
