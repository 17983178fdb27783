// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/call_stack.h"

#include "cli/base/characters.h"
#include "cli/base/saturate.h"
#include "cli/profile/location.h"

#include <algorithm>

namespace cli {
namespace {

CallFrame frame_without_name(const Profile &profile, const Location &location)
{
	CallFrame frame;

	frame.object = object_of(profile, location);
	frame.mapping = location.mapping;
	frame.address = location.address;
	frame.function = nameless(profile, location);
	return frame;
}

std::vector<CallFrame> frames_of(const Profile &profile, const Location &location)
{
	const CallFrame without_name = frame_without_name(profile, location);
	std::vector<CallFrame> frames;

	for (const Line &line : location.lines) {
		const Function &function = profile.functions[line.function];
		CallFrame &frame = frames.emplace_back(without_name);

		frame.named = !name_of(function).empty();
		if (frame.named)
			frame.function = name_of(function);
		frame.file = function.filename;
		frame.line = std::max<int64_t>(line.line, 0);
		frame.start_line = std::max<int64_t>(function.start_line, 0);
		frame.inlined = frames.size() < location.lines.size();
	}
	if (frames.empty())
		frames.push_back(without_name);
	return frames;
}

} // namespace

ProcessLabel process_label(const Sample &sample)
{
	const ProcessName process = process_of(sample);

	return {std::string(process.command), std::max<int64_t>(process.pid.value_or(0), 0)};
}

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
			stacks.push_back({samples, sample.locations, process_label(sample)});
	}
	return stacks;
}

uint64_t add_samples(uint64_t a, uint64_t b)
{
	return saturating_add(a, b);
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

	return known ? base_name(profile.mappings.front().filename) : unknown_name;
}

} // namespace cli
