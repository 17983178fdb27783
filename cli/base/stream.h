// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/stream.h  Standard input, output and error. */
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/**
 * Put something in the place of standard streams that are closed, or the first
 * file that is opened would get our messages.  Using it fails like a closed one.
 */
void occupy_standard_streams();

/** Write all of it; false with errno. */
[[nodiscard]] bool write_all(int fd, std::string_view content);

/**
 * Write to standard error as it is, as far as that goes: a terminal that has
 * hung up, or a full disk, is no reason to lose a recording.
 */
void write_message(std::string_view text) noexcept;

/** Such messages in the name of a command, a line each, whatever characters are in them. */
void tell(const std::string &command, const std::vector<std::string> &notes);

/**
 * Write to standard output; if that fails say so in the name of a command.
 * @return the exit status.
 */
int print(const std::string &command, std::string_view text);

} // namespace cli
