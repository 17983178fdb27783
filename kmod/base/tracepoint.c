// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looking up tracepoints by name, as their symbols are not exported.
 *
 * Context: process
 */
#include "base/tracepoint.h"

#include <linux/string.h>
#include <linux/tracepoint.h>

struct search {
	const char *name;
	struct tracepoint *found;
};

static void profil_tracepoint_compare(struct tracepoint *point, void *data)
{
	struct search *search = data;

	if (!strcmp(point->name, search->name))
		search->found = point;
}

/**
 * profil_tracepoint_find() - look up a tracepoint
 * @name: its name
 *
 * Context: Process context, may sleep.
 * Return: the tracepoint, or NULL if the kernel does not have it.
 */
struct tracepoint *profil_tracepoint_find(const char *name)
{
	struct search search = { .name = name };

	for_each_kernel_tracepoint(profil_tracepoint_compare, &search);
	return search.found;
}
