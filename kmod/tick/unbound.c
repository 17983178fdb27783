// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ticks of tasks without a binding: only recordings count these.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#include "tick/sample.h"

#include "profile/recording.h"

#include <linux/pid.h>

/* CPU time of exiting threads without an mm, in ns: it is in no profile. */
DEFINE_PER_CPU(u64, profil_exiting_ns);

/* Current is a kernel thread, or a task that has no mm yet: only the kernel's ticks are its. */
static bool profil_is_thread(void)
{
	return current->flags & PF_KTHREAD ||
	       (!(current->flags & PF_EXITING) && !current->in_execve);
}

/**
 * profil_tick_unmet() - count a tick in system-wide recordings that have no binding for current
 * @source: what ticks; NULL: the clock
 * @met: those that have one, by profil_everybody_bit()
 * @regs: what it interrupted
 * @period: what the tick stands for, in ns or events
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
 * @source: what ticks; NULL: the clock
 * @regs: what it interrupted
 * @period: what the tick stands for, in ns or events
 *
 * An exiting user thread has given up its address space; a task in execve(2) may be in one
 * that the exec probe has not seen yet.  Recordings know their processes, so they count
 * these ticks, too.
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
