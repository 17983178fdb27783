// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/symbols/jitdump.cpp  Names and lines of JIT-compiled code from jitdump files. */
#include "cli/base/byte_source.h"
#include "cli/base/fd.h"
#include "cli/objects/jit_files.h"
#include "tests/host/cli/symbols/support.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <vector>

using namespace cli;
using namespace jit_test;

namespace {

/** Writes the jitdump format, record by record. */
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
	MemorySource source(content);

	symbols.add_jitdump(source);
	return symbols;
}

} // namespace

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

TEST_CASE("a truncated jitdump has the names before the cut", "[cli][jit]")
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

TEST_CASE("lines that V8 shifts by the header of an ELF file are shifted back", "[cli][jit]")
{
	Dump dump;

	dump.debug({{0x1040, 10, "a.js"}, {0x1060, 12, "a.js"}, {0x107f, 13, "a.js"}});
	dump.load(0x1000, "add", std::string(0x40, '\x90'));
	/* Only the first of these is at an address that V8 would write. */
	dump.debug({{0x2000, 20, "b.js"}, {0x2040, 22, "b.js"}});
	dump.load(0x2000, "sub", std::string(0x80, '\x90'));

	const JitSymbols symbols = from_dump(dump.text);
	const auto line = [&](uint64_t address) {
		const JitSymbols::Entry &entry = *symbols.find(address);

		return entry.code->place_at(address - entry.base)->line;
	};

	CHECK(line(0x1000) == 10);
	CHECK(line(0x101f) == 10);
	CHECK(line(0x1020) == 12);
	CHECK(line(0x103f) == 13);
	CHECK(line(0x2000) == 20);
	CHECK(line(0x203f) == 20);
	CHECK(line(0x2040) == 22);
}

TEST_CASE("code has no lines if one of them is outside the code", "[cli][jit]")
{
	for (const uint64_t elsewhere : {0xfffUL, 0x1081UL, 0xffffffffffffffffUL}) {
		Dump dump;

		dump.debug({{0x1000, 10, "a.js"}, {elsewhere, 11, "a.js"}});
		dump.load(0x1000, "add", std::string(0x40, '\x90'));
		const JitSymbols symbols = from_dump(dump.text);

		CAPTURE(elsewhere);
		REQUIRE(name_at(symbols, 0x1000) == "add");
		CHECK(symbols.find(0x1000)->code->places.empty());
	}
}

TEST_CASE("a jitdump has names after hundreds of megabytes of code", "[cli][jit]")
{
	const support::TemporaryDirectory directory;
	Dump dump;
	JitSymbols symbols;

	/* The code itself is a hole in the file. */
	const uint32_t code = 300 << 20;
	std::ofstream file(directory / "jit-1.dump", std::ios::binary);

	dump.load(0x1000, "first", "");
	file << dump.text << Dump::number<uint32_t>(0) << Dump::number<uint32_t>(16 + 40 + 6 + code)
	     << Dump::number<uint64_t>(0) << std::string(16, 0) << Dump::number<uint64_t>(0x100000000)
	     << Dump::number<uint64_t>(code) << Dump::number<uint64_t>(0) << "large" << '\0';
	file.seekp(code, std::ios::cur);
	dump.text.clear();
	dump.load(0x3000, "last", std::string(16, '\x90'));
	file << dump.text;
	file.close();

	const Fd dump_file(open((directory / "jit-1.dump").c_str(), O_RDONLY | O_CLOEXEC));
	FileSource source(dump_file.get());

	symbols.add_jitdump(source);
	CHECK(name_at(symbols, 0x100000000 + code - 1) == "large");
	CHECK(name_at(symbols, 0x3000) == "last");
}

TEST_CASE("only files called jit-PID.dump are jitdumps", "[cli][jit]")
{
	CHECK(is_jitdump("/home/me/.debug/jit/x/jit-4711.dump"));
	CHECK(is_jitdump("jit-1.dump"));
	for (const char *other :
	     {"jit-.dump", "jit-1.dump.txt", "jit-1a.dump", "xjit-1.dump", "jit-dump", ""})
		CHECK_FALSE(is_jitdump(other));
}
