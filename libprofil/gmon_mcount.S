/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the compiler's -pg calls: mcount() when a function has its frame, or,
 * with -mfentry, __fentry__() as its first instruction.  Neither is a function
 * of the ABI: the caller's arguments are in their registers still, and %rax,
 * %r10 and %r11 can hold one, too.
 */
#ifdef __x86_64__

	.text

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

#endif

	.section .note.GNU-stack, "", @progbits
