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

/* The payload of a command: user space shares it and may change it. */
static inline const void *profil_uring_payload(const struct io_uring_cmd *cmd)
{
#if PROFIL_HAS_URING_CMD_SQE
	/* io_uring_sqe_cmd() came later, and has since got a second argument. */
	return cmd->sqe->cmd;
#else
	return cmd->cmd;
#endif
}

/*
 * Pin a page of current's memory that is present and writable.  With @fault, also fault it in,
 * unless that would block.  Return: 1; or, as pin_user_pages(), less if the page is missing.
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

/* Tasks that may run in a user's address space but have no user registers. */
#ifdef PF_USER_WORKER
#define PROFIL_PF_NO_USER_PC	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define PROFIL_PF_NO_USER_PC	(PF_KTHREAD | PF_IO_WORKER)
#endif

/* Arguments of a probe on sched_process_exit after the private pointer. */
#if PROFIL_HAS_EXIT_GROUP_DEAD
#define PROFIL_EXIT_PROTO	struct task_struct *task, bool group_dead
#else
#define PROFIL_EXIT_PROTO	struct task_struct *task
#endif

#if PROFIL_HAS_HRTIMER_BASES
#include <linux/hrtimer_bases.h>
#endif

/* How many interrupts for high-resolution timers this CPU had.  Context: a timer. */
static __always_inline unsigned int profil_hrtimer_interrupts(const struct hrtimer *timer)
{
#ifdef CONFIG_HIGH_RES_TIMERS
	return timer->base->cpu_base->nr_events;
#else
	return 0;
#endif
}

/* Return: false if timers wait for the scheduler's tick instead.  Context: a timer. */
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
 * not.  Both belong to the address space, although the task has them since 7.2.  @mm is
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
 * When a file was changed, in ns.  The file is not locked, so the value is only good for
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

/* The path of a mapping's file as user space knows it: overlayfs maps a file of a layer. */
static inline const struct path *profil_user_path(const struct file *file)
{
#if PROFIL_HAS_FILE_USER_PATH
	return file_user_path((struct file *)file);
#else
	return &file->f_path;
#endif
}

/* When the task was last switched in, in ns of the scheduler's clock; 0: unknown. */
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

/* In hw.interrupts of an event that perf has stopped until the next jiffy: private to perf. */
#define PROFIL_PERF_THROTTLED	(~0ULL)

/**
 * struct profil_code - where a kernel module has code
 * @start: its address
 * @bytes: its size; 0: there is none
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

/* Its init code, which runs only when it is loaded. */
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
