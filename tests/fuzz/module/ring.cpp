// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/module/ring.h"

#include "tests/fuzz/module/argument.h"
#include "tests/fuzz/module/shared.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace fuzz {

namespace {

/** Memory of abandoned commands, which must outlive their ring. */
thread_local std::array<Argument, 8> abandoned;
thread_local Regions abandoned_regions;

} // namespace

thread_local Ring thread_ring;

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
	/* After the submission, the kernel must not read the command again. */
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
		/* Nothing would close the descriptor that PROFIL_DESCRIBE_OPEN returns. */
		if (command == PROFIL_DESCRIBE)
			argument.describe.flags = 0;
		some = prepare(random, fd, command, &argument, argument.size) || some;
	}
	if (!some)
		return;
	shared->commands += io_uring_submit(ring_) > 0;
	io_uring_queue_exit(ring_);
	delete ring_;
	ring_ = nullptr;
}

} // namespace fuzz
