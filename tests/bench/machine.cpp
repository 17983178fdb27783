// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/machine.cpp  The load of a machine, and the server that it pushes profiles to.
 *
 * Usage: machine crowd NUMBER   NUMBER processes, until it is killed: of every thousand, 2 work
 *                               1 ms per second, 98 work 1 ms per minute, and 900 work 50 us per
 *                               two minutes; the first word of its output says that all are running
 *        machine still NUMBER   NUMBER processes that never wake up
 *        machine cron           a fork each 10 s, which works for 3 ms
 *        machine collect PORT   a server on 127.0.0.1 that accepts every POST, and prints a line for each:
 *                               the time in ns, the bytes of its headers, and of its body
 * Work is instructions: under -icount, a nanosecond each.
 */
#include "tests/bench/bench.h"
#include "tests/bench/target.h"
#include "tests/bench/work.h"

#include <arpa/inet.h>
#include <csignal>
#include <netinet/in.h>
#include <string>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace bench;

namespace {

constexpr std::uint64_t second = 1'000'000'000;

/** A process works for `work` ns every `each` ns. */
struct Habit {
	std::uint64_t each, work;
};

constexpr Habit busy = {second, 1'000'000}, service = {60 * second, 1'000'000},
		sleeper = {120 * second, 50'000};
constexpr unsigned of_thousand_busy = 2, of_thousand_services = 98;

Habit habit_of(unsigned i)
{
	if (i % 1000 < of_thousand_busy)
		return busy;
	return i % 1000 < of_thousand_busy + of_thousand_services ? service : sleeper;
}

void sleep_until(std::uint64_t time)
{
	const timespec until = {static_cast<time_t>(time / second), static_cast<long>(time % second)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
	}
}

[[noreturn]] void live(Habit habit, std::uint64_t first)
{
	for (std::uint64_t next = first;; next += habit.each) {
		sleep_until(next);
		burn(static_cast<long>(habit.work / 2));
	}
}

[[noreturn]] void stay()
{
	std::puts("ready");
	std::fflush(stdout);
	for (;;)
		pause();
}

/** Processes of one habit wake at different moments. */
void crowd(unsigned number)
{
	const std::uint64_t begin = now() + second;

	for (unsigned i = 0; i < number; i++) {
		const Habit habit = habit_of(i);
		const pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			live(habit, begin + i * 7'919'113 % habit.each);
		}
	}
	stay();
}

void still(unsigned number)
{
	for (unsigned i = 0; i < number; i++)
		target_with(1);
	stay();
}

[[noreturn]] void cron()
{
	for (std::uint64_t next = now();; next += 10 * second) {
		sleep_until(next);
		const pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid) {
			burn(1'500'000);
			_exit(0);
		}
		waitpid(pid, nullptr, 0);
	}
}

/** Reads more of a request; false: the client has gone. */
bool read_more(int client, std::string &request)
{
	char some[65536];
	const ssize_t got = read(client, some, sizeof some);

	if (got > 0)
		request.append(some, static_cast<std::size_t>(got));
	return got > 0;
}

std::size_t body_of(const std::string &headers)
{
	constexpr char name[] = "\r\nContent-Length: ";
	const std::size_t at = headers.find(name);

	if (at == headers.npos) {
		errno = EPROTO;
		die("a request without Content-Length");
	}
	return std::stoul(headers.substr(at + sizeof name - 1));
}

void serve(int client)
{
	constexpr char accepted[] =
		"HTTP/1.1 200 OK\r\nContent-Type: application/proto\r\nContent-Length: 0\r\n"
		"Connection: close\r\n\r\n";
	const std::uint64_t time = now();
	std::string request;
	std::size_t end = 0;

	while ((end = request.find("\r\n\r\n")) == request.npos) {
		if (!read_more(client, request))
			return;
	}
	end += 4;
	const std::size_t body = body_of(request.substr(0, end));

	while (request.size() < end + body) {
		if (!read_more(client, request))
			return;
	}
	if (write(client, accepted, sizeof accepted - 1) != sizeof accepted - 1)
		die("write to a client");
	std::printf("%llu %zu %zu\n", static_cast<unsigned long long>(time), end, body);
	std::fflush(stdout);
}

[[noreturn]] void collect(unsigned port)
{
	const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
	sockaddr_in address{};

	address.sin_family = AF_INET;
	address.sin_port = htons(static_cast<std::uint16_t>(port));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (server < 0 || setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) ||
	    bind(server, reinterpret_cast<const sockaddr *>(&address), sizeof address) ||
	    listen(server, 1024))
		die("a server");
	for (;;) {
		const int client = accept(server, nullptr, nullptr);

		if (client < 0)
			die("accept");
		serve(client);
		close(client);
	}
}

} // namespace

int main(int argc, char **argv)
{
	const std::string what = argc > 1 ? argv[1] : "";
	const auto number = argc == 3 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 0;
	const rlimit many = {65536, 65536};

	setrlimit(RLIMIT_NOFILE, &many);
	if (what == "crowd" && number)
		crowd(number);
	if (what == "still" && number)
		still(number);
	if (what == "collect" && number)
		collect(number);
	if (what == "cron")
		cron();
	std::fprintf(stderr, "usage: machine crowd|still NUMBER | cron | collect PORT\n");
	return 2;
}
