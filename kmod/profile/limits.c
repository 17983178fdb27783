// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits on what a user may hold: profiles, pinned pages, ticks per second.
 *
 * RLIMIT_MEMLOCK bounds one address space, and fork makes new ones; so each user
 * also has an account, to which forked children are charged as well.  Pages are
 * uncharged only after they are really unpinned.
 *
 * Context: process
 */
#include "profile/limits.h"

#include "clock/clock.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/time64.h>

static unsigned int max_rate = 50000;
module_param(max_rate, uint, 0644);
MODULE_PARM_DESC(max_rate, "upper rate of a profile, in Hz");

static unsigned int max_user_rate = 1024;
module_param(max_user_rate, uint, 0644);
MODULE_PARM_DESC(max_user_rate, "upper rate of a profile without CAP_PERFMON, in Hz");

static unsigned int rate_budget = 10000000;
module_param(rate_budget, uint, 0644);
MODULE_PARM_DESC(rate_budget, "sum of the rates of all profiles without CAP_PERFMON, in Hz");

static unsigned int user_rate_budget = 1048576;
module_param(user_rate_budget, uint, 0644);
MODULE_PARM_DESC(user_rate_budget, "sum of the rates of a user's profiles without CAP_PERFMON, in Hz");

static unsigned int max_user_profiles = 16384;
module_param(max_user_profiles, uint, 0644);
MODULE_PARM_DESC(max_user_profiles, "profiles of a user without CAP_SYS_RESOURCE");

static unsigned long max_user_pages = 65536;
module_param(max_user_pages, ulong, 0644);
MODULE_PARM_DESC(max_user_pages, "pinned pages of a user without CAP_SYS_RESOURCE");

static unsigned long max_pages = 1048576;
module_param(max_pages, ulong, 0644);
MODULE_PARM_DESC(max_pages, "pinned pages of all users without CAP_SYS_RESOURCE");

static int max_user_watches = 65536;
module_param(max_user_watches, int, 0644);
MODULE_PARM_DESC(max_user_watches, "processes that a user's sessions may follow");

/* Guards the table, every profil_user in it, and the two sums. */
static DEFINE_SPINLOCK(users_lock);
static DEFINE_HASHTABLE(users, 6);
static unsigned long pages_sum;
static u64 rate_sum;

static struct profil_user *profil_user_lookup(kuid_t uid)
{
	struct profil_user *user;

	lockdep_assert_held(&users_lock);
	hash_for_each_possible(users, user, link, __kuid_val(uid))
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/**
 * profil_user_get() - get the account of a user
 * @uid: the user
 *
 * Context: Process context, may sleep.
 * Return: the account, referenced, or NULL without memory.
 */
struct profil_user *profil_user_get(kuid_t uid)
{
	struct profil_user *user, *fresh;

	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	if (!fresh)
		return NULL;
	fresh->uid = uid;

	spin_lock(&users_lock);
	user = profil_user_lookup(uid);
	if (!user) {
		user = fresh;
		fresh = NULL;
		hash_add(users, &user->link, __kuid_val(uid));
	}
	user->refs++;
	spin_unlock(&users_lock);

	kfree(fresh);
	return user;
}

/**
 * profil_user_put() - drop a reference
 * @user: an account; it is freed with its last reference
 *
 * Context: Process context.
 */
void profil_user_put(struct profil_user *user)
{
	spin_lock(&users_lock);
	if (--user->refs)
		user = NULL;
	else
		hash_del(&user->link);
	spin_unlock(&users_lock);
	kfree(user);
}

/**
 * profil_user_charge_profile() - charge one profile
 * @user: the account
 * @rate: its rate in Hz; 0 with CAP_PERFMON, and for a profile inherited by
 *	fork, which runs at a rate that its parent was charged for
 *
 * Context: Process context.
 * Return: 0, -EDQUOT above the user's limit of profiles, -EBUSY if a rate budget
 * is used up.
 */
int profil_user_charge_profile(struct profil_user *user, u64 rate)
{
	int err = 0;

	spin_lock(&users_lock);
	if (user->profiles >= READ_ONCE(max_user_profiles) && !capable(CAP_SYS_RESOURCE))
		err = -EDQUOT;
	else if (rate && rate_sum + rate > READ_ONCE(rate_budget))
		err = -EBUSY;
	else if (rate && user->rate + rate > READ_ONCE(user_rate_budget))
		err = -EBUSY;
	if (!err) {
		user->profiles++;
		user->rate += rate;
		rate_sum += rate;
	}
	spin_unlock(&users_lock);
	return err;
}

/**
 * profil_user_uncharge_profile() - undo profil_user_charge_profile()
 * @user: the account
 * @rate: the same rate
 *
 * Context: Process context.
 */
void profil_user_uncharge_profile(struct profil_user *user, u64 rate)
{
	spin_lock(&users_lock);
	user->profiles--;
	user->rate -= rate;
	rate_sum -= rate;
	spin_unlock(&users_lock);
}

/**
 * profil_user_charge_pages() - charge pages before they are pinned
 * @user: the account
 * @pages: how many
 *
 * Context: Process context.
 * Return: 0; -EDQUOT above the user's or the module's limit; -ENOMEM if the
 * machine does not have that many pages.
 */
int profil_user_charge_pages(struct profil_user *user, unsigned long pages)
{
	unsigned long most = READ_ONCE(max_pages), users_most = READ_ONCE(max_user_pages);
	unsigned long room;
	int err = 0;

	if (pages > totalram_pages())
		return -ENOMEM;
	spin_lock(&users_lock);
	room = most > pages_sum ? most - pages_sum : 0;
	if (pages > room && !capable(CAP_SYS_RESOURCE))
		err = -EDQUOT;
	room = users_most > user->pages ? users_most - user->pages : 0;
	if (!err && pages > room && !capable(CAP_SYS_RESOURCE))
		err = -EDQUOT;
	if (!err) {
		user->pages += pages;
		WRITE_ONCE(pages_sum, pages_sum + pages);
	}
	spin_unlock(&users_lock);
	return err;
}

/**
 * profil_user_uncharge_pages() - undo profil_user_charge_pages()
 * @user: the account
 * @pages: how many, after they are unpinned
 *
 * Context: Process context.
 */
void profil_user_uncharge_pages(struct profil_user *user, unsigned long pages)
{
	spin_lock(&users_lock);
	user->pages -= pages;
	WRITE_ONCE(pages_sum, pages_sum - pages);
	spin_unlock(&users_lock);
}

/**
 * profil_user_move_pages() - move a charge for pages to another user
 * @from: the account that was charged
 * @to: the account to charge, even above its limit: this pins nothing
 * @pages: how many
 *
 * Context: Process context.
 */
void profil_user_move_pages(struct profil_user *from, struct profil_user *to,
			    unsigned long pages)
{
	spin_lock(&users_lock);
	from->pages -= pages;
	to->pages += pages;
	spin_unlock(&users_lock);
}

/**
 * profil_user_watch() - charge one followed process
 * @user: the account
 *
 * Context: Any.
 * Return: false if the limit is reached.
 */
bool profil_user_watch(struct profil_user *user)
{
	if (atomic_inc_return(&user->watches) <= READ_ONCE(max_user_watches))
		return true;
	atomic_dec(&user->watches);
	return false;
}

/**
 * profil_user_unwatch() - undo profil_user_watch()
 * @user: the account
 *
 * Context: Any.
 */
void profil_user_unwatch(struct profil_user *user)
{
	atomic_dec(&user->watches);
}

/**
 * profil_user_pages() - a user's pinned pages and their limit
 * @uid: the user
 * @used: receives the number of pages that are pinned now
 * @max: receives the limit for the caller
 *
 * Context: Process context.
 */
void profil_user_pages(kuid_t uid, u64 *used, u64 *max)
{
	bool resource = capable(CAP_SYS_RESOURCE);
	struct profil_user *user;

	spin_lock(&users_lock);
	user = profil_user_lookup(uid);
	*used = user ? user->pages : 0;
	*max = resource ? max(READ_ONCE(max_pages), totalram_pages()) :
			  min(READ_ONCE(max_pages), READ_ONCE(max_user_pages));
	spin_unlock(&users_lock);
}

/**
 * profil_pinned_pages() - pages that are pinned now, for all users
 *
 * Context: Any.
 * Return: the number of pages.
 */
unsigned long profil_pinned_pages(void)
{
	return READ_ONCE(pages_sum);
}

/**
 * profil_period_min() - the shortest period that the caller may ask for
 *
 * Context: Process context.
 * Return: ns.
 */
u64 profil_period_min(void)
{
	unsigned int rate = READ_ONCE(max_rate);

	if (!perfmon_capable())
		rate = min(rate, READ_ONCE(max_user_rate));
	return max_t(u64, div_u64(NSEC_PER_SEC, max(rate, 1U)), PROFIL_CLOCK_MIN);
}
