// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/flavour/support.h  Shared by the tests of the flavours.  Include it before a
 * flavour's header, whose macros must not affect it.
 */
#pragma once

#include "tests/guest/lib/support.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <vector>

namespace lib_test {

/** Wait for a tick that cannot count in its memory: it turns the profile, or its region, off. */
inline void meet_hole(const Loop &loop)
{
	const auto before = self_status().off;

	loop.spin_until([&] {
		const auto status = self_status();

		return status.off > before || status.state != PROFIL_STATE_RUNNING;
	});
}

/** True if this counter stays the same while the process gets ticks. */
inline bool is_left_alone(const Loop &loop, const volatile unsigned short &counter, unsigned ticks = 6)
{
	const unsigned short before = counter;
	const auto began = self_status().ticks;

	loop.spin_until([&] { return self_status().ticks >= began + ticks; });
	return counter == before;
}

/** The state of the process's profile. */
inline uint32_t state()
{
	return self_status().state;
}

/** The errno of a call, or 0. */
template <typename Call> int errno_of(Call call)
{
	errno = 0;
	call();
	return errno;
}

/** Read-only memory. */
class ReadOnly {
public:
	ReadOnly() : memory_(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1) {}
	template <typename T> T *get() const { return memory_.at<T>(); }

private:
	guest::Memory memory_;
};

/** An invalid address: no call may crash on it. */
template <typename T> T *nowhere()
{
	return reinterpret_cast<T *>(0x7ffffffff000 - 64);
}

/** Counters of several regions, far apart. */
struct Counters {
	guest::Memory memory{4096};

	volatile unsigned short &at(size_t region) const { return *memory.at<unsigned short>(region * 64); }
	void *base(size_t region) const { return memory.at(region * 64); }
	/** The counter that changes while the loop runs. */
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

/**
 * Two loops, each with counters in its own memory, so that one can be unmapped while the other
 * stays.
 */
class TwoLoops {
public:
	uintptr_t pc(size_t which) const { return burner_.start() + 0x400 + which * 0x400; }
	template <typename Counter> Counter *base(size_t which) const { return memory_[which].at<Counter>(); }
	/** Run a loop until its memory has changed. */
	void count(size_t which) const
	{
		const guest::Memory &memory = memory_[which];

		memset(memory.at(), 0, memory.bytes());
		burner_.burn_until(pc(which), [&] {
			const auto *const bytes = memory.at<volatile unsigned char>();

			return std::any_of(bytes, bytes + 64, [](unsigned char byte) { return byte != 0; });
		});
	}
	/** Unmap a loop's counters, and wait for a tick that needs them. */
	void lose(size_t which)
	{
		const auto before = self_status().off;

		guest::need(munmap(memory_[which].at(), memory_[which].bytes()), "munmap");
		memory_[which].forget();
		burner_.burn_until(pc(which), [&] {
			const auto status = self_status();

			return status.off > before || status.state != PROFIL_STATE_RUNNING;
		});
	}

private:
	guest::Burner burner_;
	guest::Memory memory_[2] = {guest::Memory(4096), guest::Memory(4096)};
};

/** Sets an environment variable while this lives. */
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
