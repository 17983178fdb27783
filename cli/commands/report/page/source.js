// SPDX-License-Identifier: GPL-2.0-or-later
// A function with the samples of each of its lines, or of its instructions.

/** A cell with a line's number that opens the line in an editor, if the file is known. */
function lineCell(number, path) {
	const cell = element('td', 'number place', path ? '' : number);

	if (path) {
		const link = element('a', '', number);

		link.href = `vscode://file${path.split('/').map(encodeURIComponent).join('/')}:${number}`;
		link.title = `${path}:${number} in the editor`;
		cell.append(link);
	}
	return cell;
}

/** A row of a listing: place, samples, percent of the function, text. */
function listingRow(place, count, all, text, path = '') {
	const row = element('tr');
	const some = count === '"' || Number(count) > 0;

	row.append(
		lineCell(place, path),
		element('td', 'number', some ? (count === '"' ? count : grouped(count)) : ''),
		element('td', 'number', some && count !== '"' ? percentText(count, all) : ''),
		element('td', 'text', text),
	);
	if (some && count !== '"')
		row.dataset.heat = heatOf(percentOf(count, all));
	return row;
}

function gapRow(text) {
	const row = element('tr', 'gap');
	const cell = element('td', 'text', text);

	row.append(element('td'), element('td'), element('td'), cell);
	return row;
}

/** "… 12 more lines", and the samples on them if there are any. */
function restText([number, samples], noun) {
	return `… ${counted(number, `more ${noun}`)}${Number(samples) ? `, of ${amountText(samples)}` : ''}`;
}

function listing(caption, place, what, rows) {
	const table = element('table', 'listing');
	const head = element('tr');

	for (const [title, className] of [[place, 'number place'], [report.unit, 'number'], ['%', 'number'], [what, 'text']]) {
		const cell = element('th', className, title);

		cell.scope = 'col';
		head.append(cell);
	}
	table.append(element('caption', '', caption), element('thead'), element('tbody'));
	table.tHead.append(head);
	table.tBodies[0].append(...rows);
	return table;
}

/** True if lines with text have more than half of the samples: the source is often missing. */
function hasText({ files }) {
	const lines = files.flatMap((file) => file.lines);
	const samples = (some) => some.reduce((sum, [, count]) => sum + Number(count), 0);

	return samples(lines.filter(([, , text]) => text)) * 2 > samples(lines);
}

class SourceView {
	constructor(panel, views, now) {
		Object.assign(this, { panel, views, now });
		this.annotated = new Map(report.sources.map((one) => [one.function, one]));
		this.showsCode = false;
		views.source.addEventListener('click', () => this.choose(false));
		views.code.addEventListener('click', () => this.choose(true));
	}

	choose(showsCode) {
		this.showsCode = showsCode;
		this.show(this.index, showsCode);
	}

	/** @param wantsCode by default the user's last choice, or true if there is no text. */
	show(index, wantsCode) {
		const one = this.annotated.get(index);
		const parts = [];

		this.index = index;
		if (index === undefined) {
			this.panel.replaceChildren(element('p', 'note', 'There are no samples.'));
			return;
		}
		this.all = Number(report.functions.samples[index]);
		/* Without lines or without instructions, there is nothing to choose. */
		this.views.source.disabled = Boolean(one) && !one.files.length;
		this.views.code.disabled = !one || (!one.parts.length && !one.strays.length);

		const wanted = wantsCode ?? (this.showsCode || !one || !hasText(one));
		const code = this.views.code.disabled ? false : this.views.source.disabled ? true : wanted;

		this.views.source.setAttribute('aria-pressed', String(!code));
		this.views.code.setAttribute('aria-pressed', String(code));
		parts.push(this.nameOf(index), this.heading(index, one));
		if (one)
			parts.push(...(code ? this.codeOf(one) : this.sourceOf(one)));
		else
			parts.push(...this.linesOf(index));
		this.panel.replaceChildren(...parts);
		this.now.textContent = code ? 'A sample is shown at the instruction that was about to run.' : '';
		this.scrollToHottest();
	}

	/** The name, which stays in view while the rest scrolls. */
	nameOf(index) {
		const name = element('h3', '', functionName(index));

		name.id = 'source-name';
		name.title = functionName(index);
		return name;
	}

	heading(index, one) {
		const heading = element('div', 'function-head');
		const object = report.functions.object[index];
		const where = element('p', 'where', objectPath(object));

		where.dataset.color = objectColor(object);
		if (one?.start)
			where.append(`, ${one.start}`);
		heading.append(where);
		if (one?.full_name)
			heading.append(element('p', 'note', one.full_name));
		heading.append(element('p', '', shareText(report.functions.samples[index])));
		for (const note of one?.notes ?? [])
			heading.append(element('p', 'note', note));
		if (!one)
			heading.append(element('p', 'note', 'Its source is not in this page: profil annotate shows it.'));
		return heading;
	}

	/** A listing for each file that has lines. */
	sourceOf(one) {
		const parts = [];

		for (const file of one.files) {
			const rows = [];
			let last = 0;

			for (const [number, samples, text] of file.lines) {
				if (last && number !== last + 1)
					rows.push(gapRow('…'));
				rows.push(listingRow(number, samples, this.all, text, file.path.startsWith('/') ? file.path : ''));
				last = number;
			}
			if (file.rest[0])
				rows.push(gapRow(restText(file.rest, 'line')));
			if (file.problem)
				parts.push(element('p', 'note', file.problem));
			parts.push(listing(file.name, 'line', 'source', rows));
		}
		if (Number(one.of_no_line))
			parts.push(element('p', 'note', `On unknown lines: ${amountText(one.of_no_line)}.`));
		return parts;
	}

	codeOf(one) {
		const parts = one.parts.map((part) => {
			const caption = part.loop
				? `hottest loop, marked, ${part.loop.from} to ${part.loop.to}: ${amountText(part.loop.samples)}`
				: `code: ${amountText(part.samples)}`;

			return listing(caption, 'address', 'instruction', this.codeRows(part.instructions));
		});

		if (one.strays.length)
			parts.push(listing('as recorded, by address', 'address', 'line', this.strayRows(one.strays)));
		return parts;
	}

	codeRows(instructions) {
		const rows = [];
		let last = '';

		for (const instruction of instructions) {
			if (instruction.length === 2) {
				rows.push(gapRow(restText(instruction, 'instruction')));
				continue;
			}

			const [address, samples, text, place, isInLoop] = instruction;

			if (place && place !== last)
				rows.push(gapRow(place));
			last = place;
			rows.push(listingRow(address, samples, this.all, text));
			rows.at(-1).classList.toggle('loop', Boolean(isInLoop));
		}
		return rows;
	}

	strayRows(strays) {
		return strays.map((stray) =>
			stray.length === 2
				? gapRow(restText(stray, 'address'))
				: listingRow(stray[0], stray[1], this.all, stray[2]),
		);
	}

	/** The lines with samples of a function that is not annotated. */
	linesOf(index) {
		const { function: owners, file, line, samples } = report.lines;
		const first = owners.indexOf(index);
		const rows = [];

		for (let i = first; i >= 0 && owners[i] === index; i++)
			rows.push(listingRow(line[i], samples[i], this.all, baseName(string(file[i]))));
		return rows.length ? [listing('lines with samples', 'line', 'file', rows)] : [];
	}

	/** Scroll the hottest row to the middle of the view. */
	scrollToHottest() {
		let hottest = null;

		this.panel.scrollTop = 0;
		for (const row of this.panel.querySelectorAll('tr[data-heat]')) {
			if (!hottest || Number(row.dataset.heat) > Number(hottest.dataset.heat))
				hottest = row;
		}
		if (hottest) {
			const below = hottest.getBoundingClientRect().bottom - this.panel.getBoundingClientRect().bottom;

			if (below > 0)
				this.panel.scrollTop = below + this.panel.clientHeight / 2;
		}
	}
}
