# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shared by table.awk and record.awk: read the lines of tests/bench/cost, attach and gmon,
# WORK METHOD PERIOD REGIONS NS UNITS SAMPLES CPU-NS, and print rows of a table.
#
# -v quick=yes: leave out rows for which nothing was measured.  Without it, such a row
# is an error.  A measurement without samples is always an error.

function fail(message) {
	print "scripts/bench/run: " message >"/dev/stderr"
	failed = 1
	exit 1
}

$1 == "bias" {
	bias[$2, $3] = $0
	next
}

{
	ns[$1, $2, $3, $4] = $5
	units[$1, $2, $3, $4] = $6
	samples[$1, $2, $3, $4] = $2 ~ /floor$/ ? $5 / $3 : $7
	cpu[$1, $2, $3, $4] = $8
}

function known(work, method, period, regions) {
	if ((work, method, period, regions) in ns)
		return 1
	if (!quick)
		fail("nothing was measured of " work " " method " " period)
	return 0
}

# The cost of a sample: the run's time, less that of a run without a profile, for each sample.
function sample(work, method, period, regions,    extra) {
	if (!known(work, method, period, regions) || !known(work, "none", 0, 1))
		return 0
	if (!samples[work, method, period, regions])
		fail("no samples of " work " " method " " period)
	extra = ns[work, method, period, regions] - ns[work, "none", 0, 1]
	if (extra <= 0)
		fail(work " " method " " period " took no longer than without")
	return extra / samples[work, method, period, regions]
}

# The cost of anything else: the run's cost, divided by its units.
function each(work, method, period) {
	if (!known(work, method, period, 1))
		return 0
	return ns[work, method, period, 1] / units[work, method, period, 1]
}

function number(n,    text, head) {
	text = sprintf("%.0f", n)
	for (head = ""; length(text) > 3; text = substr(text, 1, length(text) - 3))
		head = "," substr(text, length(text) - 2) head
	return text head
}

# Print a row, unless a side has no value, as in a quick run.
# allowed: the greatest ratio permitted; empty: no limit.
function row(what, ours, against, theirs, allowed,    ratio, verdict) {
	if (!ours || !theirs)
		return
	ratio = ours / theirs
	verdict = allowed == "" ? "" : ratio <= allowed ? "met" : "missed"
	printf "| %s | %s | %s | %s | %s | %s | %s |\n", what, number(ours), against, number(theirs),
		sprintf(ratio < 0.1 ? "%.5f" : "%.4f", ratio), allowed, verdict
}
