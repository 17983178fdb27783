// SPDX-License-Identifier: GPL-2.0-only
/*
 * The modules that had code in the kernel, for recordings that count by kernel address.
 *
 * Another module may be loaded at the same address later.  So a recording has generations:
 * loading a module begins the next one, if there were ticks in the range of modules.  The
 * entry of a module's code has the code's first and last generation.  If several entries have
 * the same address in one generation, only the last one can have had ticks.
 *
 * The notifier is called before the code of a module can run, and after it has run.
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

/* The size of the window, from a recording's base on, that covers the kernel and its modules. */
#define WINDOW		BIT_ULL(PROFIL_GENERATION_SHIFT)

/**
 * profil_modules_begin() - start to track the modules of the kernel for a recording
 * @recording: a recording that counts ticks by kernel address
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

/* A module's code got no number: from now on, ticks in modules count at an unknown place. */
static void profil_modules_lose(struct profil_recording *recording)
{
	lockdep_assert_held(&profil_told_lock);
	WRITE_ONCE(recording->generation, PROFIL_GENERATIONS);
}

static bool profil_modules_lost(const struct profil_recording *recording)
{
	return recording->generation == PROFIL_GENERATIONS;
}

/*
 * Make an entry for a module's code, without its number and first generation.  Once the code is
 * unloaded, its entry is no longer found by identity: the module may be loaded there again.
 */
static struct profil_entry profil_modules_like(const struct module *module,
					       const struct profil_code *code)
{
	struct profil_entry like = {
		.parent = U32_MAX,
		.same = {
			.kind = PROFIL_KIND_MODULE,
			.word = { (uintptr_t)code->start, code->bytes },
		},
	};
	size_t size = 3 * sizeof(like.same.word[0]);

	memcpy(&like.same.word[2], module->name, strnlen(module->name, size));
	return like;
}

/* Not charged to the recorder: the task that loads a module must not reclaim in its cgroup. */
static void profil_modules_fill(struct profil_pool *pool)
{
	profil_pool_fill(pool, 1, sizeof(struct profil_entry), GFP_KERNEL);
}

static void profil_modules_came(struct profil_recording *recording, const struct module *module,
				const struct profil_code *code)
{
	struct profil_entry like = profil_modules_like(module, code);
	struct profil_pool pool = {};

	if (!code->bytes || profil_modules_lost(recording))
		return;
	like.state = recording->generation;
	profil_modules_fill(&pool);
	if (!profil_recording_find(recording, &like, &pool, 0))
		profil_modules_lose(recording);
	profil_pool_empty(&pool);
}

/* Set the last generation of a module's code.  Return: its number; 0 without memory or numbers. */
static u32 profil_modules_seal(struct profil_recording *recording, const struct profil_entry *like,
			       struct profil_pool *pool)
{
	struct profil_entry *entry = profil_recording_find_locked(recording, like, pool, 0);

	if (!entry)
		return 0;
	entry->parent = min_t(u32, recording->generation, PROFIL_GENERATIONS - 1);
	hlist_del_init(&entry->node);
	return entry->number;
}

static void profil_modules_went(struct profil_recording *recording, const struct module *module,
				const struct profil_code *code)
{
	/* Code that was loaded before the recording has no entry, and 0 as its first generation. */
	struct profil_entry like = profil_modules_like(module, code);
	struct profil_pool none = {}, pool = {};
	const struct profil_entry *entry;
	unsigned long flags;
	u32 number = 0;
	bool unused;

	if (!code->bytes)
		return;
	profil_modules_fill(&pool);
	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_recording_find_locked(recording, &like, &none, 0);
	/* No module has had a tick since this module was loaded, so the reader need not know it. */
	unused = (entry ? entry->state : 0) == recording->generation &&
		 !READ_ONCE(recording->modules_ticked);
	if (!unused)
		number = profil_modules_seal(recording, &like, &pool);
	else if (entry)
		number = entry->number;
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	profil_pool_empty(&pool);
	if (!unused && !number)
		profil_modules_lose(recording);
	if (unused && number)
		profil_recording_forget(recording, number);
}

/* Code is being loaded: begin a new generation for its ticks, if the current one has any ticks. */
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
 * profil_modules_init() - register the notifier of modules
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
