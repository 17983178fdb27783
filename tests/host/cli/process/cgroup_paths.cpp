// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/process/cgroup_paths.cpp  Paths of cgroups by the numbers of their directories. */
#include "cli/process/cgroup_paths.h"

#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <filesystem>
#include <sys/stat.h>

using namespace cli;

namespace {

uint64_t number_of(const std::string &directory)
{
	struct stat about;

	REQUIRE(!stat(directory.c_str(), &about));
	return about.st_ino;
}

} // namespace

TEST_CASE("a cgroup has the path of the directory with its number", "[cli]")
{
	const support::TemporaryDirectory mount;
	const std::string service = mount / "system.slice/cron.service";

	std::filesystem::create_directories(service);
	CgroupPaths paths(mount / "");

	CHECK(paths.path(number_of(mount / "")) == "/");
	CHECK(paths.path(number_of(service)) == "/system.slice/cron.service");
	CHECK(paths.path(0).empty());
	CHECK(paths.path(number_of("/proc")).empty());

	/* A removed group is still known, because its samples may come later. */
	const uint64_t gone = number_of(service);
	std::filesystem::remove(service);
	CHECK(paths.path(gone) == "/system.slice/cron.service");
}
