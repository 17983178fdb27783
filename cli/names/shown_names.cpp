// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/names/shown_names.h"

#include "cli/names/short_name.h"

#include <utility>

namespace cli {
namespace {

std::string text_of(size_t length, std::string_view name)
{
	switch (length) {
	case 0: return short_name(name);
	case 1: return with_arguments(name);
	default:
		/* Arguments that told it from others must not go again. */
		return with_arguments(name) == short_name(name) ? with_short_templates(name)
								: std::string(name);
	}
}

} // namespace

/** Names that share a text need longer ones. */
const ShownNames::Users &ShownNames::enter(size_t length, std::string text, std::string_view name)
{
	const auto [place, fresh] = texts_[length].try_emplace(std::move(text), Users{name});
	Users &users = place->second;

	if (fresh || users.first == name)
		return users;
	if (length + 1 < texts_.size()) {
		if (!users.several)
			enter(length + 1, text_of(length + 1, users.first), users.first);
		enter(length + 1, text_of(length + 1, name), name);
	}
	users.several = true;
	return users;
}

void ShownNames::add(std::string_view name)
{
	if (length_ == NameLength::Full)
		return;

	const auto [place, fresh] = shown_.try_emplace(name);

	if (!fresh)
		return;

	std::string brief = short_name(name);
	const Users &users = enter(0, brief, name);

	if (brief != name)
		place->second = {std::move(brief), &users};
}

std::string ShownNames::text(std::string_view name) const
{
	const auto found = shown_.find(name);

	if (found == shown_.end() || !found->second.users)
		return std::string(name);
	if (!found->second.users->several)
		return found->second.brief;
	for (size_t length = 1; length < texts_.size(); length++) {
		std::string longer = text_of(length, name);

		if (!texts_[length].at(longer).several)
			return longer;
	}
	return std::string(name);
}

} // namespace cli
