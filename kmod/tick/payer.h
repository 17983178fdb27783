/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose limit a waiting tick counts towards.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_PAYER_H
#define PROFIL_PAYER_H

#include <linux/cred.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

/**
 * profil_payer() - who pays for what current has, as profile/limits.c has it
 *
 * The owner of a user namespace pays for all its users; but root pays for nobody, so that a
 * namespace of root's pays for its own.
 *
 * Context: Any.
 * Return: a number that only those with the same payer have.
 */
static inline unsigned long profil_payer(void)
{
	/* Not those that a file system, or a ring, uses for a while. */
	const struct cred *cred = current_real_cred();
	const struct user_namespace *ns = cred->user_ns;
	kuid_t uid = cred->uid;

	for (; ns->parent; ns = ns->parent) {
		if (uid_eq(ns->owner, GLOBAL_ROOT_UID))
			return (uintptr_t)ns;
		uid = ns->owner;
	}
	/* Unlike any address. */
	return (unsigned long)__kuid_val(uid) << 1 | 1;
}

#endif /* PROFIL_PAYER_H */
