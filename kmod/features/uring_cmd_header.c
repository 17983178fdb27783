// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.8, io_uring commands have a header of their own. */
#include <linux/io_uring/cmd.h>
