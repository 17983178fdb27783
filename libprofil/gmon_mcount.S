/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the compiler's -pg calls.
 */
	.text

#ifdef __x86_64__

/*
 * mcount() when a function has its frame, or, with -mfentry, __fentry__() as its
 * first instruction.  Neither is a function of the ABI: the caller's arguments are in
 * their registers still, and %rax, %r10 and %r11 can hold one, too.
 */

/* CALLER: where the caller's caller is, when nothing has been pushed. */
.macro counter name, caller:vararg
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	sub $88, %rsp
	.cfi_adjust_cfa_offset 88
	mov %rax, (%rsp)
	mov %rcx, 8(%rsp)
	mov %rdx, 16(%rsp)
	mov %rsi, 24(%rsp)
	mov %rdi, 32(%rsp)
	mov %r8, 40(%rsp)
	mov %r9, 48(%rsp)
	mov %r10, 56(%rsp)
	mov %r11, 64(%rsp)
	mov \caller, %rdi
	mov 88(%rsp), %rsi
	call libprofil_count_call
	mov (%rsp), %rax
	mov 8(%rsp), %rcx
	mov 16(%rsp), %rdx
	mov 24(%rsp), %rsi
	mov 32(%rsp), %rdi
	mov 40(%rsp), %r8
	mov 48(%rsp), %r9
	mov 56(%rsp), %r10
	mov 64(%rsp), %r11
	add $88, %rsp
	.cfi_adjust_cfa_offset -88
	ret
	.cfi_endproc
	.size \name, . - \name
.endm

	counter mcount 8(%rbp)
	.globl _mcount
	.set _mcount, mcount
	counter __fentry__ 96(%rsp)

#elif defined(__aarch64__)

/*
 * A function like others, which gets where its caller's caller is, as it stood in the
 * link register: perhaps signed (xpaclri, a hint to processors that do not sign).
 */
	.globl _mcount
	.type _mcount, @function
	.p2align 4
_mcount:
	.cfi_startproc
	hint #34			/* bti c */
	mov x1, x30
	mov x30, x0
	.cfi_register x30, x1
	hint #7				/* xpaclri */
	mov x0, x30
	mov x30, x1
	.cfi_restore x30
	b libprofil_count_call
	.cfi_endproc
	.size _mcount, . - _mcount

#endif

	.section .note.GNU-stack, "", @progbits
