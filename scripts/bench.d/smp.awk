# SPDX-License-Identifier: GPL-2.0-or-later
#
# The tables of make bench MODE=smp, from the lines of tests/bench/cost --best:
# WORK METHOD PERIOD REGIONS NS UNITS SAMPLES CPU-NS, where the method that a run
# was without is none-beside-METHOD.

{
	ns[$1, $2] = $5 / $6
}

function ratio(work, method) {
	return ns[work, method] / ns[work, "none-beside-" method]
}

function row(what, work, unit, name,    methods, n, i) {
	printf "| %s", what
	n = split("profil lazy bpf signal-wall", methods, " ")
	for (i = 1; i <= n; i++) {
		if (!((work, methods[i]) in ns)) {
			print "scripts/bench: nothing was measured of " work " " methods[i] >"/dev/stderr"
			exit 1
		}
		printf " | %.1f %s | %.3f", ns[work, methods[i]] / unit, name, ratio(work, methods[i])
	}
	print " |"
}

# What two threads on two CPUs do, of twice what one does.
function scaling(what, prefix,    methods, n, i) {
	printf "| %s", what
	n = split("profil lazy bpf signal-wall", methods, " ")
	for (i = 1; i <= n; i++)
		printf " | | %.3f", ns["one-thread", prefix methods[i]] / ns["two-threads", prefix methods[i]]
	print " |"
}

END {
	print "| | perf clock | ratio | lazy clock | ratio | BPF program | ratio | signal | ratio |"
	print "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
	row("one thread", "one-thread", 1e6, "ms")
	row("two threads, a counter each", "two-threads", 1e6, "ms")
	row("eight threads, one counter", "eight-threads", 1e6, "ms")
	row("context switch", "switches", 1e3, "µs")
	scaling("two threads, of twice one, unprofiled", "none-beside-")
	scaling("two threads, of twice one, profiled", "")
}
