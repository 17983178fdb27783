// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/names/demangle.h  Demangles names. */
#pragma once

#include <string>
#include <string_view>

namespace cli {

/**
 * Demangle a name of C++ (Itanium ABI), Rust (v0, and its older mangling) or D; other names are
 * returned unchanged.  Symbol versions are removed; stubs keep their "@plt".
 */
std::string demangle(std::string_view name);

} // namespace cli
