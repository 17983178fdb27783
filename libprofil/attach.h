// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/attach.h  Attach many processes at once. */
#pragma once

#include "libprofil/device.h"
#include "libprofil/profile.h"

#include <span>

namespace libprofil {

/** One target on its way into the module. */
struct Attachment {
	profil_target *target; /**< the caller's */
	Fd proof;	       /**< open until the command is done; empty if the batch's is used */
	profil_start command;  /**< PROFIL_ATTACH's argument */
};

/**
 * @see profil_attach().  Sets error, step and profile of every target.
 * @return the number attached.
 */
long attach(const Device &device, std::span<profil_target> targets);

} // namespace libprofil
