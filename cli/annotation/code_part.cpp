// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/annotation/code_part.h"

#include <algorithm>

namespace cli {
namespace {

/* If no function is known at an address, this many bytes are shown. */
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

std::optional<Extent> extent_at(const ObjectCode &code, uint64_t address)
{
	const std::optional<Extent> extent = code.symbols().extent(address);

	if (!extent && code.has_text(address))
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
		const std::vector<Frame> frames = code.symbols().frames(instruction.address);

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
		if (!counts_of(instructions[i]).any())
			continue;

		const size_t end = std::min(i + near + 1, instructions.size());

		std::fill(wanted.begin() + static_cast<ptrdiff_t>(i > near ? i - near : 0),
			  wanted.begin() + static_cast<ptrdiff_t>(end), true);
	}
	return wanted;
}

bool count_at(CodePart &part, uint64_t address, const Counts &counts, const SourceLine &source)
{
	const auto first = first_from(part.instructions, address);

	if (first == part.instructions.end() || first->code.address != address)
		return false;
	count(*first, counts);
	if (!first->source.line)
		first->source = source;
	count(part, counts);
	return true;
}

} // namespace cli
