// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/footprint/mark.h  Marks that a program sets for footprint.cpp.
 *
 * A mark is a long no-operation with an odd displacement, which no compiler makes.
 */
#pragma once

#include <array>
#include <cstdint>

namespace footprint {

/** nopl disp32(%rax) */
constexpr std::array<unsigned char, 3> mark_opcode = {0x0f, 0x1f, 0x80};
constexpr std::size_t mark_size = mark_opcode.size() + sizeof(std::uint32_t);
/** In the upper bytes of the displacement; the lowest is the number. */
constexpr std::uint32_t mark_base = 0x70726600;

/** From here on, interrupts are those of NUMBER; 0: of nothing. */
template <std::uint8_t NUMBER> inline void mark()
{
	asm volatile("nopl %c0(%%rax)" : : "i"(mark_base + NUMBER) : "memory");
}

} // namespace footprint
