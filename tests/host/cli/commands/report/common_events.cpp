// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/report/common_events.cpp  Comparisons of profiles with different
 * events, and of ratios. */
#include "cli/profile/pprof.h"
#include "tests/host/cli/commands/report/support.h"
#include "tests/host/cli/event_profile.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/json.h"
#include "tests/support/programs.h"

#include <fmt/format.h>
#include <fstream>

using namespace cli;
using cli_test::has;

namespace {

using Names = std::vector<std::string>;

/** The events of event_profile() under other names; the values and samples stay. */
Profile renamed(const Names &names)
{
	Profile profile = event_profile();

	for (size_t i = 0; i < names.size(); i++)
		profile.sample_types[i + 1].type = names[i];
	profile.period_type = profile.sample_types[1];
	profile.default_sample_type = names[0];
	return profile;
}

/** Only the cycles of event_profile(). */
Profile of_cycles()
{
	Profile profile = event_profile();

	profile.sample_types = {{"samples", "count"}, {"cycles", "count"}};
	profile.period_type = profile.sample_types[1];
	profile.period = 1000000;
	profile.default_sample_type = "cycles";
	for (Sample &sample : profile.samples)
		sample.values = {sample.values[3] / 1000000, sample.values[3]};
	return profile;
}

/** Runs the command in a directory with an older and a newer profile. */
class Compared {
public:
	Compared(const Profile &base, const Profile &now)
	{
		write("old.pb.gz", base);
		write("new.pb.gz", now);
	}

	[[nodiscard]] support::Output report(const std::string &arguments = "") const
	{
		return support::run(fmt::format("cd {} && {}/profil report {} --base old.pb.gz new.pb.gz",
						directory_ / "", support::build_dir(), arguments));
	}

	[[nodiscard]] nlohmann::json json(const std::string &arguments = "") const
	{
		const std::string document = directory_ / "report.json";
		const support::Output output = report("--json " + arguments);

		std::ofstream(document) << output.text;

		const support::Output valid = support::run("/usr/bin/python3 -W ignore -m jsonschema -i " +
							   document + " Documentation/report.schema.json");

		CAPTURE(output.text, valid.text);
		CHECK(valid.status == 0);
		return support::parse_json(output.text);
	}

private:
	void write(const std::string &name, const Profile &profile) const
	{
		std::ofstream(directory_ / name, std::ios::binary) << encode_pprof(profile);
	}

	support::TemporaryDirectory directory_;
};

/** Instructions instead of page faults, and 1,000 cycles in touch and 2,000 in grow. */
Profile with_instructions(int64_t touch, int64_t grow)
{
	Profile profile = renamed({"instructions", "context-switches", "cycles"});

	profile.samples[0].values = {touch, touch, 0, 1000};
	profile.samples[1].values = {grow, grow, 9, 2000};
	return profile;
}

} // namespace

TEST_CASE("a comparison says which events only one of the profiles has", "[cli][report][events]")
{
	const Compared few(event_profile(), renamed({"page-faults", "instructions", "cycles"}));
	const std::string text = few.report().text;

	CHECK(has(text, "base %   new %  page-faults delta   cycles base %  cycles new %  cycles delta   "
			"function  object\n"));
	CHECK(has(text, "\ncontext-switches is only in old.pb.gz: not compared\n"
			"instructions is only in new.pb.gz: not compared\n"));
	CHECK(few.json()["not_compared"] ==
	      nlohmann::json({{{"event", "context-switches"}, {"only_in", "base"}},
			      {{"event", "instructions"}, {"only_in", "new"}}}));
	CHECK(has(few.report("--html -").text,
		  R"("context-switches is only in old.pb.gz: not compared","instructions is only in)"));

	const Compared two(event_profile(), renamed({"page-faults", "branches", "instructions"}));

	CHECK(has(two.report().text, "\ncontext-switches and cycles are only in old.pb.gz: not compared\n"
				     "branches and instructions are only in new.pb.gz: not compared\n"));

	const Compared same(event_profile(), event_profile());

	CHECK_FALSE(has(same.report().text, "not compared"));
	CHECK_FALSE(same.json().contains("not_compared"));
}

TEST_CASE("a comparison is by the first event that both profiles have", "[cli][report][events]")
{
	Profile other = renamed({"branches", "cycles", "page-faults"});

	/* No branches, and half as many page faults: 450 in touch and 50 in grow. */
	other.samples = {{{0}, {0, 0, 1000000, 450}, {}}, {{1}, {0, 0, 2000000, 50}, {}}};

	const Compared files(other, event_profile());
	const std::string text = files.report().text;

	CHECK(has(text,
		  " 90.00   90.00              +0.00           33.33         33.33         +0.00   touch "));
	CHECK(has(text, "\nthe samples are those of page-faults, the first event that both files have\n"
			"branches is only in old.pb.gz: not compared\n"
			"context-switches is only in new.pb.gz: not compared\n"));

	const nlohmann::json json = files.json();

	/* Each value of the base is a multiple of 50. */
	CHECK(json["base"]["samples"] == 10);
	CHECK(json["base"]["event"] == nlohmann::json({{"name", "page-faults"}, {"period", 50}}));
	CHECK(json["samples"] == 1000);
	CHECK(json["rows"][0]["events"]["page-faults"]["base_count"] == 450);
	CHECK(json["rows"][0]["base_samples"] == 9);

	const Compared swapped(event_profile(), other);

	CHECK(has(swapped.report().text,
		  "\nthe samples are those of cycles, the first event that both files have\n"));
	CHECK_FALSE(has(Compared(event_profile(), event_profile()).report().text, "the samples are"));
}

TEST_CASE("a profile of one event is compared with the same one of several", "[cli][report][events]")
{
	const Compared files(of_cycles(), event_profile());
	const std::string text = files.report().text;

	CHECK(has(text, "new.pb.gz: 3 samples in 1.50 s\ncompared with old.pb.gz: 3 samples in 1.50 s\n"));
	CHECK(has(text, " 66.67   66.67  +0.00   grow      load\n 33.33   33.33  +0.00   touch     load\n"));
	CHECK(has(text, "\npage-faults and context-switches are only in new.pb.gz: not compared\n"));
	CHECK(has(Compared(event_profile(), of_cycles()).report().text,
		  "\npage-faults and context-switches are only in old.pb.gz: not compared\n"));
}

TEST_CASE("profiles without a common event are not compared", "[cli][report][events]")
{
	const Compared files(event_profile(), renamed({"branches", "instructions", "faults"}));
	const support::Output refused = files.report();

	CHECK(refused.status == 1);
	CHECK(refused.text ==
	      "profil report: the profiles have no event in common: old.pb.gz has page-faults, "
	      "context-switches and cycles, new.pb.gz has branches, instructions and faults "
	      "(record both with the same -e)\n");
	CHECK(files.report("--json").text == refused.text);
	CHECK(files.report("--html -").text == refused.text);

	const Compared one(of_cycles(), renamed({"branches", "instructions", "faults"}));

	CHECK(has(one.report().text, "in common: old.pb.gz has cycles, new.pb.gz has branches, "));
}

TEST_CASE("samples of time are compared with those of the first event, which is said",
	  "[cli][report][events]")
{
	const std::string text = Compared(sample_profile(), event_profile()).report().text;

	CHECK(has(text, "\nthe samples are those of page-faults, and before those of cpu\n"
			"context-switches and cycles are only in new.pb.gz: not compared\n"));
}

TEST_CASE("a comparison has ratios in both profiles, and their change", "[cli][report][events]")
{
	const Compared files(with_instructions(500, 4000), with_instructions(900, 3000));
	const std::string text = files.report("--ratio context-switches/instructions").text;
	const auto line = [](const auto &...cells) {
		return fmt::format("  {:>8}  {:>7}  {:>12}  {:>34}  {:>33}  {:>38}  {:8}  load\n", cells...);
	};

	CHECK(has(text, "  IPC base  IPC new  IPC change %  context-switches/instructions base  "
			"context-switches/instructions new  context-switches/instructions change %  function "
			" object\n"));
	CHECK(has(text, line("0.5", "0.9", "+80.0", "0", "0", "", "touch")));
	CHECK(has(text, line("2", "1.5", "-25.0", "0.00225", "0.003", "+33.3", "grow")));
	/* wait has neither cycles nor instructions. */
	CHECK(has(text, line("", "", "", "", "", "", "wait")));

	const nlohmann::json json = files.json("--ratio context-switches/instructions");
	const auto ratios = [&](const std::string &function) {
		for (const auto &row : json["rows"]) {
			if (row["function"] == function)
				return row["ratios"];
		}
		return nlohmann::json();
	};

	CHECK(ratios("touch")["IPC"] ==
	      nlohmann::json(
		      {{"value", 0.9}, {"base_value", 0.5}, {"change_percent", 100 * (0.9 / 0.5 - 1)}}));
	CHECK(ratios("touch")["context-switches/instructions"] ==
	      nlohmann::json({{"value", 0.0}, {"base_value", 0.0}}));
	CHECK(ratios("wait")["IPC"] == nlohmann::json::object());
}

TEST_CASE("a comparison is ordered by the change of a ratio", "[cli][report][events]")
{
	const Compared files(with_instructions(500, 4000), with_instructions(900, 3000));
	const auto functions = [&](const std::string &arguments) {
		const nlohmann::json json = files.json(arguments);
		std::string names;

		for (const auto &row : json["rows"])
			names += row["function"].get<std::string>() + ' ';
		return names;
	};

	CHECK(functions("--order IPC") == "touch grow wait ");
	CHECK(functions("--ratio context-switches/instructions --order context-switches/instructions") ==
	      "grow touch wait ");
}

TEST_CASE("a ratio of what only one of the profiles has is refused", "[cli][report][events]")
{
	const Compared files(event_profile(), renamed({"page-faults", "instructions", "cycles"}));
	const support::Output refused = files.report("--ratio instructions/cycles");

	CHECK(refused.status == 1);
	CHECK(refused.text ==
	      "profil report: --ratio: 'instructions/cycles' is not EVENT/EVENT with two events of "
	      "both profiles (page-faults, cycles)\n");
	/* IPC is not shown by default either. */
	CHECK_FALSE(has(files.report().text, "IPC"));
}
