// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/push/labels.h"

#include "cli/base/characters.h"
#include "cli/base/file_name.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

/* Unlike isalpha(), this does not depend on the locale, and accepts '_'. */
bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_name(std::string_view text)
{
	return !text.empty() && is_letter(text.front()) && std::all_of(text.begin(), text.end(), [](char c) {
		return is_letter(c) || (c >= '0' && c <= '9');
	});
}

std::string why_no_name(std::string_view name)
{
	if (!is_name(name))
		return "a name consists of letters, digits and _, and does not begin with a digit";
	if (name.starts_with("__") && name != push_kind_label)
		return "names that begin with __ are reserved, except __name__";
	return "";
}

std::string why_no_value(std::string_view name, std::string_view value)
{
	if (value.empty())
		return "an empty value is the same as no label";
	/* printable() alters invalid UTF-8 and control characters, which no query can contain. */
	if (printable(value) != value)
		return "its value is not printable UTF-8";
	if (name == push_kind_label && !is_name(value))
		return "the value of __name__ consists of letters, digits and _, and does not begin with a "
		       "digit";
	return "";
}

void add_default(PushLabels &labels, std::string_view name, const std::string &value)
{
	const auto same = [name](const PushLabel &label) { return label.name == name; };

	if (!value.empty() && std::none_of(labels.begin(), labels.end(), same))
		labels.push_back({std::string(name), value});
}

} // namespace

Result<PushLabel> parse_push_label(std::string_view text)
{
	const size_t equals = text.find('=');

	if (equals == text.npos)
		return Error{fmt::format("'{}' is not NAME=VALUE", text)};

	const std::string_view name = text.substr(0, equals);
	const std::string_view value = text.substr(equals + 1);

	for (const std::string &reason : {why_no_name(name), why_no_value(name, value)}) {
		if (!reason.empty())
			return Error{fmt::format("'{}': {}", text, reason)};
	}
	return PushLabel{std::string(name), std::string(value)};
}

Result<PushLabels> complete_push_labels(std::vector<PushLabel> given, const std::string &service,
					const PushLabels &more, const std::string &kind)
{
	PushLabels labels = std::move(given);

	add_default(labels, push_kind_label, kind);
	add_default(labels, "service_name", service);
	add_default(labels, "hostname", printable(host_name()));
	for (const PushLabel &label : more)
		add_default(labels, label.name, label.value);
	std::stable_sort(labels.begin(), labels.end(),
			 [](const PushLabel &a, const PushLabel &b) { return a.name < b.name; });

	const auto twice = std::adjacent_find(labels.begin(), labels.end(),
					      [](const auto &a, const auto &b) { return a.name == b.name; });

	if (twice != labels.end())
		return Error{fmt::format("label '{}' is given twice", twice->name)};
	return labels;
}

std::string service_of(const Profile &profile)
{
	const std::string name =
		profile.mappings.empty() ? "" : printable(base_name(profile.mappings.front().filename));

	return name.empty() ? "profil" : name;
}

} // namespace cli
