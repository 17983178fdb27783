// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/session.h  The owner of recordings. */
#pragma once

#include "libprofil/device.h"

#include <profil.h>

namespace libprofil {

/** A recording of a session, with the flags and the event that its proofs depend on. */
struct Begun {
	uint32_t profile;
	uint32_t flags;	       /**< the flags of PROFIL_RECORD */
	perf_event_attr event; /**< the event, if PROFIL_EVENT is set */
	Begun *next;
};

} // namespace libprofil

/** An open /dev/profil; its recordings end with it. */
struct profil_session {
	/** @return 0, or an errno value. */
	[[nodiscard]] static int create(profil_session *&session);
	/** Close the session, which ends its recordings. */
	static void destroy(profil_session *session);

	/** A recording that was begun and has not been stopped; or nullptr. */
	[[nodiscard]] const libprofil::Begun *begun(uint32_t profile) const;
	/** Forget a recording that was stopped. */
	void forget(uint32_t profile);

	libprofil::Device device;
	libprofil::Begun *recordings = nullptr; /**< each from malloc(3) */
};
