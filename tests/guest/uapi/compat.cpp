// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/compat.cpp  32-bit programs on the 64-bit kernel: runs programs/uapi_compat.c. */
#include "tests/guest/record/support.h"
#include "tests/guest/support/places.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"
#include "tests/support/skip.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace guest;

namespace {

std::string number(uint64_t value)
{
	return std::to_string(value);
}

/** Run uapi_compat, which must print "ok". */
void check_ok(const std::string &arguments)
{
	const auto output = support::run(program("uapi_compat") + " " + arguments);

	CAPTURE(arguments);
	CHECK(output.text == "ok\n");
	CHECK(output.status == 0);
}

void need_32_bits()
{
	if (support::run(program("uapi_compat") + " state 0").status == 126)
		support::skip("this kernel runs no 32-bit programs");
}

/** Addresses below 2 GiB, across 2 GiB (where the loop is one instruction), and above. */
constexpr uint64_t addresses[] = {0x10000000, CODE_ALIGNMENT == 1 ? 0x7fffffff : 0x7ffffff4, 0x80000000,
				  0xc0000000};

} // namespace

TEST_CASE_METHOD(AtRest, "a 32-bit program is counted at its own addresses, up to 4 GiB", "[uapi][compat]")
{
	need_32_bits();
	for (const auto address : addresses) {
		check_ok("count " + number(address));
		check_ok("everything " + number(address));
	}
}

TEST_CASE_METHOD(AtRest, "a 32-bit program can store PCs in 4 or in 8 bytes", "[uapi][compat]")
{
	need_32_bits();
	for (const auto address : addresses) {
		check_ok("samples " + number(address) + " 4");
		check_ok("samples " + number(address) + " 8");
	}
	check_ok("full");
}

TEST_CASE_METHOD(AtRest, "a 32-bit program reaches every command by ioctl and by io_uring", "[uapi][compat]")
{
	need_32_bits();
	check_ok("errors");
	check_ok("ring");
}

TEST_CASE_METHOD(AtRest, "a 32-bit program's child inherits its profile", "[uapi][compat]")
{
	need_32_bits();
	check_ok("fork " + number(0xc0000000));
}

TEST_CASE_METHOD(AtRest, "a 32-bit program records a 32-bit and a 64-bit process", "[uapi][compat]")
{
	constexpr uintptr_t above = 0x600000001000;

	need_32_bits();
	check_ok("record " + number(0xc0000000));
	Child target([] {
		const Burner burner(above);
		burner.plant_loop(above);
		for (;;)
			Burner::spin(above, 1'000'000);
	});
	check_ok("record-pid " + number(target.pid()) + " " + number(above));
	target.reap();
}

TEST_CASE_METHOD(AtRest, "a 64-bit program records a 32-bit process", "[uapi][compat]")
{
	constexpr uint64_t there = 0xc0000000;

	need_32_bits();
	Recording recording;
	const auto in_loop = [&] {
		return recording.sum([](const Row &row) {
			return row.text.kind == PROFIL_KIND_MEMORY &&
			       row.text.base + row.offset - there <= CODE_LOOP_RETURN;
		});
	};
	int ends[2];
	char line[8];

	need(pipe2(ends, O_CLOEXEC), "pipe2");
	const Fd from(ends[0]);
	Fd to(ends[1]);
	Child target([&] {
		dup2(to.get(), 1);
		execl(program("uapi_compat").c_str(), "uapi_compat", "burn", number(there).c_str(), nullptr);
	});
	to.reset();
	REQUIRE(read(from.get(), line, sizeof(line)) == sizeof(line)); /* "burning\n" */
	recording.begin(target.pid());
	CHECK(grows(in_loop, 5));
	kill(target.pid(), SIGKILL);
	target.reap();
	recording.finish();
	CHECK(recording.sum() == recording.status().counted + recording.status().kernel);
}

TEST_CASE_METHOD(AtRest, "a self profile ends when a 64-bit program executes a 32-bit one", "[uapi][compat]")
{
	need_32_bits();
	Child child([] {
		const Device device;
		const Memory memory(4096);

		device.start(describe(region_on(memory.at())));
		need_that(device.status().state == PROFIL_STATE_RUNNING, "the profile runs");
		execl(program("uapi_compat").c_str(), "uapi_compat", "state", "0", nullptr);
	});
	CHECK_NOTHROW(child.join());
}
