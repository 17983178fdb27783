// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/place.h  The place of a sample, as numbers that are quick to compare. */
#pragma once

#include <compare>
#include <cstdint>

namespace cli {

/** The place of a sample.  Names are numbers from Places; members that no column shows are 0. */
struct Place {
	uint32_t function = 0;
	uint32_t inlined = 0;
	uint32_t object = 0;
	uint32_t file = 0;
	uint32_t command = 0;
	bool is_inlined = false;
	bool has_pid = false;
	int64_t line = 0;
	int64_t pid = 0;
	uint64_t address = 0;

	auto operator<=>(const Place &) const = default;
};

} // namespace cli
