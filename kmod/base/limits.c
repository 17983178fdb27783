// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits on what a user may hold: profiles, pinned pages, ticks per second.
 *
 * Each user has an account, which also pays for the profiles of forked children.  Users of
 * a user namespace are also charged to the account of its owner, and so on upwards, so
 * subordinate user IDs do not multiply a user's limits.  Pages are uncharged only after they
 * are unpinned.
 *
 * The rates of all users together have no limit: profiles share the clock, and a process
 * without a profile has no ticks.
 *
 * Context: process
 */
#include "base/limits.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>

static unsigned int user_rate_budget = 1048576;
module_param(user_rate_budget, uint, 0644);
MODULE_PARM_DESC(user_rate_budget, "sum of the rates of a user's profiles without CAP_PERFMON, in Hz");

static unsigned int max_user_profiles = 16384;
module_param(max_user_profiles, uint, 0644);
MODULE_PARM_DESC(max_user_profiles, "profiles of a user without CAP_SYS_RESOURCE");

static unsigned long max_user_pages = 65536;
module_param(max_user_pages, ulong, 0644);
MODULE_PARM_DESC(max_user_pages, "pinned pages of a user without CAP_SYS_RESOURCE");

static unsigned long max_pages;
module_param(max_pages, ulong, 0644);
MODULE_PARM_DESC(max_pages, "pinned pages of all users without CAP_SYS_RESOURCE (default: a quarter of the machine's)");

static int max_user_watches = 65536;
module_param(max_user_watches, int, 0644);
MODULE_PARM_DESC(max_user_watches, "processes that a user's sessions may follow, threads that they may record");

/* Pages that each user may pin even if others use up max_pages: RLIMIT_MEMLOCK's default. */
#define EVERYBODYS	(SZ_8M >> PAGE_SHIFT)

/* The most levels of user namespaces (create_user_ns()), the initial one included. */
#define LEVELS		34

/* Guards the table, every profil_user in it, and pages_sum. */
static DEFINE_SPINLOCK(users_lock);
static DEFINE_HASHTABLE(users, 10);
static unsigned long pages_sum;

/* An account, and the accounts that are charged along with it. */
#define for_each_payer(payer, user)	for ((payer) = (user); (payer); (payer) = (payer)->parent)

static unsigned long profil_user_key(kuid_t uid, const struct user_namespace *ns)
{
	return (uintptr_t)ns + __kuid_val(uid);
}

static struct profil_user *profil_user_lookup(kuid_t uid, const struct user_namespace *ns)
{
	struct profil_user *user;

	lockdep_assert_held(&users_lock);
	hash_for_each_possible(users, user, link, profil_user_key(uid, ns))
		if (uid_eq(user->uid, uid) && user->ns == ns)
			return user;
	return NULL;
}

/* The account of @uid in @ns, referenced; takes over the caller's reference to @parent. */
static struct profil_user *profil_user_get_one(kuid_t uid, struct user_namespace *ns,
					       struct profil_user *parent)
{
	struct profil_user *user, *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);

	spin_lock(&users_lock);
	user = profil_user_lookup(uid, ns);
	if (!user && fresh) {
		user = fresh;
		fresh = NULL;
		user->uid = uid;
		user->ns = get_user_ns(ns);
		user->parent = parent;
		parent = NULL;
		hash_add(users, &user->link, profil_user_key(uid, ns));
	}
	if (user)
		user->refs++;
	spin_unlock(&users_lock);
	kfree(fresh);
	profil_user_put(parent);
	return user;
}

/* Get or create the account of current's user, and the accounts above it. */
static struct profil_user *profil_user_make(void)
{
	struct user_namespace *ns[LEVELS] = { current_user_ns() };
	kuid_t uid[LEVELS] = { current_uid() };
	struct profil_user *user = NULL;
	bool roots = false;
	int i;

	for (i = 0; ns[i]->parent && !roots && i < LEVELS - 1; i++) {
		uid[i + 1] = ns[i]->owner;
		/* Root pays for no other user: each of its containers has its own account. */
		roots = uid_eq(ns[i]->owner, GLOBAL_ROOT_UID);
		ns[i + 1] = roots ? ns[i] : ns[i]->parent;
	}
	/* The outermost account first: each is the parent of the next. */
	do {
		user = profil_user_get_one(uid[i], ns[i], user);
	} while (user && i--);
	return user;
}

/**
 * profil_user_get() - get the account of current's user
 *
 * Context: Process context, may sleep.
 * Return: the account, referenced, or NULL if there is no memory.
 */
struct profil_user *profil_user_get(void)
{
	struct profil_user *user;

	spin_lock(&users_lock);
	user = profil_user_lookup(current_uid(), current_user_ns());
	if (user)
		user->refs++;
	spin_unlock(&users_lock);
	return user ?: profil_user_make();
}

/**
 * profil_user_hold() - take another reference to an account
 * @user: an account that the caller has referenced
 *
 * Context: Process context.
 * Return: @user.
 */
struct profil_user *profil_user_hold(struct profil_user *user)
{
	spin_lock(&users_lock);
	user->refs++;
	spin_unlock(&users_lock);
	return user;
}

/**
 * profil_user_put() - drop a reference to an account
 * @user: the account, freed with its last reference; or NULL
 *
 * Context: Process context.
 */
void profil_user_put(struct profil_user *user)
{
	struct profil_user *parent;
	bool last;

	for (; user; user = parent) {
		spin_lock(&users_lock);
		parent = user->parent;
		last = !--user->refs;
		if (last)
			hash_del(&user->link);
		spin_unlock(&users_lock);
		if (!last)
			return;
		put_user_ns(user->ns);
		kfree(user);
	}
}

static int profil_user_check_profile(const struct profil_user *user, u64 rate)
{
	const struct profil_user *payer;

	for_each_payer(payer, user) {
		if (payer->profiles >= READ_ONCE(max_user_profiles) && !capable(CAP_SYS_RESOURCE))
			return -EDQUOT;
		if (rate && payer->rate + rate > READ_ONCE(user_rate_budget))
			return -EBUSY;
	}
	return 0;
}

/**
 * profil_user_charge_profile() - charge one profile
 * @user: the account
 * @rate: the profile's rate, in Hz; 0 for an event, with CAP_PERFMON, and for a profile
 *	that a forked child inherits: its parent was charged for that rate
 *
 * Context: Process context.
 * Return: 0, -EDQUOT above the user's limit of profiles, -EBUSY if the rate budget
 * is used up.
 */
int profil_user_charge_profile(struct profil_user *user, u64 rate)
{
	struct profil_user *payer;
	int err;

	spin_lock(&users_lock);
	err = profil_user_check_profile(user, rate);
	if (!err) {
		for_each_payer(payer, user) {
			payer->profiles++;
			payer->rate += rate;
		}
	}
	spin_unlock(&users_lock);
	return err;
}

/**
 * profil_user_uncharge_profile() - undo profil_user_charge_profile(), at once or in two steps
 * @user: the account
 * @profiles: 1; or 0 to uncharge only the rate, while the profile still exists
 * @rate: the rate that was charged; or 0 if it has been uncharged already
 *
 * Context: Process context.
 */
void profil_user_uncharge_profile(struct profil_user *user, unsigned int profiles, u64 rate)
{
	struct profil_user *payer;

	spin_lock(&users_lock);
	for_each_payer(payer, user) {
		payer->profiles -= profiles;
		payer->rate -= rate;
	}
	spin_unlock(&users_lock);
}

static bool profil_user_has_room(const struct profil_user *user, unsigned long pages)
{
	unsigned long most = READ_ONCE(max_pages), users_most = READ_ONCE(max_user_pages);
	const struct profil_user *payer;

	if (!pages)	/* The account may already be above a limit that was lowered. */
		return true;
	for_each_payer(payer, user) {
		if (payer->pages + pages > users_most)
			return false;
		/* Beyond max_pages, only outermost accounts have a share of their own. */
		if (!payer->parent && pages_sum + pages > most && payer->pages + pages > EVERYBODYS)
			return false;
	}
	return true;
}

static int profil_user_check_pages(const struct profil_user *user, unsigned long pages)
{
	if (pages > totalram_pages())
		return -ENOMEM;
	return profil_user_has_room(user, pages) || capable(CAP_SYS_RESOURCE) ? 0 : -EDQUOT;
}

static void profil_user_add_pages(struct profil_user *user, long pages)
{
	struct profil_user *payer;

	lockdep_assert_held(&users_lock);
	for_each_payer(payer, user)
		payer->pages += pages;
}

/**
 * profil_user_charge_pages() - charge pages before they are pinned
 * @user: the account
 * @pages: number of pages
 *
 * Context: Process context.
 * Return: 0; -EDQUOT above the user's or the module's limit; -ENOMEM if the
 * machine does not have that many pages.
 */
int profil_user_charge_pages(struct profil_user *user, unsigned long pages)
{
	int err;

	spin_lock(&users_lock);
	err = profil_user_check_pages(user, pages);
	if (!err) {
		profil_user_add_pages(user, pages);
		WRITE_ONCE(pages_sum, pages_sum + pages);
	}
	spin_unlock(&users_lock);
	return err;
}

/**
 * profil_user_shift_pages() - charge an account for more or fewer pages, whatever its limit is
 * @user: the account
 * @pages: number of pages to add, below 0 to subtract; none of them is pinned
 *
 * These pages do not count towards max_pages, so they take nothing from other users.
 *
 * Context: Process context.
 */
void profil_user_shift_pages(struct profil_user *user, long pages)
{
	spin_lock(&users_lock);
	profil_user_add_pages(user, pages);
	spin_unlock(&users_lock);
}

/**
 * profil_user_may_shift() - may an account pay for more pages with profil_user_shift_pages()?
 * @user: the account
 * @pages: number of pages to add
 *
 * Context: Process context.
 * Return: false if that would exceed the user's limit.
 */
bool profil_user_may_shift(const struct profil_user *user, unsigned long pages)
{
	const struct profil_user *payer;
	bool may = true;

	spin_lock(&users_lock);
	for_each_payer(payer, user)
		may = may && payer->pages + pages <= READ_ONCE(max_user_pages);
	spin_unlock(&users_lock);
	return may || capable(CAP_SYS_RESOURCE);
}

/**
 * profil_user_uncharge_pages() - undo profil_user_charge_pages()
 * @user: the account
 * @pages: number of pages, already unpinned
 *
 * Context: Process context.
 */
void profil_user_uncharge_pages(struct profil_user *user, unsigned long pages)
{
	spin_lock(&users_lock);
	profil_user_add_pages(user, -pages);
	WRITE_ONCE(pages_sum, pages_sum - pages);
	spin_unlock(&users_lock);
}

/**
 * profil_user_watch() - charge one followed process, or one recorded thread
 * @user: the account
 *
 * Context: Any.
 * Return: false if the limit is reached.
 */
bool profil_user_watch(struct profil_user *user)
{
	struct profil_user *payer, *undo;

	for_each_payer(payer, user) {
		if (atomic_inc_return(&payer->watches) <= READ_ONCE(max_user_watches))
			continue;
		for (undo = user; undo != payer->parent; undo = undo->parent)
			atomic_dec(&undo->watches);
		return false;
	}
	return true;
}

/**
 * profil_user_unwatch() - undo profil_user_watch()
 * @user: the account
 *
 * Context: Any.
 */
void profil_user_unwatch(struct profil_user *user)
{
	struct profil_user *payer;

	for_each_payer(payer, user)
		atomic_dec(&payer->watches);
}

/**
 * profil_user_pages() - the pages charged to the caller's user, and the limit
 * @used: receives the number of pages that are charged now
 * @max: receives the number of pages that the caller's user may pin
 *
 * Context: Process context.
 */
void profil_user_pages(u64 *used, u64 *max)
{
	bool resource = capable(CAP_SYS_RESOURCE);
	struct profil_user *user;

	spin_lock(&users_lock);
	user = profil_user_lookup(current_uid(), current_user_ns());
	*used = user ? user->pages : 0;
	*max = resource ? max(READ_ONCE(max_pages), totalram_pages()) :
			  min(READ_ONCE(max_pages), READ_ONCE(max_user_pages));
	spin_unlock(&users_lock);
}

/**
 * profil_pinned_pages() - the pages that count towards max_pages now, for all users
 *
 * Context: Any.
 * Return: the number of pages: pinned ones, and those of kernel memory charged with them.
 */
unsigned long profil_pinned_pages(void)
{
	return READ_ONCE(pages_sum);
}

/**
 * profil_limits_init() - set limits that depend on the machine
 *
 * Context: Process context.
 */
void profil_limits_init(void)
{
	if (!max_pages)
		max_pages = totalram_pages() / 4;
}
