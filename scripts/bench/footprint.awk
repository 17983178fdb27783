# SPDX-License-Identifier: GPL-2.0-or-later
#
# Print the table of make bench MODE=footprint, from the names of the marked parts, and the
# plugin's lines about them (tests/bench/footprint/footprint.cpp):
# NAME NUMBER INTERRUPTS INSTRUCTIONS CODE-LINES DATA-LINES PAGES TRANSLATIONS

{
	if (NF != 8 || $3 < 50) {
		print "scripts/bench/run: " $1 " has too few interrupts: " $0 >"/dev/stderr"
		exit failed = 1
	}
	found[$1] = $0
}

function number(n) {
	return n < 1000 ? n : sprintf("%d,%03d", n / 1000, n % 1000)
}

function row(what, name,    part) {
	if (!(name in found)) {
		print "scripts/bench/run: nothing was found of " name >"/dev/stderr"
		exit failed = 1
	}
	split(found[name], part, " ")
	printf "| %s | %s | %s | %s | %s | %s |\n", what, number(part[4]), part[5], part[6], part[7], part[8]
}

END {
	if (failed)
		exit 1
	print "| an interrupt | instructions | lines of code | lines of data | pages | translations |"
	print "|---|---:|---:|---:|---:|---:|"
	row("empty timer", "timer-floor")
	row("empty perf handler", "floor")
	row("profil, 1 region", "profil")
	row("profil, 1,000 regions", "profil-1000")
	row("profil, a recording of a process", "recorded")
	row("profil, a system-wide recording", "everybody")
	row("profil, 1 region, perf clock", "perf-clock")
	row("BPF program, event on each CPU", "bpf")
	row("perf record", "perf")
	row("the scheduler's tick, nobody is profiled", "tick")
}
