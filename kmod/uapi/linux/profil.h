/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The interface of /dev/profil: the execution-time profile of a process.
 *
 * A profile is a set of regions of program text, each with counters in the caller's
 * own memory, and a policy.  At every tick of the clock the module looks at the user
 * program counter of the running task, and increments the counter for it in place.
 *
 * PROFIL_START makes a *self* profile.  It belongs to the calling process (its address space), not
 * to the descriptor.  It ends with PROFIL_STOP, its gate, exec, exit, or when its memory goes away.
 *
 * PROFIL_RECORD, in <linux/profil_record.h>, begins a *recording* of processes.  It belongs
 * to the open file and ends with PROFIL_STOP, the last close, or the address space that holds its
 * table.
 *
 * Every command takes a pointer to a structure that begins with its own size in bytes.  A structure
 * shorter than the module's, but at least as long as the first version, is treated as if padded
 * with zeroes.  A longer one is accepted if all bytes that the module does not know are zero.
 * Members marked "out" are written when the command succeeds, and ignored on entry.  Commands can
 * be given by ioctl(2) or by IORING_OP_URING_CMD, where sqe->cmd_op is the ioctl number and
 * sqe->cmd holds a &struct profil_uring_cmd.
 *
 * Errors, which are the same for ioctl(2) and io_uring:
 *
 *   E2BIG       the structure is longer than the module's, and a byte that it does not know is not
 *               zero; more regions than &profil_info.region_max
 *   EACCES      the proof was opened with other credentials, or excludes a mode in which the
 *               profile samples; its target is no longer dumpable; @target needs CAP_PERFMON
 *   EAGAIN      a command on a ring, without IOSQE_ASYNC and on a file with O_NONBLOCK; it has
 *               changed nothing
 *   EBADF       the proof is not an open descriptor
 *   EBUSY       the user's budget of rates is used up, or the process has as many profiles, or
 *               profiled threads, as the module allows
 *   EDQUOT      the user's limit of profiles, of pinned pages, or of followed processes and
 *               threads is reached
 *   EFAULT      a pointer cannot be read or written; a table or a gate cannot be pinned: not
 *               mapped, not writable, beyond the end of its file, memory of a device, driver or
 *               the kernel, a shared file outside shmem and hugetlbfs, private hugetlbfs,
 *               memfd_secret(2), a page that a userfaultfd(2) handler would have to provide or
 *               make writable
 *   EINTR       a fatal signal came while the command waited
 *   EINVAL      a size below the first version, an unknown flag or value, padding that is not
 *               zero, an unaligned buffer or gate, regions that overlap or are not sorted, a proof
 *               that does not sample, a proof on a task where one on a CPU is needed, or vice versa
 *   ENODEV      (from open) the module is not loaded; the event's PMU was removed
 *   ENOENT      no such profile in this file; no CPU can count the event
 *   ENOMEM      RLIMIT_MEMLOCK is exceeded, or the machine is out of memory
 *   ENOTTY      unknown command
 *   EOPNOTSUPP  an unknown clock; a breakpoint, except on x86; an IOPOLL ring, where refused
 *   EPERM       PROFIL_STOP_ALL without CAP_SYS_ADMIN; PROFIL_TABLE, or PROFIL_ADD to a recording
 *               of the caller itself, from an address space other than that of the table
 *   ERANGE      a period below &profil_info.period_min, or above an hour
 *   ESRCH       the target is gone; the proof's target has executed a set-uid program
 */
#ifndef _UAPI_LINUX_PROFIL_H
#define _UAPI_LINUX_PROFIL_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* From release 0.1.0 on, raised whenever an old program would misread a new module. */
#define PROFIL_ABI	1
#define PROFIL_TYPE	0xD7

#define PROFIL_INFO	_IO(PROFIL_TYPE, 0x80)	/* struct profil_info */
#define PROFIL_START	_IO(PROFIL_TYPE, 0x81)	/* struct profil_start */
#define PROFIL_STOP	_IO(PROFIL_TYPE, 0x82)	/* struct profil_stop */
#define PROFIL_STATUS	_IO(PROFIL_TYPE, 0x83)	/* struct profil_status */
#define PROFIL_STOP_ALL	_IO(PROFIL_TYPE, 0x89)	/* struct profil_stop_all */

/**
 * struct profil_info - PROFIL_INFO: report the module's abilities and limits for this caller
 * @size: in: bytes of this structure
 * @flags: in: 0
 * @abi: out: PROFIL_ABI of the module
 * @region_max: out: maximum number of regions in a profile
 * @features: out: 0; reserved for bits that announce features of later modules
 * @period_min: out: shortest period that the caller may request, in ns
 * @pages_max: out: number of pages that the caller's user may pin
 * @pages_used: out: number of pages that the user has pinned now, including the
 *	kernel memory of profiles with a great many regions
 */
struct profil_info {
	__u32 size;
	__u32 flags;
	__u32 abi;
	__u32 region_max;
	__aligned_u64 features;
	__aligned_u64 period_min;
	__aligned_u64 pages_max;
	__aligned_u64 pages_used;
};

/**
 * struct profil_region - a range of program text and its counters
 * @low: first PC of the range
 * @high: first PC above it; @low < @high
 * @offset: subtracted from the PC; at most @low
 * @buffer: address of the first counter, a multiple of @width
 * @bytes: size of the counters in bytes, a multiple of @width, at most 64 GiB;
 *	0: the range swallows its ticks (they count as &profil_status.outside,
 *	and reach neither the overflow counter nor the samples)
 * @scale: 16.16 fixed-point factor; 0: every PC has the index @bias >> @post
 * @width: bytes per counter: 2, 4 or 8
 * @pre: low bits dropped before the multiplication, 0 to 3
 * @bias: added after the multiplication, 0 or 1
 * @post: low bits dropped at the end, 0 to 3
 *
 * With d = pc - @offset, the index of the counter is
 *
 *	((((d >> @pre) * @scale) >> 16) + @bias) >> @post
 *
 * computed exactly.  A PC whose counter would lie outside the buffer is in no
 * region.  Regions ascend and do not overlap; their buffers may.
 */
struct profil_region {
	__aligned_u64 low;
	__aligned_u64 high;
	__aligned_u64 offset;
	__aligned_u64 buffer;
	__aligned_u64 bytes;
	__u32 scale;
	__u8 width;
	__u8 pre;
	__u8 bias;
	__u8 post;
};

/**
 * enum profil_flag - bits of &profil_start.flags
 * @PROFIL_KERNEL_TICKS: a tick in kernel mode counts at the PC to which the
 *	task will return; without it, such ticks only appear in
 *	&profil_status.kernel
 * @PROFIL_FOLLOW: children made by fork are profiled too: in their own copy of the buffer, or
 *	in the recording
 * @PROFIL_FAULT_REGION: a tick whose counter cannot be written turns off only the region;
 *	without it, the whole profile
 * @PROFIL_OWED_TICKS: ticks that the clock missed count at the PC of the next tick, and not as
 *	&profil_status.lost_late; in an array of PCs, at most 1024 of them at a time
 *
 * Recordings take some of these flags, and some of their own: see &struct profil_record.
 */
enum profil_flag {
	PROFIL_KERNEL_TICKS	= 1 << 0,
	PROFIL_FOLLOW		= 1 << 1,
	PROFIL_FAULT_REGION	= 1 << 2,
	PROFIL_OWED_TICKS	= 1 << 4
};

/**
 * enum profil_limit - what happens to a counter at its limit
 * @PROFIL_WRAP: it wraps to 0; &profil_start.limit must be 0
 * @PROFIL_SATURATE: it stays at the limit
 * @PROFIL_LIMIT_STOP: the whole profile stops instead of exceeding it
 */
enum profil_limit {
	PROFIL_WRAP		= 0,
	PROFIL_SATURATE		= 1,
	PROFIL_LIMIT_STOP	= 2
};

/**
 * enum profil_clock - the source of ticks
 * @PROFIL_CLOCK_DEFAULT: the clock that the module was loaded with
 * @PROFIL_CLOCK_PERF: one cpu-clock perf event on each CPU
 * @PROFIL_CLOCK_LAZY: a timer on each CPU that runs a profiled task
 *
 * A module has one clock, which its parameter "clock" selects.
 */
enum profil_clock {
	PROFIL_CLOCK_DEFAULT	= 0,
	PROFIL_CLOCK_PERF	= 1,
	PROFIL_CLOCK_LAZY	= 2
};

/**
 * struct profil_gate - turns a self profile off without a system call
 * @value: nothing is counted once it differs from its value at PROFIL_START
 * @reserved: 0
 * @stored: the module adds 1 for each PC that it stores
 *
 * A gate belongs to one profile; a forked child's profile uses the child's own copy.  Ticks
 * that other CPUs have begun are over when membarrier(2) with
 * MEMBARRIER_CMD_PRIVATE_EXPEDITED returns.  The process's next tick or command ends
 * the profile; otherwise a worker does, within two seconds.
 */
struct profil_gate {
	__u32 value;
	__u32 reserved;
	__aligned_u64 stored;
};

/**
 * struct profil_start - PROFIL_START: make a self profile
 * @size: in: bytes of this structure
 * @flags: in: &enum profil_flag
 * @clock: in: &enum profil_clock
 * @limit_policy: in: &enum profil_limit
 * @period: in: CPU time between two samples on one CPU, in ns
 * @limit: in: the greatest value that a counter may reach; if 0, or more than a counter can hold,
 *	the counter's maximum
 * @regions: in: address of an array of &struct profil_region
 * @nr_regions: in: number of elements of @regions
 * @region_size: in: bytes per element
 * @overflow: in: address of a counter for PCs in no region; 0: none
 * @samples: in: address of an array of PCs; 0: none.  Without regions every PC
 *	is stored there in order, and the profile stops when it is full
 *	(pcsample).  With regions, only PCs in no region are stored.
 *	@overflow and @samples exclude each other.
 *	A profile needs at least one of regions, @overflow and @samples.
 * @nr_samples: in: number of elements of @samples
 * @overflow_width: in: bytes of the overflow counter: 2, 4 or 8; 0 if there is none
 * @sample_width: in: bytes per element of @samples: 4 or 8; 0 if there are none.  4 is for
 *	32-bit programs: it stores only the low half of a 64-bit PC
 * @stored: out: number of PCs that the replaced self profile had stored; 0 if its gate was
 *	shut
 * @gate: in: address of a &struct profil_gate, a multiple of 16; 0: none
 *
 * The new profile replaces the process's self profile, if there is one.  If the command fails, the
 * old profile continues untouched.
 *
 * The memory of counters and samples is pinned page by page: when a tick needs a page, the
 * interrupted thread pins it before returning to user mode, and it stays pinned.  If the page
 * cannot be written (EFAULT above), the profile, or with PROFIL_FAULT_REGION the region, is turned
 * off.  If the page cannot stay pinned, for lack of room or because it is private hugetlbfs, the
 * tick still counts.
 */
struct profil_start {
	__u32 size;
	__u32 flags;
	__u32 clock;
	__u32 limit_policy;
	__aligned_u64 period;
	__aligned_u64 limit;
	__aligned_u64 regions;
	__u32 nr_regions;
	__u32 region_size;
	__aligned_u64 overflow;
	__aligned_u64 samples;
	__aligned_u64 nr_samples;
	__u32 overflow_width;
	__u32 sample_width;
	__aligned_u64 stored;
	__aligned_u64 gate;
};

/**
 * struct profil_stop - PROFIL_STOP: end a profile
 * @size: in: bytes of this structure
 * @flags: in: 0; for a recording also PROFIL_STOP_KEEP (<linux/profil_record.h>)
 * @profile: in: 0 for the caller's self profile, or a recording of this open file
 * @reserved: in: 0
 * @stored: out: number of PCs stored since the profile was started
 *
 * When it returns, the counters are no longer written and their memory may be
 * freed.  Stopping a self profile that does not exist is not an error.
 */
struct profil_stop {
	__u32 size;
	__u32 flags;
	__u32 profile;
	__u32 reserved;
	__aligned_u64 stored;
};

/**
 * struct profil_stop_all - PROFIL_STOP_ALL: end every profile on the machine
 * @size: in: bytes of this structure
 * @flags: in: 0
 *
 * This lets an administrator unload the module.  It needs CAP_SYS_ADMIN.
 */
struct profil_stop_all {
	__u32 size;
	__u32 flags;
};

/**
 * enum profil_state - &profil_status.state
 * @PROFIL_STATE_NONE: there is no self profile
 * @PROFIL_STATE_RUNNING: ticks are counted
 * @PROFIL_STATE_LIMIT: stopped by a counter at its limit
 * @PROFIL_STATE_FULL: stopped by a full array of PCs
 * @PROFIL_STATE_FAULT: off because its memory went away
 * @PROFIL_STATE_STOPPED: a recording that was stopped by PROFIL_STOP_ALL or by the end of the
 *	address space that holds its table, or was kept by PROFIL_STOP_KEEP.
 *	(A self profile that PROFIL_STOP_ALL ends is PROFIL_STATE_NONE.)
 *
 * A child made by fork begins in the state of its parent's profile.  If the
 * parent's profile was off from the parent's own birth on, the child has no profile.
 */
enum profil_state {
	PROFIL_STATE_NONE	= 0,
	PROFIL_STATE_RUNNING	= 1,
	PROFIL_STATE_LIMIT	= 2,
	PROFIL_STATE_FULL	= 3,
	PROFIL_STATE_FAULT	= 4,
	PROFIL_STATE_STOPPED	= 5
};

/**
 * struct profil_status - PROFIL_STATUS: the outcome of every tick
 * @size: in: bytes of this structure
 * @flags: in: 0
 * @profile: in: 0 for the caller's self profile, or a recording of this open file
 * @state: out: &enum profil_state
 * @period: out: CPU time between two samples on one CPU, in ns; for an event, the number of events
 *	between them
 * @ticks: out: all ticks of the profile
 * @counted: out: ticks that incremented a counter of a region or the overflow
 *	counter, or stored a PC in the samples
 * @outside: out: ticks in a region without counters; also ticks in no region, if the profile has
 *	neither an overflow counter nor samples, or if the array of samples is full
 * @saturated: out: ticks whose counter was at its limit
 * @kernel: out: ticks in kernel mode, except those that count at a user PC (PROFIL_KERNEL_TICKS)
 * @no_user_pc: out: ticks of a kernel thread, io_uring worker or the like in
 *	the profiled address space
 * @off: out: ticks while the profile, or the region, was off
 * @lost_late: out: ticks that the clock missed (it was throttled, or interrupts
 *	were off)
 * @lost_contended: out: ticks whose counter other threads kept changing; in a self profile also
 *	ticks that could not be deferred for lack of memory or room
 * @joined: out: number of processes that a recording has followed so far
 * @followed: out: number of processes that a recording follows now.  This excludes threads,
 *	processes that have ended, and processes that have executed a program which the reader may
 *	not see.  0 after PROFIL_STOP_KEEP.
 * @stored: out: number of PCs in the array of samples
 * @pinned: out: memory pinned for the profile, in bytes, not counting the gate's page
 * @processes: out: number of address spaces in the profile now; one that ends is counted for
 *	up to two seconds more
 * @forks_lost: out: number of children, and of executed programs, that could not be followed
 * @lost_full: out: ticks of a recording for which its table had no room
 *
 * @ticks is the sum of @counted, @outside, @saturated, @kernel, @no_user_pc,
 * @off, @lost_late, @lost_contended and @lost_full.
 */
struct profil_status {
	__u32 size;
	__u32 flags;
	__u32 profile;
	__u32 state;
	__aligned_u64 period;
	__aligned_u64 ticks;
	__aligned_u64 counted;
	__aligned_u64 outside;
	__aligned_u64 saturated;
	__aligned_u64 kernel;
	__aligned_u64 no_user_pc;
	__aligned_u64 off;
	__aligned_u64 lost_late;
	__aligned_u64 lost_contended;
	__u32 joined;
	__u32 followed;
	__aligned_u64 stored;
	__aligned_u64 pinned;
	__u32 processes;
	__u32 forks_lost;
	__aligned_u64 lost_full;
};

/**
 * struct profil_uring_cmd - sqe->cmd of an IORING_OP_URING_CMD
 * @arg: address of the command's structure
 * @size: size of that structure in bytes; must equal its first member
 * @reserved: 0
 */
struct profil_uring_cmd {
	__aligned_u64 arg;
	__u32 size;
	__u32 reserved;
};

#endif /* _UAPI_LINUX_PROFIL_H */
