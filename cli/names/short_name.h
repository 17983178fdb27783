// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/names/short_name.h  Demangled names in the short form that people use. */
#pragma once

#include <string>
#include <string_view>

namespace cli {

/**
 * A demangled name with its templates abbreviated: "std::string" instead of the long form, no
 * default arguments such as allocators, and "<...>" for arguments of more than 20 characters.
 * Names without templates are returned unchanged.
 */
std::string with_short_templates(std::string_view name);

/**
 * A demangled name without parameters, return type and qualifiers, but with all template
 * arguments: "words::sort<char*>" for "void words::sort<char*>(char**)".
 */
std::string with_arguments(std::string_view name);

/**
 * with_short_templates() without parameters, return type and qualifiers: "words::sort" for
 * "void words::sort(std::vector<char*, std::allocator<char*> >&)".  A clone of a function, or a
 * stub, keeps its mark: "f [clone .cold]", "f@plt".  Names of other languages, which may have
 * brackets elsewhere, keep all that does not look like parameters: "main.(*Tree).walk".
 */
std::string short_name(std::string_view name);

} // namespace cli
