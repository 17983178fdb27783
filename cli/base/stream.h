// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/stream.h  Standard input, output and error. */
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/**
 * Open a placeholder for each standard stream that is closed.  Without it, the next
 * file opened would receive our messages.  Reading or writing a placeholder fails,
 * as for a closed stream.
 */
void occupy_standard_streams();

/** Write all of @p content; false, with errno set, on failure. */
[[nodiscard]] bool write_all(int fd, std::string_view content);

/**
 * Write @p text unchanged to standard error, ignoring failures: a terminal that
 * has hung up, or a full disk, must not cost a recording.
 */
void write_message(std::string_view text) noexcept;

/** Write each note on its own line, prefixed with @p command; replace unprintable characters. */
void tell(const std::string &command, const std::vector<std::string> &notes);

/**
 * Write to standard output; on failure, print an error prefixed with @p command.
 * @return the exit status.
 */
int print(const std::string &command, std::string_view text);

} // namespace cli
