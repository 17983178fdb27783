// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/short_names.h"

#include "cli/names/shown_names.h"

#include <string>
#include <utility>
#include <vector>

namespace cli {

void shorten_names(Profile &profile)
{
	ShownNames names(NameLength::Short);
	std::vector<std::string> texts;

	texts.reserve(profile.functions.size());
	for (const Function &function : profile.functions)
		names.add(function.name);
	for (const Function &function : profile.functions)
		texts.emplace_back(names.text(function.name));
	for (size_t i = 0; i < texts.size(); i++)
		profile.functions[i].name = std::move(texts[i]);
}

} // namespace cli
