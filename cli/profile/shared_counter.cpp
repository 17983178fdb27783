// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/shared_counter.h"

#include "cli/base/characters.h"
#include "cli/base/whole_number.h"

#include <climits>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr std::string_view unit = " functions)";

/** Removes a hexadecimal number from the end of @p text. */
bool drop_number(std::string_view &text)
{
	const size_t last = text.find_last_not_of("0123456789abcdef");
	const std::string_view front = text.substr(0, last == text.npos ? 0 : last + 1);
	const bool found = front.size() < text.size() && front.ends_with("0x");

	if (found)
		text = front.substr(0, front.size() - 2);
	return found;
}

bool drop(std::string_view &text, std::string_view end)
{
	const bool found = text.ends_with(end);

	if (found)
		text.remove_suffix(end.size());
	return found;
}

} // namespace

std::string shared_counter_name(std::string_view object, uint64_t low, uint64_t high, uint64_t functions)
{
	return fmt::format("{}+{:#x}..{:#x} ({}{}", base_name(object).substr(0, NAME_MAX), low, high,
			   functions, unit);
}

std::optional<uint64_t> functions_sharing(std::string_view name)
{
	if (!drop(name, unit))
		return std::nullopt;

	const size_t open = name.rfind('(');

	if (open == name.npos)
		return std::nullopt;

	const std::optional<uint64_t> functions = whole_number<uint64_t>(name.substr(open + 1));

	name = name.substr(0, open);
	if (!functions || *functions < 2 || !drop(name, " ") || !drop_number(name) || !drop(name, "..") ||
	    !drop_number(name) || !name.ends_with('+'))
		return std::nullopt;
	return functions;
}

std::string_view sharing_mark(std::string_view name)
{
	return functions_sharing(name) ? name.substr(name.rfind('(') - 1) : std::string_view();
}

} // namespace cli
