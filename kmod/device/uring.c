// SPDX-License-Identifier: GPL-2.0-only
/*
 * The commands through io_uring: IORING_OP_URING_CMD.
 *
 * Commands finish before they return: their result is the return value, and
 * io_uring_cmd_done(), which differs between kernels, is never called.
 *
 * Context: process
 */
#include "device/device.h"

#include "compat.h"

#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/profil.h>

/**
 * profil_uring_cmd() - run a command that came through a ring
 * @cmd: user space may change its payload at any time: read once
 * @issue_flags: io_uring's
 *
 * With IO_URING_F_NONBLOCK the ring's lock is held, which others may need, and any command may
 * wait for user memory.  So nothing is done yet, and io_uring has a worker run the command.
 *
 * Context: Process context: the submitter's, which holds its ring's lock, or a
 * worker's with the same credentials, files and memory.  May sleep.
 * Return: as profil_command().  (Some kernels refuse commands from IOPOLL rings; on
 * others they run as from any ring.)
 */
int profil_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	const struct profil_uring_cmd *shared = profil_uring_payload(cmd);
	struct profil_uring_cmd payload;

	if (issue_flags & IO_URING_F_NONBLOCK)
		return -EAGAIN;
	payload.arg = READ_ONCE(shared->arg);
	payload.size = READ_ONCE(shared->size);
	payload.reserved = READ_ONCE(shared->reserved);
	if (payload.reserved || !payload.size)
		return -EINVAL;
	return profil_command(cmd->file, cmd->cmd_op, u64_to_user_ptr(payload.arg), payload.size);
}
