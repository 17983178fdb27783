// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/uring.cpp  Rings that are torn down, outlive their creator, or change while
 * the kernel reads them.
 */
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

/** A ring that does not wait for its submissions. */
class LooseRing {
public:
	explicit LooseRing(bool by_worker = false) : by_worker_(by_worker)
	{
		need(io_uring_queue_init(16, &ring_, 0), "io_uring_queue_init");
	}
	LooseRing(const LooseRing &) = delete;
	LooseRing &operator=(const LooseRing &) = delete;
	~LooseRing() { io_uring_queue_exit(&ring_); }

	void prepare(const Device &device, unsigned int command, void *structure, uint32_t size)
	{
		io_uring_sqe *sqe = io_uring_get_sqe(&ring_);
		profil_uring_cmd payload = {};

		need_that(sqe != nullptr, "the ring has room");
		payload.arg = reinterpret_cast<uintptr_t>(structure);
		payload.size = size;
		io_uring_prep_rw(IORING_OP_URING_CMD, sqe, device.fd(), nullptr, 0, 0);
		if (by_worker_)
			sqe->flags |= IOSQE_ASYNC;
		sqe->cmd_op = command;
		memcpy(sqe->cmd, &payload, sizeof(payload));
	}
	void submit() { need(io_uring_submit(&ring_), "io_uring_submit"); }
	io_uring &ring() { return ring_; }

private:
	io_uring ring_;
	const bool by_worker_;
};

template <typename T> T sized(uint32_t profile = 0)
{
	T structure = {};

	structure.size = sizeof(T);
	structure.profile = profile;
	return structure;
}

} // namespace

TEST_CASE_METHOD(AtRest, "a ring that is torn down with commands in flight leaves nothing behind",
		 "[race][uring]")
{
	const Burner burner;
	const Memory counters(page), table(page);

	burner.plant_loop(text);
	const Child target = burning_child(text);
	const Fd proof = proof_of(target.pid());
	const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8);
	for (unsigned i = 0; i < rounds(30); i++) {
		/* The commands may still write to these structures after the lambda has returned. */
		auto start = describe(region);
		auto record = describe_recording(table);
		auto status = sized<profil_status>(1);
		auto stop = sized<profil_stop>(i % 2);
		record.proof = proof.get();
		Child owner([&] {
			Device device;
			LooseRing ring(i % 2 == 0);

			ring.prepare(device, PROFIL_RECORD, &record, sizeof(record));
			ring.prepare(device, PROFIL_START, &start, sizeof(start));
			ring.prepare(device, PROFIL_STATUS, &status, sizeof(status));
			ring.prepare(device, PROFIL_STOP, &stop, sizeof(stop));
			ring.prepare(device, PROFIL_START, &start, sizeof(start));
			ring.submit();
			if (i % 3 == 0)
				raise(SIGKILL);
			if (i % 3 == 1)
				device.close();
			/* Otherwise the destructors end the ring first, then the file. */
		});
		owner.reap();
	}
}

/*
 * A fork may share the structure's page after the command has written to it, and before the command
 * restores it.
 */
TEST_CASE_METHOD(AtRest, "a recording that is refused leaves its structure as it was while the process forks",
		 "[race][uring]")
{
	const Device device;
	Ring ring;
	const Memory table(page), other(page), structure(page);
	const Child target([] { pause(); });
	const Fd proof = proof_of(target.pid());
	auto *const record = new (structure.at()) profil_record(describe_recording(other));
	std::atomic<bool> done = false;
	const unsigned number = rounds(2'000);
	unsigned refused = 0, changed = 0;

	device.record(describe_recording(table), proof.get());
	record->proof = proof.get();
	std::thread forker([&] {
		while (!done)
			Child([] { _exit(0); }).reap();
	});
	for (unsigned i = 0; i < number; i++) {
		record->profile = 0;
		refused += ring.call(device, PROFIL_RECORD, record, sizeof(*record)) == EEXIST;
		changed += record->profile != 0;
	}
	done = true;
	forker.join();
	CHECK(refused == number);
	CHECK(changed == 0);
}

/* io_uring's entries are in shared memory: the program may change an entry at any time. */
TEST_CASE_METHOD(AtRest, "a submission that changes while it is read runs as one version or is refused",
		 "[race][uring]")
{
	const Device device;
	LooseRing ring;
	std::atomic<bool> done = false;
	struct {
		profil_status status;
		char more[64];
	} longer = {};
	auto plain = sized<profil_status>();
	io_uring_sqe *entries = ring.ring().sq.sqes;
	unsigned good = 0, refused = 0;

	longer.status.size = sizeof(longer);
	std::thread changer([&] {
		const profil_uring_cmd kinds[] = {
			{reinterpret_cast<uintptr_t>(&plain), sizeof(plain), 0},
			{reinterpret_cast<uintptr_t>(&longer), sizeof(longer), 0},
			{0, sizeof(plain), 0},
			{reinterpret_cast<uintptr_t>(&plain), 0xffffffff, 0},
			{reinterpret_cast<uintptr_t>(&plain), sizeof(plain), 1},
		};
		for (unsigned i = 0; !done; i++) {
			auto *payload = reinterpret_cast<volatile profil_uring_cmd *>(entries[i % 16].cmd);
			const auto &kind = kinds[i / 16 % 5];

			payload->arg = kind.arg;
			payload->size = kind.size;
			payload->reserved = kind.reserved;
		}
	});
	for (unsigned i = 0; i < rounds(2000); i++) {
		for (unsigned k = 0; k < 8; k++)
			ring.prepare(device, PROFIL_STATUS, &plain, sizeof(plain));
		ring.submit();
		for (unsigned k = 0; k < 8; k++) {
			io_uring_cqe *cqe;
			need(io_uring_wait_cqe(&ring.ring(), &cqe), "io_uring_wait_cqe");
			const int result = -cqe->res;
			io_uring_cqe_seen(&ring.ring(), cqe);
			good += result == 0;
			refused += result == EINVAL || result == EFAULT || result == E2BIG;
		}
	}
	done = true;
	changer.join();
	CHECK(good + refused == 8 * rounds(2000));
	CHECK(plain.size == sizeof(plain));
	CHECK(longer.status.size == sizeof(longer));
	CHECK(plain.state == PROFIL_STATE_NONE);
}

TEST_CASE_METHOD(AtRest, "a file and a ring that outlive the recorder count no more and end", "[race][uring]")
{
	const Burner burner;
	const Memory table(page, MAP_SHARED);
	unsigned touched = 0;

	burner.plant_loop(text);
	const Child target = burning_child(text);
	const Fd proof = proof_of(target.pid());
	for (unsigned i = 0; i < rounds(2); i++) {
		const Device device;
		LooseRing ring;
		uint32_t profile = 1;
		memset(table.at(), 0, page);
		Child recorder([&] {
			device.record(describe_recording(table), proof.get());
			Burner::spin(text, 100'000);
			if (i % 2)
				raise(SIGKILL);
		});
		recorder.reap();
		/* The recorder's memory is gone; the module notices that within about a second. */
		auto status = sized<profil_status>(profile);
		CHECK(soon([&] {
			need_that(device.call(PROFIL_STATUS, &status) == 0, "the file works");
			return status.state == PROFIL_STATE_STOPPED && status.pinned == 0;
		}));
		give_up(table);
		auto stop = sized<profil_stop>(profile);
		ring.prepare(device, PROFIL_STATUS, &status, sizeof(status));
		ring.prepare(device, PROFIL_STOP, &stop, sizeof(stop));
		ring.submit();
		Burner::spin(text, 20'000);
		touched += !given_up(table);
	}
	CHECK(touched == 0);
}
