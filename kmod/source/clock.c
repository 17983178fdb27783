// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock: one for all profiles, ticking on every CPU.
 *
 * It runs at the highest rate that any profile asks for, and each profile takes
 * its own share of the ticks.  So users with different periods do not put one
 * timer each on every CPU.
 *
 * Lock order: Documentation/locking.md.
 *
 * Context: process
 */
#include "source/source.h"

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/profil.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/smp.h>

#define LINGER	HZ
/* Opening and closing a clock may patch the kernel's code on all CPUs. */
#define LINGER_OPEN	(4 * HZ)

static bool stay_open;
module_param(stay_open, bool, 0444);
MODULE_PARM_DESC(stay_open, "keep the clock's probe registered, so that no start or stop patches code");

/* Constant since profil_clock_init(). */
static const struct profil_clock_ops *clock_ops;

/* Held while the clock may start or stop as a whole; the outermost of the clock's locks. */
static DEFINE_MUTEX(open_lock);
static bool clock_open;		/* guarded by open_lock */

/* Guards everything below. */
static DEFINE_MUTEX(clock_lock);
static LIST_HEAD(clock_claims);
static struct cpumask ticking;
static u64 clock_period;	/* ns; 0: stopped */
static enum cpuhp_state hotplug_state;

/* The kernel's credentials: a profiled user may not be allowed to use perf. */
static const struct cred *clock_cred;

static void profil_clock_relax_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(relax, profil_clock_relax_work);
static void profil_clock_close_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(close_later, profil_clock_close_work);

/* When profil_clock_look_all() last called other CPUs, in jiffies. */
static unsigned long looked;
static void profil_clock_look_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(look_later, profil_clock_look_work);

static int profil_clock_start_cpu(unsigned int cpu, u64 period)
{
	const struct cred *own;
	int err;

	lockdep_assert_held(&clock_lock);
	if (!profil_clock_wants_cpu(cpu))
		return 0;
	if (cpumask_test_cpu(cpu, &ticking))
		return clock_ops->set_period(cpu, period);
	/* The CPU may tick before start() returns, and until stop() returns. */
	cpumask_set_cpu(cpu, &ticking);
	own = override_creds(clock_cred);
	err = clock_ops->start(cpu, period);
	revert_creds(own);
	if (err)
		cpumask_clear_cpu(cpu, &ticking);
	return err;
}

static void profil_clock_stop_cpu(unsigned int cpu)
{
	lockdep_assert_held(&clock_lock);
	if (!cpumask_test_cpu(cpu, &ticking))
		return;
	clock_ops->stop(cpu);
	cpumask_clear_cpu(cpu, &ticking);
}

static void profil_clock_stop_all(void)
{
	unsigned int cpu;

	lockdep_assert_held(&clock_lock);
	for_each_possible_cpu(cpu)
		profil_clock_stop_cpu(cpu);
	WRITE_ONCE(clock_period, 0);
}

/* Also restores the period of CPUs that a failed attempt has changed. */
static int profil_clock_run_at(u64 period)
{
	unsigned int cpu;
	int err;

	lockdep_assert_held(&clock_lock);
	for_each_online_cpu(cpu) {
		err = profil_clock_start_cpu(cpu, period);
		if (err)
			return err;
	}
	WRITE_ONCE(clock_period, period);
	return 0;
}

static u64 profil_clock_shortest(void)
{
	struct profil_claim *claim;
	u64 shortest = 0;

	lockdep_assert_held(&clock_lock);
	list_for_each_entry(claim, &clock_claims, link) {
		if (claim->period == clock_period)
			return clock_period;
		if (!shortest || claim->period < shortest)
			shortest = claim->period;
	}
	return shortest;
}

/*
 * Each change of the period restarts every CPU's timer; a user who asks for
 * slightly shorter periods again and again could keep it from ticking at all.  So
 * a running clock becomes at least twice as fast, and profil_clock_relax_work()
 * later finds the longest period that serves everyone.
 */
static u64 profil_clock_faster(u64 wanted)
{
	if (!clock_period || wanted <= clock_period / 2)
		return wanted;
	return max_t(u64, clock_period / 2, PROFIL_CLOCK_MIN);
}

/* Must not be called under cpus_read_lock(), which registering a probe takes. */
static int profil_clock_open(void)
{
	int err = 0;

	lockdep_assert_held(&open_lock);
	if (!clock_open && clock_ops->open)
		err = clock_ops->open();
	clock_open = !err;
	return err;
}

static void profil_clock_close(void)
{
	lockdep_assert_held(&open_lock);
	if (clock_open && clock_ops->close)
		clock_ops->close();
	clock_open = false;
}

static void profil_clock_close_if_stopped(void)
{
	lockdep_assert_held(&open_lock);
	if (READ_ONCE(clock_period) || !clock_open || stay_open)
		return;
	profil_clock_close();
}

/*
 * The clock keeps its period for a second, so that programs that turn their profile on and off
 * do not restart it each time.
 */
static void profil_clock_put(struct profil_claim *claim)
{
	mutex_lock(&clock_lock);
	if (!list_empty(&claim->link)) {
		list_del_init(&claim->link);
		queue_delayed_work(profil_wq, &relax, LINGER);
	}
	mutex_unlock(&clock_lock);
}

static int profil_clock_get_locked(struct profil_claim *claim, u64 period)
{
	u64 before;
	int err = 0;

	cpus_read_lock();
	mutex_lock(&clock_lock);
	before = clock_period;
	if (!before || period < before) {
		err = profil_clock_run_at(profil_clock_faster(period));
		queue_delayed_work(profil_wq, &relax, LINGER);
	}
	if (err && before)
		profil_clock_run_at(before);
	else if (err)
		profil_clock_stop_all();
	if (!err) {
		claim->period = period;
		claim->interrupts = true;
		claim->put = profil_clock_put;
		list_add(&claim->link, &clock_claims);
	}
	mutex_unlock(&clock_lock);
	cpus_read_unlock();
	return err;
}

/**
 * profil_clock_get() - make the clock tick often enough for a profile
 * @claim: the profile's, with an empty link
 * @period: its period in ns
 *
 * Context: Process context, may sleep.
 * Return: 0, or the error of the clock; then nothing has changed for others.
 */
int profil_clock_get(struct profil_claim *claim, u64 period)
{
	int err;

	mutex_lock(&open_lock);
	err = profil_clock_open();
	if (!err)
		err = profil_clock_get_locked(claim, period);
	profil_clock_close_if_stopped();
	mutex_unlock(&open_lock);
	return err;
}

/**
 * profil_clock_period() - the current period of the clock
 *
 * Context: Any.
 * Return: ns; 0 when it does not tick.
 */
u64 profil_clock_period(void)
{
	return READ_ONCE(clock_period);
}

/* Slow down to the longest period that serves everyone, or stop. */
static void profil_clock_relax_work(struct work_struct *work)
{
	u64 shortest;

	mutex_lock(&open_lock);
	cpus_read_lock();
	mutex_lock(&clock_lock);
	shortest = profil_clock_shortest();
	if (!shortest)
		profil_clock_stop_all();
	else if (shortest != clock_period && profil_clock_run_at(shortest))
		/* Some CPUs still tick too fast: profiles take only their share. */
		queue_delayed_work(profil_wq, &relax, LINGER);
	mutex_unlock(&clock_lock);
	cpus_read_unlock();
	if (!shortest)
		mod_delayed_work(profil_wq, &close_later, LINGER_OPEN);
	mutex_unlock(&open_lock);
}

static void profil_clock_close_work(struct work_struct *work)
{
	mutex_lock(&open_lock);
	profil_clock_close_if_stopped();
	mutex_unlock(&open_lock);
}

/**
 * profil_clock_review() - look again which CPUs are to tick
 *
 * A cpuset may isolate CPUs, and give them back, at any time.
 *
 * Context: Process context, may sleep.
 */
void profil_clock_review(void)
{
	unsigned int cpu;

	cpus_read_lock();
	mutex_lock(&clock_lock);
	for_each_online_cpu(cpu) {
		if (!clock_period || profil_clock_wants_cpu(cpu) == cpumask_test_cpu(cpu, &ticking))
			continue;
		if (cpumask_test_cpu(cpu, &ticking))
			profil_clock_stop_cpu(cpu);
		else if (profil_clock_start_cpu(cpu, clock_period))
			pr_warn_once("CPU %u: the clock cannot start\n", cpu);
	}
	mutex_unlock(&clock_lock);
	cpus_read_unlock();
}

/**
 * profil_clock_look_here() - look at the task on this CPU, which is now profiled
 *
 * Context: Any but hard interrupt.
 */
void profil_clock_look_here(void)
{
	profil_clock_look_t look = clock_ops->look;
	unsigned long flags;

	if (!look)
		return;
	local_irq_save(flags);
	if (cpumask_test_cpu(smp_processor_id(), &ticking))
		look(NULL);
	local_irq_restore(flags);
}

static void profil_clock_look_work(struct work_struct *work)
{
	on_each_cpu_mask(&ticking, clock_ops->look, NULL, 0);
}

/**
 * profil_clock_look_all() - look at all running tasks, any of which may now be profiled
 *
 * The clock itself finds tasks that are switched in after this call.  Users may start profiles
 * as often as they like, so other CPUs are called at most twice in a jiffy: once directly, and
 * once for a look that was postponed in the previous jiffy.
 *
 * Context: Process context.
 */
void profil_clock_look_all(void)
{
	profil_clock_look_t look = clock_ops->look;
	unsigned long last = READ_ONCE(looked);

	if (!look)
		return;
	if (!time_after(jiffies, last) || cmpxchg(&looked, last, jiffies) != last)
		queue_delayed_work(profil_wq, &look_later, 1);
	else
		on_each_cpu_mask(&ticking, look, NULL, 0);
}

/**
 * profil_clock_look() - look at the tasks of an address space, which are now profiled
 * @mm: the address space, which cannot go away during the call
 *
 * Calling only the CPUs in mm_cpumask() would miss a task that is being switched in: it may be
 * past the probe before its CPU is in the mask.
 *
 * Context: Process context.
 */
void profil_clock_look(struct mm_struct *mm)
{
	profil_clock_look_here();
	/* Unless current is its only task. */
	if (mm != current->mm || atomic_read(&mm->mm_users) != 1)
		profil_clock_look_all();
}

static int profil_clock_cpu_online(unsigned int cpu)
{
	mutex_lock(&clock_lock);
	/* A failure must not keep the CPU from coming up. */
	if (clock_period && profil_clock_start_cpu(cpu, clock_period))
		pr_warn("CPU %u: the clock cannot start, tasks there are not profiled\n", cpu);
	mutex_unlock(&clock_lock);
	return 0;
}

static int profil_clock_cpu_offline(unsigned int cpu)
{
	mutex_lock(&clock_lock);
	profil_clock_stop_cpu(cpu);
	mutex_unlock(&clock_lock);
	return 0;
}

/**
 * profil_clock_init() - set up the clock, and follow CPU hotplug
 * @ops: what ticks; initialised
 *
 * Context: Process context.
 * Return: 0 or -errno.
 */
int profil_clock_init(const struct profil_clock_ops *ops)
{
	int state, err;

	clock_ops = ops;
	clock_cred = prepare_kernel_cred(&init_task);
	if (!clock_cred)
		return -ENOMEM;
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "profil:online", profil_clock_cpu_online,
				  profil_clock_cpu_offline);
	if (state < 0) {
		put_cred(clock_cred);
		return state;
	}
	hotplug_state = state;
	if (!stay_open)
		return 0;
	mutex_lock(&open_lock);
	err = profil_clock_open();
	mutex_unlock(&open_lock);
	if (err)
		profil_clock_exit();
	return err;
}

/**
 * profil_clock_exit() - undo profil_clock_init(); stops the clock
 *
 * Context: Process context; no users are left.
 */
void profil_clock_exit(void)
{
	cancel_delayed_work_sync(&look_later);
	cancel_delayed_work_sync(&relax);
	cancel_delayed_work_sync(&close_later);
	cpuhp_remove_state(hotplug_state);
	mutex_lock(&open_lock);
	/* cpuhp_remove_state() has stopped each CPU, as if it went down. */
	WRITE_ONCE(clock_period, 0);
	profil_clock_close();
	mutex_unlock(&open_lock);
	put_cred(clock_cred);
}
