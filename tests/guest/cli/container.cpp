// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/container.cpp  Names of programs that have no path in profil's namespace.
 */
#include "tests/guest/cli/support.h"

#include <filesystem>
#include <optional>

using namespace cli_test;

namespace {

/** The process whose program has this path, according to the kernel. */
std::optional<pid_t> running(const std::string &path)
{
	for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
		std::error_code gone;
		const auto exe = std::filesystem::read_symlink(entry.path() / "exe", gone);

		if (!gone && exe == path)
			return std::stoi(entry.path().filename());
	}
	return std::nullopt;
}

/** Runs a copy of cli_burn in a mount namespace of its own, and deletes it while it runs. */
class Contained {
public:
	static constexpr const char *path = "/mnt/contained (deleted)";

	Contained()
	{
		REQUIRE(soon([] { return running(path).has_value(); }));
		pid_ = *running(path);
		REQUIRE(!std::filesystem::exists("/mnt/contained"));
	}
	~Contained() { kill(pid_, SIGKILL); }

private:
	guest::Child shell_ = start({"unshare", "-m", "sh", "-c",
				     "mount -t tmpfs none /mnt && cp " + program("cli_burn") +
					     " /mnt/contained && { /mnt/contained 10000000 & } && "
					     "until [ \"$(readlink /proc/$!/exe)\" = /mnt/contained ]; do :; "
					     "done; rm /mnt/contained; wait"});
	pid_t pid_ = 0;
};

} // namespace

TEST_CASE("a program deleted in a mount namespace of its own has its names and lines", "[cli][every-kernel]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Contained contained;
	guest::Child record = start({profil_path(), "record", "-a", "-o", file}, directory / "output");

	REQUIRE(samples_come(200));
	kill(record.pid(), SIGINT);
	const int status = end_of(record);
	INFO(read_file(directory / "output"));
	REQUIRE(status == 0);

	const Json by_function = report(file), by_address = report(file, "address");
	bool named = false, lined = false;

	for (const Json &row : by_function["rows"])
		named |= row["function"] == "burn_hot()" && has(row["object"], "contained");
	for (const Json &row : by_address["rows"])
		lined |= row["function"] == "burn_hot()" && has(row["file"], "cli_burn.cpp") &&
			 row["line"] > 0;
	CHECK(named);
	CHECK(lined);
}
