// SPDX-License-Identifier: GPL-2.0-or-later
// An object's samples by address, from the top left to the bottom right.

const mapColumns = 64;
const mapColors = 5;

class AddressMap {
	/** @param open is called with the index of the function that the user chose. */
	constructor(canvas, theme, parts, open) {
		Object.assign(this, { canvas, theme, open }, parts);
		report.maps.forEach((map, index) => {
			const option = element('option', '', objectPath(index));

			option.value = index;
			this.object.append(option);
		});
		this.object.addEventListener('change', () => this.choose(Number(this.object.value)));
		canvas.addEventListener('keydown', (event) => this.press(event));
		canvas.addEventListener('click', (event) => this.click(event));
		canvas.addEventListener('pointermove', (event) => this.tell(this.cellAt(event) ?? this.chosen));
		canvas.addEventListener('pointerleave', () => this.tell(this.chosen));
		this.cells = [];
		this.chosen = -1;
		this.rows = 1;
		this.drawing = new Drawing(canvas, theme, (...where) => this.draw(...where));
		if (report.maps.length)
			this.choose(0);
	}

	choose(index) {
		const map = report.maps[index];

		if (!map)
			return;
		this.object.value = String(index);
		this.cells = map.cells.map(([number, count, owner]) => ({ number, count, owner }));
		this.start = BigInt(map.start);
		this.bytes = 1n << BigInt(map.shift);
		this.rows = Math.ceil((this.cells.at(-1).number + 1) / mapColumns);
		this.most = Math.max(...this.cells.map((cell) => Number(cell.count)));
		this.chosen = this.cells.findIndex((cell) => Number(cell.count) === this.most);
		this.canvas.style.setProperty('--rows', this.rows);
		this.scale.textContent = this.scaleText();
		this.tell(this.chosen);
		this.drawing.redraw();
	}

	scaleText() {
		const step = this.most ** (1 / mapColors);
		const shades = this.most > 1 ? `; each of the ${mapColors} shades means ${step.toFixed(1)} times the samples of the previous one` : '';

		return `A cell is ${counted(this.bytes, 'byte')} of text, a row ${grouped(this.bytes * BigInt(mapColumns))}${shades}.`;
	}

	shade(count) {
		const part = this.most > 1 ? Math.log(Number(count)) / Math.log(this.most) : 1;

		return Math.min(Math.floor(part * mapColors), mapColors - 1) + 1;
	}

	draw(context, width, height) {
		const across = width / mapColumns;
		const down = height / this.rows;
		const box = ({ number }) => [
			(number % mapColumns) * across,
			Math.floor(number / mapColumns) * down,
			Math.max(across - 1, 1),
			Math.max(down - 1, 1),
		];
		const chosen = this.cells[this.chosen];

		context.fillStyle = this.theme.color('map-0');
		context.fillRect(0, 0, width, height);
		for (const cell of this.cells) {
			context.fillStyle = this.theme.color(`map-${this.shade(cell.count)}`);
			context.fillRect(...box(cell));
		}
		if (chosen) {
			const [x, y, w, h] = box(chosen);

			context.lineWidth = 2;
			context.strokeStyle = this.theme.color(document.activeElement === this.canvas ? 'focus' : 'text');
			context.strokeRect(Math.max(x - 1, 1), Math.max(y - 1, 1), w + 2, h + 2);
		}
	}

	tell(index) {
		const cell = this.cells[index];

		if (!cell)
			return;

		const from = this.start + BigInt(cell.number) * this.bytes;
		const owner = cell.owner < 0 ? '' : `, most in ${briefly(functionName(cell.owner))}`;

		this.now.textContent = `0x${from.toString(16)} to 0x${(from + this.bytes).toString(16)}: ${shareText(cell.count)}${owner}`;
	}

	cellAt(event) {
		const column = Math.floor((event.offsetX / this.canvas.clientWidth) * mapColumns);
		const row = Math.floor((event.offsetY / this.canvas.clientHeight) * this.rows);
		const found = this.cells.findIndex((cell) => cell.number === row * mapColumns + column);

		return found < 0 ? undefined : found;
	}

	move(index) {
		if (index < 0 || index >= this.cells.length)
			return;
		this.chosen = index;
		this.tell(index);
		this.drawing.redraw();
	}

	openChosen() {
		const cell = this.cells[this.chosen];

		if (cell && cell.owner >= 0)
			this.open(cell.owner);
	}

	press(event) {
		const number = this.cells[this.chosen]?.number ?? 0;
		const keys = {
			ArrowRight: () => this.move(this.chosen + 1),
			ArrowLeft: () => this.move(this.chosen - 1),
			ArrowDown: () => this.move(this.cells.findIndex((cell) => cell.number >= number + mapColumns)),
			ArrowUp: () => this.move(this.cells.findLastIndex((cell) => cell.number <= number - mapColumns)),
			Home: () => this.move(0),
			End: () => this.move(this.cells.length - 1),
			Enter: () => this.openChosen(),
			' ': () => this.openChosen(),
		};

		pressKey(event, keys);
	}

	click(event) {
		const found = this.cellAt(event);

		if (found === undefined)
			return;
		this.move(found);
		this.openChosen();
	}
}
