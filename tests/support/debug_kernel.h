// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/debug_kernel.h  Whether this is one of the debug kernels (kasan, kcsan). */
#pragma once

#include <string_view>
#include <sys/utsname.h>

namespace support {

/** True in a debug kernel, where the kernel may have more samples than any program. */
inline bool on_debug_kernel()
{
	utsname kernel = {};

	return !uname(&kernel) && std::string_view(kernel.release).ends_with("san");
}

} // namespace support
