// SPDX-License-Identifier: GPL-2.0-only
/*
 * Serving the sources: what is done to the counters of events, and when.
 *
 * Making, changing, reading or releasing a counter of another CPU interrupts it, may sleep for
 * grace periods, and may take the lock of CPU hotplug (perf turns static keys on and off).  So only
 * one work item does that, without holding a lock.  It serves one source at a time, in turn, and
 * waits between two turns: that bounds the interrupts, whatever users ask for.  Commands
 * (source.c) change what is wanted of a source, and wait killably.
 *
 * Context: process
 */
#include "source/source.h"

#include <linux/cpuhotplug.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

/*
 * Jiffies from one turn to the next.  A turn interrupts a CPU four times at most, if the event
 * needs no capability: perf patches code in three steps, and calls the counter's CPU.
 */
#define TURN	2

/* How long a shorter period lasts after its user has gone. */
#define LINGER	HZ

DEFINE_SPINLOCK(profil_sources_lock);
LIST_HEAD(profil_sources);
unsigned int profil_nr_sources;
DECLARE_WAIT_QUEUE_HEAD(profil_sources_wait);

static const struct profil_source_ops *source_ops;
static enum cpuhp_state hotplug_state;

static void profil_sources_serve(struct work_struct *work);
static DECLARE_WORK(serve, profil_sources_serve);
/* The CPUs on which events are to be counted: for the work item alone. */
static struct cpumask wanted_cpus;
/* What a turn is for. */
typedef void (*profil_source_turn_t)(struct profil_source *source);

/* Return: the shortest period of its users; it must have some. */
static u64 profil_source_shortest(const struct profil_source *source)
{
	const struct profil_claim *claim;
	u64 shortest = U64_MAX;

	lockdep_assert_held(&profil_sources_lock);
	list_for_each_entry(claim, &source->users, link)
		shortest = min(shortest, claim->period);
	return shortest;
}

/*
 * Each change restarts the counters; a user who asks for other periods again and again could
 * keep them from ticking at all.  So a period becomes at most half as long, and longer only
 * after a while.
 */
static u64 profil_source_want(const struct profil_source *source)
{
	u64 shortest = profil_source_shortest(source);

	if (shortest > source->period && time_before(jiffies, source->changed + LINGER))
		return source->period;
	if (shortest < source->period)
		return min(shortest, source->period / 2);
	return shortest;
}

static void profil_source_run(struct profil_source *source)
{
	bool used;
	int err;

	spin_lock(&profil_sources_lock);
	used = !list_empty(&source->users);
	if (used && !source->runs)
		source->period = profil_source_shortest(source);
	spin_unlock(&profil_sources_lock);
	/* Its last user has gone since the turn was chosen: it is released next. */
	if (!used)
		return;
	err = profil_counters_run(&source->counters, source->period, &wanted_cpus);
	spin_lock(&profil_sources_lock);
	if (!err)
		source->runs = true;
	else if (!source->runs)
		source->err = err;
	else
		pr_warn_once("an event cannot be counted on a CPU that came online: error %d\n",
			     err);
	spin_unlock(&profil_sources_lock);
}

static void profil_source_set_period(struct profil_source *source)
{
	u64 period;

	spin_lock(&profil_sources_lock);
	period = list_empty(&source->users) ? source->period : profil_source_want(source);
	spin_unlock(&profil_sources_lock);
	profil_counters_set_period(&source->counters, period);
	spin_lock(&profil_sources_lock);
	source->period = period;
	source->changed = jiffies;
	spin_unlock(&profil_sources_lock);
}

static void profil_source_read(struct profil_source *source)
{
	struct profil_source_time time;
	u64 now = ktime_get_ns();

	profil_counters_read(&source->counters, &time);
	spin_lock(&profil_sources_lock);
	source->time = time;
	source->read = now;
	spin_unlock(&profil_sources_lock);
}

/**
 * profil_source_free() - free a source that has no counters
 * @source: not listed; or NULL
 *
 * Context: Process context.
 */
void profil_source_free(struct profil_source *source)
{
	if (!source)
		return;
	profil_counters_free(&source->counters);
	free_percpu(source->lost);
	kfree(source);
}

/* A grace period after its counters were released: no tick is left, but a note of one may be. */
static void profil_source_free_work(struct work_struct *work)
{
	source_ops->settle();
	profil_source_free(container_of(to_rcu_work(work), struct profil_source, free));
	spin_lock(&profil_sources_lock);
	profil_nr_sources--;
	spin_unlock(&profil_sources_lock);
	wake_up_all(&profil_sources_wait);
}

static void profil_source_release(struct profil_source *source)
{
	bool used;

	spin_lock(&profil_sources_lock);
	used = !list_empty(&source->users);
	if (!used)
		list_del(&source->link);
	spin_unlock(&profil_sources_lock);
	if (used)
		return;
	profil_counters_release(&source->counters);
	queue_rcu_work(profil_wq, &source->free);
}

/* Return: what the work item has to do for it next, or NULL. */
static profil_source_turn_t profil_source_due(const struct profil_source *source)
{
	lockdep_assert_held(&profil_sources_lock);
	if (list_empty(&source->users))
		return profil_source_release;
	if (source->err)
		return NULL;
	if (!source->runs || profil_counters_are_stale(&source->counters, &wanted_cpus))
		return profil_source_run;
	if (profil_source_want(source) != source->period)
		return profil_source_set_period;
	return source->read < source->read_wanted ? profil_source_read : NULL;
}

/* Return: the next source in turn, which stays, as only the work item removes it; or NULL. */
static struct profil_source *profil_sources_next(profil_source_turn_t *turn)
{
	struct profil_source *source;

	spin_lock(&profil_sources_lock);
	list_for_each_entry(source, &profil_sources, link) {
		*turn = profil_source_due(source);
		if (*turn) {
			list_move_tail(&source->link, &profil_sources);
			spin_unlock(&profil_sources_lock);
			return source;
		}
	}
	spin_unlock(&profil_sources_lock);
	return NULL;
}

/* A cpuset may isolate CPUs, and give them back, at any time. */
static void profil_sources_look_at_cpus(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (profil_clock_wants_cpu(cpu))
			cpumask_set_cpu(cpu, &wanted_cpus);
		else
			cpumask_clear_cpu(cpu, &wanted_cpus);
	}
}

static void profil_sources_serve(struct work_struct *work)
{
	static unsigned long next;
	struct profil_source *source;
	profil_source_turn_t turn;
	long early;

	for (;;) {
		profil_sources_look_at_cpus();
		source = profil_sources_next(&turn);
		if (!source)
			break;
		early = next - jiffies;
		if (early > 0)
			schedule_timeout_uninterruptible(early);
		next = jiffies + TURN;
		turn(source);
		wake_up_all(&profil_sources_wait);
	}
}

/* Other events are counted by the code in which they happen. */
static bool profil_source_interrupts(const struct perf_event_attr *attr)
{
	return attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT &&
	       attr->type != PERF_TYPE_BREAKPOINT;
}

/**
 * profil_source_alloc() - make a source
 * @attr: of profil_source_choose()
 *
 * Context: Process context, may sleep.
 * Return: the source, not listed, to be freed by profil_source_free(); NULL without memory.
 */
struct profil_source *profil_source_alloc(const struct perf_event_attr *attr)
{
	struct profil_source *source = kzalloc(sizeof(*source), GFP_KERNEL_ACCOUNT);
	int err;

	if (!source)
		return NULL;
	err = profil_counters_init(&source->counters, attr, source_ops->tick, source);
	source->lost = alloc_percpu_gfp(struct profil_source_lost, GFP_KERNEL_ACCOUNT);
	if (err || !source->lost) {
		profil_source_free(source);
		return NULL;
	}
	source->interrupts = profil_source_interrupts(attr);
	INIT_LIST_HEAD(&source->users);
	INIT_RCU_WORK(&source->free, profil_source_free_work);
	return source;
}

/**
 * profil_sources_queue() - queue the work item, as something is wanted of a source
 *
 * Context: Any but hard interrupt.
 */
void profil_sources_queue(void)
{
	queue_work(profil_wq, &serve);
}

/**
 * profil_sources_review() - review the CPUs and the period of each source
 *
 * Called each second while there are profiles.
 *
 * Context: Process context.
 */
void profil_sources_review(void)
{
	spin_lock(&profil_sources_lock);
	if (!list_empty(&profil_sources))
		profil_sources_queue();
	spin_unlock(&profil_sources_lock);
}

/*
 * Perf took this CPU's events when it went offline, even those that were made after the callbacks
 * of modules had run; it can have new ones now.
 */
static int profil_sources_cpu_online(unsigned int cpu)
{
	struct profil_source *source;

	spin_lock(&profil_sources_lock);
	list_for_each_entry(source, &profil_sources, link)
		cpumask_set_cpu(cpu, &source->counters.stale);
	spin_unlock(&profil_sources_lock);
	profil_sources_review();
	return 0;
}

/**
 * profil_sources_init() - prepare for sources
 * @ops: what happens when an event comes
 *
 * Context: Process context.
 * Return: 0, to be undone by profil_sources_exit(), or -errno.
 */
int profil_sources_init(const struct profil_source_ops *ops)
{
	int state;

	source_ops = ops;
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "profil/event:online",
					  profil_sources_cpu_online, NULL);
	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}

/**
 * profil_sources_exit() - undo profil_sources_init(); releases what the last profiles had counted
 *
 * Context: Process context; no users are left.
 */
void profil_sources_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	flush_work(&serve);
	/* The RCU callbacks queue the last works, which profil_work_exit() waits for. */
	rcu_barrier();
}
