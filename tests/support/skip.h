// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/skip.h  Skipping a test that this machine cannot run. */
#pragma once

#include <string>

namespace support {

/**
 * Report the running test as skipped, not as passed, because the machine or its kernel lacks
 * something, and end it.  In a section it ends only that; the test counts as skipped even if the
 * other sections pass.  (A section that returns would hide all that come after it.)  Not for
 * children.
 */
[[noreturn]] void skip(const std::string &reason);

} // namespace support
