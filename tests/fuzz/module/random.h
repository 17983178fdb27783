// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/random.h  Numbers that depend on a seed alone, the same on every machine. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fuzz {

constexpr uint64_t mix(uint64_t value)
{
	value += 0x9e3779b97f4a7c15;
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
	value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
	return value ^ (value >> 31);
}

constexpr uint64_t mix(uint64_t seed, uint64_t more)
{
	return mix(mix(seed) ^ more);
}

class Random {
public:
	explicit Random(uint64_t seed) : state_(seed) {}

	uint64_t next() { return mix(state_++); }
	uint64_t below(uint64_t limit) { return next() % limit; }
	uint64_t between(uint64_t low, uint64_t high) { return low + below(high - low + 1); }
	bool one_in(uint64_t n) { return below(n) == 0; }
	/** Small numbers are as likely as large ones. */
	uint64_t any_size() { return next() >> below(64); }
	template <typename T, size_t N> const T &pick(const T (&of)[N]) { return of[below(N)]; }

private:
	uint64_t state_;
};

} // namespace fuzz
