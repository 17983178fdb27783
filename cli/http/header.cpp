// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/http/header.h"

#include "cli/base/characters.h"
#include "cli/base/letter_case.h"
#include "cli/http/message.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace cli {
namespace {

bool is_token_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_ours(const std::string &name)
{
	static constexpr std::array<std::string_view, 6> ours = {
		"content-type", "content-length", "transfer-encoding", "connection", "expect", "host"};

	const std::string lower = lower_case(name);

	return std::any_of(ours.begin(), ours.end(), [&lower](std::string_view one) { return one == lower; });
}

} // namespace

std::string why_no_header(const std::string &header)
{
	const std::string name = header.substr(0, header.find(':'));

	/* Do not quote the header: it may contain a secret. */
	if (name.size() == header.size() || name.empty() ||
	    !std::all_of(name.begin(), name.end(), is_token_character))
		return "a header has the form 'Name: value'";
	if (is_ours(name))
		return fmt::format("the header {} is set by profil itself", name);
	if (header_of({header}, name).empty())
		return fmt::format("the header {} has no value", name);
	if (printable(header) != header)
		return fmt::format("the header {} has control characters in its value", name);
	return "";
}

} // namespace cli
