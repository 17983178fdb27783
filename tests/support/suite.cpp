// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/suite.cpp  main() of the test programs.
 *
 * The same as Catch2's own, except that with --suite it runs each test case in a child of its own,
 * so that a crash or a hang fails only that test.
 */
#define CATCH_CONFIG_RUNNER
#include "tests/support/catch.h"

#include "tests/support/leftovers.h"
#include "tests/support/skip.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <regex>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace {

constexpr const char *usage = R"(
--suite [--timeout SEC] [--list FILE] [--output FILE] [TESTS...]
  Run test cases, each in a process of its own and for at most SEC seconds
  (default 120).  TESTS are Catch2's names and [tags]; FILE has names, one a
  line.  What the running test prints is in the file of --output.
  Prints "tests N", how many there are; then for each "run NAME" and one of
    pass NAME (1.3 s)
    fail NAME (1.3 s)   after what the test printed, each line after "| "
    skip NAME: REASON   if the machine lacks what the test needs
  A test also fails if it leaves something behind that was not there before it.
  Exit status 1 if any failed, or if there was none.
--names [TESTS...]
  Only print the names of these test cases, one a line.
)";

using Clock = std::chrono::steady_clock;

/** As in autotools and other test suites. */
constexpr int status_skipped = 77;
constexpr const char *skip_mark = "skipped: ";

/** The reason why this process skips its test; empty if it does not. */
std::string skip_reason;

struct Plan {
	std::vector<std::string> tests;
	std::string output;
	unsigned timeout = 120;
};

int need(int result, const std::string &what)
{
	if (result < 0)
		throw std::system_error(errno, std::generic_category(), what);
	return result;
}

std::vector<std::string> read_lines(const std::string &file)
{
	std::vector<std::string> lines;
	std::ifstream stream(file);

	if (!stream)
		throw std::system_error(errno, std::generic_category(), file);
	for (std::string line; std::getline(stream, line);)
		lines.push_back(line);
	return lines;
}

std::vector<std::string> tests_named(const std::vector<std::string> &specs)
{
	Catch::ConfigData data;
	std::vector<std::string> names;

	data.testsOrTags = specs;
	const auto config = std::make_shared<Catch::Config>(data);
	for (const auto &handle :
	     Catch::filterTests(Catch::getAllTestCasesSorted(*config), config->testSpec(), *config)) {
		const Catch::TestCaseInfo &test = handle.getTestCaseInfo();

		if (config->hasTestFilters() || !test.isHidden())
			names.push_back(test.name);
	}
	return names;
}

/** Quotes each spec: "'[race],[churn]' 'fork*'". */
std::string quoted(const std::vector<std::string> &specs)
{
	std::string text;

	for (const std::string &spec : specs)
		text += (text.empty() ? "'" : " '") + spec + "'";
	return text;
}

Plan plan_of(const std::vector<std::string> &arguments)
{
	Plan plan;
	std::vector<std::string> specs;
	std::string list;

	for (size_t i = 0; i < arguments.size(); i++) {
		const auto value = [&] {
			if (i + 1 == arguments.size())
				throw std::runtime_error(arguments[i] + " needs a value" + usage);
			return arguments[++i];
		};
		if (arguments[i] == "--timeout")
			plan.timeout = static_cast<unsigned>(std::stoul(value()));
		else if (arguments[i] == "--list")
			list = value();
		else if (arguments[i] == "--output")
			plan.output = value();
		else
			specs.push_back(arguments[i]);
	}
	plan.tests = list.empty() ? tests_named(specs) : read_lines(list);
	if (plan.tests.empty())
		throw std::runtime_error("no test cases for " + (list.empty() ? quoted(specs) : list) +
					 " (a whole name, the beginning of one with *, or [tags]; "
					 "--list-tests and --list-tags show them)");
	return plan;
}

/** Escapes characters that mean something to Catch2, and a leading "-", which would begin an option. */
std::string exact(const std::string &name)
{
	std::string pattern;

	for (const char c : name) {
		if (std::string_view("\\,[]*\"~").find(c) != std::string_view::npos ||
		    (pattern.empty() && c == '-'))
			pattern += '\\';
		pattern += c;
	}
	return pattern;
}

/** A signal set of SIGCHLD alone. */
sigset_t end_of_child()
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	return set;
}

[[noreturn]] void run_test(const std::string &name, int output)
{
	Catch::Session session;
	const int nothing = open("/dev/null", O_RDONLY);
	const sigset_t signals = end_of_child();

	sigprocmask(SIG_UNBLOCK, &signals, nullptr);
	if (setsid() < 0 || dup2(nothing, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
		_exit(126);
	close(nothing);
	close(output);
	const std::string pattern = exact(name);
#if CATCH_VERSION_MAJOR < 3
	const std::array arguments = {"test", pattern.c_str(), "-w", "NoTests"};
#else
	/* Catch2 3 fails by itself if no test matches. */
	const std::array arguments = {"test", pattern.c_str()};
#endif
	const int failed = session.applyCommandLine(arguments.size(), arguments.data());
	const int result = failed ? failed : session.run();
	const bool skipped = result == 0 && !skip_reason.empty();
	if (skipped)
		std::cout << '\n' << skip_mark << skip_reason << '\n';
	std::cout.flush();
	fflush(nullptr);
	_exit(result > 0 ? 1 : result < 0 ? 2 : skipped ? status_skipped : 0);
}

std::string file_of(const std::string &path)
{
	std::ifstream stream(path);

	return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> numbers_in(const std::string &path)
{
	std::vector<std::string> numbers;
	DIR *directory = opendir(path.c_str());

	if (!directory)
		return numbers;
	while (const dirent *entry = readdir(directory))
		if (isdigit(entry->d_name[0]))
			numbers.emplace_back(entry->d_name);
	closedir(directory);
	return numbers;
}

/** The processes in a session. */
std::vector<pid_t> members(pid_t session)
{
	std::vector<pid_t> found;

	for (const auto &number : numbers_in("/proc")) {
		const pid_t pid = std::stoi(number);
		if (getsid(pid) == session)
			found.push_back(pid);
	}
	return found;
}

/**
 * Prints where a task is in the kernel, with its stack if we may see it.  An exec, which may never
 * end, holds exec_update_lock, and reading either file takes that lock.  So a child reads them, and
 * SIGALRM kills the child even while it waits for the lock.
 */
void say_where_is(const std::string &task)
{
	int status = 0;

	/* Otherwise the child would print the buffered text, too. */
	std::cout << std::flush;
	const pid_t reader = fork();
	if (reader == 0) {
		alarm(2);
		std::cout << file_of(task + "/wchan") << '\n';
		std::istringstream stack(file_of(task + "/stack"));
		for (std::string line; std::getline(stack, line);)
			std::cout << "|   " << line << '\n';
		std::cout << std::flush;
		_exit(0);
	}
	if (reader < 0 || waitpid(reader, &status, 0) != reader || WIFSIGNALED(status))
		std::cout << "an exec that does not end, or behind one\n";
}

/** Prints where each task is in the kernel. */
void say_where(const std::vector<pid_t> &processes)
{
	for (const pid_t pid : processes) {
		const auto tasks = "/proc/" + std::to_string(pid) + "/task/";

		for (const auto &number : numbers_in(tasks)) {
			const auto task = tasks + number;
			auto comm = file_of(task + "/comm");

			comm.erase(comm.find_last_not_of('\n') + 1);
			std::cout << "| " << comm << " (" << number << ") in ";
			say_where_is(task);
		}
	}
}

/** Prints the output without Catch2's own messages and separator lines. */
void say_output(const std::string &output)
{
	static const std::regex noise(
		R"([-~.=]{60,}|Filters: .*|Randomness seeded to: .*|Run with -.*|.* is a Catch2? v.* host application.*|)");
	std::istringstream lines(output);

	for (std::string line; std::getline(lines, line);)
		if (!std::regex_match(line, noise))
			std::cout << "| " << line << '\n';
}

/** Waits for the test to end, and reaps orphans. */
bool wait_for_end(pid_t pid, unsigned seconds, int &status)
{
	const sigset_t signals = end_of_child();
	const auto end = Clock::now() + std::chrono::seconds(seconds);

	for (;;) {
		int ended_with;
		pid_t ended;

		while ((ended = waitpid(-1, &ended_with, WNOHANG)) > 0)
			if (ended == pid) {
				status = ended_with;
				return true;
			}
		const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
		if (left <= 0)
			return false;
		/* SIGCHLD is blocked, so one that has already come is pending here. */
		const timespec time = {left / 1000, left % 1000 * 1'000'000};
		sigtimedwait(&signals, nullptr, &time);
	}
}

/** How a test ended. */
struct Verdict {
	std::string problem; /* empty if there was none */
	std::string skipped; /* the reason; empty if it was not skipped */
};

/** The reason that a skipped test printed last. */
std::string reason_in(const std::string &output)
{
	const size_t mark = output.rfind(std::string("\n") + skip_mark);

	if (mark == output.npos)
		return {};
	const std::string reason = output.substr(mark + 1 + strlen(skip_mark));
	return reason.substr(0, reason.find('\n'));
}

Verdict judge(pid_t pid, unsigned seconds, const std::string &output)
{
	int status = 0;

	if (!wait_for_end(pid, seconds, status)) {
		std::cout << "| it had not ended after " << seconds << " s:\n";
		const auto left = members(pid);
		say_where(left);
		for (const pid_t member : left)
			kill(member, SIGTERM);
		const bool ended = wait_for_end(pid, 2, status);
		for (const pid_t member : members(pid))
			kill(member, SIGKILL);
		if (!ended)
			need(waitpid(pid, &status, 0), "waitpid");
		return {"killed", ""};
	}
	if (WIFSIGNALED(status))
		return {std::string("ended by signal ") + strsignal(WTERMSIG(status)), ""};
	if (WEXITSTATUS(status) == status_skipped)
		if (const auto reason = reason_in(file_of(output)); !reason.empty())
			return {"", reason};
	return {WEXITSTATUS(status) ? "exit status " + std::to_string(WEXITSTATUS(status)) : "", ""};
}

void say_result(const std::string &name, const Verdict &verdict, bool good,
		std::chrono::duration<double> time)
{
	if (good && !verdict.skipped.empty())
		std::cout << "skip " << name << ": " << verdict.skipped << std::endl;
	else
		std::cout << (good ? "pass " : "fail ") << name << " (" << std::fixed << std::setprecision(1)
			  << time.count() << " s)" << std::endl;
}

bool run_one(const std::string &name, const Plan &plan)
{
	const int output =
		plan.output.empty()
			? need(open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), "/tmp")
			: need(open(plan.output.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600),
			       plan.output);
	const auto path = "/proc/self/fd/" + std::to_string(output);
	const auto before = support::leftover_amounts();

	std::cout << "run " << name << std::endl;
	const auto begin = Clock::now();
	const pid_t pid = need(fork(), "fork");
	if (!pid)
		run_test(name, output);
	const auto verdict = judge(pid, plan.timeout, path);
	const auto time = Clock::now() - begin;
	const auto left = support::await_no_leftovers(before);
	const bool good = verdict.problem.empty() && left.empty();
	if (!good) {
		say_output(file_of(path));
		for (const std::string &line : left)
			std::cout << "| " << line << '\n';
		if (!verdict.problem.empty())
			std::cout << "| " << verdict.problem << '\n';
	}
	close(output);
	say_result(name, verdict, good, time);
	return good;
}

int run_suite(const std::vector<std::string> &arguments)
{
	const auto plan = plan_of(arguments);
	const sigset_t signals = end_of_child();
	bool good = true;

	std::cout << "tests " << plan.tests.size() << std::endl;
	support::adopt_orphans();
	sigprocmask(SIG_BLOCK, &signals, nullptr);
	for (const auto &test : plan.tests)
		good = run_one(test, plan) && good;
	return good ? 0 : 1;
}

} // namespace

void support::skip(const std::string &reason)
{
	WARN(skip_mark << reason);
	skip_reason += (skip_reason.empty() ? "" : "; ") + reason;
	/* REQUIRE throws this after it has reported a failure. */
	throw Catch::TestFailureException();
}

int main(int argc, char **argv)
{
	const std::string_view mode = argc < 2 ? "" : argv[1];

	if (mode != "--suite" && mode != "--names")
		return Catch::Session().run(argc, argv);
	try {
		if (mode == "--suite")
			return run_suite({argv + 2, argv + argc});
		/* Catch2's own option for this has a different name in each major version. */
		for (const std::string &name : tests_named({argv + 2, argv + argc}))
			std::cout << name << '\n';
		return 0;
	} catch (const std::exception &error) {
		std::cerr << argv[0] << ": " << error.what() << '\n';
		return 2;
	}
}
