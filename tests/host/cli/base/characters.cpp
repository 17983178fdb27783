// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/base/characters.cpp  Words, numbers and names. */
#include "cli/base/characters.h"
#include "cli/base/numbers.h"
#include "cli/names/demangle.h"
#include "cli/profile/about.h"
#include "cli/profile/accounting.h"
#include "tests/support/catch.h"

using namespace cli;

TEST_CASE("numbers are grouped by thousands", "[cli]")
{
	CHECK(grouped(0) == "0");
	CHECK(grouped(999) == "999");
	CHECK(grouped(1000) == "1,000");
	CHECK(grouped(1234567) == "1,234,567");
	CHECK(grouped(UINT64_MAX) == "18,446,744,073,709,551,615");
}

TEST_CASE("nouns agree with their numbers", "[cli]")
{
	CHECK(counted_noun(1, "sample") == "1 sample");
	CHECK(counted_noun(2, "sample") == "2 samples");
	CHECK(counted_noun(1, "process") == "1 process");
	CHECK(counted_noun(0, "process") == "0 processes");
}

TEST_CASE("sizes, durations and rates are rounded for the eye", "[cli]")
{
	CHECK(bytes_text(4096) == "4.0 KiB");
	CHECK(bytes_text(1023 * 1024) == "1023.0 KiB");
	CHECK(bytes_text(1024 * 1024) == "1.0 MiB");
	CHECK(bytes_text(uint64_t{3} << 30) == "3.0 GiB");
	CHECK(duration_text(0.5) == "0.50 s");
	CHECK(duration_text(9.999) == "10.0 s");
	CHECK(duration_text(83) == "83.0 s");
	CHECK(duration_text(123.4) == "2 min 03 s");
	CHECK(duration_text(7500) == "2 h 05 min");
	CHECK(hundredths(0) == "0.00");
	CHECK(hundredths(100) == "100.00");
	CHECK(hundredths(1.0 / 3) == "0.33");
	CHECK(hundredths(99.996) == "100.00");
	CHECK(hundredths(-1.5) == "-1.50");
	CHECK(rate_text(1e9 / 1001001) == "999 Hz");
	CHECK(rate_text(1e9 / 976562) == "1,024 Hz");
	CHECK(rate_text(0.5) == "0.5 Hz");
	CHECK(rate_text(1e12) == "1,000,000,000,000 Hz");
	CHECK(rate_text(1e300) == "1e+300 Hz");
}

TEST_CASE("text is cut by columns and not by bytes", "[cli]")
{
	CHECK(shortened("short", 5) == "short");
	CHECK(shortened("longer", 5) == "long…");
	CHECK(shortened("größer", 6) == "größer");
	CHECK(shortened("größer", 4) == "grö…");
	CHECK(shortened("x", 0).empty());
	CHECK(columns("größer…") == 7);
}

TEST_CASE("characters that a terminal would obey are made visible", "[cli]")
{
	CHECK(printable("plain größer") == "plain größer");
	CHECK(printable("\x1b[31m\r\n\t\x7f") == "?[31m????");
	CHECK(printable("\xc2\x9b"
			"0m") == "?0m");
	CHECK(printable("\xff\xc3(\xf5") == "?"
					    "?(?");
	CHECK(printable("cut \xe2\x80") == "cut ??");
}

TEST_CASE("sequences that only look like UTF-8 are replaced", "[cli]")
{
	CHECK(printable("\xe0\x9f\xbf") == "???");
	CHECK(printable("\xed\xa0\x80") == "???");
	CHECK(printable("\xf0\x8f\xbf\xbf") == "????");
	CHECK(printable("\xf4\x90\x80\x80") == "????");
	CHECK(valid_utf8("\xc0\xaf") == "??");
	CHECK(printable("\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff") ==
	      "\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff");
}

TEST_CASE("characters that change the direction of text are replaced", "[cli]")
{
	CHECK(printable("a\u202ab\u202ec\u2066d\u2069e") == "a?b?c?d?e");
	CHECK(printable("\u2029\u202f\u2065\u206a") == "\u2029\u202f\u2065\u206a");
	CHECK(valid_utf8("a\u202eb") == "a\u202eb");
}

TEST_CASE("the base name is what follows the last slash", "[cli]")
{
	CHECK(base_name("/usr/bin/python3") == "python3");
	CHECK(base_name("python3") == "python3");
	CHECK(base_name("[vdso]") == "[vdso]");
	CHECK(base_name("/odd/") == "/odd/");
}

TEST_CASE("C++ and Rust names are demangled, and symbol versions dropped", "[cli]")
{
	CHECK(demangle("_Z4worki") == "work(int)");
	CHECK(demangle("_ZNSt6vectorIiSaIiEE9push_backERKi") ==
	      "std::vector<int, std::allocator<int> >::push_back(int const&)");
	CHECK(demangle("_ZN4core3fmt5write17h0123456789abcdefE") == "core::fmt::write");
	CHECK(demangle("main") == "main");
	CHECK(demangle("malloc@@GLIBC_2.2.5") == "malloc");
	CHECK(demangle("malloc@plt") == "malloc@plt");
	CHECK(demangle("_Z4worki@plt") == "work(int)@plt");
	CHECK(demangle("_Znot_a_mangled_name") == "_Znot_a_mangled_name");
	CHECK(demangle("") == "");
	CHECK(demangle("@") == "@");
	/* A leading @, as in an assembler's local names, does not begin a version. */
	CHECK(demangle("@local") == "@local");
	CHECK(demangle("@local@@VERSION_1") == "@local");
}

TEST_CASE("accounting adds up profiles, and its lines show every cause that has ticks", "[cli]")
{
	Accounting sum;
	profil_status status = {};

	status.ticks = 31;
	status.counted = 10;
	status.outside = 1;
	status.saturated = 2;
	status.kernel = 3;
	status.no_user_pc = 4;
	status.off = 1;
	status.lost_late = 2;
	status.lost_contended = 3;
	status.lost_full = 5;
	status.forks_lost = 7;
	sum.add(status);
	sum.add(status);
	CHECK(sum.ticks == 62);
	CHECK(sum.lost() == 20);

	uint64_t causes = 0;

	for (const Cause &cause : all_causes())
		causes += sum.*cause.member;
	CHECK(causes == sum.ticks);
	/* One line for the ticks, one for each cause, one for the children. */
	CHECK(accounting_lines(sum).size() == 1 + all_causes().size() + 1);
	CHECK(accounting_lines(Accounting()).empty());
}

TEST_CASE("the description of a recording survives as comments", "[cli]")
{
	About about;

	about.version = "1.2.3";
	about.targets = {"python3 (pid 1)", "a: b (pid 2)"};
	about.processes = 12;
	about.accounting.ticks = 100;
	about.accounting.counted = 90;
	about.accounting.lost_contended = 10;
	about.accounting.lost_unowned = 5;
	about.accounting.forks_lost = 3;
	about.threads = {{4711, "a thread", 5}, {4712, "", 2}};
	CHECK(from_comments(to_comments(about)) == about);
	CHECK(from_comments({"profil.thread: 4711 5", "profil.thread: many"}) == About());
	CHECK(from_comments({"profil.ticks: many", "profil.unknown: 5", "other: 7"}) == About());
}
