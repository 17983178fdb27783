// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/guest/support/device.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <linux/perf_event.h>
#include <stdexcept>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace guest {

static void must(int error, const char *what)
{
	if (error)
		throw std::system_error(error, std::generic_category(), what);
}

Device::Device(int flags) : fd_(need(open("/dev/profil", flags | O_CLOEXEC), "/dev/profil")) {}

int Device::call(unsigned int command, void *structure) const
{
	return ioctl(fd(), command, structure) ? errno : 0;
}

void Device::start(const profil_start &how) const
{
	profil_start copy = how;

	must(call(PROFIL_START, &copy), "PROFIL_START");
}

uint32_t Device::record(const profil_record &how, int proof) const
{
	profil_record copy = how;

	copy.proof = proof;
	must(call(PROFIL_RECORD, &copy), "PROFIL_RECORD");
	need_that(copy.profile > 0, "a recording has a number");
	return copy.profile;
}

uint64_t Device::stop(uint32_t profile) const
{
	profil_stop stop = {};

	stop.size = sizeof(stop);
	stop.profile = profile;
	must(call(PROFIL_STOP, &stop), "PROFIL_STOP");
	return stop.stored;
}

profil_status Device::status(uint32_t profile) const
{
	profil_status status = {};

	status.size = sizeof(status);
	status.profile = profile;
	must(call(PROFIL_STATUS, &status), "PROFIL_STATUS");
	need_that(status.ticks == causes(status), "the ticks are the sum of their causes");
	return status;
}

Ring::Ring(unsigned int flags, uint8_t entry_flags) : entry_flags_(entry_flags)
{
	const int error = io_uring_queue_init(4, &ring_, flags);

	must(-error, "io_uring_queue_init");
}

void Ring::keep_to_one_worker()
{
	unsigned most[] = {1, 1};

	must(-io_uring_register_iowq_max_workers(&ring_, most), "io_uring_register_iowq_max_workers");
}

Ring::~Ring()
{
	io_uring_queue_exit(&ring_);
}

int Ring::complete()
{
	io_uring_cqe *cqe;
	int error;

	/* With injected faults the kernel may lack memory: try again. */
	do
		error = -std::min(io_uring_submit(&ring_), 0);
	while (error == ENOMEM || error == EAGAIN);
	must(error, "io_uring_submit");
	must(-io_uring_wait_cqe(&ring_, &cqe), "io_uring_wait_cqe");
	const int result = cqe->res;
	io_uring_cqe_seen(&ring_, cqe);
	return result;
}

int Ring::call(int fd, unsigned int command, const profil_uring_cmd &payload)
{
	io_uring_sqe *sqe = io_uring_get_sqe(&ring_);

	io_uring_prep_rw(IORING_OP_URING_CMD, sqe, fd, nullptr, 0, 0);
	sqe->flags |= entry_flags_;
	sqe->cmd_op = command;
	memcpy(sqe->cmd, &payload, sizeof(payload));
	return -complete();
}

int Ring::call(const Device &device, unsigned int command, void *structure, uint32_t size)
{
	profil_uring_cmd payload = {};

	payload.arg = reinterpret_cast<uintptr_t>(structure);
	payload.size = size;
	return call(device.fd(), command, payload);
}

void Ring::read_zeroes(int zero, void *to, size_t bytes)
{
	io_uring_sqe *sqe = io_uring_get_sqe(&ring_);

	io_uring_prep_read(sqe, zero, to, bytes, 0);
	sqe->flags |= IOSQE_ASYNC;
	need_that(complete() > 0, "a worker reads /dev/zero");
}

uint64_t causes(const profil_status &status)
{
	return status.counted + status.outside + status.saturated + status.kernel + status.no_user_pc +
	       status.off + status.lost_late + status.lost_contended + status.lost_full;
}

profil_region one_counter(uint64_t low, uint64_t high, const void *counter, uint8_t width)
{
	profil_region region = {};

	region.low = low;
	region.high = high;
	region.offset = low;
	region.buffer = reinterpret_cast<uintptr_t>(counter);
	region.bytes = width;
	region.scale = 0;
	region.width = width;
	return region;
}

profil_region each_address(uint64_t low, uint64_t high, const void *counters, uint8_t width)
{
	profil_region region = one_counter(low, high, counters, width);

	region.bytes = (high - low) * width;
	region.scale = 0x10000;
	return region;
}

profil_start describe(std::span<const profil_region> regions, uint64_t period)
{
	profil_start how = {};

	how.size = sizeof(profil_start);
	how.period = period;
	how.regions = reinterpret_cast<uintptr_t>(regions.data());
	how.nr_regions = static_cast<uint32_t>(regions.size());
	how.region_size = sizeof(profil_region);
	return how;
}

profil_start describe(const profil_region &region, uint64_t period)
{
	/* The region may be a temporary, which the description outlives. */
	static thread_local std::array<profil_region, 256> kept;
	static thread_local size_t used;
	profil_region &copy = kept[used++ % kept.size()];

	copy = region;
	return describe(std::span(&copy, 1), period);
}

profil_start describe_all_ticks(const profil_region &region, uint64_t period)
{
	auto how = describe(region, period);

	how.flags = PROFIL_KERNEL_TICKS;
	return how;
}

profil_start describe_samples(void *samples, uint64_t number, uint32_t width, uint64_t period)
{
	profil_start how = {};

	how.size = sizeof(profil_start);
	how.period = period;
	how.samples = reinterpret_cast<uintptr_t>(samples);
	how.nr_samples = number;
	how.sample_width = width;
	return how;
}

profil_record describe_recording(const void *table, size_t bytes, uint32_t flags, uint64_t period)
{
	profil_record record = {};

	record.size = sizeof(record);
	record.flags = flags;
	record.period = period;
	record.table = reinterpret_cast<uintptr_t>(table);
	record.nr_counts = static_cast<uint32_t>(bytes / sizeof(profil_count));
	record.proof = -1;
	return record;
}

profil_add describe_addition(uint32_t profile, int proof, pid_t target)
{
	profil_add add = {};

	add.size = sizeof(add);
	add.profile = profile;
	add.proof = proof;
	add.target = target;
	return add;
}

profil_table describe_table(uint32_t profile, const void *table, size_t bytes)
{
	profil_table change = {};

	change.size = sizeof(change);
	change.profile = profile;
	change.nr_counts = static_cast<uint32_t>(bytes / sizeof(profil_count));
	change.table = reinterpret_cast<uintptr_t>(table);
	return change;
}

profil_wait describe_wait(uint32_t profile, uint32_t keys)
{
	profil_wait wait = {};

	wait.size = sizeof(wait);
	wait.profile = profile;
	wait.keys = keys;
	return wait;
}

uint64_t sum_table(const Memory &table)
{
	uint64_t sum = 0;

	for (size_t at = 0; at < table.bytes(); at += sizeof(profil_count))
		sum += __atomic_load_n(&table.at<profil_count>(at)->count, __ATOMIC_RELAXED);
	return sum;
}

uint64_t burn_ticks(const Device &device, const Burner &burner, uintptr_t pc, uint64_t number,
		    __u64 profil_status::*fate, uint32_t profile)
{
	const auto before = device.status(profile).*fate;
	uint64_t more = 0;

	burner.burn_until(pc, [&] { return (more = device.status(profile).*fate - before) >= number; });
	return more;
}

Fd open_proof(const Proof &proof)
{
	perf_event_attr attr = {};

	attr.size = sizeof(attr);
	attr.type = proof.type;
	attr.config = proof.config;
	if (proof.type == PERF_TYPE_BREAKPOINT) {
		attr.bp_type = 2; /* HW_BREAKPOINT_W */
		attr.bp_addr = proof.address;
		attr.bp_len = 8;
	}
	attr.sample_period = proof.sampling ? 1'000'000'000 : 0;
	attr.sample_type = proof.sample_type;
	attr.disabled = 1;
	attr.inherit = proof.inherit;
	attr.exclude_user = proof.exclude_user;
	attr.exclude_kernel = proof.exclude_kernel;
	attr.exclude_hv = 1;
	return Fd(static_cast<int>(
		syscall(SYS_perf_event_open, &attr, proof.pid, proof.cpu, -1, PERF_FLAG_FD_CLOEXEC)));
}

Fd proof_of(pid_t pid)
{
	Fd fd = open_proof({.pid = pid});

	need(fd.get(), "perf_event_open");
	return fd;
}

ClockKeeper::ClockKeeper()
	: child_([this] {
		  const Device device;
		  const Memory counters(4096);

		  device.start(describe(one_counter(0x1000, 0x1002, counters.at())));
		  ready_.open();
		  pause();
	  })
{
	ready_.wait();
}

} // namespace guest
