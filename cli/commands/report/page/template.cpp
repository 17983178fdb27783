// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/page/template.h"

/* Defined in content.S. */
extern "C" const char profil_html_page[];
extern "C" const char profil_html_page_end[];

namespace cli {
namespace {

constexpr std::string_view mark = "@DATA@";

/*
 * "</script" ends a script element, and "<!--" changes how it is parsed.  In JSON,
 * '<' occurs only in strings, where it can be escaped.
 */
void append_without_markup(std::string &page, std::string_view json)
{
	while (!json.empty()) {
		const size_t end = json.find('<');

		page += json.substr(0, end);
		if (end == json.npos)
			return;
		page += "\\u003c";
		json.remove_prefix(end + 1);
	}
}

} // namespace

std::string_view html_template()
{
	return {profil_html_page, static_cast<size_t>(profil_html_page_end - profil_html_page)};
}

std::string html_page(std::string_view json)
{
	const std::string_view all = html_template();
	const size_t at = all.find(mark);
	std::string page;

	page.reserve(all.size() + json.size() + json.size() / 64);
	page += all.substr(0, at);
	append_without_markup(page, json);
	page += all.substr(at + mark.size());
	return page;
}

} // namespace cli
