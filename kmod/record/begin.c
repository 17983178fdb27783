// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a recording begins, moves to another table of counts, and gets its processes.
 *
 * A process that is added, or forked by a followed process, is bound at once.  In a system-wide
 * recording, a process first gets a watch, which has the owner of its ticks, when it forks,
 * executes a program or has a tick.  Each of its address spaces gets a binding when a tick there
 * has to be resolved.  So a program without ticks costs a watch, and an idle process nothing.
 *
 * Context: process, except functions that say otherwise
 */
#include "record/record.h"

#include "base/limits.h"
#include "compat.h"
#include "memory/layout.h"
#include "memory/pins.h"

#include <linux/err.h>
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/memcontrol.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#define FLAGS	((u32)(PROFIL_FOLLOW | PROFIL_RECORD_EVERYBODY | \
		     PROFIL_RECORD_PROCESSES | PROFIL_RECORD_THREADS | PROFIL_RECORD_KERNEL | \
		     PROFIL_RECORD_SELF | PROFIL_EVENT | PROFIL_THREAD | \
		     PROFIL_KERNEL_TICKS))
/* What needs a proof, so a recording of the caller itself cannot have it. */
#define PROVEN_FLAGS	((u32)(PROFIL_RECORD_EVERYBODY | PROFIL_RECORD_KERNEL | PROFIL_EVENT))
/* Flags that the recording's profile has, too. */
#define PROFILE_FLAGS	((u32)(PROFIL_FOLLOW | PROFIL_EVENT | PROFIL_THREAD | PROFIL_KERNEL_TICKS))
#define COUNTS_MIN	BIT(8)
#define COUNTS_MAX	BIT(28)
/* Entries take at most one and a half times the table's memory, or 6 MiB if that is more. */
#define COUNTS_NUMBER	8
#define NUMBERS_MIN	BIT(15)
#define CHAIN_NUMBERS	16

/**
 * profil_recording_check_table() - check the caller's table of counts
 * @table: its address
 * @nr_counts: number of its elements
 * @start: receives the table, as its samples
 *
 * Context: Process context.
 * Return: 0 or -EINVAL.
 */
int profil_recording_check_table(u64 table, u32 nr_counts, struct profil_start *start)
{
	if (!is_power_of_2(nr_counts) || nr_counts < COUNTS_MIN || nr_counts > COUNTS_MAX)
		return -EINVAL;
	if (!table || !PAGE_ALIGNED(table))
		return -EINVAL;
	start->samples = table;
	start->nr_samples = (u64)nr_counts * PROFIL_COUNT_SAMPLES;
	start->sample_width = sizeof(u64);
	return 0;
}

/**
 * profil_recording_check() - check a request for a recording
 * @record: the request, from user space
 * @start: receives a request for a profile whose samples are the table of counts
 *
 * Context: Process context.
 * Return: 0 or -EINVAL.
 */
int profil_recording_check(const struct profil_record *record, struct profil_start *start)
{
	u32 flags = record->flags;

	if (flags & ~FLAGS || record->reserved)
		return -EINVAL;
	/* A child belongs to the process, not to the thread that forked it. */
	if (flags & PROFIL_THREAD && flags & (PROFIL_FOLLOW | PROFIL_RECORD_EVERYBODY))
		return -EINVAL;
	/* Time in the kernel counts at one place: in the kernel, or at the call. */
	if (flags & PROFIL_RECORD_KERNEL && flags & PROFIL_KERNEL_TICKS)
		return -EINVAL;
	if (flags & PROFIL_RECORD_SELF &&
	    (flags & PROVEN_FLAGS || record->proof != -1 || record->target))
		return -EINVAL;
	/* The target of an event is in the event itself, and a system-wide recording has none. */
	if (record->target && flags & (PROFIL_EVENT | PROFIL_RECORD_EVERYBODY))
		return -EINVAL;
	*start = (struct profil_start) {
		.size = sizeof(*start),
		.flags = (flags & PROFILE_FLAGS) |
			 (flags & PROFIL_RECORD_EVERYBODY ? PROFIL_FOLLOW : 0),
		.clock = record->clock,
		.period = record->period,
	};
	return profil_recording_check_table(record->table, record->nr_counts, start);
}

/* Add the entries that every recording has, in the order of their numbers. */
static void profil_recording_prepare(struct profil_recording *recording)
{
	static const u32 texts[] = {
		PROFIL_KIND_KERNEL, PROFIL_KIND_UNKNOWN, PROFIL_KIND_THREADS
	};
	static const u32 owners[] = { 0, PROFIL_OWNER_IRQ, PROFIL_OWNER_SOFTIRQ };
	struct profil_entry text = {}, owner = {
		.same = { .kind = PROFIL_KIND_OWNER, .word = { PROFIL_TEXT_UNKNOWN } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		text.same.kind = texts[i];
		profil_recording_find(recording, &text, &recording->pool, 0);
	}
	for (i = 0; i < ARRAY_SIZE(owners); i++) {
		owner.state = owners[i];
		owner.same.word[3] = owners[i];
		profil_recording_find(recording, &owner, &recording->pool, 0);
	}
	WARN_ON_ONCE(recording->nr != PROFIL_NUMBERS_FIXED);
}

/* Allocate the chains of a recording, charged to current. */
static int profil_recording_hash(struct profil_recording *recording)
{
	size_t chains = (size_t)2 << recording->bits;
	unsigned long pages = DIV_ROUND_UP(chains * sizeof(*recording->hash), PAGE_SIZE);
	int err;

	recording->user = profil_user_get();
	if (!recording->user)
		return -ENOMEM;
	err = profil_user_charge_pages(recording->user, pages);
	if (err)
		return err;
	recording->charged = pages;
	recording->hash = kvcalloc(chains, sizeof(*recording->hash), GFP_KERNEL_ACCOUNT);
	if (!recording->hash)
		return -ENOMEM;
	recording->number = recording->hash + chains / 2;
	return 0;
}

/**
 * profil_recording_create() - create a recording
 * @record: the request, checked
 * @ns: the PID namespace of its reader
 *
 * Context: Process context, may sleep; current pays for it.
 * Return: the recording, for profil_recording_free(), or an ERR_PTR: -ENOMEM, -EDQUOT.
 */
struct profil_recording *profil_recording_create(const struct profil_record *record,
						 struct pid_namespace *ns)
{
	u32 limit = min_t(u32, max_t(u32, record->nr_counts / COUNTS_NUMBER, NUMBERS_MIN),
			  PROFIL_NUMBERS_MAX);
	unsigned int bits = ilog2(limit / CHAIN_NUMBERS);
	struct profil_recording *recording;
	int err;

	recording = kzalloc(sizeof(*recording), GFP_KERNEL_ACCOUNT);
	if (!recording)
		return ERR_PTR(-ENOMEM);
	raw_spin_lock_init(&recording->lock);
	atomic64_inc(&profil_recordings);
	recording->numbers.limit = limit;
	recording->caches.limit = max_t(u32, record->nr_counts / PROFIL_CACHES_COUNTS,
					PROFIL_CACHES_MIN);
	recording->bits = bits;
	get_random_bytes(&recording->key, sizeof(recording->key));
	recording->processes = record->flags & PROFIL_RECORD_PROCESSES;
	recording->single = record->flags & PROFIL_THREAD;
	recording->self = record->flags & PROFIL_RECORD_SELF;
	if (record->flags & PROFIL_RECORD_THREADS)
		recording->threads = get_pid_ns(ns);
	recording->payer = profil_payer();
	recording->memcg = get_mem_cgroup_from_mm(current->mm);
	INIT_LIST_HEAD(&recording->told);
	profil_watches_begin(recording);
	err = profil_recording_fill(recording,
				    record->flags & (PROFIL_FOLLOW | PROFIL_RECORD_EVERYBODY));
	if (!err)
		err = profil_recording_hash(recording);
	if (err) {
		profil_recording_free(recording);
		return ERR_PTR(err);
	}
	profil_recording_prepare(recording);
	/* Only now, so that a module that is being loaded cannot take one of the fixed numbers. */
	if (record->flags & PROFIL_RECORD_KERNEL)
		profil_modules_begin(recording);
	return recording;
}

/**
 * profil_recording_life() - get the number of an address space in a recording
 * @profile: the recording's profile
 * @mm: the address space
 *
 * The recorded threads of an address space share its number.  Otherwise, generated code in its
 * memory would be a different text for each thread.
 *
 * Context: Any.
 * Return: the number, a new one unless another thread of @mm is recorded.
 */
u64 profil_recording_life(const struct profil_profile *profile, const struct mm_struct *mm)
{
	struct profil_binding *binding;
	u64 life = 0;

	rcu_read_lock();
	if (profile->flags & PROFIL_THREAD)
		hlist_for_each_entry_rcu(binding, &profil_binding_bucket(mm)->chain, node)
			if (binding->mm == mm && binding->profile == profile)
				life = binding->life;
	rcu_read_unlock();
	return life ?: atomic64_inc_return(&profile->recording->lives);
}

/**
 * profil_recording_bind() - count ticks in an address space for a recording
 * @profile: the recording's profile
 * @mm: a new address space, grabbed for the binding
 * @owned: the owner of ticks in the address space
 * @process: as in &struct profil_binding; the binding takes a reference
 * @binding: memory for a binding; or NULL
 *
 * Context: Any but hard interrupt.
 * Return: as profil_binding_publish(); -ENOMEM without memory.
 */
int profil_recording_bind(struct profil_profile *profile, struct mm_struct *mm,
			  struct profil_owned owned, struct pid *process,
			  struct profil_binding *binding)
{
	int err;

	BUILD_BUG_ON(sizeof(*binding) > PROFIL_NODE_SIZE);
	/* A recording that is over has no memory to give, but nothing is lost either. */
	if (!binding)
		return READ_ONCE(profile->retired) ? -ENOENT : -ENOMEM;
	profil_binding_init(binding, mm, profile);
	profil_binding_own(binding, owned, atomic64_inc_return(&profile->recording->lives));
	binding->process = get_pid(process);
	err = profil_binding_publish(binding);
	if (err)
		profil_binding_drop(binding);
	return err;
}

/* Return: the pins that the caller has to release without the lock. */
static struct profil_pins *profil_move_replace(struct profil_profile *profile,
					       struct profil_pins *pins)
{
	struct profil_pins *old = profil_profile_pins(profile);

	if (!old)
		return pins;
	rcu_assign_pointer(profile->pins, pins);
	profil_sections_settle();
	WRITE_ONCE(old->gone, true);
	return old;
}

static int profil_move_pin(struct profil_profile *profile, struct profil_layout *layout)
{
	struct profil_pins *pins, *spent;

	pins = profil_pins_create(layout, &profile->lock, profile->user);
	if (IS_ERR(pins))
		return PTR_ERR(pins);
	mutex_lock(&profile->lock);
	spent = profil_move_replace(profile, pins);
	mutex_unlock(&profile->lock);
	profil_pins_release(spent);
	/* The new pins are left over if the recording has ended. */
	return spent == pins ? -ENOENT : 0;
}

/**
 * profil_recording_move() - change the table of counts, between two ticks
 * @profile: a recording's profile
 * @start: from profil_recording_check_table(): its array of samples is the new table; the other
 *	members are not used
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINTR, -ENOENT if the recording has ended, -EPERM if current's address space is not
 * that of the table, or an error of profil_layout_create() or profil_pins_create().
 */
int profil_recording_move(struct profil_profile *profile, const struct profil_start *start)
{
	struct profil_pins *pins = profil_profile_get_pins(profile);
	struct profil_layout *old, *layout;
	bool own;
	int err;

	if (!pins)
		return -ENOENT;
	/* Do not hold the pins while waiting: once replaced, they are charged to no user. */
	own = pins->mm == current->mm;
	old = profil_layout_get(pins->layout);
	profil_pins_put(pins);
	layout = own ? profil_layout_move_table(old, start) : ERR_PTR(-EPERM);
	profil_layout_put(old);
	err = PTR_ERR_OR_ZERO(layout);
	if (!err) {
		err = profil_move_pin(profile, layout);
		profil_layout_put(layout);
	}
	return err;
}

/**
 * profil_meet_process() - watch a process for a system-wide recording
 * @bucket: the bucket of @pid
 * @profile: the recording's profile
 * @pid: the process's thread group
 * @owned: the owner of its ticks
 * @memory: as for profil_watch_add()
 *
 * Context: Any; the lock of @bucket is held, with interrupts off.
 * Return: the watch of the process, new or not; NULL if the recording has ended, if there are too
 * many watches or no memory, or if the session follows the process for another profile.
 */
struct profil_watch *profil_meet_process(struct profil_bucket *bucket,
					 struct profil_profile *profile, struct pid *pid,
					 struct profil_owned owned, struct profil_watch *memory)
{
	struct profil_watch *watch = profil_watch_find(bucket, profile, pid);

	if (!watch) {
		watch = profil_watch_add(bucket, profile, pid, owned, memory);
		return IS_ERR(watch) ? NULL : watch;
	}
	if (watch->profile != profile)
		return NULL;
	/* When the process forked or executed a program, there was no memory for its owner. */
	if (watch->owned.owner == PROFIL_NOBODY.owner)
		profil_owned_write(&watch->owned, owned);
	return watch;
}

/**
 * profil_meet_task() - find the owner of a task's ticks in a system-wide recording
 * @profile: the profile of the recording, whose memory cgroup is active
 * @task: current; or a referenced task: a kernel thread, or kept from executing a program
 * @mm: the task's address space; NULL for a kernel thread
 * @payer: profil_payer() of the task
 *
 * Context: Process context, may sleep.
 * Return: the owner; PROFIL_NOBODY without memory or numbers, or if the task exits.
 */
struct profil_owned profil_meet_task(struct profil_profile *profile, struct task_struct *task,
				     struct mm_struct *mm, unsigned long payer)
{
	struct profil_recording *recording = profile->recording;
	struct pid *pid = get_task_pid(task, PIDTYPE_TGID);
	struct profil_owned owned = PROFIL_NOBODY;
	struct file *program = mm ? profil_exe_file(mm) : NULL;
	struct profil_watch *watch = NULL, *met = NULL;
	struct profil_pool pool = {};
	struct profil_bucket *bucket;
	unsigned long flags;

	/* The task may have passed the exit probe, which would have had to end the watch. */
	if (!pid || READ_ONCE(task->flags) & PF_EXITING)
		goto free;
	watch = profil_meet_alloc(profile, sizeof(*watch), payer);
	if (!watch)
		goto free;
	/* If there is already an owner for its program, no memory is needed. */
	owned = profil_owner_task(recording, task, program, 0, &pool, payer);
	if (profil_recording_lacks_owner(recording, owned, payer)) {
		profil_meet_fill(profile, &pool, payer);
		owned = profil_owner_task(recording, task, program, 0, &pool, payer);
	}
	/* There was no memory: the process's next tick tries again. */
	if (profil_recording_lacks_owner(recording, owned, payer))
		goto free;
	bucket = profil_watch_bucket(pid);
	raw_spin_lock_irqsave(&bucket->lock, flags);
	met = profil_meet_process(bucket, profile, pid, owned, watch);
	/* As in profil_watch_publish(): @task may be exiting, unless it is current. */
	smp_mb();
	if (met && !atomic_read(&task->signal->live))
		profil_watch_exit(met);
	/*
	 * If there is no watch, still charge @owned.  A watch is removed at a set-uid exec only if
	 * the reader may not see the new program, and a system-wide reader may see every program.
	 */
	if (met)
		owned = profil_owned_read(&met->owned);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
free:
	profil_pool_empty(&pool);
	profil_file_put(program);
	put_pid(pid);
	if (met != watch)
		kfree(watch);
	return owned;
}
