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
 * profil_payer() - the payer for what current uses, as in base/limits.c
 *
 * The owner of a user namespace pays for all its users; but root pays for no other user, so a
 * namespace that root owns pays for itself.
 *
 * Context: Any.
 * Return: a number that identifies the payer.
 */
static inline unsigned long profil_payer(void)
{
	/* Not the subjective ones: a file system or io_uring may override those for a while. */
	const struct cred *cred = current_real_cred();
	const struct user_namespace *ns = cred->user_ns;
	kuid_t uid = cred->uid;

	for (; ns->parent; ns = ns->parent) {
		if (uid_eq(ns->owner, GLOBAL_ROOT_UID))
			return (uintptr_t)ns;
		uid = ns->owner;
	}
	/* Odd, unlike any address. */
	return (unsigned long)__kuid_val(uid) << 1 | 1;
}

#endif /* PROFIL_PAYER_H */
