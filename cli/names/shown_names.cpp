// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/names/shown_names.h"

#include "cli/names/short_name.h"

#include <utility>

namespace cli {

/** Is @p text that of another name, too? */
bool ShownNames::enter(Texts &texts, std::string text, std::string_view name)
{
	const auto [place, fresh] = texts.try_emplace(std::move(text), Users{name});

	if (!fresh && place->second.first != name)
		place->second.several = true;
	return place->second.several;
}

void ShownNames::add(std::string_view name)
{
	if (length_ == NameLength::Full || short_.contains(name))
		return;

	std::string brief = short_name(name);

	if (brief != name)
		short_.emplace(name, brief);

	const std::string_view first = by_short_.try_emplace(brief, Users{name}).first->second.first;

	if (enter(by_short_, std::move(brief), name)) {
		enter(by_parameters_, with_short_templates(first), first);
		enter(by_parameters_, with_short_templates(name), name);
	}
}

std::string ShownNames::text(std::string_view name) const
{
	const auto found = short_.find(name);

	if (found == short_.end())
		return std::string(name);
	if (!by_short_.at(found->second).several)
		return found->second;

	std::string longer = with_short_templates(name);

	return by_parameters_.at(longer).several ? std::string(name) : longer;
}

} // namespace cli
