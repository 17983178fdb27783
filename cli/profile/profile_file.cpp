// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/profile_file.h"

#include "cli/base/files.h"
#include "cli/profile/perf_script.h"
#include "cli/profile/pprof.h"

#include <unistd.h>

namespace cli {
namespace {

constexpr size_t most_bytes = size_t{1} << 30;

/** Advice if the file is missing: its ".part" may exist, or 'profil record' can write it. */
std::string next_step(const std::string &path)
{
	if (access(path.c_str(), F_OK) && !access((path + ".part").c_str(), F_OK))
		return " (" + path + ".part has what was recorded before profil was killed)";
	return " ('profil record' writes such files)";
}

} // namespace

std::string profile_file_name(const std::string &path)
{
	return path == "-" ? "standard input" : path;
}

Result<std::string> read_profile_content(const std::string &path)
{
	Result<std::string> content = path == "-"
					      ? read_all(STDIN_FILENO, profile_file_name(path), most_bytes)
					      : read_file(path, most_bytes);

	if (!content)
		return Error{content.error().text + next_step(path)};
	return content;
}

Result<Profile> read_profile(const std::string &path, const std::string &value)
{
	const Result<std::string> content = read_profile_content(path);

	if (!content)
		return content.error();

	Result<Profile> profile =
		is_perf_script(*content) ? read_perf_script(*content) : decode_pprof(*content);

	if (!profile)
		return Error{profile_file_name(path) + ": " + profile.error().text};
	if (!value.empty()) {
		if (const Outcome kept = keep_value(*profile, value); !kept)
			return Error{profile_file_name(path) + ": " + kept.error().text};
	}
	return profile;
}

} // namespace cli
