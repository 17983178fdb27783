// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/kernel.cpp  Recordings that count where in the kernel ticks come. */
#include "tests/guest/record/support.h"
#include "tests/guest/support/busy_module.h"

#include <catch2/catch.hpp>

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
constexpr uint32_t loaded = UINT32_MAX;
const uintptr_t text = Burner::usual;

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

/** Calls getppid(2) again and again. */
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

/** Sends packets to itself: the network serves each in a softirq, before the call returns. */
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

/** The ticks in kernel mode that came in code of a module, as its number tells. */
uint64_t ticks_in(const Recording &recording, const Described &module)
{
	const uint64_t base = recording.described(kernel_number).base;

	return recording.sum([&](const Row &row) {
		const uint64_t address = base + (row.offset & UINT32_MAX);
		const uint64_t generation = row.offset >> 32;

		return row.text.kind == PROFIL_KIND_KERNEL && row.offset &&
		       address - module.base < module.bytes && generation >= module.state &&
		       generation <= module.parent;
	});
}

std::vector<Described> modules(const Recording &recording)
{
	std::vector<Described> all;

	for (uint32_t number = 1; number <= recording.described(0).numbers; number++) {
		profil_describe about = {};

		about.size = sizeof(about);
		about.profile = recording.profile();
		about.number = number;
		/* A module that had no ticks is forgotten. */
		if (!recording.device().call(PROFIL_DESCRIBE, &about) && about.kind == PROFIL_KIND_MODULE)
			all.push_back(recording.described(number));
	}
	return all;
}

/** The last generation of any module that has gone. */
uint32_t last_generation(const Recording &recording)
{
	uint32_t last = 0;

	for (const Described &module : modules(recording)) {
		if (module.parent != loaded)
			last = std::max(last, module.parent);
	}
	return last;
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
	const uint64_t called = address_of("__x64_sys_getppid");
	CHECK(recording.sum([&](const Row &row) {
		return row.text.kind == PROFIL_KIND_KERNEL && base + row.offset - called < 256;
	}) > 0);
}

TEST_CASE_METHOD(AtRest, "without being asked for, places in the kernel are told to nobody", "[record]")
{
	const Caller caller;
	Recording recording;

	recording.begin(caller.pid());
	CHECK(grows([&] { return recording.of_kind(PROFIL_KIND_KERNEL); }));
	CHECK(recording.described(kernel_number).base == 0);
	CHECK(recording.sum(
		      [](const Row &row) { return row.text.kind == PROFIL_KIND_KERNEL && row.offset; }) == 0);
}

TEST_CASE_METHOD(AtRest, "places in the kernel need a proof that samples the kernel", "[record]")
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
	profil_record more = {};
	more.size = sizeof(more);
	more.profile = recording.profile();
	more.proof = user_other.get();
	CHECK(recording.device().call(PROFIL_RECORD, &more) == EACCES);
	more.proof = all_other.get();
	CHECK(recording.device().call(PROFIL_RECORD, &more) == 0);
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

TEST_CASE_METHOD(AtRest, "kernel threads are in everybody's recording if the kernel is asked for", "[record]")
{
	const uint32_t flags = GENERATE(0U, uint32_t{PROFIL_RECORD_KERNEL});
	Recording recording;
	/* Each call waits for kernel threads on all CPUs. */
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
		/* Time for as many ticks. */
		CHECK(grows([&] { return recording.of_kind(PROFIL_KIND_KERNEL); }, 200));
		CHECK(threads() == 0);
	}
	recording.finish();
	const profil_status status = recording.status();
	CHECK(recording.sum() == status.counted + status.kernel);
	CHECK(status.no_user_pc == 0);
}

TEST_CASE_METHOD(AtRest, "a module that is loaded again has ticks of its own", "[record]")
{
	Recording recording;

	REQUIRE(recording.begin_everybody(PROFIL_RECORD_KERNEL) == 0);
	{
		const BusyModule module;

		REQUIRE(modules(recording).size() >= 1);
		module.spin(50);
	}
	{
		const BusyModule module;

		module.spin(50);
	}
	recording.finish();

	/* What it runs once has gone, too, but had no time for a tick. */
	std::set<uint32_t> generations;
	for (const Described &module : modules(recording)) {
		if (module.place == BusyModule::name && module.parent != loaded &&
		    ticks_in(recording, module))
			generations.insert(module.parent);
	}
	CHECK(generations.size() >= 2);
}

TEST_CASE_METHOD(AtRest, "what a module runs once when it is loaded is its code, too", "[record]")
{
	Recording recording;

	REQUIRE(recording.begin_everybody(PROFIL_RECORD_KERNEL) == 0);
	const BusyModule module("early=100");
	uint64_t early = 0;

	for (const Described &one : modules(recording)) {
		if (one.place == BusyModule::name && one.parent != loaded)
			early += ticks_in(recording, one);
	}
	CHECK(early > 0);
}

TEST_CASE_METHOD(AtRest, "a module that was there before the recording is told of when it goes", "[record]")
{
	auto module = std::make_unique<BusyModule>();
	Recording recording;

	REQUIRE(recording.begin_everybody(PROFIL_RECORD_KERNEL) == 0);
	BusyModule::spin(50);
	CHECK(modules(recording).empty());
	module.reset();
	const std::vector<Described> gone = modules(recording);
	REQUIRE(gone.size() == 1);
	CHECK(gone[0].place == BusyModule::name);
	CHECK(gone[0].parent != loaded);
	CHECK(ticks_in(recording, gone[0]) > 0);
}

TEST_CASE_METHOD(AtRest,
		 "ticks of a module's code while it was loaded are its own, though it has no later ones",
		 "[record]")
{
	Recording recording;
	Described first;

	REQUIRE(recording.begin_everybody(PROFIL_RECORD_KERNEL) == 0);
	{
		const BusyModule module("begin=100");

		for (const Described &one : modules(recording)) {
			if (one.place == BusyModule::name && one.parent == loaded)
				first = one;
		}
		REQUIRE(first.kind == PROFIL_KIND_MODULE);
	}
	{
		/* Likely where the first one was. */
		const BusyModule module("begin=100");
	}
	recording.finish();

	const Described gone = recording.described(first.number);

	CHECK(gone.parent != loaded);
	CHECK(ticks_in(recording, gone) > 0);
	for (const Described &one : modules(recording)) {
		if (one.place == BusyModule::name && one.base == gone.base && one.number != gone.number)
			CHECK(one.state > gone.parent);
	}
}

TEST_CASE_METHOD(AtRest, "a module that is loaded has no ticks of what was there before", "[record]")
{
	auto before = std::make_unique<BusyModule>();
	Recording recording;

	REQUIRE(recording.begin_everybody(PROFIL_RECORD_KERNEL) == 0);
	BusyModule::spin(50);
	before.reset();
	const std::vector<Described> gone = modules(recording);
	REQUIRE(gone.size() == 1);
	CHECK(gone[0].state == 0);
	CHECK(gone[0].parent == 0);

	const BusyModule after;
	for (const Described &one : modules(recording)) {
		if (one.number != gone[0].number)
			CHECK(one.state > gone[0].parent);
	}
}

TEST_CASE_METHOD(AtRest, "of the 255th generation on, places in modules are not known", "[record][slow]")
{
	/* Each address has an element in each generation. */
	Recording recording(65536);
	const auto unplaced = [&] {
		return recording.sum(
			[](const Row &row) { return row.text.kind == PROFIL_KIND_KERNEL && !row.offset; });
	};
	uint32_t last = 0;

	REQUIRE(recording.begin_everybody(PROFIL_RECORD_KERNEL) == 0);
	/* Each is loaded into another generation, if ticks came in the last: a busy host needs more of them.
	 */
	for (int i = 0; i < 600 && last < 254; i++) {
		const BusyModule module("early=2");

		BusyModule::spin(2);
		/* Late in each round: to look at all numbers takes longer than a round. */
		if (i % 20 == 19)
			last = last_generation(recording);
	}
	CHECK(last == 254);
	const uint64_t before = unplaced();
	const BusyModule module;
	CHECK(soon([&] {
		BusyModule::spin(20);
		return unplaced() > before;
	}));
	CHECK(last_generation(recording) == 254);
	recording.finish();
	CHECK(recording.sum() == recording.status().counted + recording.status().kernel);
}
