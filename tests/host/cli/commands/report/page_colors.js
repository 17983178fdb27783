// SPDX-License-Identifier: GPL-2.0-or-later
// For page.js: the colours of a page, and their contrast with text.
'use strict';
const assert = require('node:assert/strict');

function luminance(color) {
	const [red, green, blue] = color
		.match(/[\d.]+/g)
		.slice(0, 3)
		.map((part) => part / 255)
		.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));

	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colours by WCAG 2. */
function contrast(a, b) {
	const [dark, light] = [luminance(a), luminance(b)].sort((one, other) => one - other);

	return (light + 0.05) / (dark + 0.05);
}

/** Colours of page.css in the current theme. */
async function colors(page, names) {
	return page.evaluate((wanted) => {
		const probe = document.body.appendChild(document.createElement('i'));
		const found = wanted.map((name) => {
			probe.style.color = `var(--${name})`;
			return getComputedStyle(probe).color;
		});

		probe.remove();
		return found;
	}, names);
}

async function checkContrast(page) {
	const numbers = [...Array(8).keys()];
	const pairs = [
		...['page', 'panel', 'chosen', 'hover'].map((ground) => ['text', ground, 4.5]),
		...['page', 'panel'].map((ground) => ['muted', ground, 4.5]),
		...[...numbers, 'rest'].map((number) => ['on-object', `object-${number}`, 4.5]),
		...[1, 2, 3, 4].map((number) => ['text', `heat-${number}`, 4.5]),
		...['more-1', 'more-2', 'more-3', 'less-1', 'less-2', 'less-3', 'same'].map((ground) => ['on-object', ground, 4.5]),
		...['page', 'panel'].map((ground) => ['focus', ground, 3]),
		...['page', 'panel'].map((ground) => ['control', ground, 3]),
	];

	for (const [front, back, least] of pairs) {
		const [one, other] = await colors(page, [front, back]);

		assert.ok(contrast(one, other) >= least, `${front} on ${back}: ${contrast(one, other).toFixed(2)}`);
	}
}

module.exports = { luminance, colors, checkContrast };
