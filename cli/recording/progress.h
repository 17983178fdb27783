// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/progress.h  Messages and a progress line on standard error. */
#pragma once

#include "cli/profile/accounting.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cli {

/** The progress of a recording. */
struct Progress {
	double seconds = 0;
	uint64_t processes = 0;
	Accounting accounting;
	std::optional<double> cpu_percent; /**< the cost of its ticks: % of one CPU */
};

/** The progress as one line, not shortened. */
std::string progress_text(const Progress &progress);

/** Prints messages without disturbing the progress line. */
class Console {
public:
	explicit Console(std::string command);
	~Console();
	Console(const Console &) = delete;
	Console &operator=(const Console &) = delete;

	/** Print "profil record: text". */
	void say(std::string_view text);
	/** Print an indented line. */
	void detail(std::string_view text);
	/** Show the progress, if standard error is a terminal. */
	void progress(const Progress &progress);
	/** True if there is a terminal for progress(). */
	[[nodiscard]] bool shows_progress() const { return terminal_; }
	/** Remove the progress line. */
	void clear() noexcept;

private:
	std::string command_;
	bool terminal_;
	bool shown_ = false;
};

} // namespace cli
