// SPDX-License-Identifier: GPL-2.0-only
/*
 * A source of ticks other than the clock: an event that perf can count, on every CPU.
 *
 * Profiles that want the same event share its counters, which run at the shortest period that
 * one of them asks for; each profile takes its own share of the ticks, as of the clock's.
 *
 * Making and releasing an event may take the lock of CPU hotplug (a static key that it turns
 * on), and may sleep for grace periods.  So neither is done in a hotplug callback, nor under
 * a profile's lock: a callback and the last user queue work.  perf itself takes an event
 * from a CPU that goes offline, and refuses one for a CPU that is not online.
 *
 * Context: process
 */
#include "event/source.h"

#include "profile/work.h"
#include "tick/arch.h"

#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

/* Of the whole module: each costs a counter on every CPU. */
#define SOURCES_MAX	64

/* Guards events and periods; the outermost. */
static DEFINE_MUTEX(sources_mutex);
/* Guards the list of sources, and their users. */
static DEFINE_SPINLOCK(sources_lock);
static LIST_HEAD(sources);
static unsigned int nr_sources;	/* guarded by sources_mutex */

static const struct profil_source_ops *source_ops;
static enum cpuhp_state hotplug_state;
/* A profiled user may not be allowed to count what all CPUs do. */
static const struct cred *source_cred;

static void profil_sources_review(struct work_struct *work);
static DECLARE_WORK(review, profil_sources_review);

/**
 * profil_source_choose() - take over the event of a proof
 * @attr: receives what is to be counted
 * @event: the caller's event
 *
 * What perf has granted for one process is counted on every CPU, of all tasks.  That is no
 * more than a few instructions for a software event; counters of the hardware,
 * breakpoints and tracepoints are the whole machine's, and only for those who may
 * count there.
 *
 * Context: Process context.
 * Return: 0; -EINVAL if it is a clock, or of no task; -EOPNOTSUPP for a breakpoint, where one
 * cannot have a handler; -EPERM.
 */
int profil_source_choose(struct perf_event_attr *attr, const struct perf_event *event)
{
	const struct perf_event_attr *from = &event->attr;

	*attr = (struct perf_event_attr) {
		.type			= from->type,
		.size			= sizeof(*attr),
		.config			= from->config,
		.config1		= from->config1,
		.config2		= from->config2,
		.exclude_user		= from->exclude_user,
		.exclude_kernel		= from->exclude_kernel,
		.exclude_hv		= from->exclude_hv,
		.exclude_idle		= from->exclude_idle,
		.exclude_host		= from->exclude_host,
		.exclude_guest		= from->exclude_guest,
		.precise_ip		= from->precise_ip,
		.bp_type		= from->bp_type,
	};
	switch (from->type) {
	case PERF_TYPE_SOFTWARE:
		if (from->config == PERF_COUNT_SW_CPU_CLOCK ||
		    from->config == PERF_COUNT_SW_TASK_CLOCK)
			return -EINVAL;
		/* No user can have more sources of these: each event, in either mode or in both. */
		*attr = (struct perf_event_attr) {
			.type		= from->type,
			.size		= sizeof(*attr),
			.config		= from->config,
			.exclude_user	= from->exclude_user,
			.exclude_kernel	= from->exclude_kernel,
		};
		return 0;
	case PERF_TYPE_BREAKPOINT:
		if (!PROFIL_BREAKPOINTS)
			return -EOPNOTSUPP;
		break;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
	case PERF_TYPE_TRACEPOINT:
		break;
	default:
		/* Others count for no task, or are made from the caller's memory (probes). */
		if (event->pmu->task_ctx_nr != perf_hw_context)
			return -EINVAL;
	}
	/* An event of a CPU: perf permits that there. */
	return perfmon_capable() || !(event->attach_state & PERF_ATTACH_TASK) ? 0 : -EPERM;
}

static int profil_source_start(struct profil_source *source, unsigned int cpu)
{
	struct perf_event_attr attr = source->attr;
	struct perf_event *event;
	const struct cred *own;

	lockdep_assert_held(&sources_mutex);
	attr.sample_period = source->period;
	own = override_creds(source_cred);
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, source_ops->tick, source);
	revert_creds(own);
	/* Offline: a callback will tell when it comes. */
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENODEV ? 0 : PTR_ERR(event);
	*per_cpu_ptr(source->event, cpu) = event;
	return 0;
}

static void profil_source_time_add(struct profil_source_time *time, struct perf_event *event)
{
	u64 enabled, running;

	perf_event_read_value(event, &enabled, &running);
	time->enabled += enabled;
	time->running += running;
}

static void profil_source_stop(struct profil_source *source, unsigned int cpu)
{
	struct perf_event **event = per_cpu_ptr(source->event, cpu);

	lockdep_assert_held(&sources_mutex);
	if (!*event)
		return;
	profil_source_time_add(&source->past, *event);
	perf_event_release_kernel(*event);
	*event = NULL;
}

static int profil_source_run(struct profil_source *source)
{
	unsigned int cpu;
	int err = 0;

	for_each_possible_cpu(cpu) {
		if (cpumask_test_and_clear_cpu(cpu, &source->stale))
			profil_source_stop(source, cpu);
		if (!*per_cpu_ptr(source->event, cpu))
			err = profil_source_start(source, cpu);
		if (err)
			break;
	}
	return err;
}

static void profil_source_set_period(struct profil_source *source, u64 period)
{
	struct perf_event *event;
	unsigned int cpu;

	lockdep_assert_held(&sources_mutex);
	source->period = period;
	for_each_possible_cpu(cpu) {
		event = *per_cpu_ptr(source->event, cpu);
		/* If a PMU refuses, its ticks go on to say which period they stand for. */
		if (event)
			perf_event_period(event, period);
	}
}

/* Others are counted by the code that they come in. */
static bool profil_source_interrupts(const struct perf_event_attr *attr)
{
	return attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT &&
	       attr->type != PERF_TYPE_BREAKPOINT;
}

static struct profil_source *profil_source_alloc(const struct perf_event_attr *attr, u64 period)
{
	struct profil_source *source = kzalloc(sizeof(*source), GFP_KERNEL_ACCOUNT);

	if (!source)
		return NULL;
	source->event = alloc_percpu_gfp(struct perf_event *, GFP_KERNEL_ACCOUNT);
	source->lost = alloc_percpu_gfp(struct profil_source_lost, GFP_KERNEL_ACCOUNT);
	if (!source->event || !source->lost) {
		free_percpu(source->event);
		free_percpu(source->lost);
		kfree(source);
		return NULL;
	}
	source->attr = *attr;
	source->interrupts = profil_source_interrupts(attr);
	source->period = period;
	INIT_LIST_HEAD(&source->users);
	INIT_LIST_HEAD(&source->link);
	return source;
}

/* No user is left, nor will there be another. */
static void profil_source_free(struct profil_source *source)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		profil_source_stop(source, cpu);
	/* A tick may have begun before its event was released, and a note of it may be left. */
	synchronize_rcu();
	source_ops->settle();
	free_percpu(source->event);
	free_percpu(source->lost);
	kfree(source);
	nr_sources--;
}

static struct profil_source *profil_source_find(const struct perf_event_attr *attr)
{
	struct profil_source *source;

	lockdep_assert_held(&sources_mutex);
	list_for_each_entry(source, &sources, link)
		if (!memcmp(&source->attr, attr, sizeof(*attr)))
			return source;
	return NULL;
}

static struct profil_source *profil_source_create(const struct perf_event_attr *attr, u64 period)
{
	struct profil_source *source;
	int err;

	lockdep_assert_held(&sources_mutex);
	if (nr_sources >= SOURCES_MAX)
		return ERR_PTR(-EBUSY);
	source = profil_source_alloc(attr, period);
	if (!source)
		return ERR_PTR(-ENOMEM);
	nr_sources++;
	err = profil_source_run(source);
	if (err) {
		profil_source_free(source);
		return ERR_PTR(err);
	}
	spin_lock(&sources_lock);
	list_add(&source->link, &sources);
	spin_unlock(&sources_lock);
	return source;
}

/**
 * profil_source_get() - have an event counted for a profile
 * @user: the profile's claim, with an empty link
 * @attr: of profil_source_choose()
 * @period: events between two samples
 *
 * Context: Process context, may sleep; no lock is held.
 * Return: 0; -EBUSY if there are too many sources; -ENOMEM; an error of perf's.
 */
int profil_source_get(struct profil_source_user *user, const struct perf_event_attr *attr,
		      u64 period)
{
	struct profil_source *source;
	int err = 0;

	mutex_lock(&sources_mutex);
	source = profil_source_find(attr);
	if (!source)
		source = profil_source_create(attr, period);
	else if (period < source->period)
		profil_source_set_period(source, period);
	if (IS_ERR(source)) {
		err = PTR_ERR(source);
	} else {
		spin_lock(&sources_lock);
		user->source = source;
		user->period = period;
		list_add(&user->link, &source->users);
		spin_unlock(&sources_lock);
	}
	mutex_unlock(&sources_mutex);
	return err;
}

/**
 * profil_source_put() - give up a claim
 * @user: with or without a claim
 *
 * The source may be gone when this returns: no tick may reach the profile any more.
 *
 * Context: Process context.
 */
void profil_source_put(struct profil_source_user *user)
{
	spin_lock(&sources_lock);
	if (!list_empty(&user->link)) {
		list_del_init(&user->link);
		queue_work(profil_wq, &review);
	}
	spin_unlock(&sources_lock);
}

/**
 * profil_source_account() - tell what became of an event since it got its first profile
 * @user: with or without a claim
 * @attr: receives what is counted
 * @lost: receives the sum of all CPUs
 * @time: likewise; asks each CPU
 *
 * Context: Process context, may sleep; no lock is held.
 * Return: false if there is no claim; then nothing is written.
 */
bool profil_source_account(struct profil_source_user *user, struct perf_event_attr *attr,
			   struct profil_source_lost *lost, struct profil_source_time *time)
{
	const struct profil_source_lost *share;
	struct profil_source *source;
	unsigned int cpu;
	bool claimed;

	mutex_lock(&sources_mutex);	/* whoever frees a source holds it */
	spin_lock(&sources_lock);
	claimed = !list_empty(&user->link);
	source = user->source;
	spin_unlock(&sources_lock);
	if (claimed) {
		*attr = source->attr;
		*lost = (struct profil_source_lost) { 0 };
		*time = source->past;
		for_each_possible_cpu(cpu) {
			share = per_cpu_ptr(source->lost, cpu);
			lost->missed += READ_ONCE(share->missed);
			lost->throttled += READ_ONCE(share->throttled);
			if (*per_cpu_ptr(source->event, cpu))
				profil_source_time_add(time, *per_cpu_ptr(source->event, cpu));
		}
	}
	mutex_unlock(&sources_mutex);
	return claimed;
}

/**
 * profil_source_is() - is it this event that ticks for a profile?
 * @user: with or without a claim
 * @attr: of profil_source_choose(); in whatever modes
 *
 * Context: Process context.
 * Return: false without a claim, too.
 */
bool profil_source_is(struct profil_source_user *user, const struct perf_event_attr *attr)
{
	struct perf_event_attr same = *attr;
	bool is;

	spin_lock(&sources_lock);
	is = !list_empty(&user->link);
	if (is) {
		same.exclude_user = user->source->attr.exclude_user;
		same.exclude_kernel = user->source->attr.exclude_kernel;
		is = !memcmp(&user->source->attr, &same, sizeof(same));
	}
	spin_unlock(&sources_lock);
	return is;
}

/* Return: the shortest period of its users.  Without users 0, and the source has left the list. */
static u64 profil_source_shortest(struct profil_source *source)
{
	struct profil_source_user *user;
	u64 shortest = 0;

	spin_lock(&sources_lock);
	list_for_each_entry(user, &source->users, link)
		if (!shortest || user->period < shortest)
			shortest = user->period;
	if (!shortest)
		list_del(&source->link);
	spin_unlock(&sources_lock);
	return shortest;
}

/* A user has left, or a CPU has come or gone. */
static void profil_sources_review(struct work_struct *work)
{
	struct profil_source *source, *next;
	u64 shortest;

	mutex_lock(&sources_mutex);
	list_for_each_entry_safe(source, next, &sources, link) {
		shortest = profil_source_shortest(source);
		if (!shortest) {
			profil_source_free(source);
			continue;
		}
		if (shortest != source->period)
			profil_source_set_period(source, shortest);
		if (profil_source_run(source))
			pr_warn_once("an event cannot be counted on a CPU that came online\n");
	}
	mutex_unlock(&sources_mutex);
}

static int profil_sources_cpu_online(unsigned int cpu)
{
	queue_work(profil_wq, &review);
	return 0;
}

static int profil_sources_cpu_offline(unsigned int cpu)
{
	struct profil_source *source;

	spin_lock(&sources_lock);
	list_for_each_entry(source, &sources, link)
		cpumask_set_cpu(cpu, &source->stale);
	spin_unlock(&sources_lock);
	queue_work(profil_wq, &review);
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
	source_cred = prepare_kernel_cred(&init_task);
	if (!source_cred)
		return -ENOMEM;
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "profil/event:online",
					  profil_sources_cpu_online, profil_sources_cpu_offline);
	if (state < 0) {
		put_cred(source_cred);
		return state;
	}
	hotplug_state = state;
	return 0;
}

/**
 * profil_sources_exit() - undo profil_sources_init()
 *
 * Context: Process context; there are no users any more.
 */
void profil_sources_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	cancel_work_sync(&review);
	profil_sources_review(&review);
	put_cred(source_cred);
}
