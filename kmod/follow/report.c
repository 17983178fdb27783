// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports: what has happened to followed processes, and has not been read yet.
 *
 * The report of a running process is part of its watch.  A process that has ended needs no
 * watch: only its report is kept until it is read.
 *
 * Context: process
 */
#include "follow/report.h"

#include "follow/watch.h"
#include "profile/binding.h"
#include "profile/limits.h"
#include "profile/pool.h"
#include "profile/profile.h"

#include <linux/build_bug.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/pid.h>
#include <linux/profil.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

/* Bounds the time with interrupts off. */
#define BATCH	64

static void profil_report_describe(struct profil_report *report, const struct profil_watch *watch)
{
	struct pid_namespace *ns = watch->follower->ns;
	u32 what = watch->report.event.what;

	report->event.what = what;
	report->event.profile = watch->profile->id;
	report->event.pid = pid_nr_ns(watch->pid, ns);
	report->event.parent = what & PROFIL_EVENT_FORK ? pid_nr_ns(watch->parent, ns) : 0;
}

static void profil_report_free(struct profil_follower *follower, struct profil_report *report)
{
	struct profil_watch *watch = container_of(report, struct profil_watch, report);

	if (report->event.what & PROFIL_REPORT_KEPT)
		kfree(report);
	else
		profil_watch_free(watch);
	profil_user_unwatch(follower->user);
}

/* Take one report from the list.  Return: true if it is to be freed. */
static bool profil_report_take(struct profil_report *report, struct profil_event *event)
{
	struct profil_watch *watch = container_of(report, struct profil_watch, report);
	bool kept = report->event.what & PROFIL_REPORT_KEPT;

	if (!kept)
		profil_report_describe(report, watch);
	*event = report->event;
	event->what &= ~PROFIL_REPORT_KEPT;
	if (kept) {
		list_del(&report->pending);
		return true;
	}
	if (event->what & PROFIL_EVENT_EXIT && list_empty(&watch->left)) {
		profil_watch_unlink(watch);
		return true;
	}
	list_del_init(&report->pending);
	report->event.what = 0;
	return false;
}

/**
 * profil_reports_take() - take reports
 * @follower: of a session; the reader lock is held
 * @events: receives one record for each process
 * @max: elements of @events
 *
 * Context: Process context.
 * Return: the number of records.
 */
unsigned int profil_reports_take(struct profil_follower *follower, struct profil_event *events,
				 unsigned int max)
{
	struct profil_report *report, *next;
	unsigned int n = 0;
	unsigned long flags;
	LIST_HEAD(gone);

	lockdep_assert_held(&follower->reader);
	raw_spin_lock_irqsave(&follower->lock, flags);
	list_for_each_entry_safe(report, next, &follower->pending, pending) {
		if (n == max)
			break;
		if (profil_report_take(report, &events[n++]))
			list_add(&report->pending, &gone);
	}
	raw_spin_unlock_irqrestore(&follower->lock, flags);
	list_for_each_entry_safe(report, next, &gone, pending)
		profil_report_free(follower, report);
	return n;
}

/* Replace the watch of a process that has ended with its report.  Return: the watch, or NULL. */
static struct profil_watch *profil_report_keep(struct profil_follower *follower,
					       struct profil_report *report)
{
	struct profil_watch *watch;
	unsigned long flags;

	raw_spin_lock_irqsave(&follower->lock, flags);
	watch = list_first_entry_or_null(&follower->ended, struct profil_watch, ended);
	if (watch) {
		profil_report_describe(report, watch);
		report->event.what |= PROFIL_REPORT_KEPT;
		/* Reports stay in the order of events. */
		list_add(&report->pending, &watch->report.pending);
		profil_watch_unlink(watch);
	}
	raw_spin_unlock_irqrestore(&follower->lock, flags);
	return watch;
}

/**
 * profil_reports_keep() - keep only the reports of processes that have ended
 * @follower: of a session, whose memory cgroup is active
 *
 * Without memory for a report its watch stays, which serves as well.
 *
 * Context: Process context, may sleep.
 */
void profil_reports_keep(struct profil_follower *follower)
{
	struct profil_report *report;
	struct profil_watch *watch;

	/* kmalloc() has a cache for 32 bytes. */
	BUILD_BUG_ON(sizeof(*report) > 32);
	do {
		report = profil_alloc(sizeof(*report), PROFIL_GFP_AT_ONCE);
		if (!report)
			return;
		watch = profil_report_keep(follower, report);
		if (watch)
			profil_watch_free(watch);
		else
			kfree(report);
		cond_resched();
	} while (watch);
}

/* Move the cursor past some reports; those of a profile to @gone.  Return: true at the end. */
static bool profil_reports_advance(struct profil_follower *follower, struct profil_report *cursor,
				   u32 profile, struct list_head *gone)
{
	struct profil_report *report;
	unsigned int n;

	lockdep_assert_held(&follower->lock);
	for (n = 0; n < BATCH; n++) {
		if (list_is_last(&cursor->pending, &follower->pending)) {
			list_del(&cursor->pending);
			return true;
		}
		report = list_next_entry(cursor, pending);
		if (report->event.what & PROFIL_REPORT_KEPT && report->event.profile == profile)
			list_move(&report->pending, gone);
		else
			list_move(&cursor->pending, &report->pending);
	}
	return false;
}

/**
 * profil_reports_remove() - forget the kept reports of a profile
 * @follower: of its session; the reader lock is held
 * @profile: its number
 *
 * Those in watches go with the watches.
 *
 * Context: Process context.
 */
void profil_reports_remove(struct profil_follower *follower, u32 profile)
{
	struct profil_report cursor = { .event.what = PROFIL_REPORT_KEPT };
	struct profil_report *report, *next;
	unsigned long flags;
	bool end = false;
	LIST_HEAD(gone);

	lockdep_assert_held(&follower->reader);
	raw_spin_lock_irqsave(&follower->lock, flags);
	list_add(&cursor.pending, &follower->pending);
	while (!end) {
		end = profil_reports_advance(follower, &cursor, profile, &gone);
		raw_spin_unlock_irqrestore(&follower->lock, flags);
		cond_resched();
		raw_spin_lock_irqsave(&follower->lock, flags);
	}
	raw_spin_unlock_irqrestore(&follower->lock, flags);
	list_for_each_entry_safe(report, next, &gone, pending) {
		profil_report_free(follower, report);
		cond_resched();
	}
}
