// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/perf/ring.h  The buffer of one CPU, into which perf writes records. */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"

#include <cstdint>
#include <linux/perf_event.h>
#include <string_view>
#include <vector>

namespace cli {

/** The fields that every event requests in a sample. */
constexpr uint64_t perf_sample_type =
	PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

/** A PERF_RECORD_SAMPLE with the fields of perf_sample_type. */
struct PerfSample {
	uint64_t id = 0;
	uint64_t ip = 0;
	uint32_t pid = 0; /**< UINT32_MAX: ended; 0: idle, or outside our PID namespace */
	uint32_t tid = 0;
	uint64_t time = 0;
	uint64_t cgroup = 0; /**< only with PERF_SAMPLE_CGROUP */
};

/** A record as perf wrote it, in one piece. */
class PerfRecord {
public:
	explicit PerfRecord(const perf_event_header *header) : header_(header) {}

	explicit operator bool() const { return header_; }
	[[nodiscard]] uint32_t type() const { return header_->type; }
	[[nodiscard]] uint16_t misc() const { return header_->misc; }
	/** A number in the record; 0 beyond its end.  @param offset in bytes, after the header. */
	template <typename T> [[nodiscard]] T at(size_t offset) const;
	/** The text at an offset. */
	[[nodiscard]] std::string_view text(size_t offset) const;
	/** The time at which perf wrote the record, in ns of CLOCK_MONOTONIC. */
	[[nodiscard]] uint64_t time() const;
	/** The ID of the event that wrote a record, if the record is not a sample. */
	[[nodiscard]] uint64_t writer() const;
	/** Decode a sample record.  @param with_cgroup whether samples contain the cgroup. */
	[[nodiscard]] PerfSample sample(bool with_cgroup) const;

private:
	[[nodiscard]] size_t bytes() const { return header_->size - sizeof(*header_); }

	const perf_event_header *header_;
};

/**
 * A ring buffer.  It belongs to an event of this process that counts nothing, so it stays while
 * the events that write into it come and go.
 */
class PerfRing {
public:
	/**
	 * @param bytes the greatest size; the ring is smaller if the kernel does not pin so much
	 *        for this user.
	 * @return an error, or a ring, without fd() if the CPU is offline.
	 */
	static Result<PerfRing> open(int cpu, uint64_t bytes);
	PerfRing(PerfRing &&other) noexcept;
	PerfRing &operator=(PerfRing &&) = delete;
	~PerfRing();

	/** For PERF_EVENT_IOC_SET_OUTPUT, and for poll(2): readable when it is partly full. */
	[[nodiscard]] int fd() const { return fd_.get(); }
	[[nodiscard]] int cpu() const { return cpu_; }
	[[nodiscard]] uint64_t bytes() const { return bytes_; }
	/** True if it is partly full, so that it should be read soon. */
	[[nodiscard]] bool fills_up();
	/** Find out how far perf has written: next() reads up to there. */
	void look();
	/** The oldest record that has not been dropped; false if there is none. */
	[[nodiscard]] PerfRecord next();
	/** Move on from the record that next() returns. */
	void drop();
	/** Let perf reuse the room of dropped records. */
	void release();

private:
	PerfRing(int cpu, Fd fd, void *memory, uint64_t bytes)
		: cpu_(cpu), fd_(std::move(fd)), memory_(memory), bytes_(bytes)
	{
	}
	[[nodiscard]] const char *data() const;
	[[nodiscard]] perf_event_mmap_page &control() const
	{
		return *static_cast<perf_event_mmap_page *>(memory_);
	}

	int cpu_;
	Fd fd_;
	void *memory_;
	uint64_t bytes_; /* for records */
	uint64_t head_ = 0;
	uint64_t tail_ = 0;
	std::vector<uint64_t> joined_; /* a copy of a record that wraps around */
};

} // namespace cli
