/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints, which are not exported by name: they are looked up by it.
 *
 * Context: process
 */
#ifndef PROFIL_TRACEPOINT_H
#define PROFIL_TRACEPOINT_H

struct tracepoint;

struct tracepoint *profil_tracepoint_find(const char *name);

#endif /* PROFIL_TRACEPOINT_H */
