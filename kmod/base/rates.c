// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often a profile may tick, and on which CPUs.
 *
 * Context: process
 */
#include "base/base.h"

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>

u32 profil_clock_number;

static unsigned int max_rate = 50000;
module_param(max_rate, uint, 0644);
MODULE_PARM_DESC(max_rate, "upper rate of a profile, in Hz");

static unsigned int max_user_rate = 1024;
module_param(max_user_rate, uint, 0644);
MODULE_PARM_DESC(max_user_rate, "upper rate of a profile without CAP_PERFMON, in Hz");

static bool isolated_cpus;
module_param(isolated_cpus, bool, 0444);
MODULE_PARM_DESC(isolated_cpus, "tick also on CPUs that are isolated from housekeeping");

/**
 * profil_period_min() - the shortest period that may be asked for
 * @privileged: with CAP_PERFMON; it is no longer than without
 *
 * Context: Process context.
 * Return: ns.
 */
u64 profil_period_min(bool privileged)
{
	unsigned int all = READ_ONCE(max_rate), user = READ_ONCE(max_user_rate);
	unsigned int rate = privileged ? all : min(all, user);

	return max_t(u64, div_u64(NSEC_PER_SEC, max(rate, 1U)), PROFIL_CLOCK_MIN);
}

/**
 * profil_clock_wants_cpu() - should a CPU have ticks, of the clock or of events?
 * @cpu: its number
 *
 * Context: Any.
 * Return: false if it is isolated (a cpuset may change that at any time) and isolated_cpus is off.
 */
bool profil_clock_wants_cpu(unsigned int cpu)
{
	bool housekeeping;

	/* Since 7.0 a housekeeping mask may be replaced at any time. */
	rcu_read_lock();
	housekeeping = housekeeping_test_cpu(cpu, HK_TYPE_TICK) &&
		       housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN);
	rcu_read_unlock();
	return housekeeping || isolated_cpus;
}
