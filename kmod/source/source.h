/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sources: the events that may tick, the claims of profiles on them, and requests to serve.c.
 *
 * Context: any
 */
#ifndef PROFIL_SOURCE_H
#define PROFIL_SOURCE_H

#include "base/claim.h"
#include "source/serve.h"

int profil_source_choose(struct perf_event_attr *attr, const struct perf_event *event);
int profil_source_get(struct profil_claim *claim, const struct perf_event_attr *attr,
		      u64 period);
void profil_source_put(struct profil_claim *claim);
bool profil_source_is(struct profil_claim *claim, const struct perf_event_attr *attr);
int profil_source_account(struct profil_claim *claim, u64 since,
			  struct profil_source_report *report);

#endif /* PROFIL_SOURCE_H */
