// SPDX-License-Identifier: GPL-2.0-only
/*
 * Showing the attributes of /dev/profil in sysfs (Documentation/sysfs.md), and the recordings of
 * an open file in /proc/PID/fdinfo/N.
 *
 * procfs decides which users may read fdinfo: those with PTRACE_MODE_READ on the process that
 * holds the descriptor, that is, its own user and root.  fdinfo shows process IDs and sums of
 * ticks, no PC and no address, and nothing about other sessions.
 *
 * The owner of a file may be hostile, and follow tens of thousands of processes: report a
 * bounded number of them.
 *
 * Context: process
 */
#include "device/device.h"

#include "base/limits.h"
#include "memory/pins.h"
#include "source/source.h"
#include "tick/record.h"

#include <linux/device.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/sysfs.h>

/*
 * The sum over all profiles, ended ones included.  No CPU is interrupted: the numbers would
 * still be out of date by the time they are read.  Each CPU's share of a profile is read as a
 * consistent snapshot, so the causes add up to the ticks.
 */
static void profil_sysfs_sum(struct profil_sum *sum)
{
	struct profil_profile *profile;
	struct profil_sum one;

	mutex_lock(&profil_profiles_lock);
	*sum = profil_totals.ended;
	list_for_each_entry(profile, &profil_profiles, link) {
		profil_tally_sum(profile->tally, &one);
		profil_sum_add(sum, &one);
		cond_resched();
	}
	mutex_unlock(&profil_profiles_lock);
}

/* For root only: it covers all users, whose work perf_event_paranoid may hide from others. */
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
		[PROFIL_FULL]		= "lost_full",
	};
	struct profil_sum sum;
	unsigned int i;
	int n;

	profil_sysfs_sum(&sum);
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
	return sysfs_emit(buf, "%u\n", profil_bindings_count());
}
static DEVICE_ATTR_RO(images);

static ssize_t longest_chain_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	unsigned int longest = profil_buckets_longest(profil_bindings,
						      ARRAY_SIZE(profil_bindings));

	return sysfs_emit(buf, "%u\n", longest);
}
static DEVICE_ATTR_ADMIN_RO(longest_chain);

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

/* CPU time, while the clock ticked, of exiting threads without an mm. */
static ssize_t exiting_ns_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		/* The tick uses plain stores, to stay cheap. */
		sum += data_race(READ_ONCE(*per_cpu_ptr(&profil_exiting_ns, cpu)));
	return sysfs_emit(buf, "%llu\n", sum);
}
static DEVICE_ATTR_ADMIN_RO(exiting_ns);

static struct attribute *profil_sysfs_attrs[] = {
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

static const struct attribute_group profil_sysfs_group = {
	.attrs = profil_sysfs_attrs,
};

const struct attribute_group *profil_sysfs_groups[] = {
	&profil_sysfs_group,
	NULL
};

/* Bounds the time with interrupts off. */
#define PIDS_MAX	32U

/* The states of a recording: no limit stops it, and neither does a full table. */
static const char * const state_name[] = {
	[PROFIL_STATE_RUNNING]	= "running",
	[PROFIL_STATE_FAULT]	= "fault",
	[PROFIL_STATE_STOPPED]	= "stopped",
};

/* Find the profile with number *id or the next higher number, referenced, and set *id to it. */
static struct profil_profile *profil_fdinfo_next(struct profil_session *session, unsigned long *id)
{
	struct profil_profile *profile;

	xa_lock(&session->profiles);
	do {
		profile = xa_find(&session->profiles, id, ULONG_MAX, XA_PRESENT);
		if (!profile || profil_profile_get(profile))
			break;
		++*id;
	} while (true);
	xa_unlock(&session->profiles);
	return profile;
}

/*
 * Get the PIDs, in a namespace, of the processes that a profile follows.  Processes
 * that were reaped are left out: another process may have their PID by now.
 * Return: the number of PIDs.  *more is set to true if there may be others.
 */
static unsigned int profil_fdinfo_followed(const struct profil_profile *profile,
					   struct pid_namespace *ns, pid_t pids[PIDS_MAX],
					   bool *more)
{
	struct profil_recording *recording = profile->recording;
	const struct profil_watch *watch;
	unsigned int looked = 0, n = 0;
	unsigned long flags;

	*more = false;
	raw_spin_lock_irqsave(&recording->lock, flags);
	list_for_each_entry(watch, &recording->watches, link) {
		if (looked++ == PIDS_MAX) {
			*more = true;
			break;
		}
		pids[n] = pid_has_task(watch->pid, PIDTYPE_TGID) ? pid_nr_ns(watch->pid, ns) : 0;
		n += !!pids[n];
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	return n;
}

static void profil_fdinfo_pids(struct seq_file *to, const struct profil_profile *profile)
{
	struct pid_namespace *ns = proc_pid_ns(file_inode(to->file)->i_sb);
	pid_t pids[PIDS_MAX];
	unsigned int i, n;
	bool more;

	n = profil_fdinfo_followed(profile, ns, pids, &more);
	seq_puts(to, "pids:\t");
	for (i = 0; i < n; i++)
		seq_printf(to, "%s%d", i ? " " : "", pids[i]);
	seq_printf(to, "%s\n", !more ? "" : n ? " ..." : "...");
}

static void profil_fdinfo_event(struct seq_file *to, struct profil_profile *profile, u64 since)
{
	struct profil_source_report event;

	if (profil_source_account(&profile->claim, since, &event)) {
		seq_puts(to, "event:\tgone\n");
		return;
	}
	seq_printf(to, "event:\t%u %#llx\n", event.type, event.config);
	seq_printf(to, "event_period:\t%llu\n", event.period);
	seq_printf(to, "event_missed:\t%llu\n", event.missed);
	seq_printf(to, "event_throttled:\t%llu\n", event.throttled);
	seq_printf(to, "event_enabled_ns:\t%llu\n", event.time.enabled);
	seq_printf(to, "event_running_ns:\t%llu\n", event.time.running);
}

static void profil_fdinfo_pinned(struct seq_file *to, struct profil_profile *profile)
{
	struct profil_pins *pins = profil_profile_get_pins(profile);

	seq_printf(to, "pinned_pages:\t%lu\n", pins ? READ_ONCE(pins->held) : 0);
	if (pins)
		profil_pins_put(pins);
}

/* @since: the event's times must not be older than this, in ns of ktime_get_ns(). */
static void profil_fdinfo_profile(struct seq_file *to, struct profil_profile *profile, u64 since)
{
	struct profil_sum sum;

	profil_tally_sum(profile->tally, &sum);
	seq_printf(to, "profile:\t%u\n", profile->id);
	profil_fdinfo_pids(to, profile);
	seq_printf(to, "processes:\t%u\n", READ_ONCE(profile->nr_bindings));
	seq_printf(to, "state:\t%s\n", state_name[READ_ONCE(profile->state)]);
	seq_printf(to, "period:\t%llu\n", profile->period);
	seq_printf(to, "ticks:\t%llu\n", sum.ticks);
	seq_printf(to, "counted:\t%llu\n",
		   sum.cause[PROFIL_COUNTED] + sum.cause[PROFIL_KERNEL]);
	seq_printf(to, "lost:\t%llu\n",
		   sum.cause[PROFIL_LATE] + sum.cause[PROFIL_CONTENDED] +
			   sum.cause[PROFIL_FULL]);
	if (profile->claim.source)
		profil_fdinfo_event(to, profile, since);
	profil_fdinfo_pinned(to, profile);
}

/**
 * profil_fdinfo_show() - show the recordings of an open file, a line per value
 * @to: receives the text; its procfs instance determines the PID namespace
 * @session: the file's session
 *
 * profil(4) describes the format.  If the text does not fit, seq_file calls again
 * with more room, so nothing may be changed here.  The times of an event are read during this
 * call, once for all its profiles.
 *
 * Context: Process context, may sleep.
 */
void profil_fdinfo_show(struct seq_file *to, struct profil_session *session)
{
	struct profil_profile *profile;
	u64 since = ktime_get_ns();
	unsigned long id = 0;

	seq_printf(to, "session:\t%llu\n", session->id);
	while (!seq_has_overflowed(to) && !fatal_signal_pending(current)) {
		profile = profil_fdinfo_next(session, &id);
		if (!profile)
			break;
		profil_fdinfo_profile(to, profile, since);
		profil_profile_put(profile);
		id++;
		cond_resched();
	}
}
