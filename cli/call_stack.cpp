// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/call_stack.h"

#include "cli/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr std::string_view unknown = "[unknown]";

CallFrame frame_without_name(const Profile &profile, const Location &location)
{
	CallFrame frame;

	frame.object = unknown;
	frame.mapping = location.mapping;
	frame.address = location.address;
	if (location.mapping && !profile.mappings[*location.mapping].filename.empty())
		frame.object = profile.mappings[*location.mapping].filename;
	frame.function = frame.object == unknown
				 ? fmt::format("{:#x}", location.address)
				 : fmt::format("{}+{:#x}", base_name(frame.object), location.address);
	return frame;
}

std::vector<CallFrame> frames_of(const Profile &profile, const Location &location)
{
	const CallFrame nameless = frame_without_name(profile, location);
	std::vector<CallFrame> frames;

	for (const Line &line : location.lines) {
		const Function &function = profile.functions[line.function];
		CallFrame &frame = frames.emplace_back(nameless);

		frame.named = !function.name.empty() || !function.system_name.empty();
		if (frame.named)
			frame.function = function.name.empty() ? function.system_name : function.name;
		frame.file = function.filename;
		frame.line = std::max<int64_t>(line.line, 0);
		frame.start_line = std::max<int64_t>(function.start_line, 0);
		frame.inlined = frames.size() < location.lines.size();
	}
	if (frames.empty())
		frames.push_back(nameless);
	return frames;
}

ProcessLabel process_of(const Sample &sample)
{
	ProcessLabel process;

	for (const Label &label : sample.labels) {
		if (label.key == "process")
			process.name = label.text;
		else if (label.key == "pid")
			process.pid = std::max<int64_t>(label.number, 0);
	}
	return process;
}

} // namespace

CallFrames::CallFrames(const Profile &profile)
{
	frames_.reserve(profile.locations.size());
	for (const Location &location : profile.locations)
		frames_.push_back(frames_of(profile, location));
}

std::vector<const CallFrame *> CallFrames::from_outermost(const CountedStack &stack) const
{
	std::vector<const CallFrame *> all;

	for (const size_t location : stack.locations) {
		for (const CallFrame &frame : at(location))
			all.push_back(&frame);
	}
	std::reverse(all.begin(), all.end());
	return all;
}

std::vector<CountedStack> counted_stacks(const Profile &profile)
{
	const size_t index = samples_index(profile);
	std::vector<CountedStack> stacks;

	for (const Sample &sample : profile.samples) {
		const uint64_t samples = samples_of(sample, index);

		if (samples && !sample.locations.empty())
			stacks.push_back({samples, sample.locations, process_of(sample)});
	}
	return stacks;
}

uint64_t add_samples(uint64_t a, uint64_t b)
{
	return a + std::min(b, UINT64_MAX - a);
}

uint64_t total_samples(std::span<const CountedStack> stacks)
{
	uint64_t sum = 0;

	for (const CountedStack &stack : stacks)
		sum = add_samples(sum, stack.samples);
	return sum;
}

std::string_view program_name(const Profile &profile)
{
	const bool known = !profile.mappings.empty() && !profile.mappings.front().filename.empty();

	return known ? base_name(profile.mappings.front().filename) : unknown;
}

} // namespace cli
