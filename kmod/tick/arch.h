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
 * if all @tries lost a race; other threads of the program can win as often as they like.
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
 * Levels of hardirq_count() that an NMI accounts for itself.  Where one is a kind of interrupt,
 * and interrupts were on, arm64 enters that first.
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
 * Add 1 to a variable of this CPU, whose interrupts are off: a release.  x86 stores in
 * the order of the program anyway.
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
 * How often present pages of an address space were unmapped, moved or protected so far, or 0 if
 * that is not known: x86 numbers the flushes of its TLBs, which each such change needs.
 */
static inline u64 profil_mm_changes(const struct mm_struct *mm)
{
#ifdef CONFIG_X86
	return atomic64_read(&mm->context.tlb_gen) + 1;
#else
	return 0;
#endif
}

/*
 * A number that is another one once any mapping has changed: one that is read while mmap_lock is
 * held holds as long as it stays the same.  The kernel counts how often mmap_lock was held for
 * writing, at the end or, in a sequence count, at the start, too.  Before 6.4 it did not:
 * profil_mm_changes() does as well for what has been executed, if it knows.
 * Context: Any.
 */
static __always_inline u32 profil_mm_mappings(const struct mm_struct *mm)
{
#ifdef CONFIG_PER_VMA_LOCK
	const void *number = &mm->mm_lock_seq;

	/* An int, or since 6.14, and where that was taken over, a sequence count. */
	BUILD_BUG_ON(offsetof(seqcount_t, sequence));
	return READ_ONCE(*(const u32 *)number);
#else
	return profil_mm_changes(mm);
#endif
}

/*
 * KASLR moves x86-64's kernel within one such unit only, so a rounded address reveals nothing.
 * Elsewhere the kernel may be anywhere, with modules as far above it as below.
 */
#ifdef CONFIG_X86
#define PROFIL_KERNEL_UNIT	BIT_ULL(30)
#else
#define PROFIL_KERNEL_UNIT	BIT_ULL(16)
#endif

/*
 * May the code at an address of the kernel be a module's, or be replaced otherwise?  Only x86
 * has a fixed place for that: arm64's modules are around the kernel, wherever that is.
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
 * May a breakpoint have a handler?  x86 has done the access when it reports it.  Others report it
 * before, and the kernel steps over it only for perf's own handler: it would come again for ever.
 */
#ifdef CONFIG_X86
#define PROFIL_BREAKPOINTS	true
#else
#define PROFIL_BREAKPOINTS	false
#endif

#endif /* PROFIL_ARCH_H */
