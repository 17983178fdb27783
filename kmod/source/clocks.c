// SPDX-License-Identifier: GPL-2.0-only
/*
 * The available clocks, and the choice of one.
 *
 * Context: process
 */
#include "source/source.h"

#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/profil.h>
#include <linux/string.h>

/* The user's choice, or NULL; after profil_clocks_init() the clock in use. */
static char *clock;
module_param(clock, charp, 0444);
MODULE_PARM_DESC(clock, "the clock: lazy (the default: a timer where a profiled task runs), perf (a perf event on each CPU)");

static const struct choice {
	const char *name;
	u32 number;
	const struct profil_clock_ops *ops;
} clocks[] = {
	{ "lazy", PROFIL_CLOCK_LAZY, &profil_clock_lazy },
	{ "perf", PROFIL_CLOCK_PERF, &profil_clock_perf },
};

static int profil_clocks_take(const char *name, const struct choice **chosen)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		if (!strcmp(name, clocks[i].name))
			break;
	if (i == ARRAY_SIZE(clocks)) {
		pr_err("unknown clock '%s' (lazy, perf)\n", name);
		return -EINVAL;
	}
	*chosen = &clocks[i];
	return clocks[i].ops->init ? clocks[i].ops->init() : 0;
}

/* An explicit clock= is honoured or fails; without one, fall back to one that works. */
static int profil_clocks_choose(const struct choice **chosen)
{
	int err;

	if (clock)
		return profil_clocks_take(clock, chosen);
	clock = "lazy";
	err = profil_clocks_take(clock, chosen);
	if (!err)
		return 0;
	pr_info("the lazy clock cannot start (error %d), the perf clock ticks instead\n", err);
	clock = "perf";
	return profil_clocks_take(clock, chosen);
}

/**
 * profil_clocks_init() - choose the clock and set it up
 *
 * Context: Process context.
 * Return: 0, to be undone by profil_clock_exit(), or -errno.
 */
int profil_clocks_init(void)
{
	const struct choice *chosen;
	int err = profil_clocks_choose(&chosen);

	if (err)
		return err;
	profil_clock_number = chosen->number;
	return profil_clock_init(chosen->ops);
}
