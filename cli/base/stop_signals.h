// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/stop_signals.h  Signals: the first Ctrl-C ends the recording, the second aborts. */
#pragma once

#include "cli/base/fd.h"

#include <memory>
#include <string>

struct termios;

namespace cli {

/**
 * Catches SIGINT, SIGTERM and SIGHUP while it lives; there is one at a time.
 *
 * The first makes fd() readable.  The second ends the process at once, without
 * leaving a temporary file.  A SIGHUP that was ignored stays so (nohup); SIGINT
 * does not: shells ignore it for what scripts start in the background, and
 * whoever sends it there means it.
 *
 * Ignores SIGPIPE and SIGXFSZ meanwhile: a file that cannot be written is an
 * error with a message.
 */
class StopSignals {
public:
	StopSignals();
	StopSignals(const StopSignals &) = delete;
	StopSignals &operator=(const StopSignals &) = delete;
	~StopSignals();

	/** In a child: what we were started with.  Async-signal-safe. */
	static void restore();
	/** For poll(2): readable from the first signal on. */
	[[nodiscard]] int fd() const { return event_.get(); }
	/** The first signal, 0 before it. */
	[[nodiscard]] static int caught();
	/** Did a terminal send it, and so to the whole foreground group? */
	[[nodiscard]] static bool from_terminal();

private:
	Fd event_;
};

/** A file that an abort removes while this lives; there is one at a time. */
class TemporaryFile {
public:
	explicit TemporaryFile(std::string path);
	TemporaryFile(const TemporaryFile &) = delete;
	TemporaryFile &operator=(const TemporaryFile &) = delete;
	/** Removes it, unless it was renamed. */
	~TemporaryFile();

	[[nodiscard]] const std::string &path() const { return path_; }
	/** Give it its final name; false with errno. */
	bool rename_to(const std::string &name);

private:
	std::string path_;
	bool renamed_ = false;
};

/** A terminal that an abort puts back while this lives; there is one at a time. */
class TerminalState {
public:
	/**
	 * Of a descriptor, as it is now.
	 * @param leaving what is written to it to end what has been made of its screen.
	 */
	TerminalState(int fd, std::string leaving);
	TerminalState(const TerminalState &) = delete;
	TerminalState &operator=(const TerminalState &) = delete;
	~TerminalState();

	/** Put it back.  Async-signal-safe. */
	void restore() const;

private:
	int fd_;
	std::string leaving_;
	std::unique_ptr<termios> settings_; /* its header has macros of common words */
};

} // namespace cli
