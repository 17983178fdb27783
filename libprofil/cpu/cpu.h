// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/cpu/cpu.h  The CPU profile that a program makes of itself. */
#pragma once

#include <profil/cpu.h>

namespace libprofil {

/* As the functions of <profil/cpu.h>.  Each returns 0, or an errno value. */
[[nodiscard]] int start_cpu_profile(const profil_cpu_options *options);
[[nodiscard]] int stop_cpu_profile();
[[nodiscard]] int pause_cpu_profile();
[[nodiscard]] int resume_cpu_profile();
[[nodiscard]] int add_cpu_thread();
[[nodiscard]] int write_cpu_profile(int fd);
/** Write the profile, if there is one, to a file: a WholeFile. */
[[nodiscard]] int save_cpu_profile(const char *path);
[[nodiscard]] int cpu_profile_status(profil_status *status);

} // namespace libprofil
