// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.5, a command of io_uring points to what was submitted. */
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
