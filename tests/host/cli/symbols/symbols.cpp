// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/symbols/symbols.cpp  Names and lines of programs that are compiled here, compared
 * with binutils. */
#include "cli/symbols/symbols.h"
#include "cli/symbols/build_profile.h"
#include "tests/support/catch.h"
#include "tests/support/objects.h"
#include "tests/support/programs.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace cli;
using cli_test::open_object;
using support::run;
using support::TemporaryDirectory;

namespace {

std::string source()
{
	return std::filesystem::absolute("tests/host/data/symbols.cpp");
}

/** Compiles the program of these tests in a directory. */
std::string compile(const TemporaryDirectory &directory, const std::string &flags)
{
	const char *compiler = getenv("CXX");
	const std::string program = directory / "program";
	const support::Output output =
		run(fmt::format("{} {} -o {} {}", compiler ? compiler : "g++", flags, program, source()));

	INFO(output.text);
	REQUIRE(output.status == 0);
	return program;
}

/** Address and size of a function, by nm. */
std::pair<uint64_t, uint64_t> place_of(const std::string &program, const std::string &function)
{
	std::istringstream lines(run("nm -S " + program).text);
	uint64_t address = 0;
	uint64_t size = 0;
	std::string type;
	std::string name;

	for (std::string line; std::getline(lines, line);) {
		std::istringstream words(line);

		if (words >> std::hex >> address >> size >> type >> name && name == function)
			return {address, size};
	}
	FAIL("there is no " << function);
	return {};
}

/** All functions at an address, as addr2line prints them. */
std::string ours(Symbols &symbols, uint64_t address)
{
	std::string text = fmt::format("{:#018x}\n", address);

	for (const Frame &frame : symbols.frames(address))
		text += fmt::format("{}\n{}:{}\n", frame.name, frame.file, frame.line);
	return text;
}

std::string addr2line(const std::string &program, uint64_t low, uint64_t high)
{
	std::string addresses;

	for (uint64_t address = low; address < high; address++)
		addresses += fmt::format(" {:#x}", address);
	return run(fmt::format("addr2line -a -f -i -C -e {} {} | sed 's/ (discriminator.*//'", program,
			       addresses))
		.text;
}

const std::string run_symbol = "_ZN4deep6Worker3runEm";
const std::string hidden_symbol = "_ZL6hiddenm";

} // namespace

TEST_CASE("functions, lines and inlined functions are those that addr2line finds", "[cli]")
{
	for (const char *flags : {"-O2 -g", "-O2 -g -static -no-pie", "-O2 -g -gdwarf-4 -no-pie"}) {
		const TemporaryDirectory directory;
		const std::string program = compile(directory, flags);
		const Object object = open_object(program);
		Symbols symbols(object);

		CAPTURE(flags);
		CHECK(symbols.has_functions());
		CHECK(symbols.has_lines());
		for (const std::string &name : {run_symbol, hidden_symbol, std::string("main")}) {
			const auto [low, size] = place_of(program, name);
			std::string text;

			for (uint64_t address = low; address < low + size; address++)
				text += ours(symbols, address);
			CHECK(text == addr2line(program, low, low + size));
		}
	}
}

TEST_CASE("an inlined function comes before the one that it is inlined in", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory, "-O2 -g");
	const Object object = open_object(program);
	const auto [low, size] = place_of(program, run_symbol);
	Symbols symbols(object);
	std::vector<Frame> deepest;

	for (uint64_t address = low; address < low + size; address++) {
		std::vector<Frame> frames = symbols.frames(address);

		if (frames.size() > deepest.size())
			deepest = std::move(frames);
	}
	REQUIRE(deepest.size() == 3);
	CHECK(deepest[0].name == "deep::Worker::mix(unsigned long)");
	CHECK(deepest[1].name == "deep::Worker::step(unsigned long)");
	CHECK(deepest[2].name == "deep::Worker::run(unsigned long)");
	CHECK(deepest[2].system_name == run_symbol);
	CHECK(deepest[2].file == source());
	CHECK(deepest[2].start_line > 0);
}

TEST_CASE("every function that nm shows is found where nm has it, however the program was linked", "[cli]")
{
	for (const char *flags : {"-g", "-no-pie", "-static", "-static-pie"}) {
		const TemporaryDirectory directory;
		const std::string program = compile(directory, flags);
		const Object object = open_object(program);
		std::istringstream lines(run("nm -S --defined-only " + program).text);
		std::set<std::pair<uint64_t, std::string>> functions;
		Symbols symbols(object, Detail::Functions);

		CAPTURE(flags);
		for (std::string line; std::getline(lines, line);) {
			uint64_t address = 0;
			uint64_t size = 0;
			std::string type;
			std::string name;
			std::istringstream words(line);

			if (words >> std::hex >> address >> size >> type >> name &&
			    std::string("TtWwi").find(type) != std::string::npos &&
			    /* A marker for SystemTap, which is not in text. */
			    !name.starts_with("_.stapsdt"))
				functions.emplace(address, name);
		}
		CHECK(functions.size() >= 5);
		for (const auto &[address, name] : functions) {
			const std::vector<Frame> frames = symbols.frames(address);
			const std::optional<Extent> extent = symbols.extent(address);

			CAPTURE(name);
			REQUIRE(frames.size() == 1);
			/* If an address has several names, one of them is chosen. */
			REQUIRE(functions.contains({address, frames[0].system_name}));
			REQUIRE(extent);
			REQUIRE(extent->low == address);
		}
	}
}

TEST_CASE("without debug information there are names but no lines", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory, "-O2");
	const Object object = open_object(program);
	Symbols symbols(object);
	const std::vector<Frame> frames = symbols.frames(place_of(program, hidden_symbol).first + 3);

	CHECK_FALSE(symbols.has_lines());
	REQUIRE(frames.size() == 1);
	CHECK(frames[0].name == "hidden(unsigned long)");
	CHECK(frames[0].line == 0);
}

TEST_CASE("functions of a stripped program are told apart by where they begin", "[cli]")
{
	for (const char *flags : {"-O2", "-O2 -no-pie"}) {
		const TemporaryDirectory directory;
		const std::string program = compile(directory, flags);
		const auto [low, size] = place_of(program, hidden_symbol);
		const auto [other, other_size] = place_of(program, run_symbol);

		REQUIRE(run("strip " + program).status == 0);
		const Object object = open_object(program);
		Symbols symbols(object);

		for (const uint64_t address : {low, low + size / 2, low + size - 1}) {
			const std::vector<Frame> frames = symbols.frames(address);

			REQUIRE(frames.size() == 1);
			CHECK(frames[0].name == fmt::format("program+{:#x}", low));
		}
		CHECK(symbols.frames(other + 5).at(0).name == fmt::format("program+{:#x}", other));
		CHECK(symbols.has_functions());
	}
}

TEST_CASE("debug information beside a stripped program is found", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory, "-O2 -g");
	const auto [low, size] = place_of(program, run_symbol);

	REQUIRE(run(fmt::format("cd {} && mkdir .debug && objcopy --only-keep-debug program "
				".debug/program.debug && "
				"strip program && objcopy --add-gnu-debuglink=.debug/program.debug program",
				directory / ""))
			.status == 0);
	const Object object = open_object(program);
	Symbols symbols(object);
	const std::vector<Frame> frames = symbols.frames(low);

	REQUIRE_FALSE(frames.empty());
	CHECK(frames.back().name == "deep::Worker::run(unsigned long)");
	CHECK(frames.back().file == source());
}

TEST_CASE("a file that is not a program has no names, and is not an error", "[cli]")
{
	for (const char *path : {"/etc/passwd", "/dev/null", "/nonexistent"}) {
		const Object object = open_object(path);
		Symbols symbols(object);

		CHECK(object.segments.empty());
		CHECK(object.build_id.empty());
		CHECK_FALSE(symbols.has_functions());
		CHECK(symbols.frames(0x1000).empty());
	}
}

TEST_CASE("the build-id is the one that readelf shows", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory, "-Wl,--build-id=0x0123456789abcdef");
	const Object object = open_object(program);

	CHECK(object.build_id == "\x01\x23\x45\x67\x89\xab\xcd\xef");
}

TEST_CASE("the vdso has names, from memory", "[cli]")
{
	const Result<std::vector<Mapping>> mappings = read_maps(getpid());
	ObjectTable objects;
	bool found = false;

	REQUIRE(mappings);
	for (const Mapping &mapping : *mappings) {
		if (mapping.source != Source::Vdso)
			continue;
		const std::shared_ptr<Object> vdso = objects.find(getpid(), mapping);
		Symbols symbols(*vdso);

		CHECK(vdso->name == "[vdso]");
		CHECK(symbols.has_functions());
		for (uint64_t address = 0; address < mapping.size() && !found; address += 8) {
			for (const Frame &frame : symbols.frames(vdso->link_address(address)))
				found = found || frame.name.find("clock_gettime") != std::string::npos;
		}
	}
	CHECK(found);
}

TEST_CASE("a profile is built of mappings, locations and functions that belong together", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory, "-O2 -g");
	const auto object = std::make_shared<Object>(open_object(program));
	const uint64_t low = place_of(program, run_symbol).first;
	std::vector<std::string> warnings;
	Tally tally;

	object->texts.add({object->segments.at(0).address, object->segments.at(0).address + 0x1000, 0x1000},
			  true);
	tally.add(object, {low, 0}, 7);
	tally.add(object, {low, 0}, 3);
	tally.add(object, {low + 8}, 2);
	tally.add_unknown(0x1234, 0);
	const Profile profile = build_profile(tally, {}, object.get(), 1000, warnings);

	CHECK(warnings.empty());
	REQUIRE(profile.mappings.size() == 1);
	CHECK(profile.mappings[0].filename == program);
	CHECK(profile.mappings[0].has_line_numbers);
	CHECK(profile.mappings[0].build_id.size() == 40);
	REQUIRE(profile.samples.size() == 3);
	CHECK(profile.samples[0].values == std::vector<int64_t>{10, 10000});
	CHECK(profile.locations[0].address == low);
	CHECK(profile.locations[0].mapping == size_t{0});
	CHECK(profile.functions[profile.locations[0].lines.back().function].name ==
	      "deep::Worker::run(unsigned long)");
	CHECK_FALSE(profile.locations[2].mapping.has_value());
	CHECK(profile.locations[2].lines.empty());
}

TEST_CASE("samples of processes that are told apart are labelled with their name and PID", "[cli]")
{
	const auto object = std::make_shared<Object>();
	std::vector<std::string> warnings;
	Owners owners;
	Tally tally;

	const uint32_t shell = owners.number(7, "sh");
	const uint32_t program = owners.number(7, "cc1");

	CHECK(owners.number(7, "sh") == shell);
	CHECK(owners.find(0) == nullptr);
	CHECK(owners.find(3) == nullptr);
	object->source = Source::Anonymous;
	object->texts.add({0x1000, 0x2000}, false);
	tally.add(object, {0x1800, shell}, 5);
	tally.add(object, {0x1800, program}, 6);
	tally.add(object, {0x1800, 0}, 1);
	tally.add_unknown(0x10, program);
	const Profile profile = build_profile(tally, owners, nullptr, 10, warnings);

	REQUIRE(profile.locations.size() == 2);
	REQUIRE(profile.samples.size() == 4);
	CHECK(profile.samples[0].values == std::vector<int64_t>{1, 10});
	CHECK(profile.samples[0].labels.empty());
	CHECK(profile.samples[1].values == std::vector<int64_t>{5, 50});
	CHECK(profile.samples[1].labels ==
	      std::vector<Label>{{"process", "sh", 0, ""}, {"pid", "", 7, "id"}});
	CHECK(profile.samples[2].labels ==
	      std::vector<Label>{{"process", "cc1", 0, ""}, {"pid", "", 7, "id"}});
	for (size_t sample = 0; sample < 3; sample++)
		CHECK(profile.samples[sample].locations == std::vector<size_t>{0});
	CHECK(profile.samples[3].labels == profile.samples[2].labels);
}

TEST_CASE("each source has a type of value, and a place has one sample for all of them", "[cli][events]")
{
	const std::vector<SampleSource> sources = {{"page-faults", "count", 1}, {"cycles", "count", 1000}};
	std::vector<std::string> warnings;
	const auto object = std::make_shared<Object>();
	Owners owners;
	Tally tally;
	const uint32_t one = owners.number(1, "one");
	const uint32_t two = owners.number(2, "two");

	object->name = "memory";
	object->source = Source::Anonymous;
	object->texts.add({0x1000, 0x2000}, false);
	tally.add(object, {0x1800, one, 0}, 3);
	tally.add(object, {0x1800, one, 1}, 4);
	tally.add(object, {0x1800, two, 1}, 5);
	tally.add(object, {0x1900, two, 0}, 6);

	const Profile profile = build_profile(tally, owners, nullptr, sources, warnings);

	CHECK(profile.sample_types ==
	      std::vector<ValueType>{{"samples", "count"}, {"page-faults", "count"}, {"cycles", "count"}});
	CHECK(profile.default_sample_type == "page-faults");
	CHECK(profile.period_type == ValueType{"page-faults", "count"});
	CHECK(profile.period == 1);
	REQUIRE(profile.samples.size() == 3);
	CHECK(profile.samples[0].values == std::vector<int64_t>{3, 3, 4000});
	CHECK(profile.samples[1].values == std::vector<int64_t>{0, 0, 5000});
	CHECK(profile.samples[2].values == std::vector<int64_t>{6, 6, 0});
	CHECK(profile.samples[0].locations == profile.samples[1].locations);
}

TEST_CASE("samples of programs that are told apart are labelled with their name alone", "[cli]")
{
	std::vector<std::string> warnings;
	Owners owners;
	Tally tally;

	tally.add_unknown(0x10, owners.number(0, "sh"));
	tally.add_unknown(0x10, owners.number(0, "cc1"));
	CHECK(owners.number(0, "sh") == 1);

	const Profile profile = build_profile(tally, owners, nullptr, 10, warnings);

	REQUIRE(profile.samples.size() == 2);
	CHECK(profile.samples[0].labels == std::vector<Label>{{"process", "sh", 0, ""}});
	CHECK(profile.samples[1].labels == std::vector<Label>{{"process", "cc1", 0, ""}});
}

TEST_CASE("a warning names an object that can no longer be read", "[cli]")
{
	const auto object = std::make_shared<Object>();
	std::vector<std::string> warnings;
	Tally tally;

	object->name = "/opt/lib/gone.so";
	object->deleted = true;
	object->texts.add({0x1000, 0x2000, 0x1000}, true);
	tally.add(object, {0x1800}, 5);
	const Profile profile = build_profile(tally, {}, nullptr, 1000, warnings);

	REQUIRE(warnings.size() == 1);
	CHECK(warnings[0] ==
	      "/opt/lib/gone.so: was deleted or replaced while it was mapped: no names for it");
	REQUIRE(profile.locations.size() == 1);
	CHECK(profile.mappings[0].start == 0x1000);
	CHECK(profile.mappings[0].limit == 0x2000);
}
