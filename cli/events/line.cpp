// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/events/line.h"

#include "cli/base/files.h"
#include "cli/base/whole_number.h"

namespace cli {
namespace {

constexpr size_t file_max = 4096;

} // namespace

std::optional<std::string> line_of(const std::string &path)
{
	const Result<std::string> text = read_file(path, file_max);

	return text ? std::optional(text->substr(0, text->find('\n'))) : std::nullopt;
}

std::optional<uint64_t> number_in(const std::string &path)
{
	const std::optional<std::string> line = line_of(path);

	return line ? whole_number<uint64_t>(*line) : std::nullopt;
}

} // namespace cli
