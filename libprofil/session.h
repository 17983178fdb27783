// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/session.h  The owner of attached profiles. */
#pragma once

#include "libprofil/device.h"

#include <profil.h>

namespace libprofil {

/** What the proof of each process of a recording must be like. */
struct Begun {
	uint32_t profile;
	uint32_t flags;	       /**< of PROFIL_RECORD */
	perf_event_attr event; /**< with PROFIL_EVENT */
	Begun *next;
};

} // namespace libprofil

/** An open /dev/profil; the profiles attached through it end with it. */
struct profil_session {
	/** @return 0, or an errno value. */
	[[nodiscard]] static int create(profil_session *&session);
	/** Close it, which detaches everything. */
	static void destroy(profil_session *session);

	/** A recording that was begun and has not been stopped; or nullptr. */
	[[nodiscard]] const libprofil::Begun *begun(uint32_t profile) const;
	/** Forget a recording that was stopped. */
	void forget(uint32_t profile);

	libprofil::Device device;		/**< non-blocking, for read(2) of events */
	libprofil::Begun *recordings = nullptr; /**< each from malloc(3) */
};
