// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/names/shown_names.h"

#include "cli/names/short_name.h"

#include <utility>

namespace cli {

/** Whose name a text is: of the first name that has it, and of others? */
ShownNames::Users &ShownNames::enter(Texts &texts, std::string text, std::string_view name)
{
	const auto [place, fresh] = texts.try_emplace(std::move(text), Users{name});

	if (!fresh && place->second.first != name)
		place->second.several = true;
	return place->second;
}

void ShownNames::add(std::string_view name)
{
	if (length_ == NameLength::Full)
		return;

	const auto [place, fresh] = shown_.try_emplace(name);

	if (!fresh)
		return;

	std::string brief = short_name(name);
	Users &users = enter(by_short_, brief, name);

	if (brief != name)
		place->second = {std::move(brief), &users};
	if (users.several) {
		enter(by_parameters_, with_short_templates(users.first), users.first);
		enter(by_parameters_, with_short_templates(name), name);
	}
}

std::string ShownNames::text(std::string_view name) const
{
	const auto found = shown_.find(name);

	if (found == shown_.end() || !found->second.users)
		return std::string(name);
	if (!found->second.users->several)
		return found->second.brief;

	std::string longer = with_short_templates(name);

	return by_parameters_.at(longer).several ? std::string(name) : longer;
}

} // namespace cli
