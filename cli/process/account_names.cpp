// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process/account_names.h"

#include <grp.h>
#include <pwd.h>

namespace cli {
namespace {

constexpr size_t entry_max = 65536;

} // namespace

std::string user_name(uid_t user)
{
	std::string text(entry_max, '\0');
	passwd entry;
	passwd *found = nullptr;

	if (getpwuid_r(user, &entry, text.data(), text.size(), &found) || !found)
		return std::to_string(user);
	return found->pw_name;
}

std::string group_name(gid_t group)
{
	std::string text(entry_max, '\0');
	struct group entry;
	struct group *found = nullptr;

	if (getgrgid_r(group, &entry, text.data(), text.size(), &found) || !found)
		return std::to_string(group);
	return found->gr_name;
}

} // namespace cli
