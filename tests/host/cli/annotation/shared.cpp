// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/annotation/shared.cpp  Counters that several instructions share, and the addresses of
 * other tools' profiles. */
#include "tests/host/cli/annotation/support.h"

using namespace cli;
using namespace annotate_test;
using support::TemporaryDirectory;

namespace {

constexpr char nested[] = "_Z6nestedm";
constexpr char straight[] = "_Z8straightm";

} // namespace

TEST_CASE("when instructions share a counter, the first has the samples and the others say so",
	  "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const std::vector<Listed> listed = objdump(program, nested);
	const uint64_t bucket = listed[8].address & ~uint64_t{15};
	const Annotation annotation =
		annotate(profile_of(program, {{bucket, 9}}, "a counter for every 16 bytes of text"), nested);
	const std::vector<AnnotatedInstruction> &instructions = annotation.parts.at(0).instructions;
	bool found = false;

	CHECK(annotation.shared_bytes == 16);
	CHECK(annotation.strays.empty());
	for (const AnnotatedInstruction &one : instructions) {
		const bool inside = one.code.address >= bucket && one.code.address < bucket + 16;

		CHECK(one.samples == (inside && !found ? 9 : 0));
		CHECK(one.shared == (inside && found));
		found = found || inside;
	}
	CHECK(found);
	CHECK(has(text_of(annotation), "up to 16 bytes shared a counter"));
	CHECK(has(text_of(annotation), "\n      \"  "));
}

TEST_CASE("a bucket that begins before its function counts for its first instruction", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory, "-O1 -g -falign-functions=64");
	const std::vector<Listed> listed = objdump(program, straight);
	const Profile profile = profile_of(program, {{listed[0].address - 4, 3}},
					   "a counter for every 1 to 64 bytes of text");
	Profile named = profile;

	/* record gives it this name, as it knows the size of each bucket. */
	named.functions = {{"straight(unsigned long)", straight, source(), 27}};
	named.locations[0].lines = {{0, 28}};
	CHECK(counts_of(annotate(named, straight)) == std::map<uint64_t, uint64_t>{{listed[0].address, 3}});
}

TEST_CASE("granularity is read from the profile's comments", "[cli][annotate]")
{
	const std::pair<const char *, uint64_t> all[] = {
		{"", 1},
		{"samples by address", 1},
		{"a counter for every 8 bytes of text", 8},
		{"a counter for every 1 to 1,024 bytes of text", 1024},
		{"a counter for every 99999999999999999999999 bytes of text", 1},
		{"a counter for every 18446744073709551615 bytes", 1 << 19},
		{"a counter for every 0 bytes", 1},
		{" bytes", 1},
	};

	for (const auto &[text, bytes] : all) {
		About about;

		about.granularity = text;
		CAPTURE(text);
		CHECK(shared_bytes(about) == bytes);
	}
}

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
