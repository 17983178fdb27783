// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/kernel_image.h  The code of the kernel and its modules, as ELF files. */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"
#include "cli/profile/profile.h"

#include <string>
#include <string_view>

namespace cli {

/** Does a mapping have this name if it is the kernel, or a module: "[kernel]", "[e1000]"? */
bool is_kernel_text(std::string_view filename);

/**
 * A vmlinux with a build-id, from where distributions and builds put it; empty if there is none.
 * @param build_id in lower-case digits.
 * @param root is put before its path.
 */
std::string find_vmlinux(const std::string &build_id, const std::string &root = "");

/**
 * The debug information of a build-id, where Debian and others install that of a module; empty if there is
 * none.
 * @param build_id in lower-case digits.
 * @param root is put before its path.
 */
std::string find_debug_file_of(const std::string &build_id, const std::string &root = "");

/**
 * An ELF file with the code at its link-time addresses.
 *
 * It is the vmlinux with the recorded build-id, or one without a name that is made of
 * /proc/kcore and /proc/kallsyms, if the kernel or the module that runs has that build-id.
 * @param root is put before the path of the vmlinux.
 */
Result<Fd> open_kernel_text(const ProfileMapping &mapping, const std::string &root);

} // namespace cli
