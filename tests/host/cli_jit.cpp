// SPDX-License-Identifier: GPL-2.0-or-later
// Names of code that programs make while they run.
#include "cli/jit_files.h"
#include "cli/symbols.h"
#include "tests/lib_support.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cli;

namespace {

std::string name_at(const JitSymbols &symbols, uint64_t address)
{
	const JitSymbols::Entry *entry = symbols.find(address);

	return entry ? entry->code->name : "";
}

JitSymbols from_map(std::string_view text)
{
	JitSymbols symbols;

	symbols.add_perf_map(text);
	return symbols;
}

/** Writes the jitdump format, little by little. */
class Dump {
public:
	Dump() { text.append("DTiJ").append(number<uint32_t>(1)).append(number<uint32_t>(40)).append(28, 0); }

	template <typename Number> static std::string number(Number value)
	{
		std::string bytes(sizeof(value), 0);

		std::memcpy(bytes.data(), &value, sizeof(value));
		return bytes;
	}

	void record(uint32_t id, const std::string &body)
	{
		text += number<uint32_t>(id) + number(static_cast<uint32_t>(16 + body.size())) +
			number<uint64_t>(0) + body;
	}

	void load(uint64_t start, const std::string &name, const std::string &code)
	{
		record(0, std::string(16, 0) + number(start) + number<uint64_t>(code.size()) +
				  number<uint64_t>(0) + name + '\0' + code);
	}

	void move(uint64_t from, uint64_t to, uint64_t size)
	{
		record(1,
		       std::string(16, 0) + number(from) + number(to) + number(size) + number<uint64_t>(0));
	}

	struct LineAt {
		uint64_t address;
		uint32_t line;
		std::string file;
	};

	void debug(const std::vector<LineAt> &places)
	{
		std::string body = number<uint64_t>(0) + number<uint64_t>(places.size());

		for (const LineAt &place : places)
			body += number(place.address) + number(place.line) + number<uint32_t>(0) +
				place.file + '\0';
		record(2, body);
	}

	std::string text;
};

JitSymbols from_dump(const std::string &content)
{
	JitSymbols symbols;

	symbols.add_jitdump(content);
	return symbols;
}

} // namespace

TEST_CASE("a perf map names the code from its start to its end, with all that the name has", "[cli][jit]")
{
	const JitSymbols symbols =
		from_map("7f0000001000 20 Function:add /a b.js:3:4\n0x7f0000001020 0x10 next\n");

	CHECK(name_at(symbols, 0x7f0000000fff).empty());
	CHECK(name_at(symbols, 0x7f0000001000) == "Function:add /a b.js:3:4");
	CHECK(name_at(symbols, 0x7f000000101f) == "Function:add /a b.js:3:4");
	CHECK(name_at(symbols, 0x7f0000001020) == "next");
	CHECK(name_at(symbols, 0x7f0000001030).empty());
}

TEST_CASE("lines of a perf map that are none are left out, and so is one that is not written yet",
	  "[cli][jit]")
{
	const JitSymbols symbols =
		from_map("\nx\n10\n10 20\n10 20 \nzz 20 a\n10 zz a\n"
			 "ffffffffffffffff0 1 too-long\n"
			 "fffffffffffffff0 20 beyond-the-end\n50 0 nothing\n30 8 good\n40 8 hal");

	CHECK(name_at(symbols, 0x30) == "good");
	for (const uint64_t address : {0x10UL, 0x40UL, 0x50UL, 0xfffffffffffffff0UL, 0UL})
		CHECK(name_at(symbols, address).empty());
}

TEST_CASE("code that is told later takes the place of what was there, and leaves the rest", "[cli][jit]")
{
	const JitSymbols symbols = from_map("100 100 old\n140 20 new\n1f0 20 last\n80 90 first\n");

	CHECK(name_at(symbols, 0x80) == "first");
	CHECK(name_at(symbols, 0x10f) == "first");
	CHECK(name_at(symbols, 0x110) == "old");
	CHECK(name_at(symbols, 0x13f) == "old");
	CHECK(name_at(symbols, 0x140) == "new");
	CHECK(name_at(symbols, 0x15f) == "new");
	CHECK(name_at(symbols, 0x160) == "old");
	CHECK(name_at(symbols, 0x1ef) == "old");
	CHECK(name_at(symbols, 0x1f0) == "last");
	CHECK(name_at(symbols, 0x20f) == "last");
	CHECK(name_at(from_map("100 10 a\n110 10 b\n120 10 c\n100 30 all\n"), 0x128) == "all");
}

TEST_CASE("a jitdump names the code, with its lines, wherever it is moved", "[cli][jit]")
{
	Dump dump;

	dump.record(77, "of another version");
	dump.debug({{0x1000, 10, "a.js"}, {0x1004, 12, "\xff"}, {0x1008, 3, "b.js"}});
	dump.load(0x1000, "add", std::string(16, '\x90'));
	dump.load(0x2000, "sub", std::string(8, '\x90'));
	dump.move(0x1000, 0x3000, 16);

	const JitSymbols symbols = from_dump(dump.text);

	CHECK(name_at(symbols, 0x100f) == "add");
	CHECK(name_at(symbols, 0x1010).empty());
	CHECK(name_at(symbols, 0x2007) == "sub");
	REQUIRE(name_at(symbols, 0x3008) == "add");

	const JitSymbols::Entry &add = *symbols.find(0x3000);
	const auto place = [&](uint64_t address) { return *add.code->place_at(address - add.base); };

	CHECK(place(0x3003).line == 10);
	CHECK(place(0x3004).line == 12);
	CHECK(*place(0x3004).file == "a.js");
	CHECK(*place(0x300f).file == "b.js");
	CHECK(symbols.find(0x2000)->code->place_at(0) == nullptr);
}

TEST_CASE("code that is cut into many pieces is not copied", "[cli][jit]")
{
	const std::string name(5000, 'x');
	std::string text = "0 ffffffff " + name + "\n";

	for (int piece = 1; piece < 1000; piece++)
		text += fmt::format("{:x}00 10 small\n", piece);

	const JitSymbols symbols = from_map(text);

	/* No name is longer than any that a compiler gives. */
	CHECK(name_at(symbols, 0xfe0) == std::string(4096, 'x'));
	CHECK(symbols.find(0x10)->code == symbols.find(0x3e750)->code);
	CHECK(name_at(symbols, 0x3e70f) == "small");
}

TEST_CASE("a jitdump that ends anywhere has what came before", "[cli][jit]")
{
	Dump dump;

	dump.debug({{0x1000, 10, "a.js"}});
	dump.load(0x1000, "first", std::string(16, '\x90'));
	const size_t complete = dump.text.size();

	dump.load(0x2000, "second", std::string(16, '\x90'));
	for (size_t size = 0; size < dump.text.size(); size++) {
		CAPTURE(size);
		const JitSymbols symbols = from_dump(dump.text.substr(0, size));

		CHECK(name_at(symbols, 0x1000) == (size >= complete ? "first" : ""));
		CHECK(name_at(symbols, 0x2000).empty());
	}
	CHECK(from_dump("JiTD" + dump.text.substr(4)).empty());
	CHECK(from_dump(std::string(100, '\xff')).empty());
}

TEST_CASE("only files called jit-PID.dump are jitdumps", "[cli][jit]")
{
	CHECK(is_jitdump("/home/me/.debug/jit/x/jit-4711.dump"));
	CHECK(is_jitdump("jit-1.dump"));
	for (const char *other :
	     {"jit-.dump", "jit-1.dump.txt", "jit-1a.dump", "xjit-1.dump", "jit-dump", ""})
		CHECK_FALSE(is_jitdump(other));
}

TEST_CASE("memory has the names of its process's map, which may come late and be gone", "[cli][jit]")
{
	const std::string path = fmt::format("/tmp/perf-{}.map", getpid());
	Object object;

	object.source = Source::Anonymous;
	object.name = "[anon]";
	object.jit = std::make_shared<JitFiles>(getpid());
	object.jit->look();
	CHECK(Symbols(object).frames(0x5000, 1).empty());

	std::ofstream(path) << "5000 40 jitted\n";
	/* It looks again some time later. */
	for (int looks = 0; looks < 1000 && !Symbols(object).has_functions(); looks++) {
		usleep(1000);
		object.jit->look();
	}
	unlink(path.c_str());
	REQUIRE(Symbols(object).frames(0x5010, 1).size() == 1);
	CHECK(Symbols(object).frames(0x5010, 1)[0].name == "jitted");
	CHECK(Symbols(object).frames(0x4ff0, 32)[0].name == "jitted");
	CHECK(Symbols(object).frames(0x5040, 16).empty());
}

TEST_CASE("a map that is another's, a link or no file is not taken for a process's own", "[cli][jit]")
{
	const std::string path = fmt::format("/tmp/perf-{}.map", getpid());
	const lib_test::TemporaryDirectory directory;
	const auto found = [] {
		JitFiles files(getpid());

		files.look();
		return !files.read().empty();
	};

	if (geteuid() == 0) {
		std::ofstream(path) << "5000 40 hostile\n";
		REQUIRE(!chown(path.c_str(), 65534, 65534));
		CHECK_FALSE(found());
		unlink(path.c_str());
	}
	std::ofstream(directory / "map") << "5000 40 linked\n";
	REQUIRE(!symlink((directory / "map").c_str(), path.c_str()));
	CHECK_FALSE(found());
	unlink(path.c_str());
	REQUIRE(!mkfifo(path.c_str(), 0600));
	CHECK_FALSE(found());
	unlink(path.c_str());
	std::ofstream(path) << "5000 40 own\n";
	CHECK(found());
	unlink(path.c_str());
}
