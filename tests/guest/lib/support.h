// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/support.h  Shared by the guest tests of libprofil. */
#pragma once

#include "tests/guest/support/burner.h"
#include "tests/guest/support/guest.h"

#include <cstddef>
#include <cstdint>
#include <profil.h>
#include <unistd.h>

namespace lib_test {

/** A single loop, so that a test knows where its CPU time is spent. */
class Loop {
public:
	explicit Loop(uintptr_t at = guest::Burner::usual) : burner_(at) { burner_.plant_loop(pc()); }

	uintptr_t pc() const { return burner_.start() + 0x400; }
	void spin(uint64_t rounds) const { guest::Burner::spin(pc(), rounds); }
	/** Spend `ms` of this thread's CPU time, a small part of it outside the loop. */
	void spin_ms(uint64_t ms) const { burner_.burn(pc(), ms * 1'000'000); }
	template <typename Condition> void spin_until(Condition holds) const
	{
		burner_.burn_until(pc(), holds);
	}

private:
	guest::Burner burner_;
};

/** profil() through a pointer, because <unistd.h> declares that its buffer is never NULL. */
inline int call_profil(volatile unsigned short *buffer, size_t size, size_t offset, unsigned scale)
{
	static auto *const call =
		reinterpret_cast<int (*)(unsigned short *, size_t, size_t, unsigned)>(&profil);

	return call(const_cast<unsigned short *>(buffer), size, offset, scale);
}

/** Four bytes of text for each counter: one counter holds the loop on any architecture. */
constexpr unsigned four_bytes = 0x8000;

/** Counters between two fields that must not change. */
template <size_t Nr> struct Guarded {
	volatile uint64_t before = 0x1111111111111111;
	alignas(8) volatile unsigned short counter[Nr] = {};
	volatile uint64_t after = 0x2222222222222222;

	[[nodiscard]] bool is_whole() const
	{
		return before == 0x1111111111111111 && after == 0x2222222222222222;
	}

	/** True if all counters except this one are 0, and the fields around them are unchanged. */
	[[nodiscard]] bool only(size_t index) const
	{
		for (size_t i = 0; i < Nr; i++)
			if (i != index && counter[i])
				return false;
		return is_whole();
	}

	[[nodiscard]] bool is_zero() const { return only(Nr); }
};

/** Runs the loop until this counter counts it.  Throws if it does not within 20 s of CPU time. */
inline bool is_counted(const Loop &loop, const volatile unsigned short &counter)
{
	const unsigned short before = counter;

	loop.spin_until([&] { return counter != before; });
	return true;
}

/** True if this counter stays the same for the time of six ticks. */
inline bool is_off(const Loop &loop, const volatile unsigned short &counter)
{
	const unsigned short before = counter;

	loop.spin_ms(60);
	return counter == before;
}

/** Turns the process's profile off at the end of a test, even a failed one. */
struct OffAtEnd {
	~OffAtEnd() { (void)profil_self_stop(nullptr); }
};

/** The status of the calling process's profile. */
inline profil_status self_status()
{
	profil_status status;

	status.size = sizeof(status);
	guest::need(profil_self_get_status(&status), "the status of the self profile");
	return status;
}

/**
 * The status of the calling process's profile and, in @p value, a count that was read without a
 * tick in between, so that the two agree.
 */
template <typename Read> profil_status steady_status(Read read, uint64_t &value)
{
	for (;;) {
		const uint64_t before = read();
		const profil_status status = self_status();

		value = read();
		if (value == before)
			return status;
	}
}

/**
 * The most ticks that a run of this many whole periods of CPU time can have.  A run overlaps one
 * more period of the clock at each end.  The lazy clock may tick anywhere in a period; perf's
 * clock ticks at even intervals.
 */
inline int64_t most_ticks(int64_t periods)
{
	const bool even = guest::read_file("/sys/module/profil/parameters/clock") == "perf\n";

	return periods + (even ? 1 : 2);
}

/** The sum of the counts of all causes. */
inline uint64_t accounted(const profil_status &s)
{
	return s.counted + s.outside + s.saturated + s.kernel + s.no_user_pc + s.off + s.lost_late +
	       s.lost_contended + s.lost_full;
}

} // namespace lib_test
