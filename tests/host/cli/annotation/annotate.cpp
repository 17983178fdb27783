// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/annotation/annotate.cpp  Annotated instructions with known counts,
 * compared with binutils. */
#include "tests/host/cli/annotation/support.h"

using namespace cli;
using namespace annotate_test;
using support::run;
using support::TemporaryDirectory;

namespace {

constexpr char nested[] = "_Z6nestedm";
constexpr char straight[] = "_Z8straightm";

/** addr2line's "file:line" of the innermost function at an address. */
std::string addr2line(const std::string &program, uint64_t address)
{
	std::string text =
		run(fmt::format("addr2line -e {} {:#x} | sed 's/ (disc.*//'", program, address)).text;

	text.pop_back();
	return text;
}

std::vector<uint64_t> addresses_of(const std::vector<Listed> &listed)
{
	std::vector<uint64_t> addresses;

	for (const Listed &one : listed)
		addresses.push_back(one.address);
	return addresses;
}

std::vector<uint64_t> addresses_of(const CodePart &part)
{
	std::vector<uint64_t> addresses;

	for (const AnnotatedInstruction &one : part.instructions)
		addresses.push_back(one.code.address);
	return addresses;
}

/** The first of @p addresses whose instruction comes from a line. */
uint64_t first_of_line(const std::string &program, const std::vector<uint64_t> &addresses, int line)
{
	for (const uint64_t address : addresses) {
		if (addr2line(program, address).ends_with(fmt::format(":{}", line)))
			return address;
	}
	FAIL("no instruction comes from line " << line);
	return 0;
}

std::vector<uint64_t> loop_heads(const std::vector<Listed> &listed)
{
	std::vector<uint64_t> heads;

	for (const auto &[head, jump] : back_edges(listed))
		heads.push_back(head);
	return heads;
}

} // namespace

TEST_CASE("instructions begin where objdump says, with jumps to the same places", "[cli][annotate]")
{
	for (const char *flags :
	     {"-O0 -g", "-O1 -g", "-O3 -mavx2 -g", "-O2 -g -m32 -nodefaultlibs -lc -lgcc", "-O2 -no-pie"}) {
		const TemporaryDirectory directory;
		const std::string program = compile(directory, flags);

		CAPTURE(flags);
		for (const std::string &symbol :
		     {std::string(strstr(flags, "-m32") ? "_Z6nestedm" : nested), std::string("main")}) {
			const std::vector<Listed> listed = objdump(program, symbol);
			const Annotation annotation =
				annotate(profile_of(program, {{listed[0].address, 1}}), symbol);

			REQUIRE(annotation.parts.size() == 1);
			CHECK(addresses_of(annotation.parts[0]) == addresses_of(listed));

			std::vector<std::pair<uint64_t, uint64_t>> edges;

			for (const AnnotatedInstruction &one : annotation.parts[0].instructions) {
				if (one.code.flow == Flow::Jump && one.code.target &&
				    *one.code.target <= one.code.address)
					edges.emplace_back(*one.code.target, one.code.address);
			}
			CHECK(edges == back_edges(listed));
		}
	}
}

TEST_CASE("each instruction has the samples of its own address, and its own line", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const std::vector<Listed> listed = objdump(program, nested);
	std::map<uint64_t, uint64_t> counts;

	for (size_t i = 0; i < listed.size(); i += 2)
		counts[listed[i].address] = 100 + i;
	const Profile profile = profile_of(program, counts);
	const Annotation annotation = annotate(profile, "nested(unsigned long)");

	CHECK(counts_of(annotation) == counts);
	CHECK(annotation.strays.empty());
	CHECK(annotation.notes.empty());
	CHECK(annotation.start == SourceLine{source(), 13});
	CHECK(annotation.total == annotation.samples);
	for (const AnnotatedInstruction &one : annotation.parts.at(0).instructions) {
		CHECK(fmt::format("{}:{}", one.source.file, one.source.line) ==
		      addr2line(program, one.code.address));
	}
	for (const auto &[line, came] : counts_by_line(annotation)) {
		uint64_t expected = 0;

		for (const auto &[address, count] : counts)
			expected += addr2line(program, address) == fmt::format("{}:{}", line.file, line.line)
					    ? count
					    : 0;
		CHECK(came.samples == expected);
	}
}

TEST_CASE("the loop with most samples of its own comes first", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const std::vector<Listed> listed = objdump(program, nested);
	const uint64_t inner = first_of_line(program, loop_heads(listed), 9);
	const uint64_t last = first_of_line(program, loop_heads(listed), 23);
	const uint64_t outer = first_of_line(program, loop_heads(listed), 18);
	const Annotation annotation = annotate(
		profile_of(program, {{listed[0].address, 5}, {outer, 10}, {inner, 300}, {last, 200}}),
		nested);
	const std::vector<Loop> &loops = annotation.parts.at(0).loops;

	REQUIRE(outer < inner);
	REQUIRE(loops.size() == 3);
	CHECK(loops[0].extent.low == inner);
	CHECK(loops[0].samples == 300);
	CHECK(loops[1].extent.low == last);
	CHECK(loops[1].samples == 200);
	CHECK(loops[2].extent.low == outer);
	CHECK(loops[2].samples == 310);
	CHECK(loops[2].innermost == 10);

	const std::string text = text_of(annotation);
	const auto line_at = [&](uint64_t address) {
		return line_of(text, fmt::format(" {:x}:  ", address));
	};

	CHECK(line_of(text, fmt::format("hottest loop, {:#x} to", inner)) < line_at(inner));
	CHECK(line_at(inner) < line_at(listed[0].address));
	CHECK(line_at(listed[0].address) < line_at(outer));
	CHECK(line_at(outer) < line_at(last));
}

TEST_CASE("every instruction is shown once, and the samples add up", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const std::vector<Listed> listed = objdump(program, nested);
	const uint64_t inside = listed[1].address - 1;
	const Annotation annotation =
		annotate(profile_of(program, {{back_edges(listed)[0].first, 60}, {inside, 40}}), nested);
	const std::string text = text_of(annotation);
	size_t shown = 0;

	for (const Listed &one : listed) {
		const std::string address = fmt::format(" {:x}:  ", one.address);

		CHECK(line_of(text, address) > 0);
		shown += !has(text.substr(text.find(address) + 1), address);
	}
	CHECK(shown == listed.size());
	REQUIRE(annotation.strays.size() == 1);
	CHECK(annotation.strays[0].address == inside);
	CHECK(annotation.strays[0].samples == 40);
	CHECK(line_of(text, "outside the decoded instructions") <
	      line_of(text, fmt::format(" {:x}   ", inside)));
	CHECK(has(text, "     40   40.00  ####"));
	CHECK(has(text, "    100  100.00  ##########  all samples of the function\n"));
}

TEST_CASE("long code is shown without the instructions that are far from samples", "[cli][annotate]")
{
	const auto annotation_of = [](size_t instructions, const std::map<size_t, uint64_t> &samples) {
		Annotation annotation;
		CodePart &part = annotation.parts.emplace_back();

		part.extent = {0, instructions};
		part.instructions.resize(instructions);
		for (size_t i = 0; i < instructions; i++) {
			part.instructions[i].code.address = i;
			part.instructions[i].code.bytes = "\x90";
			part.instructions[i].code.text = "nop";
		}
		for (const auto &[index, count] : samples) {
			part.instructions[index].samples = count;
			annotation.samples += count;
		}
		part.samples = annotation.total = annotation.samples;
		return annotation;
	};
	const auto rows = [](const std::string &text) {
		size_t count = 0;

		for (size_t at = text.find(":  nop"); at != text.npos; at = text.find(":  nop", at + 1))
			count++;
		return count;
	};
	Annotation annotation = annotation_of(2000, {{1, 50}, {0x200, 100}, {0x204, 50}});
	const std::string text = text_of(annotation, {.source = false});

	/* 3 instructions are shown before and after those with samples. */
	CHECK(rows(text) == 5 + 11);
	CHECK(has(text, " 4:  nop\n                             ... 504 instructions without a sample\n"));
	CHECK(line_of(text, " 1fd:  nop") == line_of(text, "... 504 instructions") + 1);
	CHECK(line_of(text, " 207:  nop") + 1 == line_of(text, "... 1,480 instructions without a sample\n"));

	/* The heads of loops are shown, unless hardly any samples are in the loop. */
	annotation.parts[0].loops = {
		{{0x1f8, 0x300}, 150, 150}, {{0x600, 0x700}, 2, 2}, {{0x700, 0x701}, 1, 1}};
	const std::string with_loops = text_of(annotation, {.source = false});

	CHECK(line_of(with_loops, "hottest loop, 0x1f8 to 0x300: 150 samples, 75.00 %") + 2 ==
	      line_of(with_loops, " 1f8:  nop"));
	CHECK(line_of(with_loops, " 1f8:  nop") + 1 ==
	      line_of(with_loops, "... 4 instructions without a sample\n"));
	CHECK(line_of(with_loops, "loop to 0x700: 2 samples, 1.00 %") + 1 ==
	      line_of(with_loops, " 600:  nop"));
	CHECK_FALSE(has(with_loops, "loop to 0x701"));
	CHECK(rows(with_loops) == 5 + 11 + 2);

	/* Short code is shown whole. */
	CHECK(rows(text_of(annotation_of(200, {{0, 1}}), {.source = false})) == 200);
	CHECK(rows(text_of(annotation_of(201, {{0, 1}}), {.source = false})) == 4);
}

TEST_CASE("source lines stand before the instructions that come from them", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const std::vector<Listed> listed = objdump(program, straight);
	const Annotation annotation = annotate(
		profile_of(program, {{listed[0].address, 1}, {listed.back().address, 3}}), "straight");
	const std::string text = text_of(annotation);
	const std::string first = "annotate.cpp:9          value ^= value << 13;";
	const std::string last = "annotate.cpp:30  }";

	CHECK(line_of(text, first) + 1 == line_of(text, fmt::format(" {:x}:  ", listed[0].address)));
	CHECK(line_of(text, last) + 1 == line_of(text, fmt::format(" {:x}:  ", listed.back().address)));
	CHECK(has(text, "      1   25.00  ###         "));
	CHECK(has(text, "      3   75.00  ########    "));

	const std::string bare = text_of(annotation, {.source = false});

	CHECK_FALSE(has(bare, "annotate.cpp:30"));
	CHECK(has(bare, fmt::format(" {:x}:  ", listed.back().address)));
	CHECK(has(text_of(annotation, {.full_paths = true}), source() + ":30  }"));
}

TEST_CASE("source lines alone have the samples of their instructions", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const std::vector<Listed> listed = objdump(program, straight);
	const std::string text = text_of(
		annotate(profile_of(program, {{listed[0].address, 1}, {listed.back().address, 3}}), straight),
		{.instructions = false});

	CHECK(has(text, "samples       %              annotate.cpp\n"));
	CHECK(has(text, "      1   25.00  ###          9          value ^= value << 13;\n"));
	CHECK(has(text, "                             29          return mix(value) + 1;\n"));
	CHECK(has(text, "      3   75.00  ########    30  }\n"));
	CHECK(has(text, "                             ...\n"));
	CHECK_FALSE(has(text, fmt::format("{:x}:", listed[0].address)));
}

TEST_CASE("an inlined function has one set of lines, and instructions for each place", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const uint64_t in_loop = back_edges(objdump(program, nested)).at(0).first;
	const std::vector<Listed> listed = objdump(program, straight);
	std::map<uint64_t, uint64_t> counts = {{in_loop, 7}, {listed.back().address, 5}};

	/* The instructions of mix() in straight(): lines 9 and 10 of the source. */
	std::vector<uint64_t> mixed;

	for (const Listed &one : listed) {
		if (addr2line(program, one.address).ends_with(":9") ||
		    addr2line(program, one.address).ends_with(":10"))
			mixed.push_back(one.address);
	}
	REQUIRE(mixed.size() >= 3);
	counts[mixed[1]] = 2;
	const Profile profile = profile_of(program, counts);
	const Annotation annotation = annotate(profile, "mix");

	CHECK(annotation.samples == 9);
	CHECK(annotation.function.own == 0);
	REQUIRE(annotation.parts.size() == 2);
	CHECK(annotation.parts[0].inlined_in == "nested(unsigned long)");
	CHECK(annotation.parts[0].samples == 7);
	CHECK(annotation.parts[1].inlined_in == "straight(unsigned long)");
	CHECK(annotation.parts[1].samples == 2);
	CHECK(addresses_of(annotation.parts[1]) == mixed);

	uint64_t lines = 0;

	for (const auto &[line, came] : counts_by_line(annotation)) {
		CHECK((line.line == 9 || line.line == 10));
		lines += came.samples;
	}
	CHECK(lines == 9);

	const std::string text = text_of(annotation);

	CHECK(has(text, "  7 samples, 77.78 % where it is inlined in nested\n"));
	CHECK(has(text, " value ^= value << 13;\n"));
	/* These samples count for the containing function as well: the report names that function. */
	CHECK(annotate(profile, straight).samples == 7);
	CHECK(Annotator(profile, {}).annotate(function(profile, straight), false).samples == 7);
}
