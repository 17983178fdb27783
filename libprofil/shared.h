// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file libprofil/shared.h
 * The state that all copies of this library in a process share.
 *
 * A process has one profile, but may have several copies of the library: one in each
 * program or plugin that is linked with libprofil.a, and the shared one, loaded by
 * dlopen(3) or LD_PRELOAD.  Each copy must be able to turn off, without a descriptor, a
 * profile that another copy has started.  So all copies use the same gates.
 */
#pragma once

#include <atomic>
#include <cstdint>
#include <linux/profil.h>

namespace libprofil {

/** Kinds of profiles that a later call has to recognize. */
enum class Kind : unsigned { aix_list, execution };

/**
 * A page that outlives the copy of the library that has mapped it.
 *
 * Copies of other versions use it as well, so new members go at its end.
 */
struct alignas(4096) Shared {
	/** One for the running profile, and one for each thread that is starting a profile. */
	static constexpr unsigned gates_nr = 16;

	std::atomic<uint64_t> magic;
	/** The number of starts and stops; its value at the last start of each kind of profile. */
	std::atomic<uint64_t> changes, start_of[2];
	/** The gate of the profile that was started last, or nullptr. */
	std::atomic<profil_gate *> current;
	/** The number of gates given out. */
	std::atomic<unsigned> taken;
	/** True if the current gate has not been shut since its profile started. */
	std::atomic<bool> open;
	/** True if a copy writes the file of PROFIL_CPU. */
	std::atomic<bool> cpu_file;
	/**
	 * All gates are shut together, because only the module knows which profile was the
	 * last to start.  The module pins the page, so the page holds nothing else.
	 */
	alignas(16) profil_gate gate[gates_nr];
};

static_assert(sizeof(Shared) == 4096);

/** The page.  Async-signal-safe. */
[[nodiscard]] Shared &shared();

/** True if other copies use the same page; false if it could not be mapped where they look. */
[[nodiscard]] bool is_shared();

} // namespace libprofil
