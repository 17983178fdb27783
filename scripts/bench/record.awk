# SPDX-License-Identifier: GPL-2.0-or-later
#
# Print the table of make bench MODE=record, with rows.awk.
# -v quick=yes: see rows.awk.

function tick_rows(    plain, what) {
	plain = sample("samples", "profil", 100000, 1)
	what = "tick of a recording of a process, "
	row(what "1 mapping of text", sample("samples", "recorded", 100000, 1), "self profile, 1 region", plain, 1.10)
	row(what "1 mapping of text", sample("samples", "recorded", 100000, 1), "empty timer, 10,000 Hz",
		sample("samples", "timer-floor", 100000, 1), 1.19)
	row(what "1,000 mappings of text", sample("samples", "recorded", 100000, 1000), "self profile, 1 region", plain, 1.10)
	row(what "in 64 mappings by turns", sample("samples-64-places", "recorded", 100000, 1), "self profile, 1 region", plain)
	row("tick of a system-wide recording, 1 mapping of text", sample("samples", "everybody", 100000, 1),
		"self profile, 1 region", plain, 1.10)
	resolved_row(sample("samples-1000-places", "recorded", 100000, 1), plain)
}

function resolved_row(cost, plain) {
	if (cost)
		row("tick of a recording of a process that is resolved, less a self profile's", cost - plain,
			"1,000 instructions", 1000, 1)
}

function kernel_rows(    user, kernel) {
	user = sample("samples", "recorded", 100000, 1)
	kernel = sample("samples-kernel", "recorded-kernel", 100000, 1)
	row("tick in the kernel, of a recording of a process", kernel, "its tick in user mode", user, 1.05)
	user = sample("samples", "everybody", 100000, 1)
	kernel = sample("samples-kernel", "everybody-kernel", 100000, 1)
	row("tick in the kernel, of a system-wide recording", kernel, "its tick in user mode", user, 1.05)
	row("tick in the kernel, of a system-wide recording", kernel, "perf record -a", sample("samples-kernel", "perf-all", 100000, 1))
	row("tick in the kernel, of a system-wide recording", kernel, "BPF, stacks of depth 1", sample("samples-kernel", "bpf-kernel", 100000, 1))
}

function scope_row(what, work,    idle) {
	idle = each(work, "none", 10000000)
	row(what ", recorded system-wide", each(work, "by-other", 10000000), "nobody is profiled", idle)
	row(what ", nobody is profiled", idle, "without the module", each(work, "none-unloaded", 10000000))
}

# The cost of a sample of a page fault: the time that it adds to the fault.  Each run has a sample
# for each unit, and some samples of the program's start.
function fault(method,    all) {
	if (!known("faults", method, 1, 1) || !known("faults", "none", 0, 1))
		return 0
	all = units["faults", method, 1, 1] * (method ~ /two/ ? 2 : 1)
	if (method != "floor-faults" && samples["faults", method, 1, 1] < all)
		fail("samples of " method " are missing")
	return (ns["faults", method, 1, 1] - ns["faults", "none", 0, 1]) / units["faults", method, 1, 1]
}

function fault_rows(    one, what) {
	one = fault("recorded-faults")
	what = "sample of a page fault, of a recording"
	row(what, one, "empty perf handler", fault("floor-faults"), 1.05)
	row(what, one, "BPF program, event on each CPU", fault("bpf-faults"))
	row(what, one, "perf record, drained", fault("perf-faults"))
	row("samples of two events at a page fault, of two recordings", fault("recorded-two-faults"),
		"twice a sample", 2 * one, 1.05)
	row("page fault, nobody samples it", each("faults", "none", 0), "without the module", each("faults", "none-unloaded", 0), 1.001)
}

function begin_row(what, work, method) {
	row(what ", 1,500 processes", each(work "-1500", method, 0), "1,000,000 instructions", 1000000, 1)
}

END {
	if (failed)
		exit 1
	print "| what | profil | against | its figure | ratio | at most | |"
	print "|---|---:|---|---:|---:|---:|---|"
	tick_rows()
	kernel_rows()
	scope_row("context switch", "switches")
	scope_row("fork, exit and wait", "forks")
	scope_row("vfork, exec, exit and wait", "execs")
	fault_rows()
	begin_row("begin a system-wide recording", "attach-everybody", "profil")
	begin_row("start of profil record -a", "start", "profil")
	row("start of profil record -a, 15 processes", each("start-15", "profil", 0), "profil --version", each("start-15", "version", 0))
}
