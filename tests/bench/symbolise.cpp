// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/symbolise.cpp  The last part of profil record: finds the names for its
 * samples, and writes the profile.
 *
 * Usage: symbolise PROGRAM FILE <PCS
 * PCS: one link-time address of PROGRAM per line, in hexadecimal.
 * Prints: CPU seconds, peak memory in KiB, bytes of FILE, samples, addresses
 */
#include "cli/base/output_file.h"
#include "cli/profile/about.h"
#include "cli/profile/pprof.h"
#include "cli/symbols/build_profile.h"
#include "tests/support/objects.h"

#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <string>
#include <sys/resource.h>

namespace {

constexpr uint64_t period = 1000000;

double cpu_seconds(const rusage &usage)
{
	const auto seconds = [](const timeval &time) {
		return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
	};

	return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

rusage usage_now()
{
	rusage usage = {};

	getrusage(RUSAGE_SELF, &usage);
	return usage;
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 3) {
		fmt::print(stderr, "usage: symbolise PROGRAM FILE <PCS\n");
		return 2;
	}

	const auto object = cli_test::map_object(argv[1]);
	std::vector<std::string> warnings;
	std::vector<std::string> left;
	cli::Tally tally;
	uint64_t pc = 0;

	while (std::cin >> std::hex >> pc) {
		if (object->texts.find(pc))
			tally.add(object, {pc, 0}, 1);
	}

	const double before = cpu_seconds(usage_now());
	cli::Profile profile = cli::build_profile(tally, {}, object.get(), period, warnings, &left);

	cli::About about;

	about.processes = 1;
	about.lines_later = left;
	profile.comments = cli::to_comments(about);

	const std::string file = cli::encode_pprof(profile);
	const rusage usage = usage_now();

	const cli::Result<cli::OutputFile> output = cli::OutputFile::prepare(argv[2]);
	const cli::Outcome written = output ? output->write(file) : cli::Outcome(output.error());

	if (!written) {
		fmt::print(stderr, "symbolise: {}\n", written.error().text);
		return 1;
	}
	fmt::print("{:.3f} {} {} {} {}\n", cpu_seconds(usage) - before, usage.ru_maxrss, file.size(),
		   tally.total(), profile.locations.size());
	return 0;
}
