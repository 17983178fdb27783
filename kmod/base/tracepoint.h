/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looking up tracepoints by name, as their symbols are not exported.
 *
 * Context: process
 */
#ifndef PROFIL_TRACEPOINT_H
#define PROFIL_TRACEPOINT_H

struct tracepoint;

struct tracepoint *profil_tracepoint_find(const char *name);

#endif /* PROFIL_TRACEPOINT_H */
