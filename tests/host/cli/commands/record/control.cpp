// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/record/control.cpp  Commands for a running recording. */
#include "cli/commands/record/control.h"
#include "cli/base/exit.h"
#include "cli/commands/record/options.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace cli;

namespace {

/** A pipe: what is written to @ref in is read from @ref out. */
struct Pipe {
	Pipe()
	{
		int ends[2];

		REQUIRE_FALSE(pipe2(ends, O_CLOEXEC));
		out = Fd(ends[0]);
		in = Fd(ends[1]);
	}
	void send(const std::string &text) const
	{
		REQUIRE(write(in.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
	}

	Fd out;
	Fd in;
};

Control open_control(const std::string &text)
{
	Result<Control> control = Control::open(text);

	REQUIRE(control);
	return *std::move(control);
}

std::string words_of(Control &control)
{
	std::string words;

	for (const ControlCommand &command : control.take())
		words += (command.word ? "" : "?") + command.text + " ";
	return words;
}

} // namespace

TEST_CASE("commands are lines, whole or in pieces", "[cli][control]")
{
	const Pipe commands;
	Control control = open_control(fmt::format("fd:{}", commands.out.get()));

	CHECK(words_of(control).empty());
	commands.send("enable\ndisable\n\nsnap");
	CHECK(words_of(control) == "enable disable ");
	commands.send("shot\nEnable\nstop now\nstop\nping\n");
	CHECK(words_of(control) == "snapshot ?Enable ?stop now stop ping ");
	/* Without a descriptor for answers, this does nothing. */
	control.acknowledge();
}

TEST_CASE("a line without an end does not grow for ever", "[cli][control]")
{
	const Pipe commands;
	Control control = open_control(fmt::format("fd:{}", commands.out.get()));

	for (int i = 0; i < 100; i++) {
		commands.send(std::string(1000, 'x'));
		CHECK(control.take().empty());
	}
	commands.send("\nping\n");
	const auto all = control.take();

	REQUIRE(all.size() == 2);
	CHECK(all[0].text.size() == 256);
	CHECK(all[1].word.has_value());
}

TEST_CASE("once the commands' last writer is gone, no more of them are waited for", "[cli][control]")
{
	Pipe commands;
	Control control = open_control(fmt::format("fd:{}", commands.out.get()));

	commands.send("ping\n");
	commands.in.close();
	CHECK(words_of(control) == "ping ");
	CHECK(control.fd() == -1);
	CHECK(control.take().empty());
}

TEST_CASE("an answer is acknowledged with a line", "[cli][control]")
{
	const Pipe commands, answers;
	const Control control = open_control(fmt::format("fd:{},{}", commands.out.get(), answers.in.get()));
	char some[10] = {};

	control.acknowledge();
	CHECK(read(answers.out.get(), some, sizeof(some)) == 4);
	CHECK(std::string(some) == "ack\n");
}

TEST_CASE("a FIFO goes on after whoever has written to it", "[cli][control]")
{
	const support::TemporaryDirectory directory;
	const std::string path = directory / "fifo";

	REQUIRE_FALSE(mkfifo(path.c_str(), 0600));
	Control control = open_control("fifo:" + path);

	for (int i = 0; i < 2; i++) {
		std::ofstream(path) << "ping\n";
		CHECK(words_of(control) == "ping ");
		CHECK(control.fd() >= 0);
	}
}

TEST_CASE("an invalid control is refused with a reason", "[cli][control]")
{
	const support::TemporaryDirectory directory;
	const std::string path = directory / "file";

	std::ofstream(path) << "stop\n";
	for (const char *text :
	     {"", "fifo:", "fd:", "fd:x", "fd:1,", "fd:1,y", "fd:-1", "fifo:,x", "pipe:x", "x"}) {
		CAPTURE(text);
		CHECK(why_no_control(text) ==
		      fmt::format("'{}' is neither fifo:CTL[,ACK] nor fd:CTL[,ACK]", text));
	}
	for (const char *text : {"fifo:a", "fifo:a,b", "fd:3", "fd:3,4"})
		CHECK(why_no_control(text).empty());
	CHECK(Control::open("fifo:" + path).error().text == path + " is not a FIFO (mkfifo makes one)");
	CHECK(Control::open("fifo:" + path + ".none").error().text ==
	      path + ".none: No such file or directory");
	CHECK(Control::open("fd:12345").error().text == "file descriptor 12345: Bad file descriptor");
}

TEST_CASE("a recording that begins disabled needs somebody to enable it", "[cli][control]")
{
	RecordOptions options;

	CHECK(parse_record_options({"-p", "1", "-D", "-1"}, options) == exit_usage);
	CHECK(parse_record_options({"-p", "1", "-D", "-2", "--control", "fd:3"}, options) == exit_usage);
	CHECK(parse_record_options({"-p", "1", "--loop", "1h", "-o", "%t", "--control", "fd:3"}, options) ==
	      exit_usage);
	options = {};
	CHECK_FALSE(
		parse_record_options({"-p", "1", "-D", "-1", "--control", "fd:3,4"}, options).has_value());
	CHECK(options.disabled);
	CHECK(options.control == "fd:3,4");
	CHECK_FALSE(options.delay.has_value());
}
