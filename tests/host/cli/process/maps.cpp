// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/process/maps.cpp  The executable mappings of a /proc/PID/maps. */
#include "cli/process/maps.h"
#include "tests/support/catch.h"

#include <sys/sysmacros.h>
#include <unistd.h>

using namespace cli;

namespace {

/** The only executable mapping of a text. */
Mapping only(const std::string &text)
{
	const std::vector<Mapping> mappings = parse_maps(text);

	REQUIRE(mappings.size() == 1);
	return mappings.front();
}

} // namespace

TEST_CASE("a mapping has its file and its offset in the file", "[cli]")
{
	const Mapping mapping = only("7f3a10028000-7f3a1019d000 r-xp 00028000 fe:01 262199    "
				     "                 /usr/lib/x86_64-linux-gnu/libc.so.6\n");

	CHECK(mapping.start == 0x7f3a10028000);
	CHECK(mapping.end == 0x7f3a1019d000);
	CHECK(mapping.offset == 0x28000);
	CHECK(mapping.device == makedev(0xfe, 1));
	CHECK(mapping.inode == 262199);
	CHECK(mapping.name == "/usr/lib/x86_64-linux-gnu/libc.so.6");
	CHECK(mapping.source == Source::File);
	CHECK_FALSE(mapping.deleted);
}

TEST_CASE("only executable mappings count", "[cli]")
{
	CHECK(parse_maps("1000-2000 rw-p 00000000 00:00 0 \n2000-3000 r--p 00000000 08:01 5 /bin/x\n")
		      .empty());
	CHECK(only("1000-2000 --xp 00000000 08:01 5 /bin/x\n").start == 0x1000);
	CHECK(only("1000-2000 rwxs 00000000 08:01 5 /bin/x\n").start == 0x1000);
}

TEST_CASE("the name of a mapping says where it comes from", "[cli]")
{
	CHECK(only("1000-2000 r-xp 00000000 00:00 0 \n").source == Source::Anonymous);
	CHECK(only("1000-2000 r-xp 00000000 00:00 0 \n").name == "[anon]");
	CHECK(only("1000-2000 rwxs 00000000 00:01 9   /dev/zero (deleted)\n").source == Source::Anonymous);
	CHECK(only("1000-2000 rwxs 00000000 00:01 9   /dev/zero (deleted)\n").name == "[anon]");
	CHECK(only("1000-2000 r-xp 00000000 00:00 0   [heap]\n").source == Source::Anonymous);
	CHECK(only("1000-2000 r-xp 00000000 00:00 0   [anon:v8]\n").name == "[anon:v8]");
	CHECK(only("1000-2000 r-xp 00000000 00:00 0   [vdso]\n").source == Source::Vdso);
	CHECK(only("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n").source ==
	      Source::Special);
}

TEST_CASE("paths may have spaces and newlines, and may be deleted", "[cli]")
{
	CHECK(only("1000-2000 r-xp 00000000 08:01 5 /tmp/my program\n").name == "/tmp/my program");
	CHECK(only("1000-2000 r-xp 00000000 08:01 5 /tmp/two\\012lines\n").name == "/tmp/two\nlines");

	const Mapping gone = only("1000-2000 r-xp 00000000 08:01 5 /tmp/x (deleted)\n");

	CHECK(gone.name == "/tmp/x");
	CHECK(gone.deleted);
}

TEST_CASE("mappings that continue one another are merged", "[cli]")
{
	const Mapping file = only("1000-2000 r-xp 00001000 08:01 5 /bin/x\n"
				  "2000-3000 rwxp 00002000 08:01 5 /bin/x\n");

	CHECK(file.start == 0x1000);
	CHECK(file.end == 0x3000);
	CHECK(only("1000-2000 r-xp 00000000 00:00 0\n2000-5000 rwxp 00000000 00:00 0\n").size() == 0x4000);
	/* Adjacent in memory, but not in the file; and the right offset, but in another file. */
	CHECK(parse_maps("1000-2000 r-xp 00001000 08:01 5 /bin/x\n"
			 "2000-3000 r-xp 00001000 08:01 5 /bin/x\n"
			 "3000-4000 r-xp 00002000 08:01 6 /bin/y\n")
		      .size() == 3);
}

TEST_CASE("lines that are not mappings are left out", "[cli]")
{
	for (const char *text :
	     {"", "\n", "garbage\n", "1000-2000\n", "1000-2000 r-xp\n", "2000-1000 r-xp 0 8:1 5 /x",
	      "1000-2000 r-xp zz 8:1 5 /x", "1000 2000 r-xp 0 8:1 5 /x", "-"})
		CHECK(parse_maps(text).empty());
	CHECK(only("1000-2000 r-xp 00000000 08:01 5 /last/line/without/end").name ==
	      "/last/line/without/end");
}

TEST_CASE("our own mappings hold our own code, in ascending order", "[cli]")
{
	const Result<std::vector<Mapping>> mappings = read_maps(getpid());
	const auto pc = reinterpret_cast<uint64_t>(&parse_maps);
	int holding = 0;

	REQUIRE(mappings);
	for (size_t i = 0; i < mappings->size(); i++) {
		holding += pc >= (*mappings)[i].start && pc < (*mappings)[i].end;
		if (i)
			CHECK((*mappings)[i - 1].end <= (*mappings)[i].start);
	}
	CHECK(holding == 1);
	CHECK_FALSE(read_maps(0x7ffffff0));
}
