// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/progress.h  Messages on standard error, and a line that shows progress. */
#pragma once

#include "cli/profile/accounting.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cli {

/** How far a recording is. */
struct Progress {
	double seconds = 0;
	uint64_t processes = 0;
	Accounting accounting;
	std::optional<double> cpu_percent; /**< of one CPU: what its ticks take, if that was measured */
};

/** In one line, which is not shortened. */
std::string progress_text(const Progress &progress);

/** "profil record: text", without disturbing the progress line. */
class Console {
public:
	explicit Console(std::string command);
	~Console();
	Console(const Console &) = delete;
	Console &operator=(const Console &) = delete;

	/** A line of its own. */
	void say(std::string_view text);
	/** Lines as they are, indented. */
	void detail(std::string_view text);
	/** Show how far it is; on a terminal only. */
	void progress(const Progress &progress);
	/** Is there a terminal for progress()? */
	[[nodiscard]] bool shows_progress() const { return terminal_; }
	/** Remove the progress line. */
	void clear() noexcept;

private:
	std::string command_;
	bool terminal_;
	bool shown_ = false;
};

} // namespace cli
