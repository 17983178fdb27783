// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/add.h  Add many processes to a recording at once. */
#pragma once

#include "libprofil/session.h"

#include <linux/profil_record.h>
#include <span>

namespace libprofil {

/** One target on its way into the module. */
struct Addition {
	profil_target *target; /**< the caller's */
	Fd proof;	       /**< open until the command is done; empty if the proof is shared */
	profil_add command;    /**< PROFIL_ADD's argument */
};

/**
 * @see profil_session_add().  Sets error and step of every target.
 * @return the number added.
 */
long add(const Device &device, const Begun &recording, std::span<profil_target> targets);

} // namespace libprofil
