// SPDX-License-Identifier: GPL-2.0-or-later
// For page.js: the checks of pages of profiles that have no source, or are flat.
'use strict';
const assert = require('node:assert/strict');

/** @param text as in page.js. */
module.exports = ({ text }) => ({
	/** A function whose lines have no text: its instructions, until the user asks for the lines. */
	async textless(page) {
		const source = page.getByRole('button', { name: 'Source', exact: true });
		const code = page.getByRole('button', { name: 'Instructions' });
		const top = async (selector) => (await page.locator(selector).boundingBox()).y;

		assert.equal(await code.getAttribute('aria-pressed'), 'true');
		assert.match(await text(page, '#source .loop .text >> nth=0'), /^[a-z]/);
		await page.locator('#source').evaluate((panel) => panel.scrollTo(500, panel.scrollHeight));
		assert.ok((await page.locator('#source').evaluate((panel) => panel.scrollTop)) > 100);
		assert.ok(Math.abs((await top('#source-name')) - (await top('#source'))) < 3);
		assert.ok((await page.locator('#source-name').boundingBox()).x >= (await page.locator('#source').boundingBox()).x);
		await source.click();
		assert.equal(await source.getAttribute('aria-pressed'), 'true');
		assert.equal(await text(page, '#source .place >> nth=0'), 'line');
		await page.locator('#table').focus();
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('Enter');
		assert.equal(await text(page, '#source-name'), 'hidden');
		assert.equal(await code.getAttribute('aria-pressed'), 'true');
	},
});
