// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file libprofil/profile.h
 * The generic profile, into which every flavour is translated.
 *
 * A flavour turns its arguments into a profil_spec and passes it to start_self().
 * Only the functions here turn a profil_spec into the module's commands.
 */
#pragma once

#include "libprofil/shared.h"

#include <profil.h>

namespace libprofil {

/** The most regions that the module accepts. */
constexpr size_t regions_max = 32768;

/** The period, in ns, of a rate in Hz. */
constexpr uint64_t period_of(unsigned hz)
{
	return 1'000'000'000 / hz;
}

/**
 * The defaults of the classical systems: 100 Hz; ticks in the kernel and ticks that
 * come late are charged to the program; children are profiled too; counters wrap.
 */
constexpr profil_spec classic_profile()
{
	profil_spec spec = {};

	spec.size = sizeof spec;
	spec.flags = PROFIL_KERNEL_TICKS | PROFIL_FOLLOW | PROFIL_OWED_TICKS;
	spec.limit_policy = PROFIL_WRAP;
	spec.period = period_of(100);
	return spec;
}

/**
 * Copy a caller's spec, which may be older or newer than the library's.
 *
 * A shorter spec is padded with zeroes.  A longer one is accepted if all bytes that
 * we do not know are zero and it has at most 4096 bytes.
 * @return 0, EFAULT, EINVAL (shorter than the first version) or E2BIG.
 */
[[nodiscard]] int import_spec(const profil_spec *from, profil_spec &to);

/** PROFIL_START's argument for this profile. */
[[nodiscard]] profil_start start_command(const profil_spec &spec);

/**
 * Start the process's own profile, whether or not its counters can be written: the first tick
 * that cannot write its counter turns the profile off.
 * @see profil_self_start().  @return 0, or an errno value.
 */
[[nodiscard]] int start_unchecked(const profil_spec &spec, uint64_t *stored);

/** @see profil_self_start().  @return 0, or an errno value; EFAULT if a counter cannot be written. */
[[nodiscard]] int start_self(const profil_spec &spec, uint64_t *stored);

/** start_self() for a caller's spec, whose pointer to the regions may be bad. */
[[nodiscard]] int start_callers(const profil_spec &spec, uint64_t *stored);

/**
 * Turn the process's own profile off.  When this returns, no counter is written any more.
 *
 * Shuts the gates, which needs no descriptor.  Opens /dev/profil only if no copy of the
 * library has started a profile with a gate, or membarrier(2) is missing or forbidden.
 * @param stored receives the number of PCs that the profile has stored, unless NULL.
 */
void stop_self(uint64_t *stored);

/**
 * A number that changes with every start and stop by any copy of the library, so that a
 * flavour can tell whether its own profile is still on.
 */
[[nodiscard]] uint64_t generation();

/** Mark the profile that was just started as one of this kind. */
void mark(Kind kind);

/**
 * True if the profile that was started last, by any copy of the library, is of this kind
 * and has not been stopped since.
 */
[[nodiscard]] bool is_marked(Kind kind);

/** Find out whether the process's own profile is counting now.  @return 0, or an errno value. */
[[nodiscard]] int is_running(bool &running);

} // namespace libprofil
