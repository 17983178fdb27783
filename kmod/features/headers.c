// SPDX-License-Identifier: GPL-2.0-only
/* Headers that every supported kernel has. */
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
