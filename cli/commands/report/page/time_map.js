// SPDX-License-Identifier: GPL-2.0-or-later
// The hottest functions by time: a row for each function, a column for each slice.

const timeRow = 18;
const timeColors = 5;

/** "12.0 s", "2:05 min" */
function timeText(ms) {
	if (ms < 120000)
		return `${(ms / 1000).toFixed(ms % 1000 ? 2 : 0)} s`;

	const seconds = Math.floor(ms / 1000);

	return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
}

class TimeMap {
	/** @param open is called with the index of the function that the user chose. */
	constructor(canvas, theme, parts, open) {
		Object.assign(this, { canvas, theme, open }, parts);
		/* The first row has the samples of all functions. */
		this.rows = [report.slices.all, ...report.slices.functions];
		this.columns = report.slices.all.length;
		/* Each row has its own scale, because in a flat profile all shares are small. */
		this.most = this.rows.map((counts) => Math.max(...counts.map(Number)));
		this.chosen = { row: Math.min(1, this.rows.length - 1), column: report.slices.all.findIndex((count) => Number(count) === this.most[0]) };
		canvas.style.height = `${(this.rows.length + 1) * timeRow}px`;
		canvas.addEventListener('keydown', (event) => this.press(event));
		canvas.addEventListener('click', (event) => this.click(event));
		canvas.addEventListener('pointermove', (event) => this.tell(this.cellAt(event) ?? this.chosen));
		canvas.addEventListener('pointerleave', () => this.tell(this.chosen));
		this.scale.textContent = `A column is ${timeText(report.slices.column_ms)}; the stronger the colour, the more samples, compared with the other columns of its row. The busiest column has ${amountText(this.most[0])}.`;
		this.tell(this.chosen);
		this.drawing = new Drawing(canvas, theme, (...where) => this.draw(...where));
	}

	nameOf(row) {
		return row ? functionName(row - 1) : 'all functions';
	}

	start(column) {
		return report.slices.start_ms + column * report.slices.column_ms;
	}

	/** The width of the names at the left. */
	margin(width) {
		return Math.min(Math.round(width * 0.3), 260);
	}

	shade(row, count) {
		return Math.ceil((Number(count) / (this.most[row] || 1)) * timeColors);
	}

	draw(context, width, height) {
		const left = this.margin(width);
		const across = (width - left) / this.columns;
		const { row, column } = this.chosen;

		context.font = `12px ${getComputedStyle(this.canvas).fontFamily}`;
		context.textBaseline = 'middle';
		context.fillStyle = this.theme.color('map-0');
		context.fillRect(left, 0, width - left, this.rows.length * timeRow);
		this.rows.forEach((counts, index) => {
			this.drawName(context, index, left - 8);
			counts.forEach((count, at) => {
				const shade = this.shade(index, count);

				if (!shade)
					return;
				context.fillStyle = this.theme.color(`map-${shade}`);
				context.fillRect(left + at * across, index * timeRow, Math.max(across - (across > 4 ? 1 : 0), 0.5), timeRow - 1);
			});
		});
		this.drawTimes(context, left, across, height);
		context.lineWidth = 2;
		context.strokeStyle = this.theme.color(document.activeElement === this.canvas ? 'focus' : 'muted');
		context.strokeRect(left + column * across, row * timeRow, Math.max(across - 1, 2), timeRow - 1);
	}

	/** Draw the name of a row, and its share of all samples where there is room. */
	drawName(context, row, width) {
		const share = row ? `${percentText(report.functions.samples[row - 1])} %` : '';
		const shareWidth = share && width > 160 ? context.measureText(share).width : 0;
		const middle = (row + 0.5) * timeRow;

		context.fillStyle = this.theme.color('text');
		drawText(context, this.nameOf(row), 0, middle, width - (shareWidth ? shareWidth + 8 : 0));
		if (shareWidth)
			context.fillText(share, width - shareWidth, middle);
	}

	/** Draw the time below every few columns. */
	drawTimes(context, left, across, height) {
		const every = Math.max(Math.ceil(70 / across), 1);

		context.fillStyle = this.theme.color('muted');
		for (let at = 0; at < this.columns && left + at * across < this.canvas.clientWidth - 50; at += every)
			drawText(context, timeText(this.start(at)), left + at * across, height - timeRow / 2, 66);
	}

	tell({ row, column }) {
		const count = this.rows[row][column];
		const all = Number(report.slices.all[column]);
		const share = row ? ` of ${amountText(all)}, ${percentText(count, all)} %` : '';

		this.now.textContent = `${timeText(this.start(column))} to ${timeText(this.start(column + 1))}, ${briefly(this.nameOf(row))}: ${row ? grouped(count) : amountText(count)}${share}`;
	}

	cellAt(event) {
		const left = this.margin(this.canvas.clientWidth);
		const column = Math.floor(((event.offsetX - left) / (this.canvas.clientWidth - left)) * this.columns);
		const row = Math.floor(event.offsetY / timeRow);

		return row >= 0 && row < this.rows.length && column >= 0 && column < this.columns ? { row, column } : undefined;
	}

	move(row, column) {
		this.chosen = {
			row: Math.min(Math.max(row, 0), this.rows.length - 1),
			column: Math.min(Math.max(column, 0), this.columns - 1),
		};
		this.tell(this.chosen);
		this.drawing.redraw();
	}

	openChosen() {
		if (this.chosen.row)
			this.open(this.chosen.row - 1);
	}

	press(event) {
		const { row, column } = this.chosen;
		const keys = {
			ArrowRight: () => this.move(row, column + 1),
			ArrowLeft: () => this.move(row, column - 1),
			ArrowDown: () => this.move(row + 1, column),
			ArrowUp: () => this.move(row - 1, column),
			Home: () => this.move(row, 0),
			End: () => this.move(row, this.columns - 1),
			Enter: () => this.openChosen(),
			' ': () => this.openChosen(),
		};

		pressKey(event, keys);
	}

	click(event) {
		const cell = this.cellAt(event);

		if (!cell)
			return;
		this.move(cell.row, cell.column);
		this.openChosen();
	}
}
