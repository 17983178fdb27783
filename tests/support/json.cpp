// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/json.h"

support::Json support::parse_json(const std::string &text)
{
	return Json::parse(text);
}

std::string Catch::StringMaker<nlohmann::json>::convert(const nlohmann::json &value)
{
	return value.dump();
}
