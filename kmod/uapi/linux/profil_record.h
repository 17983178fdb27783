/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Recordings: profiles that count by file, of processes, or of the whole system.
 *
 * A self profile counts by address, in regions that its program has described.  A recording needs
 * no description: the module itself finds what is mapped at the program counter of each tick, and
 * counts *(owner, text, offset)*.  A *text* is anything that contains code: a file, the vDSO,
 * memory in which a process generates code, the kernel.  An *owner* is a program: the file that was
 * executed, and the command name that the process got then.  A *cell* is an owner and a text.
 * Owners, texts and cells have numbers, which ascend from 1.
 *
 * PROFIL_RECORD begins a recording of the whole system, of one process with all its threads, or,
 * with PROFIL_THREAD, of one thread.  PROFIL_FOLLOW adds all that the process forks and executes.
 * The other commands find the recording by its number in the file: PROFIL_ADD adds a process or
 * a thread, PROFIL_TABLE changes the table of counts, PROFIL_WAIT arms a wake-up for poll(2),
 * PROFIL_DESCRIBE says what a number stands for, and PROFIL_STATUS and PROFIL_STOP are those of
 * <linux/profil.h>.
 *
 * Counts are in the caller's memory, in a hash table with open addressing.  The module
 * only adds to it, so it can be read while ticks come.  An element whose key is not 0
 * keeps its key.  The order of elements has no meaning.  A tick that finds no room
 * counts as &profil_status.lost_full.  So give the recording another table (PROFIL_TABLE) before
 * this one is full; the old table then no longer changes, and can be read at leisure.
 *
 * A recording has one number for every eight elements of its first table, but at least 32,768.
 * When all are in use, new programs count for the owner without text and name, and new texts as the
 * unknown text.  This also happens to programs of one user who has not begun the recording, and to
 * kernel threads, once these use as many numbers as are left.  PROFIL_DESCRIBE_FORGET makes room:
 * forgotten numbers are reused once all others have been given out.
 *
 * Errors are those of <linux/profil.h>, and:
 *
 *   EACCES      PROFIL_DESCRIBE_OPEN: the caller may not read the file, or lacks
 *               CAP_DAC_READ_SEARCH, or the file has a lease; PROFIL_ADD: the proof's event is
 *               not the one that the recording counts
 *   EBUSY       PROFIL_RECORD: all system-wide recordings are in use: 4 for callers with
 *               CAP_PERFMON, 2 for callers without it
 *   EEXIST      PROFIL_RECORD, PROFIL_ADD: the process is in a recording of this file already
 *   ENOSPC      PROFIL_EVENT: all breakpoints of a CPU are in use
 *   ENODATA     PROFIL_DESCRIBE_OPEN: the number is not that of a file, or the file was
 *               released
 *   EPERM       PROFIL_DESCRIBE_OPEN: the file's path is in a file system that was mounted in a
 *               user namespace
 */
#ifndef _UAPI_LINUX_PROFIL_RECORD_H
#define _UAPI_LINUX_PROFIL_RECORD_H

#include <linux/profil.h>

#define PROFIL_RECORD	_IO(PROFIL_TYPE, 0x84)	/* struct profil_record */
#define PROFIL_ADD	_IO(PROFIL_TYPE, 0x85)	/* struct profil_add */
#define PROFIL_TABLE	_IO(PROFIL_TYPE, 0x86)	/* struct profil_table */
#define PROFIL_WAIT	_IO(PROFIL_TYPE, 0x87)	/* struct profil_wait */
#define PROFIL_DESCRIBE	_IO(PROFIL_TYPE, 0x88)	/* struct profil_describe */

/*
 * Bit of &profil_stop.flags: the recording ends, but its number stays for PROFIL_STATUS and
 * PROFIL_DESCRIBE, until it is stopped without the flag.
 */
#define PROFIL_STOP_KEEP	1

/*
 * Bit of &profil_record.flags: record only one thread, that of the proof or @target, or with
 * PROFIL_RECORD_SELF the caller, not its whole process.  An exec ends the recording of the thread.  Excludes PROFIL_FOLLOW and
 * PROFIL_RECORD_EVERYBODY.
 */
#define PROFIL_THREAD	(1 << 3)

/*
 * Bit of &profil_record.flags: ticks come from the proof's event, on every CPU, and not from a
 * clock (EINVAL if @clock is not 0).  All but software events need CAP_PERFMON (EPERM).
 */
#define PROFIL_EVENT	(1 << 6)

/*
 * Bit of &profil_record.flags: record every process, present and future.
 * &profil_record.proof is a perf event on a CPU, not on a process (pid -1 of
 * perf_event_open(2)).  It must sample user mode, unless PROFIL_EVENT and
 * PROFIL_RECORD_KERNEL are both given.  No process can be added.
 *
 * This records every task that has, or had, an address space; kernel threads only with
 * PROFIL_RECORD_KERNEL.  A process is known from its first tick, fork or execve(2) on.  If it
 * exits before any of these, the ticks after it has released its memory count for an owner
 * without text and name.
 */
#define PROFIL_RECORD_EVERYBODY	(1 << 16)

/*
 * Bit of &profil_record.flags: each process is an owner of its own.  Processes that share an
 * address space count for one of them; in a system-wide recording, for another once that has left.
 */
#define PROFIL_RECORD_PROCESSES	(1 << 17)

/*
 * Bit of &profil_record.flags: a tick also counts for its thread, in the cell of its owner and
 * PROFIL_KIND_THREADS.  The offset there is the thread ID in the PID namespace of the opener of
 * /dev/profil, or 0 if the thread has none there.  If the table has no room for this, the tick
 * counts in its text alone.
 */
#define PROFIL_RECORD_THREADS	(1 << 18)

/*
 * Bit of &profil_record.flags: a tick in kernel mode counts at its address in the kernel.
 * &profil_record.proof, and the proof of each added process, must be an event that samples
 * the kernel (EACCES).  With PROFIL_EVENT such an event may exclude user mode.
 * Interrupts and softirqs that came while a task ran are not charged to it: their ticks count
 * for two owners that every recording has, with or without this flag.
 *
 * With PROFIL_RECORD_EVERYBODY kernel threads are recorded, too.  Each counts for an owner
 * with the thread's name, whose text is the kernel.  The idle task is not
 * recorded, so interrupts that arrive on an idle CPU are not sampled.
 */
#define PROFIL_RECORD_KERNEL	(1 << 19)

/*
 * Bit of &profil_record.flags: record the caller's own process, or with PROFIL_THREAD the calling
 * thread.  This needs no proof: &profil_record.proof is -1, and &profil_record.target 0.  Excludes
 * PROFIL_RECORD_EVERYBODY, PROFIL_RECORD_KERNEL and PROFIL_EVENT.
 *
 * With PROFIL_FOLLOW children are recorded until they execute a program.  With PROFIL_THREAD other
 * threads in the address space of the table can add themselves by PROFIL_ADD; an io_uring command
 * runs in another thread, so it is EINVAL there.  The caller's execve(2) ends the recording.
 *
 * A child that keeps the descriptor can describe and stop the recording, so close it there.
 */
#define PROFIL_RECORD_SELF	(1 << 20)

/**
 * struct profil_count - an element of a recording's table
 * @key: number of a cell << 40 | offset in its text, in bytes; 0: not in use
 * @count: ticks; may still be 0 when the key has just appeared
 */
struct profil_count {
	__aligned_u64 key;
	__aligned_u64 count;
};

#define PROFIL_COUNT_SHIFT	40	/* shift of the cell's number in a key */

/**
 * struct profil_record - PROFIL_RECORD: begin a recording
 * @size: in: bytes of this structure
 * @flags: in: PROFIL_FOLLOW, PROFIL_RECORD_EVERYBODY (which follows anyway), PROFIL_THREAD
 *	(which excludes both), PROFIL_RECORD_PROCESSES, PROFIL_RECORD_THREADS,
 *	PROFIL_RECORD_SELF, PROFIL_EVENT, and one of PROFIL_RECORD_KERNEL and PROFIL_KERNEL_TICKS
 * @clock: in: &enum profil_clock
 * @proof: in: a descriptor of perf_event_open(2) on the process, or on a CPU and all tasks; may
 *	be closed afterwards.  -1 with PROFIL_RECORD_SELF
 * @period: in: CPU time between two samples on one CPU, in ns; with PROFIL_EVENT, the number of
 *	events between them, up to 2^48
 * @table: in: address of an array of &struct profil_count, a multiple of the size of a
 *	page; the array must be zero
 * @nr_counts: in: number of elements of @table, a power of two from 256 to 2^28
 * @profile: out: the recording's number in this file
 * @target: in: with a proof on a CPU, unless the recording is system-wide: ID, in the caller's PID
 *	namespace, of the thread to record, or of a thread of the process to record; needs
 *	CAP_PERFMON, and excludes PROFIL_EVENT.  Else 0
 * @reserved: in: 0
 *
 * Every tick counts in one element, unless PROFIL_STATUS reports it as lost, as off, or as that of
 * a task without a user PC (&profil_status.no_user_pc).  With PROFIL_RECORD_THREADS it also counts
 * in the element of its thread, if there is room.  Ticks in kernel mode, including those in
 * execve(2) and of exiting tasks, count in the cell of the owner and the kernel, at offset 0
 * without PROFIL_RECORD_KERNEL; PROFIL_STATUS reports them as &profil_status.kernel.
 *
 * With PROFIL_KERNEL_TICKS a tick in kernel mode counts as if it were a tick in user mode at the PC
 * to which the task will return; proofs must permit sampling the kernel.
 * Ticks in execve(2) and of exiting tasks, which do not return, count as above.  So do ticks of
 * the kernel's workers in the address space, and ticks that could not wait until their text was
 * known: for lack of room, or because their task has executed another program or exited.
 *
 * A thread (PROFIL_THREAD) is not followed.  With PROFIL_RECORD_PROCESSES each thread is an owner
 * of its own, with its ID and its name, and is described as no longer followed
 * (PROFIL_OWNER_ENDED).
 *
 * The text of a tick is what was mapped at its address when the tick came.  With
 * PROFIL_KERNEL_TICKS, the text of a tick in kernel mode may be what was mapped there a moment
 * later.  A file that is overwritten in place may count as the old one for up to 100 ms.
 */
struct profil_record {
	__u32 size;
	__u32 flags;
	__u32 clock;
	__s32 proof;
	__aligned_u64 period;
	__aligned_u64 table;
	__u32 nr_counts;
	__u32 profile;
	__s32 target;
	__u32 reserved;
};

/**
 * struct profil_add - PROFIL_ADD: add a process, or with PROFIL_THREAD a thread, to a recording
 * @size: in: bytes of this structure
 * @flags: in: 0
 * @profile: in: number of a recording that is not system-wide
 * @proof: in: as in &struct profil_record; if the recording counts an event, a proof of that event
 * @target: in: as in &struct profil_record
 * @reserved: in: 0
 *
 * With PROFIL_RECORD_SELF the calling thread is added (@proof -1, @target 0): EINVAL without
 * PROFIL_THREAD, EPERM if the table is not in the caller's address space.
 *
 * An added process or thread stays until it, or the recording, ends.  ENOENT if the recording has
 * ended.
 */
struct profil_add {
	__u32 size;
	__u32 flags;
	__u32 profile;
	__s32 proof;
	__s32 target;
	__u32 reserved;
};

/**
 * struct profil_table - PROFIL_TABLE: make a recording count in another table
 * @size: in: bytes of this structure
 * @flags: in: 0
 * @profile: in: number of the recording
 * @nr_counts: in: as in &struct profil_record
 * @table: in: as in &struct profil_record
 *
 * Each tick counts in exactly one of the two tables.  Once the command has returned, ticks count
 * only in the new one.  EPERM if the current table is not in the caller's address space.  ENOENT if
 * the recording has ended.
 */
struct profil_table {
	__u32 size;
	__u32 flags;
	__u32 profile;
	__u32 nr_counts;
	__aligned_u64 table;
};

/**
 * struct profil_wait - PROFIL_WAIT: arm a wake-up for a recording
 * @size: in: bytes of this structure
 * @flags: in: 0
 * @profile: in: number of the recording
 * @keys: in: number of new keys to wait for, from 1 to 2^31 - 1
 *
 * The command returns at once.  poll(2) of the file then reports EPOLLPRI once
 *
 * - a recording of the file gives out a number, or ends;
 * - a recording that is not system-wide stops following a process (&profil_status.followed); or
 * - the file's recordings have together taken @keys elements of their tables for new keys.
 *
 * The next PROFIL_WAIT clears EPOLLPRI until one of these happens again.  A reader arms the
 * wake-up, looks at the recording once more, and sleeps.  ENOENT if the recording has ended.
 */
struct profil_wait {
	__u32 size;
	__u32 flags;
	__u32 profile;
	__u32 keys;
};

/**
 * enum profil_kind - what a number stands for
 * @PROFIL_KIND_KERNEL: text: the kernel, with its modules.  Offsets are 0, or with
 *	PROFIL_RECORD_KERNEL generation << 32 | address - &profil_describe.base.  Outside
 *	the addresses of modules the generation is 0.  Within them it grows when a module is
 *	loaded after a tick, so that all ticks at an address in one generation were in the
 *	same code.  Offset 0: the place in the kernel is not known, or no generation is left.
 * @PROFIL_KIND_UNKNOWN: text: not known, because the mappings could not be read in time, nothing
 *	executable was mapped there any more, or no number was left.  Offsets are 0.
 * @PROFIL_KIND_FILE: text: a file; offsets are those in the file
 * @PROFIL_KIND_VDSO: text: a vDSO; processes may have different ones
 * @PROFIL_KIND_MEMORY: text: memory of one address space, not backed by a file.  Offsets
 *	count from &profil_describe.base.
 * @PROFIL_KIND_OWNER: a program; with PROFIL_RECORD_PROCESSES, a program of one process
 * @PROFIL_KIND_CELL: an owner and a text
 * @PROFIL_KIND_THREADS: text: the threads of the owner.  Offsets are thread IDs.
 * @PROFIL_KIND_MODULE: code of a kernel module that was loaded, or was removed, since the
 *	recording began.  Its ticks count in the kernel, at addresses from
 *	&profil_describe.base on, in the generations from &profil_describe.first to
 *	&profil_describe.last.  If several modules had an address in one generation, the ticks
 *	belong to the module whose first generation is the highest.
 */
enum profil_kind {
	PROFIL_KIND_KERNEL	= 1,
	PROFIL_KIND_UNKNOWN	= 2,
	PROFIL_KIND_FILE	= 3,
	PROFIL_KIND_VDSO	= 4,
	PROFIL_KIND_MEMORY	= 5,
	PROFIL_KIND_OWNER	= 6,
	PROFIL_KIND_CELL	= 7,
	PROFIL_KIND_THREADS	= 8,
	PROFIL_KIND_MODULE	= 9
};

/**
 * enum profil_owner_state - &profil_describe.state, of an owner
 * @PROFIL_OWNER_LIVE: the process runs the program; user and cgroup are the current ones
 * @PROFIL_OWNER_ENDED: the process has ended, has executed another program, or is no longer
 *	followed.  User and cgroup are those at its end, those when it began to run this
 *	program, or those when following ended, respectively
 * @PROFIL_OWNER_EXECUTES: the process is in execve(2); user and cgroup are those when it began to
 *	run this program.  Its command name in /proc may already be that of the next program.
 * @PROFIL_OWNER_IRQ: no process: interrupts, which are not charged to the task they interrupt
 * @PROFIL_OWNER_SOFTIRQ: no process: softirqs, including those that ksoftirqd runs
 */
enum profil_owner_state {
	PROFIL_OWNER_LIVE	= 0,
	PROFIL_OWNER_ENDED	= 1,
	PROFIL_OWNER_EXECUTES	= 2,
	PROFIL_OWNER_IRQ	= 3,
	PROFIL_OWNER_SOFTIRQ	= 4
};

/**
 * enum profil_describe_flag - bits of &profil_describe.flags
 * @PROFIL_DESCRIBE_OPEN: open the file, for reading.  It is the file that was mapped,
 *	even if it was deleted or is in another mount namespace.  The caller needs
 *	permission to read it, and CAP_DAC_READ_SEARCH in the initial user namespace, as
 *	for open_by_handle_at(2).
 * @PROFIL_DESCRIBE_RELEASE: afterwards, drop the module's own reference to the file, so
 *	that the module no longer keeps the file system from being unmounted
 * @PROFIL_DESCRIBE_FORGET: forget the number afterwards; describing it then fails with ENOENT.
 *	An owner's cells of the kernel, of unknown text and of its threads are forgotten with
 *	it.  To forget one of these alone is EINVAL, as is forgetting a number that every
 *	recording has.  Ticks may still count for a forgotten number: for an owner, as long as
 *	its processes run that program (their children may then count for the owner without
 *	text and name); for a cell, another 100 ms.  If the same owner, text or cell counts again
 *	after that, it gets a new number.  The forgotten number is reused only after all those
 *	that follow it, up to &profil_describe.highest
 */
enum profil_describe_flag {
	PROFIL_DESCRIBE_OPEN	= 1 << 0,
	PROFIL_DESCRIBE_RELEASE	= 1 << 1,
	PROFIL_DESCRIBE_FORGET	= 1 << 2
};

/**
 * struct profil_describe - PROFIL_DESCRIBE: describe a number of a recording
 * @size: in: bytes of this structure
 * @flags: in: &enum profil_describe_flag
 * @profile: in: a recording of this file
 * @number: in: a number; 0: only get @numbers, @highest and @in_use
 * @numbers: out: the last number that was given out; later ones fail with ENOENT.  After @highest,
 *	forgotten numbers are given out again, in ascending order
 * @kind: out: &enum profil_kind; 0 if @number is 0
 * @owner: out: CELL: number of its owner; else 0
 * @text: out: CELL: number of its text; OWNER: number of the text of the executed file, or of the
 *	kernel for a kernel thread; else 0
 * @base: out: MEMORY, KERNEL: the address of offset 0; MODULE: the address of its code, 0 if the
 *	caller lacks CAP_SYSLOG or kernel.kptr_restrict hides addresses; else 0
 * @inode: out: FILE: its inode number, as in stat(2); but on overlayfs, stat(2) reports that
 *	of another layer once the file has been copied up; else 0
 * @bytes: out: FILE: its size when first seen; VDSO: its size; MODULE: its size, 0 if
 *	@base is 0; else 0
 * @device_major: out: FILE: as in stat(2), which reports a different device on some file systems
 * @device_minor: out: likewise
 * @pid: out: MEMORY, OWNER of one process: process ID in the PID namespace of the opener of
 *	/dev/profil, 0 if it has none there; else 0
 * @fd: out: with PROFIL_DESCRIBE_OPEN: the new descriptor; else -1
 * @path: in: address of a buffer for the path of a FILE, or the name of a MODULE, whose
 *	first 24 bytes are known; 0: no buffer
 * @path_size: in: size of the buffer in bytes; ENAMETOOLONG if the path does not fit.  out: bytes
 *	of the path, with the final 0; 0 if @number is no FILE or MODULE, or its file was released.
 *	" (deleted)" follows the path of a deleted file, as in /proc/PID/maps.
 * @highest: out: the highest number that is ever given out
 * @name: out: OWNER: the command name, padded with zeroes
 * @uid: out: OWNER of one process: its effective user, in the caller's user
 *	namespace; else 0.  Once the process has ended or is no longer followed, the user
 *	at that moment
 * @parent: out: OWNER of one process: the owner that forked the process, or that executed this
 *	program, if the recording has seen that; else 0
 * @cgroup: out: OWNER of one process: the inode number of the directory of its version 2
 *	cgroup, 0 if it has none; else 0
 * @state: out: OWNER of one process: &enum profil_owner_state; OWNER of interrupts:
 *	PROFIL_OWNER_IRQ, PROFIL_OWNER_SOFTIRQ; else 0
 * @in_use: out: numbers that were given out and not forgotten
 * @modified: out: FILE: when it was modified, in ns since 1970; else 0
 * @first: out: MODULE: the first generation of its code; else 0
 * @last: out: MODULE: the last generation of its code, 0xffffffff while it is loaded; else 0
 */
struct profil_describe {
	__u32 size;
	__u32 flags;
	__u32 profile;
	__u32 number;
	__u32 numbers;
	__u32 kind;
	__u32 owner;
	__u32 text;
	__aligned_u64 base;
	__aligned_u64 inode;
	__aligned_u64 bytes;
	__u32 device_major;
	__u32 device_minor;
	__s32 pid;
	__s32 fd;
	__aligned_u64 path;
	__u32 path_size;
	__u32 highest;
	char name[16];
	__u32 uid;
	__u32 parent;
	__aligned_u64 cgroup;
	__u32 state;
	__u32 in_use;
	__aligned_u64 modified;
	__u32 first;
	__u32 last;
};

#endif /* _UAPI_LINUX_PROFIL_RECORD_H */
