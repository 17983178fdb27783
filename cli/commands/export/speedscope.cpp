// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/export/export.h"
#include "cli/commands/export/size.h"
#include "cli/rows/call_stack.h"
#include "profil.h"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace cli {
namespace {

using Json = nlohmann::ordered_json;

/** Lists each function once; without a source file, the object takes its place. */
class FrameList {
public:
	size_t number(const CallFrame &frame)
	{
		const std::string_view file = frame.file.empty() ? frame.object : frame.file;
		const int64_t line = frame.file.empty() ? 0 : frame.start_line;
		const auto [place, fresh] =
			numbers_.try_emplace({frame.function, std::string(file), line}, list_.size());

		if (fresh) {
			list_.push_back({{"name", frame.function}, {"file", file}});
			if (line)
				list_.back()["line"] = line;
		}
		return place->second;
	}

	Json take() { return std::move(list_); }

private:
	Json list_ = Json::array();
	std::map<std::tuple<std::string, std::string, int64_t>, size_t> numbers_;
};

struct Sampled {
	Json samples = Json::array();
	Json weights = Json::array();
	uint64_t total = 0;
};

Json numbers_of(const CountedStack &stack, const CallFrames &frames, FrameList &list)
{
	Json numbers = Json::array();

	for (const CallFrame *frame : frames.from_outermost(stack))
		numbers.push_back(list.number(*frame));
	return numbers;
}

std::string profile_name(const ProcessLabel &process, const Profile &profile)
{
	const std::string_view name = process.name.empty() ? program_name(profile) : process.name;

	return process.pid ? fmt::format("{} (pid {})", name, process.pid) : std::string(name);
}

Json profile_json(const std::string &name, Sampled &sampled)
{
	return {{"type", "sampled"},
		{"name", name},
		{"unit", "none"},
		{"startValue", 0},
		{"endValue", sampled.total},
		{"samples", std::move(sampled.samples)},
		{"weights", std::move(sampled.weights)}};
}

/* The size of a number in memory before it is written. */
uint64_t bytes_of(const CallFrame &)
{
	return sizeof(Json);
}

} // namespace

Result<std::string> export_speedscope(const Profile &profile)
{
	const CallFrames frames(profile);
	const std::vector<CountedStack> stacks = counted_stacks(profile);
	std::map<ProcessLabel, Sampled> processes;
	FrameList list;
	Json profiles = Json::array();
	uint64_t most = 0;
	size_t busiest = 0;

	if (const Outcome fits = check_stacks_fit(stacks, frames, bytes_of); !fits)
		return fits.error();
	for (const CountedStack &stack : stacks) {
		Sampled &sampled = processes[stack.process];

		sampled.samples.push_back(numbers_of(stack, frames, list));
		sampled.weights.push_back(stack.samples);
		sampled.total = add_samples(sampled.total, stack.samples);
	}
	for (auto &[process, sampled] : processes) {
		if (sampled.total > most) {
			most = sampled.total;
			busiest = profiles.size();
		}
		profiles.push_back(profile_json(profile_name(process, profile), sampled));
	}

	const Json json = {{"$schema", "https://www.speedscope.app/file-format-schema.json"},
			   {"exporter", fmt::format("profil {}", profil_version())},
			   {"name", program_name(profile)},
			   {"activeProfileIndex", busiest},
			   {"shared", {{"frames", list.take()}}},
			   {"profiles", std::move(profiles)}};

	return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace cli
