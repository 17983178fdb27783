// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/lib/gmon.cpp  gmon.out without the kernel module. */
#include "libprofil/gmon/file.h"
#include "tests/support/catch.h"
#include "tests/support/gmon_reader.h"

#include <algorithm>
#include <cerrno>
#include <memory>

using namespace support;
using namespace libprofil;

namespace {

std::string fixed()
{
	return build_dir() + "/tests/programs/gmon_fixed";
}

std::string preloaded()
{
	return "env LD_PRELOAD=" + build_dir() + "/libprofil.so.1 ";
}

/** 32-bit counters, one for each four bytes of a function of gmon_fixed. */
struct Function {
	explicit Function(const std::string &name) : symbol(symbol_of(fixed(), name))
	{
		text.low = symbol.low;
		text.high = symbol.high;
		text.width = 4;
		text.shift = 2;
		counters.resize(text.needed());
		text.counters = counters.data();
		text.bytes = 4 * counters.size();
	}

	Symbol symbol;
	std::vector<uint32_t> counters;
	TextCounters text = {};
};

} // namespace

TEST_CASE("a count far above 65535 is exact for gprof", "[gmon]")
{
	const TemporaryDirectory dir;
	Function hot("hot"), call("call");

	hot.counters[1] = 1'000'003;
	hot.counters[2] = 65535;
	call.counters[1] = 65536;

	const TextCounters in_order[] = {call.symbol.low < hot.symbol.low ? call.text : hot.text,
					 call.symbol.low < hot.symbol.low ? hot.text : call.text};
	const Gmon gmon = {in_order, 2, nullptr, 100};

	REQUIRE(write_gmon((dir / "gmon.out").c_str(), gmon) == 0);

	auto flat = flat_profile(fixed(), dir / "gmon.out");

	CHECK(flat["hot"].self_seconds == Approx(10655.38).epsilon(0).margin(0.001));
	CHECK(flat["call"].self_seconds == Approx(655.36).epsilon(0).margin(0.001));
	CHECK(read_gmon(dir / "gmon.out").all_ticks() == 1'000'003 + 65535 + 65536);
}

TEST_CASE("calls above 2^32 are exact for gprof", "[gmon]")
{
	const TemporaryDirectory dir;
	const Function leaf("leaf"), call("call");
	const auto calls = std::make_unique<Calls>();
	const TextCounters both[] = {leaf.symbol.low < call.symbol.low ? leaf.text : call.text,
				     leaf.symbol.low < call.symbol.low ? call.text : leaf.text};

	calls->used = 2;
	calls->call[1] = {call.symbol.low + 4, leaf.symbol.low + 4, 5'000'000'001, 0, 0};
	/* A call from elsewhere: gprof has no name for the caller. */
	calls->call[2] = {0x10, leaf.symbol.low + 4, 7, 0, 0};
	REQUIRE(write_gmon((dir / "gmon.out").c_str(), {both, 2, calls.get(), 100}) == 0);
	CHECK(flat_profile(fixed(), dir / "gmon.out")["leaf"].calls == 5'000'000'001);
}

TEST_CASE("ranges of different scales have one scale in the file, and no tick is lost", "[gmon]")
{
	const TemporaryDirectory dir;
	std::vector<uint16_t> fine(0x1000), coarse(0x100);
	TextCounters ranges[2] = {};

	/* 2 and 64 bytes of text per counter, at odd addresses, in a program with a load bias. */
	ranges[0] = {0x55550001023, 0x55550001f01, 0x55550000000, fine.data(), 2 * fine.size(), 2, 1};
	ranges[1] = {0x55550001f01, 0x55550012345, 0x55550000000, coarse.data(), 0, 2, 6};
	coarse.resize(ranges[1].needed());
	ranges[1].counters = coarse.data();
	ranges[1].bytes = 2 * coarse.size();
	for (size_t i = 0; i < ranges[0].needed(); i++)
		fine[i] = 1;
	for (uint16_t &counter : coarse)
		counter = 65535;
	REQUIRE(write_gmon((dir / "gmon.out").c_str(), {ranges, 2, nullptr, 1000}) == 0);

	const GmonFile file = read_gmon(dir / "gmon.out");

	CHECK(file.bin == 64);
	CHECK(file.hz == 1000);
	CHECK(file.all_ticks() == ranges[0].needed() + 65535 * coarse.size());
	CHECK(file.ticks_in(0x1000, 0x1040) == (0x1040 - 0x1022) / 2);
	CHECK(file.ticks_in(0x1040, 0x1080) == 32);
	/* Where the two ranges touch. */
	CHECK(file.ticks_in(0x1f00, 0x1f40) == 65535 + 1);
	CHECK(file.ticks_in(0x12340, 0x12380) == 65535);
}

TEST_CASE("without the module, a gcc -pg program has the calls of all its threads, and no ticks", "[gmon]")
{
	const TemporaryDirectory dir;
	const Output output =
		run("cd " + (dir / "") + " && " + preloaded() + fixed() + " threads 8 calls 100000 && ls");

	INFO(output.text);
	REQUIRE(output.status == 0);
	CHECK(output.text.find("gmon.out\n") != std::string::npos);
	CHECK(output.text.find("libprofil") == std::string::npos);

	auto flat = flat_profile(fixed(), dir / "gmon.out");

	CHECK(flat["leaf"].calls == 800'000);
	CHECK(flat["call"].calls == 8);
	CHECK(read_gmon(dir / "gmon.out").all_ticks() == 0);
}

TEST_CASE("without the module moncontrol() switches the counting of calls", "[gmon]")
{
	const TemporaryDirectory dir;

	REQUIRE(run("cd " + (dir / "") + " && " + preloaded() + fixed() + " calls 2 off calls 9 on calls 4")
			.status == 0);
	CHECK(flat_profile(fixed(), dir / "gmon.out")["leaf"].calls == 6);
}

TEST_CASE("a symbolic link in place of gmon.out is replaced, and not followed", "[gmon]")
{
	const TemporaryDirectory dir;
	const Output output =
		run("cd " + (dir / "") + " && echo precious >file && ln -s file gmon.out && " + preloaded() +
		    fixed() + " calls 2 && cat file && test ! -L gmon.out && echo replaced");

	CHECK(output.text.find("precious\nreplaced\n") != std::string::npos);
	CHECK(flat_profile(fixed(), dir / "gmon.out")["leaf"].calls == 2);
}

TEST_CASE("a static gcc -pg program takes libprofil.a before libc", "[gmon]")
{
	const TemporaryDirectory dir;
	const Output output = run(cc() + " -O1 -pg -static -no-pie -w -I. -o " + (dir / "program") +
				  " tests/guest/programs/gmon_fixed.c " + build_dir() +
				  "/libprofil.a 2>&1 | grep -v dlopen; cd " + (dir / "") +
				  " && PROFIL_RATE=none ./program threads 4 calls 1000");

	INFO(output.text);
	CHECK(output.text.find("libprofil: PROFIL_RATE=none") != std::string::npos);
	CHECK(flat_profile(dir / "program", dir / "gmon.out")["leaf"].calls == 4000);
}

TEST_CASE("arguments in every register survive the counting of a call", "[gmon]")
{
	const TemporaryDirectory dir;
	const Output output = run(
		"cd " + (dir / "") +
		" && cat >arguments.c <<'END'\n"
		"#include <stdarg.h>\n"
		"__attribute__((noinline)) static double all(int a, long b, int c, long d, int e, long f,\n"
		"	double g, float h, double i, double j, double k, double l, double m, double n, long "
		"o)\n"
		"{ return a + 2.0 * b + 3 * c + 4.0 * d + 5 * e + 6.0 * f + 7 * g + 8 * h + 9 * i + 10 * j\n"
		"	+ 11 * k + 12 * l + 13 * m + 14 * n + 15.0 * o; }\n"
		"__attribute__((noinline)) static double some(int nr, ...)\n"
		"{ va_list list; double sum = 0; va_start(list, nr);\n"
		"	while (nr--) sum += va_arg(list, double); va_end(list); return sum; }\n"
		"int main(void)\n"
		"{ int base = 100; int nested(int x) { return base + x; }\n"
		"	int (*volatile call)(int) = nested;\n"
		"	return all(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) != 1240\n"
		"		|| some(3, 1.5, 2.5, 4.0) != 8 || call(11) != 111; }\n"
		"END\n"
		"for option in -O0 -O2 '-O2 -mfentry -fno-pie -no-pie'; do\n"
		"	" +
		cc() + " -w $option -pg -o arguments arguments.c && " + preloaded() +
		"./arguments || exit; done");

	INFO(output.text);
	CHECK(output.status == 0);
	/* libprofil counted the calls each time. */
	CHECK(std::count(output.text.begin(), output.text.end(), '\n') == 3);
}

TEST_CASE("an invalid rate is reported, and 100 Hz is used", "[gmon]")
{
	for (const std::string rate : {"0", "-5", "fast", "100x", "1000000001", "99999999999999999999"}) {
		const TemporaryDirectory dir;
		const Output output = run("cd " + (dir / "") + " && PROFIL_RATE=" + rate + " " + preloaded() +
					  fixed() + " calls 1");

		INFO(output.text);
		CHECK(output.status == 0);
		CHECK(output.text.find("libprofil: PROFIL_RATE=" + rate +
				       ": not a rate in Hz; using 100\n") != std::string::npos);
		CHECK(read_gmon(dir / "gmon.out").hz == 100);
	}
}

TEST_CASE("an unwritable gmon.out is reported with its name and the reason, and the old one stays whole",
	  "[gmon]")
{
	const TemporaryDirectory dir;

	REQUIRE(run("cd " + (dir / "") + " && " + preloaded() + fixed() + " calls 3").status == 0);

	const Output full = run("cd " + (dir / "") + " && trap '' XFSZ && ulimit -f 8 && " + preloaded() +
				fixed() + " calls 4 && ls");

	INFO(full.text);
	CHECK(full.text.find("libprofil: gmon.out: File too large\n") != std::string::npos);
	CHECK(full.text.find(".part") == std::string::npos);
	CHECK(flat_profile(fixed(), dir / "gmon.out")["leaf"].calls == 3);

	const Output nowhere =
		run("GMON_OUT_PREFIX=" + (dir / "no/where") + " " + preloaded() + fixed() + " calls 4");

	CHECK(nowhere.text.find("libprofil: " + (dir / "no/where.")) != std::string::npos);
	CHECK(nowhere.text.find(": No such file or directory\n") != std::string::npos);
	CHECK(nowhere.status == 0);
}
