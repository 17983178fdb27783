// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A BPF program that counts the places in the kernel that it interrupts, as a profiler does for
 * kernel stacks of depth 1: the kernel gives each stack a number, and the program counts by it.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_helpers.h>

#define STACKS 16384

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, STACKS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STACKS);
	__type(key, __u64);
	__type(value, __u64);
} counts SEC(".maps");

__u64 samples;

SEC("perf_event")
int count(struct bpf_perf_event_data *ctx)
{
	__u64 key = bpf_get_current_pid_tgid() & 0xffffffff00000000;
	__u64 one = 1, *value;
	long stack = bpf_get_stackid(ctx, &stacks, BPF_F_REUSE_STACKID);

	if (stack < 0)
		return 0;
	key |= (__u32)stack;
	value = bpf_map_lookup_elem(&counts, &key);
	if (value)
		__sync_fetch_and_add(value, 1);
	else
		bpf_map_update_elem(&counts, &key, &one, BPF_ANY);
	__sync_fetch_and_add(&samples, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
