// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which modules had code at which kernel addresses, for recordings that count there.
 *
 * Ticks count by address, where another module may be loaded later.  So a recording has
 * generations: loading a module begins the next one, if there were ticks where modules are.
 * A number has the first and the last generation of its code; of several numbers at an
 * address in one generation, only the last can have had ticks.
 *
 * The notifiers are called before the code of a module can run, and after it has run.
 *
 * Context: process
 */
#include "record/record.h"

#include "compat.h"

#include <linux/lockdep.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

/* The window, from a recording's base on, that covers the kernel's text and its modules. */
#define WINDOW		BIT_ULL(PROFIL_GENERATION_SHIFT)

/* Distinguishes successive loads of a module at the same address. */
static u32 loaded;	/* guarded by profil_told_lock */

/**
 * profil_modules_begin() - tell a recording of modules from now on
 * @recording: one that counts ticks by their place in the kernel
 *
 * Context: Process context, may sleep.
 */
void profil_modules_begin(struct profil_recording *recording)
{
	/* Modules are within half a window of the kernel's own code. */
	recording->kernel = round_down((uintptr_t)schedule, PROFIL_KERNEL_UNIT) - WINDOW / 2;
	mutex_lock(&profil_told_lock);
	list_add_tail(&recording->told, &profil_told);
	mutex_unlock(&profil_told_lock);
}

/* Without memory or a number for code that was there, the places of ticks are unknown. */
static void profil_modules_lose(struct profil_recording *recording)
{
	lockdep_assert_held(&profil_told_lock);
	WRITE_ONCE(recording->generation, PROFIL_GENERATIONS);
}

static bool profil_modules_lost(const struct profil_recording *recording)
{
	return recording->generation == PROFIL_GENERATIONS;
}

static void profil_modules_name(struct profil_identity *same, const struct module *module)
{
	size_t size = 3 * sizeof(same->word[0]);

	memcpy(&same->word[2], module->name, strnlen(module->name, size));
}

/*
 * Add code of a module, which is not known yet, with its first generation.  Return: its number;
 * 0 without memory or numbers.
 */
static u32 profil_modules_add(struct profil_recording *recording, const struct module *module,
			      const struct profil_code *code, u32 first)
{
	struct profil_entry like = {
		.parent = U32_MAX,
		.state = first,
		.same = {
			.kind = PROFIL_KIND_MODULE,
			.word = { (uintptr_t)code->start, code->bytes | (u64)loaded << 32 },
		},
	};
	struct profil_pool pool = {};
	u32 number;

	loaded++;
	/* Not charged to the recorder: the loader must not reclaim from its memory cgroup. */
	profil_pool_fill(&pool, 1, sizeof(like), GFP_KERNEL);
	profil_modules_name(&like.same, module);
	number = profil_recording_find(recording, &like, &pool, 0);
	profil_pool_empty(&pool);
	return number;
}

static bool profil_modules_is(const struct profil_entry *entry, const struct profil_code *code)
{
	return entry->same.kind == PROFIL_KIND_MODULE && entry->parent == U32_MAX &&
	       entry->same.word[0] == (uintptr_t)code->start &&
	       (u32)entry->same.word[1] == code->bytes;
}

/*
 * The number of code that is loaded, and its first generation; both 0 if it was loaded before
 * the recording began.
 */
static u32 profil_modules_find(struct profil_recording *recording, const struct profil_code *code,
			       u32 *first)
{
	struct profil_entry *entry;
	unsigned long flags;
	u32 number = 0, i;

	*first = 0;
	/* Drop the lock after each chain: others wait for it with interrupts off. */
	for (i = 0; i < 1U << recording->bits && !number; i++) {
		raw_spin_lock_irqsave(&recording->lock, flags);
		hlist_for_each_entry(entry, &recording->number[i], next)
			if (profil_modules_is(entry, code)) {
				number = entry->number;
				*first = entry->state;
			}
		raw_spin_unlock_irqrestore(&recording->lock, flags);
		cond_resched();
	}
	return number;
}

static void profil_modules_came(struct profil_recording *recording, const struct module *module,
				const struct profil_code *code)
{
	if (code->bytes && !profil_modules_lost(recording) &&
	    !profil_modules_add(recording, module, code, recording->generation))
		profil_modules_lose(recording);
}

static void profil_modules_went(struct profil_recording *recording, const struct module *module,
				const struct profil_code *code)
{
	u32 last = min_t(u32, recording->generation, PROFIL_GENERATIONS - 1);
	struct profil_entry *entry;
	unsigned long flags;
	u32 number, first;

	if (!code->bytes)
		return;
	number = profil_modules_find(recording, code, &first);
	/* Modules have had no ticks since it was loaded, so the reader need not know it. */
	if (first == recording->generation && !READ_ONCE(recording->modules_ticked)) {
		if (number)
			profil_recording_forget(recording, number);
		return;
	}
	if (!number)
		number = profil_modules_add(recording, module, code, first);
	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_recording_numbered(recording, number);
	/* The reader may have forgotten it, and the number may be another entry's. */
	if (entry && profil_modules_is(entry, code))
		entry->parent = last;
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	if (!number)
		profil_modules_lose(recording);
}

/* Ticks in code that is loaded now are of another generation than those before. */
static void profil_modules_change(struct profil_recording *recording)
{
	if (profil_modules_lost(recording) || !READ_ONCE(recording->modules_ticked))
		return;
	WRITE_ONCE(recording->modules_ticked, false);
	/* Pairs with profil_record_place(): ticks of the next generation see the flag cleared. */
	smp_store_release(&recording->generation, recording->generation + 1);
}

static void profil_modules_tell(struct profil_recording *recording, const struct module *module,
				unsigned long state)
{
	struct profil_code code = profil_module_code(module);
	struct profil_code early = profil_module_early_code(module);

	switch (state) {
	case MODULE_STATE_COMING:
		profil_modules_change(recording);
		profil_modules_came(recording, module, &code);
		profil_modules_came(recording, module, &early);
		return;
	case MODULE_STATE_GOING:
		profil_modules_went(recording, module, &code);
		break;
	}
	/* A module's init code is freed when it has run, or has failed. */
	profil_modules_went(recording, module, &early);
}

static int profil_modules_notify(struct notifier_block *unused, unsigned long state, void *module)
{
	struct profil_recording *recording, *next;

	mutex_lock(&profil_told_lock);
	list_for_each_entry_safe(recording, next, &profil_told, told) {
		if (READ_ONCE(recording->ended))
			list_del_init(&recording->told);
		else
			profil_modules_tell(recording, module, state);
	}
	mutex_unlock(&profil_told_lock);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = profil_modules_notify };

/**
 * profil_modules_init() - register for news of modules
 *
 * Context: Process context.
 * Return: 0 or -errno.
 */
int profil_modules_init(void)
{
	return register_module_notifier(&notifier);
}

/**
 * profil_modules_exit() - undo profil_modules_init()
 *
 * Context: Process context; no recordings are left.
 */
void profil_modules_exit(void)
{
	unregister_module_notifier(&notifier);
}
