// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/sample_source.h  The source of a recording's ticks. */
#pragma once

#include "cli/profile/event_account.h"

#include <cstdint>
#include <string>

namespace cli {

/** The clock, or an event; a profile has a type of value for each. */
struct SampleSource {
	std::string name = "cpu";	  /**< name of the type of value: "cpu", "page-faults" */
	std::string unit = "nanoseconds"; /**< "count" for an event */
	uint64_t period = 0;		  /**< units between two samples */
	EventAccount account = {};	  /**< for an event: scales its values */
};

} // namespace cli
