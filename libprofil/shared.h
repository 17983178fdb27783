// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file libprofil/shared.h
 * What all copies of this library in a process share.
 *
 * A process has one profile, but may have several copies of the library: that of a
 * program or plugin that is linked with libprofil.a, and the shared one, by dlopen(3) or
 * LD_PRELOAD.  Each has to turn off what any other has turned on, without a descriptor,
 * so their gates are the same ones.
 */
#pragma once

#include <atomic>
#include <cstdint>
#include <linux/profil.h>

namespace libprofil {

/** Profiles that a later call has to tell from all others. */
enum class Kind : unsigned { aix_list, execution };

/**
 * A page that outlives the copy that has mapped it.
 *
 * Copies of other versions know it, too: members are added at its end only.
 */
struct alignas(4096) Shared {
	/** Threads that start profiles at once need one each; the profile that runs has another. */
	static constexpr unsigned gates_nr = 16;

	std::atomic<uint64_t> magic;
	/** Starts and stops, and the last start of each kind, as a number of changes. */
	std::atomic<uint64_t> changes, start_of[2];
	/** The gate of the profile that was started last, or nullptr. */
	std::atomic<profil_gate *> current;
	/** Gates given out. */
	std::atomic<unsigned> taken;
	/** The current gate has not been shut by us. */
	std::atomic<bool> open;
	/**
	 * All are shut together, as only the module knows which profile was the last to
	 * start.  The module pins the page, so nothing else is in it.
	 */
	alignas(16) profil_gate gate[gates_nr];
};

static_assert(sizeof(Shared) == 4096);

/** The page.  Async-signal-safe. */
[[nodiscard]] Shared &shared();

/** Do other copies have it, too?  Not if the process has no room for another page. */
[[nodiscard]] bool is_shared();

} // namespace libprofil
