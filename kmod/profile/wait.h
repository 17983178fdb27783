/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting for user memory.
 *
 * A page may take as long as a userfaultfd handler or a file system likes, and so may a
 * lock whose holder waits for a page.  A command on a ring first runs under the ring's
 * lock, which others may need, and with page faults disabled.  There it must not wait: it
 * returns -EAGAIN, and io_uring has a worker run it.  The only exception is output that is
 * taken back (device/output.c).
 *
 * Context: process
 */
#ifndef PROFIL_WAIT_H
#define PROFIL_WAIT_H

#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/uaccess.h>

/**
 * profil_may_wait() - may current wait for user memory?
 *
 * Context: Process context.
 * Return: false if that must fail with -EAGAIN.
 */
static inline bool profil_may_wait(void)
{
	return !pagefault_disabled();
}

/**
 * profil_mmap_read_lock() - lock current's memory for reading
 * @mm: its mm
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINTR, -EAGAIN.
 */
static inline int profil_mmap_read_lock(struct mm_struct *mm)
{
	if (!profil_may_wait())
		return mmap_read_trylock(mm) ? 0 : -EAGAIN;
	return mmap_read_lock_killable(mm);
}

/**
 * profil_mmap_account_lock() - lock current's memory to change its locked_vm
 * @mm: its mm; unlock with up_write()
 *
 * Not mmap_write_lock(): a number changes, no mapping does.
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINTR, -EAGAIN.
 */
static inline int profil_mmap_account_lock(struct mm_struct *mm)
{
	if (!profil_may_wait())
		return down_write_trylock(&mm->mmap_lock) ? 0 : -EAGAIN;
	return down_write_killable(&mm->mmap_lock);
}

/**
 * profil_memory_lock() - lock a mutex that is held while its holder waits for memory
 * @lock: the mutex
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINTR, -EAGAIN.
 */
static inline int profil_memory_lock(struct mutex *lock)
{
	if (!profil_may_wait())
		return mutex_trylock(lock) ? 0 : -EAGAIN;
	return mutex_lock_killable(lock);
}

#endif /* PROFIL_WAIT_H */
