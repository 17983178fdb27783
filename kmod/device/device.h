/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /dev/profil: the device and its file operations.
 *
 * Context: process
 */
#ifndef PROFIL_DEVICE_H
#define PROFIL_DEVICE_H

#include "record/record.h"

#include <linux/poll.h>
#include <linux/xarray.h>

struct attribute_group;
struct file;
struct mm_struct;
struct perf_event;
struct profil_profile;
struct seq_file;
struct task_struct;

/* The structure of a command: a copy, zero beyond the caller's size. */
union profil_argument {
	u32 size;
	struct profil_info info;
	struct profil_start start;
	struct profil_stop stop;
	struct profil_status status;
	struct profil_stop_all stop_all;
	struct profil_record record;
	struct profil_add add;
	struct profil_table table;
	struct profil_wait wait;
	struct profil_describe describe;
};

/**
 * struct profil_session - the state of an open file
 * @id: never reused while the module is loaded; fdinfo shows it, because processes can share the
 *      file
 * @profiles: the session's recordings by number, each referenced; has a lock of its own
 * @ns: the PID namespace in which processes are reported: the opener's, referenced
 * @wait: pollers
 * @news: the reader's wake-up; lets probes and ticks, which must not sleep, wake @wait
 */
struct profil_session {
	u64 id;
	struct xarray profiles;
	struct pid_namespace *ns;
	wait_queue_head_t wait;
	struct profil_news news;
};

struct profil_session *profil_session_create(void);
void profil_session_end(struct profil_session *session);
struct profil_profile *profil_session_find(struct profil_session *session, u32 id);
int profil_session_stop(struct profil_session *session, struct profil_stop *stop);
int profil_session_status(struct profil_session *session, struct profil_status *status);
__poll_t profil_session_poll(struct profil_session *session, struct file *file,
			     struct poll_table_struct *table);

/**
 * struct profil_proof - a perf event that proves a permission
 * @file: the event's file, referenced; NULL if the caller records itself, which needs no event
 * @event: the event, or NULL
 * @target: the event's task, which the event keeps from being freed; NULL: all tasks
 * @named: @target is not the event's task, but the caller, or a task that the caller of a
 *	system-wide event has named; referenced
 */
struct profil_proof {
	struct file *file;
	struct perf_event *event;
	struct task_struct *target;
	bool named;
};

int profil_proof_open(struct profil_proof *proof, int fd, u32 flags, bool kernel, pid_t thread);
int profil_proof_self(struct profil_proof *proof, bool thread);
void profil_proof_close(struct profil_proof *proof);
struct mm_struct *profil_proof_enter(struct profil_proof *proof);
void profil_proof_leave(struct profil_proof *proof, struct mm_struct *mm);

/* device.c */
int profil_device_init(void);
void profil_device_exit(void);

/* attach.c */
int profil_session_record(struct profil_session *session, union profil_argument *arg);
int profil_session_add(struct profil_session *session, union profil_argument *arg);
int profil_session_table(struct profil_session *session, union profil_argument *arg);
int profil_session_wait(struct profil_session *session, union profil_argument *arg);

/* describe.c */
int profil_session_describe(struct profil_session *session, union profil_argument *arg);
void profil_describe_undo(struct profil_session *session, const union profil_argument *arg);

/* show.c */
extern const struct attribute_group *profil_sysfs_groups[];
void profil_fdinfo_show(struct seq_file *to, struct profil_session *session);

#endif /* PROFIL_DEVICE_H */
