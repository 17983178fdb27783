// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/profil: the device and its file operations; commands by ioctl and by io_uring.
 *
 * Context: process
 */
#include "device/device.h"

#include "compat.h"

#include <linux/kernel.h>
#include <linux/miscdevice.h>

static long profil_device_ioctl(struct file *file, unsigned int nr, unsigned long arg)
{
	return profil_command(file, nr, (void __user *)arg, 0);
}

/*
 * Commands finish before they return: their result is the return value, and io_uring_cmd_done(),
 * which differs between kernels, is never called.  With IO_URING_F_NONBLOCK the ring's lock is
 * held, which others may need, and any command may wait for user memory.  So nothing is done yet,
 * and io_uring has a worker run the command, with the submitter's credentials, files and memory.
 *
 * User space may change the payload at any time: it is read once.
 *
 * Some kernels refuse commands from IOPOLL rings; on others they run as from any ring.
 */
static int profil_device_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags)
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

static int profil_device_open(struct inode *inode, struct file *file)
{
	file->private_data = profil_session_create();
	return file->private_data ? nonseekable_open(inode, file) : -ENOMEM;
}

static int profil_device_release(struct inode *inode, struct file *file)
{
	profil_session_end(file->private_data);
	return 0;
}

static __poll_t profil_device_poll(struct file *file, struct poll_table_struct *table)
{
	return profil_session_poll(file->private_data, file, table);
}

static void profil_device_show_fdinfo(struct seq_file *to, struct file *file)
{
	profil_fdinfo_show(to, file->private_data);
}

static const struct file_operations device_operations = {
	.owner		= THIS_MODULE,
	.open		= profil_device_open,
	.release	= profil_device_release,
	.poll		= profil_device_poll,
	.unlocked_ioctl	= profil_device_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.uring_cmd	= profil_device_uring_cmd,
	.show_fdinfo	= profil_device_show_fdinfo,
};

static struct miscdevice device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "profil",
	.mode	= 0666,
	.fops	= &device_operations,
	.groups	= profil_sysfs_groups,
};

/**
 * profil_device_init() - register /dev/profil
 *
 * Context: Process context.
 * Return: 0 or -errno.
 */
int profil_device_init(void)
{
	BUILD_BUG_ON(sizeof(struct profil_region) != 48);
	BUILD_BUG_ON(sizeof(struct profil_uring_cmd) != 16);
	return misc_register(&device);
}

/**
 * profil_device_exit() - undo profil_device_init()
 *
 * Context: Process context.
 */
void profil_device_exit(void)
{
	misc_deregister(&device);
}
