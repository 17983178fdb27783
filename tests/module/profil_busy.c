// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module that uses CPU time where a test wants it: in its permanent code, in its init code, in a
 * kernel thread, in an interrupt, or with interrupts off, where no tick can come.  With interrupts
 * off, it also writes a variable on which tests set breakpoints.
 *
 * Context: process
 */
#include "compat.h"

#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

/* Loops itself, so that ticks come in this module and not in a function that it calls. */
static __always_inline void busy_for(unsigned int ms)
{
	u64 end = ktime_get_ns() + (u64)ms * NSEC_PER_MSEC;
	unsigned int i;

	while (ktime_get_ns() < end) {
		for (i = 0; i < 10000; i++)
			cpu_relax();
		cond_resched();
	}
}

static noinline int profil_busy_spin(const char *value, const struct kernel_param *unused)
{
	unsigned int ms;
	int err = kstrtouint(value, 10, &ms);

	if (!err)
		busy_for(ms);
	return err;
}

static const struct kernel_param_ops spin_ops = { .set = profil_busy_spin };
module_param_cb(spin, &spin_ops, NULL, 0200);
MODULE_PARM_DESC(spin, "written: use so many ms of CPU time");

static unsigned int work_ms;

static void profil_busy_in_thread(struct work_struct *unused)
{
	busy_for(work_ms);
}

static DECLARE_WORK(work, profil_busy_in_thread);

static int profil_busy_work(const char *value, const struct kernel_param *unused)
{
	int err = kstrtouint(value, 10, &work_ms);

	if (err)
		return err;
	schedule_work(&work);
	flush_work(&work);
	return 0;
}

static const struct kernel_param_ops work_ops = { .set = profil_busy_work };
module_param_cb(work, &work_ops, NULL, 0200);
MODULE_PARM_DESC(work, "written: use so many ms of CPU time in a kernel thread");

#define THREADS_MAX	128

static struct task_struct *threads[THREADS_MAX];

/* CPU time in which a thread has a tick, and the pause in which all the others have theirs. */
#define THREAD_NS	(60 * NSEC_PER_MSEC)
#define THREAD_PAUSE	(10 * HZ)

static int profil_busy_thread(void *unused)
{
	unsigned int i;
	u64 end;

	while (!kthread_should_stop()) {
		end = READ_ONCE(current->se.sum_exec_runtime) + THREAD_NS;
		while (READ_ONCE(current->se.sum_exec_runtime) < end && !kthread_should_stop()) {
			for (i = 0; i < 10000; i++)
				cpu_relax();
			cond_resched();
		}
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule_timeout(THREAD_PAUSE);
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

/* Stop all threads.  Only one task writes the parameter at a time. */
static void profil_busy_stop_threads(void)
{
	unsigned int i;

	for (i = 0; i < THREADS_MAX && threads[i]; i++) {
		kthread_stop(threads[i]);
		threads[i] = NULL;
	}
}

static int profil_busy_threads(const char *value, const struct kernel_param *unused)
{
	struct task_struct *thread;
	unsigned int nr, i;
	int err = kstrtouint(value, 10, &nr);

	if (err)
		return err;
	if (nr > THREADS_MAX)
		return -EINVAL;
	profil_busy_stop_threads();
	for (i = 0; i < nr; i++) {
		thread = kthread_run(profil_busy_thread, NULL, "busy-%u", i);
		if (IS_ERR(thread)) {
			profil_busy_stop_threads();
			return PTR_ERR(thread);
		}
		threads[i] = thread;
	}
	return 0;
}

static const struct kernel_param_ops threads_ops = { .set = profil_busy_threads };
module_param_cb(threads, &threads_ops, NULL, 0200);
MODULE_PARM_DESC(threads, "written: have so many kernel threads, each with its own name, that use CPU time now and then");

/*
 * Call with interrupts off.  The loop uses nop instead of mdelay(): in an emulator, a second may be
 * billions of instructions, and nop is executed many times faster than those of mdelay().
 */
static void busy_wait(unsigned int ms)
{
	u64 end = ktime_get_ns() + (u64)ms * NSEC_PER_MSEC;

	while (ktime_get_ns() < end)
		asm volatile (".rept 4000\n\tnop\n\t.endr");
}

static noinline int profil_busy_hold(const char *value, const struct kernel_param *unused)
{
	unsigned long flags;
	unsigned int ms;
	int err = kstrtouint(value, 10, &ms);

	if (err)
		return err;
	local_irq_save(flags);
	busy_wait(ms);
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops hold_ops = { .set = profil_busy_hold };
module_param_cb(hold, &hold_ops, NULL, 0200);
MODULE_PARM_DESC(hold, "written: use so many ms with interrupts off");

/* For breakpoints: on x86, a write by the kernel that hits one is handled like an NMI. */
static u64 profil_busy_watched;

static int profil_busy_write(const char *value, const struct kernel_param *unused)
{
	unsigned long flags;
	unsigned int times;
	int err = kstrtouint(value, 10, &times);

	if (err)
		return err;
	local_irq_save(flags);
	while (times--)
		WRITE_ONCE(profil_busy_watched, times);
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops write_ops = { .set = profil_busy_write };
module_param_cb(write, &write_ops, NULL, 0200);
MODULE_PARM_DESC(write, "written: so many writes of profil_busy_watched with interrupts off");

/* The scheduler turns interrupts on once it has switched to the next task. */
static int profil_busy_leave(const char *value, const struct kernel_param *unused)
{
	local_irq_disable();
	WRITE_ONCE(profil_busy_watched, 0);
	schedule_timeout_uninterruptible(1);
	return 0;
}

static const struct kernel_param_ops leave_ops = { .set = profil_busy_leave };
module_param_cb(leave, &leave_ops, NULL, 0200);
MODULE_PARM_DESC(leave, "written: one such write, and interrupts stay off until another task runs");

static struct hrtimer interrupt;
static unsigned int interrupt_ms;

static enum hrtimer_restart profil_busy_in_interrupt(struct hrtimer *timer)
{
	busy_wait(interrupt_ms);
	return HRTIMER_NORESTART;
}

static noinline int profil_busy_interrupt(const char *value, const struct kernel_param *unused)
{
	int err = kstrtouint(value, 10, &interrupt_ms);

	if (!err)
		hrtimer_start(&interrupt, ms_to_ktime(1), HRTIMER_MODE_REL_PINNED_HARD);
	return err;
}

static const struct kernel_param_ops interrupt_ops = { .set = profil_busy_interrupt };
module_param_cb(interrupt, &interrupt_ops, NULL, 0200);
MODULE_PARM_DESC(interrupt, "written: in 1 ms, use so many ms in an interrupt of this CPU");

static unsigned int early;
module_param(early, uint, 0444);
MODULE_PARM_DESC(early, "ms of CPU time to use when the module is loaded");

static unsigned int begin;
module_param(begin, uint, 0444);
MODULE_PARM_DESC(begin, "the same, but in code that stays");

static noinline void profil_busy_begin(void)
{
	busy_for(begin);
}

static int __init profil_busy_early(void)
{
	profil_hrtimer_setup(&interrupt, profil_busy_in_interrupt, CLOCK_MONOTONIC,
			     HRTIMER_MODE_REL_PINNED_HARD);
	busy_for(early);
	profil_busy_begin();
	return 0;
}

static void __exit profil_busy_exit(void)
{
	profil_busy_stop_threads();
	hrtimer_cancel(&interrupt);
}

module_init(profil_busy_early);
module_exit(profil_busy_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Uses CPU time, for tests of profil");
