# SPDX-License-Identifier: GPL-2.0-or-later
#
# Print the table of make bench MODE=worst, from the lines of tests/bench/cost: WORK METHOD PERIOD
# REGIONS NS UNITS SAMPLES CPU-NS; and lines "lost WORK METHOD CHILDREN" and "probe METHOD NS".  A
# method that ends with a number was measured with that many bindings of other sessions in the same
# bucket.

$1 == "lost" {
	lost[$2, $3] = $4
	next
}

$1 == "probe" {
	probe[$2] = $3
	next
}

{
	ns[$1, $2] = $5
	each[$1, $2] = $5 / $6
	samples[$1, $2] = $7
}

function fail(message) {
	print "scripts/bench/run: " message >"/dev/stderr"
	failed = 1
	exit 1
}

function known(work, method) {
	if (!((work, method) in ns))
		fail("nothing was measured of " work " " method)
	return 1
}

function number(n,    text, groups) {
	text = sprintf("%.0f", n)
	while (length(text) > 3) {
		groups = "," substr(text, length(text) - 2) groups
		text = substr(text, 1, length(text) - 3)
	}
	return text groups
}

# The cost of a sample.
function tick(method) {
	if (known("samples", method) && known("samples", "none") && samples["samples", method] > 0)
		return (ns["samples", method] - ns["samples", "none"]) / samples["samples", method]
	fail("no samples with " method)
}

function row(what, cost, plain) {
	printf "| %s | %s | %.3f | %s |\n", what, number(cost), cost / plain, lost_of
}

function tick_row(what, method, alone) {
	lost_of = ""
	row("tick, " what, tick(method), tick(alone))
}

function fork_row(what, method) {
	known("forks", method)
	lost_of = ("forks", method) in lost ? lost["forks", method] : ""
	row("fork, " what, each["forks", method], each["forks", "recorded-0"])
}

function probe_row(what, method) {
	if (!(method in probe))
		fail("nothing was measured of the probe with " method)
	lost_of = ""
	row("fork with interrupts off, " what, probe[method], probe["recorded-0"])
}

# All rows of one kind about forks of a followed process; f: fork, p: probe.
function followed_row(kind, what, method) {
	if (kind == "f")
		fork_row(what, method)
	else
		probe_row(what, method)
}

function followed_rows(kind) {
	followed_row(kind, "followed, alone in its bucket", "recorded-0")
	followed_row(kind, "followed, 255 bindings of others in the bucket", "recorded-255")
	followed_row(kind, "followed by 8 sessions, 248 bindings of others in the bucket", "sessions-248")
}

END {
	if (failed)
		exit 1
	print "| | instructions | ratio | children lost |"
	print "|---|---:|---:|---:|"
	tick_row("self profile, alone in its bucket", "profil", "profil")
	tick_row("self profile, 255 bindings of others in the bucket", "profil-255", "profil")
	tick_row("recording, alone in its bucket", "recorded", "recorded")
	tick_row("8 sessions, and 64 of this thread", "sessions-thread", "recorded")
	tick_row("the same, and 184 bindings of others in the bucket", "sessions-thread-184", "recorded")
	followed_rows("f")
	followed_rows("p")
}
