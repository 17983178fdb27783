// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/names/demangle.h  Demangles names. */
#pragma once

#include <string>
#include <string_view>

namespace cli {

/**
 * Names of C++ (Itanium ABI), Rust (v0, and its older mangling) and D, as written in the source;
 * other names unchanged.  Symbol versions are removed; stubs keep their "@plt".
 */
std::string demangle(std::string_view name);

} // namespace cli
