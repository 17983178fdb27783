// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/push/workload.h"

#include "cli/base/characters.h"

#include <algorithm>
#include <string>

namespace cli {
namespace {

constexpr size_t id_digits = 64;
constexpr size_t uid_characters = 36;

bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/** The first run of exactly 64 hexadecimal digits in a name; empty if there is none. */
std::string_view container_in(std::string_view name)
{
	for (size_t at = 0; at < name.size();) {
		size_t end = at;

		while (end < name.size() && is_hex(name[end]))
			end++;
		if (end - at == id_digits)
			return name.substr(at, id_digits);
		at = end + 1;
	}
	return {};
}

/** True if @p text begins with a UID, with - or _ between its parts. */
bool is_uid(std::string_view text)
{
	if (text.size() < uid_characters)
		return false;
	for (size_t i = 0; i < uid_characters; i++) {
		const bool between = i == 8 || i == 13 || i == 18 || i == 23;

		if (between ? text[i] != '-' && text[i] != '_' : !is_hex(text[i]))
			return false;
	}
	return true;
}

/** The UID in "pod0a1b…", or in "kubepods-burstable-pod0a1b….slice", where it has _ for -. */
std::string pod_in(std::string_view name)
{
	constexpr std::string_view mark = "pod";

	for (size_t at = name.find(mark); at != name.npos; at = name.find(mark, at + 1)) {
		const std::string_view rest = name.substr(at + mark.size());

		if (!is_uid(rest))
			continue;

		std::string uid(rest.substr(0, uid_characters));

		std::replace(uid.begin(), uid.end(), '_', '-');
		return uid;
	}
	return "";
}

bool is_unit(std::string_view name)
{
	return name.ends_with(".service") || name.ends_with(".scope");
}

void add(PushLabels &labels, std::string_view name, std::string value)
{
	if (!value.empty())
		labels.push_back({std::string(name), std::move(value)});
}

} // namespace

PushLabels workload_labels(std::string_view path)
{
	std::string unit, container, pod;
	PushLabels labels;

	while (!path.empty()) {
		const std::string_view name = path.substr(0, path.find('/'));

		path.remove_prefix(std::min(name.size() + 1, path.size()));
		if (const std::string found = pod_in(name); !found.empty())
			pod = found;
		if (const std::string_view found = container_in(name); !found.empty())
			container = found;
		else if (is_unit(name))
			unit = printable(name);
	}
	add(labels, "container_id", std::move(container));
	add(labels, "pod", std::move(pod));
	add(labels, "unit", std::move(unit));
	return labels;
}

} // namespace cli
