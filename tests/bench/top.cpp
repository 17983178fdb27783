// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/top.cpp  The cost of a refresh of profil top, for a program with 100 MB of text.
 *
 * Usage: make build/tests/top && build/tests/top [FUNCTIONS [REFRESHES]]
 *
 * Makes a program of FUNCTIONS functions (default 400000) of 256 bytes with C++ names,
 * and adds 999 samples before each refresh: most in a thousand functions, a quarter
 * anywhere.  Needs no module.
 */
#include "cli/commands/top/top.h"
#include "cli/commands/top/options.h"
#include "cli/objects/tally.h"
#include "tests/support/objects.h"
#include "tests/support/programs.h"
#include "tests/support/told_feed.h"

#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <random>
#include <stdexcept>
#include <sys/resource.h>
#include <utility>

namespace {

constexpr uint64_t function_size = 256;
constexpr uint64_t samples_between = 999;
constexpr uint64_t hot_functions = 1000;

double cpu_seconds()
{
	timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/** Makes the program in assembly: a compiler would need minutes. */
void make_program(const std::string &path, uint64_t functions)
{
	std::ofstream source(path + ".s");

	for (uint64_t i = 0; i < functions; i++)
		source << fmt::format(
			".globl {0}\n.type {0},@function\n{0}:\n.cfi_startproc\n.fill {1},1,0x90\n"
			"ret\n.cfi_endproc\n.size {0},.-{0}\n",
			fmt::format("_ZN9generated7program10function{:06}Em", i), function_size - 1);
	source << ".globl _start\n_start: ret\n.section .note.GNU-stack,\"\",@progbits\n";
	source.close();

	const support::Output built = support::run(fmt::format("gcc -nostdlib -o {0} {0}.s", path));

	if (built.status)
		throw std::runtime_error(built.text);
}

/** Samples as a recording gives them. */
class Samples {
public:
	Samples(std::shared_ptr<cli::Object> object, uint64_t functions)
		: object_(std::move(object)), functions_(functions), start_(object_->segments.at(0).address)
	{
	}

	void come()
	{
		for (uint64_t i = 0; i < samples_between; i++) {
			const uint64_t function =
				random_() % 4
					? random_() % std::min(hot_functions, functions_) * 7 % functions_
					: random_() % functions_;

			tally_.add(object_,
				   {.address = start_ + function * function_size + random_() % function_size},
				   1);
		}
	}
	cli::Tally take() { return std::exchange(tally_, cli::Tally()); }

private:
	std::mt19937_64 random_{42};
	std::shared_ptr<cli::Object> object_;
	uint64_t functions_;
	uint64_t start_;
	cli::Tally tally_;
};

/** The CPU seconds of the refresh alone. */
double refresh(Samples &samples, told_feed::Feed &feed, cli::Top &top)
{
	samples.come();

	const double start = cpu_seconds();

	feed.come(samples.take());
	top.refresh();
	top.frame({120, 40}, true);
	return cpu_seconds() - start;
}

} // namespace

int main(int argc, char **argv)
{
	const uint64_t functions = argc > 1 ? std::stoull(argv[1]) : 400000;
	const int refreshes = argc > 2 ? std::stoi(argv[2]) : 300;
	const support::TemporaryDirectory directory;

	make_program(directory / "program", functions);

	Samples samples(cli_test::map_object(directory / "program"), functions);
	told_feed::Feed feed;
	cli::Top top(feed, {});
	rusage usage;

	fmt::print("{} functions in {:.0f} MB of text\n", functions,
		   static_cast<double>(functions * function_size) / 1e6);
	fmt::print("the first refresh, which reads the symbols: {:.1f} ms\n",
		   refresh(samples, feed, top) * 1e3);

	double sum = 0;
	double longest = 0;

	for (int i = 0; i < refreshes; i++) {
		const double one = refresh(samples, feed, top);

		sum += one;
		longest = std::max(longest, one);
	}
	getrusage(RUSAGE_SELF, &usage);
	fmt::print(
		"one of the {} after it: {:.2f} ms, at most {:.2f} ms: {:.2f} % of a core at one a second\n",
		refreshes, sum / refreshes * 1e3, longest * 1e3, sum / refreshes * 100);
	fmt::print("places known by then: {}; memory, at most: {:.0f} MiB\n", feed.profile().locations.size(),
		   static_cast<double>(usage.ru_maxrss) / 1024);
}
