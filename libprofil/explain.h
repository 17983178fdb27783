// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/explain.h  Describe errors in words. */
#pragma once

#include <cstddef>

namespace libprofil {

/** @see profil_explain().  errno may change. */
void explain(int error, const char *step, char *text, size_t bytes);

} // namespace libprofil
