// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/record/parts.cpp  Recordings in parts, with pauses, and in
 * slices. */
#include "tests/host/cli/recorded.h"
#include "tests/support/files.h"
#include "tests/support/terminal.h"

#include <algorithm>
#include <fcntl.h>
#include <poll.h>
#include <set>
#include <sstream>

using namespace support;
using terminal_test::Terminal;

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
	/** Wait up to a minute for the next line.  Later lines stay in the FIFO. */
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
		: record(start({profil_path(), "record", "--backend", "perf", "-D", "-1", "--control",
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
	Child burn = start({program("cli_burn"), "1000000"});
	Child record;
};

std::string between(int from, int to)
{
	return (from ? "--from " + std::to_string(from) : "") + " --to " + std::to_string(to);
}

} // namespace

TEST_CASE("with --loop the progress line shows the time and samples of the current part", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const Child burn = burner();
	Terminal terminal(120, 30);

	terminal.run(profil_path() + " record --backend perf --loop 4s -o " + (directory / "%t.pb.gz") +
		     " -p " + std::to_string(burn.pid()));
	for (size_t files = 1; files <= 3; files++) {
		REQUIRE(soon([&] { return files_in(directory).size() >= files; }));
		REQUIRE(terminal.shows("(Ctrl-C ends)"));

		const std::string screen = terminal.screen();
		const size_t line = screen.rfind('\n', screen.rfind("(Ctrl-C ends)")) + 1;

		CAPTURE(screen);
		CHECK(std::stod(screen.substr(line)) < 7);
	}
	terminal.press("C-c");
	CHECK(terminal.shows("ready:"));
}

TEST_CASE("SIGUSR1 writes the samples so far and the recording goes on", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Child burn = burner();
	Child record = start({profil_path(), "record", "--backend", "perf", "--snapshot", "-o", file, "-p",
			      std::to_string(burn.pid())});

	REQUIRE(samples_come(record, burn.pid(), 200));
	kill(record.pid(), SIGUSR1);
	REQUIRE(soon([&] { return std::filesystem::exists(file); }));

	const uint64_t early = report(file)["samples"];

	CHECK(early > 0);
	REQUIRE(samples_come(record, burn.pid(), 200));
	kill(record.pid(), SIGINT);
	CHECK(end_of(record) == 0);
	CHECK(report(file)["samples"] >= early + 100);
}

TEST_CASE("a command keeps the default action of SIGUSR1", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const Output output = profil("record --backend perf --snapshot -o " + (directory / "p") +
				     " -- sh -c 'kill -USR1 $$; echo not reached'");

	CHECK(output.status == 128 + SIGUSR1);
	CHECK_FALSE(has(output.text, "not reached"));
	CHECK(has(output.text, "was killed by SIGUSR1"));
}

TEST_CASE("the time before --delay is not recorded", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Child burn = burner();
	const std::string target = " -o " + file + " -p " + std::to_string(burn.pid());
	const uint64_t before = process_ns(burn.pid());
	const Output output = profil("record --backend perf -D 1500 -d 1" + target);

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = report(file);

	CHECK(json["duration_ns"] >= 1000000000);
	CHECK(json["samples"] > 0);
	CHECK(json["samples"] < (process_ns(burn.pid()) - before) / ns_per_sample);
}

TEST_CASE("a command that ends within the delay has an empty profile", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output =
		profil("record --backend perf -D 100000 -o " + file + " -- " + program("cli_burn") + " 100");

	INFO(output.text);
	CHECK(output.status == 0);
	CHECK(report(file)["samples"] == 0);
	CHECK(has(output.text, "0 samples of"));
}

TEST_CASE("with --per-process samples have the name and the PID of their process", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output = profil("record --backend perf --per-process -o " + file + " -- " +
				     program("cli_burn") + " 1000 fork");

	INFO(output.text);
	REQUIRE(output.status == 0);

	const Output decoded =
		run("gzip -dc " + file +
		    " | protoc --decode=perftools.profiles.Profile tests/host/data/profile.proto");

	CHECK(has(decoded.text, "string_table: \"burn_child()\""));
	CHECK(has(decoded.text, "string_table: \"process\""));
	CHECK(has(decoded.text, "string_table: \"cli_burn\""));

	/* Every sample belongs to one of the two processes, and both have samples. */
	std::set<std::string> pids;
	std::istringstream text(decoded.text);

	for (std::string line; std::getline(text, line);) {
		if (has(line, "    num: "))
			pids.insert(line);
	}
	CHECK(pids.size() == 2);
}

TEST_CASE("only what is counted while a recording is enabled is in it", "[perf][recorded][control]")
{
	need_perf();

	Controlled one;
	const auto cpu_time = [&] { return process_ns(one.burn.pid()); };
	const auto burns = [&] { return process_runs_for(one.burn.pid(), 100 * ns_per_sample); };
	uint64_t least = 0, most = 0;

	one.tell("ping");
	REQUIRE(burns());
	for (int i = 0; i < 2; i++) {
		const uint64_t before = cpu_time();

		one.tell("enable");
		const uint64_t enabled = cpu_time();

		REQUIRE(burns());
		const uint64_t still = cpu_time();

		one.tell("disable");
		least += still - enabled;
		most += cpu_time() - before;
		REQUIRE(burns());
	}
	one.tell("stop");
	CHECK(end_of(one.record) == 0);
	INFO(read_file(one.messages / "output"));

	const uint64_t samples = report(one.file)["samples"];

	/* Some samples may be lost, and each time slice may begin with an extra one. */
	CHECK(samples >= least / ns_per_sample / 2);
	CHECK(samples <= most / ns_per_sample * 5 / 4);
}

TEST_CASE("a snapshot of a disabled recording has what was counted before", "[perf][recorded][control]")
{
	need_perf();

	Controlled one;

	/* Several commands at a time, the last one in two pieces. */
	one.commands.send("enable\nping\ndis");
	CHECK(one.answers.receive() == "ack\n");
	CHECK(one.answers.receive() == "ack\n");
	REQUIRE(samples_come(one.record, one.burn.pid(), 100));
	one.commands.send("able\n");
	CHECK(one.answers.receive() == "ack\n");
	one.tell("snapshot");

	const uint64_t samples = report(one.file)["samples"];

	CHECK(samples > 0);
	REQUIRE(process_runs_for(one.burn.pid(), 100 * ns_per_sample));
	one.tell("stop");
	CHECK(end_of(one.record) == 0);
	CHECK(report(one.file)["samples"] == samples);
}

TEST_CASE("an unknown command to a recording is reported, and not acknowledged", "[perf][recorded][control]")
{
	need_perf();

	Controlled one;

	one.commands.send("frobnicate\n");
	one.tell("ping");
	one.tell("stop");
	/* It fails, because it recorded nothing. */
	CHECK(end_of(one.record) == 1);
	CHECK(has(read_file(one.messages / "output"),
		  "--control: there is no command 'frobnicate' (give enable, "
		  "disable, snapshot, stop or ping)"));
	CHECK(report(one.file)["samples"] == 0);
}

TEST_CASE("every sample is in one slice, and those of what ran first in earlier ones", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz", burn = program("cli_burn");
	const Output output = profil("record --backend perf --slice 1s -F 1000 -o " + file + " -- sh -c '" +
				     burn + " 1500 plain; " + burn + " 1500 fork'");

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = report(file);
	const int seconds = static_cast<int>(json["duration_ns"].get<int64_t>() / 1000000000) + 1;
	std::map<std::string, uint64_t> whole = functions_in(file, ""), sum;
	int last_hot = -1, first_child = seconds;

	for (int second = 0; second < seconds; second++) {
		for (const auto &[function, samples] : functions_in(file, between(second, second + 1))) {
			sum[function] += samples;
			if (function == "burn_hot()")
				last_hot = second;
			if (function == "burn_child()")
				first_child = std::min(first_child, second);
		}
	}
	CHECK(sum == whole);
	CHECK(whole["burn_hot()"] > 0);
	CHECK(whole["burn_child()"] > 0);
	CHECK(last_hot <= first_child);
	CHECK(has(profil("report --from " + std::to_string(seconds) + " " + file).text, ": 0 samples"));
	/* The profile's HTML page has the map of time. */
	CHECK(has(profil("report --html - " + file + " | cat").text, "\"column_ms\":1000"));
}

TEST_CASE("of the files of a loop the last are kept", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const Child burn = burner();
	const Output output = profil("record --backend perf -p " + std::to_string(burn.pid()) +
				     " -d 6 --loop 1 --keep 2 -o '" + (directory / "p-%t.pb.gz") + "'");
	std::vector<std::string> files;

	INFO(output.text);
	REQUIRE(output.status == 0);
	for (const auto &entry : std::filesystem::directory_iterator(directory / ""))
		files.push_back(entry.path());
	REQUIRE(files.size() == 2);
	std::sort(files.begin(), files.end());
	/* The last file, which the command reports, and the one before. */
	CHECK(has(output.text, files[1]));

	const auto begin_of = [](const std::string &file) { return report(file)["time_ns"].get<int64_t>(); };

	CHECK(begin_of(files[1]) > begin_of(files[0]));
	CHECK(begin_of(files[1]) - begin_of(files[0]) < 2 * report(files[0])["duration_ns"].get<int64_t>());
}
