# SPDX-License-Identifier: GPL-2.0-or-later
# A program for the demo to profile: hashes, sorts, matches.
use strict;
use warnings;

while (1) {
	my %length;
	for my $n (1 .. 20000) {
		my $word = join '-', $n, $n * $n, "word$n";
		$length{$word} = length $word if $word =~ /(\d+)-\d*[02468]-word\1/;
	}
	my @longest = sort { $length{$b} <=> $length{$a} || $a cmp $b } keys %length;
	die "no words" unless @longest > 1000;
}
