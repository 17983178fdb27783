// SPDX-License-Identifier: GPL-2.0-only
/* Since 7.0, the bases of timers have a header of their own. */
#include <linux/hrtimer_bases.h>
