// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/otlp.h"

#include "cli/base/characters.h"
#include "cli/commands/export/export.h"
#include "cli/profile/subset.h"
#include "cli/rows/call_stack.h"

#include <map>
#include <vector>

namespace cli {

Result<std::string> export_otlp(const Profile &profile)
{
	std::map<ProcessLabel, std::vector<size_t>> samples;
	std::vector<Profile> profiles;
	std::vector<OtlpResource> resources;

	for (size_t i = 0; i < profile.samples.size(); i++)
		samples[process_label(profile.samples[i])].push_back(i);
	profiles.reserve(samples.size());
	for (const auto &[process, indices] : samples) {
		const std::string_view name = process.name.empty() ? program_name(profile) : process.name;
		OtlpResource &resource = resources.emplace_back();

		resource.profile = &profiles.emplace_back(subset(profile, indices));
		resource.attributes.push_back({"service.name", printable(name)});
		if (process.pid)
			resource.attributes.push_back({"process.pid", process.pid});
	}
	return encode_otlp(resources);
}

} // namespace cli
