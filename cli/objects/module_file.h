// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/module_file.h  Lays out the files of kernel modules as the kernel does. */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"

#include <cstdint>
#include <string>

namespace cli {

/** The address of the code after lay_out_module().  Not 0: libdwfl takes 0 for "no address yet". */
constexpr uint64_t module_shift = 0x10000000;

/**
 * Copy the file of a module, or of its debug information, and give its sections addresses.
 *
 * A module is a relocatable file.  The kernel puts the code sections that it keeps one after
 * the other, in the order of the file, at the beginning of the module's code
 * (layout_sections() in kernel/module/main.c).
 * @param name for errors.
 * @return an unnamed file, in which the code begins at module_shift.
 */
Result<Fd> lay_out_module(const Fd &file, const std::string &name);

} // namespace cli
