// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The commands that use HTTP are in a separate program, profil-network: their
 * libraries load thirty others, which would make up most of the start-up time of
 * every command.
 */
#include "cli/base/characters.h"
#include "cli/base/exit.h"
#include "cli/base/stream.h"
#include "cli/commands/push/options.h"
#include "cli/commands/serve/options.h"
#include "cli/optional/built_with.h"
#include "cli/options/subcommands.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace cli {
namespace {

constexpr char program[] = "profil-network";

/** Execute profil-network, from this program's directory or ../libexec/profil; returns an error. */
std::string execute(const std::string &command, const std::vector<std::string> &arguments)
{
	std::error_code error;
	const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);

	if (error)
		return "/proc/self/exe: " + error.message();

	const std::filesystem::path directory = self.parent_path();
	const std::array places = {directory / program,
				   directory.parent_path() / "libexec" / "profil" / program};
	std::vector<std::string> words = {program, command};
	std::vector<char *> pointers;

	words.insert(words.end(), arguments.begin(), arguments.end());
	for (std::string &word : words)
		pointers.push_back(word.data());
	pointers.push_back(nullptr);
	for (const std::filesystem::path &place : places) {
		execv(place.c_str(), pointers.data());
		if (errno != ENOENT)
			return place.string() + ": " + std::strerror(errno);
	}
	if (!with_http)
		return "this profil was built without HTTP (install the headers of libcurl and "
		       "libmicrohttpd, and build profil again)";
	return fmt::format("{} is neither in {} nor in {} (install profil again)", program,
			   places[0].parent_path().string(), places[1].parent_path().string());
}

int run(const std::string &command, const std::vector<std::string> &arguments)
{
	const std::string reason = execute(command, arguments);

	write_message(fmt::format("profil {}: {}\n", command, printable(reason)));
	return exit_failure;
}

} // namespace

/* Parse the options here, so that help, completion and wrong options do not need profil-network. */
int push_main(const std::vector<std::string> &arguments)
{
	PushOptions options;

	if (const std::optional<int> status = parse_push_options(arguments, options))
		return *status;
	return run("push", arguments);
}

int serve_main(const std::vector<std::string> &arguments)
{
	ServeOptions options;
	TargetOptions target;

	if (const std::optional<int> status = parse_serve_options(arguments, options, target))
		return *status;
	return run("serve", arguments);
}

} // namespace cli
