// SPDX-License-Identifier: GPL-2.0-only
/*
 * A counter for each way a tick can end: adding up and showing them.
 */
#include "stats.h"

#include "clock.h"
#include "image.h"
#include "limits.h"
#include "profile.h"
#include "sample.h"

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/profil.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>

struct profil_totals profil_totals;

/* What the CPUs add their shares to, one after the other. */
struct collection {
	raw_spinlock_t lock;	/* guards *sum */
	struct profil_tally __percpu *tally;
	struct profil_sum *sum;
};

/**
 * profil_sum_add() - add ticks and causes
 * @sum: to this
 * @more: what is added
 *
 * Context: Any.
 */
void profil_sum_add(struct profil_sum *sum, const struct profil_sum *more)
{
	unsigned int i;

	sum->ticks += more->ticks;
	for (i = 0; i < PROFIL_NR_CAUSES; i++)
		sum->cause[i] += more->cause[i];
}

/* What another CPU's tick may be changing: a word is read whole, and may be old. */
static u64 look_at(const u64 *word)
{
	/* The tick pays for no more than a plain store. */
	return data_race(READ_ONCE(*word));
}

/* A reader on another CPU may come into a checkpoint, where the countdown is 0. */
static u64 ticks_of(const struct profil_tally *tally)
{
	u64 granted, countdown;

	do {
		granted = look_at(&tally->granted);
		/* Both pair with smp_wmb() in profil_profile_checkpoint(). */
		smp_rmb();
		countdown = look_at(&tally->countdown);
		/* As above. */
		smp_rmb();
	} while (!countdown || granted != look_at(&tally->granted));
	return granted - countdown;
}

static void add_share(struct profil_sum *sum, const struct profil_tally *tally)
{
	unsigned int i;

	sum->ticks += ticks_of(tally);
	for (i = 0; i < PROFIL_NR_CAUSES; i++)
		sum->cause[i] += look_at(&tally->cause[i]);
}

static void collect(unsigned int cpu, void *data)
{
	struct collection *all = data;
	unsigned long flags;

	raw_spin_lock_irqsave(&all->lock, flags);
	add_share(all->sum, per_cpu_ptr(all->tally, cpu));
	raw_spin_unlock_irqrestore(&all->lock, flags);
}

/**
 * profil_tally_sum() - add up the shares of all CPUs
 * @tally: the shares
 * @sum: receives the sum
 *
 * Every CPU adds its own share between two ticks; so the causes add up to the
 * ticks while the profile runs, too.
 *
 * Context: Process context, may sleep.
 */
void profil_tally_sum(struct profil_tally __percpu *tally, struct profil_sum *sum)
{
	struct collection all = { .tally = tally, .sum = sum };

	memset(sum, 0, sizeof(*sum));
	raw_spin_lock_init(&all.lock);
	profil_clock_each_cpu(collect, &all);
}

/**
 * profil_tally_peek() - the same without disturbing any CPU
 * @tally: the shares
 * @sum: receives the sum, exact if no tick meets the profile any more; else a
 *	tick that comes meanwhile may be in one number and not in another
 *
 * Context: Process context.
 */
void profil_tally_peek(struct profil_tally __percpu *tally, struct profil_sum *sum)
{
	unsigned int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		add_share(sum, per_cpu_ptr(tally, cpu));
}

/**
 * profil_sum_fill() - in the words of the user's structure
 * @sum: of all CPUs
 * @status: its ticks and causes are filled in
 *
 * Context: Any.
 */
void profil_sum_fill(const struct profil_sum *sum, struct profil_status *status)
{
	status->ticks = sum->ticks;
	status->counted = sum->cause[PROFIL_COUNTED];
	status->outside = sum->cause[PROFIL_OUTSIDE];
	status->saturated = sum->cause[PROFIL_SATURATED];
	status->kernel = sum->cause[PROFIL_KERNEL];
	status->no_user_pc = sum->cause[PROFIL_NO_USER_PC];
	status->off = sum->cause[PROFIL_OFF];
	status->lost_late = sum->cause[PROFIL_LATE];
	status->lost_contended = sum->cause[PROFIL_CONTENDED];
	status->lost_exec = sum->cause[PROFIL_EXEC];
}

/*
 * Profiles that ended and profiles that live.  No CPU is disturbed for a
 * number that is out of date when it is read: a tick that comes meanwhile may
 * be in one line and not in another.
 */
static void sum_everything(struct profil_sum *sum)
{
	struct profil_profile *profile;
	unsigned int cpu;

	mutex_lock(&profil_profiles_lock);
	*sum = profil_totals.ended;
	list_for_each_entry(profile, &profil_profiles, link) {
		for_each_possible_cpu(cpu)
			add_share(sum, per_cpu_ptr(profile->tally, cpu));
		cond_resched();
	}
	mutex_unlock(&profil_profiles_lock);
}

/* Of everybody: what perf_event_paranoid keeps from others is root's to read. */
static ssize_t ticks_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	static const char * const name[PROFIL_NR_CAUSES] = {
		[PROFIL_COUNTED]	= "counted",
		[PROFIL_OUTSIDE]	= "outside",
		[PROFIL_SATURATED]	= "saturated",
		[PROFIL_KERNEL]		= "kernel",
		[PROFIL_NO_USER_PC]	= "no_user_pc",
		[PROFIL_OFF]		= "off",
		[PROFIL_LATE]		= "lost_late",
		[PROFIL_CONTENDED]	= "lost_contended",
		[PROFIL_EXEC]		= "lost_exec",
	};
	struct profil_sum sum;
	unsigned int i;
	int n;

	sum_everything(&sum);
	n = sysfs_emit(buf, "ticks %llu\n", sum.ticks);
	for (i = 0; i < PROFIL_NR_CAUSES; i++)
		n += sysfs_emit_at(buf, n, "%s %llu\n", name[i], sum.cause[i]);
	return n;
}
static DEVICE_ATTR_ADMIN_RO(ticks);

static ssize_t profiles_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&profil_totals.profiles));
}
static DEVICE_ATTR_RO(profiles);

static ssize_t images_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", profil_images_count());
}
static DEVICE_ATTR_RO(images);

static ssize_t longest_chain_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", profil_images_longest_chain());
}
static DEVICE_ATTR_RO(longest_chain);

static ssize_t pinned_pages_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%lu\n", profil_pinned_pages());
}
static DEVICE_ATTR_RO(pinned_pages);

static ssize_t forks_lost_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%lld\n", atomic64_read(&profil_totals.forks_lost));
}
static DEVICE_ATTR_RO(forks_lost);

static ssize_t pool_empty_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%lld\n", atomic64_read(&profil_totals.pool_empty));
}
static DEVICE_ATTR_RO(pool_empty);

static ssize_t clock_period_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", profil_clock_period());
}
static DEVICE_ATTR_RO(clock_period);

/* CPU time, while the clock ticked, of threads that had given up their memory. */
static ssize_t exiting_ns_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += look_at(per_cpu_ptr(&profil_exiting_ns, cpu));
	return sysfs_emit(buf, "%llu\n", sum);
}
static DEVICE_ATTR_ADMIN_RO(exiting_ns);

static struct attribute *profil_stats_attrs[] = {
	&dev_attr_ticks.attr,
	&dev_attr_profiles.attr,
	&dev_attr_images.attr,
	&dev_attr_longest_chain.attr,
	&dev_attr_pinned_pages.attr,
	&dev_attr_forks_lost.attr,
	&dev_attr_pool_empty.attr,
	&dev_attr_clock_period.attr,
	&dev_attr_exiting_ns.attr,
	NULL
};

static const struct attribute_group profil_stats_group = {
	.attrs = profil_stats_attrs,
};

const struct attribute_group *profil_stats_groups[] = {
	&profil_stats_group,
	NULL
};

