// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile_file.h"

#include "cli/pprof.h"
#include "cli/text.h"

#include <unistd.h>

namespace cli {
namespace {

constexpr size_t most_bytes = size_t{1} << 30;

} // namespace

std::string profile_file_name(const std::string &path)
{
	return path == "-" ? "standard input" : path;
}

Result<Profile> read_profile(const std::string &path)
{
	const std::string name = profile_file_name(path);
	const Result<std::string> content =
		path == "-" ? read_all(STDIN_FILENO, name, most_bytes) : read_file(path, most_bytes);

	if (!content)
		return Error{content.error().text + " ('profil record' writes such files)"};

	Result<Profile> profile = decode_pprof(*content);

	if (!profile)
		return Error{name + ": " + profile.error().text};
	return profile;
}

} // namespace cli
