// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/kernel.cpp  Time in the kernel by function, and which users see it. */
#include "tests/guest/cli/support.h"
#include "tests/guest/support/busy_module.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/utsname.h>

using namespace cli_test;
using guest::BusyModule;

namespace {

/** The functions of an object, with their samples. */
std::map<std::string, uint64_t> functions_in(const Json &json, const std::string &object)
{
	std::map<std::string, uint64_t> all;

	for (const Json &row : json["rows"]) {
		if (row["object"] == object)
			all[row["function"]] += row["samples"].get<uint64_t>();
	}
	return all;
}

guest::Setting kptr_restrict(const std::string &value)
{
	return {"/proc/sys/kernel/kptr_restrict", value};
}

/** The kernel's functions and addresses that a user's file reveals. */
struct Told {
	int status = 0;
	std::set<std::string> functions, addresses;
};

Told told_to(const std::string &user)
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const std::string command = profil_path() + " record -F 1000 -o " + file +
				    " -- dd if=/dev/zero of=/dev/null bs=1M count=200 status=none";
	Told told;

	std::filesystem::permissions(directory / ".", std::filesystem::perms::all);
	told.status = run("su " + user + " -s /bin/sh -c 'cd / && " + command + "'").status;
	if (told.status)
		return told;
	const Output output = profil("report --json --sort function,object,address " + file);

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = parse_json(output.text);
	for (const Json &row : json["rows"]) {
		if (!row["object"].get<std::string>().starts_with("["))
			continue;
		if (row["object"] == "[vdso]")
			continue;
		told.functions.insert(row["function"]);
		told.addresses.insert(row["address"]);
	}
	return told;
}

/** Records dd, which is nearly always in the kernel. */
void record_dd(const std::string &options, const std::string &file)
{
	const Output output = profil("record " + options + " -F 1000 -o " + file +
				     " -- dd if=/dev/zero of=/dev/null bs=1M count=1000 status=none");

	INFO(output.text);
	REQUIRE(output.status == 0);
}

/** The kernel's hottest function, and the places in it that have samples. */
struct Hottest {
	std::string function, build_id;
	std::set<uint64_t> addresses;
};

constexpr uint64_t function_max = 4096; /* bytes */

Hottest hottest_in_kernel(const std::string &file)
{
	const Output output = profil("report --json --sort function,object,address " + file);
	Hottest hottest;

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = parse_json(output.text);
	uint64_t first = 0;
	for (const Json &row : json["rows"]) {
		if (row["object"] != "[kernel]")
			continue;
		const uint64_t address = std::stoull(row["address"].get<std::string>(), nullptr, 16);
		if (hottest.function.empty()) {
			hottest.function = row["function"];
			hottest.build_id = row["build_id"];
			first = address;
		}
		/* Another function may have the same name, far away. */
		if (row["function"] == hottest.function &&
		    std::max(address, first) - std::min(address, first) < function_max)
			hottest.addresses.insert(address);
	}
	REQUIRE(!hottest.addresses.empty());
	return hottest;
}

/** A vmlinux with the running kernel's build-id that maps its hottest code to one line. */
class Vmlinux {
public:
	explicit Vmlinux(const Hottest &hottest)
	{
		const TemporaryDirectory directory;
		const std::string source = directory / "hot.c", object = directory / "hot.o";
		const uint64_t low = *hottest.addresses.begin(), high = *hottest.addresses.rbegin() + 1;
		std::ostringstream text;
		utsname kernel;

		text << std::hex << low;
		guest::need(uname(&kernel), "uname");
		path_ += kernel.release;
		std::ofstream(source) << "#line 1233 \"kernel/hot.c\"\nvoid hot(void) {\n__asm__(\".skip "
				      << high - low << ", 0x90\");\n}\n";
		std::filesystem::create_directories(std::filesystem::path(path_).parent_path());
		const Output made = run("gcc -g -O1 -fno-asynchronous-unwind-tables -c -o " + object + " " +
					source + " && ld -e 0 -Ttext=" + text.str() + " --build-id=0x" +
					hottest.build_id + " -o " + path_ + " " + object);
		CAPTURE(made.text, low, high);
		REQUIRE(made.status == 0);
	}
	~Vmlinux() { std::filesystem::remove(path_); }
	Vmlinux(const Vmlinux &) = delete;
	Vmlinux &operator=(const Vmlinux &) = delete;

private:
	std::string path_ = "/usr/lib/debug/boot/vmlinux-";
};

} // namespace

TEST_CASE("users see the kernel's functions if perf and kallsyms let them", "[cli]")
{
	/*
	 * A recording is refused, has no names, or has names.  There are values on both sides of
	 * each boundary between these results.
	 */
	const auto [level, hidden] = GENERATE(table<int, int>(
		{{-1, 0}, {-1, 2}, {0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {3, 2}}));
	const auto paranoid_level = paranoid(std::to_string(level));
	const auto names = kptr_restrict(std::to_string(hidden));

	CAPTURE(level, hidden);
	/* perf_event_paranoid does not limit root, even at its strictest. */
	if (level == 3) {
		const Told root = told_to("root");
		CHECK(root.status == 0);
		if (hidden < 2)
			CHECK(root.functions.size() > 1);
		else
			CHECK(root.functions == std::set<std::string>{"[kernel]"});
	}

	const Told nobody = told_to("nobody");
	if (level > 2) {
		CHECK(nobody.status != 0);
	} else if (level < 2 && !hidden) {
		CHECK(nobody.functions.size() > 1);
	} else {
		CHECK(nobody.status == 0);
		CHECK(nobody.functions == std::set<std::string>{"[kernel]"});
		CHECK(nobody.addresses == std::set<std::string>{"0x0"});
	}
}

TEST_CASE("a machine's time is its programs', its interrupts', its kernel's, and idle", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	guest::Child record =
		start({profil_path(), "record", "-a", "-F", "5000", "-o", file}, directory / "output");
	/*
	 * Packets on the loopback cause softirqs; programs that end leave work to kernel threads.
	 */
	const guest::Child work =
		start({"sh", "-c", "while :; do ping -q -c 3 -i 0.01 127.0.0.1; rmdir /none; done"});

	REQUIRE(samples_come(5000));
	kill(record.pid(), SIGINT);
	const int status = end_of(record);
	INFO(read_file(directory / "output"));
	REQUIRE(status == 0);
	CHECK(has(read_file(directory / "output"), " % of CPU time was idle"));

	const Output output = profil("report --json --sort process,object " + file);
	REQUIRE(output.status == 0);
	const Json json = parse_json(output.text);
	std::map<std::string, std::set<std::string>> objects;
	for (const Json &row : json["rows"])
		objects[row["process"]].insert(row["object"].get<std::string>());
	CHECK(objects["sh"].contains("[kernel]"));
	CHECK(objects["sh"].size() > 1);
	CHECK(objects.contains("[softirq]"));
	for (const auto &[process, where] : objects) {
		CAPTURE(process);
		if (process == "[softirq]" || process.starts_with("[rcu") || process == "[kworker]") {
			for (const std::string &object : where)
				CHECK(object.starts_with("["));
		}
	}
	CHECK(json["cpu_time"]["total_ms"] > 0);
	CHECK(json["cpu_time"]["idle_ms"] < json["cpu_time"]["total_ms"]);
}

/*
 * /proc/stat overstates idle time that consists of many short periods, so here the CPUs idle in
 * long ones.  The guest does not read files either: the host's work for a read takes no virtual
 * time, or too much.
 */
TEST_CASE("the ticks of record -a are the time in which the CPUs were not idle", "[cli][icount]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz", burn = directory / "burn";

	std::filesystem::copy_file(program("cli_burn_static"), burn);
	REQUIRE(run(burn + " 1").status == 0);
	guest::Child record = start({profil_path(), "record", "-a", "-F", "2000", "-d", "10", "-o", file},
				    directory / "output");
	const guest::Child work =
		start({"sh", "-c", "sleep 1; for i in $(seq 60); do " + burn + " 50; done; exec sleep 20"});

	const int status = end_of(record);
	INFO(read_file(directory / "output"));
	REQUIRE(status == 0);
	const Json json = report(file);
	const double ticks = json["ticks"]["total"].get<double>() * json["period_ns"].get<double>() / 1e6;
	const double busy =
		json["cpu_time"]["total_ms"].get<double>() - json["cpu_time"]["idle_ms"].get<double>();

	CAPTURE(ticks, busy);
	CHECK(busy > 1000);
	CHECK(std::abs(ticks - busy) < busy / 100);
}

TEST_CASE("a module's functions have their names, though it is removed before the end", "[cli]")
{
	const bool before = GENERATE(true, false);
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	auto module = before ? std::make_unique<BusyModule>() : nullptr;
	guest::Child record = start({profil_path(), "record", "-a", "-o", file}, directory / "output");

	REQUIRE(samples_come(20));
	if (!module)
		module = std::make_unique<BusyModule>("early=300");
	/* Long enough for profil to look at a new module. */
	for (int i = 0; i < 10; i++) {
		BusyModule::spin(50);
		usleep(100'000);
	}
	module.reset();
	REQUIRE(samples_come(20));
	kill(record.pid(), SIGINT);
	const int status = end_of(record);
	INFO(read_file(directory / "output"));
	REQUIRE(status == 0);

	std::map<std::string, uint64_t> functions = functions_in(report(file), "[profil_busy]");

	CHECK(functions["profil_busy_spin"] > 50);
	if (!before)
		CHECK(functions.size() > 1);
}

TEST_CASE("a module that is loaded again has samples of its own functions only", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	guest::Child record = start({profil_path(), "record", "-a", "-o", file}, directory / "output");

	REQUIRE(samples_come(20));
	for (int i = 0; i < 5; i++) {
		const BusyModule module;

		BusyModule::spin(40);
	}
	kill(record.pid(), SIGINT);
	const int status = end_of(record);
	INFO(read_file(directory / "output"));
	REQUIRE(status == 0);

	/*
	 * Code that was unloaded before profil looked at it has only the module's name.  Loading
	 * and unloading the module may also have ticks.
	 */
	const std::set<std::string> known = {"profil_busy_spin", "profil_busy_early", "profil_busy_begin",
					     "profil_busy_exit", "profil_busy_hold",  "init_module",
					     "cleanup_module",	 "[profil_busy]"};
	uint64_t samples = 0;
	for (const auto &[function, count] : functions_in(report(file), "[profil_busy]")) {
		CAPTURE(function);
		CHECK(known.contains(function));
		samples += count;
	}
	/* A low bound: the host's load decides how many of the clock's ticks are late. */
	CHECK(samples >= 5);
}

TEST_CASE("functions of the kernel and of modules are annotated from what runs", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const BusyModule module;
	guest::Child record = start({profil_path(), "record", "-a", "-o", file}, directory / "output");

	REQUIRE(samples_come(20));
	BusyModule::spin(500);
	kill(record.pid(), SIGINT);
	REQUIRE(end_of(record) == 0);

	const Output in_module = profil("annotate -i " + file + " profil_busy_spin");
	INFO(in_module.text);
	CHECK(in_module.status == 0);
	CHECK(has(in_module.text, "pause"));
	CHECK_FALSE(has(in_module.text, "no instructions"));

	/* The hottest function of the kernel itself. */
	const Json json = report(file);
	std::string hottest;
	for (const Json &row : json["rows"]) {
		if (hottest.empty() && row["object"] == "[kernel]")
			hottest = row["function"];
	}
	const Output in_kernel = profil("annotate -i " + file + " '[kernel]:" + hottest + "'");
	INFO(in_kernel.text);
	CHECK(in_kernel.status == 0);
	CHECK(has(in_kernel.text, "%r"));
	CHECK_FALSE(has(in_kernel.text, "no instructions"));

	const guest::Setting names = kptr_restrict("2");
	const Output refused = profil("annotate -i " + file + " profil_busy_spin");
	CHECK(has(refused.text, "kptr_restrict"));
}

TEST_CASE("the kernel's lines come from the vmlinux with its build-id", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";

	record_dd("", file);
	const Hottest hottest = hottest_in_kernel(file);
	const Vmlinux vmlinux(hottest);
	const bool at_once = GENERATE(false, true);
	CAPTURE(hottest.function, at_once);
	record_dd(at_once ? "--lines" : "", file);
	const Output output = profil("report --json --sort line,object " + file);
	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = parse_json(output.text);
	uint64_t samples = 0;
	for (const Json &row : json["rows"]) {
		if (row["object"] == "[kernel]" && row.value("line", 0) == 1234) {
			CHECK(row["file"].get<std::string>().ends_with("/kernel/hot.c"));
			samples += row["samples"].get<uint64_t>();
		}
	}
	CHECK(samples > 10);
}

TEST_CASE("a module's lines come from its debug information, wherever its code is", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const BusyModule module;

	guest::Child record = start({profil_path(), "record", "-a", "-o", file}, directory / "output");
	REQUIRE(samples_come(20));
	const std::string build_id = [] {
		const Output notes =
			run("od -An -tx1 -v -j 16 -N 20 /sys/module/profil_busy/notes/.note.gnu.build-id | "
			    "tr -d ' \\n'");

		REQUIRE(notes.text.size() == 40);
		return notes.text;
	}();
	const std::string place = "/usr/lib/debug/.build-id/" + build_id.substr(0, 2);
	const std::string debug = place + "/" + build_id.substr(2) + ".debug";

	/* The guest cannot write into directories that exist on its host. */
	std::filesystem::create_directories("/usr/lib/debug/.build-id");
	REQUIRE(run("mount -t tmpfs none /usr/lib/debug/.build-id").status == 0);
	std::filesystem::create_directories(place);
	std::filesystem::copy_file(BusyModule::path(), debug);
	BusyModule::spin(500);
	kill(record.pid(), SIGINT);
	REQUIRE(end_of(record) == 0);

	const Output output = profil("report --json --sort line,function,object " + file);
	CHECK(run("umount /usr/lib/debug/.build-id").status == 0);
	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = parse_json(output.text);
	bool in_source = false;
	uint64_t samples = 0;
	for (const Json &row : json["rows"]) {
		if (row["object"] != "[profil_busy]")
			continue;
		/* The file may be a header, from which the pause instruction is inlined. */
		CHECK(row.value("line", 0) > 0);
		samples += row["samples"].get<uint64_t>();
		in_source |= row.value("file", "").ends_with("profil_busy.c");
	}
	CHECK(in_source);
	CHECK(samples > 50);
}
