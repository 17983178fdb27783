// SPDX-License-Identifier: GPL-2.0-or-later
// For page.js: the checks of a page that has a choice of events.
'use strict';
const assert = require('node:assert/strict');

/** @param column, text, address as in page.js. */
module.exports = ({ column, text, address }) => ({
	/** A profile of three events: choosing one, the address of the choice, and going back. */
	async events(page) {
		const event = page.getByRole('combobox', { name: 'Event' });

		page.tried = true; /* because each choice reloads the page */
		assert.deepEqual(await event.locator('option').allTextContents(), ['page-faults', 'context-switches', 'cycles']);
		assert.deepEqual(await column(page, 1), ['900', '100']);
		await event.selectOption('context-switches');
		await page.locator('#table-now', { hasText: '50 context-switches' }).waitFor();
		assert.deepEqual(await column(page, 1), ['41', '9']);
		assert.deepEqual(await column(page, 4), ['wait', 'grow']);
		assert.equal(await text(page, '#chart-now'), '/opt/bin/load: 50 context-switches, 100.00 %');
		assert.equal(await event.inputValue(), 'context-switches');
		assert.equal(page.url(), `${address}#event=context-switches`);
		await page.goBack();
		await page.locator('#table-now', { hasText: '1,000 samples' }).waitFor();
		assert.equal(await event.inputValue(), 'page-faults');
		assert.deepEqual(await column(page, 4), ['touch', 'grow']);
	},

	/** The page of a comparison of three events: each with its own shares, marks and colours. */
	async compared_events(page) {
		const event = page.getByRole('combobox', { name: 'Event' });

		page.tried = true;
		assert.deepEqual(await event.locator('option').allTextContents(), ['page-faults', 'context-switches', 'cycles']);
		assert.equal(await event.inputValue(), 'page-faults');
		assert.deepEqual(await column(page, 4), ['touch', 'grow']);
		assert.deepEqual(await column(page, 3), ['+0.00', '+0.00']);
		await event.selectOption('context-switches');
		await page.locator('#table-now', { hasText: '55 context-switches' }).waitFor();
		assert.deepEqual(await column(page, 4), ['wait', 'grow']);
		assert.deepEqual(await column(page, 1), ['82.00', '18.00']);
		assert.deepEqual(await column(page, 2), ['16.36', '83.64']);
		assert.deepEqual(await column(page, 3), ['−65.64*', '+65.64*']);
		assert.match(await text(page, '#facts'), /compared withold.pb.gz: 50 context-switches in 1.50 s/);
		assert.equal(await text(page, '#legend span >> nth=0'), 'a larger share of context-switches than before');
		await page.locator('#chart').focus();
		await page.keyboard.press('ArrowRight');
		assert.equal(
			await text(page, '#chart-now'),
			'/opt/bin/load › grow: 46 context-switches, 83.64 % (before 18.00 %: +65.64*)',
		);
		assert.match(await text(page, '#notes'), /corrected for 2 rows/);
		await event.selectOption('cycles');
		await page.locator('#table-now', { hasText: '4,000,000 cycles' }).waitFor();
		/* 4,000,000 cycles are four samples. */
		assert.deepEqual(await column(page, 3), ['+25.00', '−16.67', '−8.33']);
	},

	/** --order cycles: the page begins with cycles; the menu keeps its order. */
	async ordered_events(page) {
		const event = page.getByRole('combobox', { name: 'Event' });

		page.tried = true;
		assert.deepEqual(await event.locator('option').allTextContents(), ['page-faults', 'context-switches', 'cycles']);
		assert.equal(await event.inputValue(), 'cycles');
		assert.deepEqual(await column(page, 4), ['grow', 'touch']);
		await event.selectOption('page-faults');
		await page.locator('#table-now', { hasText: '1,000 samples' }).waitFor();
		assert.deepEqual(await column(page, 4), ['touch', 'grow']);
		await page.goBack();
		await page.locator('#table-now', { hasText: '3,000,000 cycles' }).waitFor();
	},

	/** A page of one event, or of time, offers no choice. */
	async noevents(page) {
		assert.equal(await page.locator('#event').isVisible(), false);
		assert.notDeepEqual(await column(page, 1), []);
	},
});
