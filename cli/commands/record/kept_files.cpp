// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/record/kept_files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

namespace cli {

Outcome KeptFiles::add(const std::string &path)
{
	Outcome outcome = Done();

	if (!most_)
		return outcome;
	/* A file written in the same second has the same name, so it has been replaced. */
	if (files_.empty() || files_.back() != path)
		files_.push_back(path);
	for (; files_.size() > most_; files_.pop_front()) {
		const std::string &oldest = files_.front();

		/* The user may have removed it already. */
		if (std::remove(oldest.c_str()) && errno != ENOENT)
			outcome = Error{fmt::format("{}: cannot be removed: {} (--keep)", oldest,
						    std::strerror(errno))};
	}
	return outcome;
}

} // namespace cli
