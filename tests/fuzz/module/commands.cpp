// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/module/commands.h"

#include "tests/fuzz/module/arena.h"
#include "tests/fuzz/module/shared.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <linux/perf_event.h>
#include <linux/profil.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fuzz {

namespace {

constexpr size_t page = 4096;
constexpr unsigned unknown_command = _IO(PROFIL_TYPE, 0x87);
constexpr unsigned commands[] = {PROFIL_INFO,	PROFIL_START,  PROFIL_START,	PROFIL_START,	PROFIL_START,
				 PROFIL_STOP,	PROFIL_STATUS, PROFIL_STATUS,	PROFIL_ATTACH,	PROFIL_ATTACH,
				 PROFIL_ATTACH, PROFIL_UPDATE, PROFIL_STOP_ALL, unknown_command};

// A structure, and what follows it, which no command may write.
struct Argument {
	union {
		uint32_t size;
		profil_info info;
		profil_start start;
		profil_stop stop;
		profil_status status;
		profil_update update;
		profil_stop_all stop_all;
		unsigned char bytes[256];
	};
	unsigned char canary[64];
};

// Those beyond the most that are filled in are refused.
struct Regions {
	static constexpr size_t most = 24;
	profil_region region[most];
	profil_region nothing[most];
};

uint32_t size_of(unsigned command)
{
	switch (command) {
	case PROFIL_INFO: return sizeof(profil_info);
	case PROFIL_START:
	case PROFIL_ATTACH: return sizeof(profil_start);
	case PROFIL_STOP: return sizeof(profil_stop);
	case PROFIL_STATUS: return sizeof(profil_status);
	case PROFIL_UPDATE: return sizeof(profil_update);
	default: return sizeof(profil_stop_all);
	}
}

// The errors at the head of <linux/profil.h>, by command.
bool documented(unsigned command, int error)
{
	const auto one_of = [error](std::initializer_list<int> errors) {
		return std::find(errors.begin(), errors.end(), error) != errors.end();
	};

	if (command == unknown_command)
		return one_of({ENOTTY, EBADF, EINVAL}); // a ring looks at the size first
	// The descriptor may be closed by another thread.
	if (one_of({0, E2BIG, EBADF, EFAULT, EINTR, EINVAL, ENOMEM}))
		return true;
	switch (command) {
	case PROFIL_START: return one_of({EBUSY, EDQUOT, EOPNOTSUPP, ERANGE});
	case PROFIL_ATTACH: return one_of({EACCES, EBUSY, EDQUOT, EOPNOTSUPP, ERANGE, ESRCH});
	case PROFIL_STOP:
	case PROFIL_STATUS: return error == ENOENT;
	case PROFIL_UPDATE: return one_of({EDQUOT, ENOENT, EPERM});
	case PROFIL_STOP_ALL: return error == EPERM;
	default: return false;
	}
}

uint64_t causes(const profil_status &status)
{
	return status.counted + status.outside + status.saturated + status.kernel + status.no_user_pc +
	       status.off + status.lost_late + status.lost_contended + status.lost_exec;
}

profil_region make_region(Random &random, uint64_t &low)
{
	static const uint8_t widths[] = {2, 4, 4, 4, 8};
	profil_region region = {};

	region.width = random.pick(widths);
	region.low = low;
	// All of the address space, or some of the program.
	region.high = low + (random.one_in(3) ? uint64_t{1} << 46 : random.between(1, 1 << 20));
	low = region.high + random.below(3) * 4096;
	region.offset = region.low - (random.one_in(4) ? random.below(region.low + 1) : 0);
	uint64_t bytes = random.one_in(4) ? region.width : random.below(Arena::slot_bytes);
	region.buffer = Arena::place(random, region.width, bytes);
	region.bytes = bytes;
	region.scale = random.one_in(3) ? 0 : static_cast<uint32_t>(random.any_size());
	region.pre = static_cast<uint8_t>(random.below(4));
	region.bias = static_cast<uint8_t>(random.below(2));
	region.post = static_cast<uint8_t>(random.below(4));
	return region;
}

uint32_t make_regions(Random &random, Regions &regions)
{
	static const uint64_t starts[] = {0, 1, 0x400000, 0x550000000000, 0x7f0000000000};
	const auto nr = static_cast<uint32_t>(random.one_in(4) ? random.between(1, Regions::most)
							       : random.between(1, 3));
	uint64_t low = random.pick(starts);

	for (uint32_t i = 0; i < nr; i++)
		regions.region[i] = make_region(random, low);
	return nr;
}

int make_proof(Random &random, pid_t target)
{
	perf_event_attr attr = {};

	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = random.one_in(2) ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_DUMMY;
	attr.sample_period = random.one_in(20) ? 0 : 1'000'000'000;
	attr.sample_type = random.one_in(20) ? 0 : PERF_SAMPLE_IP;
	attr.disabled = 1;
	attr.inherit = random.one_in(20);
	attr.exclude_kernel = random.one_in(3);
	attr.exclude_user = random.one_in(20);
	return static_cast<int>(syscall(SYS_perf_event_open, &attr, target, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

uint32_t make_flags(Random &random, unsigned command)
{
	auto flags = static_cast<uint32_t>(random.below(PROFIL_THREAD));

	if (command == PROFIL_ATTACH && random.one_in(3))
		flags = (flags & ~PROFIL_FOLLOW) | PROFIL_THREAD;
	else if (random.one_in(40))
		flags |= PROFIL_THREAD;
	return flags;
}

void make_start(Random &random, unsigned command, profil_start &how, Regions &regions)
{
	static const uint64_t periods[] = {250'000, 500'000, 1'000'000, 1'000'000, 3'333'333, 10'000'000};

	how.size = sizeof(how);
	how.flags = make_flags(random, command);
	how.clock = random.one_in(20) ? static_cast<uint32_t>(random.below(4)) : 0;
	how.limit_policy = static_cast<uint32_t>(random.one_in(2) ? random.below(3) : 0);
	how.limit = how.limit_policy ? random.any_size() : 0;
	how.period = random.one_in(30) ? random.below(20'000) : random.pick(periods);
	how.proof = -1;
	if (!random.one_in(5)) {
		how.nr_regions = make_regions(random, regions);
		how.regions = reinterpret_cast<uintptr_t>(regions.region);
		how.region_size = sizeof(profil_region);
	}
	uint64_t bytes = 8;
	if (random.one_in(3)) {
		how.overflow_width = 4;
		how.overflow = Arena::place(random, 8, bytes);
	} else if (!how.nr_regions || random.one_in(4)) {
		bytes = random.below(Arena::slot_bytes);
		how.sample_width = random.one_in(2) ? 4 : 8;
		how.samples = Arena::place(random, how.sample_width, bytes);
		how.nr_samples = bytes / how.sample_width;
	}
}

void make_update(Random &random, profil_update &update, Regions &regions)
{
	update.size = sizeof(update);
	update.profile = static_cast<uint32_t>(random.below(4));
	update.nr_regions = make_regions(random, regions);
	update.regions = reinterpret_cast<uintptr_t>(regions.region);
	update.region_size = sizeof(profil_region);
}

void make(Random &random, unsigned command, Argument &argument, Regions &regions)
{
	memset(&argument, 0, sizeof(argument));
	memset(argument.canary, 0x5a, sizeof(argument.canary));
	argument.size = size_of(command);
	if (command == PROFIL_START || command == PROFIL_ATTACH)
		make_start(random, command, argument.start, regions);
	else if (command == PROFIL_UPDATE)
		make_update(random, argument.update, regions);
	else if (command == PROFIL_STOP || command == PROFIL_STATUS)
		argument.status.profile = random.one_in(2) ? 0 : static_cast<uint32_t>(random.below(4));
}

// A few bits in the structure, its regions, or another size.
void spoil(Random &random, Argument &argument, Regions &regions, uint32_t size)
{
	switch (random.below(4)) {
	case 0: argument.size = static_cast<uint32_t>(random.any_size()); break;
	case 1: argument.size += static_cast<uint32_t>(random.below(64)) - 32; break;
	case 2: argument.bytes[random.below(size)] ^= 1 << random.below(8); break;
	default:
		// Not where counters are: they would be anywhere.
		regions.region[random.below(3)].scale = static_cast<uint32_t>(random.next());
		regions.region[random.below(3)].high = random.any_size();
		regions.region[random.below(3)].width = static_cast<uint8_t>(random.next());
	}
}

// The pointers of a spoilt structure must not lead into our own memory.
bool harmless(unsigned command, const Argument &argument, const Argument &before)
{
	if (command == PROFIL_UPDATE)
		return argument.update.regions == before.update.regions &&
		       argument.update.nr_regions <= 2 * Regions::most;
	if (command != PROFIL_START && command != PROFIL_ATTACH)
		return true;
	const auto &now = argument.start, &then = before.start;
	return now.overflow == then.overflow && now.samples == then.samples &&
	       now.nr_samples == then.nr_samples && now.sample_width == then.sample_width &&
	       now.overflow_width == then.overflow_width && now.regions == then.regions &&
	       now.nr_regions <= 2 * Regions::most;
}

void check(unsigned command, int error, const Argument &before, const Argument &after)
{
	const auto nr = command & 0xff;

	shared->commands++;
	(error ? shared->refused : shared->succeeded)++;
	if (!documented(command, error))
		return complain("command %#x: undocumented error %d", nr, error);
	if (memcmp(after.canary, before.canary, sizeof(after.canary)))
		return complain("command %#x wrote beyond its structure", nr);
	// Only a copy that fails half-way may leave some of it.
	if (error && error != EFAULT && memcmp(after.bytes, before.bytes, sizeof(after.bytes)))
		return complain("command %#x failed with %d and wrote its output", nr, error);
	if (error)
		return;
	if (command == PROFIL_STATUS && after.status.ticks != causes(after.status))
		complain("status: %lu ticks and %lu of causes", uint64_t{after.status.ticks},
			 causes(after.status));
	if (command == PROFIL_STATUS && after.status.state > PROFIL_STATE_STOPPED)
		complain("status: state %u", after.status.state);
	if (command == PROFIL_INFO && after.info.abi != PROFIL_ABI)
		complain("info: abi %u", after.info.abi);
	if (command == PROFIL_ATTACH)
		shared->attaches++;
}

int any_device(Random &random)
{
	return first_device + static_cast<int>(random.below(nr_devices));
}

// Where no structure can be, or not all of it.
void *bad_pointer(Random &random)
{
	static const uint64_t pointers[] = {
		0, 1, 0x1000, 0x7fffffffeff8, 0x800000000000, 0xffffffff81000000, UINT64_MAX - 3};

	return reinterpret_cast<void *>(random.pick(pointers));
}

// Commands in flight when their ring ends need memory that stays.
thread_local std::array<Argument, 8> abandoned;
thread_local Regions abandoned_regions;

} // namespace

thread_local Ring thread_ring;

void open_device(Random &random)
{
	static const int modes[] = {O_RDWR, O_RDWR, O_RDONLY, O_WRONLY};
	const int number = any_device(random);
	const int fd = open("/dev/profil", random.pick(modes) | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		if (errno != ENOMEM && errno != EINTR && errno != EMFILE)
			complain("open: error %d", errno);
		return;
	}
	dup3(fd, number, random.one_in(8) ? 0 : O_CLOEXEC);
	close(fd);
}

void close_device(Random &random)
{
	close(any_device(random));
}

void read_events(Random &random)
{
	profil_event events[20];
	const size_t bytes = random.below(sizeof(events) + 1);
	const int fd = any_device(random);
	const auto n = read(fd, random.one_in(10) ? bad_pointer(random) : events, bytes);
	const int error = n < 0 ? errno : 0;

	shared->commands++;
	if (error && error != EAGAIN && error != EBADF && error != EFAULT && error != EINVAL &&
	    error != EINTR && error != ENOMEM)
		complain("read: error %d", error);
	if (n > 0 && n % static_cast<ssize_t>(sizeof(profil_event)))
		complain("read: %zd bytes", n);
}

void read_facts(Random &random)
{
	const int number = any_device(random);
	const int fd = open(("/proc/self/fdinfo/" + std::to_string(number)).c_str(), O_RDONLY | O_CLOEXEC);
	std::array<char, 512> part;
	std::string facts;
	ssize_t n;

	// There is no such file, or no descriptor free, or another thread closes it.
	if (fd < 0)
		return;
	while ((n = read(fd, part.data(), random.between(1, part.size()))) > 0)
		facts.append(part.data(), static_cast<size_t>(n));
	const int error = n < 0 ? errno : 0;
	close(fd);
	shared->commands++;
	if (error && error != EINTR && error != ENOENT && error != ENOMEM)
		complain("fdinfo: error %d", error);
	if (!error && facts.find("session:\t") == std::string::npos)
		complain("fdinfo without a session: %.200s", facts.c_str());
}

Ring::~Ring()
{
	if (ring_) {
		io_uring_queue_exit(ring_);
		delete ring_;
	}
}

io_uring_sqe *Ring::prepare(Random &random, int fd, unsigned command, void *structure, uint32_t size)
{
	const profil_uring_cmd payload = {reinterpret_cast<uintptr_t>(structure), size, 0};

	if (!ring_) {
		auto fresh = std::make_unique<io_uring>();
		if (io_uring_queue_init(8, fresh.get(), 0))
			return nullptr;
		ring_ = fresh.release();
	}
	io_uring_sqe *sqe = io_uring_get_sqe(ring_);
	if (!sqe)
		return nullptr;
	io_uring_prep_rw(IORING_OP_URING_CMD, sqe, fd, nullptr, 0, 0);
	if (random.one_in(3))
		sqe->flags |= IOSQE_ASYNC;
	sqe->cmd_op = command;
	memcpy(sqe->cmd, &payload, sizeof(payload));
	return sqe;
}

int Ring::call(Random &random, int fd, unsigned command, void *structure, uint32_t size)
{
	io_uring_sqe *const sqe = prepare(random, fd, command, structure, size);
	io_uring_cqe *cqe;
	int error;

	if (!sqe)
		return -1;
	do
		error = io_uring_submit(ring_);
	while (error == -EINTR || error == -EAGAIN || error == -ENOMEM);
	if (error < 0) {
		complain("io_uring_submit: error %d", -error);
		return -1;
	}
	// What the kernel has taken, it has taken.
	memset(sqe->cmd, 0xee, sizeof(profil_uring_cmd));
	do
		error = io_uring_wait_cqe(ring_, &cqe);
	while (error == -EINTR || error == -EAGAIN);
	if (error < 0) {
		complain("io_uring_wait_cqe: error %d", -error);
		return -1;
	}
	const int result = cqe->res;
	io_uring_cqe_seen(ring_, cqe);
	shared->by_ring++;
	return -result;
}

void Ring::abandon(Random &random, int fd)
{
	bool some = false;

	for (auto &argument : abandoned) {
		const unsigned command = random.pick(commands);

		if (command == PROFIL_STOP_ALL || command == unknown_command)
			continue;
		make(random, command, argument, abandoned_regions);
		some = prepare(random, fd, command, &argument, argument.size) || some;
	}
	if (!some)
		return;
	shared->commands += io_uring_submit(ring_) > 0;
	io_uring_queue_exit(ring_);
	delete ring_;
	ring_ = nullptr;
}

void run_command(Random &random, pid_t target)
{
	const unsigned command = random.pick(commands);
	const int fd = any_device(random);
	const bool by_ring = random.one_in(3);
	Argument argument, before;
	Regions regions = {};
	int error, proof = -1;

	if (random.one_in(60))
		return thread_ring.abandon(random, fd);
	// Everybody's profiles, so not often.
	if (command == PROFIL_STOP_ALL && (!random.one_in(10) || shared->among_others))
		return;
	make(random, command, argument, regions);
	before = argument;
	if (random.one_in(6))
		spoil(random, argument, regions, size_of(command));
	if (!harmless(command, argument, before))
		return;
	if (command == PROFIL_ATTACH) {
		proof = make_proof(random, target);
		argument.start.proof = proof;
	}
	void *const at = random.one_in(50) ? bad_pointer(random) : &argument;
	before = argument;
	if (by_ring) {
		const auto size =
			random.one_in(30) ? static_cast<uint32_t>(random.any_size()) : argument.size;
		error = thread_ring.call(random, fd, command, at, size);
	} else {
		error = ioctl(fd, command, at) ? errno : 0;
	}
	if (proof >= 0)
		close(proof);
	// ECANCELED: io_uring had no worker for it.
	if (error >= 0 && !(by_ring && error == ECANCELED))
		check(command, error, before, argument);
}

} // namespace fuzz
