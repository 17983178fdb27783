// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sources, the claims of profiles on them, and requests to serve.c.
 *
 * Context: process
 */
#include "source/source.h"

#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/string.h>

/* Limits on sources, as each needs a counter on every CPU: in all, and without CAP_PERFMON. */
#define SOURCES_MAX	64
#define SOURCES_USERS	40

/**
 * profil_source_choose() - copy the event of a proof
 * @attr: receives the event to count
 * @event: the caller's event
 * @period: the recording's period, in events
 *
 * perf may have permitted the event for one process only, but here it is counted on every CPU,
 * for all tasks.  A software event costs only a few instructions there.  Hardware counters,
 * breakpoints and tracepoints are shared by the whole machine, so they are only for users who
 * may count all tasks of a CPU.
 *
 * Context: Process context.
 * Return: 0; -EINVAL if it is a clock, or cannot be counted for a task, or if a CPU's counter
 * would tick at each event; -EOPNOTSUPP for a breakpoint, if breakpoints cannot have a handler
 * here; -ENODEV if its PMU is gone; -EPERM.
 */
int profil_source_choose(struct perf_event_attr *attr, const struct perf_event *event, u64 period)
{
	const struct perf_event_attr *from = &event->attr;
	const struct pmu *pmu = READ_ONCE(event->pmu);

	/* perf detaches an event from an unregistered PMU, but its owner keeps the descriptor. */
	if (!pmu)
		return -ENODEV;
	*attr = (struct perf_event_attr) {
		.type		= from->type,
		.size		= sizeof(*attr),
		.config		= from->config,
		.exclude_user	= from->exclude_user,
		.exclude_kernel	= from->exclude_kernel,
	};
	/* Copy nothing more of a software event: this bounds the number of different sources. */
	if (from->type == PERF_TYPE_SOFTWARE)
		return from->config == PERF_COUNT_SW_CPU_CLOCK ||
		       from->config == PERF_COUNT_SW_TASK_CLOCK ? -EINVAL : 0;
	attr->config1 = from->config1;
	attr->config2 = from->config2;
	attr->exclude_hv = from->exclude_hv;
	attr->exclude_idle = from->exclude_idle;
	attr->exclude_host = from->exclude_host;
	attr->exclude_guest = from->exclude_guest;
	attr->precise_ip = from->precise_ip;
	/* Otherwise a CPU may collect precise samples, and perf handles only the last one. */
	attr->wakeup_events = 1;
	attr->bp_type = from->bp_type;
	switch (from->type) {
	case PERF_TYPE_BREAKPOINT:
		if (!PROFIL_BREAKPOINTS)
			return -EOPNOTSUPP;
		break;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		/*
		 * With period 1, perf on Intel may count branches with BTS, for which it calls no
		 * overflow handler.
		 */
		if (period < 2)
			return -EINVAL;
		break;
	case PERF_TYPE_TRACEPOINT:
		break;
	default:
		/* Other PMUs cannot count for a task, or use pointers to user memory (probes). */
		if (pmu->task_ctx_nr != perf_hw_context)
			return -EINVAL;
		/* One kind of CPU of a hybrid machine. */
		if (pmu->capabilities & PERF_PMU_CAP_EXTENDED_HW_TYPE && period < 2)
			return -EINVAL;
	}
	/* perf permits an event on a CPU only to users who may count all tasks there. */
	return perfmon_capable() || !(event->attach_state & PERF_ATTACH_TASK) ? 0 : -EPERM;
}

/* The source of a claim. */
static struct profil_source *profil_claim_source(const struct profil_claim *claim)
{
	return claim->source ?: &profil_clock_source;
}

/*
 * @attr: the event of @claim.  Two claims on a breakpoint share a source only if their periods are
 * equal: to change a period, a new event is created before the old one is released, and a CPU has
 * too few breakpoints for both.
 */
static bool profil_source_fits(const struct profil_source *source,
			       const struct profil_claim *claim,
			       const struct perf_event_attr *attr)
{
	const struct rb_node *first = rb_first_cached(&source->users);
	u64 period = first ? rb_entry(first, struct profil_claim, node)->period : source->period;

	return !source->err && source->privileged == claim->privileged &&
	       !memcmp(&source->attr, attr, sizeof(*attr)) &&
	       (attr->type != PERF_TYPE_BREAKPOINT || period == claim->period);
}

/* Return: the source that ticks, or will tick, for a claim; NULL if there is none that can. */
static struct profil_source *profil_source_find(const struct profil_claim *claim,
						const struct perf_event_attr *attr)
{
	struct profil_source *source;

	lockdep_assert_held(&profil_sources_lock);
	if (!attr)
		return profil_clock_source.err ? NULL : &profil_clock_source;
	list_for_each_entry(source, &profil_sources, link)
		if (profil_source_fits(source, claim, attr))
			return source;
	return NULL;
}

/* Return: true if no source may be added for a claim, even once those without users are freed. */
static bool profil_sources_are_used(const struct profil_claim *claim)
{
	struct profil_source *source;
	unsigned int used = 0, users = 0;

	lockdep_assert_held(&profil_sources_lock);
	list_for_each_entry(source, &profil_sources, link) {
		used += profil_source_is_used(source);
		users += profil_source_is_used(source) && !source->privileged;
	}
	return used >= SOURCES_MAX || (!claim->privileged && users >= SOURCES_USERS);
}

static bool profil_source_serves(const struct profil_claim *claim)
{
	const struct profil_source *source = profil_claim_source(claim);

	lockdep_assert_held(&profil_sources_lock);
	return source->runs && source->period <= claim->period;
}

static bool profil_source_is_claimed(const struct profil_claim *claim)
{
	lockdep_assert_held(&profil_sources_lock);
	return !RB_EMPTY_NODE(&claim->node);
}

/* The source may be gone when this returns: from then on @claim->source may only be compared. */
static void profil_source_put(struct profil_claim *claim)
{
	struct profil_source *source = profil_claim_source(claim);

	spin_lock(&profil_sources_lock);
	if (profil_source_is_claimed(claim)) {
		rb_erase_cached(&claim->node, &source->users);
		RB_CLEAR_NODE(&claim->node);
		/* A longer period for the other claims can wait for profil_sources_review(). */
		if (!profil_source_is_used(source)) {
			source->idle = jiffies;
			profil_source_queue(source);
		}
	}
	spin_unlock(&profil_sources_lock);
}

static bool profil_claim_is_shorter(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct profil_claim, node)->period <
	       rb_entry(b, struct profil_claim, node)->period;
}

/*
 * Claim the existing source, or @fresh.  Return: 0; -EBUSY; -EAGAIN if a source will soon be freed
 * or stopped, or if there is none and @fresh is NULL.
 */
static int profil_source_claim(struct profil_claim *claim, const struct perf_event_attr *attr,
			       struct profil_source *fresh)
{
	struct profil_source *source = profil_source_find(claim, attr);

	lockdep_assert_held(&profil_sources_lock);
	if (!source && fresh && profil_sources_are_used(claim))
		return -EBUSY;
	if (!source && fresh && profil_nr_sources < SOURCES_MAX) {
		source = fresh;
		list_add_tail(&fresh->link, &profil_sources);
		profil_nr_sources++;
	}
	if (!source)
		return -EAGAIN;
	claim->source = attr ? source : NULL;
	claim->interrupts = source->interrupts;
	claim->inside = !source->interrupts || source->attr.precise_ip;
	claim->put = profil_source_put;
	rb_add_cached(&claim->node, &source->users, profil_claim_is_shorter);
	if (!profil_source_serves(claim))
		profil_source_queue(source);
	return 0;
}

/* Return: true if the wait is over: the source serves the claim, or @err says why it never will. */
static bool profil_source_try(struct profil_claim *claim, const struct perf_event_attr *attr,
			      struct profil_source *fresh, int *err)
{
	bool done;

	spin_lock(&profil_sources_lock);
	*err = profil_source_is_claimed(claim) ? 0 : profil_source_claim(claim, attr, fresh);
	done = *err != -EAGAIN;
	if (!*err) {
		*err = profil_claim_source(claim)->err;
		done = *err || profil_source_serves(claim);
	}
	spin_unlock(&profil_sources_lock);
	return done;
}

/**
 * profil_source_get() - make the clock or an event tick for a profile
 * @claim: the profile's claim, with an empty node, and @privileged set
 * @attr: the event, from profil_source_choose(); NULL: the clock
 * @period: ns, or events, between two samples
 *
 * If the source ticks too rarely, or not at all, this waits for a work item.  An event waits for
 * its turn: two jiffies for each source with work to do.
 *
 * Context: Process context, may sleep; no lock is held.
 * Return: 0; -EBUSY if there are too many sources; -EINTR; -ENOMEM; -ENOENT if no CPU can
 * count it; another error of perf's.
 */
int profil_source_get(struct profil_claim *claim, const struct perf_event_attr *attr,
		      u64 period)
{
	struct profil_source *fresh = NULL;
	int err;

	claim->period = period;
	if (!profil_source_try(claim, attr, NULL, &err)) {
		if (attr && !claim->source) {
			fresh = profil_source_alloc(attr, claim->privileged);
			if (!fresh)
				return -ENOMEM;
		}
		if (wait_event_killable(profil_sources_wait,
					profil_source_try(claim, attr, fresh, &err)))
			err = -EINTR;
		if (claim->source != fresh)
			profil_source_free(fresh);
	}
	if (err)
		profil_claim_put(claim);
	return err;
}

/* Return: true if the source was read since @since, or the claim was given up. */
static bool profil_source_was_read(const struct profil_claim *claim, u64 since)
{
	bool done;

	spin_lock(&profil_sources_lock);
	done = !profil_source_is_claimed(claim) || claim->source->read >= since;
	if (!done && claim->source->read_wanted < since) {
		claim->source->read_wanted = since;
		profil_source_queue(claim->source);
	}
	spin_unlock(&profil_sources_lock);
	return done;
}

/**
 * profil_source_account() - report an event's counts and times since its first claim
 * @claim: a claim on an event, which may have been given up
 * @since: no value may be older than this, in ns of ktime_get_ns()
 * @report: receives the report
 *
 * Reading the counters of all CPUs waits for its turn, as in profil_source_get(); all waiters
 * get the same values.
 *
 * Context: Process context, may sleep; no lock is held.
 * Return: 0; -ENOENT if the claim was given up; -EINTR.
 */
int profil_source_account(struct profil_claim *claim, u64 since,
			  struct profil_source_report *report)
{
	const struct profil_source_cpu *share;
	struct profil_source *source;
	unsigned int cpu;
	int err = -ENOENT;

	if (wait_event_killable(profil_sources_wait, profil_source_was_read(claim, since)))
		return -EINTR;
	spin_lock(&profil_sources_lock);
	if (profil_source_is_claimed(claim)) {
		source = claim->source;
		*report = (struct profil_source_report) {
			.type	= source->attr.type,
			.config	= source->attr.config,
			.period	= source->period,
			.time	= source->time,
		};
		for_each_possible_cpu(cpu) {
			share = per_cpu_ptr(source->cpu, cpu);
			report->missed += READ_ONCE(share->missed);
			report->throttled += READ_ONCE(share->throttled);
		}
		err = 0;
	}
	spin_unlock(&profil_sources_lock);
	return err;
}

/**
 * profil_source_is() - check whether an event ticks for a profile
 * @claim: the profile's claim on an event, which may have been given up
 * @attr: the event, from profil_source_choose(); its exclude_user and exclude_kernel do not matter
 *
 * Context: Process context.
 * Return: true if it does; false if the claim was given up.
 */
bool profil_source_is(struct profil_claim *claim, const struct perf_event_attr *attr)
{
	struct perf_event_attr same = *attr;
	bool is;

	spin_lock(&profil_sources_lock);
	is = profil_source_is_claimed(claim);
	if (is) {
		same.exclude_user = claim->source->attr.exclude_user;
		same.exclude_kernel = claim->source->attr.exclude_kernel;
		is = !memcmp(&claim->source->attr, &same, sizeof(same));
	}
	spin_unlock(&profil_sources_lock);
	return is;
}
