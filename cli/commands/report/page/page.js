// SPDX-License-Identifier: GPL-2.0-or-later
// Creates the parts of the page; a function chosen in one is shown in the others.

function showHead() {
	const facts = byId('facts');

	document.title = `${report.files} – profil`;
	byId('title').textContent = report.files;
	for (const [name, text] of report.facts) {
		const fact = element('div');

		fact.append(element('dt', '', name), element('dd', '', text));
		facts.append(fact);
	}
}

/** Lets the user choose an event; each choice reloads the page, so that the Back button works. */
function showEvents() {
	const select = byId('event');

	if (!events.length)
		return;
	byId('event-choice').hidden = false;
	for (const name of events)
		select.append(element('option', '', name));
	select.selectedIndex = shownEvent;
	select.addEventListener('change', () => {
		location.hash = new URLSearchParams({ event: events[select.selectedIndex] });
	});
	addEventListener('hashchange', () => location.reload());
}

/** Shows commands that compare this profile; a name that needs quoting becomes NEW.pb.gz. */
function showCompare() {
	const file = /^[\w./][\w./-]*$/.test(report.files) ? report.files : 'NEW.pb.gz';

	byId('compare').hidden = Boolean(report.base);
	byId('compare-command').textContent = `profil report --html change.html --base OLD.pb.gz ${file}`;
	byId('compare-replaced').textContent = `profil report --html change.html ${file} --base`;
}

/** The meaning of the colours in a comparison. */
function showLegend() {
	const what = events.length ? events[shownEvent] : 'the time';
	const meanings = [
		['more-2', `a larger share of ${what} than before`],
		['less-2', 'a smaller one'],
		['same', 'no difference, or one that chance explains'],
	];

	if (!report.base)
		return;
	for (const [color, meaning] of meanings) {
		const one = element('span', '', meaning);

		one.dataset.delta = color;
		byId('legend').append(one);
	}
}

function showFoot() {
	const notes = report.notes.map((note) => element('li', '', note));

	byId('account').textContent = report.accounting.join('\n') || 'The profile has no counts of ticks.';
	byId('notes').append(...(notes.length ? notes : [element('li', '', 'None: all samples and all rows are in this page.')]));
}

function start() {
	const parts = {};
	const open = (index) => {
		parts.source.show(index);
		parts.table.chooseFunction(index);
		parts.chart.chooseFunction(index);
		parts.map.choose(report.functions.object[index]);
	};

	showHead();
	showCompare();
	showEvents();
	showLegend();
	parts.table = new FlatTable(byId('table-scroll'), byId('table'), byId('filter'), byId('table-now'), open);
	performance.mark('profil-first-row');
	parts.theme = new Theme(byId('theme'));
	parts.source = new SourceView(byId('source'), { source: byId('view-source'), code: byId('view-code') }, byId('source-now'));
	parts.source.show(report.functions.name.length ? 0 : undefined);
	parts.chart = new Icicle(byId('chart'), parts.theme, byId('chart-now'), byId('trail'), (index) => {
		parts.source.show(index);
		parts.table.chooseFunction(index);
		parts.map.choose(report.functions.object[index]);
	});
	parts.map = new AddressMap(byId('map'), parts.theme, { object: byId('map-object'), now: byId('map-now'), scale: byId('map-scale') }, open);
	if (report.slices) {
		byId('time').hidden = false;
		parts.time = new TimeMap(byId('time-map'), parts.theme, { now: byId('time-now'), scale: byId('time-scale') }, open);
	}
	showFoot();
	document.addEventListener('keydown', (event) => {
		if (event.key === '/' && !['INPUT', 'SELECT'].includes(document.activeElement.tagName)) {
			event.preventDefault();
			byId('filter').focus();
		}
	});
	performance.mark('profil-ready');
}

start();
