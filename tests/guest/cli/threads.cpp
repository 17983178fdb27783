// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/threads.cpp  profil record of single threads (-t), and by thread
 * (--per-thread).
 */
#include "tests/guest/cli/support.h"

#include <filesystem>
#include <map>
#include <set>

using namespace cli_test;

namespace {

/** The process with this name, once it exists. */
pid_t process_named(const std::string &name)
{
	pid_t found = 0;

	REQUIRE(soon([&] {
		found = std::atoi(run("pgrep -x " + name).text.c_str());
		return found != 0;
	}));
	return found;
}

} // namespace

TEST_CASE("only the threads given with -t are recorded, under their own names", "[cli][thread]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const guest::Child burn = start({program("cli_burn"), "100000", "pair"});
	const pid_t cold = thread_named(burn.pid(), "cold");
	const Output output = profil("record -d 1.5 -o " + file + " -t " + std::to_string(cold));

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json one = report(file);

	CHECK(hottest(one) == "burn_cold()");
	CHECK(percent(one, "burn_hot()") == 0);
	CHECK(one["targets"] == Json::array({"cold (tid " + std::to_string(cold) + ")"}));

	REQUIRE(profil("record --per-process -d 1.5 -o " + file + " -t " + std::to_string(cold) + "," +
		       std::to_string(burn.pid()))
			.status == 0);
	std::map<pid_t, std::string> names;

	const Json both = parse_json(run(profil_path() + " report --json --sort process " + file).text);

	/* Interrupts have no thread. */
	for (const Json &row : both["rows"])
		if (row.contains("pid"))
			names[row["pid"].get<pid_t>()] = row["process"].get<std::string>();
	CHECK(names == std::map<pid_t, std::string>{{cold, "cold"}, {burn.pid(), "cli_burn"}});
	CHECK(percent(report(file), "burn_hot()") > 10);
	CHECK(percent(report(file), "burn_cold()") > 10);
}

TEST_CASE("a recording of a thread ends with the thread while its process goes on", "[cli][thread]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const guest::Child burn = start({program("cli_burn"), "4000", "pair"});
	const pid_t cold = thread_named(burn.pid(), "cold");
	const Output output = profil("record -o " + file + " -t " + std::to_string(cold));

	INFO(output.text);
	REQUIRE(output.status == 0);
	CHECK(hottest(report(file)) == "burn_cold()");
	CHECK_FALSE(std::filesystem::exists("/proc/" + std::to_string(burn.pid()) + "/task/" +
					    std::to_string(cold)));
	CHECK(has(read_file("/proc/" + std::to_string(burn.pid()) + "/stat"), " R "));
}

TEST_CASE("a recording of a vfork child ends with its exec and says so", "[cli][thread]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const guest::Child burn = start({program("cli_burn"), "1000000", "vfork"});
	const pid_t child = process_named("vforked");
	guest::Child record =
		start({profil_path(), "record", "-d", "60", "-o", file, "-t", std::to_string(child)},
		      directory / "output");

	REQUIRE(samples_come(200));
	kill(child, SIGUSR1);
	REQUIRE(end_of(record) == 0);
	CHECK(has(read_file(directory / "output"),
		  "its process runs another program, which is not profiled"));
	CHECK(hottest(report(file)) == "burn_child()");
	CHECK(percent(report(file), "burn_hot()") == 0);
}

TEST_CASE("record --per-thread adds up the samples of each thread", "[cli][thread]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const guest::Child burn = start({program("cli_burn"), "100000", "pair"});
	const pid_t cold = thread_named(burn.pid(), "cold");
	const Output output =
		profil("record --per-thread -d 1.5 -o " + file + " -p " + std::to_string(burn.pid()));

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json one = report(file);
	std::map<pid_t, std::string> names;

	for (const Json &thread : one["threads"])
		names[thread["tid"].get<int>()] = thread["name"];
	CHECK(names == std::map<pid_t, std::string>{{cold, "cold"}, {burn.pid(), "cli_burn"}});
	CHECK(samples_by_thread(file) == one["ticks"]["counted"].get<uint64_t>());

	const Output table = profil("report " + file);

	CHECK(has(table.text, "cold (tid " + std::to_string(cold) + ")\n"));

	/* One thread alone, with its time in the kernel counted at its system calls. */
	REQUIRE(profil("record --per-thread --kernel -d 1.5 -o " + file + " -t " + std::to_string(cold))
			.status == 0);
	const Json alone = report(file);

	REQUIRE(alone["threads"].size() == 1);
	CHECK(alone["threads"][0]["tid"] == cold);
	CHECK(percent(alone, "burn_hot()") == 0);
}

TEST_CASE(
	"threads of a process that was idle for long have their names, though they end before the recording",
	"[cli][thread]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const IdleProgram idle(3000);
	guest::Child record =
		start({profil_path(), "record", "--per-thread", "-o", file, "-p", std::to_string(idle.pid())},
		      directory / "output");

	REQUIRE(soon([] { return guest::module_stat("profiles") == 1; }));
	/* The second thread ticks where the first one did, so only the thread itself is new. */
	for (int i = 0; i < 2; i++) {
		/*
		 * After a few seconds without ticks, recordings without --per-thread wait to be
		 * woken.
		 */
		sleep(6);
		idle.burn();
		REQUIRE(samples_come(1000));
		REQUIRE(soon([&] { return idle.threads() == 1; }));
	}
	kill(record.pid(), SIGINT);
	CHECK(end_of(record) == 0);

	const Json json = report(file);
	std::set<pid_t> late;

	CAPTURE(json["threads"].dump());
	for (const Json &thread : json["threads"]) {
		if (thread["name"] == "late")
			late.insert(thread["tid"].get<int>());
	}
	CHECK(late.size() == 2);
	CHECK(samples_by_thread(file) == json["ticks"]["counted"].get<uint64_t>());
}
