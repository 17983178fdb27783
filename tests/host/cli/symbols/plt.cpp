// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/symbols/plt.cpp  Names of the stubs of a procedure linkage table,
 * compared with objdump. */
#include "cli/symbols/plt.h"
#include "cli/base/files.h"
#include "cli/symbols/symbols.h"
#include "tests/support/catch.h"
#include "tests/support/objects.h"
#include "tests/support/programs.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <sstream>

using namespace cli;
using cli_test::open_object;
using support::run;
using support::TemporaryDirectory;

namespace {

/** The stub of each instruction, as objdump names it; "-" for the stub that resolves symbols. */
std::map<uint64_t, std::string> objdump(const std::string &path)
{
	std::istringstream lines(run("objdump -d -C -j .plt -j .plt.sec -j .plt.got " + path).text);
	std::map<uint64_t, std::string> names;
	std::string name;

	for (std::string line; std::getline(lines, line);) {
		if (const size_t label = line.find(" <"); line.ends_with(">:") && label != line.npos) {
			name = line.substr(label + 2, line.size() - label - 4);
			if (!name.ends_with("@plt"))
				name = "-";
		} else if (const size_t colon = line.find(":\t"); colon != line.npos) {
			names[std::stoull(line.substr(0, colon), nullptr, 16)] = name;
		}
	}
	return names;
}

std::map<uint64_t, std::string> ours(const std::string &path,
				     const std::map<uint64_t, std::string> &addresses)
{
	const Object object = open_object(path);
	Symbols symbols(object);
	std::map<uint64_t, std::string> names;

	for (const auto &[address, theirs] : addresses) {
		const std::vector<Frame> frames = symbols.frames(address);
		const std::string name = frames.empty() ? "" : frames.back().name;

		names[address] = name.starts_with(".plt") ? "-" : name;
	}
	return names;
}

size_t count_of(const std::map<uint64_t, std::string> &names, const std::string &name)
{
	return static_cast<size_t>(std::count_if(names.begin(), names.end(),
						 [&](const auto &one) { return one.second == name; }));
}

std::string compile(const TemporaryDirectory &directory, const std::string &flags)
{
	std::string program = directory / "program";
	const support::Output output =
		run(fmt::format("g++ -O2 {} -o {} tests/host/data/symbols.cpp", flags, program));

	INFO(output.text);
	REQUIRE(output.status == 0);
	return program;
}

struct ElfCloser {
	void operator()(Elf *elf) const { elf_end(elf); }
};

/** Looks up all stubs of a file whose content may be damaged; returns the number of named ones. */
size_t ask_all(std::string content)
{
	const std::unique_ptr<Elf, ElfCloser> elf(elf_memory(content.data(), content.size()));
	const SymbolTable none;
	size_t named = 0;

	if (!elf)
		return 0;

	Plt plt(elf.get());

	for (uint64_t address = 0; address < 0x3000; address += 4) {
		if (const auto stub = plt.find(address, none))
			named += std::string_view(stub->name).ends_with("@plt");
	}
	return named;
}

} // namespace

TEST_CASE("stubs of the procedure linkage table have the names that objdump gives them", "[cli]")
{
	const TemporaryDirectory directory;

	for (const std::string flags :
	     {"", "-Wl,-z,now", "-fcf-protection -Wl,-z,ibtplt", "-no-pie", "-s", "-Wl,-z,norelro"}) {
		const std::string program = compile(directory, flags);
		const std::map<uint64_t, std::string> names = objdump(program);

		CAPTURE(flags);
		CHECK(count_of(names, "printf@plt") > 0);
		CHECK(count_of(names, "operator new(unsigned long)@plt") > 0);
		CHECK(count_of(names, "-") > 0);
		CHECK(ours(program, names) == names);
	}
}

TEST_CASE("stubs of Debian's programs have the names that objdump gives them", "[cli]")
{
	for (const std::string path : {"/bin/bash", "/usr/bin/perl"}) {
		const std::map<uint64_t, std::string> names = objdump(path);

		CAPTURE(path);
		CHECK(count_of(names, "memcpy@plt") + count_of(names, "strlen@plt") > 0);
		CHECK(ours(path, names) == names);
	}
}

TEST_CASE("the stub of an indirect function has the name of its resolver", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory, "-static");
	const std::map<uint64_t, std::string> names = ours(program, objdump(program));

	CHECK(count_of(names, "strlen@plt") == 2);
	CHECK(count_of(names, "-") == 0);
	REQUIRE(run("strip " + program).status == 0);
	for (const auto &[address, name] : ours(program, names)) {
		CAPTURE(address, name);
		CHECK(name.starts_with("*ABS*+0x4"));
		CHECK(name.ends_with("@plt"));
	}
}

TEST_CASE("a stub has its own extent, and no lines", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory, "-g");
	const Object object = open_object(program);
	Symbols symbols(object);

	for (const auto &[address, name] : objdump(program)) {
		if (name != "printf@plt")
			continue;

		const uint64_t start = address & ~uint64_t{15};

		CHECK(symbols.extent(address) == Extent{start, start + 16});
		CHECK(symbols.label(start) == "printf@plt");
		CHECK(symbols.label(start + 6) == "printf@plt+0x6");
		CHECK(symbols.frames(address).at(0).system_name == "printf@plt");
		CHECK(symbols.frames(address).at(0).line == 0);
	}
}

TEST_CASE("the stubs of a damaged object do not crash the reader", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string sound = *read_file(compile(directory, "-s"));
	std::mt19937_64 random(5);
	size_t named = 0;

	REQUIRE(ask_all(sound) > 10);
	for (size_t size = 0; size < sound.size(); size += 97)
		named += ask_all(sound.substr(0, size));
	for (int round = 0; round < 2000; round++) {
		std::string damaged = sound;
		Elf64_Ehdr header;

		memcpy(&header, damaged.data(), sizeof(header));
		for (int i = 0; i < 4; i++) {
			/* Damage the section headers, or the front, where symbols are. */
			const size_t at =
				random() % 2 ? header.e_shoff + random() % (damaged.size() - header.e_shoff)
					     : random() % 0x1100;
			const uint64_t value = random() >> (random() % 64);

			memcpy(damaged.data() + std::min(at & ~size_t{3}, damaged.size() - 8), &value,
			       random() % 8 + 1);
		}
		named += ask_all(std::move(damaged));
	}
	CHECK(named > 0);
}
