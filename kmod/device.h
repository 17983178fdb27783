/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /dev/profil: a table of commands that take sized structures.
 */
#ifndef PROFIL_DEVICE_H
#define PROFIL_DEVICE_H

#include <linux/types.h>

struct file;
struct io_uring_cmd;

int profil_device_init(void);
void profil_device_exit(void);
long profil_command(struct file *file, unsigned int nr, void __user *arg, u32 size);
int profil_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags);

#endif /* PROFIL_DEVICE_H */
