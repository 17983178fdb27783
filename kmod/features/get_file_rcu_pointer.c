// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.7, get_file_rcu() takes the address of a file pointer that may change. */
#include <linux/fs.h>
#include <linux/mm_types.h>

static struct file *reference(struct mm_struct *mm)
{
	return get_file_rcu(&mm->exe_file);
}

struct file *(*use)(struct mm_struct *mm) = reference;
