// SPDX-License-Identifier: GPL-2.0-only
/* Since 7.2, the task, not its mm, says whether its program is dumpable. */
#include <linux/sched/exec_state.h>
