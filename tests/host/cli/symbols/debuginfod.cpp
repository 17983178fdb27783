// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/symbols/debuginfod.cpp  Debug information from a debuginfod server, or
 * of another build. */
#include "cli/base/files.h"
#include "cli/objects/kernel_objects.h"
#include "cli/objects/kernel_symbols.h"
#include "cli/profile/about.h"
#include "cli/rows/flat.h"
#include "cli/symbols/build_profile.h"
#include "cli/symbols/later_lines.h"
#include "tests/support/catch.h"
#include "tests/support/objects.h"
#include "tests/support/programs.h"

#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace cli;
using support::run;
using support::TemporaryDirectory;

namespace {

/** A socket on a free port of the loopback address, and the port. */
std::pair<Fd, int> loopback_socket()
{
	Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
	sockaddr_in address = {};
	socklen_t size = sizeof(address);

	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	REQUIRE(bind(socket.get(), reinterpret_cast<sockaddr *>(&address), size) == 0);
	REQUIRE(getsockname(socket.get(), reinterpret_cast<sockaddr *>(&address), &size) == 0);
	return {std::move(socket), ntohs(address.sin_port)};
}

/** A stripped program, and its debug information in a directory of its own. */
class StrippedProgram {
public:
	StrippedProgram()
	{
		const support::Output output = run(fmt::format(
			"cd {} && mkdir served && g++ -O2 -g -o program {} && "
			"nm program | sed -n 's/ . _ZN4deep6Worker3runEm$//p' && "
			"addr2line -e program $(nm program | sed -n 's/ . _ZN4deep6Worker3runEm$//p') && "
			"objcopy --only-keep-debug program served/program.debug && "
			"strip program && readelf -n program | sed -n 's/.*Build ID: //p'",
			directory_ / "", std::filesystem::absolute("tests/host/data/symbols.cpp").native()));
		std::istringstream words(output.text);

		INFO(output.text);
		REQUIRE(output.status == 0);
		REQUIRE(words >> std::hex >> address >> line >> build_id);
	}

	[[nodiscard]] std::string path(const std::string &name) const { return directory_ / name; }

	/** Build a profile of one sample; also returns what this wrote to standard error. */
	std::pair<Profile, std::string> profile(std::vector<std::string> &warnings) const
	{
		const auto object = std::make_shared<Object>(cli_test::open_object(path("program")));
		const Fd said(open(path("said").c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600));
		const Fd before(dup(STDERR_FILENO));
		Tally tally;

		tally.add(object, {address, 0}, 1);
		dup2(said.get(), STDERR_FILENO);

		Profile built = build_profile(tally, {}, object.get(), 1000, warnings);

		dup2(before.get(), STDERR_FILENO);
		return {std::move(built), *read_file(path("said"))};
	}

	uint64_t address = 0;
	std::string line; /**< "file:12", as addr2line prints it */
	std::string build_id;

private:
	TemporaryDirectory directory_;
};

/** The program recorded as if it were the kernel, with its names and its build-id. */
Profile recorded_as_kernel(const StrippedProgram &program)
{
	const std::string symbols = fmt::format("{:016x} T _stext\n{:016x} T kernel_run\n{:016x} T _etext\n",
						program.address - 16, program.address, program.address + 64);
	const auto object = std::make_shared<Object>();
	std::vector<std::string> warnings, left;
	Tally tally;

	object->name = kernel_name;
	object->source = Source::Kernel;
	object->kernel =
		std::make_shared<KernelText>(KernelText{std::make_shared<KernelSymbols>(symbols, ""), "", 0});
	for (size_t i = 0; i < program.build_id.size(); i += 2)
		object->build_id += static_cast<char>(std::stoi(program.build_id.substr(i, 2), nullptr, 16));
	object->texts.add({program.address - 16, program.address + 64}, true);
	tally.add(object, {program.address, 0}, 1);

	Profile profile = build_profile(tally, {}, nullptr, 1000, warnings, &left);
	About about;

	CHECK(warnings.empty());
	about.version = "1";
	about.lines_later = std::move(left);
	profile.comments = to_comments(about);
	return profile;
}

/** The function and the line of the only sample. */
std::string place(const Profile &profile)
{
	const Flat flat = flatten(profile, {{SortKey::Function, SortKey::Line}, {}});

	REQUIRE(flat.rows.size() == 1);
	return fmt::format("{} {}:{}", flat.rows[0].function, flat.rows[0].file, flat.rows[0].line);
}

/** Sets the environment variables of libdebuginfod during its lifetime. */
class Environment {
public:
	Environment(const StrippedProgram &program, int port)
	{
		setenv("DEBUGINFOD_URLS", fmt::format("http://127.0.0.1:{}", port).c_str(), 1);
		setenv("DEBUGINFOD_CACHE_PATH", program.path("cache").c_str(), 1);
		setenv("DEBUGINFOD_TIMEOUT", "2", 1);
		setenv("DEBUGINFOD_RETRY_LIMIT", "1", 1);
		setenv("no_proxy", "127.0.0.1", 1);
	}
	~Environment()
	{
		for (const char *name : {"DEBUGINFOD_URLS", "DEBUGINFOD_CACHE_PATH", "DEBUGINFOD_TIMEOUT",
					 "DEBUGINFOD_RETRY_LIMIT", "no_proxy"})
			unsetenv(name);
	}
	Environment(const Environment &) = delete;
	Environment &operator=(const Environment &) = delete;
};

/** A debuginfod server for a directory. */
class Server {
public:
	Server(const StrippedProgram &program, int port) : pid_(fork())
	{
		if (pid_ == 0) {
			const int log = open(program.path("log").c_str(), O_CREAT | O_WRONLY, 0600);

			dup2(log, STDOUT_FILENO);
			dup2(log, STDERR_FILENO);
			execlp("debuginfod", "debuginfod", "-p", std::to_string(port).c_str(), "-d",
			       program.path("db").c_str(), "-F", program.path("served").c_str(), nullptr);
			_exit(127);
		}

		const support::Output ready = run(fmt::format(
			"for i in $(seq 300); do curl -sf --noproxy '*' -o /dev/null "
			"http://127.0.0.1:{}/buildid/{}/debuginfo && exit; sleep 0.1; done; cat {}; exit 1",
			port, program.build_id, program.path("log")));

		INFO(ready.text);
		REQUIRE(ready.status == 0);
	}
	~Server()
	{
		kill(pid_, SIGTERM);
		waitpid(pid_, nullptr, 0);
	}
	Server(const Server &) = delete;
	Server &operator=(const Server &) = delete;

private:
	pid_t pid_;
};

} // namespace

TEST_CASE("a debuginfod server has the lines of a stripped program", "[cli][debuginfod]")
{
	const StrippedProgram program;
	const int port = loopback_socket().second;
	std::vector<std::string> warnings;

	CHECK(place(program.profile(warnings).first).starts_with("program+0x"));
	{
		const Server server(program, port);
		const Environment environment(program, port);
		const auto [profile, said] = program.profile(warnings);

		CHECK(place(profile) == "deep::Worker::run(unsigned long) " + program.line);
		CHECK(profile.mappings.at(0).has_line_numbers);
	}

	/* The file that was found is in the cache. */
	const Environment environment(program, port);
	const auto [profile, said] = program.profile(warnings);

	CHECK(place(profile) == "deep::Worker::run(unsigned long) " + program.line);
	CHECK(said.empty());
	CHECK(warnings.empty());
}

TEST_CASE("a debuginfod server has the lines of the kernel", "[cli][debuginfod]")
{
	const StrippedProgram program;
	const int port = loopback_socket().second;
	const Server server(program, port);
	const Environment environment(program, port);
	Profile profile = recorded_as_kernel(program);

	CHECK(place(profile) == "kernel_run :0");
	CHECK(from_comments(profile.comments).lines_later == std::vector<std::string>{"[kernel]"});
	CHECK(add_lines(profile).empty());
	CHECK(place(profile) == "deep::Worker::run(unsigned long) " + program.line);
	CHECK(from_comments(profile.comments).lines_later.empty());

	/* There is no vmlinux for another build: a note names the next step, and the names stay. */
	Profile other = recorded_as_kernel(program);

	other.mappings.at(0).build_id = "0123456789abcdef";
	const std::vector<std::string> notes = texts_of(add_lines(other));
	REQUIRE(notes.size() == 1);
	CHECK(notes[0] == "no lines: [kernel]: there is no vmlinux with its build-id 01234567 "
			  "(install the kernel's debug information, or set DEBUGINFOD_URLS)");
	CHECK(place(other) == "kernel_run :0");
	CHECK(from_comments(other.comments).lines_later == std::vector<std::string>{"[kernel]"});
}

TEST_CASE("the kernel's lines come from the vmlinux of its build-id, below another root, too",
	  "[cli][debuginfod]")
{
	const StrippedProgram program;
	const std::string build_id = program.build_id;
	const std::string directory = "root/usr/lib/debug/.build-id/" + build_id.substr(0, 2);
	Profile profile = recorded_as_kernel(program);
	About about = from_comments(profile.comments);

	/* No vmlinux existed when the profile was recorded. */
	CHECK(about.lines_later.empty());
	about.lines_later = {"[kernel]"};
	profile.comments = to_comments(about);
	CHECK(add_lines(profile, program.path("root")).size() == 1);
	REQUIRE(run(fmt::format("cd {} && mkdir -p {} && cp served/program.debug {}/{}.debug",
				program.path(""), directory, directory, build_id.substr(2)))
			.status == 0);
	CHECK(add_lines(profile, program.path("root")).empty());
	CHECK(place(profile) == "deep::Worker::run(unsigned long) " + program.line);
}

TEST_CASE("the wait for a debuginfod server that does not answer is announced, and ends", "[cli][debuginfod]")
{
	const StrippedProgram program;
	const auto [socket, port] = loopback_socket();
	std::vector<std::string> warnings;

	REQUIRE(listen(socket.get(), 5) == 0);
	const Environment environment(program, port);
	const auto begin = std::chrono::steady_clock::now();
	const auto [profile, said] = program.profile(warnings);

	CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
	CHECK(place(profile).starts_with("program+0x"));
	CHECK(said == "profil: program: waiting for debug information from the servers in "
		      "DEBUGINFOD_URLS (DEBUGINFOD_TIMEOUT limits it)\n");
}

TEST_CASE("debug information beside a stripped program is found, with a debuglink or without",
	  "[cli][debuginfod]")
{
	const StrippedProgram program;
	const bool linked = GENERATE(false, true);
	const std::string where = GENERATE(as<std::string>(), "", ".debug/");
	std::vector<std::string> warnings;
	const support::Output made = run(fmt::format(
		"cd {} && mkdir -p .debug && mv served/program.debug {}{}.debug{}", program.path(""), where,
		linked ? "other" : "program",
		linked ? fmt::format(" && objcopy --add-gnu-debuglink={}other.debug program", where) : ""));

	INFO(made.text);
	REQUIRE(made.status == 0);
	CHECK(place(program.profile(warnings).first) == "deep::Worker::run(unsigned long) " + program.line);
	CHECK(warnings.empty());
}

TEST_CASE("debug information of another build is not used, and a warning says so", "[cli][debuginfod]")
{
	const StrippedProgram program;
	std::vector<std::string> warnings;
	const support::Output other = run(fmt::format(
		"cd {} && mkdir .debug && g++ -O1 -g -o other {} && "
		"objcopy --only-keep-debug other .debug/program.debug && "
		"objcopy --add-gnu-debuglink=.debug/program.debug program && "
		"readelf -n other | sed -n 's/.*Build ID: //p'",
		program.path(""), std::filesystem::absolute("tests/host/data/symbols.cpp").native()));

	INFO(other.text);
	REQUIRE(other.status == 0);
	CHECK(place(program.profile(warnings).first).starts_with("program+0x"));
	REQUIRE(warnings.size() == 1);
	CHECK(warnings[0] + "\n" ==
	      fmt::format("{}: no lines for it: {} is from another build: its build-id is {}, not {}\n",
			  program.path("program"), program.path(".debug/program.debug"),
			  other.text.substr(0, 8), program.build_id.substr(0, 8)));

	/* The right build: no warning. */
	warnings.clear();
	REQUIRE(run(fmt::format("cd {} && cp served/program.debug .debug/", program.path(""))).status == 0);
	const support::Output link = run(fmt::format("cd {} && objcopy --remove-section=.gnu_debuglink "
						     "--add-gnu-debuglink=.debug/program.debug program",
						     program.path("")));

	INFO(link.text);
	REQUIRE(link.status == 0);
	CHECK(place(program.profile(warnings).first) == "deep::Worker::run(unsigned long) " + program.line);
	CHECK(warnings.empty());
}
