// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/skip.h  Skipping a test that this machine cannot run. */
#pragma once

#include <string>

namespace support {

/**
 * End the running test and report it as skipped, not as passed, because the machine or its kernel
 * lacks something.  In a section, only the section ends; the test counts as skipped even if the
 * other sections pass.  (A section that returned would hide all later ones.)  Not for children.
 */
[[noreturn]] void skip(const std::string &reason);

} // namespace support
