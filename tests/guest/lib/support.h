// SPDX-License-Identifier: GPL-2.0-or-later
// What the guest tests of libprofil add to support.h.
#pragma once

#include "tests/guest/support/burner.h"
#include "tests/guest/support/guest.h"

#include <cstddef>
#include <cstdint>
#include <profil.h>
#include <unistd.h>

namespace lib_test {

// One loop, so that a test knows where its time goes.
class Loop {
public:
	explicit Loop(uintptr_t at = guest::Burner::usual) : burner_(at) { burner_.plant_loop(pc()); }

	uintptr_t pc() const { return burner_.start() + 0x400; }
	void spin(uint64_t rounds) const { guest::Burner::spin(pc(), rounds); }
	// So much CPU time of this thread; a little of it is spent outside.
	void spin_ms(uint64_t ms) const { burner_.burn(pc(), ms * 1'000'000); }
	template <typename Condition> void spin_until(Condition holds) const
	{
		burner_.burn_until(pc(), holds);
	}

private:
	guest::Burner burner_;
};

// profil() by another name: <unistd.h> declares that its buffer is never NULL.
inline int call_profil(volatile unsigned short *buffer, size_t size, size_t offset, unsigned scale)
{
	static auto *const call =
		reinterpret_cast<int (*)(unsigned short *, size_t, size_t, unsigned)>(&profil);

	return call(const_cast<unsigned short *>(buffer), size, offset, scale);
}

// Four bytes of text a counter: the loop is in one, whichever its instructions.
constexpr unsigned four_bytes = 0x8000;

// Counters between two fields that nobody may touch.
template <size_t Nr> struct Guarded {
	volatile uint64_t before = 0x1111111111111111;
	alignas(8) volatile unsigned short counter[Nr] = {};
	volatile uint64_t after = 0x2222222222222222;

	[[nodiscard]] bool is_whole() const
	{
		return before == 0x1111111111111111 && after == 0x2222222222222222;
	}

	// All counters but one are 0.
	[[nodiscard]] bool only(size_t index) const
	{
		for (size_t i = 0; i < Nr; i++)
			if (i != index && counter[i])
				return false;
		return is_whole();
	}

	[[nodiscard]] bool is_zero() const { return only(Nr); }
};

// Is the process profiled into this counter, by what its loop leaves there?
// If it is not, this does not end, and the test is charged with it.
inline bool is_counted(const Loop &loop, const volatile unsigned short &counter)
{
	const unsigned short before = counter;

	loop.spin_until([&] { return counter != before; });
	return true;
}

// Or is it not, for as long as six ticks take?
inline bool is_off(const Loop &loop, const volatile unsigned short &counter)
{
	const unsigned short before = counter;

	loop.spin_ms(60);
	return counter == before;
}

// Turns the process's profile off at the end of a test, however that comes.
struct OffAtEnd {
	~OffAtEnd() { (void)profil_self_stop(nullptr); }
};

// Status of the calling process's profile.
inline profil_status self_status()
{
	profil_status status;

	status.size = sizeof(status);
	guest::need(profil_self_get_status(&status), "status of the own profile");
	return status;
}

// Status of the calling process's profile between two ticks, so that a counter
// agrees with it.
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

// The most ticks of a run of so many whole periods of CPU time.  It touches one period of
// the clock's more at each end, in which the lazy clock may tick anywhere; perf's ticks at
// even intervals.
inline int64_t most_ticks(int64_t periods)
{
	const bool even = guest::read_file("/sys/module/profil/parameters/clock") == "perf\n";

	return periods + (even ? 1 : 2);
}

// Sum of the ways in which a tick ends.
inline uint64_t accounted(const profil_status &s)
{
	return s.counted + s.outside + s.saturated + s.kernel + s.no_user_pc + s.off + s.lost_late +
	       s.lost_contended + s.lost_exec;
}

} // namespace lib_test
