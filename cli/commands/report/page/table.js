// SPDX-License-Identifier: GPL-2.0-or-later
// The flat profile: sorted and filtered; only the visible rows are in the document.

/* Extra rows beyond both ends of the view, for scrolling. */
const spareRows = 8;
/* A unit with more characters than this, such as the name of an event, gets a wider column. */
const longUnit = 10;

/** Maps the indices of strings to ranks; digits in strings are compared as numbers. */
function ranksOf(indices) {
	const order = new Intl.Collator('en', { numeric: true });
	const ranks = new Map();
	const sorted = [...new Set(indices)].sort((a, b) => order.compare(string(a), string(b)));

	sorted.forEach((index, rank) => ranks.set(index, rank));
	return ranks;
}

class FlatTable {
	/** @param open is called with the index of the function in the row that the user chose. */
	constructor(scroll, table, filter, now, open) {
		Object.assign(this, { scroll, table, filter, now, open });
		this.data = report.table;
		this.body = table.tBodies[0];
		this.before = element('tr', 'space');
		this.after = element('tr', 'space');
		this.rows = [];
		this.all = this.data.samples.map((count, index) => index);
		this.order = this.all;
		this.sorted = { column: -1, descending: true };
		this.chosen = -1;
		for (const space of [this.before, this.after])
			space.setAttribute('role', 'presentation');
		this.addHead();
		this.body.append(this.before, this.after);
		this.measure();
		this.arrange();
		scroll.addEventListener('scroll', () => this.show());
		new ResizeObserver(() => this.show()).observe(scroll);
		table.addEventListener('keydown', (event) => this.press(event));
		this.body.addEventListener('click', (event) => this.click(event));
		filter.addEventListener('input', () => this.arrange());
		filter.addEventListener('keydown', (event) => this.pressInFilter(event));
	}

	/** Column -1 has samples or differences, which sort the report; the others have names. */
	addHead() {
		const head = this.table.tHead.rows[0];
		const add = (title, className, column) => {
			const cell = element('th', className);

			cell.scope = 'col';
			cell.setAttribute('role', 'columnheader');
			if (column === null) {
				cell.textContent = title;
			} else {
				const button = element('button', '', title);

				button.type = 'button';
				button.addEventListener('click', () => this.sortBy(column));
				cell.dataset.column = column;
				cell.append(button);
			}
			head.append(cell);
		};

		if (report.base) {
			add('base %', 'number percent', null);
			add('new %', 'number percent', null);
			add('delta', 'number delta', -1);
		} else {
			add(report.unit, report.unit.length > longUnit ? 'number long' : 'number', -1);
			add('%', 'number percent', null);
			add('sum %', 'number cumulative', null);
		}
		this.data.columns.forEach(({ title }, column) => add(title, `name ${title}`, column));
	}

	/** Measure the height of a row, which is the same for all. */
	measure() {
		const probe = this.newRow();

		this.before.after(probe.row);
		this.rowHeight = probe.row.getBoundingClientRect().height || 24;
		probe.row.remove();
	}

	newRow() {
		const row = element('tr');
		const numbers = report.base
			? ['number percent', 'number percent', 'number delta']
			: ['number', 'number percent', 'number cumulative'];
		const cells = numbers.map((name) => element('td', name));

		for (const { title } of this.data.columns)
			cells.push(element('td', `name ${title}`));
		for (const cell of cells)
			cell.setAttribute('role', 'gridcell');
		row.setAttribute('role', 'row');
		row.append(...cells);
		return { row, cells };
	}

	sortBy(column) {
		const same = this.sorted.column === column;

		this.sorted = { column, descending: same ? !this.sorted.descending : column < 0 };
		this.arrange();
	}

	/** The comparison that sorts rows by a column; ties keep the report's order. */
	compareBy(column) {
		if (column < 0)
			return (a, b) => a - b;

		const { cells } = this.data.columns[column];

		this.data.columns[column].ranks ??= ranksOf(cells);

		const { ranks } = this.data.columns[column];

		return (a, b) => ranks.get(cells[a]) - ranks.get(cells[b]) || a - b;
	}

	/** The rows that contain all words of the filter. */
	filtered() {
		const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);

		if (!words.length)
			return this.all;
		this.lower ??= report.strings.map((text) => text.toLowerCase());
		return this.all.filter((row) =>
			words.every((word) => this.data.columns.some(({ cells }) => this.lower[cells[row]].includes(word))),
		);
	}

	arrange() {
		const { column, descending } = this.sorted;
		const order = this.filtered();

		/* The report is sorted like this: column -1, descending. */
		this.order = column < 0 && descending ? order : order.toSorted(this.compareBy(column));
		if (column < 0 ? !descending : descending)
			this.order.reverse();
		this.addUp();
		for (const cell of this.table.tHead.rows[0].cells) {
			if (cell.dataset.column !== undefined)
				cell.setAttribute('aria-sort', Number(cell.dataset.column) !== column ? 'none' : descending ? 'descending' : 'ascending');
		}
		this.table.setAttribute('aria-rowcount', this.order.length + 1);
		this.scroll.scrollTop = 0;
		this.tell();
		this.show();
	}

	/** Compute the cumulative percentages in the current order. */
	addUp() {
		let sum = 0;

		this.cumulative = new Float64Array(this.order.length);
		this.order.forEach((row, at) => {
			sum += Number(this.data.samples[row]);
			this.cumulative[at] = percentOf(sum);
		});
	}

	tell() {
		const rows = this.order.length;
		const share = shareText(exactSum(this.order.map((row) => this.data.samples[row])));

		this.now.textContent =
			rows === this.all.length
				? `${counted(rows, 'row')}: ${share}`
				: `${grouped(rows)} of ${counted(this.all.length, 'row')}: ${share}`;
	}

	/** Fill the visible rows. */
	show() {
		const seen = Math.ceil(this.scroll.clientHeight / this.rowHeight) + 2 * spareRows;
		const first = Math.max(Math.floor(this.scroll.scrollTop / this.rowHeight) - spareRows, 0);
		const last = Math.min(first + seen, this.order.length);

		while (this.rows.length < last - first) {
			this.rows.push(this.newRow());
			this.after.before(this.rows.at(-1).row);
		}
		while (this.rows.length > last - first)
			this.rows.pop().row.remove();
		this.before.style.height = `${first * this.rowHeight}px`;
		this.after.style.height = `${(this.order.length - last) * this.rowHeight}px`;
		this.rows.forEach((one, i) => this.fill(one, first + i));
		this.mark();
	}

	fill({ row, cells }, at) {
		const index = this.order[at];
		const count = this.data.samples[index];
		const names = this.data.columns.map((column) => string(column.cells[index]));
		const owner = report.functions.object[this.data.function[index]];

		row.id = `row-${at}`;
		row.setAttribute('aria-rowindex', at + 2);
		const numbers = report.base
			? this.compared(index, cells)
			: [grouped(count), percentText(count), this.cumulative[at].toFixed(2)];

		[...numbers, ...names].forEach((text, i) => {
			cells[i].textContent = text;
			cells[i].title = i > 2 ? text : '';
		});
		cells[1].style.setProperty('--share', `${percentOf(count)}%`);
		row.dataset.color = owner === undefined ? '' : objectColor(owner);
	}

	/** Texts of a row's shares before and now, and of their difference; colours its cell. */
	compared(index, cells) {
		const count = this.data.samples[index];
		const before = this.data.base[index];
		const sure = this.data.sure[index];
		const share = percentText(before, Number(report.base.samples));

		cells[2].dataset.delta = deltaColor(count, before, sure);
		return [Number(before) ? share : 'new', Number(count) ? percentText(count) : 'gone', deltaText(count, before, sure)];
	}

	/** Mark the chosen row, if it is visible. */
	mark() {
		const at = this.order.indexOf(this.chosen);
		const found = byId(`row-${at}`);

		for (const { row } of this.rows)
			row.setAttribute('aria-selected', row === found);
		if (found)
			this.table.setAttribute('aria-activedescendant', found.id);
		else
			this.table.removeAttribute('aria-activedescendant');
	}

	choose(at) {
		const top = at * this.rowHeight;
		const room = this.scroll.clientHeight - this.table.tHead.offsetHeight - this.rowHeight;

		this.chosen = this.order[at] ?? -1;
		if (top < this.scroll.scrollTop)
			this.scroll.scrollTop = top;
		else if (top > this.scroll.scrollTop + room)
			this.scroll.scrollTop = top - room;
		this.show();
	}

	/** Choose the first row of a function that was chosen in another part of the page. */
	chooseFunction(index) {
		if (this.chosen >= 0 && this.data.function[this.chosen] === index)
			return;

		const at = this.order.findIndex((row) => this.data.function[row] === index);

		if (at >= 0)
			this.choose(at);
	}

	openChosen() {
		const index = this.data.function[this.chosen];

		if (index >= 0 && index < report.functions.name.length)
			this.open(index);
	}

	press(event) {
		const page = Math.max(Math.floor(this.scroll.clientHeight / this.rowHeight) - 2, 1);
		const at = this.order.indexOf(this.chosen);
		const keys = {
			ArrowDown: at + 1,
			ArrowUp: at - 1,
			PageDown: at + page,
			PageUp: at - page,
			Home: 0,
			End: Infinity,
		};

		if (event.target !== this.table || event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key in keys)
			this.choose(Math.min(Math.max(keys[event.key], 0), this.order.length - 1));
		else if (event.key === 'Enter' || event.key === ' ')
			this.openChosen();
		else
			return;
		event.preventDefault();
	}

	pressInFilter(event) {
		if (event.key === 'Escape' && this.filter.value) {
			this.filter.value = '';
			this.arrange();
			event.preventDefault();
		} else if (event.key === 'ArrowDown' || event.key === 'Enter') {
			this.table.focus();
			this.choose(0);
			event.preventDefault();
		}
	}

	click(event) {
		const row = event.target.closest('tr[id]');

		if (!row)
			return;
		this.choose(Number(row.id.slice('row-'.length)));
		this.table.focus({ preventScroll: true });
		this.openChosen();
	}
}
