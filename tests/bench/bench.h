// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/bench.h  Code that the programs of make bench share. */
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <time.h>

namespace bench {

[[noreturn]] inline void die(const char *what)
{
	std::fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, std::strerror(errno));
	std::exit(1);
}

/** The time in ns; under -icount, executed instructions. */
inline std::uint64_t now(clockid_t clock = CLOCK_MONOTONIC)
{
	timespec t{};
	clock_gettime(clock, &t);
	return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

} // namespace bench
