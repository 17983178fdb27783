// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.4, the memory of a module is an array, indexed by type. */
#include <linux/module.h>

static const void *code(const struct module *module)
{
	return module->mem[MOD_TEXT].base;
}

const void *(*use)(const struct module *module) = code;
