// SPDX-License-Identifier: GPL-2.0-only
/*
 * The commands through io_uring: IORING_OP_URING_CMD.
 *
 * Commands finish before they return: their result is the return value, and
 * io_uring_cmd_done(), which differs between kernels, is never called.
 *
 * Context: process
 */
#include "device/uring.h"

#include "compat.h"
#include "device/command.h"

#include <linux/fs.h>
#include <linux/profil.h>
#include <linux/uaccess.h>

/**
 * profil_uring_cmd() - run a command that came through a ring
 * @cmd: user space may change its payload at any time: read once
 * @issue_flags: io_uring's
 *
 * With IO_URING_F_NONBLOCK the ring's lock is held, which others may need, so nothing
 * may wait for user memory (profile/wait.h): -EAGAIN, and a worker runs the command again.
 * Commands may wait for the kernel's own memory and locks: waking a worker takes longer
 * than most commands take to run.
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
	long err;

	payload.arg = READ_ONCE(shared->arg);
	payload.size = READ_ONCE(shared->size);
	payload.reserved = READ_ONCE(shared->reserved);
	if (payload.reserved || !payload.size)
		return -EINVAL;
	if (!(issue_flags & IO_URING_F_NONBLOCK))
		return profil_command(cmd->file, cmd->cmd_op, u64_to_user_ptr(payload.arg),
				      payload.size);
	pagefault_disable();
	err = profil_command(cmd->file, cmd->cmd_op, u64_to_user_ptr(payload.arg), payload.size);
	pagefault_enable();
	return err;
}
