/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between architectures: the only file that may ask for one.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_ARCH_H
#define PROFIL_ARCH_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

#ifndef CONFIG_64BIT
#error "counters are reached through the kernel's own mapping of all memory: 64 bits"
#endif

/*
 * Add 1 to 16 bits, for which there is no generic atomic.  Return: false after so many
 * tries in which others were first, which other threads of the program can go on being.
 */
static __always_inline bool profil_inc16(u16 *counter, unsigned int tries)
{
#ifdef CONFIG_X86
	xadd(counter, 1);
	return true;
#else
	u16 old = READ_ONCE(*counter);

	while (tries--)
		if (try_cmpxchg_relaxed(counter, &old, (u16)(old + 1)))
			return true;
	return false;
#endif
}

#endif /* PROFIL_ARCH_H */
