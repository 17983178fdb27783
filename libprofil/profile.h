// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file profile.h
 * The generic profile: what every flavour is translated into.
 *
 * A flavour makes a profil_spec of its arguments and hands it to start_self();
 * what the kernel module is told is decided nowhere else.
 */
#pragma once

#include <profil.h>

namespace libprofil {

/** ns between two samples at a rate in Hz. */
constexpr uint64_t period_of(unsigned hz)
{
	return 1'000'000'000 / hz;
}

/**
 * What the calls of the classical systems have in common: 100 Hz, a tick in
 * the kernel is charged to the program, children go on, counters wrap.
 */
constexpr profil_spec classic_profile()
{
	profil_spec spec = {};

	spec.size = sizeof spec;
	spec.flags = PROFIL_KERNEL_TICKS | PROFIL_FOLLOW;
	spec.limit_policy = PROFIL_WRAP;
	spec.period = period_of(100);
	return spec;
}

/**
 * Take over a caller's spec, which may be of another age than the library.
 *
 * A shorter one is filled up with zeroes; a longer one is taken if what we do
 * not know is zero, and it has no more than 4096 bytes.
 * @return 0, EFAULT, EINVAL (shorter than the first version) or E2BIG.
 */
[[nodiscard]] int import_spec(const profil_spec *from, profil_spec &to);

/** The command that makes this profile; proof -1, for PROFIL_START. */
[[nodiscard]] profil_start start_command(const profil_spec &spec);

/** @see profil_self_start().  Gives 0, or an errno value. */
[[nodiscard]] int start_self(const profil_spec &spec, uint64_t *stored);

/** @see profil_self_stop().  Gives 0, or an errno value. */
[[nodiscard]] int stop_self(uint64_t *stored);

/** Changes with each start and stop, whoever makes it: is it still the one that I made? */
[[nodiscard]] uint64_t generation();

/** Does the process's own profile count now?  @return 0, or an errno value. */
[[nodiscard]] int is_running(bool &running);

} // namespace libprofil
