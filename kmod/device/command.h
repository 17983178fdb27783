/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of /dev/profil: a table; each takes a sized structure.
 *
 * Context: process
 */
#ifndef PROFIL_COMMAND_H
#define PROFIL_COMMAND_H

#include <linux/types.h>

struct file;

long profil_command(struct file *file, unsigned int nr, void __user *arg, u32 size);

#endif /* PROFIL_COMMAND_H */
