// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/session.h  The owner of attached profiles. */
#pragma once

#include "libprofil/device.h"

#include <profil.h>

/** An open /dev/profil; the profiles attached through it end with it. */
struct profil_session {
	/** @return 0, or an errno value. */
	[[nodiscard]] static int create(profil_session *&session);
	/** Close it, which detaches everything. */
	static void destroy(profil_session *session);

	libprofil::Device device; /**< non-blocking, for read(2) of events */
};
