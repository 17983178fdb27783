// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/status/support.h  Trees of files that stand for a machine's
 * files. */
#pragma once

#include "cli/commands/status/status.h"
#include "tests/support/programs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace cli_test {

/** A directory that stands for "/". */
class Tree {
public:
	[[nodiscard]] std::string root() const { return directory_ / ""; }
	/** Writes a file, and makes the directories above it. */
	void write(const std::string &path, const std::string &content) const
	{
		const std::filesystem::path file = root() + path;

		std::filesystem::create_directories(file.parent_path());
		std::ofstream(file, std::ios::binary) << content;
	}
	void link(const std::string &path, const std::string &target) const
	{
		const std::filesystem::path file = root() + path;

		std::filesystem::create_directories(file.parent_path());
		std::filesystem::create_symlink(target, file);
	}
	/** Reads the tree as "/", with "build" as the build directory. */
	[[nodiscard]] cli::Machine read() const
	{
		return cli::read_machine(root(), "6.1.0-7", root() + "/build");
	}

private:
	support::TemporaryDirectory directory_;
};

/** A kernel with modules and perf events, configured as Debian's. */
inline void write_kernel(const Tree &tree)
{
	tree.write("/proc/modules", "");
	tree.write("/proc/sys/kernel/modules_disabled", "0\n");
	tree.write("/proc/sys/kernel/perf_event_paranoid", "2\n");
	tree.write("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
}

/** The files of a loaded module. */
inline void write_module(const Tree &tree)
{
	tree.write("/sys/module/profil/version", std::string(profil_version()) + "\n");
	tree.write("/sys/module/profil/parameters/max_user_pages", "65536\n");
	tree.write("/sys/module/profil/parameters/isolated_cpus", "N\n");
	tree.write("/sys/class/misc/profil/dev", "10:123\n");
	tree.write("/sys/class/misc/profil/profiles", "3\n");
	tree.write("/sys/class/misc/profil/images", "4\n");
	tree.write("/sys/class/misc/profil/clock_period", "1001001\n");
	tree.write("/sys/class/misc/profil/ticks", "ticks 10\ncounted 7\nkernel 3\n");
	tree.write("/dev/profil", "");
}

/** The permissions of a user who may do everything. */
inline cli::Permissions capable()
{
	cli::Permissions permissions;

	permissions.user = "alice";
	permissions.program = "/usr/bin/profil";
	permissions.info.period_min = 976563;
	permissions.info.pages_max = 65536;
	permissions.info.pages_used = 2;
	permissions.info.region_max = 32768;
	permissions.others_error = 0;
	permissions.memlock = UINT64_MAX;
	return permissions;
}

/** The ability with this key; if there is none, one with an empty key. */
inline cli::Ability ability(const std::vector<cli::Ability> &all, std::string_view key)
{
	const auto found = std::find_if(all.begin(), all.end(),
					[key](const cli::Ability &one) { return one.key == key; });

	return found == all.end() ? cli::Ability() : *found;
}

} // namespace cli_test
