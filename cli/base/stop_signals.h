// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/stop_signals.h  The first Ctrl-C ends the recording, the second aborts profil. */
#pragma once

#include "cli/base/fd.h"

#include <memory>
#include <string>

struct termios;

namespace cli {

/**
 * Catches SIGINT, SIGTERM and SIGHUP while it exists.  Only one may exist at a time.
 *
 * The first signal makes fd() readable.  The second ends the process at once,
 * without leaving a temporary file.  An ignored SIGHUP stays ignored (nohup).
 * An ignored SIGINT is caught: shells ignore it for the background commands of
 * a script, and there it can only be sent deliberately.
 *
 * It also ignores SIGPIPE and SIGXFSZ, so that a failed write is an error with a
 * message.
 */
class StopSignals {
public:
	StopSignals();
	StopSignals(const StopSignals &) = delete;
	StopSignals &operator=(const StopSignals &) = delete;
	~StopSignals();

	/** Restore the previous actions, in a child process.  Async-signal-safe. */
	static void restore();
	/** For poll(2): readable after the first signal. */
	[[nodiscard]] int fd() const { return event_.get(); }
	/** The first signal caught; 0 if none was. */
	[[nodiscard]] static int caught();
	/** True if a terminal sent that signal, to its whole foreground process group. */
	[[nodiscard]] static bool from_terminal();

private:
	Fd event_;
};

/** A file that is removed if profil is aborted while this exists.  Only one may exist at a time. */
class TemporaryFile {
public:
	explicit TemporaryFile(std::string path);
	TemporaryFile(const TemporaryFile &) = delete;
	TemporaryFile &operator=(const TemporaryFile &) = delete;
	/** Removes the file, unless it was renamed. */
	~TemporaryFile();

	[[nodiscard]] const std::string &path() const { return path_; }
	/** Give the file its final name; false, with errno set, on failure. */
	bool rename_to(const std::string &name);

private:
	std::string path_;
	bool renamed_ = false;
};

/**
 * Terminal settings that are restored if profil is aborted while this exists.  Only one may exist
 * at a time.
 */
class TerminalState {
public:
	/**
	 * Saves the current settings of the terminal @p fd.
	 * @param leaving escape sequences that restore() writes first, to restore the screen.
	 */
	TerminalState(int fd, std::string leaving);
	TerminalState(const TerminalState &) = delete;
	TerminalState &operator=(const TerminalState &) = delete;
	~TerminalState();

	/** Restore the terminal.  Async-signal-safe. */
	void restore() const;

private:
	int fd_;
	std::string leaving_;
	std::unique_ptr<termios>
		settings_; /* a pointer, because <termios.h> defines common words as macros */
};

} // namespace cli
