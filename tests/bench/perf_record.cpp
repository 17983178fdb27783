// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bench/perf_record.h"

#include "tests/bench/bench.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

namespace {

std::string make_directory()
{
	char name[] = "/tmp/perf-record.XXXXXX";

	if (!mkdtemp(name))
		die("mkdtemp");
	return name;
}

} // namespace

PerfRecord::PerfRecord(pid_t target, std::uint64_t period, const char *event) : directory(make_directory())
{
	const std::string file = directory + "/perf.data", log = directory + "/log";
	const std::string often = std::to_string(event ? period : 1'000'000'000 / period),
			  process = std::to_string(target);
	const char *const name = event ? event : "cpu-clock", *const how = event ? "-c" : "-F";
	int there[2], back[2];

	if (pipe2(there, O_CLOEXEC) || pipe2(back, O_CLOEXEC))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		const int in = dup(there[0]), out = dup(back[1]);
		const int said = open(log.c_str(), O_WRONLY | O_CREAT, 0600);
		const std::string pipes = "--control=fd:" + std::to_string(in) + "," + std::to_string(out);

		if (in < 0 || out < 0 || dup2(said, 1) < 0 || dup2(said, 2) < 0)
			_exit(126);
		if (target == everybody)
			execlp("perf", "perf", "record", "-e", name, how, often.c_str(), "-a", "-o",
			       file.c_str(), pipes.c_str(), nullptr);
		else
			execlp("perf", "perf", "record", "-e", name, how, often.c_str(), "-p",
			       process.c_str(), "-o", file.c_str(), pipes.c_str(), nullptr);
		_exit(127);
	}
	close(there[0]);
	close(back[1]);
	control = there[1];
	answer = back[0];
	command("ping");
}

PerfRecord::~PerfRecord()
{
	if (pid > 0)
		stop();
	close(control);
	close(answer);
	std::filesystem::remove_all(directory);
}

void PerfRecord::command(const char *word)
{
	const std::string line = std::string(word) + "\n";
	std::string said;

	if (write(control, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
		die("perf record: control");
	while (said.find('\n') == std::string::npos) {
		char part[16];
		const ssize_t length = read(answer, part, sizeof part);

		if (length <= 0) {
			std::fprintf(stderr, "perf record has ended: %s/log\n", directory.c_str());
			std::exit(1);
		}
		said.append(part, static_cast<std::size_t>(length));
	}
}

/* perf record answers between passes over its buffers, so the second answer follows a full pass. */
void PerfRecord::drain()
{
	command("ping");
	command("ping");
}

void PerfRecord::stop()
{
	const auto ns = [](const timeval &time) {
		return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
		       static_cast<std::uint64_t>(time.tv_usec) * 1'000;
	};
	int status = 0;
	rusage usage{};

	if (kill(pid, SIGINT) || wait4(pid, &status, 0, &usage) != pid)
		die("perf record: wait4");
	pid = -1;
	cpu_to_end = ns(usage.ru_utime) + ns(usage.ru_stime);
}

std::uint64_t PerfRecord::cpu() const
{
	clockid_t clock{};

	if (pid < 0)
		return cpu_to_end;
	if ((errno = clock_getcpuclockid(pid, &clock)))
		die("clock_getcpuclockid");
	return now(clock);
}

std::uint64_t PerfRecord::samples() const
{
	const std::string command =
		"perf report --stats -i " + directory +
		"/perf.data 2>/dev/null | sed -n 's/^ *SAMPLE events: *\\([0-9]*\\).*/\\1/p'";
	unsigned long long samples = 0;
	FILE *const pipe = popen(command.c_str(), "re");

	if (!pipe)
		die("perf report");
	if (std::fscanf(pipe, "%llu", &samples) != 1)
		samples = 0;
	pclose(pipe);
	return samples;
}

} // namespace bench
