// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/names/similar.h  Suggests a similar name for one that does not exist. */
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cli {

/** True if the names differ in at most a third of their letters; compares only the first 200. */
bool is_similar(std::string_view wanted, std::string_view name);

/** "; did you mean 'record'?", with the most similar of @p names; empty if none is similar. */
std::string did_you_mean(std::string_view wanted, std::span<const std::string> names);

} // namespace cli
