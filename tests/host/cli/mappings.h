// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/mappings.h  Mappings as /proc/PID/maps would list them. */
#pragma once

#include "cli/process/maps.h"

namespace cli_test {

/** Executable memory without a file. */
inline cli::Mapping memory(uint64_t start, uint64_t size)
{
	cli::Mapping mapping;

	mapping.start = start;
	mapping.end = start + size;
	mapping.name = "[anon]";
	mapping.source = cli::Source::Anonymous;
	return mapping;
}

} // namespace cli_test
