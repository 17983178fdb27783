/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions that code compiled with -pg calls.
 */
	.text

#ifdef __x86_64__

/*
 * A function calls mcount() once it has set up its frame, or, with -mfentry, calls
 * __fentry__() as its first instruction.  Neither call follows the ABI: the
 * function's arguments are still in their registers, and %rax, %r10 and %r11 may
 * hold some as well.
 */

/* CALLER: operand with the return address of the profiled function. */
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

#elif defined(__i386__)

/*
 * The i386 versions.  Here a function may have arguments in %eax, %edx and %ecx, and one that is
 * not position-independent does not have the address of the GOT in %ebx.
 */

/* CALLER: operand with the profiled function's return address, after three pushes. */
.macro counter name, caller:vararg
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	push %eax
	.cfi_adjust_cfa_offset 4
	push %ecx
	.cfi_adjust_cfa_offset 4
	push %edx
	.cfi_adjust_cfa_offset 4
	mov 12(%esp), %eax
	mov \caller, %edx
	push %eax
	.cfi_adjust_cfa_offset 4
	push %edx
	.cfi_adjust_cfa_offset 4
	call libprofil_count_call
	add $8, %esp
	.cfi_adjust_cfa_offset -8
	pop %edx
	.cfi_adjust_cfa_offset -4
	pop %ecx
	.cfi_adjust_cfa_offset -4
	pop %eax
	.cfi_adjust_cfa_offset -4
	ret
	.cfi_endproc
	.size \name, . - \name
.endm

	counter mcount 4(%ebp)
	.globl _mcount
	.set _mcount, mcount
	counter __fentry__ 16(%esp)

#elif defined(__aarch64__)

/*
 * On arm64, _mcount() is an ordinary function.  Its argument is its caller's link register, which
 * may be signed: xpaclri strips the signature, and is a no-op on processors without it.
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
