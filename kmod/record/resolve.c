// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looking up the mapping at the PC of a tick.
 *
 * The task that had the tick looks it up on its way back to user mode, before it executes
 * another instruction, so only other threads of its process can have changed the mapping.
 * It never waits for mmap_lock, because it would not have waited without the profile.  If
 * the tick came in kernel mode, and counts at the PC that called the kernel, a work item
 * (record/unmet.c) looks up the mapping that is there by then.
 *
 * Context: process
 */
#include "record/record.h"

#include "tick/sample.h"

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

/* After this many failures in a row to get mmap_lock, a tick's text is unknown. */
#define TRIES		16
/* The number of offsets that a key can hold. */
#define OFFSETS		BIT_ULL(PROFIL_COUNT_SHIFT)

/**
 * struct found - the mapping that was found at a PC
 * @pc: the PC
 * @file: the mapping's file, referenced; or NULL
 * @same: identity of the text, or only the kind UNKNOWN if there is no text
 * @hit: the part of the mapping; its key is only the offset
 * @counted: the text's cell was cached, so the tick is counted already
 */
struct found {
	u64 pc;
	struct file *file;
	struct profil_identity same;
	struct profil_hit hit;
	bool counted;
};

/* The vDSO is a special mapping, which differs from others only by its name. */
static bool profil_resolve_is_vdso(struct vm_area_struct *vma)
{
	const char *name;

	if (vma->vm_file || !vma->vm_ops || !vma->vm_ops->name)
		return false;
	name = vma->vm_ops->name(vma);
	return name && !strcmp(name, "[vdso]");
}

static void profil_resolve_vma(struct vm_area_struct *vma, struct found *found)
{
	unsigned long pc = found->pc;
	unsigned long size = 1UL << PROFIL_HIT_SHIFT;
	unsigned long low = max(vma->vm_start, round_down(pc, size));
	unsigned long end = min(vma->vm_end - 1, round_down(pc, size) + size - 1);
	u64 offset = low - vma->vm_start, base;

	found->hit.low = low;
	found->hit.span = end - low + 1;
	found->hit.mappings = profil_mm_mappings(vma->vm_mm);
	/* Not a file of a device or io_uring: a recording would hold it; a reader could open it. */
	if (vma->vm_file && S_ISREG(file_inode(vma->vm_file)->i_mode)) {
		offset += (u64)vma->vm_pgoff << PAGE_SHIFT;
		/* No known executable is that large. */
		if (offset >= OFFSETS - size)
			return;
		profil_recording_identify(&found->same, vma->vm_file);
	} else if (profil_resolve_is_vdso(vma)) {
		found->same = (struct profil_identity) {
			.kind = PROFIL_KIND_VDSO,
			.word = { (uintptr_t)vma->vm_private_data, vma->vm_end - vma->vm_start },
		};
	} else {
		/* Offsets count from the start of an aligned range as large as a key can hold. */
		base = round_down((u64)low, OFFSETS);
		found->same = (struct profil_identity) {
			.kind = PROFIL_KIND_MEMORY, .word = { 0, base },
		};
		offset = low - base;
	}
	found->hit.key = offset;
}

static struct profil_binding *profil_resolve_binding_in(const struct hlist_head *chain,
							const struct profil_question *question)
{
	struct profil_binding *binding;

	hlist_for_each_entry_rcu(binding, chain, node)
		if (binding->mm == question->mm && binding->profile == question->profile &&
		    (!binding->thread || binding->thread == task_pid(question->task)))
			return binding;
	return NULL;
}

/* Return: the binding of the tick's address space, which RCU keeps; NULL if it is gone. */
static struct profil_binding *profil_resolve_binding(const struct profil_question *question)
{
	return profil_resolve_binding_in(&profil_binding_bucket(question->mm)->chain, question);
}

/**
 * profil_resolve_count() - count a tick that has waited
 * @question: the tick's question
 * @cell: the tick's cell
 * @offset: the tick's offset in the cell's text
 *
 * Counts in a section, for which profil_sections_settle() waits.
 *
 * Context: Process context.
 */
void profil_resolve_count(const struct profil_question *question, u32 cell, u64 offset)
{
	struct profil_profile *profile = question->profile;
	enum profil_cause cause;
	unsigned long flags;

	local_irq_save(flags);
	profil_section_enter();
	cause = profil_record_add(profile, question->owned, question->task,
				  (u64)cell << PROFIL_COUNT_SHIFT | offset);
	if (cause == PROFIL_COUNTED && cell == profil_owned_kernel(question->owned))
		cause = PROFIL_KERNEL;
	profil_tick_recorded(profile, cause);
	profil_section_leave();
	local_irq_restore(flags);
}

/*
 * Count the tick in the cell of its text: in @cell or, if that is 0, in the cached cell.  This is
 * one section, so that nothing has to be looked up, or locked, twice.
 * @forgets: &profil_recording.forgets, read before @cell was looked up.
 * Return: false if no cell is known.
 */
static bool profil_resolve_known(const struct profil_question *question, struct found *found,
				 u32 forgets, u32 cell)
{
	struct profil_profile *profile = question->profile;
	struct profil_binding *binding;
	struct profil_hits *hits = NULL;
	unsigned long flags;
	u64 key;

	local_irq_save(flags);
	profil_section_enter();
	binding = profil_resolve_binding_in(profil_tick_chain(question->mm), question);
	/* Unless the tick came before another process's binding replaced that of its owner. */
	if (binding && profil_owned_read(&binding->owned).owner == question->owned.owner)
		hits = READ_ONCE(binding->hits);
	if (hits && found->same.kind == PROFIL_KIND_MEMORY && !cell)
		found->same.word[0] = binding->life;
	if (hits)
		cell = profil_space_recall(hits, &found->same, question->owned.owner, forgets,
					   cell, &found->hit);
	key = (u64)cell << PROFIL_COUNT_SHIFT | (found->hit.key + found->pc - found->hit.low);
	if (cell)
		profil_tick_recorded(profile, profil_record_add(profile, question->owned,
								question->task, key));
	profil_section_leave();
	local_irq_restore(flags);
	return cell;
}

/*
 * Look up the mapping and, if the cell of its text is cached, count the tick.  Return: false if
 * mmap_lock is taken.
 */
static bool profil_resolve_find(const struct profil_question *question, struct found *found)
{
	const struct profil_recording *recording = question->profile->recording;
	struct mm_struct *mm = question->mm;
	struct vm_area_struct *vma;

	if (!mmap_read_trylock(mm))
		return false;
	/* The end of an address space takes the lock before it frees mappings. */
	vma = atomic_read(&mm->mm_users) ? vma_lookup(mm, found->pc) : NULL;
	if (vma && vma->vm_flags & VM_EXEC) {
		profil_resolve_vma(vma, found);
		found->counted = found->same.kind != PROFIL_KIND_UNKNOWN &&
				 profil_resolve_known(question, found,
						      READ_ONCE(recording->forgets), 0);
		if (!found->counted && found->same.kind == PROFIL_KIND_FILE)
			found->file = get_file(vma->vm_file);
	}
	mmap_read_unlock(mm);
	return true;
}

/*
 * Return: false if the process has no watch, or if the tick's owner is another process, which
 * shared the address space when the tick came, and whose binding is gone by now.
 */
static bool profil_resolve_owns(const struct profil_question *question, const struct pid *process)
{
	struct profil_owned owned;

	rcu_read_lock();
	owned = profil_watched_owner(question->profile, process);
	rcu_read_unlock();
	return owned.owner == question->owned.owner;
}

/* A system-wide recording binds an address space only after a tick there. */
static void profil_resolve_bind(const struct profil_question *question)
{
	struct profil_profile *profile = question->profile;
	struct pid *process = NULL;
	bool bound;

	/* If the owner could not be found, the next tick tries again. */
	if (!profile->everybody || READ_ONCE(question->task->mm) != question->mm ||
	    question->owned.owner == PROFIL_NOBODY.owner)
		return;
	rcu_read_lock();
	bound = profil_resolve_binding(question);
	rcu_read_unlock();
	if (bound)
		return;
	if (profile->recording->processes)
		process = get_task_pid(question->task, PIDTYPE_TGID);
	if (!profile->recording->processes || profil_resolve_owns(question, process))
		profil_recording_bind(profile, question->mm, question->owned, process,
				      profil_meet_alloc(profile, sizeof(struct profil_binding),
							question->payer));
	put_pid(process);
}

/* Bind the address space, and allocate its hits, if needed.  Return: the binding's life, or 0. */
static u64 profil_resolve_prepare(const struct profil_question *question)
{
	struct profil_recording *recording = question->profile->recording;
	u32 share = profil_recording_share(recording, question->payer);
	struct profil_hits *hits = NULL;
	struct profil_binding *binding;
	bool wanted;
	u64 life;

	profil_resolve_bind(question);
	rcu_read_lock();
	binding = profil_resolve_binding(question);
	life = binding ? binding->life : 0;
	wanted = binding && !READ_ONCE(binding->hits);
	rcu_read_unlock();
	/* Without a cache each tick is looked up, at the expense of its task. */
	if (!wanted || !profil_recording_cache(recording, share, 1))
		return life;
	hits = profil_space_alloc(question->profile, question->payer);
	rcu_read_lock();
	binding = profil_resolve_binding(question);
	if (binding && hits && !cmpxchg(&binding->hits, NULL, hits)) {
		binding->share = share;
		hits = NULL;
		wanted = false;
	}
	rcu_read_unlock();
	kfree(hits);
	if (wanted)
		profil_recording_cache(recording, share, -1);
	return life;
}

/* Return: the cell of a text; 0 without memory or numbers, or if the process was reaped. */
static u32 profil_resolve_cell(const struct profil_question *question, struct found *found)
{
	struct profil_recording *recording = question->profile->recording;
	struct profil_entry text = { .same = found->same, .file = found->file };
	struct profil_entry cell = {
		.same = { .kind = PROFIL_KIND_CELL, .word = { question->owned.owner } },
	};
	struct profil_pool pool = {};
	unsigned int try;
	u32 number = 0;

	if (found->same.kind == PROFIL_KIND_MEMORY) {
		text.pid = get_task_pid(question->task, PIDTYPE_TGID);
		if (!text.pid)
			return 0;
	}
	/* First try without memory: usually the text and the cell have numbers already. */
	for (try = 0; try < 2 && !number; try++) {
		if (try && profil_recording_left(recording, question->payer))
			profil_meet_fill(question->profile, &pool, question->payer);
		cell.same.word[1] = profil_recording_find(recording, &text, &pool,
							  question->payer);
		if (cell.same.word[1])
			number = profil_recording_find(recording, &cell, &pool, question->payer);
	}
	profil_pool_empty(&pool);
	put_pid(text.pid);
	return number;
}

static void profil_resolve_answer(const struct profil_question *question, struct found *found)
{
	u32 forgets = READ_ONCE(question->profile->recording->forgets);
	u64 life = profil_resolve_prepare(question);
	u32 cell = 0;

	/* Only a binding tells the memory of one address space from that of others. */
	if (found->same.kind == PROFIL_KIND_MEMORY) {
		found->same.word[0] = life;
		if (!life)
			found->same.kind = PROFIL_KIND_UNKNOWN;
	}
	if (found->same.kind != PROFIL_KIND_UNKNOWN)
		cell = profil_resolve_cell(question, found);
	if (cell)
		profil_resolve_known(question, found, forgets, cell);
	else
		profil_resolve_count(question, profil_owned_unknown(question->owned), 0);
}

static void profil_resolve_slowly(struct profil_question *question, struct found *found)
{
	struct profil_profile *profile = question->profile;
	struct mem_cgroup *before = set_active_memcg(profile->recording->memcg);

	if (!question->owned.owner)
		question->owned = profil_meet_task(profile, current, current->mm,
						   question->payer);
	profil_resolve_answer(question, found);
	set_active_memcg(before);
	profil_file_put(found->file);
}

/* @alive: the question's address space still exists. */
static void profil_resolve_look(const struct profil_question *question, u64 pc, bool alive,
				struct found *found)
{
	unsigned int try = 0;

	found->pc = pc;
	found->file = NULL;
	found->same.kind = PROFIL_KIND_UNKNOWN;
	found->counted = false;
	while (alive && !profil_resolve_find(question, found) && ++try < TRIES)
		cond_resched();
}

/**
 * profil_resolve_call() - count a tick in kernel mode at the PC that called the kernel
 * @question: the tick's question, with an address space and a known owner
 * @pc: the PC
 *
 * Context: Process context, may sleep.
 * Return: false, with nothing counted, if the memory is gone.
 */
bool profil_resolve_call(struct profil_question *question, u64 pc)
{
	struct found found;

	/* Do not raise mm_users: if the process exited, this worker would have to close files. */
	if (!atomic_read(&question->mm->mm_users))
		return false;
	profil_resolve_look(question, pc, true, &found);
	if (!found.counted)
		profil_resolve_slowly(question, &found);
	return true;
}

/**
 * profil_resolve_work() - answer a question
 * @work: the work of a question that is not in PROFIL_MODE_KERNEL
 *
 * Runs in the task that had the tick, possibly in its exit, when it no longer has an mm.
 *
 * Context: Process context, may sleep.
 */
void profil_resolve_work(struct callback_head *work)
{
	struct profil_question *question = container_of(work, struct profil_question, work);
	struct profil_profile *profile = question->profile;
	struct found found;

	/* If current exits, or has executed another program, the tick's memory is gone. */
	profil_resolve_look(question, question->place[0], current->mm == question->mm, &found);
	if (!found.counted)
		profil_resolve_slowly(question, &found);
	smp_store_release(&question->task, NULL);	/* ticks may use it again */
	profil_profile_put(profile);
}
