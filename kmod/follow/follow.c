// SPDX-License-Identifier: GPL-2.0-only
/*
 * Following processes: the probes on fork, exec and exit.
 *
 * The probes run with preemption off (on 6.1 and 6.12), so they allocate nothing
 * and free nothing.  They take nodes from pools that are filled in process context;
 * losses due to an empty pool are counted.  Freeing is left to process context or RCU.
 *
 * Context: tracepoint probe
 */
#include "follow/follow.h"

#include "compat.h"
#include "record/record.h"
#include "self/self.h"
#include "source/source.h"

#include <linux/binfmts.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

/*
 * Count a child, or a program, as lost, unless the recording is over (-ENOENT), or the process was
 * added between the event and this probe (-EEXIST).
 */
static void profil_follow_lost(struct profil_profile *profile, int err)
{
	/* A system-wide recording loses nothing: it adds the process at a later tick. */
	if (!err || err == -ENOENT || err == -EEXIST || profile->everybody)
		return;
	atomic_inc(&profile->forks_lost);
	atomic64_inc(&profil_totals.forks_lost);
}

static void profil_fork_self(struct mm_struct *mm, struct task_struct *child)
{
	struct profil_bucket *bucket = profil_binding_bucket(mm);
	struct profil_binding *binding;

	raw_spin_lock(&bucket->lock);
	hlist_for_each_entry(binding, &bucket->chain, node)
		if (binding->mm == mm && !binding->profile->session &&
		    binding->profile->flags & PROFIL_FOLLOW)
			profil_self_fork(binding->profile, child);
	raw_spin_unlock(&bucket->lock);
}

/*
 * Only a watch notices when a process executes a program that the reader may not see.  So a child
 * without a watch gets no owner of its own.
 */
static void profil_fork_watch(struct profil_watch *watch, struct task_struct *child,
			      struct profil_bucket *bucket)
{
	struct profil_profile *profile = watch->profile;
	struct profil_recording *recording = profile->recording;
	struct profil_owned owned = recording->processes ? PROFIL_NOBODY : watch->owned;
	bool bind = child->mm != current->mm && !profile->everybody;
	struct profil_binding *binding = NULL;
	struct profil_watch *copy;
	int err = 0;

	/* The child was added between its fork and this probe. */
	if (profil_watch_find(bucket, profile, task_tgid(child)))
		return;
	/* Take the binding's memory first: a binding alone is enough to count the child's ticks. */
	if (bind)
		binding = profil_recording_take(recording, profil_payer(), 0);
	copy = profil_watch_add(bucket, profile, task_tgid(child), PROFIL_NOBODY, NULL);
	if (!IS_ERR(copy)) {
		owned = profil_owner_fork(recording, watch->owned, watch->pid, child);
		profil_owned_write(&copy->owned, owned);
	}
	if (bind)
		err = profil_recording_bind(profile, child->mm, owned, NULL, binding);
	profil_follow_lost(profile, PTR_ERR_OR_ZERO(copy) ?: err);
}

/* Find the owner of the ticks of @task, which is current.  @mm: its address space. */
static struct profil_owned profil_follow_owner(struct profil_recording *recording,
					       struct task_struct *task, struct mm_struct *mm,
					       u32 parent)
{
	struct file *program = profil_exe_file(mm);
	struct profil_owned owned;

	owned = profil_owner_task(recording, task, program, parent, &recording->pool,
				  profil_payer());
	if (program)
		fput(program);
	return owned;
}

/* Add a process to the system-wide recordings that do not follow it, as it has had no tick yet. */
static void profil_follow_meet(struct task_struct *task, struct profil_bucket *bucket)
{
	struct pid *pid = task_tgid(task);
	struct profil_recording *recording;
	struct profil_profile *profile;
	struct profil_watch *watch;
	u32 met = 0;

	hlist_for_each_entry(watch, &bucket->chain, node)
		if (watch->pid == pid)
			met |= profil_everybody_bit(watch->profile);
	while ((profile = profil_everybody_next(&met))) {
		recording = profile->recording;
		watch = profil_meet_process(bucket, profile, pid, PROFIL_NOBODY, NULL);
		if (watch)
			profil_owned_write(&watch->owned,
					   profil_follow_owner(recording, task, task->mm, 0));
	}
}

static void profil_fork_watches(struct task_struct *parent, struct task_struct *child,
				struct profil_bucket *from)
{
	struct pid *pid = task_tgid(parent);
	struct profil_bucket *to = profil_watch_bucket(task_tgid(child));
	struct profil_watch *watch;

	profil_buckets_lock(from, to);
	if (profil_everybody_exist() && parent->mm)
		profil_follow_meet(parent, from);
	/* Copies go to the head of the child's chain, which may be the one that is walked here. */
	hlist_for_each_entry(watch, &from->chain, node)
		if (watch->pid == pid && watch->profile->flags & PROFIL_FOLLOW)
			profil_fork_watch(watch, child, to);
	profil_buckets_unlock(from, to);
}

static void profil_probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	bool memory = child->mm && child->mm != parent->mm;
	struct profil_bucket *watches = NULL;
	unsigned long flags;

	/* If the filter is still 0, a profile can start, or get a process, only after the fork. */
	memory = memory && profil_maybe_bound(parent->mm);
	/* A kernel thread's child is another kernel thread, or soon executes a program. */
	if (child->tgid != parent->tgid && !(parent->flags & PF_KTHREAD))
		watches = profil_watch_bucket(task_tgid(parent));
	if (watches && !profil_watched(watches) && !profil_everybody_exist())
		watches = NULL;
	if (!memory && !watches)
		return;
	local_irq_save(flags);
	if (watches)
		profil_fork_watches(parent, child, watches);
	if (memory)
		profil_fork_self(parent->mm, child);
	local_irq_restore(flags);
}

/* Give the new program its owner and, unless the recording is system-wide, its binding. */
static void profil_exec_bind(struct profil_watch *watch, struct mm_struct *mm)
{
	struct profil_profile *profile = watch->profile;
	struct profil_recording *recording = profile->recording;
	bool bind = !profile->everybody && !READ_ONCE(profile->retired);
	struct profil_binding *binding = NULL;
	u32 parent;

	/* As in profil_fork_watch(): without memory for an owner, the program counts for nobody. */
	if (bind)
		binding = profil_recording_take(recording, profil_payer(), 0);
	parent = profil_owner_end(recording, watch->owned, watch->pid, false);
	profil_owned_write(&watch->owned, profil_follow_owner(recording, current, mm, parent));
	if (bind)
		profil_follow_lost(profile,
				   profil_recording_bind(profile, mm, watch->owned, NULL,
							 binding));
}

/*
 * If the program runs with rights other than its caller's, or may not be read, an
 * unprivileged user must not even see that it runs.
 */
static void profil_exec_watch(struct profil_watch *watch, struct mm_struct *mm, bool secret)
{
	struct profil_profile *profile = watch->profile;

	/*
	 * Users who have CAP_PERFMON, or may record system-wide, may see every program.  A process
	 * that records itself has shown for no other program that it may.
	 */
	if (profile->recording->self || (secret && !profile->privileged && !profile->everybody)) {
		/* Nor may the reader see the program's user and cgroup. */
		profil_owner_end(profile->recording, watch->owned, watch->pid, false);
		profil_watch_remove(watch);
		return;
	}
	profil_exec_bind(watch, mm);
}

static void profil_exec_watches(struct pid *pid, struct profil_bucket *bucket,
				struct mm_struct *mm, const struct linux_binprm *bprm)
{
	bool secret = bprm->secureexec || !profil_dumpable(current, mm);
	struct profil_watch *watch;
	struct hlist_node *next;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry_safe(watch, next, &bucket->chain, node)
		if (watch->pid == pid)
			profil_exec_watch(watch, mm, secret);
	profil_follow_meet(current, bucket);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

static void profil_probe_exec(void *data, struct task_struct *task, pid_t old_pid,
			      struct linux_binprm *bprm)
{
	struct pid *pid = task_tgid(task);
	struct profil_bucket *bucket = profil_watch_bucket(pid);

	if (profil_watched(bucket) || profil_everybody_exist()) {
		profil_exec_watches(pid, bucket, task->mm, bprm);
		profil_clock_look_here();
	}
	if (atomic_read(&profil_totals.profiles))
		profil_sweep_soon();
}

static void profil_probe_exit(void *data, PROFIL_EXIT_PROTO)
{
	struct pid *pid = task_tgid(task);
	struct profil_bucket *bucket;
	struct profil_watch *watch;
	unsigned long flags;

	if (atomic_read(&task->signal->live))
		return;
	/* Pairs with smp_mb() in profil_watch_publish(). */
	smp_mb();
	bucket = profil_watch_bucket(pid);
	if (profil_watched(bucket)) {
		raw_spin_lock_irqsave(&bucket->lock, flags);
		hlist_for_each_entry(watch, &bucket->chain, node)
			if (watch->pid == pid)
				profil_watch_exit(watch);
		raw_spin_unlock_irqrestore(&bucket->lock, flags);
	}
	if (atomic_read(&profil_totals.profiles))
		profil_sweep_soon();
}

/**
 * struct probe - a probe on a tracepoint
 * @name: the tracepoint's name
 * @function: the probe
 * @point: the tracepoint, once found
 */
struct probe {
	const char *name;
	void *function;
	struct tracepoint *point;
};

static struct probe probes[] = {
	{ "sched_process_fork", profil_probe_fork },
	{ "sched_process_exec", profil_probe_exec },
	{ "sched_process_exit", profil_probe_exit },
};

/* If a kernel changes a tracepoint's arguments, the build fails here. */
static inline void profil_probes_check(void)
{
	check_trace_callback_type_sched_process_fork(profil_probe_fork);
	check_trace_callback_type_sched_process_exec(profil_probe_exec);
	check_trace_callback_type_sched_process_exit(profil_probe_exit);
}

/* Context: Process. */
static void profil_probes_unregister(unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(probes[nr].point, probes[nr].function, NULL);
	tracepoint_synchronize_unregister();
}

/**
 * profil_follow_init() - register the probes
 *
 * Context: Process context.
 * Return: 0; -ENOENT if the kernel lacks a tracepoint; or another error.
 */
int profil_follow_init(void)
{
	unsigned int i;
	int err;

	profil_probes_check();
	profil_watches_init();
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		probes[i].point = profil_tracepoint_find(probes[i].name);
		err = -ENOENT;
		if (probes[i].point)
			err = tracepoint_probe_register(probes[i].point, probes[i].function, NULL);
		if (err) {
			pr_err("cannot follow processes: %s: error %d\n", probes[i].name, err);
			profil_probes_unregister(i);
			return err;
		}
	}
	return 0;
}

/**
 * profil_follow_exit() - undo profil_follow_init()
 *
 * Context: Process context; no profiles are left.
 */
void profil_follow_exit(void)
{
	profil_probes_unregister(ARRAY_SIZE(probes));
}
