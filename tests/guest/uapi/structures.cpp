// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/structures.cpp  Sizes, addresses and reserved members of every structure, by
 * ioctl and io_uring.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/ways.h"
#include "tests/support/catch.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;

/** A recording, and the objects that another recording needs, for commands on both. */
struct Recorded {
	Memory counters{page}, another{page};
	profil_region region = each_address(0x1000, 0x1040, counters.at(), 4);
	Child target{[] { pause(); }}, other_target{[] { pause(); }};
	Fd proof = proof_of(target.pid()), other_proof = proof_of(other_target.pid());
	Recording recording{256}, other = recording.beside(256);
	const Device &device = recording.device();

	Recorded() { recording.begin_with(proof); }
	uint32_t profile() const { return recording.profile(); }
	/** Begin anew with the first target alone, even if the recording has ended. */
	void renew()
	{
		device.stop(profile());
		recording.begin_with(proof);
	}
	profil_record request_other() const
	{
		profil_record record = other.request();

		record.proof = other_proof.get();
		return record;
	}
};

union Any {
	uint32_t size;
	profil_info info;
	profil_start start;
	profil_stop stop;
	profil_stop_all stop_all;
	profil_status status;
	profil_record record;
	profil_add add;
	profil_table table;
	profil_wait wait;
	profil_describe describe;
};

/**
 * A command, the size of its structure's first version, and a function that fills the structure in.
 */
struct Command {
	const char *name;
	unsigned int number;
	uint32_t least;
	bool output;
	void (*fill)(Any &any, const Recorded &on);
};

const Command commands[] = {
	{"PROFIL_INFO", PROFIL_INFO, 48, true, [](Any &, const Recorded &) {}},
	{"PROFIL_START", PROFIL_START, 96, true,
	 [](Any &any, const Recorded &on) { any.start = describe(on.region); }},
	{"PROFIL_STATUS", PROFIL_STATUS, 136, true,
	 [](Any &any, const Recorded &on) { any.status.profile = on.profile(); }},
	{"PROFIL_STOP", PROFIL_STOP, 24, true,
	 [](Any &any, const Recorded &on) { any.stop.profile = on.profile(); }},
	{"PROFIL_RECORD", PROFIL_RECORD, 48, true,
	 [](Any &any, const Recorded &on) { any.record = on.request_other(); }},
	{"PROFIL_ADD", PROFIL_ADD, 24, false,
	 [](Any &any, const Recorded &on) {
		 any.add = describe_addition(on.profile(), on.other_proof.get());
	 }},
	{"PROFIL_TABLE", PROFIL_TABLE, 24, false,
	 [](Any &any, const Recorded &on) { any.table = on.recording.request_table(on.another); }},
	{"PROFIL_WAIT", PROFIL_WAIT, 16, false,
	 [](Any &any, const Recorded &on) { any.wait = describe_wait(on.profile(), 1); }},
	{"PROFIL_DESCRIBE", PROFIL_DESCRIBE, 144, true,
	 [](Any &any, const Recorded &on) { any.describe.profile = on.profile(), any.describe.number = 1; }},
	{"PROFIL_STOP_ALL", PROFIL_STOP_ALL, 8, false, [](Any &, const Recorded &) {}},
};

/** A structure at the end of mapped memory. */
class Place {
public:
	Place(const Command &command, const Recorded &on, uint32_t size, uint32_t said)
		: start_(4 * page - size)
	{
		Any any = {};

		mprotect(memory_.at(4 * page), page, PROT_NONE);
		command.fill(any, on);
		any.size = said;
		memcpy(at(), &any, std::min<size_t>(size, sizeof(any)));
	}

	void *at() const { return memory_.at(start_); }
	uint8_t &last() const { return *memory_.at<uint8_t>(4 * page - 1); }

private:
	Memory memory_{5 * page};
	size_t start_;
};

int run(const Way &way, const Command &command, Recorded &on, uint32_t size, uint8_t last = 0)
{
	const Place place(command, on, std::min<uint32_t>(size, 4 * page), size);

	if (last)
		place.last() = last;
	const int error = way(on.device, command.number, place.at(), size);
	if (!error && command.number == PROFIL_STOP)
		on.recording.begin_with(on.proof);
	if (!error && (command.number == PROFIL_STOP_ALL || command.number == PROFIL_ADD))
		on.renew();
	if (!error && command.number == PROFIL_RECORD)
		on.device.stop(static_cast<const profil_record *>(place.at())->profile);
	/* The module does not write members that it does not know. */
	if (!error && size > command.least)
		CHECK(place.last() == 0);
	on.device.stop();
	return error;
}

void check_sizes(const Way &way)
{
	Recorded on;

	for (const Command &command : commands) {
		CAPTURE(command.name);
		const auto least = command.least;
		CHECK(run(way, command, on, least - 1) == EINVAL);
		CHECK(run(way, command, on, 4) == EINVAL);
		CHECK(run(way, command, on, least) == 0);
		CHECK(run(way, command, on, least + 1) == 0);
		CHECK(run(way, command, on, command.least + 1, 1) == E2BIG);
		CHECK(run(way, command, on, command.least + 8, 0x80) == E2BIG);
		CHECK(run(way, command, on, page) == 0);
		CHECK(run(way, command, on, page, 1) == E2BIG);
		CHECK(run(way, command, on, page + 1) == E2BIG);
		CHECK(run(way, command, on, UINT32_MAX) == E2BIG);
	}
}

/** Check that a refused command changes nothing. */
void check_places(const Way &way)
{
	Recorded on;

	for (const Command &command : commands) {
		CAPTURE(command.name);
		const auto at = [&](void *where, uint32_t size) {
			return way(on.device, command.number, where, size);
		};
		CHECK(at(nullptr, command.least) == EFAULT);
		CHECK(at(reinterpret_cast<void *>(0xffff888000000000), command.least) == EFAULT);
		CHECK(at(reinterpret_cast<void *>(0x800000000000 - 4), command.least) == EFAULT);

		const Place beyond(command, on, command.least - 1, command.least);
		CHECK(at(beyond.at(), command.least) == EFAULT);

		const Place fixed(command, on, command.least, command.least);
		mprotect(reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(fixed.at()) & -page), page,
			 PROT_READ);
		CHECK(at(fixed.at(), command.least) == (command.output ? EFAULT : 0));
		CHECK(on.device.status().state == PROFIL_STATE_NONE);
		if (command.number == PROFIL_STOP_ALL || command.number == PROFIL_ADD)
			on.renew();
		CHECK(on.recording.status().state == PROFIL_STATE_RUNNING);
	}
}

template <typename T>
int try_with(const Way &way, const Recorded &on, unsigned int command, void (*change)(T &))
{
	T structure = {};

	structure.size = sizeof(structure);
	if constexpr (requires { structure.profile; })
		structure.profile = on.profile();
	change(structure);
	return way(on.device, command, &structure, structure.size);
}

void check_members(const Way &way)
{
	const Recorded on;
	using Stop = profil_stop;
	using Status = profil_status;
	using Add = profil_add;
	using Describe = profil_describe;

	CHECK(try_with<profil_info>(way, on, PROFIL_INFO, [](auto &s) { s.flags = 1; }) == EINVAL);
	CHECK(try_with<profil_stop_all>(way, on, PROFIL_STOP_ALL, [](auto &s) { s.flags = 1; }) == EINVAL);

	CHECK(try_with<Stop>(way, on, PROFIL_STOP, [](auto &s) { s.flags = 2; }) == EINVAL);
	CHECK(try_with<Stop>(way, on, PROFIL_STOP, [](auto &s) { s.reserved = 1; }) == EINVAL);
	CHECK(try_with<Stop>(way, on, PROFIL_STOP, [](auto &s) { s.profile += 2; }) == ENOENT);
	CHECK(try_with<Stop>(way, on, PROFIL_STOP, [](auto &s) { s.profile = UINT32_MAX; }) == ENOENT);
	CHECK(try_with<Stop>(way, on, PROFIL_STOP, [](auto &s) { s.profile = 0; }) == 0);

	CHECK(try_with<Status>(way, on, PROFIL_STATUS, [](auto &s) { s.flags = 1; }) == EINVAL);
	CHECK(try_with<Status>(way, on, PROFIL_STATUS, [](auto &s) { s.profile += 2; }) == ENOENT);
	CHECK(try_with<Status>(way, on, PROFIL_STATUS, [](auto &s) { s.ticks = s.state = 77; }) == 0);

	CHECK(try_with<Stop>(way, on, PROFIL_STOP, [](auto &s) { s.profile = 0, s.flags = 1; }) == EINVAL);
	CHECK(try_with<Describe>(way, on, PROFIL_DESCRIBE, [](auto &s) { s.profile = 0; }) == ENOENT);
	CHECK(try_with<Describe>(way, on, PROFIL_DESCRIBE, [](auto &s) { s.profile += 2; }) == ENOENT);
	const auto describe = [&](void (*change)(Describe &)) {
		return try_with<Describe>(way, on, PROFIL_DESCRIBE, change);
	};
	CHECK(describe([](auto &) {}) == 0);
	CHECK(describe([](auto &s) { s.number = 1; }) == 0);
	CHECK(describe([](auto &s) { s.number = 30'000; }) == ENOENT);
	CHECK(describe([](auto &s) { s.number = UINT32_MAX; }) == ENOENT);
	CHECK(describe([](auto &s) { s.number = 1, s.flags = 8; }) == EINVAL);
	CHECK(describe([](auto &s) { s.flags = PROFIL_DESCRIBE_OPEN; }) == EINVAL);
	CHECK(describe([](auto &s) { s.number = 1, s.flags = PROFIL_DESCRIBE_OPEN; }) == ENODATA);
	CHECK(describe([](auto &s) { s.number = 1, s.path = 16; }) == EINVAL);
	CHECK(describe([](auto &s) { s.number = 1, s.path_size = 16; }) == EINVAL);

	const auto add = [&](void (*change)(Add &)) { return try_with<Add>(way, on, PROFIL_ADD, change); };
	CHECK(add([](auto &s) { s.proof = -1; }) == EBADF);
	CHECK(add([](auto &s) { s.flags = 1; }) == EINVAL);
	CHECK(add([](auto &s) { s.flags = PROFIL_THREAD; }) == EINVAL);
	CHECK(add([](auto &s) { s.reserved = 1; }) == EINVAL);
	CHECK(add([](auto &s) { s.profile = 0; }) == ENOENT);
	CHECK(add([](auto &s) { s.profile++; }) == ENOENT);
	CHECK(on.recording.status().state == PROFIL_STATE_RUNNING);
}

/** Check that invalid requests for a recording are refused. */
void check_recording(const Way &way)
{
	const Memory counts(16 * page);
	const Child target([] { pause(); });
	const Fd proof = proof_of(target.pid());
	const Recording recording(256);
	const auto with = [&](const std::function<void(profil_record &)> &change) {
		profil_record record = recording.request();

		record.table = counts.address();
		record.proof = proof.get();
		change(record);
		return way(recording.device(), PROFIL_RECORD, &record, sizeof(record));
	};

	CHECK(with([](auto &r) { r.flags |= PROFIL_KERNEL_TICKS | PROFIL_RECORD_KERNEL; }) == EINVAL);
	CHECK(with([](auto &r) { r.flags |= PROFIL_THREAD | PROFIL_FOLLOW; }) == EINVAL);
	CHECK(with([](auto &r) { r.flags |= PROFIL_THREAD | PROFIL_RECORD_EVERYBODY; }) == EINVAL);
	CHECK(with([](auto &r) { r.flags |= PROFIL_FAULT_REGION; }) == EINVAL);
	CHECK(with([](auto &r) { r.flags |= PROFIL_OWED_TICKS; }) == EINVAL);
	CHECK(with([](auto &r) { r.flags = 1U << 31; }) == EINVAL);
	CHECK(with([](auto &r) { r.clock = 77; }) == EOPNOTSUPP);
	CHECK(with([](auto &r) { r.period = 0; }) == ERANGE);
	CHECK(with([](auto &r) { r.proof = -1; }) == EBADF);
	CHECK(with([](auto &r) { r.reserved = 1; }) == EINVAL);
	CHECK(with([](auto &r) { r.nr_counts = 0; }) == EINVAL);
	CHECK(with([](auto &r) { r.nr_counts = 128; }) == EINVAL);
	CHECK(with([](auto &r) { r.nr_counts = 257; }) == EINVAL);
	CHECK(with([](auto &r) { r.nr_counts = 1U << 29; }) == EINVAL);
	CHECK(with([](auto &r) { r.table = 0; }) == EINVAL);
	CHECK(with([](auto &r) { r.table += 16; }) == EINVAL);
	CHECK(with([](auto &r) { r.table = 0xffff888000000000; }) == EFAULT);
	mprotect(counts.at(8 * page), page, PROT_NONE);
	CHECK(with([](auto &r) { r.table += 8 * page; }) == EFAULT);
	CHECK(with([](auto &) {}) == 0);
	CHECK(with([](auto &) {}) == EEXIST);
}

void check_unknown(const Way &way)
{
	const Device device;
	Any any = {};

	any.size = sizeof(any);
	const unsigned int unknown[] = {0,
					1,
					_IO(PROFIL_TYPE, 0x7f),
					_IO(PROFIL_TYPE, 0x8a),
					_IOWR(PROFIL_TYPE, 0x80, profil_info),
					_IO(PROFIL_TYPE - 1, 0x80)};
	for (const unsigned int command : unknown) {
		CAPTURE(command);
		CHECK(way(device, command, &any, sizeof(any)) == ENOTTY);
	}
}

} // namespace

TEST_CASE_METHOD(AtRest, "every structure may be longer than its first version but not shorter",
		 "[uapi][errno]")
{
	SECTION("by ioctl")
	{
		check_sizes(by_ioctl());
	}
	SECTION("by io_uring")
	{
		check_sizes(by_ring());
	}
}

TEST_CASE_METHOD(AtRest, "a structure that cannot be read or written is refused before any effect",
		 "[uapi][errno]")
{
	SECTION("by ioctl")
	{
		check_places(by_ioctl());
	}
	SECTION("by io_uring")
	{
		check_places(by_ring());
	}
}

TEST_CASE_METHOD(AtRest, "reserved members must be 0, and profiles must exist", "[uapi][errno]")
{
	SECTION("by ioctl")
	{
		check_members(by_ioctl());
		check_recording(by_ioctl());
		check_unknown(by_ioctl());
	}
	SECTION("by io_uring")
	{
		check_members(by_ring());
		check_recording(by_ring());
		check_unknown(by_ring());
	}
}

TEST_CASE_METHOD(AtRest, "the payload of a ring command is checked", "[uapi][errno][uring]")
{
	const Device device;
	struct {
		profil_info info;
		uint64_t more;
	} wide = {};
	profil_info &info = wide.info;
	Ring ring;

	info.size = sizeof(info);
	profil_uring_cmd payload = {};
	payload.arg = reinterpret_cast<uintptr_t>(&info);
	payload.size = sizeof(info);
	CHECK(ring.call(device.fd(), PROFIL_INFO, payload) == 0);
	CHECK(info.abi == PROFIL_ABI);

	payload.reserved = 1;
	CHECK(ring.call(device.fd(), PROFIL_INFO, payload) == EINVAL);
	payload.reserved = 0;
	for (const uint32_t size : {0U, 4U, 47U, 49U, 56U}) {
		CAPTURE(size);
		payload.size = size;
		CHECK(ring.call(device.fd(), PROFIL_INFO, payload) == EINVAL);
	}
	payload.size = UINT32_MAX;
	CHECK(ring.call(device.fd(), PROFIL_INFO, payload) == E2BIG);
}

/* Up to 6.12, io_uring refuses commands on a ring that polls for completions; 7.3 runs them. */
TEST_CASE_METHOD(AtRest, "a ring that polls for completions refuses or runs commands", "[uapi][errno][uring]")
{
	const Device device;
	profil_info info = {};

	info.size = sizeof(info);
	Ring ring(IORING_SETUP_IOPOLL);
	const int error = ring.call(device, PROFIL_INFO, &info, sizeof(info));
	CHECK((error == 0 || error == EOPNOTSUPP));
	CHECK(info.abi == (error ? 0 : PROFIL_ABI));
}

TEST_CASE_METHOD(AtRest, "PROFIL_INFO returns the caller's own limits", "[uapi]")
{
	const auto ask = [] {
		profil_info info = {};

		info.size = sizeof(info);
		need_that(Device().call(PROFIL_INFO, &info) == 0, "PROFIL_INFO");
		return info;
	};
	const auto root = ask();
	CHECK(root.abi == PROFIL_ABI);
	CHECK(root.region_max == 32768);
	CHECK(root.features == 0);
	CHECK(root.period_min == 20'000);
	/* All users together may pin a quarter of the machine's memory, and root all of it. */
	const uint64_t all = std::stoull(read_file("/sys/module/profil/parameters/max_pages"));
	CHECK(root.pages_max / 4 == all);
	CHECK(root.pages_used == pages());

	const auto nobody = in_child([ask] {
		become_nobody();
		return ask();
	});
	CHECK(nobody.period_min == 1'000'000'000 / 1024);
	CHECK(nobody.pages_max == std::min<uint64_t>(all, 65536));
	CHECK(nobody.pages_used == 0);
}
