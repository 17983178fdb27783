// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/sort_key.h  What the rows of a report stand for. */
#pragma once

#include "cli/base/result.h"

#include <span>
#include <string_view>
#include <vector>

namespace cli {

/** Named as perf report names them, where they mean the same. */
enum class SortKey {
	Function, /**< that has a symbol, with what is inlined in it */
	Inlined,  /**< the innermost inlined function */
	Line,	  /**< of the source */
	Object,	  /**< the file that is mapped */
	Process,  /**< its command's name and its pid */
	Command,  /**< all processes of a name together */
	Address,  /**< link-time address */
};

/** All of them, in the order in which they are explained. */
std::span<const SortKey> all_sort_keys();

/** "function" and so on. */
std::string_view sort_key_name(SortKey key);

/** Keys from names with commas between them, perf's names among them; repeated ones count once. */
Result<std::vector<SortKey>> parse_sort_keys(std::string_view text);

/** "process,function". */
std::string sort_keys_text(std::span<const SortKey> keys);

/** Is @p key one of @p keys? */
bool has_key(std::span<const SortKey> keys, SortKey key);

/**
 * What rows are told apart by, and show: the keys, and what is needed to know
 * what they mean.  A function or a line is one of an object, an address is one
 * in a function.
 */
std::vector<SortKey> columns_for(std::span<const SortKey> keys);

} // namespace cli
