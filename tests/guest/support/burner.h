// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/burner.h  Code at chosen addresses, to spend CPU time at a known PC. */
#pragma once

#include "tests/guest/support/guest.h"
#include "tests/guest/support/machine_code.h"

namespace guest {

/** The highest address up to @pc where code can be. */
constexpr uintptr_t code_place(uintptr_t pc)
{
	return pc - pc % CODE_ALIGNMENT;
}

/** Pages at a chosen address in which loops are planted. */
class Burner {
public:
	static constexpr uintptr_t usual = 0x10000000;

	explicit Burner(uintptr_t at = usual, size_t bytes = 0x10000);

	uintptr_t start() const { return code_.address(); }

	/**
	 * One instruction that jumps to itself (or two, see machine_code.h), followed by one that
	 * returns.  Every tick is at @pc, except for about one in a million, which is at @pc +
	 * CODE_LOOP_RETURN: keep that address out of every region where it matters.
	 */
	void plant_loop(uintptr_t pc) const;
	/**
	 * A loop of `length` bytes, nearly all of them the machine's shortest instructions: an
	 * emulator executes it many times faster than plant_loop().
	 */
	void plant_block(uintptr_t pc, size_t length) const;
	/** Instructions in one round of plant_block()'s loop. */
	static uint64_t instructions(size_t length);
	/** A loop that makes system call `number`.  Returns the user PC during the call. */
	uintptr_t plant_syscalls(uintptr_t pc, uint32_t number) const;

	/** A good length for plant_block(). */
	static constexpr size_t block = 4000;

	/** Run a planted loop. */
	static void spin(uintptr_t pc, uint64_t times);
	/** Plant a loop and spend `ns` of this thread's CPU time in it. */
	void burn(uintptr_t pc, uint64_t ns) const;
	/** Plant a loop and run it until `enough` returns true; throws when it never does. */
	void burn_until(uintptr_t pc, const std::function<bool()> &enough) const;
	/** Spend `ns` in a block at `usual`, in a guest where a nanosecond is one instruction. */
	void spend(uint64_t ns) const;

private:
	void plant(uintptr_t pc, const void *code, size_t bytes) const;
	Memory code_;
};

} // namespace guest
