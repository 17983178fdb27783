/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels: no other file may test for one.
 *
 * Distribution kernels have backports from later versions, so no version is tested.  For each
 * difference, a program in features/ tests what the kernel has.
 *
 * Context: any, unless a function says otherwise
 */
#ifndef PROFIL_COMPAT_H
#define PROFIL_COMPAT_H

#include "features.h"

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>

#if PROFIL_HAS_URING_CMD_HEADER
#include <linux/io_uring/cmd.h>
#else
#include <linux/io_uring.h>
#endif

/* The payload of a command, which user space shares and may change at any time. */
static inline const void *profil_uring_payload(const struct io_uring_cmd *cmd)
{
#if PROFIL_HAS_URING_CMD_SQE
	/* Not by io_uring_sqe_cmd(), which came later and has changed its arguments since. */
	return cmd->sqe->cmd;
#else
	return cmd->cmd;
#endif
}

/*
 * Pin a page of current's memory that is present and writable.  If @fault is set, also fault it in,
 * unless that would block.  Return: 1; or pin_user_pages()'s 0 or error if the page is not pinned.
 * Context: Process context; mmap_lock is held for reading.
 */
static inline long profil_pin_user_page(unsigned long at, struct page **page, bool fault)
{
	unsigned int flags = FOLL_WRITE | FOLL_LONGTERM | (fault ? FOLL_NOWAIT : FOLL_NOFAULT);

#if !PROFIL_HAS_PIN_USER_PAGES_VMAS
	return pin_user_pages(at, 1, flags, page);
#else
	return pin_user_pages(at, 1, flags, page, NULL);
#endif
}

/* Flags of tasks that may run in a user's address space but have no user registers. */
#ifdef PF_USER_WORKER
#define PROFIL_PF_NO_USER_PC	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define PROFIL_PF_NO_USER_PC	(PF_KTHREAD | PF_IO_WORKER)
#endif

/* Arguments of a probe on sched_process_exit, after the private pointer. */
#if PROFIL_HAS_EXIT_GROUP_DEAD
#define PROFIL_EXIT_PROTO	struct task_struct *task, bool group_dead
#else
#define PROFIL_EXIT_PROTO	struct task_struct *task
#endif

#if PROFIL_HAS_HRTIMER_BASES
#include <linux/hrtimer_bases.h>
#endif

/* The number of high-resolution timer interrupts that this CPU has had.  Context: A timer. */
static __always_inline unsigned int profil_hrtimer_interrupts(const struct hrtimer *timer)
{
#ifdef CONFIG_HIGH_RES_TIMERS
	return timer->base->cpu_base->nr_events;
#else
	return 0;
#endif
}

/* Return: false if timers run in the scheduler's tick, at its resolution.  Context: A timer. */
static inline bool profil_hrtimer_is_precise(const struct hrtimer *timer)
{
	return IS_ENABLED(CONFIG_HIGH_RES_TIMERS) && timer->base->cpu_base->hres_active;
}

static inline void profil_hrtimer_setup(struct hrtimer *timer,
					enum hrtimer_restart (*function)(struct hrtimer *),
					clockid_t clock, enum hrtimer_mode mode)
{
#if PROFIL_HAS_HRTIMER_SETUP
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

/*
 * Whether a program is dumpable, and the namespace whose CAP_SYS_PTRACE is needed if
 * not.  Both are properties of the address space; since 7.2 the task holds them.  @mm is
 * @task's, and @task is current or its exec_update_lock is held.
 */
#if PROFIL_HAS_EXEC_STATE
#include <linux/sched/exec_state.h>

static inline const struct task_exec_state *
profil_exec_state(const struct task_struct *task)
{
	return rcu_dereference_protected(task->exec_state, task == current ||
					 lockdep_is_held(&task->signal->exec_update_lock));
}

static inline bool profil_dumpable(const struct task_struct *task, struct mm_struct *mm)
{
	return READ_ONCE(profil_exec_state(task)->dumpable) == TASK_DUMPABLE_OWNER;
}

static inline struct user_namespace *profil_dump_ns(const struct task_struct *task,
						    const struct mm_struct *mm)
{
	return profil_exec_state(task)->user_ns;
}
#else
static inline bool profil_dumpable(const struct task_struct *task, struct mm_struct *mm)
{
	return get_dumpable(mm) == SUID_DUMP_USER;
}

static inline struct user_namespace *profil_dump_ns(const struct task_struct *task,
						    const struct mm_struct *mm)
{
	return mm->user_ns;
}
#endif

/*
 * The modification time of a file, in ns.  The file is not locked, so the value is only good for
 * comparing it with another one.
 */
static inline u64 profil_inode_change_time(const struct inode *inode)
{
#if PROFIL_HAS_INODE_GET_MTIME
	struct timespec64 time = inode_get_mtime(inode);
#else
	struct timespec64 time = inode->i_mtime;
#endif

	return timespec64_to_ns(&time);
}

/*
 * The file that an address space has executed, referenced, or NULL.
 * Context: Any but hard interrupt.
 */
static inline struct file *profil_exe_file(struct mm_struct *mm)
{
	struct file *file;

	rcu_read_lock();
#if PROFIL_HAS_GET_FILE_RCU_POINTER
	file = get_file_rcu(&mm->exe_file);
#else
	file = rcu_dereference(mm->exe_file);
	if (file && !get_file_rcu(file))
		file = NULL;
#endif
	rcu_read_unlock();
	return file;
}

/* The path of a mapped file as user space knows it: overlayfs maps the file of a layer. */
static inline const struct path *profil_user_path(const struct file *file)
{
#if PROFIL_HAS_FILE_USER_PATH
	return file_user_path((struct file *)file);
#else
	return &file->f_path;
#endif
}

/* The time when the task was last switched in, in ns of the scheduler's clock; 0: unknown. */
static inline u64 profil_task_arrival(const struct task_struct *task)
{
#ifdef CONFIG_SCHED_INFO
	return task->sched_info.last_arrival;
#else
	return 0;
#endif
}

/* Context: Any; @task is current. */
static __always_inline bool profil_task_uses_uring(const struct task_struct *task)
{
#ifdef CONFIG_IO_URING
	return task->io_uring;
#else
	return false;
#endif
}

/* perf's private MAX_INTERRUPTS: hw.interrupts while an event is throttled. */
#define PROFIL_PERF_THROTTLED	(~0ULL)

/**
 * struct profil_code - the code of a kernel module
 * @start: address of the code
 * @bytes: size of the code; 0: there is none
 */
struct profil_code {
	const void *start;
	u32 bytes;
};

static inline struct profil_code profil_module_code(const struct module *module)
{
#if PROFIL_HAS_MODULE_MEMORY
	return (struct profil_code){ module->mem[MOD_TEXT].base, module->mem[MOD_TEXT].size };
#else
	return (struct profil_code){ module->core_layout.base, module->core_layout.text_size };
#endif
}

/* The init code of a module, which runs only when the module is loaded. */
static inline struct profil_code profil_module_early_code(const struct module *module)
{
#if PROFIL_HAS_MODULE_MEMORY
	return (struct profil_code){ module->mem[MOD_INIT_TEXT].base,
				     module->mem[MOD_INIT_TEXT].size };
#else
	return (struct profil_code){ module->init_layout.base, module->init_layout.text_size };
#endif
}

#endif /* PROFIL_COMPAT_H */
