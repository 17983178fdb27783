// SPDX-License-Identifier: GPL-2.0-only
/*
 * The attributes of /dev/profil in sysfs: Documentation/sysfs.md.
 *
 * Context: process
 */
#include "device/device.h"

#include "base/limits.h"
#include "source/source.h"
#include "tick/record.h"

#include <linux/device.h>
#include <linux/sysfs.h>

/*
 * The sum over all profiles, ended ones included.  No CPU is interrupted for
 * numbers that are out of date once they are read.  Each CPU's share is of one
 * moment, so the causes add up to the ticks.
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
