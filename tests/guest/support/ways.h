// SPDX-License-Identifier: GPL-2.0-or-later
// The two ways on which a command reaches the module, for tests of both.
#pragma once

#include "tests/guest/support/device.h"

namespace guest {

// 0 or the error; the size is told apart from the structure by io_uring only.
using Way = std::function<int(const Device &, unsigned int command, void *structure, uint32_t size)>;

inline Way by_ioctl()
{
	return [](const Device &device, unsigned int command, void *structure, uint32_t) {
		return device.call(command, structure);
	};
}

// One ring for all, as a new one may be mapped where a test wants a hole.
inline Way by_ring()
{
	return [ring = std::make_shared<Ring>()](const Device &device, unsigned int command, void *structure,
						 uint32_t size) {
		return ring->call(device, command, structure, size);
	};
}

} // namespace guest
