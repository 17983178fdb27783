// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.5, an io_uring command points to its submission queue entry. */
#include <linux/fs.h>
#include <linux/io_uring.h>
#if __has_include("linux/io_uring/cmd.h")
#include <linux/io_uring/cmd.h>
#endif

static const void *payload(const struct io_uring_cmd *cmd)
{
	return cmd->sqe->cmd;
}

const void *(*use)(const struct io_uring_cmd *cmd) = payload;
