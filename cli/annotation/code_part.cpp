// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/annotation/code_part.h"

#include <algorithm>

namespace cli {
namespace {

/*
 * Functions are aligned to this, and begin at least this far apart, on all machines where it
 * matters.
 */
constexpr uint64_t function_alignment = 16;
/* How much is shown of text in no known function. */
constexpr uint64_t bytes_of_unknown = 64;

using Instructions = std::vector<AnnotatedInstruction>;

Instructions::iterator first_from(Instructions &instructions, uint64_t address)
{
	return std::lower_bound(
		instructions.begin(), instructions.end(), address,
		[](const AnnotatedInstruction &one, uint64_t value) { return one.code.address < value; });
}

void mark_jumps(CodePart &part, const ObjectCode &code)
{
	for (AnnotatedInstruction &one : part.instructions) {
		if (!one.code.target)
			continue;
		one.target_name = code.symbols().label(*one.code.target);

		const auto target = first_from(part.instructions, *one.code.target);

		if (one.code.flow == Flow::Jump && target != part.instructions.end() &&
		    target->code.address == *one.code.target)
			target->jumped_to = true;
	}
}

} // namespace

std::optional<Extent> extent_near(const ObjectCode &code, uint64_t address, uint64_t size)
{
	std::optional<Extent> extent = code.symbols().extent(address);

	for (uint64_t next = address + 1; !extent && next - address < size; next++) {
		next = (next + function_alignment - 1) & ~(function_alignment - 1);
		if (next - address < size)
			extent = code.symbols().extent(next);
	}
	if (!extent && size == 1 && code.has_text(address))
		return Extent{address, address + bytes_of_unknown};
	return extent;
}

CodePart decode_part(const ObjectCode &code, Extent extent)
{
	CodePart part;

	part.extent = extent;
	part.built = code.modified();
	for (Instruction &instruction : code.instructions(extent)) {
		AnnotatedInstruction one;
		const std::vector<Frame> frames = code.symbols().frames(instruction.address, 1);

		if (!frames.empty() && frames.front().line > 0)
			one.source = {frames.front().file, frames.front().line};
		one.code = std::move(instruction);
		part.instructions.push_back(std::move(one));
	}
	mark_jumps(part, code);
	return part;
}

std::vector<bool> near_counts(const CodePart &part, size_t near)
{
	const Instructions &instructions = part.instructions;
	std::vector<bool> wanted(instructions.size());

	for (size_t i = 0; i < instructions.size(); i++) {
		wanted[i] = wanted[i] || instructions[i].shared;
		if (!counts_of(instructions[i]).any())
			continue;

		const size_t end = std::min(i + near + 1, instructions.size());

		std::fill(wanted.begin() + static_cast<ptrdiff_t>(i > near ? i - near : 0),
			  wanted.begin() + static_cast<ptrdiff_t>(end), true);
	}
	return wanted;
}

bool count_at(CodePart &part, Extent bucket, const Counts &counts, const SourceLine &source)
{
	const auto first = first_from(part.instructions, bucket.low);

	if (first == part.instructions.end() || first->code.address >= bucket.high)
		return false;
	count(*first, counts);
	first->shared = false;
	if (!first->source.line)
		first->source = source;
	count(part, counts);
	for (auto next = first + 1; next != part.instructions.end() && next->code.address < bucket.high;
	     ++next)
		next->shared = !counts_of(*next).any();
	return true;
}

} // namespace cli
