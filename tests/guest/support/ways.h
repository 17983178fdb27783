// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/ways.h  The two ways to send a command to the module, for tests of
 * both.
 */
#pragma once

#include "tests/guest/support/device.h"

namespace guest {

/** Returns 0 or the error.  Only io_uring passes the size separately from the structure. */
using Way = std::function<int(const Device &, unsigned int command, void *structure, uint32_t size)>;

inline Way by_ioctl()
{
	return [](const Device &device, unsigned int command, void *structure, uint32_t) {
		return device.call(command, structure);
	};
}

/** One ring for all commands, as a new ring may be mapped where a test needs a hole. */
inline Way by_ring()
{
	return [ring = std::make_shared<Ring>()](const Device &device, unsigned int command, void *structure,
						 uint32_t size) {
		return ring->call(device, command, structure, size);
	};
}

} // namespace guest
