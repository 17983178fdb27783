// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/process/process_finder.cpp  The processes that a search finds. */
#include "cli/process/process_finder.h"
#include "cli/recording/refusals.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cli;

namespace {

/** A process with its own name, which runs @p later when told to, and then waits for its end. */
class Sleeper {
public:
	explicit Sleeper(
		const std::string &name, const std::function<void()> &later = [] {})
	{
		int ready[2];
		int go[2];

		REQUIRE(!pipe(ready));
		REQUIRE(!pipe(go));
		pid = fork();
		REQUIRE(pid >= 0);
		if (!pid) {
			char byte;

			prctl(PR_SET_NAME, name.c_str());
			close(go[1]);
			for (bool told = false;; told = true) {
				if (write(ready[1], "", 1) != 1 || read(go[0], &byte, 1) != 1)
					_exit(0);
				if (!told)
					later();
			}
		}
		close(ready[1]);
		close(go[0]);
		ready_ = ready[0];
		go_ = go[1];
		wait();
	}
	Sleeper(const Sleeper &) = delete;
	~Sleeper()
	{
		close(go_);
		close(ready_);
		waitpid(pid, nullptr, 0);
	}

	void tell()
	{
		REQUIRE(::write(go_, "", 1) == 1);
		wait();
	}

	pid_t pid;

private:
	void wait() const
	{
		char byte;

		REQUIRE(read(ready_, &byte, 1) == 1);
	}

	int ready_;
	int go_;
};

ProcessFinder finder_for(const Selection &selection)
{
	Result<ProcessFinder> finder = ProcessFinder::create(selection);

	REQUIRE(finder);
	return *std::move(finder);
}

/** A name of at most 15 characters that no other run of the tests uses. */
std::string own(const std::string &name)
{
	return name + std::to_string(getpid());
}

ProcessFinder finder_of_name(const std::string &name)
{
	Selection selection;

	selection.names = {name};
	return finder_for(selection);
}

bool has(const std::vector<pid_t> &pids, pid_t pid)
{
	return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

using Pids = std::vector<pid_t>;

} // namespace

TEST_CASE("a search finds the processes of a name, each once, and those that start later", "[cli][finder]")
{
	ProcessFinder finder = finder_of_name("^(one|two)" + std::to_string(getpid()) + "$");
	const Sleeper one(own("one"));
	const Sleeper other(own("one") + "x");

	CHECK(finder.find() == Pids{one.pid});
	CHECK(finder.find().empty());

	const Sleeper two(own("two"));

	CHECK(finder.find() == Pids{two.pid});
	CHECK(finder.find().empty());
}

TEST_CASE("a process that takes the name later is found then", "[cli][finder]")
{
	ProcessFinder finder = finder_of_name("^" + own("late") + "$");
	Sleeper sleeper(own("early"), [name = own("late")] { prctl(PR_SET_NAME, name.c_str()); });
	Pids found;

	CHECK(finder.find().empty());
	CHECK(finder.find().empty());
	sleeper.tell();
	for (int searches = 0; found.empty() && searches < 3; searches++)
		found = finder.find();
	CHECK(found == Pids{sleeper.pid});
}

TEST_CASE("a name that the kernel truncates is completed from the program's name", "[cli][finder]")
{
	const support::TemporaryDirectory directory;
	const std::string program = directory / "pf-a-very-long-program-name";

	REQUIRE(support::run("cp /bin/sleep " + program).status == 0);

	const pid_t pid = fork();

	if (!pid) {
		execl(program.c_str(), program.c_str(), "600", nullptr);
		_exit(127);
	}

	ProcessFinder finder = finder_of_name("^pf-a-very-long-program-name$");
	Pids found;

	while (found.empty() && !waitpid(pid, nullptr, WNOHANG))
		found = finder.find();
	CHECK(found == Pids{pid});
	kill(pid, SIGKILL);
	waitpid(pid, nullptr, 0);
}

TEST_CASE("everything is every process except kernel threads, zombies and the searching one", "[cli][finder]")
{
	Selection selection;

	selection.everything = true;

	ProcessFinder finder = finder_for(selection);
	const Sleeper sleeper(own("any"));
	const pid_t zombie = fork();

	if (!zombie)
		_exit(0);
	siginfo_t about;

	REQUIRE(!waitid(P_PID, static_cast<id_t>(zombie), &about, WEXITED | WNOWAIT));

	const Pids found = finder.find();

	CHECK(has(found, sleeper.pid));
	CHECK_FALSE(has(found, zombie));
	CHECK_FALSE(has(found, getpid()));
	CHECK(std::is_sorted(found.begin(), found.end()));
	waitpid(zombie, nullptr, 0);
}

TEST_CASE("a process must have one of the users and one of the names", "[cli][finder]")
{
	Selection selection;

	selection.names = {"^" + own("user") + "$"};
	selection.users = {geteuid() + 1};

	const Sleeper sleeper(own("user"));

	CHECK(finder_for(selection).find().empty());
	selection.users.push_back(geteuid());
	CHECK(finder_for(selection).find() == Pids{sleeper.pid});
}

TEST_CASE("an error about something that cannot be searched for names it", "[cli][finder]")
{
	Selection selection;

	selection.names = {"ok", "(unclosed"};
	const Result<ProcessFinder> wrong = ProcessFinder::create(selection);

	REQUIRE_FALSE(wrong);
	CHECK(wrong.error().text.find("'(unclosed' is not a regular expression: ") == 0);

	selection = {};
	selection.cgroups = {"no-such.slice"};
	const Result<ProcessFinder> missing = ProcessFinder::create(selection);

	REQUIRE_FALSE(missing);
	CHECK(missing.error().text.find("there is no cgroup 'no-such.slice'") == 0);

	CHECK(*user_id("root") == 0);
	CHECK(*user_id("12345") == 12345);
	CHECK(user_id("no-such-user").error().text == "there is no user 'no-such-user'");
	CHECK_FALSE(user_id("-1"));
}

TEST_CASE("refused processes are reported in one line for each reason", "[cli][finder]")
{
	Refusals refusals;

	CHECK(refusals.empty());
	CHECK(refusals.lines().empty());
	refusals.add(1, "init", "no");
	for (pid_t pid = 10; pid < 1210; pid++)
		refusals.add(pid, "p", "never");
	/* A search found this process, which has ended since. */
	refusals.add(4194304, "gone", "never", true);
	CHECK(refusals.lines() ==
	      std::vector<std::string>{"1,200 processes were not attached: never: p (pid 10), p (pid 11), "
				       "p (pid 12), p (pid 13), p (pid 14), ...",
				       "1 process was not attached: no: init (pid 1)"});
}
