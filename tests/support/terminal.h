// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/terminal.h  A terminal for tests: tmux, which draws what programs write to it. */
#pragma once

#include "tests/support/programs.h"

#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace terminal_test {

/** A shell in a terminal of its own; the destructor ends both. */
class Terminal {
public:
	explicit Terminal(unsigned width = 80, unsigned height = 24)
	{
		tmux("-f /dev/null new-session -d -x " + std::to_string(width) + " -y " +
		     std::to_string(height) + " 'PS1=ready: exec sh'");
		tmux("set-option -g status off");
		/* Otherwise the terminal would end with the last program, and its last output be lost. */
		tmux("set-option -g remain-on-exit on");
		shows("ready:");
	}
	Terminal(const Terminal &) = delete;
	Terminal &operator=(const Terminal &) = delete;
	~Terminal() { tmux("kill-server"); }

	/** Makes the shell run a command. */
	void run(const std::string &command)
	{
		type(command);
		press("Enter");
	}
	/** Types characters as they are. */
	void type(const std::string &text) { tmux("send-keys -l -- " + quoted(text)); }
	/** Presses a key by its name in tmux, such as Enter, Escape, Down, C-c. */
	void press(const std::string &key) { tmux("send-keys -- " + quoted(key)); }
	void resize(unsigned width, unsigned height)
	{
		tmux("resize-window -x " + std::to_string(width) + " -y " + std::to_string(height));
	}

	/**
	 * The lines on the screen, with the escape sequences for their attributes if @p attributes
	 * is set.
	 */
	[[nodiscard]] std::string screen(bool attributes = false) const
	{
		return tmux(attributes ? "capture-pane -p -e" : "capture-pane -p");
	}

	/** Wait until the screen meets the condition; false if it does not within a minute. */
	[[nodiscard]] bool soon(const std::function<bool(const std::string &)> &condition) const
	{
		using namespace std::chrono;

		for (const auto end = steady_clock::now() + minutes(1); steady_clock::now() < end;) {
			if (condition(screen()))
				return true;
			std::this_thread::sleep_for(milliseconds(50));
		}
		return false;
	}
	bool shows(const std::string &text) const
	{
		return soon([&](const std::string &now) { return now.find(text) != std::string::npos; });
	}
	bool shows_no(const std::string &text) const
	{
		return soon([&](const std::string &now) { return now.find(text) == std::string::npos; });
	}

private:
	static std::string quoted(const std::string &text)
	{
		std::string word = "'";

		for (const char c : text)
			word += c == '\'' ? std::string("'\\''") : std::string(1, c);
		return word + "'";
	}

	std::string tmux(const std::string &command) const
	{
		return support::run("LC_ALL=C.UTF-8 tmux -u -S " + (directory_ / "socket") + " " + command)
			.text;
	}

	support::TemporaryDirectory directory_;
};

} // namespace terminal_test
