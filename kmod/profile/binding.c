// SPDX-License-Identifier: GPL-2.0-only
/*
 * A binding: it ties a profile to an address space, or to one of its threads.
 *
 * The table is keyed by mm and read by every tick.  An exec gives the task
 * another mm, which the old bindings do not match; the sweep later removes
 * bindings of address spaces that no task, or not their process, uses any more.
 *
 * Context: tracepoint probe
 */
#include "profile/binding.h"

#include "base/limits.h"
#include "profile/recording.h"

#include <linux/lockdep.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

struct profil_bucket profil_bindings[1 << PROFIL_BINDING_BITS];
DECLARE_BITMAP(profil_bindings_used, 1 << PROFIL_BINDING_BITS);
siphash_key_t profil_binding_key __ro_after_init;
u64 profil_binding_factor __ro_after_init;
atomic_t profil_binding_filter[1 << PROFIL_BINDING_BITS];
static atomic_t nr_bindings;

/**
 * profil_bindings_init() - choose the hashes, and initialise the table
 *
 * Context: Process context, before the first tick and the first probe.
 */
void profil_bindings_init(void)
{
	static struct lock_class_key key;

	profil_buckets_init(profil_bindings, ARRAY_SIZE(profil_bindings), &key);
	get_random_bytes(&profil_binding_key, sizeof(profil_binding_key));
	profil_binding_factor = get_random_u64() | 1;
}

/* Free a binding, and the list that begins at its @freed_next.  Context: Process. */
static void profil_binding_free_work(struct work_struct *work)
{
	struct profil_binding *next = container_of(to_rcu_work(work), struct profil_binding, free);
	struct profil_binding *binding;

	while ((binding = next)) {
		next = binding->freed_next;
		mmdrop(binding->mm);
		put_pid(binding->thread);
		put_pid(binding->process);
		if (binding->hits)
			profil_recording_cache(binding->profile->recording, binding->share, -1);
		profil_profile_put(binding->profile);
		kfree(binding->hits);
		kfree(binding);
		cond_resched();
	}
}

/**
 * profil_binding_alloc() - allocate a binding
 *
 * Context: Process context, may sleep.
 * Return: memory for profil_binding_init(), or NULL.
 */
struct profil_binding *profil_binding_alloc(void)
{
	return kmalloc(sizeof(struct profil_binding), GFP_KERNEL_ACCOUNT);
}

/**
 * profil_binding_free() - undo profil_binding_alloc()
 * @binding: not initialised; or NULL
 *
 * Context: Process.
 */
void profil_binding_free(struct profil_binding *binding)
{
	kfree(binding);
}

/**
 * profil_binding_init() - initialise a binding
 * @binding: memory for it
 * @mm: grabbed for the binding
 * @profile: referenced for the binding; the caller holds a reference
 *
 * Context: Any.
 */
void profil_binding_init(struct profil_binding *binding, struct mm_struct *mm,
			 struct profil_profile *profile)
{
	mmgrab(mm);
	kref_get(&profile->refs);
	INIT_HLIST_NODE(&binding->node);
	INIT_LIST_HEAD(&binding->link);
	INIT_RCU_WORK(&binding->free, profil_binding_free_work);
	binding->mm = mm;
	binding->thread = NULL;
	binding->process = NULL;
	binding->profile = profile;
	binding->owned.owner = 0;
	binding->life = 0;
	binding->share = 0;
	binding->hits = NULL;
	binding->freed_next = NULL;
	binding->key = (unsigned long)mm | (profile->claim.source ? PROFIL_KEY_EVENT : 0);
}

/**
 * profil_binding_own() - count a binding's ticks by file
 * @binding: of a recording, initialised, not yet in the table
 * @owned: the owner of its ticks
 * @life: number of the address space in the recording
 *
 * Context: Any.
 */
void profil_binding_own(struct profil_binding *binding, struct profil_owned owned, u64 life)
{
	binding->owned = owned;
	binding->life = life;
	binding->key |= PROFIL_KEY_OWNED;
}

/**
 * profil_binding_narrow() - restrict a binding to one thread
 * @binding: initialised, not yet in the table
 * @thread: the pid of a task in the binding's address space
 *
 * Inserting the binding into the table charges its user for one followed process, because nothing
 * else limits the number of a user's threads.
 *
 * Context: Any.
 */
void profil_binding_narrow(struct profil_binding *binding, struct pid *thread)
{
	binding->thread = get_pid(thread);
	binding->key |= PROFIL_KEY_THREAD;
}

/**
 * profil_binding_drop() - undo profil_binding_init() and free
 * @binding: not in the table; or the list @removed of profil_binding_remove(), all of which is
 *	freed; or NULL
 *
 * Context: Any.
 */
void profil_binding_drop(struct profil_binding *binding)
{
	if (binding)
		queue_rcu_work(profil_wq, &binding->free);
}

/* If a CPU sees the count but not yet the binding, profil_clock_look() later finds its task. */
static void profil_binding_count(const struct profil_binding *binding, int change)
{
	struct profil_profile *profile = binding->profile;

	lockdep_assert_held(&profile->bindings_lock);
	atomic_add(change, profil_binding_sieve(binding->mm));
	WRITE_ONCE(profile->nr_bindings, profile->nr_bindings + change);
	atomic_add(change, &nr_bindings);
}

/* Return: 0; -ENOENT: the profile is over; -EDQUOT: its user has too many threads. */
static int profil_binding_insert(struct profil_bucket *bucket, struct profil_binding *binding,
				 struct profil_binding *existing)
{
	struct profil_profile *profile = binding->profile;
	unsigned int number = bucket - profil_bindings;
	int err = 0;

	lockdep_assert_held(&bucket->lock);
	raw_spin_lock(&profile->bindings_lock);
	if (READ_ONCE(profile->retired))
		err = -ENOENT;
	else if (binding->thread && !profil_user_watch(profile->user))
		err = -EDQUOT;
	if (err)
		goto unlock;
	if (!test_bit(number, profil_bindings_used))
		set_bit(number, profil_bindings_used);
	/* profile->everybody may be another recording's bit by now, if this one is about to end. */
	if (!profil_everybody_met(profil_everybody_bit(profile)))
		binding->key |= PROFIL_KEY_MORE;
	if (existing)
		hlist_replace_rcu(&existing->node, &binding->node);
	else
		hlist_add_head_rcu(&binding->node, &bucket->chain);
	list_add_tail(&binding->link, &profile->bindings);
	profil_binding_count(binding, 1);
unlock:
	raw_spin_unlock(&profile->bindings_lock);
	return err;
}

/*
 * Take a binding off the profile's list and out of the counts, but leave it in the table.  The
 * lock of the bucket is held.
 * Return: false if it was removed already.
 */
static bool profil_binding_unlist(struct profil_binding *binding)
{
	struct profil_profile *profile = binding->profile;
	bool listed;

	raw_spin_lock(&profile->bindings_lock);
	listed = !list_empty(&binding->link);
	if (listed) {
		list_del_init(&binding->link);
		profil_binding_count(binding, -1);
		if (binding->thread)
			profil_user_unwatch(profile->user);
	}
	raw_spin_unlock(&profile->bindings_lock);
	return listed;
}

/**
 * profil_binding_remove() - remove a binding from the table, if it is still there
 * @binding: in the table, or already removed
 * @removed: the list of removed bindings, to which it is added.  profil_binding_drop() frees them
 *	together: an RCU callback and a work item for each would cost more than all the rest
 *
 * Context: Any; the lock of its bucket is held.
 */
void profil_binding_remove(struct profil_binding *binding, struct profil_binding **removed)
{
	if (!profil_binding_unlist(binding))
		return;
	hlist_del_rcu(&binding->node);
	binding->freed_next = *removed;
	*removed = binding;
}

/* Return: true if two unprivileged profiles are charged to the same user of the machine. */
static bool profil_binding_same_user(const struct profil_profile *a,
				     const struct profil_profile *b)
{
	return !a->privileged && !b->privileged &&
	       profil_user_outermost(a->user) == profil_user_outermost(b->user);
}

/*
 * Find the existing binding with the session, the address space and the thread, if any, of a new
 * binding.  If there is none, check for room.  Privileged and unprivileged bindings do not use up
 * each other's room.  Bindings of threads have limits of their own, because there may be thousands
 * of threads, and a tick walks past all their bindings.  A bucket does not reach its limits by
 * chance.  Return: 0 or -EBUSY.
 */
static int profil_binding_find_place(const struct profil_bucket *bucket,
				     const struct profil_binding *binding,
				     struct profil_binding **existing)
{
	const struct profil_profile *profile = binding->profile;
	bool privileged = binding->thread && profile->privileged;
	unsigned int count = 0, length = 0, users = 0;
	struct profil_binding *other;

	lockdep_assert_held(&bucket->lock);
	*existing = NULL;
	hlist_for_each_entry(other, &bucket->chain, node) {
		length += other->profile->privileged == profile->privileged;
		users += profil_binding_same_user(other->profile, profile);
		if (other->mm != binding->mm || !other->thread != !binding->thread)
			continue;
		count += other->profile->privileged == privileged;
		if (other->profile->session == profile->session &&
		    other->thread == binding->thread)
			*existing = other;
	}
	if (*existing)
		return 0;
	if (length >= PROFIL_CHAIN_MAX || users >= PROFIL_CHAIN_USER_MAX)
		return -EBUSY;
	if (binding->thread)
		return count >= PROFIL_THREADS_MAX ? -EBUSY : 0;
	return profil_binding_full(profile, count) ? -EBUSY : 0;
}

/**
 * profil_binding_full() - check whether a process already has as many profiles as it may
 * @profile: the profile to add
 * @count: number of unprivileged profiles, or of their watches, that the process has
 *
 * Context: Any.
 * Return: true if @profile must not be added.
 */
bool profil_binding_full(const struct profil_profile *profile, unsigned int count)
{
	return !profile->privileged && count >= PROFIL_BINDINGS_MAX;
}

/**
 * profil_binding_publish_self() - let ticks see the binding of a self profile
 * @binding: of a self profile
 * @replaced: the self profile that the caller expects the address space to have, or NULL
 *
 * Context: Process context.
 * Return: 0; -ESTALE if the address space's self profile is not @replaced; -EBUSY if
 * there is no room; -ENOENT if the profile is over.
 */
int profil_binding_publish_self(struct profil_binding *binding,
				const struct profil_profile *replaced)
{
	struct profil_bucket *bucket = profil_binding_bucket(binding->mm);
	struct profil_binding *existing;
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	err = profil_binding_find_place(bucket, binding, &existing);
	if ((existing ? existing->profile : NULL) != replaced)
		err = -ESTALE;
	if (!err)
		err = profil_binding_insert(bucket, binding, existing);
	if (!err && existing)
		profil_binding_unlist(existing);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);

	if (!err && existing)
		profil_binding_drop(existing);
	return err;
}

/**
 * profil_binding_publish() - let ticks see the binding of a recording
 * @binding: of a recording
 *
 * Context: Any.
 * Return: 0; -EEXIST if the session already has such a binding; -EBUSY if there is no room;
 * -EDQUOT if the user records too many processes and threads; -ENOENT if the recording is over.
 */
int profil_binding_publish(struct profil_binding *binding)
{
	struct profil_bucket *bucket = profil_binding_bucket(binding->mm);
	struct profil_binding *existing;
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	err = profil_binding_find_place(bucket, binding, &existing);
	if (!err && existing)
		err = -EEXIST;
	if (!err)
		err = profil_binding_insert(bucket, binding, NULL);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return err;
}

/**
 * profil_binding_self() - find the self profile of an address space
 * @mm: the address space
 *
 * Context: Any.
 * Return: the profile, referenced, or NULL.
 */
struct profil_profile *profil_binding_self(struct mm_struct *mm)
{
	struct profil_profile *found = NULL;
	struct profil_binding *binding;

	rcu_read_lock();
	hlist_for_each_entry_rcu(binding, &profil_binding_bucket(mm)->chain, node) {
		if (binding->mm != mm || binding->profile->session)
			continue;
		if (profil_profile_get(binding->profile))
			found = binding->profile;
		break;
	}
	rcu_read_unlock();
	return found;
}

/* The first binding of a profile, or NULL; under RCU, which keeps it. */
static struct profil_binding *profil_binding_first(struct profil_profile *profile)
{
	struct profil_binding *binding;
	unsigned long flags;

	raw_spin_lock_irqsave(&profile->bindings_lock, flags);
	binding = list_first_entry_or_null(&profile->bindings, struct profil_binding, link);
	raw_spin_unlock_irqrestore(&profile->bindings_lock, flags);
	return binding;
}

/**
 * profil_bindings_remove() - remove all bindings of a profile
 * @profile: referenced by the caller
 *
 * Context: Process context.
 */
void profil_bindings_remove(struct profil_profile *profile)
{
	struct profil_binding *binding, *removed = NULL;
	struct profil_bucket *bucket;
	unsigned long flags;

	do {
		rcu_read_lock();
		binding = profil_binding_first(profile);
		if (binding) {
			bucket = profil_binding_bucket(binding->mm);
			raw_spin_lock_irqsave(&bucket->lock, flags);
			profil_binding_remove(binding, &removed);
			raw_spin_unlock_irqrestore(&bucket->lock, flags);
		}
		rcu_read_unlock();
		cond_resched();
	} while (binding);
	profil_binding_drop(removed);
}

/**
 * profil_bindings_count() - count the bindings in the table
 *
 * Context: Any.
 * Return: their number.
 */
unsigned int profil_bindings_count(void)
{
	return atomic_read(&nr_bindings);
}
