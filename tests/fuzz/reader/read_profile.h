// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/reader/read_profile.h  The check of one file by the fuzzer; the host tests run
 * it on the fuzzer's corpus. */
#pragma once

#include <string_view>

namespace fuzz {

/**
 * Reads a profile from any bytes, and writes it in every form that the command has: reports as
 * text and JSON, every export, annotations, and reports of the profile merged and compared with
 * itself.  Aborts with a line on standard error if two of these contradict each other.
 * @return whether the content is a profile
 */
bool read_profile(std::string_view content);

} // namespace fuzz
