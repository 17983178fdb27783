// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/profil: the device, its file operations, and its commands.
 *
 * Each command is a row of one table, and takes a structure with a size.  ioctl(2) and io_uring
 * both call profil_command(), which copies the structure once, so that user space cannot change it
 * while the command runs.
 *
 * Context: process
 */
#include "device/device.h"

#include "base/limits.h"
#include "compat.h"
#include "life/life.h"
#include "memory/layout.h"
#include "self/self.h"

#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/miscdevice.h>
#include <linux/uaccess.h>

static int profil_command_info(struct profil_session *session, union profil_argument *arg)
{
	struct profil_info *info = &arg->info;

	if (info->flags)
		return -EINVAL;
	info->abi = PROFIL_ABI;
	info->region_max = PROFIL_REGION_MAX;
	info->features = 0;
	info->period_min = profil_period_min(perfmon_capable());
	profil_user_pages(&info->pages_used, &info->pages_max);
	return 0;
}

static int profil_command_start(struct profil_session *session, union profil_argument *arg)
{
	return profil_self_start(&arg->start);
}

static int profil_command_stop(struct profil_session *session, union profil_argument *arg)
{
	struct profil_stop *stop = &arg->stop;

	if (stop->flags & ~(u32)PROFIL_STOP_KEEP || stop->reserved ||
	    (stop->flags && !stop->profile))
		return -EINVAL;
	return stop->profile ? profil_session_stop(session, stop) : profil_self_stop(stop);
}

static int profil_command_status(struct profil_session *session, union profil_argument *arg)
{
	struct profil_status *status = &arg->status;
	struct profil_status fresh = {
		.size = status->size,
		.profile = status->profile,
	};

	if (status->flags)
		return -EINVAL;
	*status = fresh;
	return status->profile ? profil_session_status(session, status) :
				 profil_self_status(status);
}

static int profil_command_stop_all(struct profil_session *session, union profil_argument *arg)
{
	if (arg->stop_all.flags)
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return profil_profile_stop_all();
}

/*
 * The caller will not learn that it has made a profile, so end it.  (The
 * structure was writable a moment ago: one of the caller's threads has unmapped
 * it.  If another thread has also replaced the profile, the new one ends here;
 * that race is the caller's own.)
 */
static void profil_command_undo_start(struct profil_session *session,
				      const union profil_argument *arg)
{
	struct profil_stop stop = {};

	profil_self_stop(&stop);
}

static void profil_command_undo_record(struct profil_session *session,
				       const union profil_argument *arg)
{
	struct profil_stop stop = { .profile = arg->record.profile };

	profil_session_stop(session, &stop);
}

/**
 * struct command - one row of the table
 * @nr: ioctl number, and cmd_op of io_uring
 * @least: size of the structure's first version
 * @bytes: size of the structure that this module knows
 * @output: the structure is copied back
 * @run: runs the command with a copy of the structure
 * @undo: undoes the command if the output cannot be copied back; or NULL
 */
struct command {
	unsigned int nr;
	u32 least;
	u32 bytes;
	bool output;
	int (*run)(struct profil_session *session, union profil_argument *arg);
	void (*undo)(struct profil_session *session, const union profil_argument *arg);
};

/* The end of a structure's first version, which must never change. */
#define END(type, member)	offsetofend(struct type, member)

static const struct command commands[] = {
	{ PROFIL_INFO, END(profil_info, pages_used),
	  sizeof(struct profil_info), true, profil_command_info },
	{ PROFIL_START, END(profil_start, gate),
	  sizeof(struct profil_start), true, profil_command_start, profil_command_undo_start },
	{ PROFIL_STOP, END(profil_stop, stored),
	  sizeof(struct profil_stop), true, profil_command_stop },
	{ PROFIL_STATUS, END(profil_status, lost_full),
	  sizeof(struct profil_status), true, profil_command_status },
	{ PROFIL_RECORD, END(profil_record, reserved),
	  sizeof(struct profil_record), true, profil_session_record, profil_command_undo_record },
	{ PROFIL_ADD, END(profil_add, reserved),
	  sizeof(struct profil_add), false, profil_session_add },
	{ PROFIL_TABLE, END(profil_table, table),
	  sizeof(struct profil_table), false, profil_session_table },
	{ PROFIL_WAIT, END(profil_wait, keys),
	  sizeof(struct profil_wait), false, profil_session_wait },
	{ PROFIL_DESCRIBE, END(profil_describe, last),
	  sizeof(struct profil_describe), true, profil_session_describe,
	  profil_describe_undo },
	{ PROFIL_STOP_ALL, END(profil_stop_all, flags),
	  sizeof(struct profil_stop_all), false, profil_command_stop_all },
};

static const struct command *profil_command_find(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].nr == nr)
			return &commands[i];
	return NULL;
}

static int profil_command_copy(union profil_argument *copy, const struct command *command,
			       void __user *arg, u32 size)
{
	int err;

	if (!size && get_user(size, (u32 __user *)arg))
		return -EFAULT;
	if (size < command->least)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(copy, command->bytes, arg, size);
	if (err)
		return err;
	if (copy->size != size)
		return -EINVAL;
	return 0;
}

static int profil_command_write(const struct command *command, void __user *to,
				const union profil_argument *arg)
{
	return copy_to_user(to, arg, min(arg->size, command->bytes)) ? -EFAULT : 0;
}

/*
 * Run a command.  @size: size of its structure; 0: read the size from the structure.  Return: 0, or
 * an error listed at the head of <linux/profil.h>.
 */
static long profil_command(struct file *file, unsigned int nr, void __user *arg, u32 size)
{
	const struct command *command = profil_command_find(nr);
	struct profil_session *session = file->private_data;
	union profil_argument copy = {};
	int err;

	if (!command)
		return -ENOTTY;
	err = profil_command_copy(&copy, command, arg, size);
	/* Before anything is done, refuse a structure that cannot be written. */
	if (!err && command->output)
		err = profil_command_write(command, arg, &copy);
	if (!err)
		err = command->run(session, &copy);
	if (err || !command->output)
		return err;
	err = profil_command_write(command, arg, &copy);
	if (err && command->undo)
		command->undo(session, &copy);
	return err;
}

static long profil_device_ioctl(struct file *file, unsigned int nr, unsigned long arg)
{
	return profil_command(file, nr, (void __user *)arg, 0);
}

/*
 * Commands finish before they return, so the return value is their result, and
 * io_uring_cmd_done(), which differs between kernels, is never called.  IO_URING_F_NONBLOCK means
 * that the ring's lock is held.  Others may need it, and any command may wait for user memory.  So
 * -EAGAIN makes io_uring use a worker, with the submitter's credentials, files and memory.
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
