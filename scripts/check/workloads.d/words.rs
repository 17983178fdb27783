// SPDX-License-Identifier: GPL-2.0-or-later
//! A workload in Rust: makes words, sorts and counts them.
use std::collections::HashMap;

#[inline(never)]
fn make_words(mut seed: u32) -> Vec<String> {
    (0..20000)
        .map(|_| {
            seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            format!("word{}", seed >> 16)
        })
        .collect()
}

#[inline(never)]
fn count_words(words: &[String]) -> usize {
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for word in words {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts.len()
}

fn main() {
    for seed in 1.. {
        let mut words = make_words(seed);
        words.sort();
        assert!(count_words(&words) > 0);
    }
}
