/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between architectures: no other file may test for one.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_ARCH_H
#define PROFIL_ARCH_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/pgtable.h>
#include <linux/ptrace.h>
#include <linux/seqlock.h>
#include <linux/types.h>
#include <asm/barrier.h>

#ifndef CONFIG_64BIT
#error "counters are reached through the kernel's direct map of all memory: 64 bits only"
#endif

#if defined(CONFIG_ARCH_HAS_CPU_CACHE_ALIASING) || defined(CONFIG_SPARC) || \
	defined(CONFIG_PARISC) || defined(CONFIG_MIPS)
#error "the program would not see counters that are written at another virtual address"
#endif

/*
 * Add to a 16-bit counter: there is no generic atomic of that size.  Return: false
 * if all @tries lost a race: other threads of the program can win as often as they like.
 */
static __always_inline bool profil_add16(u16 *counter, u16 ticks, unsigned int tries)
{
#ifdef CONFIG_X86
	xadd(counter, ticks);
	return true;
#else
	u16 old = READ_ONCE(*counter);

	while (tries--)
		if (try_cmpxchg_relaxed(counter, &old, (u16)(old + ticks)))
			return true;
	return false;
#endif
}

/*
 * Number of levels that an NMI adds to hardirq_count().  On arm64, a pseudo-NMI that interrupts
 * code with interrupts on enters a hard interrupt first.
 */
static __always_inline unsigned int profil_nmi_levels(const struct pt_regs *regs)
{
#ifdef CONFIG_ARM64_PSEUDO_NMI
	return interrupts_enabled(regs) ? 2 : 1;
#else
	return 1;
#endif
}

/*
 * Add 1 to a per-CPU variable, with release semantics; interrupts are off.  x86 does not
 * reorder a store with earlier accesses anyway.
 */
static __always_inline void profil_this_cpu_inc_release(unsigned long __percpu *variable)
{
#ifdef CONFIG_X86
	barrier();	/* for the compiler */
	this_cpu_inc(*variable);
#else
	unsigned long *here = this_cpu_ptr(variable);

	/* See the callers. */
	smp_store_release(here, *here + 1);
#endif
}

/*
 * Get a number that changes whenever a mapping does: a mapping that was looked up under mmap_lock
 * is valid as long as the number stays the same.  The kernel counts how often mmap_lock was held
 * for writing, at the end of each hold, and if the count is a seqcount_t, also at the start.
 * Before 6.4 it has no such count, but x86 numbers the flushes of TLBs, and code that has been
 * executed cannot be unmapped without a flush.  Return: the number; 0 if the kernel has none.
 * Context: Any.
 */
static __always_inline u32 profil_mm_mappings(const struct mm_struct *mm)
{
#ifdef CONFIG_PER_VMA_LOCK
	const void *number = &mm->mm_lock_seq;

	/* mm_lock_seq is an int before 6.14; since then, or if backported, a seqcount_t. */
	BUILD_BUG_ON(offsetof(seqcount_t, sequence));
	return READ_ONCE(*(const u32 *)number);
#elif defined(CONFIG_X86)
	return atomic64_read(&mm->context.tlb_gen) + 1;
#else
	return 0;
#endif
}

/*
 * On x86-64, KASLR moves the kernel only within one such unit, so an address that is rounded to
 * it reveals nothing.  On other architectures the kernel may be anywhere, with modules as far
 * above it as below.
 */
#ifdef CONFIG_X86
#define PROFIL_KERNEL_UNIT	BIT_ULL(30)
#else
#define PROFIL_KERNEL_UNIT	BIT_ULL(16)
#endif

/*
 * Return: false only if the code at a kernel address is not a module's and is never replaced.
 * Only x86 has a fixed range for modules; arm64 has them around the kernel, wherever it is.
 */
static __always_inline bool profil_code_may_go(unsigned long address)
{
#ifdef CONFIG_X86
	return address - MODULES_VADDR < MODULES_END - MODULES_VADDR;
#else
	return true;
#endif
}

/*
 * Whether a breakpoint may have a handler other than perf's.  x86 reports an access after it is
 * made.  Other architectures report it before, and the kernel steps over it only for perf's own
 * handler: with another one, the breakpoint would hit for ever.
 */
#ifdef CONFIG_X86
#define PROFIL_BREAKPOINTS	true
#else
#define PROFIL_BREAKPOINTS	false
#endif

#endif /* PROFIL_ARCH_H */
