// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/mapping.h  Makes a profile's mapping from an object. */
#pragma once

#include "cli/objects/object.h"
#include "cli/profile/profile.h"
#include "cli/symbols/symbols.h"

#include <cstdint>

namespace cli {

/** The mapping for the text segment of an object that contains a link-time address. */
ProfileMapping mapping_at(const Object &object, Symbols &symbols, uint64_t address);

/** Set the flags of a mapping to what @p symbols can provide for its places. */
void set_known(ProfileMapping &mapping, Symbols &symbols);

} // namespace cli
