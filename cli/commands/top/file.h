// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/top/file.h  The samples of a file, for profil top. */
#pragma once

#include "cli/commands/top/feed.h"

#include <string>
#include <vector>

namespace cli {

/** A profile that is complete from the start. */
class TopFile : public TopFeed {
public:
	explicit TopFile(Profile profile) : profile_(std::move(profile)) {}

	void wait(double seconds, std::span<const int> descriptors) override;
	std::vector<Change> take() override { return {}; }
	[[nodiscard]] const Profile &profile() const override { return profile_; }
	[[nodiscard]] uint64_t edition() const override { return 0; }
	void zero() override {}
	void set_detail(Detail) override {}
	[[nodiscard]] bool over() override { return true; }
	[[nodiscard]] bool is_file() const override { return true; }
	[[nodiscard]] std::vector<std::string> notices() const override { return {}; }

private:
	Profile profile_;
};

} // namespace cli
