// SPDX-License-Identifier: GPL-2.0-only
/*
 * The commands of /dev/profil: a table; each takes a sized structure.
 *
 * ioctl(2) and io_uring both end in profil_command(), which copies the
 * structure once; user space cannot change what a command sees.
 *
 * Context: process
 */
#include "device/device.h"

#include "base/limits.h"
#include "life/life.h"
#include "memory/layout.h"
#include "self/self.h"

#include <linux/capability.h>
#include <linux/fs.h>
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
 * The caller will not learn about the profile it has made, so end it.  (The
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
 * @least: bytes of the structure's first version
 * @bytes: bytes of the structure that this module knows
 * @output: the structure is copied back
 * @run: runs it; the structure is a copy, zero beyond what the caller gave
 * @undo: undoes it when the output cannot be copied back; or NULL
 */
struct command {
	unsigned int nr;
	u32 least;
	u32 bytes;
	bool output;
	int (*run)(struct profil_session *session, union profil_argument *arg);
	void (*undo)(struct profil_session *session, const union profil_argument *arg);
};

/* Where the first version of a structure ends: must never change. */
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

static int profil_command_run(const struct command *command, struct profil_session *session,
			      union profil_argument *arg, void __user *to)
{
	int err = command->run(session, arg);

	if (err || !command->output)
		return err;
	err = profil_command_write(command, to, arg);
	if (err && command->undo)
		command->undo(session, arg);
	return err;
}

/**
 * profil_command() - run a command
 * @file: of /dev/profil
 * @nr: its number
 * @arg: its structure
 * @size: bytes of the structure if passed separately; 0: read it from the structure
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error that the head of <linux/profil.h> lists.
 */
long profil_command(struct file *file, unsigned int nr, void __user *arg, u32 size)
{
	const struct command *command = profil_command_find(nr);
	struct profil_session *session = file->private_data;
	union profil_argument copy = {};
	int err;

	if (!command)
		return -ENOTTY;
	err = profil_command_copy(&copy, command, arg, size);
	/* Refuse a structure that cannot be written before anything is done. */
	if (!err && command->output)
		err = profil_command_write(command, arg, &copy);
	return err ?: profil_command_run(command, session, &copy, arg);
}
