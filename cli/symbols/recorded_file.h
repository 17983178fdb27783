// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/recorded_file.h  The files of a profile's mappings, as they are now. */
#pragma once

#include "cli/base/result.h"
#include "cli/objects/object.h"
#include "cli/profile/profile.h"

#include <ctime>
#include <memory>
#include <string>
#include <string_view>

namespace cli {

/** A file that is the recorded one, as far as build-ids tell. */
struct RecordedFile {
	std::unique_ptr<Object> object; /**< with its segments and build-id */
	time_t modified = 0;		/**< when it was written: s since 1970 */
};

/**
 * Open the file of a mapping.
 * @param root put before its path.
 * @param next_step for who has no such file, or one with another build-id: the
 *        error says that, and this.
 */
Result<RecordedFile> open_recorded(const ProfileMapping &mapping, const std::string &root,
				   std::string_view next_step);

} // namespace cli
