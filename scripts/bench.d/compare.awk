# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares the tables of two runs of make bench, the old and the new: a ratio that
# is more than 3 % greater is a failure, as is a row that the old one has not.
BEGIN {
	FS = " *[|] *"
	allowed = 1.03
}

NF != 9 || $6 !~ /^[0-9.]+$/ {
	next
}

FNR == NR {
	old[$2, $4] = $6
	next
}

{
	compared++
	if (!(($2, $4) in old)) {
		print "scripts/bench: not in the old table: " $2 ", against " $4 >"/dev/stderr"
		worse++
	} else if ($6 > old[$2, $4] * allowed) {
		printf "scripts/bench: %s, against %s: the ratio is %s, and was %s\n", $2, $4, $6, old[$2, $4] >"/dev/stderr"
		worse++
	}
}

END {
	if (!compared) {
		print "scripts/bench: no rows to compare" >"/dev/stderr"
		exit 1
	}
	printf "%d ratios compared with Documentation/performance.md, %d worse by more than %.0f %%\n",
		compared, worse, (allowed - 1) * 100
	exit worse > 0
}
