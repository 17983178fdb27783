// SPDX-License-Identifier: GPL-2.0-or-later
// A workload in Go: makes words, sorts and counts them.
package main

import (
	"sort"
	"strconv"
)

//go:noinline
func makeWords(seed uint32) []string {
	words := make([]string, 0, 20000)
	for len(words) < cap(words) {
		seed = seed*1664525 + 1013904223
		words = append(words, "word"+strconv.Itoa(int(seed>>16)))
	}
	return words
}

//go:noinline
func countWords(words []string) int {
	counts := map[string]int{}
	for _, word := range words {
		counts[word]++
	}
	return len(counts)
}

func main() {
	for seed := uint32(1); ; seed++ {
		words := makeWords(seed)
		sort.Strings(words)
		if countWords(words) == 0 {
			panic("no words")
		}
	}
}
