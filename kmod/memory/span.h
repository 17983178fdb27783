/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A span: a run of pages that hold counters.
 *
 * Context: process
 */
#ifndef PROFIL_SPAN_H
#define PROFIL_SPAN_H

#include <linux/types.h>

struct page;
struct profil_pins;
struct profil_span;

int profil_span_pin(struct profil_pins *pins, struct profil_span *span);
int profil_span_check(struct profil_pins *pins, const struct profil_span *span);
bool profil_pins_aim(struct profil_pins *pins);
void profil_pins_sync(struct profil_pins *pins);
int profil_page_pin(unsigned long start, struct page **page);
bool profil_span_same(const struct profil_pins *pins, const struct profil_span *span);

#endif /* PROFIL_SPAN_H */
