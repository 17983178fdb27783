// SPDX-License-Identifier: GPL-2.0-only
/*
 * Serving the sources: starting, changing, reading and stopping them on each CPU.
 *
 * Each of these operations interrupts the CPU, may sleep for grace periods, and may take the lock
 * of CPU hotplug (perf turns static keys on and off, and so does the lazy clock's probe).  So only
 * work items do them, without holding a lock.  Commands (source.c) request them of a source, and
 * wait killably.
 *
 * One work item serves all events, one at a time, in turn, and waits between two turns: this
 * bounds the interrupts, whatever users ask for.  The clock has a work item of its own, so that a
 * program that starts its profile does not wait for others' events.
 *
 * Context: process
 */
#include "source/source.h"

#include "tick/note.h"

#include <linux/cpuhotplug.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

/*
 * Jiffies from the end of a turn to the next one.  A turn of an event that needs no capability
 * interrupts a CPU at most four times: perf patches code in three steps, and calls the event's CPU.
 */
#define TURN	2

/* A period gets longer, and a clock without users stops, only after this time. */
#define LINGER	HZ
/* A clock is closed later, as opening and closing it may patch the kernel's code on all CPUs. */
#define LINGER_OPEN	(5 * HZ)

static bool stay_open;
module_param(stay_open, bool, 0444);
MODULE_PARM_DESC(stay_open, "keep the clock's probe registered, so that no start or stop patches code");

DEFINE_SPINLOCK(profil_sources_lock);
LIST_HEAD(profil_sources);
unsigned int profil_nr_sources;
DECLARE_WAIT_QUEUE_HEAD(profil_sources_wait);

static enum cpuhp_state hotplug_state;

static void profil_sources_serve(struct work_struct *work);
static DECLARE_WORK(serve, profil_sources_serve);
static void profil_clock_serve(struct work_struct *work);
static DECLARE_DELAYED_WORK(serve_clock, profil_clock_serve);
/* The operation of a turn. */
typedef void (*profil_source_turn_t)(struct profil_source *source);

/*
 * Return: a period that serves all users of a source, which must have at least one.
 *
 * Each change restarts the source on every CPU, so a user who keeps asking for different periods
 * could keep it from ticking at all.  So a period at least halves if it gets shorter, and gets
 * longer only after a while.  At each change, each CPU loses the part of a period that it has
 * counted.  If an event counts in code, that part may be all its events of a second, so its period
 * does not get longer.
 */
static u64 profil_source_want(const struct profil_source *source)
{
	u64 shortest = rb_entry(rb_first_cached(&source->users), struct profil_claim, node)->period;

	lockdep_assert_held(&profil_sources_lock);
	if (!source->runs)
		return shortest;
	if (shortest > source->period &&
	    (!source->interrupts || time_before(jiffies, source->changed + LINGER)))
		return source->period;
	if (shortest < source->period)
		return min(shortest, max(source->period / 2, source->least));
	return shortest;
}

/*
 * Return: true if a CPU has to be started or stopped: it came online, its last start is to be
 * retried, or a cpuset has isolated it or has ended its isolation.
 */
static bool profil_source_is_stale(const struct profil_source *source)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (cpumask_test_cpu(cpu, &source->cpus) != profil_clock_wants_cpu(cpu))
			return true;
	return false;
}

static void profil_source_stop_cpu(struct profil_source *source, unsigned int cpu)
{
	source->ops->stop(source, cpu);
	cpumask_clear_cpu(cpu, &source->cpus);
}

/* Return: 0; -ENODEV if the CPU is not to have ticks, or is offline; another error. */
static int profil_source_run_cpu(struct profil_source *source, unsigned int cpu, u64 period)
{
	bool wanted = profil_clock_wants_cpu(cpu), known = cpumask_test_cpu(cpu, &source->cpus);
	int err;

	if (!wanted || !known)
		profil_source_stop_cpu(source, cpu);
	if (!wanted)
		return -ENODEV;
	/* Set before the start: if the CPU comes online meanwhile, its callback clears it again. */
	if (!known)
		cpumask_set_cpu(cpu, &source->cpus);
	err = source->ops->start(source, cpu, period);
	/* Try again: the clock in a second; an event, if only memory was lacking, in a turn. */
	if ((err == -ENOMEM && !known) ||
	    (err && err != -ENODEV && err != -ENOENT && source == &profil_clock_source))
		cpumask_clear_cpu(cpu, &source->cpus);
	return err;
}

/* Must not be called under cpus_read_lock(), which registering a probe takes. */
static int profil_source_open(struct profil_source *source)
{
	int err = 0;

	if (!source->open && source->ops->open)
		err = source->ops->open();
	source->open = !err;
	return err;
}

/*
 * Make a source tick on the CPUs that are to have ticks, and on no others.  If a machine has
 * several kinds of CPU, a PMU refuses the other kinds (-ENOENT): one CPU that can count is enough.
 * An error on one CPU does not keep the others from ticking.  Return: 0; -ENOENT if no CPU can
 * count the source's event; the first other error.
 */
static int profil_source_run_at(struct profil_source *source, u64 period)
{
	bool ticks = false, refused = false;
	int err = profil_source_open(source), first = 0;
	unsigned int cpu;

	if (err)
		return err;
	for_each_possible_cpu(cpu) {
		err = profil_source_run_cpu(source, cpu, period);
		if (!err)
			ticks = true;
		else if (err == -ENOENT)
			refused = true;
		else if (err != -ENODEV && !first)
			first = err;
	}
	return refused && !ticks && !first ? -ENOENT : first;
}

static void profil_source_run(struct profil_source *source)
{
	u64 period = 0;
	int err;

	spin_lock(&profil_sources_lock);
	if (profil_source_is_used(source)) {
		period = profil_source_want(source);
		if (source->period != period)
			source->changed = jiffies;
		/* Publish a longer period before it is set: new claims must not rely on the old. */
		source->period = max(source->period, period);
		source->turns = true;
	}
	spin_unlock(&profil_sources_lock);
	/* The source's last user has gone since the turn was chosen. */
	if (!period)
		return;
	err = profil_source_run_at(source, period);
	spin_lock(&profil_sources_lock);
	source->turns = false;
	if (err && !source->runs) {
		source->err = err;
	} else {
		if (err)
			pr_warn_once("a CPU that came online has no ticks: error %d\n", err);
		source->runs = true;
		source->period = period;
	}
	spin_unlock(&profil_sources_lock);
}

static void profil_source_read(struct profil_source *source)
{
	struct profil_source_time time;
	u64 now = ktime_get_ns();

	profil_counters_read(source, &time);
	spin_lock(&profil_sources_lock);
	source->time = time;
	source->read = now;
	spin_unlock(&profil_sources_lock);
}

/* Runs a grace period after the counters were released: no ticks are left, but notes may be. */
static void profil_source_free_work(struct work_struct *work)
{
	profil_notes_settle();
	profil_source_free(container_of(to_rcu_work(work), struct profil_source, free));
	spin_lock(&profil_sources_lock);
	profil_nr_sources--;
	spin_unlock(&profil_sources_lock);
	wake_up_all(&profil_sources_wait);
}

/* Stop a source.  Return: false if it has got a user since the turn was chosen. */
static bool profil_source_stop(struct profil_source *source)
{
	unsigned int cpu;
	bool used;

	spin_lock(&profil_sources_lock);
	used = profil_source_is_used(source);
	if (!used) {
		list_del_init(&source->link);
		source->runs = false;
		source->err = 0;
	}
	spin_unlock(&profil_sources_lock);
	if (used)
		return false;
	for_each_possible_cpu(cpu)
		profil_source_stop_cpu(source, cpu);
	return true;
}

static void profil_source_close(struct profil_source *source)
{
	if (source->open && source->ops->close)
		source->ops->close();
	source->open = false;
}

static void profil_source_release(struct profil_source *source)
{
	if (!profil_source_stop(source))
		return;
	INIT_RCU_WORK(&source->free, profil_source_free_work);
	queue_rcu_work(profil_wq, &source->free);
}

/* Return: the next operation on a source, or NULL if there is nothing to do. */
static profil_source_turn_t profil_source_due(const struct profil_source *source)
{
	lockdep_assert_held(&profil_sources_lock);
	if (!profil_source_is_used(source))
		return profil_source_release;
	if (source->err)
		return NULL;
	if (!source->runs || profil_source_want(source) != source->period ||
	    profil_source_is_stale(source))
		return profil_source_run;
	return source->read < source->read_wanted ? profil_source_read : NULL;
}

/* Return: the next event in turn, or NULL.  It stays, because only the work item removes it. */
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

static void profil_sources_serve(struct work_struct *work)
{
	static unsigned long next;
	struct profil_source *source;
	profil_source_turn_t turn;
	long early;

	while ((source = profil_sources_next(&turn))) {
		early = next - jiffies;
		if (early > 0)
			schedule_timeout_uninterruptible(early);
		turn(source);
		next = jiffies + TURN;
		wake_up_all(&profil_sources_wait);
	}
}

/*
 * Without users, the clock goes on for one or two seconds, so that programs that turn their profile
 * on and off do not restart it each time.  It keeps its probe for four seconds more.
 */
static void profil_clock_serve(struct work_struct *work)
{
	struct profil_source *clock = &profil_clock_source;
	unsigned long idle;
	bool used, due;

	spin_lock(&profil_sources_lock);
	used = profil_source_is_used(clock);
	due = used && profil_source_due(clock);
	idle = used ? 0 : jiffies - clock->idle;
	spin_unlock(&profil_sources_lock);
	if (due)
		profil_source_run(clock);
	else if ((clock->err || idle >= LINGER) && profil_source_stop(clock) &&
		 idle >= LINGER_OPEN && !stay_open)
		profil_source_close(clock);
	wake_up_all(&profil_sources_wait);
	if (!used && (clock->runs || clock->open != stay_open))
		queue_delayed_work(profil_wq, &serve_clock, LINGER);
}

/**
 * profil_source_queue() - queue the work item that serves a source
 * @source: a source with a request, or without users
 *
 * Context: Process context; profil_sources_lock is held.
 */
void profil_source_queue(const struct profil_source *source)
{
	if (source != &profil_clock_source)
		queue_work(profil_wq, &serve);
	else if (profil_source_is_used(source) || !source->runs)
		mod_delayed_work(profil_wq, &serve_clock, 0);
	else
		queue_delayed_work(profil_wq, &serve_clock, LINGER);
}

/**
 * profil_sources_review() - review the CPUs and the period of each source
 *
 * Called each second while there are profiles: a cpuset may isolate CPUs, and give them back, at
 * any time.
 *
 * Context: Process context.
 */
void profil_sources_review(void)
{
	spin_lock(&profil_sources_lock);
	profil_source_queue(&profil_clock_source);
	if (!list_empty(&profil_sources))
		queue_work(profil_wq, &serve);
	spin_unlock(&profil_sources_lock);
}

/*
 * perf took this CPU's events when the CPU went offline, even events that were created after the
 * callbacks of modules had run.  The CPU can have new events now.
 */
static int profil_sources_cpu_online(unsigned int cpu)
{
	struct profil_source *source;

	spin_lock(&profil_sources_lock);
	cpumask_clear_cpu(cpu, &profil_clock_source.cpus);
	/* A turn may have passed this CPU, and then change the period: the next turn starts it. */
	if (profil_lazy_clock_online(&profil_clock_source, cpu) &&
	    !profil_clock_source.turns)
		cpumask_set_cpu(cpu, &profil_clock_source.cpus);
	list_for_each_entry(source, &profil_sources, link)
		cpumask_clear_cpu(cpu, &source->cpus);
	spin_unlock(&profil_sources_lock);
	profil_sources_review();
	return 0;
}

/* perf takes care of its own events, but a timer would move to another CPU. */
static int profil_sources_cpu_offline(unsigned int cpu)
{
	profil_lazy_clock_stop(&profil_clock_source, cpu);
	return 0;
}

/**
 * profil_sources_init() - set up the clock, and follow CPU hotplug
 *
 * Context: Process context.
 * Return: 0, to be undone by profil_sources_exit(), or -errno.
 */
int profil_sources_init(void)
{
	int state, err = profil_clock_init();

	if (err)
		return err;
	profil_notes_init(profil_event_notes_count);
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "profil:online",
					  profil_sources_cpu_online, profil_sources_cpu_offline);
	if (state < 0)
		return state;
	hotplug_state = state;
	err = stay_open ? profil_source_open(&profil_clock_source) : 0;
	/* Undo all: a CPU may have come online meanwhile, and its callback queued the work item. */
	if (err)
		profil_sources_exit();
	return err;
}

/**
 * profil_sources_exit() - undo profil_sources_init(), and release the sources of the last profiles
 *
 * Context: Process context; no users are left.
 */
void profil_sources_exit(void)
{
	profil_clock_exit();
	/* Stop the clock and remove its probe at once. */
	stay_open = false;
	profil_clock_source.idle = jiffies - LINGER_OPEN;
	mod_delayed_work(profil_wq, &serve_clock, 0);
	flush_delayed_work(&serve_clock);
	/* Only now: until here, a CPU that went offline needed the callback to stop its clock. */
	cpuhp_remove_state_nocalls(hotplug_state);
	cancel_delayed_work_sync(&serve_clock);
	flush_work(&serve);
	/* The RCU callbacks queue the last works, which profil_work_exit() waits for. */
	rcu_barrier();
}
