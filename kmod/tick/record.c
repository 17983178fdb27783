// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick of a recording: it finds the text at the PC, which gives the key in the table of counts,
 * and counts in the key's element.
 *
 * A tick cannot look up mappings.  It uses an earlier lookup if no mapping of the address space has
 * changed since.  Otherwise it waits (ask.c), and has no outcome until it is counted.
 *
 * The reader owns the table and may write to it at any time: an element is only claimed
 * and incremented, and its contents are never trusted.
 *
 * Recordings, but not self profiles, also count ticks of tasks without a binding.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#include "tick/record.h"

#include "compat.h"
#include "profile/recording.h"
#include "tick/sample.h"

#include <linux/jiffies.h>
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/sched/task_stack.h>

/* The context that was interrupted, if a note is being counted; else PROFIL_IN_THIS. */
DEFINE_PER_CPU(enum profil_where, profil_event_where);
/* CPU time of exiting threads without an mm, in ns: it is in no profile. */
DEFINE_PER_CPU(u64, profil_exiting_ns);

/**
 * profil_table_claim() - give a key an element
 * @element: an element that was free
 * @key: the key
 * @news: as for profil_table_add_from()
 *
 * Context: Interrupts off, in a section.
 * Return: true if the element has the key now.
 */
bool profil_table_claim(struct profil_count *element, u64 key, struct profil_news *news)
{
	u64 there = cmpxchg(&element->key, 0, key);

	if (!there)
		profil_news_key(news);
	return !there || there == key;
}

/*
 * Count a tick with a key that may be new.  Return: PROFIL_COUNTED; PROFIL_FULL without room.
 *
 * Without a second place, a table that is replaced when it is three eighths full would
 * lose a tick now and then.  Keys with the same index differ in the low half of the hash.
 * @news, the wake-up of the reader, stays valid: the end of its session waits for this section.
 */
static enum profil_cause profil_table_add(const struct profil_pins *pins, u64 key,
					  struct profil_news *news)
{
	u64 hash = profil_table_hash(pins, key);
	enum profil_cause cause = profil_table_add_from(pins, key, profil_table_index(pins, hash),
							true, news);

	if (cause != PROFIL_FULL)
		return cause;
	hash = (hash ^ hash >> 32) * pins->layout->count_secret;
	return profil_table_add_from(pins, key, profil_table_index(pins, hash), true, news);
}

/**
 * profil_record_add() - count a tick in the table, and for its thread if threads are wanted
 * @profile: a recording
 * @owned: the owner of the tick
 * @task: the task that had the tick; NULL for an interrupt
 * @key: as in &struct profil_count
 *
 * Context: Interrupts off, in a section.
 * Return: PROFIL_COUNTED; PROFIL_FULL if there is no room; PROFIL_OFF if the recording is off.
 */
enum profil_cause profil_record_add(const struct profil_profile *profile,
				    struct profil_owned owned, struct task_struct *task, u64 key)
{
	const struct profil_pins *pins = rcu_dereference_sched(profile->pins);
	const struct profil_recording *recording = profile->recording;
	enum profil_cause cause;

	if (!pins || READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		return PROFIL_OFF;
	cause = profil_table_add(pins, key, recording->news);
	/* Use the same table: the recording may end between the two counts. */
	if (unlikely(recording->threads) && task && cause == PROFIL_COUNTED)
		profil_table_add(pins, (u64)profil_owned_threads(owned) << PROFIL_COUNT_SHIFT |
				 task_pid_nr_ns(task, recording->threads), recording->news);
	return cause;
}

static enum profil_cause profil_record_add_unknown(const struct profil_profile *profile,
						   struct profil_owned owned)
{
	u64 key = (u64)profil_owned_unknown(owned) << PROFIL_COUNT_SHIFT;

	return profil_record_add(profile, owned, current, key);
}

/* Return: the place in the kernel that a tick interrupted; 0 if unknown, or not recorded. */
static u64 profil_record_place(struct profil_recording *recording, struct pt_regs *regs)
{
	unsigned long address = instruction_pointer(regs);
	u64 place = address - recording->kernel;
	u32 generation;

	if (!recording->kernel || place >> PROFIL_GENERATION_SHIFT)
		return 0;
	if (!profil_code_may_go(address))
		return place;
	generation = smp_load_acquire(&recording->generation);	/* see profil_modules_change() */
	if (!READ_ONCE(recording->modules_ticked))
		WRITE_ONCE(recording->modules_ticked, true);
	return generation == PROFIL_GENERATIONS ?
		       0 : place | (u64)generation << PROFIL_GENERATION_SHIFT;
}

/* @place: as profil_record_place() returns it. */
static enum profil_cause profil_record_add_kernel(const struct profil_profile *profile,
						  struct profil_owned owned,
						  struct task_struct *task, u64 place)
{
	u64 key = (u64)profil_owned_kernel(owned) << PROFIL_COUNT_SHIFT | place;
	enum profil_cause cause = profil_record_add(profile, owned, task, key);

	return cause == PROFIL_COUNTED ? PROFIL_KERNEL : cause;
}

/*
 * Interrupts are not charged to the task that they interrupt.  Return: the owner irq or softirq;
 * number 0 if the task itself was running, or if the recording does not distinguish them.
 */
static __always_inline struct profil_owned
profil_record_interrupt(const struct profil_profile *profile)
{
	const struct profil_recording *recording = profile->recording;
	const struct profil_claim *claim = &profile->claim;
	enum profil_where where = PROFIL_IN_THIS;

	if (!recording->kernel)
		return (struct profil_owned) {};
	if (claim->source)
		where = this_cpu_read(profil_event_where);
	/* A tick that is an interrupt of its own adds one level. */
	if (where == PROFIL_IN_THIS)
		where = profil_where(claim->interrupts);
	if (where == PROFIL_IN_IRQ)
		return PROFIL_IRQ;
	if (where == PROFIL_IN_SOFTIRQ)
		return PROFIL_SOFTIRQ;
	return (struct profil_owned) {};
}

/*
 * Count a tick in kernel mode at the place that it interrupted, for @owned unless it came in an
 * interrupt.  Return: PROFIL_KERNEL, PROFIL_FULL, PROFIL_OFF.
 */
static enum profil_cause profil_record_kernel(const struct profil_profile *profile,
					      struct profil_owned owned, struct pt_regs *regs)
{
	struct profil_owned interrupt = profil_record_interrupt(profile);
	u64 place = profil_record_place(profile->recording, regs);

	if (interrupt.owner)
		return profil_record_add_kernel(profile, interrupt, NULL, place);
	return profil_record_add_kernel(profile, owned, current, place);
}

/* Return: the key of a PC in an address space with these mappings; 0 if no valid hit has it. */
static __always_inline u64 profil_record_find(struct profil_hits *hits, unsigned long pc,
					      u32 mappings)
{
	const struct profil_hit *hit = hits->hit[profil_hit_set(pc)];
	unsigned int seq = raw_read_seqcount(&hits->seq), way;
	unsigned long low, now = jiffies;
	u64 key = 0;

	for (way = 0; way < PROFIL_HIT_WAYS; way++, hit++) {
		low = READ_ONCE(hit->low);
		if (pc - low < READ_ONCE(hit->span) && mappings == READ_ONCE(hit->mappings) &&
		    !time_after(now, READ_ONCE(hit->until))) {
			key = READ_ONCE(hit->key) + (pc - low);
			break;
		}
	}
	/* Always call this, or KCSAN treats all later code as part of the read section. */
	return read_seqcount_retry(&hits->seq, seq) || seq & 1 ? 0 : key;
}

/*
 * Return: the PC to which current will return from kernel mode; 0 if ticks do not count there, or
 * if current will not return to this address space.
 */
static u64 profil_record_call(const struct profil_profile *profile)
{
	if (!(profile->flags & PROFIL_KERNEL_TICKS) || current->in_execve ||
	    current->flags & (PROFIL_PF_NO_USER_PC | PF_EXITING))
		return 0;
	return instruction_pointer(task_pt_regs(current));
}

/* Return: the owner of current's ticks, by its watch; number 0 if the owner has yet to be found. */
static struct profil_owned profil_record_watched(const struct profil_profile *profile)
{
	struct profil_owned owned = profil_watched_owner(profile, task_tgid(current));

	return profil_recording_lacks_owner(profile->recording, owned, profil_payer()) ?
		(struct profil_owned) {} : owned;
}

/* Return: the mode of a tick in user mode. */
static enum profil_mode profil_record_mode(const struct profil_profile *profile)
{
	if (profile->claim.inside)
		return PROFIL_MODE_INSIDE;
	return profil_task_uses_uring(current) ? PROFIL_MODE_URING : PROFIL_MODE_USER;
}

/*
 * Defer a tick.  Return: false if it cannot wait, or need not: it counts at its place in the
 * kernel, and its owner is known.
 */
static bool profil_record_wait(struct profil_profile *profile, struct profil_owned owned,
			       struct pt_regs *regs)
{
	u64 call;

	if (user_mode(regs))
		return profil_ask(profile, owned, instruction_pointer(regs),
				  profil_record_mode(profile));
	call = profil_record_call(profile);
	if (!call && (owned.owner || profil_record_interrupt(profile).owner))
		return false;
	return profil_ask(profile, owned, call ?: profil_record_place(profile->recording, regs),
			  PROFIL_MODE_KERNEL);
}

/* Defer a tick whose text or owner is unknown.  If that fails, count it with what is known. */
static noinline enum profil_cause profil_record_other(struct profil_profile *profile,
						      struct profil_owned owned,
						      struct pt_regs *regs)
{
	if (unlikely(current->flags & PF_KTHREAD)) {
		/* Only a system-wide recording with PROFIL_RECORD_KERNEL counts kernel threads. */
		if (!profile->everybody || !profile->recording->kernel)
			return READ_ONCE(profile->state) == PROFIL_STATE_RUNNING ?
				       PROFIL_NO_USER_PC : PROFIL_OFF;
		/* The thread may have borrowed the address space: use the thread's own owner. */
		owned = profil_record_watched(profile);
	}
	if (profil_record_wait(profile, owned, regs))
		return PROFIL_DEFERRED;
	if (!owned.owner)
		owned = PROFIL_NOBODY;
	return user_mode(regs) ? profil_record_add_unknown(profile, owned) :
				 profil_record_kernel(profile, owned, regs);
}

/*
 * Count a tick of a task that has no binding yet in a system-wide recording.  Return: its outcome,
 * PROFIL_DEFERRED, or PROFIL_NO_USER_PC if kernel threads are not recorded.
 */
static enum profil_cause profil_record_unmet(struct profil_profile *profile, struct pt_regs *regs)
{
	return profil_record_other(profile, profil_record_watched(profile), regs);
}

/* @key: the key of the tick; 0 if it is not known. */
static noinline void profil_record_sample_other(const struct profil_binding *binding,
						struct pt_regs *regs, u64 key)
{
	struct profil_owned owned = profil_owned_read(&binding->owned);

	profil_tick_recorded(binding->profile,
			     key ? profil_record_add(binding->profile, owned, current, key) :
				   profil_record_other(binding->profile, owned, regs));
}

/* Return: false, with nothing counted, if profil_record_add() has to count the tick. */
static __always_inline bool profil_record_add_fast(const struct profil_profile *profile, u64 key)
{
	const struct profil_pins *pins = rcu_dereference_sched(profile->pins);
	u64 index;

	if (!pins || READ_ONCE(profile->state) != PROFIL_STATE_RUNNING ||
	    profile->recording->threads)
		return false;
	index = profil_table_index(pins, profil_table_hash(pins, key));
	return profil_table_add_from(pins, key, index, false, NULL) == PROFIL_COUNTED;
}

/**
 * profil_record_sample() - count a tick of a recording
 * @binding: a binding to current's address space
 * @regs: the interrupted registers
 *
 * Nearly all keys have their element already, and then this calls no function.
 *
 * Context: The tick.
 */
void profil_record_sample(const struct profil_binding *binding, struct pt_regs *regs)
{
	struct profil_hits *hits = READ_ONCE(binding->hits);
	struct profil_profile *profile = binding->profile;
	u64 pc = user_mode(regs) ? instruction_pointer(regs) : profil_record_call(profile);
	u64 key = pc && hits ? profil_record_find(hits, pc, profil_mm_mappings(binding->mm)) : 0;

	if (likely(key && profil_record_add_fast(profile, key)))
		profil_tick_recorded(profile, PROFIL_COUNTED);
	else
		profil_record_sample_other(binding, regs, key);
}

/* Return: true if current is a kernel thread, or has no mm yet: all its ticks are in the kernel. */
static bool profil_is_thread(void)
{
	return current->flags & PF_KTHREAD ||
	       (!(current->flags & PF_EXITING) && !current->in_execve);
}

/**
 * profil_tick_unmet() - count a tick in system-wide recordings that have no binding for current
 * @source: the event that ticks; NULL: the clock
 * @met: bits of the recordings that have one, as profil_everybody_bit() returns them
 * @regs: the interrupted registers
 * @period: ns, or events, that the tick stands for
 *
 * Context: Interrupts off, in a section.
 * Return: true if there are such recordings.
 */
bool profil_tick_unmet(const struct profil_source *source, u32 met, struct pt_regs *regs,
		       u64 period)
{
	bool thread = !current->mm && profil_is_thread(), any = false;
	struct profil_profile *profile;

	while ((profile = profil_everybody_next(&met))) {
		if (profile->claim.source != source || (thread && !profile->recording->kernel))
			continue;
		any = true;
		if (profil_tick_due(profile, period))
			profil_tick_recorded(profile, profil_record_unmet(profile, regs));
	}
	return any;
}

/**
 * profil_tick_unbound() - count a tick of a task without a binding
 * @source: the event that ticks; NULL: the clock
 * @regs: the interrupted registers
 * @period: ns, or events, that the tick stands for
 *
 * An exiting user thread has given up its address space; a task in execve(2) may be in one
 * that the exec probe has not seen yet.  Recordings know which processes they follow, so they
 * count these ticks, too.
 *
 * Context: Interrupts off, in a section.
 * Return: true if there is a recording that may count ticks of current.
 */
bool profil_tick_unbound(const struct profil_source *source, struct pt_regs *regs, u64 period)
{
	struct pid *pid = task_tgid(current);
	struct profil_profile *profile;
	struct profil_watch *watch;
	struct profil_owned owned;
	bool known = false;
	u32 met = 0;

	if (profil_is_thread())
		return profil_threads_count() && !is_idle_task(current) &&
		       profil_tick_unmet(source, 0, regs, period);
	if (pid && profil_recordings_exist()) {
		hlist_for_each_entry_rcu(watch, &profil_watch_bucket(pid)->chain, node) {
			profile = watch->profile;
			if (watch->pid != pid || profile->claim.source != source)
				continue;
			owned = profil_owned_read(&watch->owned);
			met |= profil_everybody_bit(profile);
			known = true;
			if (profil_tick_due(profile, period))
				profil_tick_recorded(profile,
						     profil_record_kernel(profile, owned, regs));
		}
		known |= profil_tick_unmet(source, met, regs, period);
	}
	if (!known && !current->mm && !source)
		this_cpu_add(profil_exiting_ns, period);
	return known;
}
