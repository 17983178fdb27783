// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/attach.h  Attach to many processes, or add them to a recording, at once. */
#pragma once

#include "libprofil/profile.h"
#include "libprofil/session.h"

#include <span>

namespace libprofil {

/** One target on its way into the module. */
struct Attachment {
	profil_target *target; /**< the caller's */
	Fd proof;	       /**< open until the command is done; empty if the batch's is used */
	unsigned long number;  /**< PROFIL_ATTACH or PROFIL_RECORD */
	union {
		profil_start start;
		profil_record record;
	}; /**< its argument */

	void use_proof(int fd, pid_t shared_for)
	{
		if (number == PROFIL_RECORD) {
			record.proof = fd;
			record.target = shared_for;
		} else {
			start.proof = fd;
			start.target = shared_for;
		}
	}
	[[nodiscard]] bool is_shared() const
	{
		return number == PROFIL_RECORD ? record.target : start.target;
	}
};

/**
 * @see profil_attach().  Sets error, step and profile of every target.
 * @return the number attached.
 */
long attach(const Device &device, std::span<profil_target> targets);

/**
 * @see profil_session_add().  Sets error and step of every target.
 * @return the number added.
 */
long add(const Device &device, const Begun &recording, std::span<profil_target> targets);

} // namespace libprofil
