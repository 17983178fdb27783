// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a recording begins.
 *
 * Context: process
 */
#include "record/record.h"

#include "base/limits.h"
#include "compat.h"
#include "memory/layout.h"

#include <linux/err.h>
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/memcontrol.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/slab.h>

#define FLAGS	((u32)(PROFIL_FOLLOW | PROFIL_RECORD_EVERYBODY | \
		     PROFIL_RECORD_PROCESSES | PROFIL_RECORD_THREADS | PROFIL_RECORD_KERNEL | \
		     PROFIL_EVENT | PROFIL_THREAD | PROFIL_KERNEL_TICKS))
/* Flags that a profile has, too. */
#define PROFILE_FLAGS	((u32)(PROFIL_FOLLOW | PROFIL_EVENT | PROFIL_THREAD | PROFIL_KERNEL_TICKS))
#define COUNTS_MIN	BIT(8)
#define COUNTS_MAX	BIT(28)
/* Entries take no more memory than the table of counts, or 4 MiB. */
#define COUNTS_NUMBER	8
#define NUMBERS_MIN	BIT(15)
#define CHAIN_NUMBERS	16

/**
 * profil_recording_check_table() - check the table that the caller gives
 * @table: its address
 * @nr_counts: number of its elements
 * @start: receives the table, as samples
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
 * profil_recording_check() - check what the caller asks for
 * @record: from user space
 * @start: receives the profile whose samples are the table of counts
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
	/* An event's target is the event's own, and everybody needs no target. */
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

/* Allocate its chains, charged to current. */
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
 * profil_recording_create() - make a recording
 * @record: from user space, checked
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
	recording->limit = limit;
	recording->bits = bits;
	get_random_bytes(&recording->key, sizeof(recording->key));
	recording->processes = record->flags & PROFIL_RECORD_PROCESSES;
	recording->single = record->flags & PROFIL_THREAD;
	if (record->flags & PROFIL_RECORD_THREADS)
		recording->threads = get_pid_ns(ns);
	if (record->flags & PROFIL_RECORD_EVERYBODY)
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
 * profil_recording_life() - the number of an address space that is bound to a recording
 * @profile: of the recording
 * @mm: the address space
 *
 * The threads in it share its number, or memory in which it generates code would be a text of
 * each of them.
 *
 * Context: Any.
 * Return: its number, which is a new one unless another of its threads is recorded.
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
 * @profile: of the recording
 * @mm: a new address space, grabbed for the binding
 * @owned: the owner of ticks there
 * @binding: memory for a binding; or NULL
 *
 * Context: Any but hard interrupt.
 * Return: as profil_binding_publish(); -ENOMEM without memory.
 */
int profil_recording_bind(struct profil_profile *profile, struct mm_struct *mm,
			  struct profil_owned owned, struct profil_binding *binding)
{
	int err;

	BUILD_BUG_ON(sizeof(*binding) > PROFIL_NODE_SIZE);
	/* A recording that is over gives no memory, and loses nothing. */
	if (!binding)
		return READ_ONCE(profile->retired) ? -ENOENT : -ENOMEM;
	profil_binding_init(binding, mm, profile);
	profil_binding_own(binding, owned, atomic64_inc_return(&profile->recording->lives));
	err = profil_binding_publish(binding);
	if (err)
		profil_binding_drop(binding);
	return err;
}
