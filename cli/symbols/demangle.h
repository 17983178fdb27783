// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/demangle.h  Names of the linker as names of the language. */
#pragma once

#include <string>
#include <string_view>

namespace cli {

/**
 * C++ (Itanium ABI) and Rust names as written in the source; others as they are,
 * without symbol versions.  Stubs keep their "@plt".
 */
std::string demangle(std::string_view name);

} // namespace cli
