// SPDX-License-Identifier: GPL-2.0-or-later
// What the tests of the flavours have in common.  Include it before a flavour's
// header, whose macros it must not meet.
#pragma once

#include "tests/guest/lib/support.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <vector>

namespace lib_test {

// Ticks come and this counter does not move; so it is the profile that leaves it.
inline bool is_left_alone(const Loop &loop, const volatile unsigned short &counter, unsigned ticks = 6)
{
	const unsigned short before = counter;
	const auto began = self_status().ticks;

	loop.spin_until([&] { return self_status().ticks >= began + ticks; });
	return counter == before;
}

// The state of the process's profile.
inline uint32_t state()
{
	return self_status().state;
}

// errno of a call, or 0.
template <typename Call> int errno_of(Call call)
{
	errno = 0;
	call();
	return errno;
}

// Memory that cannot be written.
class ReadOnly {
public:
	ReadOnly() : memory_(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1) {}
	template <typename T> T *get() const { return memory_.at<T>(); }

private:
	guest::Memory memory_;
};

// Nothing at all: no call may crash on it.
template <typename T> T *nowhere()
{
	return reinterpret_cast<T *>(0x7ffffffff000 - 64);
}

// Counters of several regions, far enough from each other.
struct Counters {
	guest::Memory memory{4096};

	volatile unsigned short &at(size_t region) const { return *memory.at<unsigned short>(region * 64); }
	void *base(size_t region) const { return memory.at(region * 64); }
	// The one that moves while the loop runs.
	size_t which(const Loop &loop, size_t regions) const
	{
		size_t found = regions;

		memset(memory.at(), 0, 4096);
		loop.spin_until([&] {
			for (size_t i = 0; i < regions; i++)
				if (at(i) >= 3)
					found = i;
			return found < regions;
		});
		return found;
	}
};

// A variable of the environment, for as long as this lives.
class Variable {
public:
	Variable(const char *name, const char *value) : name_(name) { setenv(name, value, 1); }
	Variable(const Variable &) = delete;
	Variable &operator=(const Variable &) = delete;
	~Variable() { unsetenv(name_); }

private:
	const char *name_;
};

} // namespace lib_test
