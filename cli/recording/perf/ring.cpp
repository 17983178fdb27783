// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/perf/ring.h"

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace cli {
namespace {

/* Wake the reader when a ring is a quarter full; the rest is for records until the reader runs. */
constexpr uint64_t wake_part = 4;
/* TID, TIME and IDENTIFIER, after each record that is not a sample. */
constexpr size_t trailer_bytes = 24;

uint64_t page_bytes()
{
	return static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

} // namespace

template <typename T> T PerfRecord::at(size_t offset) const
{
	T value = 0;

	if (offset + sizeof(value) <= bytes())
		std::memcpy(&value, reinterpret_cast<const char *>(header_ + 1) + offset, sizeof(value));
	return value;
}

template uint8_t PerfRecord::at(size_t) const;
template uint32_t PerfRecord::at(size_t) const;
template uint64_t PerfRecord::at(size_t) const;

std::string_view PerfRecord::text(size_t offset) const
{
	if (offset >= bytes())
		return {};

	const char *const begin = reinterpret_cast<const char *>(header_ + 1) + offset;

	return {begin, strnlen(begin, bytes() - offset)};
}

uint64_t PerfRecord::time() const
{
	if (type() == PERF_RECORD_SAMPLE)
		return at<uint64_t>(24);
	return at<uint64_t>(bytes() - trailer_bytes + 8);
}

uint64_t PerfRecord::writer() const
{
	return at<uint64_t>(bytes() - sizeof(uint64_t));
}

PerfSample PerfRecord::sample(bool with_cgroup) const
{
	return {at<uint64_t>(0),  at<uint64_t>(8),  at<uint32_t>(16),
		at<uint32_t>(20), at<uint64_t>(24), with_cgroup ? at<uint64_t>(32) : 0};
}

Result<PerfRing> PerfRing::open(int cpu, uint64_t bytes)
{
	perf_event_attr attr = {};
	const uint64_t page = page_bytes();

	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_type = perf_sample_type;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.watermark = 1;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	for (bytes = std::bit_floor(std::max(bytes, page));; bytes /= 2) {
		/* A ring has the watermark of the event that owns it. */
		attr.wakeup_watermark = static_cast<uint32_t>(bytes / wake_part);

		Fd fd(static_cast<int>(
			syscall(SYS_perf_event_open, &attr, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC)));

		if (!fd && errno == ENODEV)
			return PerfRing(cpu, Fd(), nullptr, 0);
		if (!fd)
			return system_error("perf_event_open");

		void *const memory =
			mmap(nullptr, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);

		if (memory != MAP_FAILED)
			return PerfRing(cpu, std::move(fd), memory, bytes);
		if (bytes <= page)
			return Error{fmt::format(
				"no buffer for perf's samples: {} (raise kernel.perf_event_mlock_kb, or "
				"'ulimit -l'; or end other programs that record)",
				std::strerror(errno))};
	}
}

PerfRing::PerfRing(PerfRing &&other) noexcept
	: cpu_(other.cpu_), fd_(std::move(other.fd_)), memory_(std::exchange(other.memory_, nullptr)),
	  bytes_(other.bytes_), head_(other.head_), tail_(other.tail_)
{
}

PerfRing::~PerfRing()
{
	if (memory_)
		munmap(memory_, page_bytes() + bytes_);
}

const char *PerfRing::data() const
{
	return static_cast<const char *>(memory_) + page_bytes();
}

bool PerfRing::fills_up()
{
	look();
	return head_ - tail_ > bytes_ / wake_part;
}

/* The acquire pairs with the kernel's barrier before it moves data_head: the records are complete. */
void PerfRing::look()
{
	head_ = std::atomic_ref<__u64>(control().data_head).load(std::memory_order_acquire);
}

PerfRecord PerfRing::next()
{
	if (tail_ == head_)
		return PerfRecord(nullptr);

	const uint64_t place = tail_ & (bytes_ - 1);
	const auto *const header = reinterpret_cast<const perf_event_header *>(data() + place);
	const uint64_t first = bytes_ - place;

	/* Records are aligned to 8 bytes, so a header never wraps around. */
	if (header->size <= first)
		return PerfRecord(header);
	joined_.resize(header->size / sizeof(uint64_t) + 1);
	std::memcpy(joined_.data(), header, first);
	std::memcpy(reinterpret_cast<char *>(joined_.data()) + first, data(), header->size - first);
	return PerfRecord(reinterpret_cast<const perf_event_header *>(joined_.data()));
}

void PerfRing::drop()
{
	tail_ += reinterpret_cast<const perf_event_header *>(data() + (tail_ & (bytes_ - 1)))->size;
}

/* The release orders our reads before the store, after which perf may overwrite the records. */
void PerfRing::release()
{
	std::atomic_ref<__u64>(control().data_tail).store(tail_, std::memory_order_release);
}

} // namespace cli
