// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/process/cgroup_numbers.cpp  The numbers of cgroups are those of their directories. */
#include "cli/process/cgroup_numbers.h"
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

TEST_CASE("a cgroup is in a selection with all below it, those made later too", "[cli][cgroups]")
{
	const support::TemporaryDirectory directory;
	const std::string group = directory / "group";
	const std::string other = directory / "other";

	std::filesystem::create_directories(group + "/below/that");
	std::filesystem::create_directories(other);

	CgroupNumbers numbers({group});

	CHECK(numbers.contains(number_of(group)));
	CHECK(numbers.contains(number_of(group + "/below/that")));
	CHECK_FALSE(numbers.contains(number_of(other)));
	std::filesystem::create_directories(group + "/later");
	CHECK(numbers.contains(number_of(group + "/later")));
	CHECK_FALSE(numbers.contains(number_of(other)));
	CHECK(CgroupNumbers({}).contains(number_of(other)));
}

TEST_CASE("a directory that is not of cgroup2 has no number of a cgroup", "[cli][cgroups]")
{
	const support::TemporaryDirectory directory;

	CHECK(are_cgroups_2({}));
	CHECK_FALSE(are_cgroups_2({directory / ""}));
	CHECK_FALSE(are_cgroups_2({directory / "missing"}));
}
