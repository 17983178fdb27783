// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A PMU whose events tests raise.  It counts on some CPUs only, like the PMUs of machines with
 * several kinds of CPU; creating its events takes as long as a test likes; and a test may remove
 * it at any time.
 *
 * Context: process
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/wait.h>

static DECLARE_WAIT_QUEUE_HEAD(changed);

/* Sets a parameter and wakes its waiters. */
static int profil_pmu_set(const char *value, const struct kernel_param *param)
{
	int err = param_set_bool(value, param);

	wake_up_all(&changed);
	return err;
}

static const struct kernel_param_ops waking_ops = {
	.flags	= KERNEL_PARAM_OPS_FL_NOARG,
	.set	= profil_pmu_set,
	.get	= param_get_bool,
};

static bool hold;
module_param_cb(hold, &waking_ops, &hold, 0644);
MODULE_PARM_DESC(hold, "a CPU's event is not made before this is 0");

static bool hold_offline;
module_param_cb(hold_offline, &waking_ops, &hold_offline, 0644);
MODULE_PARM_DESC(hold_offline, "no CPU goes offline before this is 0");

static unsigned int held;
module_param(held, uint, 0444);
MODULE_PARM_DESC(held, "how many are held now");

static unsigned long cpus = ~0UL;
module_param(cpus, ulong, 0644);
MODULE_PARM_DESC(cpus, "a bit for each CPU that can count");

static bool hybrid;
module_param(hybrid, bool, 0444);
MODULE_PARM_DESC(hybrid, "it is like the PMU of one kind of CPU of a hybrid machine");

/* On each CPU, the event that is attached to no task. */
static DEFINE_PER_CPU(struct perf_event *, counting);

static void profil_pmu_hold(const bool *while_set)
{
	held++;
	wait_event(changed, !READ_ONCE(*while_set));
	held--;
}

static struct pmu pmu;

static int profil_pmu_init(struct perf_event *event)
{
	if (event->attr.type != pmu.type)
		return -ENOENT;
	if (event->cpu < 0)
		return 0;
	profil_pmu_hold(&hold);
	return READ_ONCE(cpus) & BIT(event->cpu) ? 0 : -ENOENT;
}

static int profil_pmu_add(struct perf_event *event, int flags)
{
	if (!(event->attach_state & PERF_ATTACH_TASK))
		__this_cpu_write(counting, event);
	return 0;
}

static void profil_pmu_del(struct perf_event *event, int flags)
{
	if (__this_cpu_read(counting) == event)
		__this_cpu_write(counting, NULL);
}

static void profil_pmu_start(struct perf_event *event, int flags)
{
}

static void profil_pmu_read(struct perf_event *event)
{
}

static struct pmu pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_hw_context,
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
	.capabilities	= PERF_PMU_CAP_HETEROGENEOUS_CPUS,
#endif
	.event_init	= profil_pmu_init,
	.add		= profil_pmu_add,
	.del		= profil_pmu_del,
	.start		= profil_pmu_start,
	.stop		= profil_pmu_start,
	.read		= profil_pmu_read,
};

static void profil_pmu_overflow(void)
{
	struct perf_event *event;
	struct perf_sample_data data;
	unsigned long flags;

	local_irq_save(flags);
	event = __this_cpu_read(counting);
	if (event) {
		perf_sample_data_init(&data, 0, event->hw.sample_period);
		/* perf_event_overflow() is not exported to modules. */
		event->overflow_handler(event, &data, task_pt_regs(current));
	}
	local_irq_restore(flags);
}

static int profil_pmu_fire(const char *value, const struct kernel_param *unused)
{
	unsigned int times;
	int err = kstrtouint(value, 10, &times);

	while (!err && times--)
		profil_pmu_overflow();
	return err;
}

static const struct kernel_param_ops fire_ops = { .set = profil_pmu_fire };
module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "written: so many samples of the CPU's event, where the writer is in user mode");

static bool registered;

static int profil_pmu_go(const char *value, const struct kernel_param *unused)
{
	if (registered)
		perf_pmu_unregister(&pmu);
	registered = false;
	return 0;
}

static const struct kernel_param_ops go_ops = { .set = profil_pmu_go };
module_param_cb(go, &go_ops, NULL, 0200);
MODULE_PARM_DESC(go, "written: unregister the PMU, whatever events there are");

static int hotplug_state;

static int profil_pmu_offline(unsigned int cpu)
{
	profil_pmu_hold(&hold_offline);
	return 0;
}

static int __init profil_pmu_begin(void)
{
	int err;

	if (hybrid)
		pmu.capabilities |= PERF_PMU_CAP_EXTENDED_HW_TYPE;
	err = perf_pmu_register(&pmu, "profil_pmu", -1);
	if (err)
		return err;
	registered = true;
	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "profil/test:online", NULL,
					profil_pmu_offline);
	if (err < 0) {
		perf_pmu_unregister(&pmu);
		return err;
	}
	hotplug_state = err;
	return 0;
}

static void __exit profil_pmu_end(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	if (registered)
		perf_pmu_unregister(&pmu);
}

module_init(profil_pmu_begin);
module_exit(profil_pmu_end);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Events that tests of profil make");
