// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/process/child_process.cpp  Programs that profil starts, and their
 * mappings at that time. */
#include "cli/process/child_process.h"
#include "cli/base/files.h"
#include "cli/base/stop_signals.h"
#include "cli/objects/object.h"
#include "cli/process/maps.h"
#include "cli/process/process.h"
#include "cli/symbols/symbols.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

using namespace cli;
using support::run;
using support::TemporaryDirectory;

namespace {

ChildProcess started(const std::vector<std::string> &arguments)
{
	Result<ChildProcess> command = ChildProcess::start(arguments);

	INFO((command ? "" : command.error().text));
	REQUIRE(command);
	return *std::move(command);
}

int status_of(const std::vector<std::string> &arguments)
{
	ChildProcess command = started(arguments);

	REQUIRE(command.resume());
	command.wait();
	return command.exit_status();
}

std::string refusal(const std::vector<std::string> &arguments)
{
	const Result<ChildProcess> command = ChildProcess::start(arguments);

	return command ? "" : command.error().text;
}

/** A process's state, as the letter in /proc/PID/stat. */
char state_of(pid_t pid)
{
	const Result<std::string> stat = read_file(fmt::format("/proc/{}/stat", pid));

	REQUIRE(stat);
	return stat->at(stat->rfind(')') + 2);
}

/** The entry point of a process, from its auxiliary vector. */
uint64_t entry_of(pid_t pid)
{
	const Result<std::string> content = read_file(fmt::format("/proc/{}/auxv", pid));

	REQUIRE(content);
	for (size_t at = 0; at + sizeof(Elf64_auxv_t) <= content->size(); at += sizeof(Elf64_auxv_t)) {
		Elf64_auxv_t entry;

		std::memcpy(&entry, content->data() + at, sizeof(entry));
		if (entry.a_type == AT_ENTRY)
			return entry.a_un.a_val;
	}
	FAIL("no entry");
	return 0;
}

uint64_t entry_in_file(const std::string &path)
{
	std::ifstream file(path, std::ios::binary);
	Elf64_Ehdr header = {};

	file.read(reinterpret_cast<char *>(&header), sizeof(header));
	return header.e_entry;
}

std::string compile(const TemporaryDirectory &directory, const std::string &flags)
{
	const std::string program = directory / "program";

	REQUIRE(run(fmt::format("g++ -O2 {} -o {} tests/host/data/symbols.cpp", flags, program)).status == 0);
	return program;
}

/** From now on, ptrace(2) kills the caller. */
void forbid_ptrace()
{
	sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const sock_fprog filter = {std::size(steps), steps};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/** The lines of a /proc/PID/status about blocked and ignored signals. */
std::string signals_in(const std::string &path)
{
	std::ifstream status(path);
	std::string found;

	for (std::string line; std::getline(status, line);)
		found += line.starts_with("SigB") || line.starts_with("SigI") ? line + "\n" : "";
	return found;
}

} // namespace

TEST_CASE("the end of a command is reported as a shell reports it", "[cli]")
{
	CHECK(status_of({"true"}) == 0);
	CHECK(status_of({"sh", "-c", "exit 7"}) == 7);
	CHECK(status_of({"sh", "-c", "kill -KILL $$"}) == 128 + SIGKILL);

	ChildProcess command = started({"sh", "-c", "kill -SEGV $$"});

	REQUIRE(command.resume());
	command.wait();
	CHECK(command.ending() == "was killed by SIGSEGV");
}

TEST_CASE("a command that cannot be executed is an error, and leaves no process", "[cli]")
{
	CHECK(refusal({"no-such-command-anywhere"}) == "no-such-command-anywhere: command not found");
	CHECK(refusal({"/no/such/file"}) == "/no/such/file: No such file or directory");
	CHECK(refusal({"/etc/passwd"}).find("/etc/passwd: ") == 0);
	CHECK(refusal({""}).find("command not found") != std::string::npos);
}

TEST_CASE("a command does nothing until it is resumed", "[cli]")
{
	const TemporaryDirectory directory;
	ChildProcess command = started({"touch", directory / "file"});

	CHECK(process_name(command.pid()) == "touch");
	/* This process traces the command, and keeps it from running any instruction. */
	CHECK(state_of(command.pid()) == 't');
	CHECK_FALSE(std::filesystem::exists(directory / "file"));
	CHECK_FALSE(command.ended());
	REQUIRE(command.resume());
	command.wait();
	CHECK(command.exit_status() == 0);
	CHECK(std::filesystem::exists(directory / "file"));
}

TEST_CASE("a command that is never resumed is killed", "[cli]")
{
	pid_t pid = 0;

	{
		const ChildProcess command = started({"sleep", "1000"});

		pid = command.pid();
		CHECK(check_process(pid));
	}
	CHECK_FALSE(check_process(pid));
}

TEST_CASE("a running command is not traced, and has the signal state of its parent", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string pick = "sed -n '/^Sig[BI]/p' /proc/self/status";

	CHECK(status_of({"sh", "-c", pick + " >" + (directory / "signals")}) == 0);
	CHECK(status_of({"sh", "-c", "grep 'TracerPid:.0' /proc/$$/status"}) == 0);
	CHECK(*read_file(directory / "signals") == signals_in("/proc/self/status"));
}

TEST_CASE("a command has the signal state that profil was started with, even if profil changed it", "[cli]")
{
	const TemporaryDirectory directory;

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	const std::string before = signals_in("/proc/self/status");
	const StopSignals signals;
	Result<ChildProcess> command =
		ChildProcess::start({"cp", "/proc/self/status", directory / "status"}, StopSignals::restore);

	CHECK(signals_in("/proc/self/status") != before);
	REQUIRE(command);
	REQUIRE(command->resume());
	command->wait();
	CHECK(signals_in(directory / "status") == before);
}

TEST_CASE("signals that arrive while a command is started do not end it", "[cli]")
{
	struct sigaction action = {};
	const itimerval often = {{0, 100}, {0, 100}};
	const itimerval never = {};

	action.sa_handler = [](int) {};
	sigaction(SIGALRM, &action, nullptr);
	for (int i = 0; i < 20; i++) {
		setitimer(ITIMER_REAL, &often, nullptr);
		const std::string none = refusal({"no-such-command-anywhere"});
		const std::string why = refusal({"true"});

		setitimer(ITIMER_REAL, &never, nullptr);
		REQUIRE(why.empty());
		REQUIRE(none == "no-such-command-anywhere: command not found");
	}
}

TEST_CASE("a command that has not begun ends when its parent ends", "[cli]")
{
	int status = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	const pid_t starter = fork();

	if (!starter) {
		forbid_ptrace();
		refusal({"true"});
		_exit(0);
	}
	REQUIRE(waitpid(starter, &status, 0) == starter);
	CHECK(WIFSIGNALED(status));
	/* The starter's child now has this parent, and nothing can start it any more. */
	for (int i = 0; i < 300 && waitpid(-1, &status, WNOHANG) == 0; i++)
		usleep(10000);
	CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
	CHECK(WIFEXITED(status));
}

TEST_CASE("users other than root are warned of a program that loses its privilege under a tracer", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string program = directory / "program";
	const uid_t owner = geteuid();

	std::filesystem::copy("/bin/true", program);
	CHECK(privilege_warning(program, owner + 1).empty());
	REQUIRE_FALSE(chmod(program.c_str(), 04755));
	CHECK(privilege_warning(program, owner + 1).find(program + ": runs without its set-uid privilege") ==
	      0);
	CHECK(privilege_warning(program, 0).empty());
	REQUIRE_FALSE(chmod(program.c_str(), 02755));
	CHECK(privilege_warning(program, owner + 1).find("set-gid") != std::string::npos);
	/* The command is searched for in PATH, as by execvp(). */
	setenv("PATH", ("/no/such/place:" + (directory / "") + ":/bin").c_str(), 1);
	CHECK_FALSE(privilege_warning("program", owner + 1).empty());
	CHECK(privilege_warning("true", owner + 1).empty());
	CHECK(privilege_warning("no-such-command-anywhere", owner + 1).empty());
}

TEST_CASE("threads, zombies and missing processes are told apart", "[cli]")
{
	CHECK(check_process(getpid()));
	CHECK(check_process(0x7ffffff0).error().text == "there is no such process");

	const pid_t child = fork();

	if (!child)
		_exit(0);
	siginfo_t about;

	waitid(P_PID, static_cast<id_t>(child), &about, WEXITED | WNOWAIT);
	CHECK(check_process(child).error().text.find("has ended") != std::string::npos);
	waitpid(child, nullptr, 0);
}

TEST_CASE("the first instruction of a program is where its file says", "[cli]")
{
	for (const char *flags : {"", "-static -no-pie", "-no-pie", "-static-pie"}) {
		const TemporaryDirectory directory;
		const std::string program = compile(directory, flags);
		const ChildProcess command = started({program});
		const Result<std::vector<Mapping>> mappings = read_maps(command.pid());
		const uint64_t entry = entry_of(command.pid());
		const auto mapping =
			std::find_if(mappings->begin(), mappings->end(), [&](const Mapping &one) {
				return entry >= one.start && entry < one.end;
			});
		ObjectTable objects;

		CAPTURE(flags);
		REQUIRE(mapping != mappings->end());
		const std::shared_ptr<Object> object = objects.find(command.pid(), *mapping);
		const uint64_t offset = mapping->offset + (entry - mapping->start);

		CHECK(object->name == std::filesystem::canonical(program));
		CHECK(object->link_address(offset) == entry_in_file(program));
		CHECK(Symbols(*object).frames(entry_in_file(program)).at(0).name == "_start");
	}
}

TEST_CASE("names come from the file that is mapped, even if another has taken its place", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory, "");
	const uint64_t entry = entry_in_file(program);
	const ChildProcess command = started({program});

	std::filesystem::remove(program);
	std::filesystem::copy("/bin/true", program);
	const Result<std::vector<Mapping>> mappings = read_maps(command.pid());
	ObjectTable objects;

	REQUIRE(mappings);
	for (const Mapping &mapping : *mappings) {
		if (mapping.name != std::filesystem::canonical(program))
			continue;
		const std::shared_ptr<Object> object = objects.find(command.pid(), mapping);

		CHECK(mapping.deleted);
		CHECK(object->deleted);
		CHECK(Symbols(*object).frames(entry).at(0).name == "_start");
		CHECK(Symbols(*object).frames(entry + 0x1000).size() <= 1);
		return;
	}
	FAIL("the program is not mapped");
}
