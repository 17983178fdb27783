// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/ring.cpp  Two processes share an io_uring; a command of one waits for
 * a page that never arrives.
 */
#include "tests/guest/hostile/support.h"
#include "tests/guest/hostile/unserved.h"

#include <csignal>
#include <cstring>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace guest;
using namespace guest::hostile;

namespace {

/** A ring that is mapped in all processes that this one later forks. */
class SharedRing {
public:
	SharedRing() { need(io_uring_queue_init(4, &ring_, 0), "io_uring_queue_init"); }
	SharedRing(const SharedRing &) = delete;
	SharedRing &operator=(const SharedRing &) = delete;
	~SharedRing() { io_uring_queue_exit(&ring_); }

	/** Submit a command without waiting for its completion. */
	void submit(const Device &device, unsigned command, void *structure, uint32_t size)
	{
		const profil_uring_cmd payload = {reinterpret_cast<uintptr_t>(structure), size, 0};
		io_uring_sqe *const entry = io_uring_get_sqe(&ring_);

		io_uring_prep_rw(IORING_OP_URING_CMD, entry, device.fd(), nullptr, 0, 0);
		entry->cmd_op = command;
		memcpy(entry->cmd, &payload, sizeof(payload));
		io_uring_submit(&ring_);
	}
	/** Enter the ring from another process; there may be nothing to submit. */
	void enter() const { need(io_uring_enter(ring_.ring_fd, 1, 0, 0, nullptr), "io_uring_enter"); }

private:
	io_uring ring_;
};

} // namespace

TEST_CASE_METHOD(AtRest, "a command that waits for its gate keeps nobody else from entering the ring",
		 "[hostile]")
{
	need_fuse();
	FuseFile file(page);
	SharedRing ring;
	const Child user = as_user(attacker, [&] {
		const Device device;
		const FuseMemory memory(file);
		const Memory counters(page);
		auto how = count_in(counters.at());

		how.gate = reinterpret_cast<uintptr_t>(memory.at());
		file.hold();
		ring.submit(device, PROFIL_START, &how, sizeof(how));
		pause();
	});
	file.await_reader();
	Child other([&] { ring.enter(); });
	CHECK(ends(other));
	CHECK(file.waiting() > 0);
	kill(user.pid(), SIGKILL);
	file.abort();
	CHECK(other.reap() == 0);
	CHECK(ends(user));
}

TEST_CASE_METHOD(AtRest, "a command that waits for a userfaultfd keeps nobody else from entering the ring",
		 "[hostile]")
{
	const FaultsForUsers allowed;
	const Memory shared(page, MAP_SHARED);
	auto *const awaited = shared.at<std::atomic<bool>>();
	SharedRing ring;
	const Child user = as_user(attacker, [&] {
		const Device device;
		const UnservedMemory memory;
		std::thread watcher([&] {
			while (!memory.awaited())
				usleep(1000);
			*awaited = true;
		});

		ring.submit(device, PROFIL_STATUS, memory.at(), sizeof(profil_status));
		pause();
	});
	REQUIRE(soon([&] { return awaited->load(); }));
	Child other([&] { ring.enter(); });
	CHECK(ends(other));
	/* The userfaultfd ends with its process. */
	kill(user.pid(), SIGKILL);
	CHECK(ends(user));
	CHECK(other.reap() == 0);
}
