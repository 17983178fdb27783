// SPDX-License-Identifier: GPL-2.0-or-later
// Usage: node page.js NODE_MODULES CHECK PAGE [ARGUMENT...]
//
// Open PAGE, written by profil report --html, in Debian's Chromium, do what a
// user would do, and print what is wrong.  CHECK is the name of a check below.
'use strict';
const assert = require('node:assert/strict');
const [modules, check, page_file, ...rest] = process.argv.slice(2);
const { chromium } = require(modules + '/playwright-core');
const { luminance, colors, checkContrast } = require('./page_colors.js');
const address = 'file://' + require('node:path').resolve(page_file);

/** The texts of a column in the visible rows, from the top. */
async function column(page, number) {
	return page.locator(`#table tbody tr[id] td:nth-child(${number})`).allTextContents();
}

async function text(page, selector) {
	return page.locator(selector).textContent();
}

/** The active row of the table, as a screen reader would find it. */
async function active(page) {
	const id = await page.locator('#table').getAttribute('aria-activedescendant');

	return id && (await page.locator(`#${id}`).getAttribute('aria-selected')) === 'true'
		? page.locator(`#${id} td`).allTextContents()
		: null;
}

const checks = {
	...require('./page_events.js')({ column, text, address }),
	...require('./page_profiles.js')({ text }),

	/** The page of the tests' sample profile, before a user does anything. */
	async content(page) {
		assert.equal(await page.title(), 'sample.pb.gz – profil');
		assert.equal(
			(await page.locator('#facts div').allTextContents()).join('; '),
			'ofprogram (pid 4711); begun2026-09-21 14:13:20 UTC; for1.50 s; rate999 Hz; samples1,000; lost5 of 1,050 ticks (0.48 %)',
		);
		assert.deepEqual(await column(page, 1), ['700', '200', '60', '40']);
		assert.deepEqual(await column(page, 3), ['70.00', '90.00', '96.00', '100.00']);
		assert.deepEqual(await column(page, 4), ['main', 'memcpy', 'libc.so.6+0x99990', '0x7fff12345678']);
		assert.equal(await text(page, '#table-now'), '4 rows: 1,000 samples, 100.00 %');
		assert.equal(await text(page, '#chart-now'), '/opt/bin/program: 700 samples, 70.00 %');
		assert.equal(await text(page, '#map-now'), '0x401110 to 0x401120: 700 samples, 70.00 %, most in main');
		assert.match(await text(page, '#account'), /^1,050 {2}100.00 % {2}ticks of the clock\n1,000 .*\n.*\n {4}5 {4}0.48 % {2}lost: the clock was late$/);
	},

	/** Sorting by clicks and by keys; the header shows the order. */
	async sort(page) {
		const name = page.getByRole('button', { name: 'function', exact: true });
		const samples = page.getByRole('button', { name: 'samples', exact: true });
		const sorted = async (title) => page.getByRole('grid').getByRole('columnheader', { name: title, exact: true }).getAttribute('aria-sort');

		assert.equal(await sorted('samples'), 'descending');
		await name.click();
		assert.deepEqual(await column(page, 4), ['0x7fff12345678', 'libc.so.6+0x99990', 'main', 'memcpy']);
		assert.deepEqual(await column(page, 3), ['4.00', '10.00', '80.00', '100.00']);
		assert.equal(await sorted('function'), 'ascending');
		await name.press('Enter');
		assert.deepEqual(await column(page, 4), ['memcpy', 'main', 'libc.so.6+0x99990', '0x7fff12345678']);
		await samples.press('Space');
		assert.deepEqual(await column(page, 1), ['700', '200', '60', '40']);
		await samples.press('Space');
		assert.deepEqual(await column(page, 1), ['40', '60', '200', '700']);
		assert.equal(await sorted('function'), 'none');
	},

	async filter(page) {
		await page.keyboard.press('/');
		assert.equal(await page.evaluate(() => document.activeElement.id), 'filter');
		await page.keyboard.type('LIBC mem');
		assert.deepEqual(await column(page, 4), ['memcpy']);
		assert.equal(await text(page, '#table-now'), '1 of 4 rows: 200 samples, 20.00 %');
		await page.keyboard.press('Escape');
		assert.deepEqual(await column(page, 1), ['700', '200', '60', '40']);
		await page.keyboard.type('nothing at all');
		assert.deepEqual(await column(page, 1), []);
		assert.equal(await text(page, '#table-now'), '0 of 4 rows: 0 samples, 0.00 %');
	},

	/** Keys move along the rows of the table; every part of the page shows the row that Enter opens. */
	async rows(page) {
		await page.locator('#table').focus();
		await page.keyboard.press('ArrowDown');
		assert.equal((await active(page))[3], 'main');
		await page.keyboard.press('ArrowDown');
		assert.equal((await active(page))[3], 'memcpy');
		await page.keyboard.press('Enter');
		assert.equal(await text(page, '#source-name'), 'memcpy');
		assert.equal(await text(page, '#chart-now'), '/usr/lib/libc.so.6 › memcpy: 200 samples, 20.00 %');
		assert.equal(await page.locator('#map-object').inputValue(), '1');
		await page.keyboard.press('End');
		assert.equal((await active(page))[3], '0x7fff12345678');
		await page.keyboard.press('ArrowDown');
		assert.equal((await active(page))[3], '0x7fff12345678');
		await page.keyboard.press('Home');
		assert.equal((await active(page))[3], 'main');
	},

	/** The chart by keys: into a function's lines, and out again. */
	async zoom(page) {
		const trail = async () => page.locator('#trail button').allTextContents();

		await page.locator('#chart').focus();
		await page.keyboard.press('ArrowDown');
		assert.equal(await text(page, '#chart-now'), '/usr/lib/libc.so.6: 260 samples, 26.00 %');
		await page.keyboard.press('ArrowUp');
		await page.keyboard.press('ArrowRight');
		assert.equal(await text(page, '#chart-now'), '/opt/bin/program › main: 700 samples, 70.00 %');
		await page.keyboard.press('Enter');
		assert.deepEqual(await trail(), ['all', 'program', 'main']);
		assert.equal(await text(page, '#source-name'), 'main');
		await page.keyboard.press('ArrowRight');
		assert.equal(await text(page, '#chart-now'), '/opt/bin/program › main › work.cpp:10: 700 samples, 70.00 %');
		await page.keyboard.press('Escape');
		assert.deepEqual(await trail(), ['all', 'program']);
		await page.keyboard.press('Backspace');
		assert.deepEqual(await trail(), ['all']);
		await page.keyboard.press('Escape');
		assert.deepEqual(await trail(), ['all']);
	},

	/** The chart by clicks: the zoomed part fills all of it. */
	async click(page) {
		const box = await page.locator('#chart').boundingBox();
		const at = async (x, y) => page.mouse.click(box.x + box.width * x, box.y + box.height * y);

		await at(0.4, 0.8);
		assert.equal(await text(page, '#chart-now'), '/usr/lib/libc.so.6 › memcpy: 200 samples, 20.00 %');
		assert.equal(await text(page, '#source-name'), 'memcpy');
		await at(0.4, 0.1);
		assert.deepEqual(await page.locator('#trail button').allTextContents(), ['all', 'libc.so.6']);
		await page.locator('#trail button').first().click();
		assert.equal(await page.evaluate(() => document.activeElement.id), 'chart');
		await at(0.1, 0.1);
		assert.deepEqual(await page.locator('#trail button').allTextContents(), ['all', 'program']);
	},

	async map(page) {
		await page.locator('#map-object').selectOption({ label: '/usr/lib/libc.so.6' });
		assert.match(await text(page, '#map-now'), /: 200 samples, 20.00 %, most in memcpy$/);
		await page.locator('#map').focus();
		await page.keyboard.press('ArrowDown');
		assert.match(await text(page, '#map-now'), /: 60 samples, 6.00 %, most in libc.so.6\+0x99990$/);
		await page.keyboard.press('Enter');
		assert.equal(await text(page, '#source-name'), 'libc.so.6+0x99990');
		await page.keyboard.press('Home');
		assert.match(await text(page, '#map-now'), /^0x30000 to 0x30100: 200/);
	},

	/** The theme is the system's until the button is pressed, and is legible. */
	async theme(page) {
		const background = async () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
		const button = page.getByRole('button', { name: 'Dark theme' });
		const pixel = async () =>
			page.evaluate(() => [...document.getElementById('chart').getContext('2d').getImageData(3, 3, 1, 1).data].join());

		/* This test itself reads the canvas. */
		page.expected = /willReadFrequently/;
		await page.emulateMedia({ colorScheme: 'light' });
		const light = [await background(), await pixel()];

		await checkContrast(page);
		assert.equal(await button.getAttribute('aria-pressed'), 'false');
		await page.emulateMedia({ colorScheme: 'dark' });
		await page.locator('#theme[aria-pressed="true"]').waitFor();
		const dark = [await background(), await pixel()];

		await checkContrast(page);
		assert.ok(luminance(light[0]) > 0.8 && luminance(dark[0]) < 0.05);
		assert.notEqual(light[1], dark[1]);
		await button.press('Enter');
		assert.deepEqual([await background(), await pixel()], light);
		assert.equal(await button.getAttribute('aria-pressed'), 'false');
		await button.click();
		assert.deepEqual([await background(), await pixel()], dark);
	},

	/** Everything that the keyboard can focus has a name and a ring around it. */
	async keyboard(page) {
		const seen = new Set();

		for (let i = 0; i < 40; i++) {
			await page.keyboard.press('Tab');
			const found = await page.evaluate(() => {
				const one = document.activeElement;
				const { outlineStyle: ring, outlineWidth: width } = getComputedStyle(one.matches('#table') ? one.parentElement : one);

				return one === document.body ? null : { name: one.id || one.textContent, ring, width };
			});

			if (found) {
				assert.ok(found.ring === 'solid' && parseFloat(found.width) >= 2, `${found.name} has no ring`);
				seen.add(found.name);
			}
		}
		for (const id of ['theme', 'Compare with an earlier profile', 'chart', 'filter', 'samples', 'table', 'view-source', 'source', 'map-object', 'map'])
			assert.ok(seen.has(id), `Tab does not get to ${id}`);
		assert.ok(await page.getByRole('grid', { name: 'Flat profile' }).isVisible());
		assert.ok(await page.getByRole('searchbox', { name: 'Filter' }).isVisible());
		assert.ok(await page.getByRole('combobox', { name: 'of' }).isVisible());
		assert.ok(await page.getByRole('application', { name: 'Chart of objects' }).isVisible());
	},

	/** The page cannot fetch anything, even if a script in it tried to. */
	async network(page) {
		const refused = await page.evaluate(async () => {
			const kinds = [];
			const all = new Promise((done) => {
				document.addEventListener('securitypolicyviolation', (event) => {
					if (kinds.push(event.effectiveDirective) === 5)
						done();
				});
			});

			await fetch('http://127.0.0.1:9/').catch(() => {});
			for (const [tag, attribute] of [['img', 'src'], ['script', 'src'], ['iframe', 'src']]) {
				const one = document.createElement(tag);

				one[attribute] = 'http://127.0.0.1:9/';
				document.body.append(one);
			}
			const inline = document.createElement('script');

			inline.textContent = 'window.ran = true';
			document.body.append(inline);
			await Promise.race([all, new Promise((done) => setTimeout(done, 30000))]);
			return { kinds: kinds.sort(), ran: window.ran === true };
		});

		assert.deepEqual(refused, {
			kinds: ['connect-src', 'frame-src', 'img-src', 'script-src-elem', 'script-src-elem'],
			ran: false,
		});
		page.tried = true;
		page.expected = /Content Security Policy/;
	},

	/** Names are text, whatever is in them. */
	async hostile(page) {
		assert.equal(await page.evaluate(() => window.ran), undefined);
		assert.equal(await page.locator('body img, body b').count(), 0);
		assert.equal((await column(page, 4))[0], '</script><script>window.ran = 1</script>');
		assert.equal((await column(page, 4))[1], '<!--<script><img src=x onerror="window.ran = 1">');
		await page.locator('#table').focus();
		for (let i = 0; i < 4; i++) {
			await page.keyboard.press('ArrowDown');
			await page.keyboard.press('Enter');
			assert.equal(await page.locator('body img, body b, #source script').count(), 0);
		}
		assert.equal(await page.evaluate(() => window.ran), undefined);
	},

	/** The functions by time, by keys and clicks. */
	async time(page) {
		const now = () => text(page, '#time-now');

		assert.equal(await page.locator('#time').isVisible(), true);
		assert.equal(await now(), '0 s to 0.50 s, main: 300 of 400 samples, 75.00 %');
		await page.locator('#time-map').focus();
		await page.keyboard.press('ArrowDown');
		assert.equal(await now(), '0 s to 0.50 s, memcpy: 0 of 400 samples, 0.00 %');
		await page.keyboard.press('ArrowRight');
		assert.equal(await now(), '0.50 s to 1 s, memcpy: 200 of 200 samples, 100.00 %');
		await page.keyboard.press('Enter');
		assert.equal(await text(page, '#source-name'), 'memcpy');
		await page.keyboard.press('Home');
		await page.keyboard.press('ArrowUp');
		await page.keyboard.press('ArrowUp');
		assert.equal(await now(), '0 s to 0.50 s, all functions: 400 samples');
		const box = await page.locator('#time-map').boundingBox();
		await page.mouse.click(box.x + box.width - 10, box.y + 27);
		assert.equal(await now(), '1 s to 1.50 s, main: 400 of 400 samples, 100.00 %');
		assert.equal(await text(page, '#source-name'), 'main');
	},

	/** A comparison: main has grown, memcpy has shrunk, and chance explains the rest. */
	async compare(page) {
		const pixel = async (part) =>
			page.evaluate((at) => {
				const chart = document.getElementById('chart');
				const context = chart.getContext('2d');

				return `rgb(${[...context.getImageData(chart.width * 0.3, chart.height * at, 1, 1).data.slice(0, 3)].join(', ')})`;
			}, part);

		page.expected = /willReadFrequently/;
		assert.match(await text(page, '#facts'), /compared withold.pb.gz: 1,000 samples at 999 Hz in 1.50 s/);
		assert.deepEqual(await column(page, 4), ['main', 'memcpy', 'left', 'libc.so.6+0x99990', '0x7fff12345678']);
		assert.deepEqual(await column(page, 1), ['40.00', '47.50', '2.50', '6.00', '4.00']);
		assert.deepEqual(await column(page, 2), ['70.00', '20.00', 'gone', '6.00', '4.00']);
		assert.deepEqual(await column(page, 3), ['+30.00*', '−27.50*', '−2.50*', '+0.00', '+0.00']);
		for (const [row, color] of [[1, 'more-3'], [2, 'less-3'], [3, 'less-2'], [4, 'same']])
			assert.equal(await page.locator(`#table tbody tr[id]:nth-of-type(${row + 1}) td.delta`).getAttribute('data-delta'), color);
		await page.locator('#chart').focus();
		await page.keyboard.press('ArrowRight');
		assert.equal(await text(page, '#chart-now'), '/opt/bin/program › main: 700 samples, 70.00 % (before 40.00 %: +30.00*)');
		const [more, less] = await colors(page, ['more-3', 'less-3']);
		assert.equal(await pixel(0.6), more);
		assert.equal(await pixel(0.85), less);
		assert.equal(await page.locator('#legend span').count(), 3);
		await page.locator('th button', { hasText: 'delta' }).click();
		assert.equal((await column(page, 4)).at(-1), 'main');
		assert.match(await text(page, '#account'), /before:\n1,050/);
	},

	/** Counts that are too large to be exact in a browser's numbers. */
	async huge(page) {
		assert.equal((await column(page, 1))[0], '9,223,372,036,854,775,807');
		await page.locator('#filter').fill('main');
		assert.equal(await text(page, '#table-now'), '1 of 4 rows: 9,223,372,036,854,775,807 samples, 100.00 %');
	},

	async empty(page) {
		assert.deepEqual(await column(page, 1), []);
		assert.equal(await text(page, '#table-now'), '0 rows: 0 samples, 0.00 %');
		assert.equal(await text(page, '#source'), 'There are no samples.');
		for (const id of ['chart', 'table', 'map']) {
			await page.locator(`#${id}`).focus();
			for (const key of ['ArrowDown', 'ArrowRight', 'ArrowLeft', 'Enter', 'Escape', 'End'])
				await page.keyboard.press(key);
		}
	},

	/** A function with its source and instructions. */
	async source(page) {
		const hot = page.locator('#source tr[data-heat="4"] .text').first();

		assert.equal(await text(page, '#source-name'), rest[0]);
		assert.match(await hot.textContent(), new RegExp(rest[1]));

		const link = page.locator('#source tr[data-heat="4"] a').first();

		assert.match(await link.getAttribute('href'), /^vscode:\/\/file\/.*\.cpp:\d+$/);
		assert.equal(await link.textContent(), (await link.getAttribute('href')).split(':').at(-1));
		await page.getByRole('button', { name: 'Instructions' }).click();
		assert.match(await text(page, '#source .loop .text >> nth=0'), /^[a-z]/);
		assert.ok((await page.locator('#source .loop').count()) > 2);
		assert.equal(await page.getByRole('button', { name: 'Instructions' }).getAttribute('aria-pressed'), 'true');
	},

	/** Prints the times for a benchmark. */
	async opened(page) {
		const [row, ready] = await page.evaluate(() =>
			['profil-first-row', 'profil-ready'].map((name) => performance.getEntriesByName(name)[0].startTime),
		);

		console.log(`${(row / 1000).toFixed(2)} ${(ready / 1000).toFixed(2)}`);
	},

	/** 50,000 functions: few are in the document at a time, and all can be reached. */
	async many(page) {
		const times = await page.evaluate(() => ({
			row: performance.getEntriesByName('profil-first-row')[0].startTime,
			ready: performance.getEntriesByName('profil-ready')[0].startTime,
		}));
		const rows = async () => page.locator('#table tbody tr[id]').count();

		assert.ok((await rows()) < 100);
		assert.equal(await page.locator('#table').getAttribute('aria-rowcount'), '50001');
		await page.locator('#table').focus();
		await page.keyboard.press('End');
		assert.equal(await page.locator('#table tr[aria-selected="true"]').getAttribute('aria-rowindex'), '50001');
		assert.ok(await page.locator('#table tr[aria-selected="true"]').isVisible());
		assert.ok((await rows()) < 100);
		await page.getByRole('button', { name: 'function', exact: true }).click();
		await page.locator('#filter').fill('method_number_49999');
		assert.equal(await rows(), 1);
		await page.locator('#chart').focus();
		await page.keyboard.press('ArrowRight');
		await page.keyboard.press('End');
		assert.match(await text(page, '#chart-now'), /method_number_/);
		console.error(`figure: ${times.row.toFixed(0)} ms to the first row of 50,000, ${times.ready.toFixed(0)} ms to all of the page`);
	},

	/** Nothing is wider than a telephone. */
	async narrow(page) {
		await page.setViewportSize({ width: 400, height: 800 });
		assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 400);
		assert.deepEqual(await column(page, 4), ['main', 'memcpy', 'libc.so.6+0x99990', '0x7fff12345678']);
	},

	/** words FILE [write]: the page has the headings, columns, keys and buttons that FILE has. */
	async words(page) {
		const [file, write] = rest;
		const words = await page.evaluate(() => {
			const all = [...document.querySelectorAll('dt, summary, h2, h3, button:not(th *), label:not(:has(select)), th, .keys, #legend')];

			return all.filter((one) => one.checkVisibility() && !one.closest('#source, #trail'))
				.map((one) => one.innerText.trim().replaceAll(/\s+/g, ' ').replaceAll(/[\d.,]*\d/g, 'N') + '\n').join('');
		});

		if (write)
			require('node:fs').writeFileSync(file, words);
		else
			assert.equal(words, require('node:fs').readFileSync(file, 'utf8'));
	},

	/** screenshot PNG THEME WIDTH HEIGHT [full|SELECTOR]: for Documentation, and to look at. */
	async screenshot(page) {
		const [png, scheme, width, height, part] = rest;

		await page.emulateMedia({ colorScheme: scheme });
		await page.setViewportSize({ width: Number(width), height: Number(height) });
		await page.waitForTimeout(300);
		if (part && part !== 'full')
			await page.locator(part).screenshot({ path: png });
		else
			await page.screenshot({ path: png, fullPage: part === 'full' });
	},
};

(async () => {
	/* The tests may run as root, where Chromium has no sandbox; the page can be trusted. */
	const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
	const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
	const wrong = [];
	const requests = [];

	page.on('console', (message) => ['error', 'warning'].includes(message.type()) && wrong.push(message.text()));
	page.on('pageerror', (error) => wrong.push(error.message));
	page.on('request', (request) => requests.push(request.url()));
	try {
		await page.goto(address);
		await checks[check](page);
		assert.deepEqual(wrong.filter((one) => !page.expected?.test(one)), []);
		if (!page.tried)
			assert.deepEqual(requests, [address]);
	} finally {
		await browser.close();
	}
})().catch((error) => {
	console.log(error.message);
	process.exit(1);
});
