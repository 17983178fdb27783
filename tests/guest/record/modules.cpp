// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/modules.cpp  Ticks in modules that are loaded and unloaded during a
 * recording.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/busy_module.h"
#include "tests/guest/support/credentials.h"
#include "tests/support/catch.h"

#include <fstream>
#include <memory>
#include <set>

using namespace guest;

namespace {

constexpr uint32_t kernel_number = 1;
constexpr uint32_t loaded = UINT32_MAX;

/** The ticks in a module's code, found by the addresses and generations of its description. */
uint64_t ticks_in(const Recording &recording, const Described &module)
{
	const uint64_t base = recording.described(kernel_number).base;

	return recording.sum([&](const Row &row) {
		const uint64_t address = base + (row.offset & UINT32_MAX);
		const uint64_t generation = row.offset >> 32;

		return row.text.kind == PROFIL_KIND_KERNEL && row.offset &&
		       address - module.base < module.bytes && generation >= module.first &&
		       generation <= module.last;
	});
}

std::vector<Described> modules(const Recording &recording)
{
	std::vector<Described> all;

	for (uint32_t number = 1; number <= recording.described(0).numbers; number++) {
		const auto about = recording.known(number);

		/* A module that had no ticks is forgotten. */
		if (about && about->kind == PROFIL_KIND_MODULE)
			all.push_back(*about);
	}
	return all;
}

/** The highest generation of an unloaded module. */
uint32_t last_generation(const Recording &recording)
{
	uint32_t last = 0;

	for (const Described &module : modules(recording)) {
		if (module.last != loaded)
			last = std::max(last, module.last);
	}
	return last;
}

/**
 * True if /proc/kallsyms shows addresses.  Per-CPU variables have small addresses, or 0, in any
 * case.
 */
bool sees_addresses()
{
	std::ifstream symbols("/proc/kallsyms");
	std::string address, type, rest;

	while (symbols >> address >> type && std::getline(symbols, rest)) {
		if (type == "T" && address.find_first_not_of('0') != address.npos)
			return true;
	}
	return false;
}

} // namespace

TEST_CASE_METHOD(
	AtRest,
	"a module's address is shown only to users with CAP_SYSLOG, and to none if kptr_restrict is 2",
	"[record]")
{
	const int hidden = GENERATE(0, 1, 2), paranoid = GENERATE(1, 2);
	const bool capable = GENERATE(false, true);
	const Setting restricted("/proc/sys/kernel/kptr_restrict", std::to_string(hidden));
	const Setting allowed("/proc/sys/kernel/perf_event_paranoid", std::to_string(paranoid));
	Recording recording;

	CAPTURE(hidden, paranoid, capable);
	REQUIRE(recording.begin_everybody(PROFIL_RECORD_KERNEL) == 0);
	const BusyModule module;
	struct Told {
		uint32_t modules, based, sized, listed;
	};
	const Told told = in_child([&] {
		Told result = {};

		become(0, capable ? all_capabilities : all_capabilities & ~bit(CAP_SYSLOG));
		for (const Described &one : modules(recording)) {
			result.modules++;
			result.based += one.base != 0;
			result.sized += one.bytes != 0;
		}
		result.listed = sees_addresses();
		return result;
	});
	const bool shown = hidden < 2 && capable;

	REQUIRE(told.modules > 0);
	CHECK(told.based == (shown ? told.modules : 0));
	CHECK(told.sized == told.based);
	/*
	 * kallsyms also shows addresses to users who may sample the kernel, which the module does
	 * not check.
	 */
	CHECK(told.listed == (shown || (hidden == 0 && paranoid < 2)));
}

TEST_CASE_METHOD(AtRest, "a recording that has ended is not notified of modules", "[record]")
{
	Recording recording;

	REQUIRE(recording.begin_everybody(PROFIL_RECORD_KERNEL) == 0);
	recording.finish();
	const uint32_t last = recording.described(0).numbers;
	const BusyModule module;
	CHECK(recording.described(0).numbers == last);
}

TEST_CASE_METHOD(AtRest, "modules that come and go without a tick use up no numbers", "[record][slow]")
{
	const unsigned loads = slowness() > 1 ? 20 : 200;
	Child child([] { pause(); });
	Recording recording;

	/* Until the child sleeps, it may tick in modules' code. */
	REQUIRE(soon([&] { return asleep(child.pid()); }));
	recording.begin(child.pid(), PROFIL_FOLLOW | PROFIL_RECORD_KERNEL);
	const uint32_t before = recording.described(0).in_use;
	for (unsigned i = 0; i < loads; i++) {
		const BusyModule module;

		if (i == 0)
			CHECK(recording.described(0).in_use > before);
	}
	CHECK(recording.described(0).in_use == before);
}

TEST_CASE_METHOD(AtRest, "a module that is loaded again has ticks of its own", "[record][lifetime]")
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

	/* The init code is unloaded as well, but ran too briefly for a tick. */
	std::set<uint32_t> generations;
	for (const Described &module : modules(recording)) {
		if (module.place == BusyModule::name && module.last != loaded && ticks_in(recording, module))
			generations.insert(module.last);
	}
	CHECK(generations.size() >= 2);
}

TEST_CASE_METHOD(AtRest, "code that a module runs only while it is loaded is counted as its code, too",
		 "[record]")
{
	Recording recording;

	REQUIRE(recording.begin_everybody(PROFIL_RECORD_KERNEL) == 0);
	const BusyModule module("early=100");
	uint64_t early = 0;

	for (const Described &one : modules(recording)) {
		if (one.place == BusyModule::name && one.last != loaded)
			early += ticks_in(recording, one);
	}
	CHECK(early > 0);
}

TEST_CASE_METHOD(AtRest, "the unloading of a module that was loaded before the recording is reported",
		 "[record][lifetime]")
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
	CHECK(gone[0].last != loaded);
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
			if (one.place == BusyModule::name && one.last == loaded)
				first = one;
		}
		REQUIRE(first.kind == PROFIL_KIND_MODULE);
	}
	{
		/* This module is probably loaded at the same address as the first one. */
		const BusyModule module("begin=100");
	}
	recording.finish();

	const Described gone = recording.described(first.number);

	CHECK(gone.last != loaded);
	CHECK(ticks_in(recording, gone) > 0);
	for (const Described &one : modules(recording)) {
		if (one.place == BusyModule::name && one.base == gone.base && one.number != gone.number)
			CHECK(one.first > gone.last);
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
	CHECK(gone[0].first == 0);
	CHECK(gone[0].last == 0);

	const BusyModule after;
	for (const Described &one : modules(recording)) {
		if (one.number != gone[0].number)
			CHECK(one.first > gone[0].last);
	}
}

TEST_CASE_METHOD(AtRest, "of the 255th generation on, places in modules are not known", "[record][slow]")
{
	/* Each address takes an element in each generation. */
	Recording recording(65536);
	const auto unplaced = [&] {
		return recording.sum(
			[](const Row &row) { return row.text.kind == PROFIL_KIND_KERNEL && !row.offset; });
	};
	uint32_t last = 0;

	REQUIRE(recording.begin_everybody(PROFIL_RECORD_KERNEL) == 0);
	/*
	 * A new generation begins only if the last one had ticks, so a busy host needs more loads.
	 */
	for (int i = 0; i < 600 && last < 254; i++) {
		const BusyModule module("early=2");

		BusyModule::spin(2);
		/*
		 * Only every 20th time: looking at all numbers takes longer than loading a module.
		 */
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
