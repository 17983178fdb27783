// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often a profile may tick.
 *
 * Context: process
 */
#include "clock/rates.h"

#include "clock/clock.h"

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/time64.h>

static unsigned int max_rate = 50000;
module_param(max_rate, uint, 0644);
MODULE_PARM_DESC(max_rate, "upper rate of a profile, in Hz");

static unsigned int max_user_rate = 1024;
module_param(max_user_rate, uint, 0644);
MODULE_PARM_DESC(max_user_rate, "upper rate of a profile without CAP_PERFMON, in Hz");

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
