// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/guest/support/burner.h"

#include "tests/guest/support/machine_code.h"

#include <cstring>
#include <sys/mman.h>
#include <vector>

namespace guest {

/**
 * Loop rounds between checks: half a millisecond under -icount, where an instruction takes a
 * nanosecond, and about as much on an emulated CPU.
 */
constexpr uint64_t chunk = 500'000;
constexpr uint64_t patience = 20'000'000'000;

Burner::Burner(uintptr_t at, size_t bytes)
	: code_(reinterpret_cast<void *>(at), bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1)
{
	for (size_t i = 0; i < bytes; i += sizeof(code_return))
		memcpy(code_.at<uint8_t>() + i, code_return, sizeof(code_return));
	code_written(code_.at(), bytes);
}

/** Identical code is left alone: the emulator then keeps its translation. */
void Burner::plant(uintptr_t pc, const void *code, size_t bytes) const
{
	const auto at = reinterpret_cast<void *>(pc);

	need_that(pc % CODE_ALIGNMENT == 0, "this address is aligned for code");
	need_that(pc >= start() && pc + bytes <= start() + code_.bytes(), "the loop fits in the burner");
	if (memcmp(at, code, bytes) != 0) {
		memcpy(at, code, bytes);
		code_written(at, bytes);
	}
}

void Burner::plant_loop(uintptr_t pc) const
{
	plant(pc, code_loop, sizeof(code_loop));
}

#ifdef __x86_64__
void Burner::plant_block(uintptr_t pc, size_t length) const
{
	/* nop...; sub $1,%ecx (3 bytes); jnz in its long form (6 bytes). */
	std::vector<uint8_t> code(length, 0x90);
	const auto jump = static_cast<int32_t>(-static_cast<int64_t>(length));

	need_that(length >= 16, "a block has room for its jump");
	memcpy(&code[length - 9], "\x83\xe9\x01\x0f\x85", 5);
	memcpy(&code[length - 4], &jump, 4);
	code.insert(code.end(), std::begin(code_return), std::end(code_return));
	plant(pc, code.data(), code.size());
}

uint64_t Burner::instructions(size_t length)
{
	return length - 7;
}

uintptr_t Burner::plant_syscalls(uintptr_t pc, uint32_t number) const
{
	/*
	 * The caller's %r12 must be kept: count in %r8, which syscalls preserve.
	 *
	 * 0: mov %rcx,%r8   3: mov $number,%eax   8: syscall   10: dec %r8   13: jnz 3   15: ret
	 */
	uint8_t code[] = {0x49, 0x89, 0xc8, 0xb8, 0, 0, 0, 0, 0x0f, 0x05, 0x49, 0xff, 0xc8, 0x75, 0xf4, 0xc3};

	memcpy(&code[4], &number, 4);
	plant(pc, code, sizeof(code));
	return pc + 10;
}
#else
void Burner::plant_block(uintptr_t pc, size_t length) const
{
	/* nop...; subs x3,x3,#1; b.ne */
	std::vector<uint32_t> code(length / 4, 0xd503201f);
	const auto jump = static_cast<uint32_t>(code.size() - 1);

	need_that(length >= 16 && length % 4 == 0, "a block has room for its jump");
	code[jump - 1] = 0xf1000463;
	code[jump] = 0x54000001 | (-jump & 0x7ffff) << 5;
	code.push_back(0);
	memcpy(&code.back(), code_return, sizeof(code_return));
	plant(pc, code.data(), code.size() * 4);
}

uint64_t Burner::instructions(size_t length)
{
	return length / 4;
}

uintptr_t Burner::plant_syscalls(uintptr_t pc, uint32_t number) const
{
	/* 0: mov w8,#number   4: svc #0   8: subs x3,x3,#1   12: b.ne 4   16: ret */
	const uint32_t code[] = {0x52800008 | number << 5, 0xd4000001, 0xf1000463, 0x54ffffc1, 0xd65f03c0};

	need_that(number < 0x10000, "the number fits its instruction");
	plant(pc, code, sizeof(code));
	return pc + 8;
}
#endif

void Burner::spend(uint64_t ns) const
{
	plant_block(usual, block);
	spin(usual, ns / instructions(block));
}

void Burner::spin(uintptr_t pc, uint64_t times)
{
	code_run(pc, times);
}

void Burner::burn(uintptr_t pc, uint64_t ns) const
{
	const auto end = thread_ns() + ns;

	burn_until(pc, [end] { return thread_ns() >= end; });
}

void Burner::burn_until(uintptr_t pc, const std::function<bool()> &enough) const
{
	const auto end = thread_ns() + patience;

	plant_loop(pc);
	while (!enough()) {
		need_that(thread_ns() < end, "the condition that the loop waits for becomes true");
		spin(pc, chunk);
	}
}

} // namespace guest
