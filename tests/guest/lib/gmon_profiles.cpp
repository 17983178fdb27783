// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/gmon_profiles.cpp  Programs of gcc -pg (tests/guest/programs/gmon_work.h),
 * whose ticks the kernel counts.
 */
#include "tests/guest/lib/monitor.h"
#include "tests/guest/lib/support.h"
#include "tests/support/catch.h"
#include "tests/support/gmon_reader.h"

#include <cerrno>
#include <sstream>

using namespace guest;
using namespace lib_test;
using namespace support;

namespace {

/** A directory in which programs run, and the files they leave there. */
class Workplace {
public:
	/**
	 * Run a program.  Its last line is its PID and its CPU time; only the expected number of
	 * error lines may precede it.
	 */
	void run_program(const std::string &name, const std::string &arguments,
			 const std::string &before = "", unsigned lines_said = 0)
	{
		const std::string preload = name == "gmon_linked" ? "" : build_dir() + "/libprofil.so.1";
		const Output output =
			run("cd " + (dir_ / "") + " && " + before +
			    " env PROFIL_VERBOSE=1 LD_LIBRARY_PATH=" + build_dir() + " LD_PRELOAD='" +
			    preload + " " + more_ + "' " + path(name) + " " + arguments);
		std::istringstream words(output.text);

		for (unsigned i = 0; i < lines_said; i++)
			words.ignore(1000, '\n');
		INFO(output.text);
		REQUIRE(output.status == 0);
		REQUIRE(words >> pid_ >> ns_);
		REQUIRE(words.peek() == '\n');
	}

	void preload(const std::string &object) { more_ = object; }

	[[nodiscard]] static std::string path(const std::string &name) { return program(name); }
	[[nodiscard]] pid_t pid() const { return pid_; }
	[[nodiscard]] uint64_t ns() const { return ns_; }
	[[nodiscard]] std::string file(const std::string &name = "gmon.out") const { return dir_ / name; }
	[[nodiscard]] GmonFile gmon(const std::string &name = "gmon.out") const
	{
		return read_gmon(file(name));
	}

	/** The names of all files, sorted, each followed by a space. */
	[[nodiscard]] std::string files() const { return run("ls " + (dir_ / "") + " | tr '\\n' ' '").text; }

	/** The file of another process: gmon.out.NUMBER. */
	[[nodiscard]] std::string other() const
	{
		for (const std::string &name : words_of(files()))
			if (name.size() > 9 && name.find_first_not_of("0123456789", 9) == std::string::npos)
				return name;
		throw std::runtime_error("no gmon.out of another process");
	}

private:
	static std::vector<std::string> words_of(const std::string &text)
	{
		std::istringstream in(text);

		return {std::istream_iterator<std::string>(in), {}};
	}

	TemporaryDirectory dir_;
	std::string more_;
	pid_t pid_ = 0;
	uint64_t ns_ = 0;
};

uint64_t ticks_of(const GmonFile &gmon, const std::string &name, const std::string &function)
{
	const Symbol symbol = symbol_of(program(name), function);

	return gmon.ticks_in(symbol.low, symbol.high);
}

uint64_t calls_of(const GmonFile &gmon, const std::string &name, const std::string &function)
{
	const Symbol symbol = symbol_of(program(name), function);

	return gmon.calls_of(symbol.low, symbol.high);
}

/** A prefix that runs a command as the user nobody, and so within the limits of users. */
constexpr char as_nobody[] = "chmod 777 . && exec setpriv --reuid 65534 --regid 65534 --clear-groups";

} // namespace

TEST_CASE_METHOD(AtRest,
		 "gmon.out of a gcc -pg program has kernel-counted ticks and all calls, and gprof reads it",
		 "[lib][gmon]")
{
	for (const std::string name : {"gmon_pie", "gmon_fixed", "gmon_linked"}) {
		Workplace work;

		work.run_program(name, "ms 300 calls 70001", "PROFIL_RATE=1000");

		auto flat = flat_profile(program(name), work.file());

		INFO(name);
		CHECK(flat["hot"].place == 1);
		CHECK(flat["hot"].self_seconds > 0);
		CHECK(flat["leaf"].calls == 70001);
		CHECK(flat["call"].calls == 1);
		CHECK(work.gmon().hz == 1000);
		CHECK(work.gmon().bin == 4);
	}
}

TEST_CASE_METHOD(AtRest, "the ticks in gmon.out are the CPU time of all threads", "[lib][gmon][icount]")
{
	Workplace work;

	const uint64_t before = module_ticks("outside");
	work.run_program("gmon_pie", "threads 4 ms 250", "PROFIL_RATE=1000");
	const uint64_t outside = module_ticks("outside") - before;

	uint64_t ticks = work.gmon().all_ticks();

	for (const char *object : {"gmon.out.libc.so.6", "gmon.out.libprofil.so.1",
				   "gmon.out.ld-linux-x86-64.so.2", "gmon.out.ld-linux-aarch64.so.1"})
		if (run("test -e " + work.file(object)).status == 0)
			ticks += work.gmon(object).all_ticks();
	INFO(work.files() << work.ns() << ", outside " << outside);
	/*
	 * At least the threads' 1,000 ms, including time in the vDSO, and at most the CPU time of
	 * the program, which also needs time to start (half a second on some debug kernels) and to
	 * end.
	 */
	CHECK(ticks <= work.ns() / 1'000'000);
	CHECK(ticks + outside >= 950);
	CHECK(ticks_of(work.gmon(), "gmon_pie", "hot") * 100 >= ticks * 80);
}

TEST_CASE_METHOD(AtRest, "the calls of all threads are counted", "[lib][gmon]")
{
	Workplace work;

	work.run_program("gmon_pie", "threads 4 calls 50000");
	CHECK(calls_of(work.gmon(), "gmon_pie", "leaf") == 200000);
	CHECK(calls_of(work.gmon(), "gmon_pie", "call") == 4);
}

TEST_CASE_METHOD(AtRest, "a forked child has its own gmon.out with its own ticks and calls", "[lib][gmon]")
{
	Workplace work;

	work.run_program("gmon_pie", "calls 3 ms 200 fork calls 5", "PROFIL_RATE=1000");

	const GmonFile parent = work.gmon(), child = work.gmon(work.other());

	CHECK(calls_of(parent, "gmon_pie", "leaf") == 3);
	CHECK(calls_of(child, "gmon_pie", "leaf") == 5);
	CHECK(ticks_of(parent, "gmon_pie", "hot") > 0);
	CHECK(ticks_of(child, "gmon_pie", "hot") == 0);

	Workplace other;

	other.run_program("gmon_pie", "fork ms 200", "PROFIL_RATE=1000");
	CHECK(ticks_of(other.gmon(), "gmon_pie", "hot") == 0);
	CHECK(ticks_of(other.gmon(other.other()), "gmon_pie", "hot") > 0);
}

TEST_CASE_METHOD(AtRest, "an executed program has its own gmon.out", "[lib][gmon]")
{
	Workplace work;

	work.run_program("gmon_pie", "calls 3 exec calls 6 ms 200", "PROFIL_RATE=1000");

	const GmonFile parent = work.gmon(), child = work.gmon(work.other());

	CHECK(calls_of(parent, "gmon_pie", "leaf") == 3);
	CHECK(calls_of(child, "gmon_pie", "leaf") == 6);
	CHECK(ticks_of(parent, "gmon_pie", "hot") == 0);
	CHECK(ticks_of(child, "gmon_pie", "hot") > 0);
}

TEST_CASE_METHOD(AtRest, "with GMON_OUT_PREFIX each process writes PREFIX.PID", "[lib][gmon]")
{
	Workplace work;

	work.run_program("gmon_fixed", "calls 2 fork calls 3", "GMON_OUT_PREFIX=gmon.out");
	CHECK(work.files().find("gmon.out ") == std::string::npos);

	/* There are two files, each with a PID in its name. */
	const std::string mine = "gmon.out." + std::to_string(work.pid());
	uint64_t calls = calls_of(work.gmon(mine), "gmon_fixed", "leaf");

	CHECK(calls == 2);
	run("rm " + work.file(mine));
	CHECK(calls_of(work.gmon(work.other()), "gmon_fixed", "leaf") == 3);
}

TEST_CASE_METHOD(AtRest, "moncontrol(0) excludes ticks and calls until moncontrol(1)", "[lib][gmon]")
{
	Workplace work;

	work.run_program("gmon_pie", "off ms 200 calls 9 on calls 4", "PROFIL_RATE=1000");
	CHECK(ticks_of(work.gmon(), "gmon_pie", "hot") == 0);
	CHECK(calls_of(work.gmon(), "gmon_pie", "leaf") == 4);

	Workplace other;

	other.run_program("gmon_pie", "calls 4 off calls 9 on ms 200", "PROFIL_RATE=1000");
	CHECK(ticks_of(other.gmon(), "gmon_pie", "hot") > 0);
	CHECK(calls_of(other.gmon(), "gmon_pie", "leaf") == 4);
}

TEST_CASE_METHOD(AtRest, "a shared object has its own file, which gprof reads", "[lib][gmon]")
{
	Workplace work;

	work.preload(program("gmon_object"));
	work.run_program("gmon_pie", "object 200", "PROFIL_RATE=1000");

	auto flat = flat_profile(program("gmon_object"), work.file("gmon.out.gmon_object"));

	CHECK(flat["hot_object"].place == 1);
	CHECK(flat["hot_object"].self_seconds > 0);
	CHECK(flat["leaf_object"].calls > 0);
	CHECK(ticks_of(work.gmon(), "gmon_pie", "hot") == 0);
}

TEST_CASE_METHOD(AtRest, "code inlined into main() is counted wherever the compiler has put it",
		 "[lib][gmon]")
{
	for (const std::string name : {"gmon_pie", "gmon_fixed"}) {
		Workplace work;

		work.run_program(name, "main 300", "PROFIL_RATE=1000");
		INFO(name);
		CHECK(ticks_of(work.gmon(), name, "main") > 0);
	}
}

TEST_CASE_METHOD(AtRest, "monstartup() restarts for a given range and goes on if the range is invalid",
		 "[lib][gmon]")
{
	for (const std::string name : {"gmon_pie", "gmon_fixed"}) {
		Workplace work;

		INFO(name);
		work.run_program(name, "calls 5 ms 100 range ms 200", "PROFIL_RATE=1000");

		const GmonFile gmon = work.gmon();
		const Symbol hot = symbol_of(program(name), "hot"),
			     after = symbol_of(program(name), "after_hot");

		CHECK(gmon.all_ticks() > 0);
		CHECK(gmon.all_ticks() == gmon.ticks_in(hot.low, after.low));

		work.run_program(name, "calls 5 ms 200 again calls 2", "PROFIL_RATE=1000");
		CHECK(ticks_of(work.gmon(), name, "hot") == 0);
		CHECK(calls_of(work.gmon(), name, "leaf") == 2);

		work.run_program(name, "calls 5 bad calls 2 ms 200", "PROFIL_RATE=1000", 1);
		CHECK(ticks_of(work.gmon(), name, "hot") > 0);
		CHECK(calls_of(work.gmon(), name, "leaf") == 7);
	}
}

TEST_CASE_METHOD(AtRest, "a request above the user's limit gives a warning and the highest allowed rate",
		 "[lib][gmon]")
{
	const TemporaryDirectory dir;
	const Output output =
		run("cd " + (dir / "") +
		    " && chmod 777 . && PROFIL_RATE=50000 setpriv --reuid 65534 --regid 65534 --clear-groups "
		    "env LD_PRELOAD=" +
		    build_dir() + "/libprofil.so.1 " + program("gmon_fixed") + " ms 200");
	const GmonFile gmon = read_gmon(dir / "gmon.out");

	INFO(output.text);
	CHECK(output.text.find("libprofil: PROFIL_RATE=50000: above this user's limit; using " +
			       std::to_string(gmon.hz) + "\n") == 0);
	CHECK(gmon.hz < 50000);
	CHECK(ticks_of(gmon, "gmon_fixed", "hot") > 0);
}

TEST_CASE_METHOD(AtRest, "counters are as fine as ever for a user who may lock no memory", "[lib][gmon]")
{
	Workplace work;

	work.run_program("gmon_fixed", "ms 200", std::string("ulimit -l 0 && ") + as_nobody);
	CHECK(work.gmon().bin == 4);
	CHECK(ticks_of(work.gmon(), "gmon_fixed", "hot") > 0);
}

TEST_CASE_METHOD(AtRest,
		 "a user's limit of pages without room for the list of a text's pages gives coarser counters",
		 "[lib][gmon]")
{
	Workplace fine, coarse;

	fine.run_program("gmon_fixed", "ms 200", as_nobody);
	CHECK(fine.gmon().bin == 4);

	/* Enough only for the gate's page. */
	const Setting limit = module_parameter("max_user_pages", 1);

	coarse.run_program("gmon_fixed", "ms 200", as_nobody);
	CHECK(coarse.gmon().bin > 4);
	CHECK(ticks_of(coarse.gmon(), "gmon_fixed", "hot") > 0);
}

TEST_CASE_METHOD(AtRest, "a user above their limit of profiles gets a warning and the calls alone",
		 "[lib][gmon]")
{
	const Setting limit = module_parameter("max_user_profiles", 0);
	Workplace work;

	work.run_program("gmon_fixed", "calls 7 ms 200", as_nobody, 1);
	CHECK(calls_of(work.gmon(), "gmon_fixed", "leaf") == 7);
	CHECK(work.gmon().all_ticks() == 0);
	CHECK(work.files() == "gmon.out ");
}

TEST_CASE_METHOD(AtRest,
		 "a source that calls monitor() in any system's style gets its histogram and gmon.out",
		 "[lib][gmon][monitor]")
{
	for (const std::string name : monitor_programs) {
		const TemporaryDirectory dir;

		check_monitor(dir, program(name), build_dir());
		if (name != "monitor_aix")
			continue;

		/* Two ranges far apart, and the profile that exit() writes. */
		auto ranges = flat_profile(program(name), dir / "ranges.out");

		CHECK(ranges["work"].self_seconds > 0);
		CHECK(ranges["far_work"].self_seconds > 0);
	}
}

TEST_CASE_METHOD(AtRest, "a Fortran program is counted, with IRIX's calls or the module's, as a PIE or not",
		 "[lib][flavour][fortran]")
{
	for (const std::string name : {"fortran_irix", "fortran_module", "fortran_pie"}) {
		const Output output =
			run("env PROFIL_VERBOSE=1 LD_LIBRARY_PATH=" + build_dir() + " " + program(name));

		INFO(name);
		CHECK(output.status == 0);
		CHECK(output.text == "");
	}
}
