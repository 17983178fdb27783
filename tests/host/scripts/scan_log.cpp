// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/scripts/scan_log.cpp  The complaints that scripts/guest/scan-log finds in a
 * guest's kernel log.  If it missed them, they could not fail a guest.
 */
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <fstream>

using namespace support;

namespace {

/** The lines "blame TEST" for a log; the other lines are the complaints. */
std::string blamed(const std::string &log)
{
	const TemporaryDirectory dir;
	std::ofstream(dir / "kernel.log") << log;

	const Output found = run("scripts/guest/scan-log " + (dir / "kernel.log") + " | sed -n '/^[^|]/p'");

	REQUIRE(found.status == 0);
	return found.text;
}

/** A log of two tests, the second of which prints TEXT. */
std::string during_second(const std::string &text)
{
	return "[    1.0] profil-test: start first\n[    1.1] profil: all is well\n"
	       "[    2.0] profil-test: start second\n" +
	       text + "\n[    2.2] profil: all is well\n";
}

} // namespace

TEST_CASE("each complaint of a guest's kernel is blamed on the test during which it came", "[scripts]")
{
	for (const char *complaint : {
		     "[    2.1] BUG: kernel NULL pointer dereference, address: 0000000000000008",
		     "[    2.1] BUG: KASAN: slab-use-after-free in profil_watch_exit+0x1/0x2 [profil]",
		     "[    2.1] WARNING: CPU: 0 PID: 1 at kernel/events/core.c:1 f+0x1/0x2",
		     "[    2.1] UBSAN: array-index-out-of-bounds in kmod/record/owner.c:1:2",
		     "[    2.1] Call Trace:",
		     "[    2.1] Kernel panic - not syncing: Fatal exception",
		     "[    2.1] WARNING: possible circular locking dependency detected",
		     "[    2.1] INFO: task profil:1 blocked for more than 120 seconds.",
		     "[    2.1] rcu: INFO: rcu_sched self-detected stall on CPU",
		     "[    2.1] kmemleak: 1 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
		     "[    2.1] refcount_t: underflow; use-after-free.",
		     "[    2.1] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null)",
	     }) {
		INFO(complaint);
		CHECK(blamed(during_second(complaint)) == "blame second\n");
	}
	CHECK(blamed("[    0.5] WARNING: before all\n" + during_second("[    2.1] no complaint")) ==
	      "blame the guest boots\n");
	CHECK(blamed(during_second("[    2.1] no complaint")).empty());
}

TEST_CASE("a kernel's report of a failed allocation excuses its own call trace, and no other", "[scripts]")
{
	for (const char *report : {
		     "[    2.1] ld invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0",
		     "[    2.1] sh: vmalloc error: size 16384, page order 0, allocation failed, mode:0xdc2",
	     }) {
		const std::string with_trace = std::string(report) + "\n[    2.1] Call Trace:";

		INFO(report);
		CHECK(blamed(during_second(with_trace)).empty());
		CHECK(blamed(during_second(with_trace + "\n[    2.1] Call Trace:")) == "blame second\n");
	}
}
