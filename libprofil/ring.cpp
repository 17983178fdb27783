// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/ring.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace libprofil {

Ring::~Ring()
{
	close();
}

int Ring::open(size_t entries)
{
	if (entries_ >= entries)
		return 0;
	close();

	const int error = io_uring_queue_init(static_cast<unsigned>(entries), &ring_, 0);

	if (!error)
		entries_ = entries;
	return -error;
}

void Ring::close()
{
	if (entries_)
		io_uring_queue_exit(&ring_);
	entries_ = 0;
}

static void prepare(io_uring_sqe *sqe, const Device &device, profil_add &command, size_t number)
{
	profil_uring_cmd payload = {};

	payload.arg = reinterpret_cast<uintptr_t>(&command);
	payload.size = command.size;
	io_uring_prep_rw(IORING_OP_URING_CMD, sqe, device.fd(), nullptr, 0, 0);
	sqe->cmd_op = PROFIL_ADD;
	/* The module runs no command under the ring's lock. */
	sqe->flags |= IOSQE_ASYNC;
	memcpy(sqe->cmd, &payload, sizeof payload);
	io_uring_sqe_set_data64(sqe, number);
}

void Ring::run(const Device &device, std::span<Addition> additions, std::span<int> results)
{
	std::fill(results.begin(), results.end(), ECANCELED);
	for (size_t i = 0; i < additions.size(); i++)
		prepare(io_uring_get_sqe(&ring_), device, additions[i].command, i);

	/*
	 * A signal ends the wait, and a bad entry ends the submission: continue with
	 * the rest.  After any other error, wait for the commands that were taken, then
	 * close the ring, which drops the rest.
	 */
	while (io_uring_sq_ready(&ring_) || in_flight_) {
		const unsigned ready = io_uring_sq_ready(&ring_);
		const int error = io_uring_submit_and_wait(&ring_, 1);

		in_flight_ += ready - io_uring_sq_ready(&ring_);
		reap(results);
		if (error < 0 && error != -EINTR && !in_flight_) {
			close();
			return;
		}
	}
}

void Ring::reap(std::span<int> results)
{
	io_uring_cqe *cqe;

	while (io_uring_peek_cqe(&ring_, &cqe) == 0) {
		results[io_uring_cqe_get_data64(cqe)] = -cqe->res;
		io_uring_cqe_seen(&ring_, cqe);
		in_flight_--;
	}
}

} // namespace libprofil
