/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands through io_uring: IORING_OP_URING_CMD.
 *
 * Context: process
 */
#ifndef PROFIL_URING_H
#define PROFIL_URING_H

struct io_uring_cmd;

int profil_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags);

#endif /* PROFIL_URING_H */
