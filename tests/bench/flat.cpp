// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/flat.cpp  The cost from the end of recording to the flat profile.
 *
 * Usage: flat profil|perf [PROGRAM]
 * Records a process that uses a second of CPU time, at 10,000 Hz, with PROGRAM record
 * (the command) or with perf record; ends the recording; makes the report.  Measures the CPU
 * time of the last two steps, not the time that passes, because both read the host's files.
 * Prints, as cost does: flat-end, flat-report METHOD 0 1 NS 1 0 0, and flat-bytes
 * METHOD 0 1 BYTES 1 0 0
 */
#include "tests/bench/bench.h"
#include "tests/bench/perf_record.h"
#include "tests/bench/work.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace bench;

namespace {

constexpr char said[] = "/tmp/flat.said";

pid_t run(std::vector<std::string> words)
{
	std::vector<char *> arguments;

	for (std::string &word : words)
		arguments.push_back(word.data());
	arguments.push_back(nullptr);
	const pid_t pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		const int out = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dup2(out, 1);
		dup2(out, 2);
		execvp(arguments[0], arguments.data());
		_exit(127);
	}
	return pid;
}

/** Waits for the end of a process, and returns its CPU time. */
std::uint64_t wait_for(pid_t pid)
{
	const auto ns = [](const timeval &time) {
		return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
		       static_cast<std::uint64_t>(time.tv_usec) * 1'000;
	};
	rusage usage{};
	int status = 0;

	if (wait4(pid, &status, 0, &usage) != pid || status) {
		errno = ECHILD;
		die(said);
	}
	return ns(usage.ru_utime) + ns(usage.ru_stime);
}

std::uint64_t cpu_time_of(pid_t pid)
{
	clockid_t clock{};

	if ((errno = clock_getcpuclockid(pid, &clock)))
		die("clock_getcpuclockid");
	return now(clock);
}

/** A process that spins on request and reports when done.  It stays, so the recording goes on. */
pid_t burner(const int begin[2], const int done[2])
{
	const pid_t pid = fork();
	char byte = 0;

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(begin[0], &byte, 1) != 1)
		_exit(1);
	burn(500'000'000);
	if (write(done[1], &byte, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

void print(const char *what, const std::string &method, double value)
{
	std::printf("flat-%s %s 0 1 %.0f 1 0 0\n", what, method.c_str(), value);
}

struct Target {
	pid_t pid;
	int begin, done;

	void burns() const
	{
		char byte = 0;

		if (write(begin, &byte, 1) != 1 || read(done, &byte, 1) != 1)
			die("the target");
	}
};

void measure_perf(const Target &target)
{
	PerfRecord record(target.pid, 100'000);

	target.burns();
	const std::uint64_t before = record.cpu();
	record.stop();
	print("end", "perf", static_cast<double>(record.cpu() - before));
	print("bytes", "perf", static_cast<double>(std::filesystem::file_size(record.file())));
	print("report", "perf",
	      static_cast<double>(wait_for(run({"perf", "report", "--stdio", "-i", record.file()}))));
}

bool nobody_is_profiled()
{
	std::ifstream profiles("/sys/class/misc/profil/profiles");
	int number = 0;

	return !(profiles >> number) || !number;
}

void measure_profil(const Target &target, const std::string &program)
{
	const std::string file = "/tmp/flat.profil";
	const timespec moment = {0, 100'000'000};
	const pid_t recorder =
		run({program, "record", "-F", "10000", "-o", file, "-p", std::to_string(target.pid)});

	while (nobody_is_profiled())
		clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, nullptr);
	target.burns();
	const std::uint64_t before = cpu_time_of(recorder);
	kill(recorder, SIGINT);
	print("end", "profil", static_cast<double>(wait_for(recorder) - before));
	print("bytes", "profil", static_cast<double>(std::filesystem::file_size(file)));
	print("report", "profil", static_cast<double>(wait_for(run({program, "report", file}))));
}

} // namespace

int main(int argc, char **argv)
{
	const std::string method = argc > 1 ? argv[1] : "";
	int begin[2], done[2];

	if (!((method == "profil" && argc == 3) || (method == "perf" && argc == 2))) {
		std::fprintf(stderr, "usage: flat profil PROGRAM | flat perf\n");
		return 2;
	}
	if (pipe(begin) || pipe(done))
		die("pipe");
	const Target target = {burner(begin, done), begin[1], done[0]};
	if (method == "profil")
		measure_profil(target, argv[2]);
	else
		measure_perf(target);
	return 0;
}
