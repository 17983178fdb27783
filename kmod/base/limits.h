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
 * @link: in the table
 * @uid: the user
 * @ns: the namespace, referenced
 * @parent: the account that is charged for all of the namespace, referenced: that of its
 *	owner, or one of the namespace if root owns it; NULL: none
 * @refs: profiles, pins and accounts that are charged here; guarded by the table's lock
 * @profiles: profiles
 * @pages: pinned pages
 * @rate: sum of the rates asked for, in Hz
 * @watches: processes that the user's sessions follow; not guarded by the lock
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
 * profil_user_outermost() - the user of the machine who pays for an account
 * @user: the account
 *
 * Context: Any; @user is kept.
 * Return: that user's account.
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
 * Reclaiming may take long, while other users' works wait for a worker.  So only one worker
 * at a time reclaims for each payer.
 *
 * Context: Any.
 * Return: true if it may, until profil_user_reclaimed().
 */
static inline bool profil_user_reclaim(struct profil_user *user)
{
	return !test_and_set_bit_lock(0, &profil_user_outermost(user)->reclaiming);
}

/**
 * profil_user_reclaimed() - the worker has reclaimed
 * @user: as for profil_user_reclaim()
 *
 * Context: Any.
 */
static inline void profil_user_reclaimed(struct profil_user *user)
{
	clear_bit_unlock(0, &profil_user_outermost(user)->reclaiming);
}

#endif /* PROFIL_LIMITS_H */
