// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/control.cpp  Recordings that another program enables and disables. */
#include "tests/guest/cli/support.h"

#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/stat.h>

using namespace cli_test;

namespace {

/** A FIFO with both ends open here, so that opening it does not wait for a recording. */
class Fifo {
public:
	explicit Fifo(std::string path) : path_(std::move(path))
	{
		REQUIRE_FALSE(mkfifo(path_.c_str(), 0600));
		file_ = open(path_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
		REQUIRE(file_ >= 0);
	}
	Fifo(const Fifo &) = delete;
	Fifo &operator=(const Fifo &) = delete;
	~Fifo() { close(file_); }

	[[nodiscard]] const std::string &path() const { return path_; }
	void send(const std::string &text) const
	{
		REQUIRE(write(file_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
	}
	/** The next line, within a minute: several may come at once. */
	[[nodiscard]] std::string receive() const
	{
		std::string line;

		while (!line.ends_with('\n')) {
			pollfd event = {file_, POLLIN, 0};
			char one = 0;

			if (poll(&event, 1, 60'000) <= 0 || read(file_, &one, 1) != 1)
				return line + "(no more)";
			line += one;
		}
		return line;
	}

private:
	std::string path_;
	int file_;
};

/** A recording of a busy process that is disabled until a command comes. */
struct Controlled {
	Controlled()
		: record(start({profil_path(), "record", "-D", "-1", "--control",
				"fifo:" + commands.path() + "," + answers.path(), "-o", file, "-p",
				std::to_string(burn.pid())},
			       messages / "output"))
	{
	}

	/** Send a command and wait until it has been carried out. */
	void tell(const std::string &word) const
	{
		commands.send(word + "\n");
		CHECK(answers.receive() == "ack\n");
	}

	TemporaryDirectory directory;
	TemporaryDirectory messages;
	std::string file = directory / "p.pb.gz";
	Fifo commands{directory / "commands"};
	Fifo answers{directory / "answers"};
	guest::Child burn = start({program("cli_burn"), "1000000"});
	guest::Child record;
};

} // namespace

TEST_CASE("only what is counted while a recording is enabled is in it", "[cli][control]")
{
	Controlled one;
	uint64_t least = 0, most = 0;

	one.tell("ping");
	REQUIRE(samples_come(100));
	for (int i = 0; i < 2; i++) {
		const uint64_t before = counted_ticks();

		one.tell("enable");
		const uint64_t enabled = counted_ticks();

		REQUIRE(samples_come(100));
		const uint64_t still = counted_ticks();

		one.tell("disable");
		least += still - enabled;
		most += counted_ticks() - before;
		REQUIRE(samples_come(100));
	}
	one.tell("stop");
	CHECK(end_of(one.record) == 0);
	INFO(read_file(one.messages / "output"));

	const uint64_t samples = report(one.file)["samples"];

	CHECK(samples >= least);
	CHECK(samples <= most);
}

TEST_CASE("a snapshot of a disabled recording has what was counted before", "[cli][control]")
{
	Controlled one;

	/* Several at a time, the last one in two pieces. */
	one.commands.send("enable\nping\ndis");
	CHECK(one.answers.receive() == "ack\n");
	CHECK(one.answers.receive() == "ack\n");
	REQUIRE(samples_come(100));
	one.commands.send("able\n");
	CHECK(one.answers.receive() == "ack\n");
	one.tell("snapshot");

	const uint64_t samples = report(one.file)["samples"];

	CHECK(samples > 0);
	REQUIRE(samples_come(100));
	one.tell("stop");
	CHECK(end_of(one.record) == 0);
	CHECK(report(one.file)["samples"] == samples);
}

TEST_CASE("an unknown command to a recording is reported, and not acknowledged", "[cli][control]")
{
	Controlled one;

	one.commands.send("frobnicate\n");
	one.tell("ping");
	one.tell("stop");
	/* It recorded nothing. */
	CHECK(end_of(one.record) == 1);
	CHECK(has(read_file(one.messages / "output"),
		  "--control: there is no command 'frobnicate' (give enable, "
		  "disable, snapshot, stop or ping)"));
	CHECK(report(one.file)["samples"] == 0);
}
