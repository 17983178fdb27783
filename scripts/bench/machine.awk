# SPDX-License-Identifier: GPL-2.0-or-later
#
# Print the tables of make bench MODE=machine, from the lines of tests/bench/machine: NAME VALUE.

{
	value[$1] = $2
}

function fail(message) {
	print "scripts/bench/run: " message >"/dev/stderr"
	failed = 1
	exit 1
}

function of(name) {
	if (!(name in value))
		fail("nothing was measured of " name)
	return value[name]
}

# A number with commas, and with this number of digits after the point.
function number(n, digits,    text, head, tail, sign) {
	text = sprintf("%." digits + 0 "f", n < 0 ? -n : n)
	sign = n < 0 ? "-" : ""
	if (match(text, /\./)) {
		tail = substr(text, RSTART)
		text = substr(text, 1, RSTART - 1)
	}
	for (head = ""; length(text) > 3; text = substr(text, 1, length(text) - 3))
		head = "," substr(text, length(text) - 2) head
	return sign text head tail
}

function row(what, without, with) {
	printf "| %s | %s | %s |\n", what, without, with
}

# Print a row that has nothing to compare with.
function alone(what, with) {
	row(what, "", with)
}

function ms(name) {
	return number(of(name) / 1e6, 1)
}

# The average of a measurement per second.
function each_second(name, part) {
	return of(name "-" part) / of(name "-seconds")
}

function hour_rows(    more, module) {
	more = of("hour-with-busy") - of("hour-without-busy")
	module = more - of("hour-with-cpu")
	print "| 1,000 processes, for " number(of("hour-with-seconds")) " s | nobody records | profil record -a |"
	print "|---|---:|---:|"
	row("CPU time of the machine, ms", ms("hour-without-busy"), ms("hour-with-busy"))
	alone("of that, the command, ms", ms("hour-with-cpu"))
	alone("of that, the module, and switches to the command, ms", number(module / 1e6, 1))
	alone("both, as a share of one CPU", number(100 * more / of("hour-with-seconds") / 1e9, 4) " %")
	row("interrupts of the CPU's timer in a second", number(each_second("hour-without", "timers"), 1),
		number(each_second("hour-with", "timers"), 1))
	alone("wake-ups of the command in a second", number(each_second("hour-with", "waits"), 2))
	alone("samples", number(of("hour-ticks")))
	alone("bytes of the file", number(of("hour-bytes")))
	alone("memory of the command at most, KiB", number(of("hour-peak")))
	alone("of that, counters, which are pinned, KiB", number(of("hour-counters")))
	alone("memory of the kernel until the command ends, KiB",
		number((of("hour-with-kernel") - of("hour-without-kernel")) / 1024))
}

function idle_rows() {
	print ""
	print "| 1,000 processes that never wake up, in a second | nobody records | profil record -a |"
	print "|---|---:|---:|"
	row("interrupts of the CPU's timer", number(each_second("idle-without", "timers"), 2),
		number(each_second("idle-with", "timers"), 2))
	alone("wake-ups of the command (wanted: 0)", number(each_second("idle-with", "waits"), 2))
	alone("timers of the module that expire", number(of("idle-module-timers") / of("idle-with-seconds"), 2))
	row("CPU time, us", number(each_second("idle-without", "busy") / 1e3, 1),
		number(each_second("idle-with", "busy") / 1e3, 1))
}

function push_rows(    requests, debug) {
	requests = of("push-requests")
	debug = of("push-debug-requests")
	print ""
	print "| profil push -a of those processes | with debug information | without |"
	print "|---|---:|---:|"
	row("bytes of a request's body", number(of("push-debug-body") / debug), number(of("push-body") / requests))
	row("CPU time of the command for a request, ms", number(of("push-debug-cpu") / debug / 1e6, 1),
		number(of("push-cpu") / requests / 1e6, 1))
	row("memory of the command at most, KiB", number(of("push-debug-peak")), number(of("push-peak")))
}

function day_rows(    hours) {
	hours = (of("day-first-seconds") + of("day-seconds")) / 3600
	print ""
	print "| profil record -a --loop 1h, for " number(hours) " hours | after an hour | at the end |"
	print "|---|---:|---:|"
	alone("files", number(of("day-written")))
	alone("bytes of all files", number(of("day-bytes")))
	row("memory of the command, KiB", number(of("day-first-memory")), number(of("day-memory")))
	row("files that the command has open", number(of("day-first-files")), number(of("day-files")))
	row("CPU time of the command, ms for each hour", number(of("day-first-cpu") / 1e6 * 3600 / of("day-first-seconds"), 1),
		number(of("day-cpu") / 1e6 * 3600 / of("day-seconds"), 1))
}

END {
	if (failed)
		exit 1
	hour_rows()
	idle_rows()
	push_rows()
	day_rows()
}
