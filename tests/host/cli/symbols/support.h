// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/symbols/support.h  Shared by the tests of JIT-compiled code. */
#pragma once

#include "cli/objects/jit_symbols.h"

#include <cstdint>
#include <string>

namespace jit_test {

/** The name at an address, empty if it has none. */
inline std::string name_at(const cli::JitSymbols &symbols, uint64_t address)
{
	const cli::JitSymbols::Entry *entry = symbols.find(address);

	return entry ? entry->code->name : "";
}

} // namespace jit_test
