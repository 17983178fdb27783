// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/annotation/events.cpp  Annotated functions of profiles of several
 * events. */
#include "cli/profile/pprof.h"
#include "tests/host/cli/annotation/support.h"
#include "tests/host/cli/commands/report/support.h"

#include <fstream>

using namespace cli;
using namespace annotate_test;
using support::TemporaryDirectory;

namespace {

/** The events at an address: page faults and context switches. */
struct Came {
	uint64_t address;
	int64_t faults;
	int64_t switches;
};

Profile events_of_program(const std::string &program, const std::vector<Came> &all)
{
	std::map<uint64_t, uint64_t> places;

	for (const Came &one : all)
		places[one.address] = 1;

	Profile profile = profile_of(program, places);

	profile.sample_types = {
		{"samples", "count"}, {"page-faults", "count"}, {"context-switches", "count"}};
	profile.default_sample_type = "page-faults";
	profile.period_type = profile.sample_types[1];
	profile.period = 1;
	/* The samples and @p all are both sorted by address. */
	REQUIRE(profile.samples.size() == all.size());
	for (size_t i = 0; i < all.size(); i++)
		profile.samples[i].values = {all[i].faults, all[i].faults, all[i].switches};
	return profile;
}

std::vector<uint64_t> events_at(const Annotation &annotation, uint64_t address)
{
	for (const CodePart &part : annotation.parts) {
		for (const AnnotatedInstruction &one : part.instructions) {
			if (one.code.address == address)
				return one.events;
		}
	}
	return {};
}

std::string annotate_file(const TemporaryDirectory &directory, const Profile &profile,
			  const std::string &arguments)
{
	const std::string path = directory / "test.pb.gz";

	std::ofstream(path, std::ios::binary) << encode_pprof(profile);
	return support::run(support::build_dir() + "/profil annotate -i " + path + ' ' + arguments).text;
}

/** The line that contains @p part. */
std::string line_with(const std::string &text, const std::string &part)
{
	INFO(text);
	REQUIRE(has(text, part));

	const size_t at = text.find(part);
	const size_t start = text.rfind('\n', at) + 1;

	return text.substr(start, text.find('\n', at) - start);
}

} // namespace

TEST_CASE("each instruction and line has the counts of all events", "[cli][annotate][events]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const std::vector<Listed> listed = objdump(program, "_Z6nestedm");
	const uint64_t both = listed[0].address, switches = listed[1].address;
	const uint64_t elsewhere = objdump(program, "_Z8straightm")[0].address;
	const Annotation annotation =
		annotate(events_of_program(program, {{both, 60, 5}, {switches, 0, 15}, {elsewhere, 40, 80}}),
			 "_Z6nestedm");

	CHECK(annotation.samples == 60);
	CHECK(annotation.total == 100);
	REQUIRE(annotation.events.size() == 2);
	CHECK(annotation.events[0].name == "page-faults");
	CHECK(annotation.events[0].count == 60);
	CHECK(annotation.events[1].name == "context-switches");
	CHECK(annotation.events[1].count == 20);
	CHECK(annotation.events[1].total == 100);
	CHECK(events_at(annotation, both) == std::vector<uint64_t>{60, 5});
	CHECK(events_at(annotation, switches) == std::vector<uint64_t>{0, 15});

	Counts sum;

	for (const auto &[line, counts] : counts_by_line(annotation))
		sum.add(counts);
	CHECK(sum.samples == 60);
	CHECK(sum.events == std::vector<uint64_t>{60, 20});
}

TEST_CASE("annotate has a column for each event", "[cli][annotate][events]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const std::vector<Listed> listed = objdump(program, "_Z6nestedm");
	const uint64_t both = listed[0].address, switches = listed[1].address;
	const Profile profile = events_of_program(program, {{both, 60, 5}, {switches, 0, 15}});
	const std::string text = annotate_file(directory, profile, "nested");

	CHECK(has(text, "  60 samples, 100.00 % of the profile's 60\n"
			"  20 context-switches, 100.00 % of the profile's 20\n"));
	CHECK(has(text, "samples  page-faults %  context-switches %     address\n"));
	CHECK(line_with(text, fmt::format(" {:x}:  ", both))
		      .starts_with("     60         100.00               25.00  "));
	CHECK(line_with(text, fmt::format(" {:x}:  ", switches))
		      .starts_with("                                     75.00  "));
	CHECK(has(text, "\n     60         100.00              100.00  all samples of the function\n"));
	CHECK(has(annotate_file(directory, profile, "--source-only nested"),
		  "\n     60         100.00              100.00  all samples of the function\n"));
	/* With a single event, rows have a bar. */
	CHECK(has(annotate_file(directory, profile, "--value context-switches nested"),
		  "     15   75.00  ########  "));
}

TEST_CASE("a function that has only another event than that of the samples is found by name",
	  "[cli][annotate][events]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const Profile profile =
		events_of_program(program, {{objdump(program, "_Z6nestedm")[0].address, 60, 0},
					    {objdump(program, "_Z8straightm")[0].address, 0, 7}});
	const std::string text = annotate_file(directory, profile, "straight");

	CHECK(has(text, "straight(unsigned long)\n"));
	CHECK(has(text, "  0 samples, 0.00 % of the profile's 60\n"
			"  7 context-switches, 100.00 % of the profile's 7\n"));
	CHECK(has(text, "samples  context-switches %     address\n"));
	CHECK(has(text, "\n                     100.00  all samples of the function\n"));
	CHECK_FALSE(has(annotate_file(directory, profile, ""), "straight(unsigned long)\n"));
}

TEST_CASE("on a narrow terminal the names of events are cut, and then the last ones left out",
	  "[cli][annotate][events]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const Annotation annotation =
		annotate(events_of_program(program, {{objdump(program, "_Z6nestedm")[0].address, 60, 5}}),
			 "_Z6nestedm");
	AnnotationStyle style;

	style.source = false;
	style.width = 76;
	CHECK(has(text_of(annotation, style), "samples  page-faults %  context-swi… %     address\n"));
	style.width = 67;
	CHECK(has(text_of(annotation, style), "samples  page-f… %  contex… %     address\n"));
	CHECK(cli_test::widest_line(text_of(annotation, style)) <= 67);
	style.width = 60;
	CHECK(has(text_of(annotation, style), "  no room for: context-switches\n"));
	CHECK(has(text_of(annotation, style), "samples  page-faults %     address\n"));
	CHECK(cli_test::widest_line(text_of(annotation, style)) <= 60);
}
