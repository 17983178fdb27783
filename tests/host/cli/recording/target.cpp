// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/recording/target.cpp  The array in which the kernel stores PCs. */
#include "cli/recording/target.h"
#include "tests/support/catch.h"

using namespace cli;
using Pcs = std::vector<uint64_t>;

TEST_CASE("stored PCs are taken in order, each once", "[cli]")
{
	RawSamples raw;
	auto *array = static_cast<uint64_t *>(raw.data());

	CHECK_FALSE(raw.pending());
	array[0] = 5;
	array[1] = 6;
	CHECK(raw.pending());
	CHECK(raw.take() == Pcs{5, 6});
	CHECK_FALSE(raw.pending());
	array[2] = 7;
	CHECK(raw.take() == Pcs{7});
}

TEST_CASE("a take waits for an element that is written late", "[cli]")
{
	RawSamples raw;
	auto *array = static_cast<uint64_t *>(raw.data());

	array[0] = 5;
	array[2] = 7;
	CHECK(raw.take() == Pcs{5});
	array[1] = 6;
	CHECK(raw.take() == Pcs{6, 7});
}

TEST_CASE("a PC of 0 does not hide those after it", "[cli]")
{
	RawSamples raw;
	auto *array = static_cast<uint64_t *>(raw.data());

	array[0] = 5;
	array[2] = 7;
	array[5] = 8;
	CHECK(raw.take() == Pcs{5});
	CHECK(raw.pending());
	CHECK(raw.take() == Pcs{0, 7});
	CHECK(raw.take() == Pcs{0, 0, 8});
	CHECK_FALSE(raw.pending());
	/* The kernel's count decides how many PCs there are. */
	CHECK(raw.take_rest(8) == Pcs{0, 0});
}

TEST_CASE("a full array has no pending PCs", "[cli]")
{
	RawSamples raw;
	auto *array = static_cast<uint64_t *>(raw.data());

	std::fill(array, array + RawSamples::capacity, 1);
	CHECK(raw.take().size() == RawSamples::capacity);
	CHECK_FALSE(raw.pending());
	CHECK(raw.nearly_full());
}

TEST_CASE("memory that goes away ends the regions in it, not the profile", "[cli]")
{
	const Target target(1, false);

	CHECK(target.spec(1000000, PROFIL_FOLLOW, {}).flags == (PROFIL_FOLLOW | PROFIL_FAULT_REGION));
}
