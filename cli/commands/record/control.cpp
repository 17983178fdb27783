// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/record/control.h"

#include "cli/base/whole_number.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace cli {
namespace {

constexpr std::string_view of_fifo = "fifo:";
constexpr std::string_view of_descriptor = "fd:";
/* The limit on the memory for a line that never ends. */
constexpr size_t longest_line = 256;

constexpr std::array<std::pair<std::string_view, ControlWord>, 5> words = {{
	{"enable", ControlWord::Enable},
	{"disable", ControlWord::Disable},
	{"snapshot", ControlWord::Snapshot},
	{"stop", ControlWord::Stop},
	{"ping", ControlWord::Ping},
}};

/** The parsed argument of --control: the source of commands, and the destination of answers. */
struct Ends {
	bool fifo = false;
	std::string commands;
	std::string answers; /**< empty: none */
};

std::optional<Ends> ends_of(std::string_view text)
{
	Ends ends;

	ends.fifo = text.starts_with(of_fifo);
	if (!ends.fifo && !text.starts_with(of_descriptor))
		return std::nullopt;
	text.remove_prefix(ends.fifo ? of_fifo.size() : of_descriptor.size());

	const size_t comma = text.find(',');

	ends.commands = text.substr(0, comma);
	if (comma != text.npos)
		ends.answers = text.substr(comma + 1);
	if (ends.commands.empty() || (comma != text.npos && ends.answers.empty()))
		return std::nullopt;
	if (!ends.fifo && (!whole_number<unsigned>(ends.commands) ||
			   (!ends.answers.empty() && !whole_number<unsigned>(ends.answers))))
		return std::nullopt;
	return ends;
}

/** Duplicates a descriptor, or opens a FIFO: read-write, so that it never reports end of file. */
Result<Fd> open_end(const Ends &ends, const std::string &end)
{
	Fd file(ends.fifo ? ::open(end.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)
			  : fcntl(static_cast<int>(*whole_number<unsigned>(end)), F_DUPFD_CLOEXEC, 0));

	struct stat about;

	if (!file || fstat(file.get(), &about))
		return system_error(ends.fifo ? end : "file descriptor " + end);
	if (ends.fifo && !S_ISFIFO(about.st_mode))
		return Error{end + " is not a FIFO (mkfifo makes one)"};
	/* This affects all users of the open file; the caller passed it for this purpose. */
	if (fcntl(file.get(), F_SETFL, fcntl(file.get(), F_GETFL) | O_NONBLOCK))
		return system_error(ends.fifo ? end : "file descriptor " + end);
	return file;
}

ControlCommand command_of(std::string text)
{
	const auto *found =
		std::find_if(words.begin(), words.end(), [&](const auto &one) { return one.first == text; });

	if (found == words.end())
		return {std::move(text), std::nullopt};
	return {std::move(text), found->second};
}

} // namespace

std::string why_no_control(const std::string &text)
{
	return ends_of(text) ? "" : fmt::format("'{}' is neither fifo:CTL[,ACK] nor fd:CTL[,ACK]", text);
}

Result<Control> Control::open(const std::string &text)
{
	const std::optional<Ends> ends = ends_of(text);
	Result<Fd> commands = open_end(*ends, ends->commands);
	Result<Fd> answers = ends->answers.empty() ? Fd() : open_end(*ends, ends->answers);

	if (!commands)
		return commands.error();
	if (!answers)
		return answers.error();
	return Control(*std::move(commands), *std::move(answers));
}

std::vector<ControlCommand> Control::take()
{
	std::vector<ControlCommand> commands;
	std::array<char, longest_line> some;
	ssize_t count = 0;

	while (commands_ && (count = read(commands_.get(), some.data(), some.size())) > 0) {
		for (const char c : std::string_view(some.data(), static_cast<size_t>(count))) {
			if (c != '\n' && c != '\0') {
				if (rest_.size() < longest_line)
					rest_ += c;
			} else if (!rest_.empty()) {
				commands.push_back(command_of(std::exchange(rest_, {})));
			}
		}
	}
	/* If the other end of a pipe is closed, poll(2) on this end always returns at once. */
	if (commands_ && (!count || (count < 0 && errno != EAGAIN && errno != EINTR)))
		commands_.close();
	return commands;
}

void Control::acknowledge() const
{
	constexpr std::string_view words = "ack\n";

	/* Ignore a pipe that is full or has no reader. */
	if (answers_ && write(answers_.get(), words.data(), words.size()) < 0)
		return;
}

} // namespace cli
