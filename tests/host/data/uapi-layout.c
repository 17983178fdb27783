/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The offset and size of each member of each structure in <linux/profil.h> and
 * <linux/profil_record.h>.
 *
 * Compiles only if they are as written here, with 32 bits and with 64.  There are no
 * holes: a member begins where the one before it ends, and the last ends the structure.
 */
#include <linux/profil_record.h>

#define CHECK(name, condition) typedef char check_##name[(condition) ? 1 : -1]
#define MEMBER(type, name, at, bytes)                                                              \
	CHECK(at_##type##_##name, __builtin_offsetof(struct type, name) == (at));                  \
	CHECK(size_##type##_##name, sizeof(((struct type *)0)->name) == (bytes))
#define TOTAL(type, bytes) CHECK(size_of_##type, sizeof(struct type) == (bytes))

MEMBER(profil_info, size, 0, 4);
MEMBER(profil_info, flags, 4, 4);
MEMBER(profil_info, abi, 8, 4);
MEMBER(profil_info, region_max, 12, 4);
MEMBER(profil_info, features, 16, 8);
MEMBER(profil_info, period_min, 24, 8);
MEMBER(profil_info, pages_max, 32, 8);
MEMBER(profil_info, pages_used, 40, 8);
TOTAL(profil_info, 48);

MEMBER(profil_region, low, 0, 8);
MEMBER(profil_region, high, 8, 8);
MEMBER(profil_region, offset, 16, 8);
MEMBER(profil_region, buffer, 24, 8);
MEMBER(profil_region, bytes, 32, 8);
MEMBER(profil_region, scale, 40, 4);
MEMBER(profil_region, width, 44, 1);
MEMBER(profil_region, pre, 45, 1);
MEMBER(profil_region, bias, 46, 1);
MEMBER(profil_region, post, 47, 1);
TOTAL(profil_region, 48);

MEMBER(profil_start, size, 0, 4);
MEMBER(profil_start, flags, 4, 4);
MEMBER(profil_start, clock, 8, 4);
MEMBER(profil_start, limit_policy, 12, 4);
MEMBER(profil_start, period, 16, 8);
MEMBER(profil_start, limit, 24, 8);
MEMBER(profil_start, regions, 32, 8);
MEMBER(profil_start, nr_regions, 40, 4);
MEMBER(profil_start, region_size, 44, 4);
MEMBER(profil_start, overflow, 48, 8);
MEMBER(profil_start, samples, 56, 8);
MEMBER(profil_start, nr_samples, 64, 8);
MEMBER(profil_start, overflow_width, 72, 4);
MEMBER(profil_start, sample_width, 76, 4);
MEMBER(profil_start, stored, 80, 8);
MEMBER(profil_start, gate, 88, 8);
TOTAL(profil_start, 96);

MEMBER(profil_gate, value, 0, 4);
MEMBER(profil_gate, reserved, 4, 4);
MEMBER(profil_gate, stored, 8, 8);
TOTAL(profil_gate, 16);

MEMBER(profil_stop, size, 0, 4);
MEMBER(profil_stop, flags, 4, 4);
MEMBER(profil_stop, profile, 8, 4);
MEMBER(profil_stop, reserved, 12, 4);
MEMBER(profil_stop, stored, 16, 8);
TOTAL(profil_stop, 24);

MEMBER(profil_stop_all, size, 0, 4);
MEMBER(profil_stop_all, flags, 4, 4);
TOTAL(profil_stop_all, 8);

MEMBER(profil_status, size, 0, 4);
MEMBER(profil_status, flags, 4, 4);
MEMBER(profil_status, profile, 8, 4);
MEMBER(profil_status, state, 12, 4);
MEMBER(profil_status, period, 16, 8);
MEMBER(profil_status, ticks, 24, 8);
MEMBER(profil_status, counted, 32, 8);
MEMBER(profil_status, outside, 40, 8);
MEMBER(profil_status, saturated, 48, 8);
MEMBER(profil_status, kernel, 56, 8);
MEMBER(profil_status, no_user_pc, 64, 8);
MEMBER(profil_status, off, 72, 8);
MEMBER(profil_status, lost_late, 80, 8);
MEMBER(profil_status, lost_contended, 88, 8);
MEMBER(profil_status, joined, 96, 4);
MEMBER(profil_status, followed, 100, 4);
MEMBER(profil_status, stored, 104, 8);
MEMBER(profil_status, pinned, 112, 8);
MEMBER(profil_status, processes, 120, 4);
MEMBER(profil_status, forks_lost, 124, 4);
MEMBER(profil_status, lost_full, 128, 8);
TOTAL(profil_status, 136);

MEMBER(profil_uring_cmd, arg, 0, 8);
MEMBER(profil_uring_cmd, size, 8, 4);
MEMBER(profil_uring_cmd, reserved, 12, 4);
TOTAL(profil_uring_cmd, 16);

MEMBER(profil_count, key, 0, 8);
MEMBER(profil_count, count, 8, 8);
TOTAL(profil_count, 16);

MEMBER(profil_record, size, 0, 4);
MEMBER(profil_record, flags, 4, 4);
MEMBER(profil_record, clock, 8, 4);
MEMBER(profil_record, proof, 12, 4);
MEMBER(profil_record, period, 16, 8);
MEMBER(profil_record, table, 24, 8);
MEMBER(profil_record, nr_counts, 32, 4);
MEMBER(profil_record, profile, 36, 4);
MEMBER(profil_record, target, 40, 4);
MEMBER(profil_record, reserved, 44, 4);
TOTAL(profil_record, 48);

MEMBER(profil_add, size, 0, 4);
MEMBER(profil_add, flags, 4, 4);
MEMBER(profil_add, profile, 8, 4);
MEMBER(profil_add, proof, 12, 4);
MEMBER(profil_add, target, 16, 4);
MEMBER(profil_add, reserved, 20, 4);
TOTAL(profil_add, 24);

MEMBER(profil_table, size, 0, 4);
MEMBER(profil_table, flags, 4, 4);
MEMBER(profil_table, profile, 8, 4);
MEMBER(profil_table, nr_counts, 12, 4);
MEMBER(profil_table, table, 16, 8);
TOTAL(profil_table, 24);

MEMBER(profil_wait, size, 0, 4);
MEMBER(profil_wait, flags, 4, 4);
MEMBER(profil_wait, profile, 8, 4);
MEMBER(profil_wait, keys, 12, 4);
TOTAL(profil_wait, 16);

MEMBER(profil_describe, size, 0, 4);
MEMBER(profil_describe, flags, 4, 4);
MEMBER(profil_describe, profile, 8, 4);
MEMBER(profil_describe, number, 12, 4);
MEMBER(profil_describe, numbers, 16, 4);
MEMBER(profil_describe, kind, 20, 4);
MEMBER(profil_describe, owner, 24, 4);
MEMBER(profil_describe, text, 28, 4);
MEMBER(profil_describe, base, 32, 8);
MEMBER(profil_describe, inode, 40, 8);
MEMBER(profil_describe, bytes, 48, 8);
MEMBER(profil_describe, device_major, 56, 4);
MEMBER(profil_describe, device_minor, 60, 4);
MEMBER(profil_describe, pid, 64, 4);
MEMBER(profil_describe, fd, 68, 4);
MEMBER(profil_describe, path, 72, 8);
MEMBER(profil_describe, path_size, 80, 4);
MEMBER(profil_describe, highest, 84, 4);
MEMBER(profil_describe, name, 88, 16);
MEMBER(profil_describe, uid, 104, 4);
MEMBER(profil_describe, parent, 108, 4);
MEMBER(profil_describe, cgroup, 112, 8);
MEMBER(profil_describe, state, 120, 4);
MEMBER(profil_describe, in_use, 124, 4);
MEMBER(profil_describe, modified, 128, 8);
MEMBER(profil_describe, first, 136, 4);
MEMBER(profil_describe, last, 140, 4);
TOTAL(profil_describe, 144);

/* Numbers that are compiled into programs. */
CHECK(type, PROFIL_TYPE == 0xd7);
CHECK(info, PROFIL_INFO == 0xd780);
CHECK(start, PROFIL_START == 0xd781);
CHECK(stop, PROFIL_STOP == 0xd782);
CHECK(status, PROFIL_STATUS == 0xd783);
CHECK(record, PROFIL_RECORD == 0xd784);
CHECK(add, PROFIL_ADD == 0xd785);
CHECK(table, PROFIL_TABLE == 0xd786);
CHECK(wait, PROFIL_WAIT == 0xd787);
CHECK(describe, PROFIL_DESCRIBE == 0xd788);
CHECK(stop_all, PROFIL_STOP_ALL == 0xd789);
CHECK(abi, PROFIL_ABI == 1);
CHECK(flags, PROFIL_KERNEL_TICKS == 1 && PROFIL_FOLLOW == 2 && PROFIL_FAULT_REGION == 4 &&
	     PROFIL_THREAD == 8 && PROFIL_OWED_TICKS == 16 && PROFIL_EVENT == 64);
CHECK(limits, PROFIL_WRAP == 0 && PROFIL_SATURATE == 1 && PROFIL_LIMIT_STOP == 2);
CHECK(clocks, PROFIL_CLOCK_DEFAULT == 0 && PROFIL_CLOCK_PERF == 1 && PROFIL_CLOCK_LAZY == 2);
CHECK(states, PROFIL_STATE_NONE == 0 && PROFIL_STATE_RUNNING == 1 && PROFIL_STATE_LIMIT == 2 &&
	      PROFIL_STATE_FULL == 3 && PROFIL_STATE_FAULT == 4 && PROFIL_STATE_STOPPED == 5);
CHECK(counts, PROFIL_COUNT_SHIFT == 40);
CHECK(kept, PROFIL_STOP_KEEP == 1);
CHECK(everybody, PROFIL_RECORD_EVERYBODY == 65536 && PROFIL_RECORD_PROCESSES == 131072 &&
		 PROFIL_RECORD_THREADS == 262144 && PROFIL_RECORD_KERNEL == 524288 &&
		 PROFIL_RECORD_SELF == 1048576);
CHECK(kinds, PROFIL_KIND_KERNEL == 1 && PROFIL_KIND_UNKNOWN == 2 && PROFIL_KIND_FILE == 3 &&
	     PROFIL_KIND_VDSO == 4 && PROFIL_KIND_MEMORY == 5 && PROFIL_KIND_OWNER == 6 &&
	     PROFIL_KIND_CELL == 7 && PROFIL_KIND_THREADS == 8 &&
	     PROFIL_KIND_MODULE == 9);
CHECK(describe_flags, PROFIL_DESCRIBE_OPEN == 1 && PROFIL_DESCRIBE_RELEASE == 2 &&
		      PROFIL_DESCRIBE_FORGET == 4);
CHECK(owner_states, PROFIL_OWNER_LIVE == 0 && PROFIL_OWNER_ENDED == 1 && PROFIL_OWNER_EXECUTES == 2 &&
		    PROFIL_OWNER_IRQ == 3 && PROFIL_OWNER_SOFTIRQ == 4);
