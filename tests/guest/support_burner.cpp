// SPDX-License-Identifier: GPL-2.0-or-later
#include "support_burner.h"

#include <cstring>
#include <sys/mman.h>
#include <vector>

namespace guest {

// Half a millisecond of a guest under -icount, where an instruction is a
// nanosecond, and about as much of one on an emulated CPU.
constexpr uint64_t chunk = 500'000;
constexpr uint64_t patience = 20'000'000'000;

Burner::Burner(uintptr_t at, size_t bytes)
	: code_(reinterpret_cast<void *>(at), bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1)
{
	memset(code_.at(), 0xc3, bytes); // ret
}

// Unchanged code stays as it is translated.
void Burner::plant(uintptr_t pc, const void *code, size_t bytes) const
{
	need_that(pc >= start() && pc + bytes <= start() + code_.bytes(), "the loop fits the burner");
	if (memcmp(reinterpret_cast<void *>(pc), code, bytes) != 0)
		memcpy(reinterpret_cast<void *>(pc), code, bytes);
}

void Burner::plant_block(uintptr_t pc, size_t length) const
{
	// nop...; sub $1,%ecx is 3 bytes, jnz 2 or 6: let both be long.
	std::vector<uint8_t> code(length, 0x90);
	const auto back = static_cast<int32_t>(-static_cast<int64_t>(length));

	need_that(length >= 16, "a block has room for its jump");
	memcpy(&code[length - 9], "\x83\xe9\x01\x0f\x85", 5);
	memcpy(&code[length - 4], &back, 4);
	code.push_back(0xc3);
	plant(pc, code.data(), code.size());
}

void Burner::spend(uint64_t ns) const
{
	plant_block(usual, block);
	spin(usual, ns / (block - 6));
}

uintptr_t Burner::plant_syscalls(uintptr_t pc, uint32_t number) const
{
	// mov %rcx,%r12 is not ours to change: count in %r8, which syscalls keep.
	// 0: mov %rcx,%r8   3: mov $number,%eax   8: syscall   10: dec %r8   13: jnz 3   15: ret
	uint8_t code[] = {0x49, 0x89, 0xc8, 0xb8, 0, 0, 0, 0, 0x0f, 0x05, 0x49, 0xff, 0xc8, 0x75, 0xf4, 0xc3};

	memcpy(&code[4], &number, 4);
	plant(pc, code, sizeof(code));
	return pc + 10;
}

void Burner::spin(uintptr_t pc, uint64_t times)
{
	// The fourth argument is in %rcx, which `loop` counts down.
	reinterpret_cast<void (*)(long, long, long, uint64_t)>(pc)(0, 0, 0, times);
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
		need_that(thread_ns() < end, "what a loop waits for comes about");
		spin(pc, chunk);
	}
}

} // namespace guest
