/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits on what a user may hold: profiles, pinned pages, ticks per second.
 *
 * Context: process
 */
#ifndef PROFIL_LIMITS_H
#define PROFIL_LIMITS_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/spinlock_types.h>
#include <linux/uidgid.h>

struct user_namespace;

/**
 * struct profil_user - the account of one user of a user namespace
 * @link: in the table of accounts
 * @uid: the user
 * @ns: the namespace, referenced
 * @parent: the account that is charged for the whole namespace, referenced: its owner's, or, if
 *	root owns the namespace, the namespace's own; NULL: none
 * @refs: references held by profiles, pins, recordings and accounts; guarded by the table's lock
 * @profiles: number of profiles
 * @pages: number of charged pages: pinned ones, and those of kernel memory
 * @rate: sum of the charged rates, in Hz
 * @watches: number of followed processes and recorded threads; not guarded by the lock
 * @reclaiming: bit 0: a worker reclaims memory for a user that this account pays for
 */
struct profil_user {
	struct hlist_node link;
	kuid_t uid;
	struct user_namespace *ns;
	struct profil_user *parent;
	unsigned int refs;
	unsigned long profiles;
	unsigned long pages;
	u64 rate;
	atomic_t watches;
	unsigned long reclaiming;
};

struct profil_user *profil_user_get(void);
struct profil_user *profil_user_hold(struct profil_user *user);
void profil_user_put(struct profil_user *user);
int profil_user_charge_profile(struct profil_user *user, u64 rate);
void profil_user_uncharge_profile(struct profil_user *user, unsigned int profiles, u64 rate);
int profil_user_charge_pages(struct profil_user *user, unsigned long pages);
void profil_user_shift_pages(struct profil_user *user, long pages);
bool profil_user_may_shift(const struct profil_user *user, unsigned long pages);
void profil_user_uncharge_pages(struct profil_user *user, unsigned long pages);
bool profil_user_watch(struct profil_user *user);
void profil_user_unwatch(struct profil_user *user);
void profil_user_pages(u64 *used, u64 *max);
unsigned long profil_pinned_pages(void);
void profil_limits_init(void);

/**
 * profil_user_outermost() - find the outermost account that pays for an account
 * @user: the account, referenced by the caller
 *
 * Context: Any.
 * Return: the outermost account, which has no parent.
 */
static inline struct profil_user *profil_user_outermost(struct profil_user *user)
{
	while (user->parent)
		user = user->parent;
	return user;
}

/**
 * profil_user_reclaim() - may a worker reclaim memory for a user?
 * @user: the account
 *
 * Reclaiming may take a long time, and other users' work waits for a worker.  So only one
 * worker at a time reclaims for each payer.
 *
 * Context: Any.
 * Return: true if it may; it then calls profil_user_reclaimed().
 */
static inline bool profil_user_reclaim(struct profil_user *user)
{
	return !test_and_set_bit_lock(0, &profil_user_outermost(user)->reclaiming);
}

/**
 * profil_user_reclaimed() - undo profil_user_reclaim()
 * @user: as for profil_user_reclaim()
 *
 * Context: Any.
 */
static inline void profil_user_reclaimed(struct profil_user *user)
{
	clear_bit_unlock(0, &profil_user_outermost(user)->reclaiming);
}

#endif /* PROFIL_LIMITS_H */
