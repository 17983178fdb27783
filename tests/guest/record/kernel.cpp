// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/kernel.cpp  Recordings that count places in the kernel. */
#include "tests/guest/record/support.h"
#include "tests/support/catch.h"

#include <arpa/inet.h>
#include <fstream>
#include <map>
#include <netinet/in.h>
#include <set>
#include <sstream>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

using namespace guest;

namespace {

constexpr uint32_t kernel_number = 1;
const uintptr_t text = Burner::usual;
#ifdef __aarch64__
constexpr char getppid_symbol[] = "__arm64_sys_getppid";
#else
constexpr char getppid_symbol[] = "__x64_sys_getppid";
#endif

/** The address of a symbol of the kernel itself. */
uint64_t address_of(const std::string &symbol)
{
	std::ifstream symbols("/proc/kallsyms");
	std::string line;

	while (std::getline(symbols, line)) {
		std::istringstream words(line);
		std::string address, type, name;

		words >> address >> type >> name;
		if (name == symbol)
			return std::stoull(address, nullptr, 16);
	}
	throw std::runtime_error("no symbol " + symbol);
}

/** Calls getppid(2) in a loop. */
class Caller {
public:
	Caller()
		: child_([this] {
			  const Burner burner;
			  burner.plant_syscalls(text, SYS_getppid);
			  need(prctl(PR_SET_NAME, "profil-calls"), "prctl");
			  ready_.open();
			  spin_while(text, [] { return true; });
		  })
	{
		ready_.wait();
	}
	pid_t pid() const { return child_.pid(); }

private:
	Gate ready_;
	Child child_;
};

/** Sends packets to itself; each is received in a softirq before the call returns. */
class Sender {
public:
	Sender()
		: child_([] {
			  sockaddr_in to = {};
			  const Fd from(need(socket(AF_INET, SOCK_DGRAM, 0), "socket"));
			  const Fd at(need(socket(AF_INET, SOCK_DGRAM, 0), "socket"));
			  socklen_t size = sizeof(to);

			  to.sin_family = AF_INET;
			  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
			  need(bind(at.get(), reinterpret_cast<sockaddr *>(&to), size), "bind");
			  need(getsockname(at.get(), reinterpret_cast<sockaddr *>(&to), &size),
			       "getsockname");
			  for (;;)
				  sendto(from.get(), "packet", 6, MSG_DONTWAIT,
					 reinterpret_cast<sockaddr *>(&to), size);
		  })
	{
	}
	pid_t pid() const { return child_.pid(); }

private:
	Child child_;
};

uint64_t ticks_of_state(const Recording &recording, uint32_t state)
{
	return recording.sum([&](const Row &row) { return row.owner.state == state; });
}

} // namespace

TEST_CASE_METHOD(AtRest, "a tick in kernel mode counts where in the kernel it came", "[record]")
{
	const bool everybody = GENERATE(false, true);
	const Caller caller;
	Recording recording;

	if (everybody)
		REQUIRE(recording.begin_everybody(PROFIL_RECORD_KERNEL) == 0);
	else
		recording.begin(caller.pid(), PROFIL_FOLLOW | PROFIL_RECORD_KERNEL);
	const uint64_t base = recording.described(kernel_number).base;
	const uint64_t low = address_of("_stext"), high = address_of("_etext");
	const auto placed = [&] {
		return recording.sum([&](const Row &row) {
			return row.text.kind == PROFIL_KIND_KERNEL && row.owner.who() == "profil-calls" &&
			       base + row.offset >= low && base + row.offset < high;
		});
	};
	CHECK(grows(placed));
	recording.finish();
	const profil_status status = recording.status();
	CHECK(recording.of_kind(PROFIL_KIND_KERNEL) == status.kernel);
	CHECK(recording.sum() == status.kernel + status.counted);
	/* The system call itself is among the places. */
	const uint64_t called = address_of(getppid_symbol);
	CHECK(recording.sum([&](const Row &row) {
		return row.text.kind == PROFIL_KIND_KERNEL && base + row.offset - called < 256;
	}) > 0);
}

TEST_CASE_METHOD(AtRest, "kernel addresses are reported only on request", "[record]")
{
	const Caller caller;
	Recording recording;

	recording.begin(caller.pid());
	CHECK(grows([&] { return recording.of_kind(PROFIL_KIND_KERNEL); }));
	CHECK(recording.described(kernel_number).base == 0);
	CHECK(recording.sum(
		      [](const Row &row) { return row.text.kind == PROFIL_KIND_KERNEL && row.offset; }) == 0);
}

TEST_CASE_METHOD(AtRest, "recording kernel addresses needs a proof that samples the kernel", "[record]")
{
	Child child([] { pause(); });
	const Fd user = open_proof({.pid = child.pid(), .exclude_kernel = true});
	const Fd all = open_proof({.pid = child.pid(), .exclude_kernel = false});
	const Fd user_cpu = open_proof({.pid = -1, .exclude_kernel = true, .cpu = 0});
	Recording recording;
	profil_record record = recording.request(PROFIL_FOLLOW | PROFIL_RECORD_KERNEL);

	record.proof = user.get();
	CHECK(recording.device().call(PROFIL_RECORD, &record) == EACCES);
	record.flags = PROFIL_RECORD_EVERYBODY | PROFIL_RECORD_KERNEL;
	record.proof = user_cpu.get();
	CHECK(recording.device().call(PROFIL_RECORD, &record) == EACCES);
	recording.begin_with(all, PROFIL_FOLLOW | PROFIL_RECORD_KERNEL);

	Child other([] { pause(); });
	const Fd user_other = open_proof({.pid = other.pid(), .exclude_kernel = true});
	const Fd all_other = open_proof({.pid = other.pid(), .exclude_kernel = false});
	CHECK(recording.add_with(user_other) == EACCES);
	CHECK(recording.add_with(all_other) == 0);
}

TEST_CASE_METHOD(AtRest, "softirqs are not the doing of the task that they interrupt", "[record]")
{
	const Sender sender;
	Recording recording;

	recording.begin(sender.pid(), PROFIL_FOLLOW | PROFIL_RECORD_KERNEL);
	CHECK(grows([&] { return ticks_of_state(recording, PROFIL_OWNER_SOFTIRQ); }));
	CHECK(grows([&] {
		return recording.sum([](const Row &row) {
			return row.owner.who() == "guest" && row.text.kind == PROFIL_KIND_KERNEL;
		});
	}));
	recording.finish();
	CHECK(recording.sum([](const Row &row) {
		return row.owner.state == PROFIL_OWNER_SOFTIRQ && row.text.kind != PROFIL_KIND_KERNEL;
	}) == 0);
	CHECK(recording.of_kind(PROFIL_KIND_KERNEL) == recording.status().kernel);
}

TEST_CASE_METHOD(AtRest, "every recording has owners for interrupts and softirqs", "[record]")
{
	Child child([] { pause(); });
	Recording recording;
	std::map<uint32_t, unsigned> states;

	recording.begin(child.pid());
	for (uint32_t number = 1; number <= 15; number++) {
		const Described one = recording.described(number);

		if (one.kind == PROFIL_KIND_OWNER)
			states[one.state]++;
	}
	CHECK(states == std::map<uint32_t, unsigned>{
				{PROFIL_OWNER_LIVE, 1}, {PROFIL_OWNER_IRQ, 1}, {PROFIL_OWNER_SOFTIRQ, 1}});
}

TEST_CASE_METHOD(AtRest, "kernel threads are in a system-wide recording that counts in the kernel",
		 "[record]")
{
	const uint32_t flags = GENERATE(0U, uint32_t{PROFIL_RECORD_KERNEL});
	Recording recording;
	/* Each call waits for an RCU grace period, which needs kernel threads. */
	Child child([] {
		for (;;)
			syscall(SYS_membarrier, 1 /* MEMBARRIER_CMD_GLOBAL */, 0, 0);
	});
	const auto threads = [&] {
		return recording.sum([](const Row &row) {
			return row.owner.text == kernel_number && !row.owner.who().empty();
		});
	};

	REQUIRE(recording.begin_everybody(flags) == 0);
	if (flags) {
		CHECK(grows(threads));
		CHECK(recording.sum([](const Row &row) {
			return row.owner.text == kernel_number && row.text.kind != PROFIL_KIND_KERNEL;
		}) == 0);
	} else {
		/* Give kernel threads time for ticks. */
		CHECK(grows([&] { return recording.of_kind(PROFIL_KIND_KERNEL); }, 200));
		CHECK(threads() == 0);
	}
	recording.finish();
	const profil_status status = recording.status();
	CHECK(recording.sum() == status.counted + status.kernel);
	CHECK(status.no_user_pc == 0);
}
