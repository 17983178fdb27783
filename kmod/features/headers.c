// SPDX-License-Identifier: GPL-2.0-only
/* What is there in every kernel that the module is for. */
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
