// SPDX-License-Identifier: GPL-2.0-or-later
// For page.js: the checks of pages of profiles that have no source, or are flat.
'use strict';
const assert = require('node:assert/strict');
const { colors } = require('./page_colors.js');

/** The colour of a point of a canvas; x and y are from 0 to 1. */
async function pixel(page, id, x, y) {
	/* The tests themselves read the canvas. */
	page.expected = /willReadFrequently/;
	return page.evaluate(([name, across, down]) => {
		const canvas = document.getElementById(name);
		const { data } = canvas.getContext('2d').getImageData(canvas.width * across, canvas.height * down, 1, 1);

		return `rgb(${[...data.slice(0, 3)].join(', ')})`;
	}, [id, x, y]);
}

/** @param text as in page.js. */
module.exports = ({ text }) => ({
	/** Each row has the strongest colour, even if it has few samples. */
	async time_colors(page) {
		const shades = await colors(page, ['map-0', 'map-1', 'map-2', 'map-3', 'map-4', 'map-5']);
		const left = Math.min(Math.round(1248 * 0.3), 260) / 1248;
		const row = async (number) => {
			const at = (column) => pixel(page, 'time-map', left + (1 - left) * ((column + 0.5) / 3), (number + 0.5) / 6);

			return [await at(0), await at(1), await at(2)].map((color) => shades.indexOf(color));
		};

		assert.equal(await page.locator('#time-map').evaluate((map) => map.clientWidth), 1248);
		assert.deepEqual(await row(0), [5, 3, 5]);
		assert.deepEqual(await row(1), [4, 0, 5]);
		assert.deepEqual(await row(2), [0, 5, 0]);
		assert.deepEqual(await row(3), [5, 0, 0]);
	},

	/** A function whose lines have no text: instructions come first, lines on request. */
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

	/**
	 * 5,000 functions with few samples each: the first ones have names, and the others can be
	 * opened.
	 */
	async flat(page) {
		const box = await page.locator('#chart').boundingBox();
		const place = (x, y) => [box.x + box.width * x, box.y + box.height * y];
		const told = async (x, y) => {
			await page.mouse.move(...place(x, y));
			return text(page, '#chart-now');
		};
		const trail = async () => page.locator('#trail button').allTextContents();

		assert.equal(await told(0.9, 0.02), '/opt/bin/program › function_0000: 2 samples, 0.04 %');
		assert.equal(await told(0.9, 0.08), '/opt/bin/program › function_0001: 2 samples, 0.04 %');

		const [, more, share] = /› ([\d,]+) more functions: [\d,]+ samples, ([\d.]+) %, drawn smaller than its share$/.exec(await told(0.9, 0.97));
		const first = 5000 - Number(more.replace(',', ''));

		assert.ok(first > 10 && Number(share) > 99);
		await page.mouse.click(...place(0.9, 0.97));
		assert.deepEqual(await trail(), ['all', 'program', `${more} more functions`]);
		assert.equal(await told(0.9, 0.02), `/opt/bin/program › function_${String(first).padStart(4, 0)}: 2 samples, 0.04 %`);
		await page.mouse.click(...place(0.9, 0.97));
		assert.equal(await told(0.9, 0.02), `/opt/bin/program › function_${String(2 * first).padStart(4, 0)}: 2 samples, 0.04 %`);
		assert.equal((await trail()).length, 3);
		await page.keyboard.press('Escape');
		assert.deepEqual(await trail(), ['all', 'program']);
		assert.equal(await told(0.9, 0.02), '/opt/bin/program › function_0000: 2 samples, 0.04 %');
		await page.keyboard.press('End');
		await page.keyboard.press('ArrowUp');
		await page.keyboard.press('Enter');
		assert.deepEqual(await trail(), ['all', 'program', '2 more functions']);
		assert.equal(await told(0.9, 0.9), '/opt/bin/program › function_4999: 1 sample, 0.02 %');
		await page.keyboard.press('Enter');
		assert.deepEqual(await trail(), ['all', 'program', 'function_4998']);
		assert.equal(await text(page, '#source-name'), 'function_4998');
	},

	/** The small functions' bar is torn, so three functions have space for names, not two. */
	async tail(page) {
		const box = await page.locator('#chart').boundingBox();
		const told = async (y) => {
			await page.mouse.move(box.x + box.width * 0.9, box.y + box.height * y);
			return text(page, '#chart-now');
		};

		assert.match(await told(0.2), /› function_0000: 600 samples/);
		assert.match(await told(0.6), /› function_0001: 400 samples/);
		assert.match(await told(0.82), /› function_0002: 97 samples/);
		assert.match(await told(0.95), /› 6,900 more functions: 6,900 samples, [\d.]+ %, drawn smaller than its share$/);
	},

	/** The page says how to compare its profile, with commands that can be run as they are. */
	async comparable(page) {
		const command = page.locator('#compare-command');

		assert.equal(await command.isVisible(), false);
		await page.getByText('Compare with an earlier profile').focus();
		await page.keyboard.press('Enter');
		assert.equal(await command.isVisible(), true);
		await page.setViewportSize({ width: 400, height: 800 });
		assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 400);
		console.log(await command.textContent());
		console.log(await text(page, '#compare-replaced'));
	},

	/** A comparison does not say how to make one. */
	async compared(page) {
		assert.equal(await page.locator('#compare').isVisible(), false);
	},
});
