/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tick of a recording: it finds the text at the PC, and the element in the table of counts.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#ifndef PROFIL_TICK_RECORD_H
#define PROFIL_TICK_RECORD_H

#include "memory/pins.h"
#include "profile/binding.h"
#include "tick/counter.h"
#include "tick/note.h"

#include <linux/hash.h>

struct mm_struct;
struct profil_binding;
struct profil_news;
struct profil_pins;
struct profil_profile;
struct profil_recording;
struct profil_source;
struct pt_regs;
struct task_struct;

/*
 * Ticks that have to wait, because their owner or their text is not known.
 */

/*
 * The number of places of a CPU: those of the four modes, and one more, as ticks in user mode may
 * always take the first place if it is free.  Then the limits: places for one mode, places for one
 * payer in that mode, and ticks in a place.
 */
#define PROFIL_QUESTIONS	(1 + 4 * PROFIL_QUESTIONS_MODE)
#define PROFIL_QUESTIONS_MODE	16
#define PROFIL_QUESTIONS_USER	8
#define PROFIL_QUESTION_TICKS	8
/**
 * enum profil_mode - the mode of a task at a tick that waits
 * @PROFIL_MODE_USER: in user mode; the task looks up owner and text before it goes on there
 * @PROFIL_MODE_INSIDE: in the kernel, but the tick counts in user mode (see @inside in &struct
 *	profil_claim).  The task looks them up when its page fault or system call is over
 * @PROFIL_MODE_URING: in user mode, but the task uses io_uring.  It may run io_uring's works first,
 *	and these may wait for a lock that is held during a page fault
 * @PROFIL_MODE_KERNEL: in the kernel; a work item looks them up
 */
enum profil_mode {
	PROFIL_MODE_USER,
	PROFIL_MODE_INSIDE,
	PROFIL_MODE_URING,
	PROFIL_MODE_KERNEL,
};

/* In &profil_question.ticks: no more ticks may be added. */
#define PROFIL_QUESTION_TAKEN	INT_MAX

/**
 * struct profil_question - a place in which ticks of one task wait for their owner and text
 * @work: answers the question on the task's way to user mode; record/unmet.c sets its function
 * @task: the task, referenced if @kernel; NULL: the place is free.  Set only by ticks of the
 *	place's CPU
 * @mode: the task's mode.  Set only by ticks of the place's CPU
 * @kernel: @mode is PROFIL_MODE_KERNEL, so a work item answers the question.  Set last
 * @profile: the profile that the ticks count for, referenced
 * @mm: the address space in which they came, grabbed if @kernel; NULL for a kernel thread.  The
 *	task may execute another program before @work runs
 * @payer: profil_payer() of the task
 * @owned: the ticks' owner; number 0 if it is not known
 * @ticks: number of ticks, or PROFIL_QUESTION_TAKEN; 1 unless @kernel
 * @place: the PC of a tick in user mode.  If @kernel, the place in the kernel that each tick
 *	interrupted; with PROFIL_KERNEL_TICKS, the PC that called the kernel, or 0
 *
 * If @kernel, ticks of the same CPU add to @place and @ticks until the work item has taken them.
 * The task or the work item may change @owned.  The rest is constant until @task is cleared.
 */
struct profil_question {
	struct callback_head work;
	struct task_struct *task;
	enum profil_mode mode;
	bool kernel;
	struct profil_profile *profile;
	struct mm_struct *mm;
	unsigned long payer;
	struct profil_owned owned;
	atomic_t ticks;
	u64 place[PROFIL_QUESTION_TICKS];
};

/*
 * PROFIL_QUESTIONS elements for each CPU.  They are allocated, because all modules together have
 * only 8 KiB of static variables for a CPU.
 */
extern struct profil_question __percpu *profil_questions;
/* record/unmet.c sets its function. */
extern struct irq_work profil_ask_irq;

bool profil_ask(struct profil_profile *profile, struct profil_owned owned, u64 place,
		enum profil_mode mode);

/*
 * The table of counts of a recording: where a key has its element.
 */

/* A key may be in any of this many elements in a row, from each of its two places on. */
#define PROFIL_TABLE_TRIES	16

static __always_inline struct profil_count *profil_table_element(const struct profil_pins *pins,
								 u64 index)
{
	const struct profil_layout *layout = pins->layout;
	u64 position = layout->samples +
		       (index & layout->count_mask) * sizeof(struct profil_count);
	void *page = READ_ONCE(pins->page[(position >> PAGE_SHIFT) & pins->mask]);

	return page + (position & ~PAGE_MASK);
}

/*
 * The fold makes neighbouring offsets as good as random.  Without it, the multiples of a factor lie
 * evenly, but for some factors in clusters.
 */
static __always_inline u64 profil_table_hash(const struct profil_pins *pins, u64 key)
{
	u64 hash = key * GOLDEN_RATIO_64;

	return (hash ^ hash >> 32) * pins->layout->count_secret;
}

/* Use the highest bits: only they depend on all bits of the key. */
static __always_inline u64 profil_table_index(const struct profil_pins *pins, u64 hash)
{
	return hash >> (64 - pins->layout->count_bits);
}

static __always_inline void profil_table_count(struct profil_count *element)
{
	profil_window();
	atomic64_inc((atomic64_t *)&element->count);
}

bool profil_table_claim(struct profil_count *element, u64 key, struct profil_news *news);

/**
 * profil_table_add_from() - count a tick in one of a few consecutive elements
 * @pins: the pins of the table
 * @key: as in &struct profil_count
 * @index: index of the first element
 * @may_claim: whether a new key may claim a free element; a compile-time constant
 * @news: the wake-up of the session's reader, who may wait for new keys
 *
 * Context: Interrupts off, in a section.
 * Return: PROFIL_COUNTED; PROFIL_FULL if there is no room, or if @may_claim is false and the key
 * has no element.
 */
static __always_inline enum profil_cause profil_table_add_from(const struct profil_pins *pins,
							       u64 key, u64 index, bool may_claim,
							       struct profil_news *news)
{
	struct profil_count *element;
	unsigned int i;
	u64 there;

	for (i = 0; i < PROFIL_TABLE_TRIES; i++) {
		element = profil_table_element(pins, index + i);
		there = READ_ONCE(element->key);
		if (there == key ||
		    (!there && may_claim && profil_table_claim(element, key, news))) {
			profil_table_count(element);
			return PROFIL_COUNTED;
		}
		if (!there && !may_claim)
			break;
		barrier();	/* else each tick loads registers for rounds that few need */
	}
	return PROFIL_FULL;
}

/* A hit is the part of a mapping in one aligned range of this size.  The range selects its set. */
#define PROFIL_HIT_SHIFT	20
#define PROFIL_HIT_SETS		16
#define PROFIL_HIT_WAYS		4

/**
 * struct profil_hit - a part of a mapping, in which there was a tick
 * @low: its first address
 * @span: its size in bytes; 0: not in use
 * @key: the key of @low in the table of counts
 * @until: time in jiffies until which it is valid, as the file may be overwritten
 * @mappings: the value of profil_mm_mappings() for which the hit is valid
 */
struct profil_hit {
	unsigned long low;
	u32 span;
	u32 mappings;
	u64 key;
	unsigned long until;
};

/**
 * struct profil_hits - cached lookups of the texts in an address space
 * @lock: guards all members against other writers; taken with interrupts off
 * @seq: odd during a change, as ticks take no lock
 * @next: for each set, the way to replace next
 * @hit: the hits, by set and way
 */
struct profil_hits {
	raw_spinlock_t lock;	/* see the kernel-doc above */
	seqcount_t seq;
	u8 next[PROFIL_HIT_SETS];
	struct profil_hit hit[PROFIL_HIT_SETS][PROFIL_HIT_WAYS];
};

DECLARE_PER_CPU(enum profil_where, profil_event_where);

/* The number of a PC's set. */
static inline unsigned int profil_hit_set(unsigned long pc)
{
	return (pc >> PROFIL_HIT_SHIFT) % PROFIL_HIT_SETS;
}

enum profil_cause profil_record_add(const struct profil_profile *profile,
				    struct profil_owned owned, struct task_struct *task, u64 key);
void profil_record_sample(const struct profil_binding *binding, struct pt_regs *regs);

/*
 * Ticks of tasks without a binding: only recordings count these.
 */

DECLARE_PER_CPU(u64, profil_exiting_ns);

bool profil_tick_unmet(const struct profil_source *source, u32 met, struct pt_regs *regs,
		       u64 period);
bool profil_tick_unbound(const struct profil_source *source, struct pt_regs *regs, u64 period);

#endif /* PROFIL_TICK_RECORD_H */
