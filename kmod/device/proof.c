// SPDX-License-Identifier: GPL-2.0-only
/*
 * The proof that the caller may record a process: a perf event on it.
 *
 * ptrace_may_access() is not exported to modules.  But perf_event_open(2) makes
 * every check that the kernel has for this (perf_event_paranoid, CAP_PERFMON,
 * ptrace, security modules), and a caller that has passed them holds a
 * descriptor.  So every caller must show such a descriptor, even root, except to record itself.
 *
 * A caller with CAP_PERFMON may open an event on any task: perf checks no more than it does for
 * a system-wide event.  So one system-wide event is enough for many tasks.
 *
 * A descriptor can be passed on, and outlive the permission it was granted with:
 *  - it may be another user's: its opener's credentials must be the caller's;
 *  - a counting event is granted more easily, and gives no right to PCs: the
 *    event must sample;
 *  - an event that excludes user mode is accepted only if the recording samples that event in
 *    the kernel.  Its ticks may count where the program called the kernel: perf, too, gives the
 *    owner of such an event the program's registers, and requires more for sampling the kernel;
 *  - inherited contexts move between tasks: inherit must be 0;
 *  - the target may have exec'ed a set-uid program since: the kernel then
 *    removes its events, which is checked here under exec_update_lock.
 *
 * Context: process
 */
#include "device/device.h"

#include "compat.h"

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/kallsyms.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

/*
 * Return: true if @symbol is the first instruction of @function.  Link-time optimization adds
 * a suffix to the name of some static functions: to those that it makes global (".llvm." and a
 * number, with Clang), and to those with a name that occurs in several files (a dot and a number).
 */
static bool profil_proof_is_function(const char *symbol, const char *function)
{
	size_t length = str_has_prefix(symbol, function);
	const char *end = strchr(symbol, '+');

	if (!length || !end || !str_has_prefix(end, "+0x0/") || strchr(symbol, '['))
		return false;
	return symbol[length] == '+' || symbol[length] == '.';
}

/* perf's file operations are not exported: compare the name of the release function. */
static int profil_proof_check_release(const struct file *file)
{
	static void *known;
	void *release = file->f_op->release;
	char *name;
	bool is;

	if (!release)
		return -EINVAL;
	if (release == READ_ONCE(known))
		return 0;
	name = kmalloc(KSYM_SYMBOL_LEN, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	sprint_symbol(name, (unsigned long)release);
	is = profil_proof_is_function(name, "perf_release");
	kfree(name);
	if (!is)
		return -EINVAL;
	WRITE_ONCE(known, release);
	return 0;
}

static int profil_proof_check_file(const struct file *file)
{
	if (file_inode(file)->i_sb->s_magic != ANON_INODE_FS_MAGIC ||
	    strcmp(file->f_path.dentry->d_name.name, "[perf_event]"))
		return -EINVAL;
	return profil_proof_check_release(file);
}

/* Return: true if the file was opened with the caller's credentials. */
static bool profil_proof_opened_by_caller(const struct file *file)
{
	const struct cred *opener = file->f_cred, *caller = current_cred();

	if (opener == caller)
		return true;
	return uid_eq(opener->uid, caller->uid) && uid_eq(opener->euid, caller->euid) &&
	       uid_eq(opener->fsuid, caller->fsuid) && gid_eq(opener->gid, caller->gid) &&
	       gid_eq(opener->fsgid, caller->fsgid) && opener->user_ns == caller->user_ns &&
	       cap_issubset(opener->cap_effective, caller->cap_effective);
}

/* An event may exclude user mode only if the recording samples that event in the kernel. */
static int profil_proof_check_event(const struct perf_event *event, u32 flags, bool kernel)
{
	const struct perf_event_attr *attr = &event->attr;
	bool user;

	if (!is_sampling_event((struct perf_event *)event) ||
	    !(attr->sample_type & PERF_SAMPLE_IP) || attr->inherit)
		return -EINVAL;
	kernel = kernel || flags & PROFIL_KERNEL_TICKS;
	user = !kernel || !(flags & PROFIL_EVENT);
	return (user && attr->exclude_user) || (kernel && attr->exclude_kernel) ? -EACCES : 0;
}

/* Find the caller's perf event, and take a reference to its file.  Return: 0 or -errno. */
static int profil_proof_get(struct profil_proof *proof, int fd, u32 flags, bool kernel)
{
	int err;

	proof->file = fget(fd);
	if (!proof->file)
		return -EBADF;
	err = profil_proof_check_file(proof->file);
	if (err)
		goto put;
	err = -EACCES;
	if (!profil_proof_opened_by_caller(proof->file))
		goto put;
	proof->event = proof->file->private_data;
	err = profil_proof_check_event(proof->event, flags, kernel);
	if (!err)
		return 0;
put:
	fput(proof->file);
	return err;
}

/* Find the proof's target: its event's task, or the one with the ID @thread; NULL: all tasks. */
static int profil_proof_find(struct profil_proof *proof, bool everybody, pid_t thread)
{
	const struct perf_event *event = proof->event;
	bool on_task = event->attach_state & PERF_ATTACH_TASK;
	struct pid *pid;

	proof->target = event->hw.target;
	proof->named = false;
	if (on_task && proof->target && !everybody)
		return thread ? -EINVAL : 0;
	if (on_task || proof->target)
		return -EINVAL;
	/* perf lets only users who may see every task open an event that samples all of a CPU. */
	if (everybody)
		return 0;
	if (thread <= 0)
		return -EINVAL;
	if (!perfmon_capable())
		return -EACCES;
	pid = find_get_pid(thread);
	proof->target = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	proof->named = true;
	return proof->target ? 0 : -ESRCH;
}

/**
 * profil_proof_open() - accept a descriptor as a proof
 * @proof: filled in; profil_proof_close() undoes it
 * @fd: the caller's descriptor
 * @flags: the recording's flags; with PROFIL_RECORD_EVERYBODY, the proof must be for all tasks
 * @kernel: ticks in the kernel count at their addresses
 * @thread: with a system-wide event, the thread to profile, in current's PID namespace;
 *	else 0
 *
 * Context: Process context, may sleep.
 * Return: 0; -EBADF; -EINVAL if @fd is not a sampling perf event (of all tasks with @thread or
 * PROFIL_RECORD_EVERYBODY, otherwise of one task); -EACCES if the event does not permit this to the
 * caller; -ESRCH if there is no such thread; -ENOMEM.
 */
int profil_proof_open(struct profil_proof *proof, int fd, u32 flags, bool kernel, pid_t thread)
{
	int err = profil_proof_get(proof, fd, flags, kernel);

	if (err)
		return err;
	err = profil_proof_find(proof, flags & PROFIL_RECORD_EVERYBODY, thread);
	if (err)
		fput(proof->file);
	return err;
}

/**
 * profil_proof_self() - let the caller record itself
 * @proof: filled in; profil_proof_close() undoes it
 * @thread: the calling thread is recorded, not its process
 *
 * Context: Process context.
 * Return: 0; -EINVAL if @thread is given by io_uring, whose workers are threads of the process.
 */
int profil_proof_self(struct profil_proof *proof, bool thread)
{
	if (thread && current->flags & PF_IO_WORKER)
		return -EINVAL;
	*proof = (struct profil_proof){ .target = get_task_struct(current), .named = true };
	return 0;
}

/**
 * profil_proof_close() - undo profil_proof_open() or profil_proof_self()
 * @proof: an opened proof
 *
 * Context: Process context.
 */
void profil_proof_close(struct profil_proof *proof)
{
	if (proof->named)
		put_task_struct(proof->target);
	profil_file_put(proof->file);
}

static bool profil_proof_on_target(const struct profil_proof *proof)
{
	const struct perf_event_context *ctx;
	bool is;

	/* The last thread has begun to exit, and the target's end may have been reported. */
	if (!atomic_read(&proof->target->signal->live))
		return false;
	if (proof->named)
		return true;
	rcu_read_lock();
	ctx = READ_ONCE(proof->event->ctx);
	is = ctx && READ_ONCE(ctx->task) == proof->target &&
	     READ_ONCE(proof->event->state) > PERF_EVENT_STATE_EXIT;
	rcu_read_unlock();
	return is;
}

/*
 * An event stays open when its target changes credentials or clears its dumpable flag
 * (both make the target not dumpable).  But the event sees one thread, and a profile
 * sees all threads and their children.  So repeat ptrace's check of the mm.
 */
static bool profil_proof_may_see(const struct profil_proof *proof, struct mm_struct *mm)
{
	struct task_struct *target = proof->target;

	return profil_dumpable(target, mm) || same_thread_group(current, target) ||
	       perfmon_capable() || ns_capable(profil_dump_ns(target, mm), CAP_SYS_PTRACE);
}

/*
 * Get the target's address space, grabbed; NULL if it has none.  mm_users is not raised: if the
 * target exited meanwhile, the end of its address space, which closes files, would have to be left
 * to a worker.
 */
static struct mm_struct *profil_proof_mm(const struct profil_proof *proof)
{
	struct task_struct *target = proof->target;
	struct mm_struct *mm;

	task_lock(target);
	mm = target->flags & PF_KTHREAD ? NULL : target->mm;
	if (mm)
		mmgrab(mm);
	task_unlock(target);
	return mm;
}

/**
 * profil_proof_enter() - get the address space that the proof gives access to
 * @proof: an opened proof
 *
 * The target cannot exec until profil_proof_leave().
 *
 * Context: Process context, may sleep.
 * Return: the mm, grabbed; or an ERR_PTR: -ESRCH if the target is gone or the proof no longer
 * holds, -EACCES if the target is no longer dumpable, -EINTR.
 */
struct mm_struct *profil_proof_enter(struct profil_proof *proof)
{
	struct rw_semaphore *exec = &proof->target->signal->exec_update_lock;
	struct mm_struct *mm = NULL;
	int err = -ESRCH;

	/* The target may be waiting for memory in execve(2). */
	if (down_read_killable(exec))
		return ERR_PTR(-EINTR);
	if (profil_proof_on_target(proof))
		mm = profil_proof_mm(proof);
	if (mm) {
		if (profil_proof_may_see(proof, mm))
			return mm;
		mmdrop(mm);
		err = -EACCES;
	}
	up_read(exec);
	return ERR_PTR(err);
}

/**
 * profil_proof_leave() - undo profil_proof_enter()
 * @proof: an entered proof
 * @mm: the mm that profil_proof_enter() returned
 *
 * Context: Process context, may sleep.
 */
void profil_proof_leave(struct profil_proof *proof, struct mm_struct *mm)
{
	up_read(&proof->target->signal->exec_update_lock);
	mmdrop(mm);
}
