// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/rows/events.cpp  Profiles of several events: a column for each. */
#include "cli/rows/events.h"

#include "cli/profile/about.h"
#include "cli/rows/event_order.h"
#include "cli/rows/flat.h"
#include "tests/support/catch.h"

using namespace cli;

namespace {

/**
 * Two functions; the second one is at two addresses, and one of these has no sample of the first
 * event.
 */
Profile two_functions()
{
	Profile profile;

	profile.sample_types = {{"samples", "count"}, {"cycles:u", "count"}, {"instructions", "count"}};
	profile.period_type = {"cycles:u", "count"};
	profile.period = 100;
	profile.functions = {{"busy", "busy", "", 0}, {"idle", "idle", "", 0}};
	profile.locations = {
		{std::nullopt, 1, {{0, 0}}}, {std::nullopt, 2, {{1, 0}}}, {std::nullopt, 3, {{1, 0}}}};
	profile.samples = {{{0}, {30, 3000, 1500}, {}}, {{1}, {10, 1000, 4000}, {}}, {{2}, {0, 0, 500}, {}}};
	return profile;
}

} // namespace

TEST_CASE("each row has the values of all events, and a place without the first one counts", "[cli][events]")
{
	const Profile profile = two_functions();
	const Flat flat = flatten(profile, {});

	CHECK(is_of_events(profile));
	CHECK(flat.samples == 40);
	CHECK(flat.events.names == std::vector<std::string>{"cycles:u", "instructions"});
	CHECK(flat.events.totals == std::vector<uint64_t>{4000, 6000});
	REQUIRE(flat.rows.size() == 2);
	CHECK(flat.rows[0].function == "busy");
	CHECK(std::vector(flat.rows[0].events.begin(), flat.rows[0].events.end()) ==
	      std::vector<uint64_t>{3000, 1500});
	CHECK(flat.rows[1].function == "idle");
	CHECK(flat.rows[1].samples == 10);
	CHECK(std::vector(flat.rows[1].events.begin(), flat.rows[1].events.end()) ==
	      std::vector<uint64_t>{1000, 4500});
}

TEST_CASE("instructions a cycle come by themselves, other ratios when asked for", "[cli][events]")
{
	const Flat flat = flatten(two_functions(), {});
	const std::vector<std::string> wanted = {"cycles:u/instructions"};
	const Result<std::vector<Ratio>> ratios = ratios_of(flat.events, wanted);

	REQUIRE(ratios);
	REQUIRE(ratios->size() == 2);
	CHECK((*ratios)[0].name == "IPC");
	CHECK(ratio_text(ratio_of((*ratios)[0], flat.rows[0].events)) == "0.5");
	CHECK(ratio_text(ratio_of((*ratios)[0], flat.rows[1].events)) == "4.5");
	CHECK((*ratios)[1].name == "cycles:u/instructions");
	CHECK(ratio_text(ratio_of((*ratios)[1], flat.rows[0].events)) == "2");
	CHECK(ratio_text(ratio_of((*ratios)[0], std::vector<uint64_t>{0, 7})).empty());
}

TEST_CASE("a ratio of what the profile does not have is refused", "[cli][events]")
{
	const Flat flat = flatten(two_functions(), {});
	const auto refusal = [&](const std::string &wanted) {
		return ratios_of(flat.events, std::vector{wanted}).error().text;
	};

	CHECK(refusal("cycles") == "--ratio: 'cycles' is not EVENT/EVENT with two events of the profile "
				   "(cycles:u, instructions)");
	CHECK(refusal("cache-misses/instructions") ==
	      "--ratio: 'cache-misses/instructions' is not EVENT/EVENT with two events of the profile "
	      "(cycles:u, instructions)");
	CHECK(ratios_of({}, std::vector<std::string>{"a/b"}).error().text ==
	      "--ratio: 'a/b' is not EVENT/EVENT with two events of the profile (the profile does not have "
	      "several)");
}

TEST_CASE("the period of an event is what its file says or its values have in common, and the longest of "
	  "several",
	  "[cli][events]")
{
	const Profile profile = two_functions();
	Profile finer = profile;
	EventColumns sum = flatten(profile, {}).events;

	CHECK(sum.periods == std::vector<uint64_t>{1000, 500});
	for (Sample &sample : finer.samples)
		sample.values[2] /= 5;
	CHECK(flatten(finer, {}).events.periods == std::vector<uint64_t>{1000, 100});
	sum.periods = {10, 20};
	take_longest_periods(sum, std::vector{finer, profile});
	CHECK(sum.periods == std::vector<uint64_t>{1000, 500});
	sum.periods = {};
	take_longest_periods(sum, std::vector{finer});
	CHECK(sum.periods == std::vector<uint64_t>{1000, 100});

	/*
	 * profil's own files give the periods, and say that the second event was counted for half
	 * of the time.
	 */
	About about;
	Profile told = profile;

	about.events = {{profile.sample_types[1].type, 1000, 0, 0, 8, 8},
			{profile.sample_types[2].type, 50, 0, 0, 8, 4}};
	told.comments = to_comments(about);
	CHECK(event_periods(told) == std::vector<uint64_t>{1000, 100});
	for (Sample &sample : finer.samples)
		sample.values[2] = 0;
	CHECK(flatten(finer, {}).events.periods == std::vector<uint64_t>{1000, 0});
}

TEST_CASE("rows are ordered by any event or ratio, those without a ratio last", "[cli][events]")
{
	Profile profile = two_functions();

	profile.functions.push_back({"stalled", "stalled", "", 0});
	profile.locations.push_back({std::nullopt, 4, {{2, 0}}});
	profile.samples.push_back({{3}, {0, 0, 4500}, {}});

	const Flat flat = flatten(profile, {});
	const Result<std::vector<Ratio>> ratios = ratios_of(flat.events, {});
	const auto ordered = [&](const std::string &name) {
		const Result<EventOrder> order = find_order(flat.events, *ratios, name);
		Flat result = flat;
		std::string names;

		REQUIRE(order);
		order_rows(result, *order);
		for (const Row &row : result.rows)
			names.append(row.function) += ' ';
		return names;
	};

	CHECK(ordered("cycles:u") == "busy idle stalled ");
	CHECK(ordered("cycles") == "busy idle stalled ");
	/* stalled has as many instructions as idle, but fewer samples. */
	CHECK(ordered("instructions") == "idle stalled busy ");
	CHECK(ordered("IPC") == "idle busy stalled ");
}

TEST_CASE("a name that one event has is that event, though it is the beginning of another's", "[cli][events]")
{
	const std::vector<std::string> names = {"cycles:u", "cycles", "instructions:u"};

	CHECK(find_event(names, "cycles") == 1);
	CHECK(find_event(names, "cycles:u") == 0);
	CHECK(find_event(names, "instructions") == 2);
	CHECK(find_event(names, "cache-misses") == names.size());
}

TEST_CASE("rows that have as many of an event keep their order, however many they are", "[cli][events]")
{
	constexpr size_t many = 100;
	Profile profile = two_functions();

	/* In descending order of samples; all but the last have the same number of instructions. */
	profile.functions.clear();
	profile.locations.clear();
	profile.samples.clear();
	for (size_t i = 0; i < many; i++) {
		const std::string name = "f" + std::to_string(i);
		const auto samples = static_cast<int64_t>(many - i);

		profile.functions.push_back({name, name, "", 0});
		profile.locations.push_back({std::nullopt, i + 1, {{i, 0}}});
		profile.samples.push_back({{i}, {samples, 100 * samples, i + 1 == many ? 2000 : 1000}, {}});
	}

	Flat flat = flatten(profile, {});
	const Result<EventOrder> order = find_order(flat.events, {}, "instructions");
	std::vector<std::string> ordered, expected = {"f99"};

	REQUIRE(order);
	order_rows(flat, *order);
	for (const Row &row : flat.rows)
		ordered.emplace_back(row.function);
	for (size_t i = 0; i + 1 < many; i++)
		expected.push_back("f" + std::to_string(i));
	CHECK(ordered == expected);
}

TEST_CASE("an order by what the profile does not have is refused", "[cli][events]")
{
	const Flat flat = flatten(two_functions(), {});
	const Result<std::vector<Ratio>> ratios = ratios_of(flat.events, {});

	CHECK(find_order(flat.events, *ratios, "cache-misses").error().text ==
	      "--order: 'cache-misses' is not one of cycles:u, instructions, IPC");
	CHECK(find_order({}, {}, "cycles").error().text ==
	      "--order: 'cycles': the profile does not have several events");
}

TEST_CASE("profiles of time, of one event and of other tools have no columns of events", "[cli][events]")
{
	Profile one = two_functions();
	Profile time = two_functions();
	Profile heap = two_functions();

	one.sample_types.pop_back();
	for (Sample &sample : one.samples)
		sample.values.pop_back();
	time.period_type = {"cpu", "nanoseconds"};
	heap.sample_types[0] = {"alloc_objects", "count"};
	CHECK(is_of_events(one));
	CHECK(flatten(one, {}).events.names.empty());
	CHECK(flatten(one, {}).rows.size() == 2);
	CHECK_FALSE(is_of_events(time));
	CHECK(flatten(time, {}).events.names.empty());
	CHECK_FALSE(is_of_events(heap));
	CHECK(flatten(heap, {}).events.names.empty());
}
