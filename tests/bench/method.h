// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/method.h  Ways to profile the calling process: profil, and the profilers that
 * it is compared with.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <linux/perf_event.h>
#include <memory>
#include <string>

namespace bench {

/**
 * Counters of methods that count in memory: 32 bits for 4 bytes of text.  method_profil.cpp uses
 * each as two 16-bit counters.
 */
constexpr std::size_t text_covered = 64 << 10;
constexpr std::size_t counters_size = text_covered;
extern std::uint32_t counters[counters_size / sizeof(std::uint32_t)];

/** The start of the text that the counters stand for, which contains the code that is sampled. */
std::uint64_t text_low();

/** The sum of all counters. */
std::uint64_t counted();

/** Profiles the calling process, from construction to destruction. */
class Method {
public:
	Method() = default;
	Method(const Method &) = delete;
	Method &operator=(const Method &) = delete;
	virtual ~Method() = default;

	/** Processes the samples taken so far, at the end of each run. */
	virtual void drain() {}
	/** Stops, and returns the number of samples since construction. */
	virtual std::uint64_t stop() = 0;
	/** The counter of a PC, for methods that count in memory. */
	virtual std::uint64_t at(std::uint64_t pc) const;
};

struct Wish {
	std::uint64_t period = 0; /**< in ns of CPU time, or a number of events */
	unsigned regions = 1;
	std::uint64_t event = PERF_COUNT_SW_CPU_CLOCK; /**< a PERF_TYPE_SOFTWARE event to sample */
};

/** True if the wish names an event, counted in user mode only, instead of the clock. */
inline bool is_event(const Wish &wish)
{
	return wish.event != PERF_COUNT_SW_CPU_CLOCK;
}

/** Makes a method by its name in cost.cpp's usage; an unknown name ends the program. */
std::unique_ptr<Method> make_method(const std::string &name, const Wish &wish);

/** The families of methods, each in a file of its own; nullptr if the name is not of the family. */
std::unique_ptr<Method> make_profil(const std::string &name, const Wish &wish);
std::unique_ptr<Method> make_record(const std::string &name, const Wish &wish);
std::unique_ptr<Method> make_perf(const std::string &name, const Wish &wish);
std::unique_ptr<Method> make_bpf(const std::string &name, const Wish &wish);
std::unique_ptr<Method> make_signal(const std::string &name, const Wish &wish);

} // namespace bench
