// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/sort_key.h  The keys by which samples are grouped into rows. */
#pragma once

#include "cli/base/result.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace cli {

/** Sort keys; those with the same meaning in perf report also have the names used there. */
enum class SortKey {
	Function, /**< the function of the symbol, including functions inlined in it */
	Inlined,  /**< the innermost inlined function */
	Line,	  /**< the source line */
	Object,	  /**< the mapped file */
	Process,  /**< the process, by name and, if it is known, PID */
	Command,  /**< all processes of one name */
	Address,  /**< link-time address */
};

/** The number of sort keys. */
constexpr size_t sort_keys = static_cast<size_t>(SortKey::Address) + 1;

/** All keys, in the order of the help text. */
std::span<const SortKey> all_sort_keys();

/** "function" and so on. */
std::string_view sort_key_name(SortKey key);

/** Parse names separated by commas, including perf's names; a repeated key counts once. */
Result<std::vector<SortKey>> parse_sort_keys(std::string_view text);

/** "process,function". */
std::string sort_keys_text(std::span<const SortKey> keys);

/** True if @p key is one of @p keys. */
bool has_key(std::span<const SortKey> keys, SortKey key);

/**
 * The columns that rows are grouped by and show: the keys, and the columns needed to
 * interpret them.  A function or a line also needs its object, a line or an
 * address its function.
 */
std::vector<SortKey> columns_for(std::span<const SortKey> keys);

} // namespace cli
