// SPDX-License-Identifier: GPL-2.0-only
/*
 * A section: what a CPU does to profiles in one go, with interrupts off.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#include "tick/section.h"

#include <linux/percpu.h>

DEFINE_PER_CPU(unsigned long, profil_section);
