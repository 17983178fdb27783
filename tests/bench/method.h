// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/method.h  Ways to profile the calling process: ours, and those it is measured against. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace bench {

/** Counters of 32 bits for 4 bytes of text each: the same for everybody who counts in memory. */
constexpr std::size_t text_covered = 64 << 10;
constexpr std::size_t counters_size = text_covered;
extern std::uint32_t counters[counters_size / sizeof(std::uint32_t)];

/** Where the text begins that they stand for; the work of a sample is in it. */
std::uint64_t text_low();

/** What all counters hold together. */
std::uint64_t counted();

/** Profiles the calling process, from construction to destruction. */
class Method {
public:
	Method() = default;
	Method(const Method &) = delete;
	Method &operator=(const Method &) = delete;
	virtual ~Method() = default;

	/** Does what is still to be done for the samples there are; a run ends with it. */
	virtual void drain() {}
	/** Stops, and returns all samples since the construction. */
	virtual std::uint64_t stop() = 0;
	/** What the counter of a PC holds, where there is one. */
	virtual std::uint64_t at(std::uint64_t pc) const;
};

struct Wish {
	std::uint64_t period = 0; /**< in ns of CPU time */
	unsigned regions = 1;
};

/** By its name, see cost.cpp; ends the program where there is none. */
std::unique_ptr<Method> make_method(const std::string &name, const Wish &wish);

/** The families, each in a file of its own; nullptr: not one of ours. */
std::unique_ptr<Method> make_profil(const std::string &name, const Wish &wish);
std::unique_ptr<Method> make_perf(const std::string &name, const Wish &wish);
std::unique_ptr<Method> make_bpf(const std::string &name, const Wish &wish);
std::unique_ptr<Method> make_signal(const std::string &name, const Wish &wish);

} // namespace bench
