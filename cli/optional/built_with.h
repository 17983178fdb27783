// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/optional/built_with.h  The optional libraries of this build: see cli/build.mk. */
#pragma once

#include <string>

namespace cli {

#ifdef PROFIL_WITHOUT_HTTP
constexpr bool with_http = false;
#else
constexpr bool with_http = true;
#endif

#ifdef PROFIL_WITHOUT_DEBUGINFOD
constexpr bool with_debuginfod = false;
#else
constexpr bool with_debuginfod = true;
#endif

#ifdef PROFIL_WITHOUT_CAPSTONE
constexpr bool with_capstone = false;
#else
constexpr bool with_capstone = true;
#endif

/** A line for each part that needs an optional library; it says whether this build has the part. */
std::string built_with();

} // namespace cli
