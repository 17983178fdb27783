// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that are started to be profiled, and what is mapped at their start.
#include "cli/command.h"
#include "cli/coverage.h"
#include "cli/process.h"
#include "cli/symbols.h"
#include "cli/text.h"
#include "tests/lib_support.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

using namespace cli;
using lib_test::run;
using lib_test::TemporaryDirectory;

namespace {

Command started(const std::vector<std::string> &arguments)
{
	Result<Command> command = Command::start(arguments);

	INFO((command ? "" : command.error().text));
	REQUIRE(command);
	return *std::move(command);
}

int status_of(const std::vector<std::string> &arguments)
{
	Command command = started(arguments);

	REQUIRE(command.resume());
	command.wait();
	return command.exit_status();
}

std::string refusal(const std::vector<std::string> &arguments)
{
	const Result<Command> command = Command::start(arguments);

	return command ? "" : command.error().text;
}

/** Where the program of a process begins, from its auxiliary vector. */
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

} // namespace

TEST_CASE("a command's end is told as a shell tells it")
{
	CHECK(status_of({"true"}) == 0);
	CHECK(status_of({"sh", "-c", "exit 7"}) == 7);
	CHECK(status_of({"sh", "-c", "kill -KILL $$"}) == 128 + SIGKILL);

	Command command = started({"sh", "-c", "kill -SEGV $$"});

	REQUIRE(command.resume());
	command.wait();
	CHECK(command.ending() == "was killed by SIGSEGV");
}

TEST_CASE("a command that cannot be executed is an error and no process")
{
	CHECK(refusal({"no-such-command-anywhere"}) == "no-such-command-anywhere: command not found");
	CHECK(refusal({"/no/such/file"}) == "/no/such/file: No such file or directory");
	CHECK(refusal({"/etc/passwd"}).find("/etc/passwd: ") == 0);
	CHECK(refusal({""}).find("command not found") != std::string::npos);
}

TEST_CASE("a command does nothing until it is resumed")
{
	const TemporaryDirectory directory;
	Command command = started({"touch", directory / "file"});

	CHECK(process_name(command.pid()) == "touch");
	usleep(20000);
	CHECK_FALSE(std::filesystem::exists(directory / "file"));
	CHECK_FALSE(command.ended());
	REQUIRE(command.resume());
	command.wait();
	CHECK(command.exit_status() == 0);
	CHECK(std::filesystem::exists(directory / "file"));
}

TEST_CASE("a command that is never resumed is killed")
{
	pid_t pid = 0;

	{
		const Command command = started({"sleep", "1000"});

		pid = command.pid();
		CHECK(check_process(pid));
	}
	CHECK_FALSE(check_process(pid));
}

TEST_CASE("a command is not traced once it runs, and has its signals as we have them")
{
	const TemporaryDirectory directory;
	const std::string pick = "sed -n '/^Sig[BI]/p' /proc/self/status";
	std::string ours;

	CHECK(status_of({"sh", "-c", pick + " >" + (directory / "signals")}) == 0);
	CHECK(status_of({"sh", "-c", "grep 'TracerPid:.0' /proc/$$/status"}) == 0);
	std::ifstream status("/proc/self/status");
	for (std::string line; std::getline(status, line);)
		ours += line.starts_with("SigB") || line.starts_with("SigI") ? line + "\n" : "";
	CHECK(*read_file(directory / "signals") == ours);
}

TEST_CASE("threads, zombies and processes that are not there are told apart")
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

TEST_CASE("the first instruction of a program is where its file says")
{
	for (const char *flags : {"", "-static -no-pie", "-no-pie", "-static-pie"}) {
		const TemporaryDirectory directory;
		const std::string program = compile(directory, flags);
		const Command command = started({program});
		const Result<std::vector<Mapping>> mappings = read_maps(command.pid());
		ObjectTable objects;
		CounterPool pool;
		Coverage coverage;

		CAPTURE(flags);
		REQUIRE(mappings);
		coverage.update(command.pid(), *mappings, objects, pool, {1 << 30, 0, UINT32_MAX});
		const uint64_t entry = entry_of(command.pid());
		const Piece *piece = coverage.find(entry);

		REQUIRE(piece);
		CHECK(piece->object->name == std::filesystem::canonical(program));
		CHECK(piece->link + (entry - piece->low) == entry_in_file(program));
		CHECK(Symbols(*piece->object).frames(entry_in_file(program), 1).at(0).name == "_start");
	}
}

TEST_CASE("names come from the file that is mapped, even if another has taken its place")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory, "");
	const uint64_t entry = entry_in_file(program);
	const Command command = started({program});

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
		CHECK(Symbols(*object).frames(entry, 1).at(0).name == "_start");
		CHECK(Symbols(*object).frames(entry + 0x1000, 1).size() <= 1);
		return;
	}
	FAIL("the program is not mapped");
}
