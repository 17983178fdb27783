// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/function_choice.h  Functions of a profile, by what a user calls them. */
#pragma once

#include "cli/base/result.h"
#include "cli/base/saturate.h"
#include "cli/profile/profile.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** A function of an object, with what was sampled in it. */
struct FunctionSamples {
	std::string object; /**< as object_of() has it */
	std::string name;   /**< as function_of() has it */
	std::set<std::string> system_names;
	uint64_t own = 0;     /**< in its own code, with what is inlined there */
	uint64_t inlined = 0; /**< where it is inlined in others */

	[[nodiscard]] uint64_t samples() const { return saturating_add(own, inlined); }
};

/** All functions that have samples, those with most in their own code first. */
std::vector<FunctionSamples> functions_of(const Profile &profile);

/**
 * The functions that a user means, in the order of @p functions, never none.
 *
 * @param wanted the name, demangled or mangled, with or without its parameters
 *        and the template's arguments at its end, and with "object:" before it,
 *        a path or its last component; or, if it begins with '/', a POSIX
 *        extended regular expression for names (a '/' at its end is no part of
 *        it), which may mean many.
 *        An error lists what could be meant if nothing is called so, or if
 *        functions of more than one name or object are.
 */
Result<std::vector<FunctionSamples>> choose_functions(const std::vector<FunctionSamples> &functions,
						      const std::string &wanted);

/** "object:function", which means this one alone, but for namesakes. */
std::string full_name(const FunctionSamples &function);

} // namespace cli
