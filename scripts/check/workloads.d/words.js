// SPDX-License-Identifier: GPL-2.0-or-later
// A workload for Node.js: makes words, sorts and counts them.
'use strict';

function makeWords(seed) {
	return Array.from({ length: 20000 }, () => {
		seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
		return `word${seed >>> 16}`;
	});
}

function countWords(words) {
	const counts = new Map();

	for (const word of words)
		counts.set(word, (counts.get(word) ?? 0) + 1);
	return counts.size;
}

for (let seed = 1; ; seed++) {
	if (!countWords(makeWords(seed).sort()))
		throw new Error('no words');
}
