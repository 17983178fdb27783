// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/annotation/loops.cpp  Finding loops in machine code of a few bytes. */
#include "cli/annotation/code_part.h"
#include "tests/support/catch.h"

#include <initializer_list>
#include <map>
#include <ostream>
#include <string>

using namespace cli;

namespace {

/* One-byte instructions. */
constexpr unsigned char nop = 0x90, ret = 0xc3;

/* Jumps; the byte after each is the distance from the end of the jump. */
constexpr unsigned char je = 0x74, jne = 0x75, jmp = 0xeb;

/** The distance byte of a jump that goes back by @p bytes. */
constexpr unsigned char back(int bytes)
{
	return static_cast<unsigned char>(-bytes);
}

/** The loops of code at address 0, with samples at some addresses. */
std::vector<Loop> loops_of(std::initializer_list<unsigned char> bytes,
			   const std::map<uint64_t, uint64_t> &samples)
{
	const Result<Disassembler> disassembler = Disassembler::open(Machine::X86_64, Syntax::Att);
	std::vector<AnnotatedInstruction> instructions;
	uint64_t given = 0, placed = 0;

	REQUIRE(disassembler);
	for (Instruction &code : disassembler->decode(std::string(bytes.begin(), bytes.end()), 0)) {
		AnnotatedInstruction &one = instructions.emplace_back();

		CAPTURE(code.address, code.text);
		CHECK(code.text != "(bad)");
		one.code = std::move(code);
		if (const auto place = samples.find(one.code.address); place != samples.end())
			one.samples = place->second;
		placed += one.samples;
	}
	for (const auto &[address, count] : samples)
		given += count;
	CHECK(placed == given);
	return find_loops(instructions);
}

using Loops = std::vector<Loop>;

} // namespace

namespace cli {

static std::ostream &operator<<(std::ostream &out, const Loop &loop)
{
	return out << "[" << loop.extent.low << ", " << loop.extent.high << ") " << loop.samples << " "
		   << loop.innermost;
}

} // namespace cli

TEST_CASE("a loop with continue reaches to its last jump back", "[cli][annotate]")
{
	/* In order: before the loop, head, two continues, rest of the body, end, after the loop. */
	CHECK(loops_of({nop, nop, je, back(3), nop, je, back(6), nop, jne, back(9), nop, ret},
		       {{0, 1}, {1, 10}, {4, 100}, {7, 1000}, {8, 10000}, {10, 100000}}) ==
	      Loops{{{1, 10}, 11110, 11110}});
}

TEST_CASE("a loop ends with the last jump back that it can reach", "[cli][annotate]")
{
	/* The second jump follows a return, so the loop cannot reach it. */
	CHECK(loops_of({nop, jne, back(3), ret, nop, jmp, back(7)}, {{0, 5}, {4, 7}}) ==
	      Loops{{{0, 3}, 5, 5}});
	/* An indirect jump may reach it. */
	CHECK(loops_of({nop, jne, back(3), 0xff, 0xe0, nop, jmp, back(8)}, {{0, 5}, {5, 7}}) ==
	      Loops{{{0, 8}, 12, 12}});
}

TEST_CASE("the samples of an inner loop with continue are not the outer loop's own", "[cli][annotate]")
{
	CHECK(loops_of({nop, nop, je, back(3), nop, jne, back(6), nop, jne, back(10), ret},
		       {{0, 1}, {1, 10}, {4, 100}, {7, 1000}}) ==
	      Loops{{{0, 10}, 1111, 1001}, {{1, 7}, 110, 110}});
}

TEST_CASE("the hottest loop contains no loop with more samples", "[cli][annotate]")
{
	/* The second loop begins before the last jump of the first one, and ends after it. */
	CHECK(loops_of({nop, nop, nop, je, back(4), nop, jne, back(6), ret}, {{1, 10}, {2, 500}, {5, 100}}) ==
	      Loops{{{2, 8}, 600, 600}, {{1, 8}, 610, 10}});
	/* A third loop begins where the first two overlap. */
	CHECK(loops_of({nop, nop, je, back(3), nop, jne, back(6), nop, nop, jne, back(6), ret},
		       {{0, 1}, {1, 10}, {4, 100}, {5, 1000}, {8, 10000}}) ==
	      Loops{{{5, 11}, 11000, 11000}, {{1, 11}, 11110, 110}});
}
