// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for tallies: allocated for several profiles of a user at once.
 *
 * For most allocations, the kernel's allocator of per-CPU memory searches a whole chunk, which
 * would cost a start more than everything else it does.  A profile takes a place that others of
 * its user and memory cgroup have left free, so a cgroup never pays for more than its profiles
 * needed at once, unless two started together.
 *
 * Context: process
 */
#include "profile/tallies.h"

#include "profile/limits.h"
#include "profile/stats.h"

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/memcontrol.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

/* Per-CPU memory that is allocated at once: 2 KiB on each CPU. */
#define PLACES	16

/**
 * struct profil_tallies - tallies that were allocated together
 * @link: in the list of their user, while there is a place
 * @memcg: the cgroup that pays for them, referenced; or NULL
 * @user: the account of the profiles that use them, which keep it
 * @used: the places that are in use; guarded by the lock of @user's list, as is @link
 * @tally: the places, one after the other
 */
struct profil_tallies {
	struct hlist_node link;
	struct mem_cgroup *memcg;
	struct profil_user *user;
	DECLARE_BITMAP(used, PLACES);
	struct profil_tally __percpu *tally;
};

static void profil_tallies_free(struct profil_tallies *tallies)
{
	if (!tallies)
		return;
	mem_cgroup_put(tallies->memcg);
	free_percpu(tallies->tally);
	kfree(tallies);
}

/* Takes over the reference to @memcg. */
static struct profil_tallies *profil_tallies_alloc(struct profil_user *user,
						   struct mem_cgroup *memcg)
{
	struct profil_tallies *tallies = kzalloc(sizeof(*tallies), GFP_KERNEL_ACCOUNT);

	if (!tallies) {
		mem_cgroup_put(memcg);
		return NULL;
	}
	tallies->memcg = memcg;
	tallies->user = user;
	tallies->tally = __alloc_percpu_gfp(PLACES * sizeof(struct profil_tally),
					    __alignof__(struct profil_tally), GFP_KERNEL_ACCOUNT);
	if (tallies->tally)
		return tallies;
	profil_tallies_free(tallies);
	return NULL;
}

/* Take a place among tallies that have a free one. */
static struct profil_tally __percpu *profil_tallies_take(struct profil_tallies *tallies)
{
	unsigned int place = find_first_zero_bit(tallies->used, PLACES);

	lockdep_assert_held(&tallies->user->tallies_lock);
	__set_bit(place, tallies->used);
	if (bitmap_full(tallies->used, PLACES))
		hlist_del(&tallies->link);
	return tallies->tally + place;
}

static struct profil_tally __percpu *profil_tallies_find(struct profil_user *user,
							 const struct mem_cgroup *memcg,
							 struct profil_tallies **found)
{
	struct profil_tally __percpu *tally = NULL;
	struct profil_tallies *tallies;

	spin_lock(&user->tallies_lock);
	hlist_for_each_entry(tallies, &user->tallies, link) {
		if (tallies->memcg != memcg)
			continue;
		tally = profil_tallies_take(tallies);
		*found = tallies;
		break;
	}
	spin_unlock(&user->tallies_lock);
	return tally;
}

/**
 * profil_tally_alloc() - allocate a profile's tally
 * @user: the account of the profile's user, which it references
 * @tallies: receives what profil_tally_free() needs
 *
 * Context: Process context, may sleep; at current's expense.
 * Return: the tally, which another profile may have used; or NULL without memory.
 */
struct profil_tally __percpu *profil_tally_alloc(struct profil_user *user,
						 struct profil_tallies **tallies)
{
	struct mem_cgroup *memcg = get_mem_cgroup_from_mm(current->mm);
	struct profil_tally __percpu *tally = profil_tallies_find(user, memcg, tallies);

	if (tally) {
		mem_cgroup_put(memcg);
		return tally;
	}
	*tallies = profil_tallies_alloc(user, memcg);
	if (!*tallies)
		return NULL;
	spin_lock(&user->tallies_lock);
	hlist_add_head(&(*tallies)->link, &user->tallies);
	tally = profil_tallies_take(*tallies);
	spin_unlock(&user->tallies_lock);
	return tally;
}

/**
 * profil_tally_free() - free a profile's tally
 * @tallies: of profil_tally_alloc()
 * @tally: likewise; no tick can reach it any more, and its user is still referenced
 *
 * Context: Process context.
 */
void profil_tally_free(struct profil_tallies *tallies, struct profil_tally __percpu *tally)
{
	struct profil_user *user = tallies->user;

	spin_lock(&user->tallies_lock);
	if (bitmap_full(tallies->used, PLACES))
		hlist_add_head(&tallies->link, &user->tallies);
	__clear_bit(tally - tallies->tally, tallies->used);
	if (bitmap_empty(tallies->used, PLACES))
		hlist_del(&tallies->link);
	else
		tallies = NULL;
	spin_unlock(&user->tallies_lock);
	profil_tallies_free(tallies);
}
