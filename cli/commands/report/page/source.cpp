// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/page/source.h"

#include "cli/annotation/annotation.h"
#include "cli/base/saturate.h"
#include "cli/commands/report/page/function.h"
#include "cli/profile/location.h"
#include "cli/symbols/source_files.h"

#include <algorithm>
#include <map>

namespace cli {
namespace {

/** Functions by object and name, with their index in PlaceTree::functions. */
using Numbers = std::map<std::pair<std::string, std::string>, size_t>;

Numbers hottest(const PlaceTree &tree, size_t most)
{
	Numbers numbers;

	for (size_t i = 0; i < std::min(tree.functions.size(), most); i++) {
		const TreeFunction &function = tree.functions[i];

		numbers.emplace(std::pair(tree.objects[function.object].path, function.name), i);
	}
	return numbers;
}

/* An annotator scans all samples for each function, so drop the samples of other functions. */
Profile samples_of_those(const Profile &profile, const Numbers &numbers)
{
	std::vector<bool> wanted(profile.locations.size());
	Profile result = profile;

	for (size_t i = 0; i < wanted.size(); i++) {
		const Location &location = profile.locations[i];

		wanted[i] = numbers.contains(
			{std::string(object_of(profile, location)), function_of(profile, location)});
	}
	std::erase_if(result.samples, [&](const Sample &sample) {
		return sample.locations.empty() || !wanted[sample.locations.front()];
	});
	return result;
}

} // namespace

HtmlSource html_source(const Profile &profile, const PlaceTree &tree, const HtmlOptions &options,
		       const HtmlLimits &limits)
{
	const Numbers numbers = hottest(tree, limits.annotated);
	const Profile hot = samples_of_those(profile, numbers);
	SourceFiles sources(options.directories, options.prefixes);
	Annotator annotator(hot, options.code);
	HtmlSource source;
	size_t bytes = 0;

	for (const FunctionSamples &function : functions_of(hot)) {
		const auto found = numbers.find({function.object, function.name});

		if (found == numbers.end() || bytes >= limits.annotated_bytes)
			continue;

		nlohmann::ordered_json json =
			html_function(annotator.annotate(function, false), sources, options, limits);

		bytes += json.dump().size();
		json["function"] = found->second;
		source.samples = saturating_add(source.samples, function.own);
		source.functions.push_back(std::move(json));
	}
	return source;
}

} // namespace cli
