// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.8, file_user_path() returns the path of a mapped file as user space knows it. */
#include <linux/fs.h>

static const struct path *path(struct file *file)
{
	return file_user_path(file);
}

const struct path *(*use)(struct file *file) = path;
