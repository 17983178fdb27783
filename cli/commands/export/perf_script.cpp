// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/characters.h"
#include "cli/commands/export/export.h"
#include "cli/commands/export/size.h"
#include "cli/rows/call_stack.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr uint64_t billion = 1'000'000'000;

/* A name as one word, because readers split lines at white space. */
std::string word(std::string_view text)
{
	std::string safe = printable(text);

	std::replace(safe.begin(), safe.end(), ' ', '_');
	return safe;
}

/* stackcollapse-perf.pl skips lines that begin with '#', and requires at least two characters. */
std::string command_text(const ProcessLabel &process, const Profile &profile)
{
	std::string text = word(process.name.empty() ? program_name(profile) : process.name);

	if (text.starts_with('#'))
		text.front() = '_';
	return fmt::format("{:<2}", text);
}

bool is_hexadecimal(std::string_view text)
{
	return !text.empty() && text.find_first_not_of("0123456789abcdef") == text.npos;
}

/*
 * Readers drop names that begin with a parenthesis, along with their samples, and cut off
 * "+0x123" as an offset, which would merge all functions without a name.
 */
std::string symbol_text(const CallFrame &frame)
{
	std::string text = printable(frame.function);

	if (!frame.named)
		return "[unknown]";
	if (text.starts_with('('))
		text.insert(0, "::");

	const size_t plus = text.rfind("+0x");

	if (plus != text.npos && is_hexadecimal(std::string_view(text).substr(plus + 3)))
		text[plus] = '@';
	return text;
}

std::string stack_text(const CountedStack &stack, const CallFrames &frames)
{
	std::string text;

	for (const size_t location : stack.locations) {
		for (const CallFrame &frame : frames.at(location))
			text += fmt::format("\t{:16x} {} ({})\n", frame.address, symbol_text(frame),
					    frame.inlined ? "inlined" : word(frame.object));
	}
	return text + '\n';
}

std::string event_name(const Profile &profile)
{
	const size_t index = samples_index(profile);
	const std::string name = index < profile.sample_types.size() ? profile.sample_types[index].type : "";

	return name.empty() ? "samples" : word(name);
}

/** The bytes needed to list a stack once per sample: names from other tools can be long. */
uint64_t listed_bytes(const CountedStack &stack, size_t names)
{
	constexpr uint64_t numbers = 40;
	uint64_t bytes;

	return __builtin_mul_overflow(stack.samples, names + numbers, &bytes) ? UINT64_MAX : bytes;
}

uint64_t period_of(const Profile &profile)
{
	const bool time = profile.period > 0 && profile.period_type.unit == "nanoseconds";

	return time ? std::min<uint64_t>(static_cast<uint64_t>(profile.period), billion) : billion / 1000;
}

/* The size of a line: an address with 16 digits, and names. */
uint64_t bytes_of(const CallFrame &frame)
{
	return frame.function.size() + frame.object.size() + 24;
}

} // namespace

/*
 * Write a record with a period of 1 for each sample: stackcollapse-perf.pl adds up
 * the periods, the Firefox Profiler and stackvis count the records, and speedscope
 * uses the time between successive records, which is always the same.
 */
Result<std::string> export_perf_script(const Profile &profile)
{
	const CallFrames frames(profile);
	const std::string event = event_name(profile);
	const uint64_t period = period_of(profile);
	const std::vector<CountedStack> stacks = counted_stacks(profile);
	uint64_t bytes = 0;
	uint64_t time = 0;
	std::string text;

	if (const Outcome fits = check_stacks_fit(stacks, frames, bytes_of); !fits)
		return fits.error();
	for (const CountedStack &stack : stacks)
		bytes = add_samples(bytes,
				    listed_bytes(stack, event.size() +
								command_text(stack.process, profile).size() +
								stack_text(stack, frames).size()));
	if (bytes > export_bytes_max)
		return Error{"there are too many samples to list each, as perf-script does (use folded, "
			     "which stores their number)"};
	for (const CountedStack &stack : stacks) {
		const std::string command = command_text(stack.process, profile);
		const std::string tail = stack_text(stack, frames);

		for (uint64_t i = 0; i < stack.samples; i++, time += period) {
			text += fmt::format("{} {:5}/{:<5} {:5}.{:09}: {:10} {}: \n", command,
					    stack.process.pid, stack.process.pid, time / billion,
					    time % billion, 1, event);
			text += tail;
		}
	}
	return text;
}

} // namespace cli
