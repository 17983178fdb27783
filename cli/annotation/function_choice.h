// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/function_choice.h  Finds functions of a profile by name. */
#pragma once

#include "cli/base/result.h"
#include "cli/base/saturate.h"
#include "cli/names/shown_names.h"
#include "cli/profile/profile.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** A function of an object, with its samples. */
struct FunctionSamples {
	std::string object; /**< as returned by object_of() */
	std::string name;   /**< as returned by function_of() */
	std::set<std::string> system_names;
	uint64_t own = 0;     /**< in its own code, including functions inlined there */
	uint64_t inlined = 0; /**< where it is inlined in other functions */

	[[nodiscard]] uint64_t samples() const { return saturating_add(own, inlined); }
};

/** All functions with samples of any event; those with the most FunctionSamples::own come first. */
std::vector<FunctionSamples> functions_of(const Profile &profile);

/**
 * The functions that match @p wanted, in the order of @p functions; never empty.
 *
 * @param wanted a name, as views show it, demangled or mangled.  It may leave out the
 *        parameters, the template arguments at its end, and its namespace or class:
 *        "sort" chooses "words::sort" if no other function matches.  "OBJECT:" may
 *        precede it, where OBJECT is a path or its last component.  If it begins with
 *        '/', it is a POSIX extended regular expression, which may match many names;
 *        a '/' at its end is not part of the expression.
 * @return the functions; or an error that lists candidates if no function has the
 *         name, or several functions have it.
 */
Result<std::vector<FunctionSamples>> choose_functions(const std::vector<FunctionSamples> &functions,
						      const std::string &wanted,
						      NameLength length = NameLength::Short);

} // namespace cli
