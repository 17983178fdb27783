// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A BPF program with a counter for every four bytes of text, in an array map that
 * user space maps (libbpf makes such a map from each section of variables).
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define COUNTERS (64 << 10 >> 2)

/* Set before the program is loaded.  tgid is 0 if the event already belongs to one process. */
const volatile __u32 tgid;
const volatile __u64 low;

__u32 counters[COUNTERS];

SEC("perf_event")
int count(struct bpf_perf_event_data *ctx)
{
	__u64 index = (PT_REGS_IP(&ctx->regs) - low) >> 2;

	if (tgid && bpf_get_current_pid_tgid() >> 32 != tgid)
		return 0;
	if (index < COUNTERS)
		__sync_fetch_and_add(&counters[index], 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
