// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/sort_key.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace cli {
namespace {

struct Name {
	std::string_view name;
	SortKey key;
};

/* The first name of each key is ours; the others are those of perf. */
constexpr std::array names = {
	Name{"function", SortKey::Function}, Name{"inlined", SortKey::Inlined},
	Name{"line", SortKey::Line},	     Name{"object", SortKey::Object},
	Name{"process", SortKey::Process},   Name{"command", SortKey::Command},
	Name{"address", SortKey::Address},   Name{"sym", SortKey::Function},
	Name{"symbol", SortKey::Function},   Name{"srcline", SortKey::Line},
	Name{"dso", SortKey::Object},	     Name{"pid", SortKey::Process},
	Name{"comm", SortKey::Command},
};

} // namespace

std::span<const SortKey> all_sort_keys()
{
	static constexpr std::array keys = {SortKey::Function, SortKey::Inlined, SortKey::Line,
					    SortKey::Object,   SortKey::Process, SortKey::Command,
					    SortKey::Address};

	return keys;
}

std::string_view sort_key_name(SortKey key)
{
	return std::find_if(names.begin(), names.end(), [&](const Name &one) { return one.key == key; })
		->name;
}

bool has_key(std::span<const SortKey> keys, SortKey key)
{
	return std::find(keys.begin(), keys.end(), key) != keys.end();
}

Result<std::vector<SortKey>> parse_sort_keys(std::string_view text)
{
	std::vector<SortKey> keys;

	for (size_t start = 0; start <= text.size();) {
		const size_t end = std::min(text.find(',', start), text.size());
		const std::string_view word = text.substr(start, end - start);
		const auto found = std::find_if(names.begin(), names.end(),
						[&](const Name &one) { return one.name == word; });

		if (word == "tid")
			return Error{"threads have no rows; record with --per-thread, and the report lists "
				     "them below its table"};
		if (found == names.end())
			return Error{fmt::format("'{}' is not function, inlined, line, object, process, "
						 "command or address",
						 word)};
		if (!has_key(keys, found->key))
			keys.push_back(found->key);
		start = end + 1;
	}
	return keys;
}

std::string sort_keys_text(std::span<const SortKey> keys)
{
	std::string text;

	for (const SortKey key : keys)
		text.append(text.empty() ? "" : ",").append(sort_key_name(key));
	return text;
}

std::vector<SortKey> columns_for(std::span<const SortKey> keys)
{
	std::vector<SortKey> columns(keys.begin(), keys.end());
	const bool names_function = has_key(keys, SortKey::Function) || has_key(keys, SortKey::Inlined);
	const bool of_line = has_key(keys, SortKey::Line);
	const bool of_address = has_key(keys, SortKey::Address);

	if (!names_function && (of_line || of_address))
		columns.push_back(of_line ? SortKey::Inlined : SortKey::Function);
	if ((names_function || of_line || of_address) && !has_key(keys, SortKey::Object))
		columns.push_back(SortKey::Object);
	return columns;
}

} // namespace cli
