// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.13, a timer is given its function where it is initialised. */
#include <linux/hrtimer.h>

static void setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *timer))
{
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
}

void (*use)(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *timer)) = setup;
