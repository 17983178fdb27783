/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pool: memory for the probes, which cannot allocate.
 *
 * Context: tracepoint probe
 */
#ifndef PROFIL_POOL_H
#define PROFIL_POOL_H

/* Bytes of a node: a binding, a watch or a birth. */
#define PROFIL_NODE_SIZE	256

int profil_pool_fill(void);
void *profil_pool_take(void);
void profil_pool_exit(void);

#endif /* PROFIL_POOL_H */
