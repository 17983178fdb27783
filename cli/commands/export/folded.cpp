// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/characters.h"
#include "cli/commands/export/export.h"
#include "cli/commands/export/size.h"
#include "cli/rows/call_stack.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace cli {
namespace {

/* A semicolon ends a frame, and a newline ends a stack; the format cannot quote them. */
void append_frame(std::string &stack, std::string_view name)
{
	std::string safe = printable(name);

	std::replace(safe.begin(), safe.end(), ';', ':');
	if (!stack.empty())
		stack += ';';
	stack += safe;
}

/* The process, as stackcollapse-perf.pl --pid writes it. */
std::string process_text(const ProcessLabel &process)
{
	return process.pid ? fmt::format("{}-{}", process.name, process.pid) : process.name;
}

/* The frames, outermost first; an object is named if it differs from the previous frame's. */
std::string folded(const CountedStack &stack, const CallFrames &frames)
{
	std::string text;
	std::string_view object;

	if (!stack.process.name.empty())
		append_frame(text, process_text(stack.process));
	for (const CallFrame *frame : frames.from_outermost(stack)) {
		if (frame->object != object)
			append_frame(text, base_name(frame->object));
		object = frame->object;
		append_frame(text, frame->function);
	}
	return text;
}

/* An upper bound, because an object is named only where it differs from the previous one. */
uint64_t bytes_of(const CallFrame &frame)
{
	return frame.function.size() + base_name(frame.object).size() + 2;
}

} // namespace

Result<std::string> export_folded(const Profile &profile)
{
	const CallFrames frames(profile);
	const std::vector<CountedStack> counted = counted_stacks(profile);
	std::map<std::string, uint64_t> stacks;
	std::string text;

	if (const Outcome fits = check_stacks_fit(counted, frames, bytes_of); !fits)
		return fits.error();
	for (const CountedStack &stack : counted) {
		uint64_t &samples = stacks[folded(stack, frames)];

		samples = add_samples(samples, stack.samples);
	}
	for (const auto &[stack, samples] : stacks)
		text += fmt::format("{} {}\n", stack, samples);
	return text;
}

} // namespace cli
