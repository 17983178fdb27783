// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/profil: the device and its file operations.
 *
 * Context: process
 */
#include "device/device.h"

#include <linux/build_bug.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/profil.h>

static long profil_device_ioctl(struct file *file, unsigned int nr, unsigned long arg)
{
	return profil_command(file, nr, (void __user *)arg, 0);
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
	.uring_cmd	= profil_uring_cmd,
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
