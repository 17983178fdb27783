// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/swap.h  Swap space for a test. */
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace guest {

/**
 * A swap device in compressed memory while this lives; converts to false if the kernel has no zram.
 */
class Swap {
public:
	/** @param size  the device's size, such as "16M" */
	explicit Swap(const std::string &size)
		: on_(system(("exec >&2; modprobe -q zram && echo " + size +
			      " >/sys/block/zram0/disksize && mkswap -q /dev/zram0 && swapon /dev/zram0")
				     .c_str()) == 0)
	{
	}
	Swap(const Swap &) = delete;
	Swap &operator=(const Swap &) = delete;
	~Swap()
	{
		if (on_ && system("exec >&2; swapoff /dev/zram0; echo 1 >/sys/block/zram0/reset"))
			dprintf(2, "cannot turn the swap device off\n");
	}
	explicit operator bool() const { return on_; }

private:
	bool on_;
};

} // namespace guest
