// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/recorded_file.h  Opens the files of a profile's mappings. */
#pragma once

#include "cli/base/result.h"
#include "cli/objects/object.h"
#include "cli/profile/profile.h"

#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>

namespace cli {

/** A file whose build-id is the recorded one, if one was recorded. */
struct RecordedFile {
	std::unique_ptr<Object> object; /**< with its segments and build-id */
	time_t modified = 0;		/**< modification time: s since 1970 */
	uint64_t shift = 0;		/**< the file's addresses minus the profile's */
};

/**
 * Open the file of a mapping.  For the kernel or a module, calls open_kernel_text().
 * @param root is put before the path.
 * @param next_step what to do if the file is missing or has another build-id; it
 *        becomes a part of the error.
 */
Result<RecordedFile> open_recorded(const ProfileMapping &mapping, const std::string &root,
				   std::string_view next_step);

/**
 * Like open_recorded(), but to read lines.  The kernel's lines are in a vmlinux, and a module's
 * lines are in its debug information; a debuginfod server may have either.
 */
Result<RecordedFile> open_lines(const ProfileMapping &mapping, const std::string &root,
				std::string_view next_step);

} // namespace cli
