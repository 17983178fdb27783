// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/profile/pprof.cpp  Profiles that are written and read back, by profil and
 * by protoc.
 */
#include "cli/profile/pprof.h"
#include "cli/base/gzip.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"
#include "tests/support/text.h"

#include <deque>
#include <fstream>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

using namespace cli;
using support::has;
using support::run;

namespace {

void write_file(const std::string &path, const std::string &content)
{
	std::ofstream(path, std::ios::binary) << content;
}

/** A profile as protoc decodes it. */
std::string decoded_by_protoc(const Profile &profile)
{
	const support::TemporaryDirectory directory;

	write_file(directory / "p.gz", encode_pprof(profile));
	const support::Output output =
		run("gzip -dc " + (directory / "p.gz") +
		    " | protoc --decode=perftools.profiles.Profile tests/host/data/profile.proto");

	INFO(output.text);
	REQUIRE(output.status == 0);
	return output.text;
}

std::string error_of(const std::string &content)
{
	const Result<Profile> profile = decode_pprof(content);

	return profile ? "" : profile.error().text;
}

} // namespace

TEST_CASE("protoc reads a profile as profile.proto has it", "[cli]")
{
	const std::string text = decoded_by_protoc(sample_profile());

	CHECK(has(text,
		  "sample {\n  location_id: 1\n  value: 700\n  value: 700700700\n  label {\n    key: 5\n"
		  "    str: 6\n  }\n  label {\n    key: 7\n    num: 4711\n    num_unit: 8\n  }\n}\n"));
	CHECK(has(text, "sample_type {\n  type: 1\n  unit: 2\n}\nsample_type {\n  type: 3\n  unit: 4\n}\n"));
	CHECK(has(text, "  id: 1\n  memory_start: 4198400\n  memory_limit: 4206592\n  file_offset: 4096\n"));
	CHECK(has(text, "  has_functions: true\n  has_filenames: true\n  has_line_numbers: true\n"));
	CHECK(has(text,
		  "location {\n  id: 1\n  mapping_id: 1\n  address: 4198672\n  line {\n    function_id: 1\n"
		  "    line: 10\n  }\n  line {\n    function_id: 2\n    line: 20\n  }\n}\n"));
	CHECK(has(text, "string_table: \"\"\nstring_table: \"samples\"\nstring_table: \"count\"\n"));
	CHECK(has(text, "string_table: \"profil.ticks: 1050\"\n"));
	CHECK(has(text, "duration_nanos: 1500000000\n"));
	CHECK(has(text, "period: 1001001\n"));
	CHECK(has(text, "default_sample_type: 3\n"));
	/* Every field is in profile.proto: protoc shows unknown fields by number. */
	for (char digit = '0'; digit <= '9'; digit++)
		CHECK_FALSE(has(text, std::string("\n") + digit));
}

TEST_CASE("go tool pprof reads a profile from its file", "[cli]")
{
	const support::TemporaryDirectory directory;

	write_file(directory / "p.pb.gz", encode_pprof(sample_profile()));
	const support::Output output = run("HOME=" + (directory / "") + " PPROF_TMPDIR=" + (directory / "") +
					   " go tool pprof -top " + (directory / "p.pb.gz"));

	INFO(output.text);
	CHECK(output.status == 0);
	CHECK(has(output.text, "Duration: 1.50s, Total samples = 1001ms (66.73%)"));
	CHECK(has(output.text, "700.70ms 70.00% 70.00%   700.70ms 70.00%  work(int)"));
}

TEST_CASE("a profile is read as it was written", "[cli]")
{
	const Profile written = sample_profile();
	const Result<Profile> read = decode_pprof(encode_pprof(written));

	REQUIRE(read);
	REQUIRE(read->samples.size() == written.samples.size());
	for (size_t i = 0; i < written.samples.size(); i++) {
		CHECK(read->samples[i].locations == written.samples[i].locations);
		CHECK(read->samples[i].values == written.samples[i].values);
		CHECK(read->samples[i].labels == written.samples[i].labels);
	}
	REQUIRE(read->mappings.size() == written.mappings.size());
	CHECK(read->mappings[1].filename == written.mappings[1].filename);
	CHECK(read->mappings[0].build_id == written.mappings[0].build_id);
	CHECK(read->mappings[0].limit == written.mappings[0].limit);
	CHECK(read->mappings[0].has_inline_frames);
	CHECK(read->functions == written.functions);
	REQUIRE(read->locations.size() == written.locations.size());
	CHECK(read->locations[0].lines[1].line == 20);
	CHECK(read->locations[0].mapping == written.locations[0].mapping);
	CHECK_FALSE(read->locations.back().mapping.has_value());
	CHECK(read->comments == written.comments);
	CHECK(read->time_nanos == written.time_nanos);
	CHECK(read->period_type.unit == "nanoseconds");
	CHECK(read->default_sample_type == "cpu");
}

TEST_CASE("uncompressed protocol buffers are read", "[cli]")
{
	const std::string packed = encode_pprof(sample_profile());

	CHECK(decode_pprof(*decompress(packed, 1 << 20)));
}

TEST_CASE("lists of numbers are read packed and one by one", "[cli]")
{
	std::string content;
	protozero::pbf_writer profile(content);
	std::string type;
	std::string location;
	std::string sample;

	protozero::pbf_writer(type).add_int64(1, 0);
	protozero::pbf_writer(location).add_uint64(1, 77);
	protozero::pbf_writer(sample).add_uint64(1, 77);
	protozero::pbf_writer(sample).add_uint64(1, 77);
	protozero::pbf_writer(sample).add_int64(2, -5);
	/* Samples come before the locations that they refer to: the order is free. */
	profile.add_message(2, sample);
	profile.add_message(4, location);
	profile.add_message(1, type);
	profile.add_string(6, "");

	const Result<Profile> read = decode_pprof(content);

	REQUIRE(read);
	CHECK(read->samples.front().locations == std::vector<size_t>{0, 0});
	CHECK(read->samples.front().values == std::vector<int64_t>{-5});
}

TEST_CASE("ids are any numbers in any order, and the first of two equal ids counts", "[cli]")
{
	const std::vector<uint64_t> ids = {1, 2, 7, 4, 2, UINT64_MAX, 3, 7};
	const std::vector<std::pair<uint64_t, size_t>> expected = {{1, 0}, {2, 1},	    {7, 2},
								   {4, 3}, {UINT64_MAX, 5}, {3, 6}};
	std::string content;
	protozero::pbf_writer profile(content);
	std::string type;

	protozero::pbf_writer(type).add_int64(1, 0);
	profile.add_message(1, type);
	for (const uint64_t id : ids) {
		std::string location;

		protozero::pbf_writer(location).add_uint64(1, id);
		profile.add_message(4, location);
	}
	for (const auto &[id, index] : expected) {
		std::string sample;

		protozero::pbf_writer(sample).add_uint64(1, id);
		protozero::pbf_writer(sample).add_int64(2, 1);
		profile.add_message(2, sample);
	}
	profile.add_string(6, "");

	const Result<Profile> read = decode_pprof(content);

	REQUIRE(read);
	REQUIRE(read->samples.size() == expected.size());
	for (size_t i = 0; i < expected.size(); i++)
		CHECK(read->samples[i].locations == std::vector<size_t>{expected[i].second});
	for (const uint64_t missing : {uint64_t{0}, uint64_t{5}, uint64_t{8}}) {
		std::string sample;
		std::string more = content;

		protozero::pbf_writer(sample).add_uint64(1, missing);
		protozero::pbf_writer(sample).add_int64(2, 1);
		protozero::pbf_writer(more).add_message(2, sample);
		CHECK(has(error_of(more), "a location is missing"));
	}
}

TEST_CASE("messages of one kind may lie anywhere in the file", "[cli]")
{
	const std::string plain = *decompress(encode_pprof(sample_profile()), 1 << 20);
	std::map<protozero::pbf_tag_type, std::deque<std::string>> fields;
	protozero::pbf_reader reader(plain);
	std::string mixed;

	for (const char *begin = plain.data(); reader.next(); begin = reader.data().data()) {
		const protozero::pbf_tag_type tag = reader.tag();

		reader.skip();
		fields[tag].emplace_back(begin, reader.data().data());
	}
	REQUIRE(fields[2].size() > 1);
	REQUIRE(fields[6].size() > 1);
	/* Take one field of each kind in turn. */
	while (mixed.size() < plain.size()) {
		for (auto &[tag, left] : fields) {
			if (left.empty())
				continue;
			mixed += left.front();
			left.pop_front();
		}
	}
	REQUIRE(mixed != plain);
	REQUIRE(decode_pprof(mixed));
	CHECK(encode_pprof(*decode_pprof(mixed)) == encode_pprof(sample_profile()));
}

TEST_CASE("a file that is not a profile is refused with a reason", "[cli]")
{
	CHECK(has(error_of(""), "no sample types"));
	CHECK(error_of("#!/bin/sh\necho hello\n") ==
	      "not a pprof profile, or truncated ('profil record' writes such files)");
	CHECK(has(error_of(std::string(1000, '\0')), "not a pprof profile"));
	CHECK(has(error_of("\x1f\x8b garbage"), "damaged"));
	CHECK(has(error_of("\x1f\x8b"), "too early"));
}

TEST_CASE("a profile that is cut off anywhere is refused and never half read", "[cli]")
{
	const std::string packed = encode_pprof(sample_profile());
	const std::string plain = *decompress(packed, 1 << 20);

	for (size_t end = 0; end < packed.size(); end += 7)
		CHECK_FALSE(decode_pprof(packed.substr(0, end)));
	/* An uncompressed profile cut between two fields is still a profile, and must be a sound one. */
	for (size_t end = 0; end < plain.size(); end++)
		error_of(plain.substr(0, end));
}

TEST_CASE("indices that point nowhere are refused", "[cli]")
{
	Profile profile = sample_profile();

	profile.samples.front().locations = {1000};
	CHECK(has(error_of(encode_pprof(profile)), "a location is missing"));
	profile = sample_profile();
	profile.locations.front().mapping = 1000;
	CHECK(has(error_of(encode_pprof(profile)), "a mapping is missing"));
	profile = sample_profile();
	profile.locations.front().lines.front().function = 1000;
	CHECK(has(error_of(encode_pprof(profile)), "a function is missing"));
	profile = sample_profile();
	profile.samples.front().values.pop_back();
	CHECK(has(error_of(encode_pprof(profile)), "more or fewer values"));
}

TEST_CASE("a damaged byte anywhere does not crash the reader", "[cli]")
{
	const std::string plain = *decompress(encode_pprof(sample_profile()), 1 << 20);

	for (size_t at = 0; at < plain.size(); at++) {
		for (const unsigned char flip : {0x01, 0x80, 0xff}) {
			std::string damaged = plain;

			damaged[at] = static_cast<char>(damaged[at] ^ flip);
			error_of(damaged);
		}
	}
}

TEST_CASE("a small file that inflates without end is refused", "[cli]")
{
	const std::string bomb = compress(std::string(64 << 20, 'x'));

	CHECK(bomb.size() < 100000);
	CHECK(decompress(bomb, 64 << 20));
	const Result<std::string> refused = decompress(bomb, 1 << 20);

	REQUIRE_FALSE(refused);
	CHECK(has(refused.error().text, "too large"));
}

TEST_CASE("a file in which a few bytes stand for very much is refused before it uses the memory", "[cli]")
{
	Profile profile = sample_profile();
	const size_t name = size_t{1} << 20;

	for (size_t i = 0; i < 100; i++)
		profile.functions.push_back({std::string(name, 'x'), "", "", static_cast<int64_t>(i)});

	const std::string file = encode_pprof(profile);

	CHECK(file.size() < 100000);
	CHECK(error_of(file).empty());
	profile.functions.clear();
	profile.functions.shrink_to_fit();

	const Result<Profile> refused = decode_pprof(file, {size_t{1} << 30, 99 * name});

	REQUIRE_FALSE(refused);
	CHECK(refused.error().text == "the file is too large: decoded, it needs more than 99.0 MiB");

	/* Empty messages, of two bytes each. */
	const std::string bare = *decompress(encode_pprof(sample_profile()), name);

	for (const char tag : {'\x0a', '\x12', '\x1a', '\x22', '\x2a', '\x32'}) {
		std::string many = bare;

		for (size_t i = 0; i < 100000; i++)
			many.append({tag, '\0'});

		const Result<Profile> decoded = decode_pprof(many, {name, name});

		CAPTURE(static_cast<int>(tag));
		REQUIRE_FALSE(decoded);
		CHECK(has(decoded.error().text, "too large"));
	}
}
