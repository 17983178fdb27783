// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/commands/record/control.h
 * Commands for a running recording, with the words of perf-record(1)'s --control.
 */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

enum class ControlWord { Enable, Disable, Snapshot, Stop, Ping };

/** A received line. */
struct ControlCommand {
	std::string text;
	std::optional<ControlWord> word; /**< nullopt if the command is unknown */
};

/** The error in @p text; empty if it is fifo:CTL[,ACK] or fd:CTL[,ACK]. */
std::string why_no_control(const std::string &text);

/** Receives commands, one per line, and acknowledges them if ACK was given. */
class Control {
public:
	/** @param text must be valid: see why_no_control(). */
	static Result<Control> open(const std::string &text);

	/** For poll(2): readable when a command has arrived; -1 once the other end is closed. */
	[[nodiscard]] int fd() const { return commands_.get(); }
	/** The commands that have arrived since the last call.  Never waits. */
	std::vector<ControlCommand> take();
	/** Write "ack" for a command that was carried out.  It is lost if ACK is full or closed. */
	void acknowledge() const;

private:
	Control(Fd commands, Fd answers) : commands_(std::move(commands)), answers_(std::move(answers)) {}

	Fd commands_;
	Fd answers_;
	std::string rest_; /**< the beginning of a line whose end has not arrived */
};

} // namespace cli
