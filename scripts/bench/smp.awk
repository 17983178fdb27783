# SPDX-License-Identifier: GPL-2.0-or-later
#
# Print the tables of make bench MODE=smp, from the lines of tests/bench/cost --best:
# WORK METHOD PERIOD REGIONS NS UNITS SAMPLES CPU-NS.  The run without METHOD, to compare
# it with, has the method none-beside-METHOD.
#
# No program runs faster when it is profiled: if one seems to, the host was too busy,
# and no table is printed.

{
	ns[$1, $2] = $5 / $6
}

function fail(message) {
	print "scripts/bench/run: " message >"/dev/stderr"
	failed = 1
	exit 1
}

function ratio(work, method,    r) {
	r = ns[work, method] / ns[work, "none-beside-" method]
	if (r < 0.97)
		fail(sprintf("%s with %s takes %.3f of the time without: this machine is too busy for MODE=smp", work, method, r))
	return r
}

function row(what, work, unit, name,    methods, n, i) {
	printf "| %s", what
	n = split("perf-clock profil bpf signal-wall", methods, " ")
	for (i = 1; i <= n; i++) {
		if (!((work, methods[i]) in ns))
			fail("nothing was measured of " work " " methods[i])
		printf " | %.1f %s | %.3f", ns[work, methods[i]] / unit, name, ratio(work, methods[i])
	}
	print " |"
}

# The work of two threads on two CPUs, as a share of twice the work of one.
function scaling(what, prefix,    methods, n, i) {
	printf "| %s", what
	n = split("perf-clock profil bpf signal-wall", methods, " ")
	for (i = 1; i <= n; i++)
		printf " | | %.3f", ns["one-thread", prefix methods[i]] / ns["two-threads", prefix methods[i]]
	print " |"
}

END {
	if (failed)
		exit 1
	print "| | perf clock | ratio | lazy clock | ratio | BPF program | ratio | signal | ratio |"
	print "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
	row("one thread", "one-thread", 1e6, "ms")
	row("two threads, a counter each", "two-threads", 1e6, "ms")
	row("eight threads, one counter", "eight-threads", 1e6, "ms")
	row("context switch", "switches", 1e3, "µs")
	scaling("two threads, relative to twice one, unprofiled", "none-beside-")
	scaling("two threads, relative to twice one, profiled", "")
}
