// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/start.cpp  CPU time of profil record -a until it records, on a machine with
 * sleeping processes.
 *
 * Usage: start NUMBER PROFIL
 * Prints, as cost does: start-NUMBER profil 0 1 NS 1 0 0, for PROFIL record -a from its exec to its
 * recording, with NUMBER sleeping processes; and start-NUMBER version ..., for PROFIL --version.
 */
#include "tests/bench/bench.h"
#include "tests/bench/target.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace bench;

namespace {

constexpr unsigned runs = 5;
constexpr char profiles[] = "/sys/class/misc/profil/profiles";

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
		const int nowhere = open("/dev/null", O_WRONLY);

		dup2(nowhere, 1);
		execv(arguments[0], arguments.data());
		_exit(127);
	}
	return pid;
}

/** The CPU time of a process that has ended, in ns. */
std::uint64_t end_of(pid_t pid)
{
	const auto ns = [](const timeval &time) {
		return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
		       static_cast<std::uint64_t>(time.tv_usec) * 1'000;
	};
	rusage usage{};
	int status = 0;

	if (wait4(pid, &status, 0, &usage) != pid)
		die("wait4");
	return ns(usage.ru_utime) + ns(usage.ru_stime);
}

unsigned long number_of_profiles()
{
	unsigned long number = 0;

	if (!(std::ifstream(profiles) >> number))
		die(profiles);
	return number;
}

void short_sleep()
{
	const timespec time = {0, 100'000};

	nanosleep(&time, nullptr);
}

std::uint64_t cpu_until_recording(const std::string &profil)
{
	const pid_t pid = run({profil, "record", "-a", "-d", "1000", "-o", "/tmp/start.pb.gz"});
	clockid_t clock{};

	while (!number_of_profiles()) {
		if (kill(pid, 0))
			die("profil record -a has ended");
		short_sleep();
	}
	if ((errno = clock_getcpuclockid(pid, &clock)))
		die("clock_getcpuclockid");
	const std::uint64_t cpu = now(clock);
	kill(pid, SIGKILL);
	end_of(pid);
	while (number_of_profiles())
		short_sleep();
	return cpu;
}

std::uint64_t median(std::vector<std::uint64_t> values)
{
	std::nth_element(values.begin(), values.begin() + runs / 2, values.end());
	return values[runs / 2];
}

void print(unsigned number, const char *method, const std::vector<std::uint64_t> &values)
{
	std::printf("start-%u %s 0 1 %llu 1 0 0\n", number, method,
		    static_cast<unsigned long long>(median(values)));
}

} // namespace

int main(int argc, char **argv)
{
	const unsigned number = argc == 3 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 0;
	std::vector<std::uint64_t> starts, versions;

	if (!number) {
		std::fprintf(stderr, "usage: start NUMBER PROFIL\n");
		return 2;
	}
	const std::string profil = argv[2];
	std::vector<pid_t> pids;
	for (unsigned i = 0; i < number; i++)
		pids.push_back(target_with(1));
	for (unsigned i = 0; i <= runs; i++) {
		const std::uint64_t version = end_of(run({profil, "--version"}));
		const std::uint64_t start = cpu_until_recording(profil);

		/* The first run reads the program's files into memory. */
		if (i) {
			versions.push_back(version);
			starts.push_back(start);
		}
	}
	print(number, "profil", starts);
	print(number, "version", versions);
	for (const pid_t pid : pids)
		kill(pid, SIGKILL);
	return 0;
}
