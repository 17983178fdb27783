# SPDX-License-Identifier: GPL-2.0-or-later
"""A workload in Python: makes words, sorts and counts them."""
import itertools


def make_words(seed):
    words = []
    for _ in range(5000):
        seed = (seed * 1664525 + 1013904223) & 0xffffffff
        words.append(f"word{seed >> 16}")
    return words


def count_words(words):
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return len(counts)


for seed in itertools.count(1):
    words = make_words(seed)
    words.sort()
    assert count_words(words)
