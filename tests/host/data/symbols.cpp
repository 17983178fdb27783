// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/data/symbols.cpp  A program with inlined functions, for the tests of symbols. */
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace deep {

class Worker {
public:
	__attribute__((noinline)) unsigned long run(unsigned long rounds);

private:
	unsigned long step(unsigned long value) { return mix(value) + total_; }

	static inline unsigned long mix(unsigned long value)
	{
		value ^= value << 13;
		value ^= value >> 7;
		return value ^ (value << 17);
	}

	unsigned long total_ = 1;
};

unsigned long Worker::run(unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++) {
		total_ += step(total_ + i);
		if (total_ % 1000003 == 0)
			std::printf("%lu\n", total_);
	}
	return total_;
}

template <typename T> __attribute__((noinline)) T sum(const std::vector<T> &values)
{
	T total = T();

	for (const T &value : values)
		total += value;
	return total;
}

} // namespace deep

static __attribute__((noinline)) unsigned long hidden(unsigned long value)
{
	return deep::Worker().run(value) + deep::sum(std::vector<long>(value % 10, 3));
}

int main(int argc, char **argv)
{
	return hidden(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000) == 7;
}
