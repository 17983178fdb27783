// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.13, hrtimer_setup() initialises a timer and sets its function. */
#include <linux/hrtimer.h>

static void setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *timer))
{
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
}

void (*use)(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *timer)) = setup;
