// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/attach/event_reader.h  Helpers to read the events of an attached file. */
#pragma once

#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"

#include <cerrno>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace guest {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

inline bool readable(const Device &device)
{
	pollfd poller = {device.fd(), POLLIN, 0};

	return need(poll(&poller, 1, 0), "poll") == 1 && (poller.revents & POLLIN);
}

/** Calls read(2) by number, because libc declares that the buffer must be valid. */
inline int read_error(const Device &device, void *to, size_t bytes)
{
	return syscall(SYS_read, device.fd(), to, bytes) < 0 ? errno : 0;
}

} // namespace guest
