// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/names/shown_names.h"

#include "cli/names/short_name.h"

namespace cli {
namespace {

std::string text_of(size_t length, std::string_view name)
{
	switch (length) {
	case 0: return short_name(name);
	case 1: return with_arguments(name);
	default:
		/* Do not abbreviate the template arguments again if they made the name distinct. */
		return with_arguments(name) == short_name(name) ? with_short_templates(name)
								: std::string(name);
	}
}

} // namespace

/**
 * Enter a name with its text of this length and, as long as another name has the same text, with
 * the next longer one.  @return the longest text of @p name that was needed.
 */
const ShownNames::Texts::value_type *ShownNames::enter(size_t length, std::string_view text,
						       std::string_view name)
{
	const auto [place, fresh] =
		texts_[length].try_emplace(text == name ? name : store_.keep(text), Users{name});
	Users &users = place->second;
	const bool first_needs_more = !fresh && !users.several;

	users.several = !fresh;
	if (fresh || length + 1 == texts_.size())
		return &*place;
	if (first_needs_more)
		shown_.at(users.first) = enter(length + 1, text_of(length + 1, users.first), users.first);
	return enter(length + 1, text_of(length + 1, name), name);
}

void ShownNames::add(std::string_view name)
{
	if (length_ == NameLength::Full)
		return;

	const auto [place, fresh] = shown_.try_emplace(name);

	if (fresh)
		place->second = enter(0, text_of(0, name), name);
}

std::string_view ShownNames::text(std::string_view name) const
{
	const auto found = shown_.find(name);

	return found == shown_.end() || found->second->second.several ? name : found->second->first;
}

} // namespace cli
