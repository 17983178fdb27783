// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock: whatever ticks on every CPU, shared by all profiles.
 *
 * There is one for everybody, at the highest rate that anybody asks for; each
 * profile lets through its own share of the ticks.  So users with different
 * periods do not put a timer each on every CPU.
 *
 * Lock order: cpus_read_lock, then clock_lock.
 */
#include "clock.h"

#include "main.h"

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sched/isolation.h>

#define LINGER	HZ

static bool isolated_cpus;
module_param(isolated_cpus, bool, 0444);
MODULE_PARM_DESC(isolated_cpus, "tick on CPUs that are kept free of housekeeping, too");

/* Guards everything below. */
static DEFINE_MUTEX(clock_lock);
static LIST_HEAD(clock_users);
static const struct profil_clock_ops *clock_ops = &profil_clock_perf;
static struct cpumask ticking;
static u64 clock_period;	/* ns; 0: stopped */
static enum cpuhp_state hotplug_state;

static void linger_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(linger, linger_work);

static bool cpu_wanted(unsigned int cpu)
{
	return isolated_cpus || cpumask_test_cpu(cpu, housekeeping_cpumask(HK_TYPE_TICK));
}

static int tick_on(unsigned int cpu, u64 period)
{
	int err;

	lockdep_assert_held(&clock_lock);
	if (!cpu_wanted(cpu))
		return 0;
	if (cpumask_test_cpu(cpu, &ticking))
		return clock_ops->set_period(cpu, period);
	err = clock_ops->start(cpu, period);
	if (!err)
		cpumask_set_cpu(cpu, &ticking);
	return err;
}

static void tick_off(unsigned int cpu)
{
	lockdep_assert_held(&clock_lock);
	if (cpumask_test_and_clear_cpu(cpu, &ticking))
		clock_ops->stop(cpu);
}

static void stop_all(void)
{
	unsigned int cpu;

	lockdep_assert_held(&clock_lock);
	for_each_possible_cpu(cpu)
		tick_off(cpu);
	WRITE_ONCE(clock_period, 0);
}

/* Also puts back what an earlier attempt that failed half-way has changed. */
static int run_at(u64 period)
{
	unsigned int cpu;
	int err;

	lockdep_assert_held(&clock_lock);
	for_each_online_cpu(cpu) {
		err = tick_on(cpu, period);
		if (err)
			return err;
	}
	WRITE_ONCE(clock_period, period);
	return 0;
}

static u64 shortest_period(void)
{
	struct profil_clock_user *user;
	u64 shortest = 0;

	lockdep_assert_held(&clock_lock);
	list_for_each_entry(user, &clock_users, link) {
		if (user->period == clock_period)
			return clock_period;
		if (!shortest || user->period < shortest)
			shortest = user->period;
	}
	return shortest;
}

/**
 * profil_clock_get() - make the clock tick often enough for a profile
 * @user: the profile's claim, not in use
 * @period: its period in ns
 *
 * Context: Process context, may sleep.
 * Return: 0, or the error of the clock; then nothing changed for others.
 */
int profil_clock_get(struct profil_clock_user *user, u64 period)
{
	u64 before;
	int err = 0;

	cpus_read_lock();
	mutex_lock(&clock_lock);
	before = clock_period;
	if (!before || period < before)
		err = run_at(period);
	if (err && before)
		run_at(before);
	else if (err)
		stop_all();
	if (!err) {
		user->period = period;
		list_add(&user->link, &clock_users);
	}
	mutex_unlock(&clock_lock);
	cpus_read_unlock();
	return err;
}

/**
 * profil_clock_put() - give up a claim
 * @user: in use, or with an empty link
 *
 * The clock goes on for a second after its last user, so that programs that
 * turn their profile on and off do not pay for it each time.
 *
 * Context: Process context, may sleep.
 */
void profil_clock_put(struct profil_clock_user *user)
{
	u64 shortest;

	cpus_read_lock();
	mutex_lock(&clock_lock);
	if (!list_empty(&user->link)) {
		list_del_init(&user->link);
		shortest = shortest_period();
		/* A CPU that fails goes on too fast: profiles take only their share. */
		if (shortest && shortest != clock_period)
			run_at(shortest);
		else if (!shortest)
			mod_delayed_work(profil_wq, &linger, LINGER);
	}
	mutex_unlock(&clock_lock);
	cpus_read_unlock();
}

/**
 * profil_clock_period() - at what period the clock ticks now
 *
 * Context: Any.
 * Return: ns; 0 when it does not tick.
 */
u64 profil_clock_period(void)
{
	return READ_ONCE(clock_period);
}

static void linger_work(struct work_struct *work)
{
	cpus_read_lock();
	mutex_lock(&clock_lock);
	if (list_empty(&clock_users))
		stop_all();
	mutex_unlock(&clock_lock);
	cpus_read_unlock();
}

static int clock_cpu_online(unsigned int cpu)
{
	mutex_lock(&clock_lock);
	/* A CPU comes up whether we can profile it or not. */
	if (clock_period && tick_on(cpu, clock_period))
		pr_warn("no clock on CPU %u: what runs there is not profiled\n", cpu);
	mutex_unlock(&clock_lock);
	return 0;
}

static int clock_cpu_offline(unsigned int cpu)
{
	mutex_lock(&clock_lock);
	tick_off(cpu);
	mutex_unlock(&clock_lock);
	return 0;
}

/**
 * profil_clock_init() - follow CPUs as they come and go
 *
 * Context: Process context.
 * Return: 0 or -errno.
 */
int profil_clock_init(void)
{
	int state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "profil:online",
				      clock_cpu_online, clock_cpu_offline);

	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}

/**
 * profil_clock_exit() - undo profil_clock_init(); stops the clock
 *
 * Context: Process context; there are no users any more.
 */
void profil_clock_exit(void)
{
	cancel_delayed_work_sync(&linger);
	cpuhp_remove_state(hotplug_state);
}
