// SPDX-License-Identifier: GPL-2.0-or-later
// What the guest tests of libprofil add to support.h.
#pragma once

#include "support.h"
#include "support_burner.h"

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

// Sum of the ways in which a tick ends.
inline uint64_t accounted(const profil_status &s)
{
	return s.counted + s.outside + s.saturated + s.kernel + s.no_user_pc + s.off + s.lost_late +
	       s.lost_contended + s.lost_exec;
}

} // namespace lib_test
