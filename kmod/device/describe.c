// SPDX-License-Identifier: GPL-2.0-only
/*
 * PROFIL_DESCRIBE: describe a number of a recording.
 *
 * Context: process
 */
#include "device/device.h"

#include "compat.h"

#include <linux/capability.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#define FLAGS	(PROFIL_DESCRIBE_OPEN | PROFIL_DESCRIBE_RELEASE | PROFIL_DESCRIBE_FORGET)

/* The path of a file as the caller's root sees it, or the known start of a module's name. */
static const char *profil_describe_find_name(const struct profil_entry *entry, char *page)
{
	if (entry->file)
		return d_path(profil_user_path(entry->file), page, PATH_MAX);
	memcpy(page, &entry->same.word[2], 3 * sizeof(entry->same.word[0]));
	page[3 * sizeof(entry->same.word[0])] = 0;
	return page;
}

static int profil_describe_name(struct profil_describe *describe, const struct profil_entry *entry)
{
	const char *name;
	size_t bytes;
	char *page;
	int err;

	if (!describe->path || (!entry->file && entry->same.kind != PROFIL_KIND_MODULE)) {
		describe->path_size = 0;
		return 0;
	}
	page = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	name = profil_describe_find_name(entry, page);
	err = PTR_ERR_OR_ZERO(name);
	if (!err) {
		bytes = strlen(name) + 1;
		if (bytes > describe->path_size)
			err = -ENAMETOOLONG;
		else if (copy_to_user(u64_to_user_ptr(describe->path), name, bytes))
			err = -EFAULT;
		describe->path_size = bytes;
	}
	kfree(page);
	return err;
}

/*
 * To open a file by its path, a user also needs search permission on the directories above
 * it, which is not checked here; hence the capability.  Return: the file, opened again.
 */
static struct file *profil_describe_open(struct file *file)
{
	struct file *opened;
	int err;

	if (!file)
		return ERR_PTR(-ENODATA);
	if (!capable(CAP_DAC_READ_SEARCH))
		return ERR_PTR(-EACCES);
	/* A user's FUSE server could keep the caller waiting, and no signal would end the wait. */
	if (profil_path_in_user_ns(&file->f_path))
		return ERR_PTR(-EPERM);
	err = file_permission(file, MAY_READ);
	if (err)
		return ERR_PTR(err);
	/* O_NONBLOCK: do not wait for the holder of a lease. */
	opened = dentry_open(&file->f_path, O_RDONLY | O_LARGEFILE | O_NONBLOCK, current_cred());
	return opened == ERR_PTR(-EWOULDBLOCK) ? ERR_PTR(-EACCES) : opened;
}

static void profil_describe_owner(struct profil_describe *describe,
				  const struct profil_entry *entry)
{
	describe->text = entry->same.word[0];
	memcpy(describe->name, &entry->same.word[1], sizeof(describe->name));
	describe->state = entry->state;
	if (entry->pid) {
		describe->parent = entry->parent;
		describe->cgroup = entry->cgroup;
		describe->uid = from_kuid_munged(current_user_ns(), entry->uid);
	}
}

/*
 * Unlike perf, PROFIL_DESCRIBE gives the address of a module's code even without a tick there.  So
 * it needs the permission to see addresses in /proc/kallsyms, a check that is not exported.  For
 * users with CAP_SYSLOG, "%pK" shows whether kernel.kptr_restrict hides addresses.  Other users get
 * none: if kernel.kptr_restrict is 0, /proc/kallsyms shows them addresses only if
 * kernel.perf_event_paranoid is 1 or less, which cannot be read here.
 */
static bool profil_describe_shows(unsigned long address)
{
	char shown[2 * sizeof(address) + 1];

	if (!capable(CAP_SYSLOG))
		return false;
	snprintf(shown, sizeof(shown), "%pK", (void *)address);
	return strspn(shown, "0") < strlen(shown);
}

static void profil_describe_code(struct profil_describe *describe,
				 const struct profil_entry *entry)
{
	if (profil_describe_shows(entry->same.word[0])) {
		describe->base = entry->same.word[0];
		describe->bytes = entry->same.word[1];
	}
	describe->first = entry->state;
	describe->last = entry->parent;
}

static void profil_describe_entry(struct profil_describe *describe,
				  const struct profil_entry *entry,
				  const struct profil_recording *recording,
				  struct pid_namespace *ns)
{
	const struct profil_identity *same = &entry->same;

	describe->kind = same->kind;
	describe->pid = pid_nr_ns(entry->pid, ns);
	switch (same->kind) {
	case PROFIL_KIND_KERNEL:
		describe->base = recording->kernel;
		break;
	case PROFIL_KIND_MODULE:
		profil_describe_code(describe, entry);
		break;
	case PROFIL_KIND_FILE:
		describe->device_major = MAJOR(same->word[1]);
		describe->device_minor = MINOR(same->word[1]);
		describe->inode = same->word[2];
		describe->bytes = same->word[3];
		describe->modified = same->word[4];
		break;
	case PROFIL_KIND_VDSO:
		describe->bytes = same->word[1];
		break;
	case PROFIL_KIND_MEMORY:
		describe->base = same->word[1];
		break;
	case PROFIL_KIND_OWNER:
		profil_describe_owner(describe, entry);
		break;
	case PROFIL_KIND_CELL:
		describe->owner = same->word[0];
		describe->text = same->word[1];
		break;
	}
}

/* Release the file, and forget the number, if the flags say so. */
static int profil_describe_drop(const struct profil_describe *describe,
				struct profil_recording *recording)
{
	struct file *released = NULL;
	int err = 0;

	if (describe->flags & PROFIL_DESCRIBE_RELEASE)
		released = profil_recording_release(recording, describe->number);
	profil_file_put(released);
	if (describe->flags & PROFIL_DESCRIBE_FORGET)
		err = profil_recording_forget(recording, describe->number);
	if (!err && describe->flags & PROFIL_DESCRIBE_FORGET && READ_ONCE(recording->ended))
		profil_recording_charge(recording);
	return err;
}

/*
 * Report the name, open the file, and drop last: a drop cannot be undone.  The drop fails if
 * another thread has already forgotten the number.
 */
static int profil_describe_file(struct profil_describe *describe,
				struct profil_recording *recording,
				const struct profil_entry *entry)
{
	struct file *opened;
	int fd, err = profil_describe_name(describe, entry);

	if (err || !(describe->flags & PROFIL_DESCRIBE_OPEN))
		return err ?: profil_describe_drop(describe, recording);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	opened = profil_describe_open(entry->file);
	err = PTR_ERR_OR_ZERO(opened);
	if (!err) {
		err = profil_describe_drop(describe, recording);
		if (err)
			fput(opened);
	}
	if (err) {
		put_unused_fd(fd);
		return err;
	}
	fd_install(fd, opened);
	describe->fd = fd;
	return 0;
}

static int profil_describe_recording(struct profil_session *session,
				     struct profil_recording *recording,
				     struct profil_describe *describe)
{
	struct profil_entry entry;
	int err;

	if (!profil_recording_get(recording, describe->number, &entry, &describe->numbers,
				  &describe->in_use)) {
		describe->path_size = 0;
		return describe->number ? -ENOENT : 0;
	}
	if (entry.same.kind == PROFIL_KIND_OWNER && entry.pid)
		profil_owner_refresh(recording, &entry);
	profil_describe_entry(describe, &entry, recording, session->ns);
	err = profil_describe_file(describe, recording, &entry);
	profil_file_put(entry.file);
	put_pid(entry.pid);
	return err;
}

/**
 * profil_session_describe() - PROFIL_DESCRIBE
 * @session: the file's session
 * @arg: copied from user space; its output is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error that <linux/profil_record.h> lists.
 */
int profil_session_describe(struct profil_session *session, union profil_argument *arg)
{
	struct profil_describe *describe = &arg->describe;
	struct profil_describe fresh = {
		.size = describe->size,
		.flags = describe->flags,
		.profile = describe->profile,
		.number = describe->number,
		.path = describe->path,
		.path_size = describe->path_size,
		.highest = PROFIL_NUMBERS_MAX,
		.fd = -1,
	};
	struct profil_profile *profile;
	int err;

	if (describe->flags & ~(u32)FLAGS ||
	    !describe->path != !describe->path_size || (describe->flags && !describe->number))
		return -EINVAL;
	if (describe->flags & PROFIL_DESCRIBE_FORGET && describe->number <= PROFIL_NUMBERS_FIXED)
		return -EINVAL;
	profile = profil_session_find(session, describe->profile);
	if (!profile)
		return -ENOENT;
	*describe = fresh;
	err = profil_describe_recording(session, profile->recording, describe);
	profil_profile_put(profile);
	return err;
}

/**
 * profil_describe_undo() - close a descriptor that the caller will not learn about
 * @session: the file's session
 * @arg: the outcome of the command
 *
 * A released file stays released, and a forgotten number forgotten.
 *
 * Context: Process context, may sleep.
 */
void profil_describe_undo(struct profil_session *session, const union profil_argument *arg)
{
	if (arg->describe.fd >= 0)
		close_fd(arg->describe.fd);
}
