// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/unserved.h  Memory where a fault waits for as long as a user likes. */
#pragma once

#include "tests/guest/hostile/support.h"

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace guest::hostile {

/** Lets users without capabilities have such memory. */
struct FaultsForUsers {
	const Setting setting{"/proc/sys/vm/unprivileged_userfaultfd", "1"};
};

/** Pages of the caller that are watched by a userfaultfd and are never provided. */
class UnservedMemory {
public:
	explicit UnservedMemory(size_t pages = 1)
		: faults_(need(static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK)),
			       "userfaultfd")),
		  memory_(pages * page)
	{
		uffdio_api api = {};
		uffdio_register range = {};

		api.api = UFFD_API;
		need(ioctl(faults_.get(), UFFDIO_API, &api), "UFFDIO_API");
		range.range.start = memory_.address();
		range.range.len = memory_.bytes();
		range.mode = UFFDIO_REGISTER_MODE_MISSING;
		need(ioctl(faults_.get(), UFFDIO_REGISTER, &range), "UFFDIO_REGISTER");
	}
	void *at(size_t number = 0) const { return memory_.at<char>(number * page); }
	/** True if a fault is waiting. */
	bool awaited() const { return pending(0); }
	/** Returns when @p number more faults are waiting. */
	void await(size_t number) const
	{
		uffd_msg fault;

		while (number--)
			need_that(pending(-1) &&
					  ::read(faults_.get(), &fault, sizeof(fault)) == sizeof(fault),
				  "a fault is read");
	}

private:
	bool pending(int timeout) const
	{
		pollfd event = {faults_.get(), POLLIN, 0};

		need(poll(&event, 1, timeout), "poll");
		/* poll(2) of a blocking userfaultfd reports POLLERR at once. */
		need_that(!(event.revents & POLLERR), "a userfaultfd can be polled");
		return event.revents & POLLIN;
	}

	const Fd faults_;
	const Memory memory_;
};

} // namespace guest::hostile
