// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/record.cpp  profil record names the functions in which programs spend
 * time.
 */
#include "tests/guest/cli/support.h"

#include <map>
#include <set>
#include <sstream>

using namespace cli_test;

TEST_CASE("a command's hottest function comes first, at fixed and at random addresses", "[cli][every-kernel]")
{
	for (const char *name : {"cli_burn", "cli_burn_static"}) {
		const TemporaryDirectory directory;
		const std::string file = directory / "p.pb.gz";
		const Output output = profil("record -o " + file + " -- " + program(name) + " 800");

		CAPTURE(name, output.text);
		REQUIRE(output.status == 0);
		CHECK_FALSE(has(output.text, "the command exited"));
		const Json json = report(file);

		CHECK(hottest(json) == "burn_hot()");
		CHECK(hottest_row(json)["object"] == program(name));
		CHECK(hottest(json, 1) == "burn_cold()");
		CHECK((percent(json, "burn_hot()") + percent(json, "burn_cold()")) / 50 >
		      1 - double(samples_in_kernel(json)) / json["samples"].get<double>());
		CHECK(json["processes"] == 1);
		CHECK(json["ticks"]["outside"] == 0);
	}
}

TEST_CASE("a running process is recorded by its PID with all its threads", "[cli][every-kernel]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const guest::Child burn = start({program("cli_burn"), "100000", "threads"});
	const Output output = profil("record -d 1.5 -o " + file + " -p " + std::to_string(burn.pid()));

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = report(file);

	CHECK(hottest(json) == "burn_hot()");
	CHECK(json["targets"][0] == "cli_burn (pid " + std::to_string(burn.pid()) + ")");
	CHECK(json["duration_ns"] >= 1500000000);
	CHECK(kill(burn.pid(), 0) == 0);
}

TEST_CASE("the addresses of samples are within the function in its file", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";

	for (const char *name : {"cli_burn", "cli_burn_static"}) {
		REQUIRE(profil("record -o " + file + " -- " + program(name) + " 400").status == 0);
		std::istringstream place(run("nm -S " + program(name) + " | grep _Z8burn_hotv").text);
		uint64_t start = 0;
		uint64_t size = 0;

		place >> std::hex >> start >> size;
		REQUIRE(size > 0);
		const Json json = report(file, "address");

		for (const Json &row : json["rows"]) {
			const uint64_t address = std::stoull(row["address"].get<std::string>(), nullptr, 16);

			if (row["function"] == "burn_hot()")
				CHECK((address >= start && address < start + size));
		}
	}
}

TEST_CASE("recording goes on in the new program when a command executes another", "[cli][every-kernel]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output =
		profil("record -o " + file + " -- sh -c 'exec " + program("cli_burn") + " 800'");

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = report(file);

	CHECK(hottest(json) == "burn_hot()");
	CHECK(json["processes"] == 1);
}

TEST_CASE("programs that a shell starts are recorded, each with its own samples", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output = profil("record -o " + file + " -- sh -c '" + program("cli_burn") + " 500; " +
				     program("cli_burn_static") + " 500; true'");

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = report(file, "object");

	CHECK(json["processes"] == 3);
	CHECK(percent(json, program("cli_burn")) > 5);
	CHECK(percent(json, program("cli_burn_static")) > 5);
}

TEST_CASE("programs of one recording are told apart by their command names", "[cli][every-kernel]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output = profil("record -o " + file + " -- sh -c '" + program("cli_burn") +
				     " 500 fork; " + program("cli_burn_static") + " 500; true'");

	INFO(output.text);
	REQUIRE(output.status == 0);

	const std::set<std::string> ours = {"cli_burn", "cli_burn_static"};
	std::map<std::string, uint64_t> by_command;
	std::map<std::string, uint64_t> by_program;
	const Output rows = profil("report --json --sort command,object " + file);

	INFO(rows.text);
	REQUIRE(rows.status == 0);
	const Json json = parse_json(rows.text);

	for (const Json &row : json["rows"]) {
		CHECK_FALSE(row.contains("pid"));
		by_command[row["process"]] += row["samples"].get<uint64_t>();
		for (const std::string &name : ours) {
			if (row["object"] == program(name)) {
				CHECK(row["process"] == name);
				by_program[name] += row["samples"].get<uint64_t>();
			}
		}
	}
	for (const std::string &name : ours) {
		CAPTURE(name);
		CHECK(by_program[name] > 50);
		CHECK(by_command[name] >= by_program[name]);
	}

	const std::string text = profil("report --sort command " + file).text;

	INFO(text);
	CHECK(has(text, "  cli_burn\n"));
	CHECK(has(text, "  cli_burn_static\n"));
	CHECK_FALSE(has(text, "(pid"));
	CHECK_FALSE(has(text, "--per-process"));
	CHECK(has(text.substr(0, text.find("\n\n")), "cli_burn"));
}

TEST_CASE("forked children are recorded with their parent", "[cli][every-kernel]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output = profil("record -o " + file + " -- " + program("cli_burn") + " 600 fork");

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = report(file);

	CHECK(json["processes"] == 2);
	/* On a busy host, so many ticks are late that either process may have more. */
	CHECK(percent(json, "burn_child()") > 5);
	CHECK(percent(json, "burn_parent()") > 5);
}

TEST_CASE("code that is mapped while recording is recorded, in a process and in its child", "[cli]")
{
	for (const std::string what : {"late", "late-child"}) {
		const TemporaryDirectory directory;
		const std::string file = directory / "p.pb.gz";
		const Output output = profil("record -o " + file + " -- " + program("cli_burn") + " " +
					     std::to_string(1000 * guest::slowness()) + " " + what);

		CAPTURE(what, output.text);
		REQUIRE(output.status == 0);
		const Json json = report(file, "object");

		CHECK(has(hottest_row(json)["object"], "[anon:"));
		CHECK(hottest_row(json)["percent"] > 50);
		CHECK(percent(json, "[unknown]") < 10);
		CHECK(json["ticks"]["outside"] == 0);
	}
}

TEST_CASE("code mapped in place of other code is recorded separately", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output = profil("record -o " + file + " -- " + program("cli_burn") + " 8000 remap");

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = report(file, "object");

	CHECK(percent(json, "/memfd:second") > percent(json, "/memfd:first"));
	CHECK(percent(json, "/memfd:first") > 2);
}

TEST_CASE("code mapped in place of other code is recorded separately even without memory for its counters",
	  "[cli]")
{
	const TemporaryDirectory directory;
	const auto setting = paranoid("2");
	const std::string file = "/tmp/nobody-" + std::to_string(getpid()) + ".pb.gz";
	guest::Child record = start({"su", "nobody", "-s", "/bin/sh", "-c",
				     "cd /tmp && exec " + profil_path() + " record -o " + file + " -- " +
					     program("cli_burn") + " 6000 remap"},
				    directory / "output");

	REQUIRE(samples_come(100));
	const guest::Setting limit = guest::module_parameter("max_user_pages", 1);

	CHECK(end_of(record) == 0);
	INFO(read_file(directory / "output"));
	const Json json = report(file, "object");

	CHECK(percent(json, "/memfd:second") > percent(json, "/memfd:first"));
	CHECK(percent(json, "/memfd:first") > 2);
	CHECK(json["ticks"]["outside"] == 0);
	unlink(file.c_str());
}

TEST_CASE("a program that a user may not read at first has names if it is the same when it ticks", "[cli]")
{
	const TemporaryDirectory directory, open;
	const auto setting = paranoid("2");
	const std::vector<std::string> as_nobody = {"setpriv", "--reuid=65534", "--regid=65534",
						    "--clear-groups"};
	const auto nobody_runs = [&](const std::vector<std::string> &arguments) {
		std::vector<std::string> all = as_nobody;

		all.insert(all.end(), arguments.begin(), arguments.end());
		return all;
	};
	const std::string path = open / "late", file = open / "p.pb.gz";

	guest::need(chmod((open / "").c_str(), 01777), "chmod");
	std::filesystem::copy_file(program("cli_burn_static"), path);
	guest::need(chmod(path.c_str(), 0755), "chmod");

	/*
	 * Start it before the chmod: a user may not record a process started from an unreadable
	 * program.
	 */
	const IdleProgram idle(1000, nobody_runs({path}));

	guest::need(chmod(path.c_str(), 0711), "chmod");

	guest::Child record =
		start(nobody_runs({profil_path(), "record", "-o", file, "-p", std::to_string(idle.pid())}),
		      directory / "output");

	REQUIRE(soon([] { return guest::module_stat("profiles") == 1; }));
	REQUIRE(soon([&] { return guest::asleep(record.pid()); }));

	guest::need(chmod(path.c_str(), 0755), "chmod");
	const auto burn = [&] {
		idle.burn();
		REQUIRE(samples_come(100));
		REQUIRE(soon([&] { return idle.threads() == 1; }));
	};
	const auto first_function = [&] {
		kill(record.pid(), SIGINT);
		CHECK(end_of(record) == 0);
		return hottest(report(file));
	};

	SECTION("it is the same")
	{
		burn();
		CHECK(first_function() == "burn_child()");
		INFO(read_file(directory / "output"));
		CHECK_FALSE(has(read_file(directory / "output"), "no names"));
	}
	SECTION("it was written between its ticks and the look at them, with as many bytes")
	{
		kill(record.pid(), SIGSTOP);
		burn();
		std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now());
		kill(record.pid(), SIGCONT);
		CHECK(first_function() != "burn_child()");
		INFO(read_file(directory / "output"));
		CHECK(has(read_file(directory / "output"),
			  path + ": is not the file that ran: it was modified at another time: no names for "
				 "it"));
	}
}

TEST_CASE("time in the kernel counts by its functions, at calls, or not at all", "[cli][every-kernel]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const std::string command =
		" -o " + file + " -- dd if=/dev/zero of=/dev/null bs=1M count=3000 status=none";

	REQUIRE(profil("record" + command).status == 0);
	const Json usual = report(file);
	REQUIRE(profil("record --user-only" + command).status == 0);
	const Json without = report(file);
	REQUIRE(profil("record --kernel-at call" + command).status == 0);
	const Json called = report(file);

	CHECK(usual["ticks"]["kernel"] == 0);
	CHECK(samples_in_kernel(usual) * 2 > usual["samples"]);
	/* The zeroes are written by a function of the kernel. */
	CHECK(usual["rows"][0]["object"] == "[kernel]");
	CHECK(usual["rows"][0]["function"] != "[kernel]");
	CHECK(without["ticks"]["kernel"] > without["ticks"]["counted"]);
	CHECK(samples_in_kernel(without) == 0);
	CHECK(called["ticks"]["kernel"] == 0);
	/* Ticks of exec and exit, which do not return to the program, count in the kernel. */
	CHECK(samples_in_kernel(called) * 5 < called["samples"].get<uint64_t>());
	CHECK(called["samples"] > without["samples"]);
	/*
	 * The hottest row is the system call that reads.  glibc 2.41 makes all such calls in a
	 * static function.
	 */
	const std::string hottest = called["rows"][0]["function"];
	CAPTURE(hottest);
	CHECK((has(hottest, "read") || has(hottest, "syscall_cancel") || hottest.starts_with("libc.so.6+")));
}

TEST_CASE("a rate is kept", "[cli][icount][every-kernel]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";

	REQUIRE(profil("record -F 100 -o " + file + " -- " + program("cli_burn") + " 1000").status == 0);
	const Json json = report(file);

	CHECK(json["period_ns"] == 10000000);
	/* A second of CPU time, and the program's start. */
	CHECK(json["ticks"]["total"] >= 95);
	CHECK(json["ticks"]["total"] <= 130);
}
