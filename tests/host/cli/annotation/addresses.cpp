// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/annotation/addresses.cpp  Addresses in other tools' profiles. */
#include "tests/host/cli/annotation/support.h"

using namespace cli;
using namespace annotate_test;
using support::TemporaryDirectory;

namespace {

constexpr char nested[] = "_Z6nestedm";

} // namespace

TEST_CASE("addresses of other tools' profiles are those of the process", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const std::vector<Listed> listed = objdump(program, nested);
	Profile profile = profile_of(program, {{listed[2].address, 11}});

	for (ProfileMapping &mapping : profile.mappings) {
		mapping.start += 0x555500000000;
		mapping.limit += 0x555500000000;
	}
	profile.locations[0].address += 0x555500000000;
	CHECK(counts_of(annotate(profile, nested)) == std::map<uint64_t, uint64_t>{{listed[2].address, 11}});
}
