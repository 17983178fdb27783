// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/objects/kernel_objects.cpp  Places in the kernel with and without names. */
#include "cli/objects/kernel_objects.h"

#include "cli/objects/kernel_symbols.h"
#include "cli/symbols/symbols.h"
#include "tests/support/catch.h"

#include <fstream>
#include <sstream>

using namespace cli;

namespace {

constexpr uint64_t base = 0xffffffff00000000;

/** The offset of a function of this machine's kernel; 0 if its address is hidden. */
uint64_t offset_of(const std::string &wanted)
{
	std::ifstream symbols("/proc/kallsyms");
	std::string address, type, name, rest;

	while (symbols >> address >> type >> name && std::getline(symbols, rest)) {
		if (name == wanted && std::stoull(address, nullptr, 16))
			return std::stoull(address, nullptr, 16) - base;
	}
	return 0;
}

std::string name_at(const KernelPlace &place)
{
	Symbols symbols(*place.object);
	const std::vector<Frame> frames = symbols.frames(place.address);

	return frames.empty() ? "" : frames.back().name;
}

} // namespace

TEST_CASE("without places, all of the kernel is one function", "[cli]")
{
	KernelObjects objects;
	const KernelPlace nowhere = objects.find(0x1234567);

	CHECK_FALSE(objects.known());
	CHECK(nowhere.address == 0);
	CHECK(nowhere.object->name == "[kernel]");
	CHECK(name_at(nowhere) == "[kernel]");
}

TEST_CASE("a place in the kernel has the name of its function, wherever the kernel is", "[cli]")
{
	const uint64_t offset = offset_of("schedule");

	/* Usually only root sees addresses. */
	if (!offset)
		return;

	KernelObjects objects;

	objects.begin(base);
	REQUIRE(objects.known());
	const KernelPlace place = objects.find(offset + 1);
	CHECK(name_at(place) == "schedule");
	CHECK(place.object->name == "[kernel]");
	CHECK(place.object == objects.find(0).object);
	CHECK(name_at(objects.find(0)) == "[kernel]");
}

TEST_CASE("each of the modules that were at one address in turn has the ticks of its generations", "[cli]")
{
	constexpr uint64_t generation = uint64_t{1} << 32;
	constexpr uint64_t place = 0x1800;
	KernelObjects objects;
	const auto name = [&](uint64_t number) {
		return objects.find(number * generation | place).object->name;
	};

	objects.begin(base);
	if (!objects.known())
		return;
	objects.set(20, {"first", base + 0x1000, 0x1000, 0, 3});
	objects.set(21, {"early", base + 0x1000, 0x1000, 2, 2});
	objects.set(22, {"second", base + 0x1000, 0x1000, 5, UINT32_MAX});
	CHECK(name(0) == "[first]");
	/* Code that was loaded later hides older code at its addresses. */
	CHECK(name(2) == "[early]");
	CHECK(name(3) == "[first]");
	CHECK(name(4) == "[kernel]");
	CHECK(name(5) == "[second]");
	CHECK(name(254) == "[second]");
	CHECK(objects.find(place).address == 0x800);
	/* No function of these modules is known. */
	CHECK(name_at(objects.find(place)) == "[first]");
	/* The module had no ticks, so the next one has the same generation. */
	objects.forget(22);
	objects.set(23, {"third", base + 0x1000, 0x1000, 5, UINT32_MAX});
	CHECK(name(5) == "[third]");
	objects.set(23, {"third", base + 0x1000, 0x1000, 5, 8});
	CHECK(objects.find(9 * generation | place).address == 0);
}
