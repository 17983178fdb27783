// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/status/switch_cost.h"

#include "cli/base/fd.h"
#include "cli/base/monotonic.h"
#include "cli/recording/self_profile.h"
#include "cli/recording/session.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace cli {
namespace {

constexpr uint64_t duration = 500000000;
constexpr uint64_t slow = 1000000000; /* ns per tick, so that hardly any switch is interrupted */
constexpr size_t least_pairs = 9;
constexpr size_t most_pairs = 101;
constexpr size_t rounds = 500;

struct Pipe {
	Fd out;
	Fd in;
};

/** Keeps the calling thread, and threads that it starts, on one CPU while this object lives. */
class OnOneCpu {
public:
	OnOneCpu()
	{
		cpu_set_t here;

		CPU_ZERO(&here);
		CPU_SET(sched_getcpu(), &here);
		well_ = !sched_getaffinity(0, sizeof(before_), &before_) &&
			!sched_setaffinity(0, sizeof(here), &here);
	}
	~OnOneCpu()
	{
		if (well_)
			sched_setaffinity(0, sizeof(before_), &before_);
	}
	OnOneCpu(const OnOneCpu &) = delete;
	OnOneCpu &operator=(const OnOneCpu &) = delete;

	[[nodiscard]] bool well() const { return well_; }

private:
	cpu_set_t before_;
	bool well_;
};

bool pass(int to, int from)
{
	char byte = 0;

	return write(to, &byte, 1) == 1 && read(from, &byte, 1) == 1;
}

/** Sends each byte back, until the end of the input. */
void echo(int from, int to)
{
	char byte = 0;

	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
}

/** Two threads that wake each other, so that only one runs at a time. */
class Players {
public:
	Players()
	{
		if (open(there_) && open(back_))
			partner_ = std::thread(echo, there_.out.get(), back_.in.get());
	}
	~Players()
	{
		there_.in.close();
		if (partner_.joinable())
			partner_.join();
	}
	Players(const Players &) = delete;
	Players &operator=(const Players &) = delete;

	/** ns per switch, or 0 on an error. */
	[[nodiscard]] double play() const
	{
		if (!partner_.joinable())
			return 0;

		const uint64_t start = monotonic_ns();

		for (size_t i = 0; i < rounds; i++) {
			if (!pass(there_.in.get(), back_.out.get()))
				return 0;
		}
		return static_cast<double>(monotonic_ns() - start) / (2 * rounds);
	}

private:
	static bool open(Pipe &pipe)
	{
		std::array<int, 2> ends{};

		if (pipe2(ends.data(), O_CLOEXEC))
			return false;
		pipe.out = Fd(ends[0]);
		pipe.in = Fd(ends[1]);
		return true;
	}

	Pipe there_;
	Pipe back_;
	std::thread partner_;
};

Result<double> play_profiled(const Players &players)
{
	const SelfProfile profile(slow);

	if (profile.error())
		return Error{explain(profile.error(), "PROFIL_START")};
	return players.play();
}

double median(std::vector<double> values)
{
	std::sort(values.begin(), values.end());
	return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

} // namespace

SwitchCost cost_of_pairs(const std::vector<SwitchPair> &pairs)
{
	const size_t number = pairs.size();
	/* The distance of the 95 % bounds from the middle, in order statistics: see the header. */
	const auto apart = static_cast<size_t>(std::ceil(std::sqrt(number) * 0.98));
	const size_t low = number / 2 > apart ? number / 2 - apart : 0;
	std::vector<double> plain;
	std::vector<double> added;

	for (const SwitchPair &pair : pairs) {
		plain.push_back(pair.plain);
		added.push_back(pair.profiled - pair.plain);
	}
	std::sort(added.begin(), added.end());
	return {median(added), added[low], added[number - 1 - low], median(plain), number};
}

Result<SwitchCost> measure_switch_cost()
{
	const OnOneCpu here;
	const Players players;
	std::vector<SwitchPair> pairs;

	if (!here.well())
		return system_error("cannot keep two threads on one CPU", errno);
	if (!players.play())
		return system_error("cannot make two threads switch by pipes", errno);
	for (const uint64_t start = monotonic_ns();
	     pairs.size() < least_pairs ||
	     (pairs.size() < most_pairs && monotonic_ns() - start < duration);) {
		SwitchPair pair;

		/* Alternate the order of the two measurements. */
		if (pairs.size() % 2)
			pair.plain = players.play();

		const Result<double> profiled = play_profiled(players);

		if (!profiled)
			return profiled.error();
		pair.profiled = *profiled;
		if (pairs.size() % 2 == 0)
			pair.plain = players.play();
		pairs.push_back(pair);
	}
	return cost_of_pairs(pairs);
}

} // namespace cli
