// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/kernel_image.h  The code of the kernel and its modules, as ELF files. */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"
#include "cli/profile/profile.h"

#include <string>
#include <string_view>

namespace cli {

/** True if a mapping with this name is the kernel or a module: "[kernel]", "[e1000]". */
bool is_kernel_text(std::string_view filename);

/**
 * Look for the vmlinux with a build-id in the places where distributions and builds put it.
 * @param build_id in lower-case digits.
 * @param root is put before each path.
 * @return the path of the vmlinux; empty if there is none.
 */
std::string find_vmlinux(const std::string &build_id, const std::string &root = "");

/**
 * Look for the debug information with a build-id where Debian and others install modules' debug
 * information.
 * @param build_id in lower-case digits.
 * @param root is put before the path.
 * @return the path of the file; empty if there is none.
 */
std::string find_debug_file_of(const std::string &build_id, const std::string &root = "");

/**
 * Open an ELF file with a mapping's code at its link-time addresses.
 *
 * This is the vmlinux with the recorded build-id.  Otherwise, if the running kernel or module has
 * that build-id, it is an unnamed file that is made from /proc/kcore and /proc/kallsyms.
 * @param root is put before the path of the vmlinux.
 */
Result<Fd> open_kernel_text(const ProfileMapping &mapping, const std::string &root);

} // namespace cli
