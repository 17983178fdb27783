/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine code that tests plant and profile, for each architecture that they run on.  C and 32-bit
 * programs can include it, too.
 */
#pragma once

#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)

/* Code may be at any address up to CODE_END. */
#define CODE_ALIGNMENT 1
#define CODE_END (1ULL << 47)
static const unsigned char code_loop[] = {
	0xe2, 0xfe, /* 1: loop 1b */
	0xc3,	    /* ret */
};
/* The offset of the loop's return, and the code that fills the rest of the memory. */
#define CODE_LOOP_RETURN 2
static const unsigned char code_return[] = {0xc3};
static const unsigned char code_loop_for_ever[] = {
	0xe2, 0xfe, /* 1: loop 1b */
	0xeb, 0xfc, /* jmp 1b */
};
/* A function without arguments that runs a loop 100,000 times. */
static const unsigned char code_function[] = {
	0xb9, 0xa0, 0x86, 0x01, 0x00, /* mov $100000, %ecx */
	0xff, 0xc9,		      /* 1: dec %ecx */
	0x75, 0xfc,		      /* jnz 1b */
	0xc3,			      /* ret */
};
#define CODE_FUNCTION_LOOP 5

#elif defined(__aarch64__)

#define CODE_ALIGNMENT 4
#define CODE_END (1ULL << 48)
/*
 * This architecture has no instruction that counts and jumps.  An emulated CPU takes interrupts at
 * the target of a jump, so every tick is at the first instruction; on real CPUs half of them are
 * at the second.
 */
static const unsigned char code_loop[] = {
	0x63, 0x04, 0x00, 0xf1, /* 1: subs x3, x3, #1 */
	0xe1, 0xff, 0xff, 0x54, /* b.ne 1b */
	0xc0, 0x03, 0x5f, 0xd6, /* ret */
};
#define CODE_LOOP_RETURN 8
static const unsigned char code_return[] = {0xc0, 0x03, 0x5f, 0xd6};
static const unsigned char code_loop_for_ever[] = {
	0x00, 0x00, 0x00, 0x14, /* 1: b 1b */
};
static const unsigned char code_function[] = {
	0x00, 0xd4, 0x90, 0x52, /* mov w0, #0x86a0 */
	0x20, 0x00, 0xa0, 0x72, /* movk w0, #1, lsl #16 */
	0x00, 0x04, 0x00, 0x71, /* 1: subs w0, w0, #1 */
	0xe1, 0xff, 0xff, 0x54, /* b.ne 1b */
	0xc0, 0x03, 0x5f, 0xd6, /* ret */
};
#define CODE_FUNCTION_LOOP 8

#elif defined(__arm__)

#define CODE_ALIGNMENT 4
static const unsigned char code_loop[] = {
	0x01, 0x30, 0x53, 0xe2, /* 1: subs r3, r3, #1 */
	0xfd, 0xff, 0xff, 0x1a, /* bne 1b */
	0x1e, 0xff, 0x2f, 0xe1, /* bx lr */
};
#define CODE_LOOP_RETURN 8

#else
#error "no machine code for this machine"
#endif

/* Run a planted loop: the fourth argument holds the number of rounds. */
static inline void code_run(uintptr_t loop, uintptr_t times)
{
#ifdef __i386__
	__asm__ volatile("call *%1" : "+c"(times) : "r"(loop) : "memory", "cc");
#else
	((void (*)(long, long, long, uintptr_t))loop)(0, 0, 0, times);
#endif
}

/* Run this many rounds of a loop of two instructions, or none. */
static inline void code_count_down(uintptr_t rounds)
{
	/* The loop decrements before it tests: from 0 it would wrap around. */
	if (!rounds)
		return;
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
#else
	__asm__ volatile("1: subs %0, %0, #1\n\tbne 1b" : "+r"(rounds) : : "cc");
#endif
}

/* Call this before executing code that was just written. */
static inline void code_written(void *at, unsigned long bytes)
{
	__builtin___clear_cache((char *)at, (char *)at + bytes);
}
