// SPDX-License-Identifier: GPL-2.0-only
/* Since 7.2, a task, and not its memory, knows whether its program is dumpable. */
#include <linux/sched/exec_state.h>
