// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/device.h  /dev/profil through its raw interface, by ioctl(2) or io_uring. */
#pragma once

#include "tests/guest/support/burner.h"
#include "tests/guest/support/guest.h"

#include <cstdint>
#include <fcntl.h>
#include <liburing.h>
#include <linux/profil_record.h>
#include <memory>
#include <span>
#include <vector>

namespace guest {

constexpr uint64_t period_10khz = 100'000;
constexpr uint64_t period_nobody = 1'000'000; /* near the shortest period without CAP_PERFMON */

class Device {
public:
	explicit Device(int flags = O_RDWR);

	int fd() const { return fd_.get(); }
	void close() { fd_.reset(); }

	/** Returns 0 or errno. */
	int call(unsigned int command, void *structure) const;
	/** These throw when the command fails. */
	void start(const profil_start &how) const;
	/** PROFIL_RECORD: begin a recording.  Returns its number. */
	uint32_t record(const profil_record &how, int proof) const;
	uint64_t stop(uint32_t profile = 0) const;
	/** Also throws when the causes do not add up to the ticks. */
	profil_status status(uint32_t profile = 0) const;

private:
	Fd fd_;
};

/** The same commands through io_uring. */
class Ring {
public:
	/** entry_flags are set in every entry; with IOSQE_ASYNC, a worker runs the commands. */
	explicit Ring(unsigned int flags = 0, uint8_t entry_flags = 0);
	Ring(const Ring &) = delete;
	Ring &operator=(const Ring &) = delete;
	~Ring();

	/** From now on, one worker runs all commands that need a worker. */
	void keep_to_one_worker();
	/** Returns 0 or the error in the completion. */
	int call(int fd, unsigned int command, const profil_uring_cmd &payload);
	int call(const Device &device, unsigned int command, void *structure, uint32_t size);
	/** Read zeroes from /dev/zero into memory, by a worker. */
	void read_zeroes(int zero, void *to, size_t bytes);

private:
	int complete();
	io_uring ring_;
	const uint8_t entry_flags_;
};

uint64_t causes(const profil_status &status);

/** A region that counts every PC in its first counter. */
profil_region one_counter(uint64_t low, uint64_t high, const void *counter, uint8_t width = 4);
/** A region with a separate counter for each address. */
profil_region each_address(uint64_t low, uint64_t high, const void *counters, uint8_t width = 4);

profil_start describe(std::span<const profil_region> regions, uint64_t period = period_10khz);
profil_start describe(const profil_region &region, uint64_t period = period_10khz);
/** A profile that also counts ticks in the kernel. */
profil_start describe_all_ticks(const profil_region &region, uint64_t period);
profil_start describe_samples(void *samples, uint64_t number, uint32_t width = 8,
			      uint64_t period = period_10khz);

/** The arguments of PROFIL_RECORD, PROFIL_ADD, PROFIL_TABLE and PROFIL_WAIT. */
profil_record describe_recording(const void *table, size_t bytes, uint32_t flags, uint64_t period);
profil_add describe_addition(uint32_t profile, int proof, pid_t target = 0);
profil_table describe_table(uint32_t profile, const void *table, size_t bytes);
profil_wait describe_wait(uint32_t profile, uint32_t keys);
inline profil_record describe_recording(const Memory &table, uint32_t flags = PROFIL_FOLLOW,
					uint64_t period = period_10khz)
{
	return describe_recording(table.at(), table.bytes(), flags, period);
}
inline profil_table describe_table(uint32_t profile, const Memory &table)
{
	return describe_table(profile, table.at(), table.bytes());
}
/** The ticks in a table that takes all of this memory. */
uint64_t sum_table(const Memory &table);

/** The value of a counter that the kernel may be changing. */
template <typename T> T counter(const Memory &memory, size_t index = 0)
{
	return __atomic_load_n(memory.at<T>(index * sizeof(T)), __ATOMIC_RELAXED);
}

template <typename T> uint64_t sum_counters(const Memory &memory)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < memory.bytes() / sizeof(T); i++)
		sum += counter<T>(memory, i);
	return sum;
}

/** Spin at a PC until `fate` has grown by at least `number`.  Returns the growth. */
uint64_t burn_ticks(const Device &device, const Burner &burner, uintptr_t pc, uint64_t number,
		    __u64 profil_status::*fate = &profil_status::counted, uint32_t profile = 0);

/**
 * Arguments of open_proof(), which returns the result of perf_event_open(2): a descriptor, or -1
 * with errno.
 */
struct Proof {
	pid_t pid;
	bool exclude_kernel = false;
	bool sampling = true;
	bool inherit = false;
	int cpu = -1;
	uint64_t sample_type = 1; /* PERF_SAMPLE_IP */
	uint32_t type = 1;	  /* PERF_TYPE_SOFTWARE */
	uint64_t config = 1;	  /* PERF_COUNT_SW_TASK_CLOCK */
	uint64_t address = 0;	  /* of a breakpoint on writes of 8 bytes */
	bool exclude_user = false;
};
Fd open_proof(const Proof &proof);
Fd proof_of(pid_t pid); /* throws */

/**
 * Keeps the clock running.  A profile that is off gives up its claim on the clock, and without
 * ticks its status could not show that it is off.
 */
class ClockKeeper {
public:
	ClockKeeper();

private:
	Gate ready_;
	Child child_;
};

} // namespace guest
