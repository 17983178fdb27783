// SPDX-License-Identifier: GPL-2.0-only
/*
 * The floor of the benchmarks: what a perf cpu-clock event on each CPU costs
 * when its handler does nothing.  The attributes are those of clock_perf.c.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

static unsigned long period = 1000000;
module_param(period, ulong, 0444);
MODULE_PARM_DESC(period, "ns between ticks");

static DEFINE_PER_CPU(struct perf_event *, events);

static void tick(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
}

static void floor_stop(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(events, cpu))
			perf_event_release_kernel(per_cpu(events, cpu));
}

static int __init floor_init(void)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_CPU_CLOCK,
		.size		= sizeof(attr),
		.sample_period	= period,
		.pinned		= 1,
		.exclude_idle	= 1,
		.exclude_hv	= 1,
	};
	struct perf_event *event;
	unsigned int cpu;
	int err = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		event = perf_event_create_kernel_counter(&attr, cpu, NULL, tick, NULL);
		if (IS_ERR(event)) {
			err = PTR_ERR(event);
			floor_stop();
			break;
		}
		per_cpu(events, cpu) = event;
	}
	cpus_read_unlock();
	return err;
}

static void __exit floor_exit(void)
{
	floor_stop();
}

module_init(floor_init);
module_exit(floor_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Empty perf handler: the floor of profil's benchmarks");
