// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/export/export.h"
#include "cli/commands/export/firefox_tables.h"
#include "cli/commands/export/size.h"
#include "cli/rows/call_stack.h"
#include "profil.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace cli {
namespace {

using Json = FirefoxJson;

constexpr int processed_version = 58;
/* A required field: the version of Firefox's own format, from which this one is usually made. */
constexpr int gecko_version = 31;

/** ms between two samples of a CPU. */
double interval_of(const Profile &profile)
{
	const bool time = profile.period > 0 && profile.period_type.unit == "nanoseconds";

	return time ? static_cast<double>(profile.period) / 1e6 : 1;
}

Json meta_json(const Profile &profile, bool has_stacks)
{
	const std::string creator = fmt::format("profil {}", profil_version());
	Json meta = {{"interval", interval_of(profile)},
		     {"startTime", static_cast<double>(profile.time_nanos) / 1e6},
		     {"processType", 0},
		     {"product", program_name(profile)},
		     {"stackwalk", has_stacks ? 1 : 0},
		     {"debug", false},
		     {"version", gecko_version},
		     {"preprocessedProfileVersion", processed_version},
		     {"importedFrom", creator},
		     {"symbolicated", true},
		     {"usesOnlyOneStackType", true},
		     {"sourceCodeIsNotOnSearchfox", true}};

	meta["categories"] = {{{"name", "Other"}, {"color", "grey"}, {"subcategories", {"Other"}}},
			      {{"name", "User"}, {"color", "yellow"}, {"subcategories", {"Other"}}}};
	meta["markerSchema"] = Json::array();
	return meta;
}

/* A PID must be unique, but a process whose name changed by exec is listed several times. */
std::string unique_pid(int64_t pid, std::map<int64_t, size_t> &used)
{
	const size_t before = used[pid]++;

	return before ? fmt::format("{}.{}", pid, before) : std::to_string(pid);
}

Json thread_json(const std::string &name, const std::string &pid, FirefoxThread &thread)
{
	Json json = {{"processType", "default"},
		     {"processName", name},
		     {"processStartupTime", 0},
		     {"processShutdownTime", nullptr},
		     {"registerTime", 0},
		     {"unregisterTime", nullptr},
		     {"pausedRanges", Json::array()},
		     {"name", name},
		     {"isMainThread", true},
		     {"pid", pid},
		     {"tid", pid}};

	json.update(thread.take());
	return json;
}

/* One cell in the table of stacks: stacks that begin with the same frames share their cells. */
uint64_t bytes_of(const CallFrame &)
{
	return sizeof(Json);
}

} // namespace

Result<std::string> export_firefox(const Profile &profile)
{
	const CallFrames frames(profile);
	const std::vector<CountedStack> stacks = counted_stacks(profile);
	FirefoxShared shared(profile);
	std::map<ProcessLabel, FirefoxThread> threads;
	std::map<int64_t, size_t> pids;
	Json list = Json::array();

	if (const Outcome fits = check_stacks_fit(stacks, frames, bytes_of); !fits)
		return fits.error();
	for (const CountedStack &stack : stacks)
		threads.try_emplace(stack.process, shared, interval_of(profile))
			.first->second.add(stack, frames);
	for (auto &[process, thread] : threads) {
		const std::string name(process.name.empty() ? program_name(profile) : process.name);

		list.push_back(thread_json(name, unique_pid(process.pid, pids), thread));
	}

	const bool has_stacks = std::any_of(stacks.begin(), stacks.end(), [](const CountedStack &stack) {
		return stack.locations.size() > 1;
	});
	const Json json = {{"meta", meta_json(profile, has_stacks)},
			   {"libs", shared.take_libraries()},
			   {"shared", shared.take_shared()},
			   {"threads", std::move(list)}};

	return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace cli
