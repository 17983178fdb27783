// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/crowd.cpp  A recording of many processes of many programs. */
#include "tests/guest/cli/support.h"

#include <cmath>
#include <filesystem>

using namespace cli_test;

namespace {

constexpr unsigned programs = 30, processes = 300;
/* Rounds per process, each of ten calls. */
constexpr unsigned busy = 400, idle = 2;

using Place = std::pair<std::string, std::string>;

struct Crowd {
	std::vector<guest::Child> children;
	std::map<Place, double> calls; /**< by program and function */
};

/** The processes of program n are n, n + 30 and so on; every fourth process is busy. */
Crowd start_crowd(const TemporaryDirectory &directory)
{
	Crowd crowd;

	for (unsigned i = 0; i < processes; i++) {
		const unsigned number = i % programs, hot = 1 + number % 9, rounds = i % 4 ? idle : busy;
		const std::string name = "crowd-" + std::to_string(number);
		const std::string path = directory / name;

		if (i < programs)
			std::filesystem::copy_file(program("cli_mix"), path);
		crowd.children.push_back(
			start({path, std::to_string(rounds), std::to_string(hot), std::to_string(10 - hot)},
			      directory / ("output-" + std::to_string(i))));
		crowd.calls[{name, "mix_hot()"}] += rounds * hot;
		crowd.calls[{name, "mix_cold()"}] += rounds * (10 - hot);
	}
	return crowd;
}

/** The crowd's samples, by program and function. */
std::map<Place, double> samples_of(const std::string &file, const Crowd &crowd)
{
	const Output rows = profil("report --json --sort process,function " + file);
	std::map<Place, double> samples;

	INFO(rows.text);
	REQUIRE(rows.status == 0);
	const Json json = parse_json(rows.text);

	for (const Json &row : json["rows"]) {
		const Place place = {row["process"], row["function"]};

		if (crowd.calls.contains(place))
			samples[place] += row["samples"].get<double>();
	}
	CHECK(json["ticks"]["lost_full"] == 0);
	return samples;
}

double sum(const std::map<Place, double> &of)
{
	double all = 0;

	for (const auto &[place, value] : of)
		all += value;
	return all;
}

bool is_done(const TemporaryDirectory &directory, size_t number)
{
	return has(read_file(directory / ("output-" + std::to_string(number))), "done");
}

} // namespace

/* In virtual time each call takes equally long, so the expected shares are known exactly. */
TEST_CASE("record -a of 300 processes of 30 programs is as exact as chance permits",
	  "[cli][crowd][icount][slow]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	guest::Child record = start({profil_path(), "record", "-a", "-o", file}, directory / "output");

	REQUIRE(samples_come(5));
	const Crowd crowd = start_crowd(directory);

	for (size_t i = 0; i < processes; i++)
		REQUIRE(soon([&] { return is_done(directory, i); }));
	kill(record.pid(), SIGINT);
	const int status = end_of(record);
	INFO(read_file(directory / "output"));
	REQUIRE(status == 0);

	const std::map<Place, double> samples = samples_of(file, crowd);
	const double all = sum(samples), calls = sum(crowd.calls);
	double distance = 0, chance = 0;

	for (const auto &[place, number] : crowd.calls) {
		const double share = number / calls;
		const auto found = samples.find(place);

		distance += std::abs((found == samples.end() ? 0 : found->second / all) - share) / 2;
		chance += std::sqrt(2 * share * (1 - share) / (M_PI * all)) / 2;
	}
	CAPTURE(all, distance, chance);
	CHECK(all > 2000);
	CHECK(distance < 1.5 * chance);
}
