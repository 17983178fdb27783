/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file tests/guest/programs/dummy_proof.h  A perf event on a process, as proof that the caller
 * may record the process.
 */
#ifndef TESTS_GUEST_PROGRAMS_DUMMY_PROOF_H
#define TESTS_GUEST_PROGRAMS_DUMMY_PROOF_H

#include "tests/guest/programs/require.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline int dummy_proof(pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1000000000,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = 1,
	};
	int fd = syscall(__NR_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	REQUIRE(fd >= 0);
	return fd;
}

#endif /* TESTS_GUEST_PROGRAMS_DUMMY_PROOF_H */
