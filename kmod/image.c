// SPDX-License-Identifier: GPL-2.0-only
/*
 * An image: a profile met in an address space.
 *
 * The table is keyed by mm and read by every tick.  An exec gives the task
 * another mm and so ends what was met in the old one; the images of address
 * spaces that nobody uses any more are swept out later.
 *
 * Context: tracepoint probe
 */
#include "image.h"

#include "profile.h"
#include "work.h"

#include <linux/mm_types.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#define REMOVE_BATCH	64

DEFINE_RAW_SPINLOCK(profil_images_lock);
struct hlist_head profil_images[1 << PROFIL_IMAGE_BITS];
static unsigned int nr_images;	/* guarded by profil_images_lock */

/* Context: Process. */
static void free_work(struct work_struct *work)
{
	struct profil_image *image = container_of(to_rcu_work(work), struct profil_image, free);

	mmdrop(image->mm);
	put_pid(image->thread);
	profil_profile_put(image->profile);
	kfree(image);
}

/**
 * profil_image_alloc() - room for an image
 *
 * Context: Process context, may sleep.
 * Return: to be given to profil_image_init(), or NULL.
 */
struct profil_image *profil_image_alloc(void)
{
	return kmalloc(sizeof(struct profil_image), GFP_KERNEL_ACCOUNT);
}

/**
 * profil_image_init() - fill in an image
 * @image: room for it
 * @mm: grabbed for the image
 * @profile: referenced for the image; the caller holds a reference
 * @gap: its ticks are lost: see &struct profil_image
 *
 * Context: Any.
 */
void profil_image_init(struct profil_image *image, struct mm_struct *mm,
		       struct profil_profile *profile, bool gap)
{
	mmgrab(mm);
	kref_get(&profile->refs);
	INIT_HLIST_NODE(&image->node);
	INIT_LIST_HEAD(&image->link);
	INIT_RCU_WORK(&image->free, free_work);
	image->mm = mm;
	image->thread = NULL;
	image->profile = profile;
	image->key = (unsigned long)mm | (gap ? PROFIL_KEY_GAP : 0);
}

/**
 * profil_image_narrow() - meet one thread only
 * @image: initialised, not yet in the table
 * @thread: of a task in its address space; the reference is the image's now
 *
 * Context: Any.
 */
void profil_image_narrow(struct profil_image *image, struct pid *thread)
{
	image->thread = thread;
	image->key |= PROFIL_KEY_THREAD;
}

/**
 * profil_image_drop() - undo profil_image_init() and free
 * @image: not in the table, or just taken out
 *
 * Context: Any.
 */
void profil_image_drop(struct profil_image *image)
{
	queue_rcu_work(profil_wq, &image->free);
}

static void put_in(struct profil_image *image, struct profil_image *existing)
{
	lockdep_assert_held(&profil_images_lock);
	if (existing)
		hlist_replace_rcu(&existing->node, &image->node);
	else
		hlist_add_head_rcu(&image->node, profil_image_bucket(image->mm));
	list_add_tail(&image->link, &image->profile->images);
	WRITE_ONCE(image->profile->nr_images, image->profile->nr_images + 1);
	WRITE_ONCE(nr_images, nr_images + 1);
}

/* What putting in and taking out have in common for the lists and counts. */
static void forget(struct profil_image *image)
{
	lockdep_assert_held(&profil_images_lock);
	list_del(&image->link);
	WRITE_ONCE(image->profile->nr_images, image->profile->nr_images - 1);
	WRITE_ONCE(nr_images, nr_images - 1);
}

static void take_out(struct profil_image *image)
{
	hlist_del_rcu(&image->node);
	forget(image);
}

/*
 * The image that a new one would replace: of the same owner in the same address
 * space, or of the same thread there.  If there is none, is there room for one?
 * Those that only an administrator could have made are in nobody's way, but for
 * those of threads, of which there may be thousands: a tick passes them all.
 */
static int find_place(const struct profil_image *image, struct profil_image **existing)
{
	struct profil_image *other;
	unsigned int count = 0;

	lockdep_assert_held(&profil_images_lock);
	*existing = NULL;
	hlist_for_each_entry(other, profil_image_bucket(image->mm), node) {
		if (other->mm != image->mm || !other->thread != !image->thread)
			continue;
		count += other->thread || !other->profile->privileged;
		if (other->profile->session == image->profile->session &&
		    other->thread == image->thread)
			*existing = other;
	}
	if (*existing)
		return 0;
	if (image->thread)
		return count >= PROFIL_THREADS_MAX ? -EBUSY : 0;
	return profil_image_full(image->profile, count) ? -EBUSY : 0;
}

/**
 * profil_image_full() - may one more profile not meet a process?
 * @profile: that one
 * @count: unprivileged ones that do
 *
 * Context: Any.
 * Return: true if it may not.
 */
bool profil_image_full(const struct profil_profile *profile, unsigned int count)
{
	return !profile->privileged && count >= PROFIL_IMAGES_MAX;
}

/**
 * profil_image_publish_self() - let the ticks of an address space see it
 * @image: of a self profile
 * @replaced: the self profile that the caller knows to be there, or NULL
 *
 * Context: Process context.
 * Return: 0; -EAGAIN when another self profile is there than the caller knows;
 * -EBUSY when the address space has its fill.
 */
int profil_image_publish_self(struct profil_image *image, const struct profil_profile *replaced)
{
	struct profil_image *existing;
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&profil_images_lock, flags);
	err = find_place(image, &existing);
	if ((existing ? existing->profile : NULL) != replaced)
		err = -EAGAIN;
	if (!err)
		put_in(image, existing);
	if (!err && existing)
		forget(existing);
	raw_spin_unlock_irqrestore(&profil_images_lock, flags);

	if (!err && existing)
		profil_image_drop(existing);
	return err;
}

/**
 * profil_image_publish_attached() - let the ticks of an address space see it
 * @image: of an attached profile
 * @replace: take the place of an image of the same session; otherwise an
 *	existing one stays
 *
 * Context: Any; profil_images_lock is held.
 * Return: 0; -EEXIST; -EBUSY when the address space has its fill.
 */
int profil_image_publish_attached(struct profil_image *image, bool replace)
{
	struct profil_image *existing;
	int err = find_place(image, &existing);

	if (err)
		return err;
	if (existing && !replace)
		return -EEXIST;
	put_in(image, existing);
	if (existing) {
		forget(existing);
		profil_image_drop(existing);
	}
	return 0;
}

/**
 * profil_image_publish_thread() - let the ticks of one thread see it
 * @image: of an attached profile, narrowed
 *
 * Context: Process context.
 * Return: 0, or -EBUSY when the address space has its fill.
 */
int profil_image_publish_thread(struct profil_image *image)
{
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&profil_images_lock, flags);
	err = profil_image_publish_attached(image, true);
	raw_spin_unlock_irqrestore(&profil_images_lock, flags);
	return err;
}

/**
 * profil_image_self() - the self profile of an address space
 * @mm: whose
 *
 * Context: Any.
 * Return: the profile, referenced, or NULL.
 */
struct profil_profile *profil_image_self(struct mm_struct *mm)
{
	struct profil_profile *found = NULL;
	struct profil_image *image;

	rcu_read_lock();
	hlist_for_each_entry_rcu(image, profil_image_bucket(mm), node) {
		if (image->mm != mm || image->profile->session)
			continue;
		if (profil_profile_get(image->profile))
			found = image->profile;
		break;
	}
	rcu_read_unlock();
	return found;
}

/**
 * profil_images_remove() - a profile is met nowhere any more
 * @profile: referenced by the caller
 *
 * Context: Process context.
 */
void profil_images_remove(struct profil_profile *profile)
{
	struct profil_image *image;
	unsigned long flags;
	unsigned int n;
	bool more = true;

	while (more) {
		raw_spin_lock_irqsave(&profil_images_lock, flags);
		for (n = 0; n < REMOVE_BATCH && !list_empty(&profile->images); n++) {
			image = list_first_entry(&profile->images, struct profil_image, link);
			take_out(image);
			profil_image_drop(image);
		}
		more = !list_empty(&profile->images);
		raw_spin_unlock_irqrestore(&profil_images_lock, flags);
		cond_resched();
	}
}

/* Whatever is so stays so. */
static bool meets_nobody(const struct profil_image *image)
{
	/* Once 0 it never rises again: nobody will run there. */
	if (!atomic_read(&image->mm->mm_users))
		return true;
	/* A number that was given back is another struct pid when it is used again. */
	return image->thread && !pid_has_task(image->thread, PIDTYPE_PID);
}

static void sweep_bucket(struct hlist_head *bucket)
{
	struct profil_image *image;
	struct hlist_node *next;
	unsigned long flags;

	raw_spin_lock_irqsave(&profil_images_lock, flags);
	hlist_for_each_entry_safe(image, next, bucket, node) {
		if (!meets_nobody(image))
			continue;
		take_out(image);
		profil_image_drop(image);
	}
	raw_spin_unlock_irqrestore(&profil_images_lock, flags);
}

/**
 * profil_images_sweep() - take out what meets nobody any more
 *
 * Context: Process context.
 */
void profil_images_sweep(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(profil_images); i++)
		if (!hlist_empty(&profil_images[i]))
			sweep_bucket(&profil_images[i]);
}

/**
 * profil_images_count() - images in the table
 *
 * Context: Any.
 * Return: their number.
 */
unsigned int profil_images_count(void)
{
	return READ_ONCE(nr_images);
}

/**
 * profil_images_longest_chain() - the most images that a tick may have to pass
 *
 * Context: Process context.
 * Return: the length of the longest chain of the table.
 */
unsigned int profil_images_longest_chain(void)
{
	unsigned int i, length, longest = 0;
	struct profil_image *image;

	for (i = 0; i < ARRAY_SIZE(profil_images); i++) {
		length = 0;
		rcu_read_lock();
		hlist_for_each_entry_rcu(image, &profil_images[i], node)
			length++;
		rcu_read_unlock();
		longest = max(longest, length);
	}
	return longest;
}
