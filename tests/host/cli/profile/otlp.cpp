// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/profile/otlp.cpp  OTLP's profiles, decoded by protoc with the fields of
 * its own files. */
#include "cli/profile/otlp.h"

#include "cli/commands/export/export.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"
#include "tests/support/text.h"

#include <fstream>
#include <sstream>

using namespace cli;
using support::has;

namespace {

std::string protoc(const std::string &message, const std::string &how, const std::string &type)
{
	const support::TemporaryDirectory directory;

	std::ofstream(directory / "message", std::ios::binary) << message;
	const support::Output output =
		support::run("protoc --" + how + "=otlp." + type + " tests/host/data/otlp.proto <" +
			     (directory / "message"));

	REQUIRE(output.status == 0);
	return output.text;
}

/** A message as protoc decodes it, without indentation. */
std::string decoded(const std::string &message)
{
	std::istringstream text(protoc(message, "decode", "ProfilesData"));
	std::string line, all;

	while (std::getline(text, line))
		all += line.substr(line.find_first_not_of(' ')) + '\n';
	return all;
}

size_t count(const std::string &text, const std::string &part)
{
	size_t number = 0;

	for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
		number++;
	return number;
}

} // namespace

TEST_CASE("protoc reads a profile as OTLP's profiles.proto has it", "[cli][otlp]")
{
	const Profile profile = sample_profile();
	const OtlpResource resource = {{{"service.name", std::string("web")}, {"process.pid", int64_t{4711}}},
				       &profile,
				       "12345678-9abc-4def-8123-456789abcdef"};
	const std::string text = decoded(encode_otlp({&resource, 1}));

	CAPTURE(text);
	CHECK(has(text, "resource {\n"
			"attributes {\nkey: \"service.name\"\nvalue {\nstring_value: \"web\"\n}\n}\n"
			"attributes {\nkey: \"process.pid\"\nvalue {\nint_value: 4711\n}\n}\n}\n"));
	CHECK(has(text, "scope {\nname: \"profil\"\n"));
	/* Strings in the order of their first use: "samples" 1, "count" 2, the program's path 3. */
	CHECK(has(text, "sample_type {\ntype_strindex: 1\nunit_strindex: 2\n}\n"));
	for (const char *sample :
	     {"samples {\nstack_index: 1\nvalues: 700\n}\n", "samples {\nstack_index: 2\nvalues: 200\n}\n",
	      "samples {\nstack_index: 3\nvalues: 60\n}\n", "samples {\nstack_index: 4\nvalues: 40\n}\n"})
		CHECK(has(text, sample));
	CHECK(has(text, "time_unix_nano: 1790000000000000000\nduration_nano: 1500000000\n"));
	CHECK(has(text, "period: 1001001\n"));
	CHECK(has(text, "profile_id: \"\\0224Vx\\232\\274M\\357\\201#Eg\\211\\253\\315\\357\"\n"));
	/* The first entry of each table is the zero value. */
	CHECK(has(text, "dictionary {\nmapping_table {\n}\nmapping_table {\nmemory_start: 4198400\n"));
	CHECK(has(text,
		  "location_table {\n}\nlocation_table {\nmapping_index: 1\naddress: 4198672\n"
		  "lines {\nfunction_index: 1\nline: 10\n}\nlines {\nfunction_index: 2\nline: 20\n}\n}\n"));
	CHECK(has(text, "function_table {\n}\nfunction_table {\n"));
	CHECK(has(text, "link_table {\n}\nstring_table: \"\"\nstring_table: \"samples\"\n"));
	CHECK(has(text, "attribute_table {\n}\nattribute_table {\nkey_strindex: "));
	CHECK(has(text, "value {\nstring_value: \"c0ffee\"\n}\n"));
	CHECK(has(text, "stack_table {\n}\nstack_table {\nlocation_indices: 1\n}\n"));
}

TEST_CASE("several resources share what they have in common", "[cli][otlp]")
{
	const Profile profile = sample_profile();
	const OtlpResource both[] = {{{{"service.name", std::string("a")}}, &profile, ""},
				     {{{"service.name", std::string("b")}}, &profile, ""}};
	const std::string text = decoded(encode_otlp(both));

	CHECK(count(text, "resource_profiles {") == 2);
	CHECK(count(text, "values: 700\n") == 2);
	CHECK(count(text, "mapping_table {") == 3);
	CHECK(count(text, "location_table {") == 5);
	CHECK(count(text, "stack_table {") == 5);
	CHECK(count(text, "string_table: \"main\"") == 1);
	CHECK_FALSE(has(text, "profile_id"));
}

TEST_CASE("of two processes each has its own functions, though both have places with the same numbers",
	  "[cli][otlp]")
{
	const auto one_place = [](const char *function, int64_t samples) {
		Profile profile;

		profile.sample_types = {{"samples", "count"}};
		profile.functions = {{function, function, "", 0}};
		profile.locations = {{std::nullopt, 0x1000, {{0, 0}}}};
		profile.samples = {{{0}, {samples}, {}}};
		return profile;
	};
	const Profile sort = one_place("sort", 5);
	const Profile search = one_place("search", 7);
	const OtlpResource both[] = {{{{"service.name", std::string("a")}}, &sort, ""},
				     {{{"service.name", std::string("b")}}, &search, ""}};
	const std::string text = decoded(encode_otlp(both));

	CAPTURE(text);
	CHECK(has(text, "samples {\nstack_index: 1\nvalues: 5\n}\n"));
	CHECK(has(text, "samples {\nstack_index: 2\nvalues: 7\n}\n"));
	CHECK(has(text, "stack_table {\n}\nstack_table {\nlocation_indices: 1\n}\n"
			"stack_table {\nlocation_indices: 2\n}\n"));
	CHECK(has(text, "location_table {\n}\n"
			"location_table {\naddress: 4096\nlines {\nfunction_index: 1\n}\n}\n"
			"location_table {\naddress: 4096\nlines {\nfunction_index: 2\n}\n}\n"));
	/* Strings in the order of their first use: "samples" 1, "count" 2. */
	CHECK(has(text, "function_table {\n}\nfunction_table {\nname_strindex: 3\n"));
	CHECK(has(text, "function_table {\nname_strindex: 4\n"));
	CHECK(has(text, "string_table: \"count\"\nstring_table: \"sort\"\nstring_table: \"search\"\n"));
}

TEST_CASE("text that is not UTF-8 does not make OTLP's message invalid", "[cli][otlp]")
{
	Profile profile = sample_profile();

	profile.functions[1].name = "not UTF-8 \xff";
	profile.mappings[0].filename = "/x/\xfe";
	const OtlpResource resource = {{}, &profile, ""};
	CHECK(has(decoded(encode_otlp({&resource, 1})), "string_table: \"not UTF-8 "));
}

TEST_CASE("an export for OTLP has a resource for each process", "[cli][otlp]")
{
	const Result<std::string> message = export_otlp(sample_profile());

	REQUIRE(message);
	const std::string text = decoded(*message);
	CHECK(count(text, "resource_profiles {") == 2);
	CHECK(count(text, "value {\nint_value: 4711\n}") == 1);
	for (const char *value : {"values: 700\n", "values: 200\n", "values: 60\n", "values: 40\n"})
		CHECK(count(text, value) == 1);
}

TEST_CASE("an OTLP server can refuse some profiles", "[cli][otlp]")
{
	const auto answer = [](const std::string &text) {
		return protoc(text, "encode", "ExportProfilesServiceResponse");
	};

	CHECK(otlp_refusal("").empty());
	CHECK(otlp_refusal(answer("partial_success { error_message: \"slow\" }")).empty());
	CHECK(otlp_refusal(answer("partial_success { rejected_profiles: 3 error_message: \"full\" }")) ==
	      "3 profiles were rejected: full");
	CHECK(otlp_refusal("<html>") == "the answer is not OTLP (is it an OTLP server? See --format)");
}
