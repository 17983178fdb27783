// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/json.h  JSON is read and printed in one source: both are slow to compile. */
#pragma once

#include "tests/support/catch.h"

#include <nlohmann/json.hpp>
#include <string>

namespace support {

using Json = nlohmann::json;

/** The value that a text contains.  Throws Json::parse_error if the text is not JSON. */
Json parse_json(const std::string &text);

} // namespace support

template <> struct Catch::StringMaker<nlohmann::json> {
	static std::string convert(const nlohmann::json &value);
};
