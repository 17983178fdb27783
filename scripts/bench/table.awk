# SPDX-License-Identifier: GPL-2.0-or-later
#
# Print the table of make bench.  Needs rows.awk, which reads the results and describes -v
# quick=yes.

function flavour_row(what, method) {
	row("sample, " what, sample("samples", method, 100000, 1), "empty timer, 10,000 Hz",
		sample("samples", "timer-floor", 100000, 1), 1.25)
}

function sample_rows(    ours, what) {
	ours = sample("samples", "profil", 100000, 1)
	what = "sample, 10,000 Hz"
	row(what, ours, "empty perf handler, 10,000 Hz", sample("samples", "floor", 100000, 1))
	row(what, ours, "empty timer, 10,000 Hz", sample("samples", "timer-floor", 100000, 1), 1.15)
	flavour_row("profil() of BSD and IRIX", "bsd")
	flavour_row("profil() of Tru64", "tru64")
	flavour_row("profil() of AIX", "aix")
	flavour_row("profil() of Solaris", "solaris")
	flavour_row("pcsample()", "pcsample")
	row(what, ours, "BPF program, event on each CPU, 10,000 Hz", sample("samples", "bpf", 100000, 1), 0.65)
	row(what, ours, "bpftrace, profile probe, 10,000 Hz", sample("samples", "bpftrace", 100000, 1))
	row(what, ours, "perf record, drained, 10,000 Hz", sample("samples", "perf", 100000, 1), 0.42)
	row(what, ours, "timer_create of CPU time, signal handler, 250 Hz", sample("samples-slow", "signal", 4000000, 1), 0.22)
	row(what, ours, "libc's profil(), 100 Hz", sample("samples-slow", "libc", 0, 1))
	row(what, ours, "gcc -pg, 100 Hz", sample("samples-gmon", "pg", 0, 1))
	row(what, ours, "gperftools, 250 Hz", sample("samples-slow", "gperftools", 0, 1))
	row("sample, 1,000 regions", sample("samples", "profil", 100000, 1000), "1 region", ours, 1.08)
	row("call of a function, unprofiled", each("calls", "none", 0), "gcc -pg", each("calls", "pg", 0))
}

# The module's other clock.  Rows that name no clock are for the default one.
function clock_rows(    ours, what) {
	ours = sample("samples", "perf-clock", 100000, 1)
	what = "sample of the perf clock, 10,000 Hz"
	row(what, ours, "empty perf handler, 10,000 Hz", sample("samples", "floor", 100000, 1), 1.04)
}

function event_rows(what, work, method, unprofiled, allowed,    ours) {
	ours = each(work, method, 10000000)
	row(what, ours, "unprofiled" (unprofiled == work ? "" : unprofiled ~ /words/ ? ", and a copy of 64 KiB by words" : ", and a copy of 64 KiB by bytes"),
		each(unprofiled, work == "threads" ? "none-beside-profil" : "none", 10000000), allowed)
	if (unprofiled != work)
		return
	if (work == "switches")
		row(what, ours, "BPF program, event on each CPU", each(work, "bpf", 10000000))
	row(what, ours, "perf record", each(work, "perf", 10000000))
}

function start_rows(    ours) {
	ours = each("starts", "linux", 10000000)
	row("start and stop", ours, "timer_create, timer_delete", each("starts", "signal", 10000000))
	row("start and stop", ours, "libc's profil()", each("starts", "libc", 10000000), 0.8)
	row("start and stop", ours, "gperftools", each("starts", "gperftools", 10000000))
}

function threads_row(verb, n, allowed,    what, ours, perf) {
	what = verb " a process of " number(n) (n == 1 ? " thread" : " threads")
	ours = each(verb "-threads-" n, "profil", 0)
	perf = each(verb "-threads-" n, "perf", 0)
	row(what, ours, "perf record -p", perf, allowed)
}

# All processes but the first are added in one submission of a ring, or with an ioctl each.
function processes_rows(    what, ours) {
	what = "attach 1,000 processes, one submission"
	ours = each("attach-processes-1000", "profil", 0)
	row(what ", each", ours / 1000, "15,000 instructions", 15000, 1)
	if (("attach-processes-1000", "ioctl", 0, 1) in ns)
		row(what, ours, "an ioctl each", each("attach-processes-1000", "ioctl", 0))
}

# The work that remains when recording ends.
function flat_rows() {
	row("end of recording, until the file is there", each("flat-end", "profil", 0), "perf record", each("flat-end", "perf", 0))
	row("flat profile of the file", each("flat-report", "profil", 0), "perf report", each("flat-report", "perf", 0))
}

# A row about where the ticks fell.  limit: chi-square exceeds it in one of 20 runs by chance.
function bias_row(what, who, work, method,    part, limit, degrees) {
	if (!((work, method) in bias))
		fail("nothing was measured of the bias of " method ", " work)
	split(bias[work, method], part, " ")
	degrees = part[10]
	limit = degrees == 3 ? 7.81 : degrees == 1 ? 3.84 : ""
	printf "| %s | %s | %s Hz | %s | %.4f | %.4f | %.4f | %s | %s |\n", what, who, number(1e9 / part[4]), number(part[5]),
		part[5] / part[6], part[7], part[8], part[5] == 0 ? "" : part[9], part[5] == 0 ? "" : limit
}

function bias_rows(what, work) {
	bias_row(what, "lazy clock", work, "lazy")
	bias_row(what, "perf clock", work, "perf")
	bias_row(what, "BPF program", work, "bpf")
}

function bias_table() {
	print "\n| work | clock | rate | ticks | ticks × period / CPU time | first part, share of ticks | share of time | chi-square | 5 % exceed |"
	print "|---|---|---:|---:|---:|---:|---:|---:|---:|"
	bias_rows("always runs", "split")
	bias_rows("woken each ms", "bursts")
}

# The cost of other processes' profiles to an unprofiled program, and to an idle CPU.
function others_row(n, clock,    method, base) {
	method = n ? "none-" clock "-" n : "none"
	base = ns["samples", "none", 0, 1]
	if (!known("samples", method, 0, 1) || !known("switches", method, 10000000, 1) || !known("idle", method, 0, 1))
		return
	printf "| %s | %s | %s | %.4f | %s | %.4f | %.0f |\n", n ? n : "none", n ? clock : "", number(ns["samples", method, 0, 1]),
		ns["samples", method, 0, 1] / base, number(each("switches", method, 10000000)),
		each("switches", method, 10000000) / each("switches", "none", 10000000), samples["idle", method, 0, 1]
}

function others_table() {
	print "\n| other profiled processes, at 10,000 Hz | clock | unprofiled program | ratio | its context switch | ratio | timer interrupts of an idle CPU per second |"
	print "|---:|---|---:|---:|---:|---:|---:|"
	others_row(0)
	others_row(100, "lazy")
	others_row(100, "perf")
}

# A row about memory, in bytes; there may be nothing to compare with.
function memory_row(what, work, against, method) {
	if (!known(work, "profil", 0, 1) || (method && !known(work, method, 0, 1)))
		return
	printf "| %s | %s | %s | %s |\n", what, number(ns[work, "profil", 0, 1]), against,
		method ? number(ns[work, method, 0, 1]) : ""
}

function memory_table() {
	print "\n| memory, in bytes | profil | against | its figure |"
	print "|---|---:|---|---:|"
	memory_row("a process, with 64 KiB of counters", "memory-process", "perf event, with perf record's buffer", "perf")
	memory_row("a process, with 64 KiB of counters", "memory-process", "BPF program, with 64 KiB of counters", "bpf")
	memory_row("a process, kernel memory", "memory-kernel", "perf event, without a buffer", "perf")
	memory_row("a thread of it, kernel memory", "memory-thread", "perf event, without a buffer", "perf")
	memory_row("the file of 10,000 samples", "flat-bytes", "perf.data", "perf")
}

END {
	if (failed)
		exit 1
	print "| what | profil | against | its figure | ratio | at most | |"
	print "|---|---:|---|---:|---:|---:|---|"
	sample_rows()
	clock_rows()
	event_rows("context switch", "switches", "profil", "switches", 1.01)
	event_rows("thread, created and ended", "threads", "profil", "threads", 1.01)
	event_rows("fork, self profile of 64 KiB", "forks", "profil", "forks-words", 1.1)
	event_rows("fork, self profile of 64 KiB", "forks", "profil", "forks-bytes", 1.1)
	event_rows("fork, recorded and followed", "forks", "recorded", "forks")
	event_rows("vfork and exec, recorded and followed", "execs", "recorded", "execs")
	start_rows()
	threads_row("attach", 1)
	threads_row("attach", 10000, 0.01)
	threads_row("detach", 10000)
	processes_rows()
	flat_rows()
	if (quick)
		exit 0
	bias_table()
	others_table()
	memory_table()
}
