# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare the tables of two runs of make bench, the old and the new: a ratio that is
# more than 3 % greater is a failure, and so is a row that the old table lacks.
# Rows that vary more than that have a margin of their own, which tail.md explains.
#
# -v worse=FILE: write the worse rows there, one per line; the file is always made.
# -v verdicts=yes: check only that each row with a goal meets or misses it as in the old table.  A
# row within 3 % of its goal may do either.
# -v before=FILE: count only the rows that an earlier run has written there.
BEGIN {
	FS = " *[|] *"
	printf "" >worse
	while (before != "" && (getline line <before) > 0)
		was_worse[line] = 1
	close(before)
}

NF != 9 || $6 !~ /^[0-9.]+$/ {
	next
}

# A kernel thread that is woken runs up to 15,000 instructions, within the measurement or after it.
$2 ~ /^(attach|detach) a process of / {
	margin = 3
}

# A run has 75 samples, whose ticks also do other work, so a sample costs 4,372 to 4,552
# instructions.
$4 ~ / 250 Hz$/ {
	margin = 1.1
}

# A small difference of two large figures.
$2 ~ /, less / {
	margin = 1.1
}

FNR == NR {
	old[$2, $4] = $6
	verdict[$2, $4] = $8
	margin = 0
	next
}

# Report a row that is worse, and count it if there was no earlier run, or if it was worse there,
# too.
function note(why, row, ratios) {
	print "scripts/bench/run: " why ": " row ratios >"/dev/stderr"
	if (before == "" || row in was_worse) {
		print row >worse
		count++
	}
}

{
	compared++
	if (!margin)
		margin = 1.03
	row = $2 ", against " $4
	if (!(($2, $4) in old)) {
		note("not in the old table", row)
	} else if (verdicts) {
		if ($8 != verdict[$2, $4] && ($6 > $7 * 1.03 || $6 < $7 / 1.03))
			note("another verdict", row, sprintf(": the ratio is %s, and was %s", $6, old[$2, $4]))
	} else if ($6 > old[$2, $4] * margin) {
		note("worse", row, sprintf(": the ratio is %s, was %s, and may be %s", $6, old[$2, $4], old[$2, $4] * margin))
	}
	margin = 0
}

END {
	if (!compared) {
		print "scripts/bench/run: no rows to compare" >"/dev/stderr"
		exit 1
	}
	printf "%d ratios compared with Documentation/performance.md, %d worse than their margin allows%s\n",
		compared, count, before == "" ? "" : ", in each run so far"
}
