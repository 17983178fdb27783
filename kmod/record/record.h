/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings.
 *
 * Context: tracepoint probe
 */
#ifndef PROFIL_RECORD_H
#define PROFIL_RECORD_H

#include "profile/recording.h"

struct callback_head;
struct file;
struct mm_struct;
struct pid;
struct pid_namespace;
struct profil_hit;
struct profil_hits;
struct profil_profile;
struct profil_question;
struct profil_record;
struct profil_start;
struct task_struct;

/* owner.c */
void profil_owner_refresh(struct profil_recording *recording, struct profil_entry *owner);
struct profil_owned profil_owner_task(struct profil_recording *recording, struct task_struct *task,
				      struct file *program, u32 parent, struct profil_pool *pool,
				      unsigned long payer);
struct profil_owned profil_owner_fork(struct profil_recording *recording,
				      struct profil_owned owned, const struct pid *pid,
				      struct task_struct *child);
u32 profil_owner_end(struct profil_recording *recording, struct profil_owned owned,
		     const struct pid *pid, bool look);

/* begin.c */
int profil_recording_check_table(u64 table, u32 nr_counts, struct profil_start *start);
int profil_recording_check(const struct profil_record *record, struct profil_start *start);
struct profil_recording *profil_recording_create(const struct profil_record *record,
						 struct pid_namespace *ns);
int profil_recording_bind(struct profil_profile *profile, struct mm_struct *mm,
			  struct profil_owned owned, struct pid *process,
			  struct profil_binding *binding);
u64 profil_recording_life(const struct profil_profile *profile, const struct mm_struct *mm);
struct profil_watch *profil_meet_process(struct profil_bucket *bucket,
					 struct profil_profile *profile, struct pid *pid,
					 struct profil_owned owned, struct profil_watch *watch);
struct profil_owned profil_meet_task(struct profil_profile *profile, struct task_struct *task,
				     struct mm_struct *mm, unsigned long payer);
int profil_recording_move(struct profil_profile *profile, const struct profil_start *start);

/* resolve.c */
void profil_resolve_count(const struct profil_question *question, u32 cell, u64 offset);
bool profil_resolve_call(struct profil_question *question, u64 pc);
void profil_resolve_work(struct callback_head *work);

/* space.c */
struct profil_hits *profil_space_alloc(const struct profil_profile *profile, unsigned long payer);
u32 profil_space_recall(struct profil_hits *hits, const struct profil_identity *text, u32 owner,
			u32 forgets, u32 number, const struct profil_hit *hit);

/* unmet.c */
int profil_unmet_init(void);
void profil_unmet_exit(void);

/* modules.c */
void profil_modules_begin(struct profil_recording *recording);
int profil_modules_init(void);
void profil_modules_exit(void);

/* watch.c */
void profil_watches_init(void);
struct profil_watch *profil_watch_find(const struct profil_bucket *bucket,
				       const struct profil_profile *profile,
				       const struct pid *pid);
struct profil_watch *profil_watch_add(struct profil_bucket *bucket,
				      struct profil_profile *profile, struct pid *pid,
				      struct profil_owned owned, struct profil_watch *memory);
void profil_watch_exit(struct profil_watch *watch);
int profil_watch_publish(struct profil_binding *binding, struct profil_watch *watch,
			 struct task_struct *target);
void profil_watch_remove(struct profil_watch *watch);
void profil_watches_begin(struct profil_recording *recording);
void profil_watches_remove(struct profil_recording *recording);

/* pool.c */
/*
 * This many nodes of a pool are for probes alone: if a tick finds no memory, a later tick can try
 * again.  A recording that follows forks begins with more nodes, so that the pool is filled before
 * ticks find no memory.
 */
#define PROFIL_POOL_PROBES	48

int profil_recording_fill(struct profil_recording *recording, bool forks);
void profil_recording_refill(struct profil_recording *recording);
void *profil_recording_take(struct profil_recording *recording, unsigned long payer, int keep);
void *profil_meet_alloc(const struct profil_profile *profile, size_t bytes, unsigned long payer);
void profil_meet_fill(const struct profil_profile *profile, struct profil_pool *pool,
		      unsigned long payer);

#endif /* PROFIL_RECORD_H */
