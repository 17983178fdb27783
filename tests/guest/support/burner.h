// SPDX-License-Identifier: GPL-2.0-or-later
// Code at addresses of one's choice, to spend CPU time at a known PC.
#pragma once

#include "tests/guest/support/guest.h"
#include "tests/guest/support/machine_code.h"

namespace guest {

// The last address up to @pc at which there can be code.
constexpr uintptr_t code_place(uintptr_t pc)
{
	return pc - pc % CODE_ALIGNMENT;
}

// Pages at a chosen address in which loops are planted.
class Burner {
public:
	static constexpr uintptr_t usual = 0x10000000;

	explicit Burner(uintptr_t at = usual, size_t bytes = 0x10000);

	uintptr_t start() const { return code_.address(); }

	// One instruction that jumps to itself (or two, see machine_code.h); behind it
	// is one that returns.  So every tick is at @pc, but for one in a million, which
	// is at @pc + CODE_LOOP_RETURN: let no region hold that where it matters.
	void plant_loop(uintptr_t pc) const;
	// The same of `length` bytes, nearly all of them the shortest instructions that
	// there are: many times quicker to emulate.
	void plant_block(uintptr_t pc, size_t length) const;
	// How many instructions that is, each time round.
	static uint64_t instructions(size_t length);
	// getpid(2) over and over; in the kernel the PC is at the result.
	uintptr_t plant_syscalls(uintptr_t pc, uint32_t number) const;

	// Bytes of a block that is large enough for that.
	static constexpr size_t block = 4000;

	// Go round a planted loop.
	static void spin(uintptr_t pc, uint64_t times);
	// Plant a loop and spend that much CPU time of this thread in it, in ns.
	void burn(uintptr_t pc, uint64_t ns) const;
	// ... or until something has come about; throws when it never does.
	void burn_until(uintptr_t pc, const std::function<bool()> &enough) const;
	// Spend that much where a nanosecond is an executed instruction: in a block at `usual`.
	void spend(uint64_t ns) const;

private:
	void plant(uintptr_t pc, const void *code, size_t bytes) const;
	Memory code_;
};

} // namespace guest
