// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/mapping.h  An object's mapping as a profile has it. */
#pragma once

#include "cli/objects/object.h"
#include "cli/profile/profile.h"
#include "cli/symbols/symbols.h"

#include <cstdint>

namespace cli {

/** The mapping of the text of an object that holds a link-time address. */
ProfileMapping mapping_at(const Object &object, const Symbols &symbols, uint64_t address);

/** Say of a mapping what is known of its places, if all of them are looked up. */
void set_known(ProfileMapping &mapping, const Symbols &symbols);

} // namespace cli
