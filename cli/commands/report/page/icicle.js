// SPDX-License-Identifier: GPL-2.0-or-later
// The chart: objects, their functions, and their lines, from left to right.

/**
 * A place that is drawn as a rectangle.  start and size are in samples, start from
 * the top of the chart; children with most samples come first.
 */
class Place {
	constructor(parent, name, count, start) {
		this.parent = parent;
		this.name = name;
		this.count = count;
		this.size = Number(count);
		this.start = start;
		this.level = parent ? parent.level + 1 : -1;
		this.object = parent ? parent.object : null;
		this.function = parent ? parent.function : null;
		this.color = parent ? parent.color : 'object-rest';
		this.children = [];
	}

	get end() {
		return this.start + this.size;
	}

	contains(other) {
		return other.start >= this.start && other.end <= this.end;
	}

	/** Add a child below the existing ones. */
	add(name, count) {
		const last = this.children.at(-1);
		const child = new Place(this, name, count, last ? last.end : this.start);

		this.children.push(child);
		return child;
	}

	/** Add a child for the samples that are in no other child. */
	addRest(name) {
		const rest = this.end - (this.children.at(-1)?.end ?? this.start);

		if (rest > 0 && this.children.length) {
			const child = this.add(name, rest);

			child.color = 'object-rest';
			child.isRest = true;
		}
	}
}

function addLines(places) {
	const { function: owners, file, line, samples, functions: complete } = report.lines;

	for (let i = 0; i < owners.length; i++)
		places[owners[i]].add(`${baseName(string(file[i]))}:${line[i]}`, samples[i]);
	for (let i = 0; i < places.length; i++)
		places[i].addRest(i < complete ? 'no known line' : 'lines that are not in this page');
}

/** Colour a place by how it differs from the base, if there is one. */
function compareWith(place, { base, sure }, index) {
	if (!report.base)
		return;
	place.color = deltaColor(place.count, base[index], sure[index]);
	place.before = ` (before ${percentText(base[index], Number(report.base.samples))} %: ${deltaText(place.count, base[index], sure[index])})`;
}

/** All places, and those of functions by index. */
function placesOf() {
	const shown = BigInt(report.samples) - BigInt(report.filtered_out);
	const root = new Place(null, 'all', shown, 0);
	const objects = report.objects.path.map((path, index) => {
		const object = root.add(baseName(string(path)), report.objects.samples[index]);

		object.object = index;
		object.color = objectColor(index);
		compareWith(object, report.objects, index);
		return object;
	});
	const functions = report.functions.name.map((name, index) => {
		const place = objects[report.functions.object[index]].add(string(name), report.functions.samples[index]);

		place.function = index;
		compareWith(place, report.functions, index);
		return place;
	});

	root.addRest('objects that are not in this page');
	for (const object of objects)
		object.addRest('functions that are not in this page');
	addLines(functions);
	return { root, functions };
}

class Icicle {
	/** @param open is called with the index of the function that the user chose. */
	constructor(canvas, theme, now, trail, open) {
		Object.assign(this, placesOf(), { canvas, theme, now, trail, open });
		this.zoomed = this.root;
		this.chosen = this.root.children[0] ?? this.root;
		this.drawn = [];
		this.drawing = new Drawing(canvas, theme, (...where) => this.draw(...where));
		canvas.addEventListener('keydown', (event) => this.press(event));
		canvas.addEventListener('click', (event) => this.click(event));
		canvas.addEventListener('pointermove', (event) => this.hover(event));
		canvas.addEventListener('pointerleave', () => this.tell(this.chosen));
		this.zoom(this.root);
	}

	/** Make a place as high as the chart. */
	zoom(place) {
		this.zoomed = place;
		this.tellTrail();
		this.tell(this.chosen);
		this.drawing.redraw();
	}

	choose(place) {
		this.chosen = place;
		while (this.zoomed.parent && !this.zoomed.contains(place))
			this.zoomed = this.zoomed.parent;
		this.zoom(this.zoomed);
	}

	/** For other parts of the page. */
	chooseFunction(index) {
		this.choose(this.functions[index]);
	}

	enter(place) {
		this.chosen = place;
		this.zoom(place);
		if (place.function !== null)
			this.open(place.function);
	}

	leave() {
		if (this.zoomed === this.root)
			return;
		this.chosen = this.zoomed;
		this.zoom(this.zoomed.parent);
	}

	/* Move by so many places among the children of the same parent. */
	step(by) {
		const all = this.chosen.parent?.children ?? [this.chosen];
		const at = Math.min(Math.max(all.indexOf(this.chosen) + by, 0), all.length - 1);

		this.choose(all[at]);
	}

	press(event) {
		const keys = {
			ArrowDown: () => this.step(1),
			ArrowUp: () => this.step(-1),
			Home: () => this.step(-Infinity),
			End: () => this.step(Infinity),
			ArrowRight: () => this.chosen.children.length && this.choose(this.chosen.children[0]),
			ArrowLeft: () => this.chosen.level > 0 && this.choose(this.chosen.parent),
			Enter: () => this.enter(this.chosen),
			' ': () => this.enter(this.chosen),
			Escape: () => this.leave(),
			Backspace: () => this.leave(),
		};

		pressKey(event, keys);
	}

	placeAt(event) {
		return this.drawn.find(
			({ x, y, width, height }) =>
				event.offsetX >= x && event.offsetX < x + width && event.offsetY >= y && event.offsetY < y + height,
		)?.place;
	}

	click(event) {
		const place = this.placeAt(event);

		if (place && place === this.zoomed && place.parent)
			this.leave();
		else if (place)
			this.enter(place);
	}

	hover(event) {
		const place = this.placeAt(event);

		this.canvas.classList.toggle('over', Boolean(place));
		this.tell(place ?? this.chosen);
	}

	tell(place) {
		const names = [];

		for (let at = place; at.parent; at = at.parent)
			names.unshift(at.level === 0 && at.object !== null ? objectPath(at.object) : briefly(at.name));
		this.now.textContent = `${names.join(' › ') || 'all'}: ${shareText(place.count)}${place.before ?? ''}`;
	}

	/** Show a button for the zoomed place and for each of its parents. */
	tellTrail() {
		const buttons = [];

		for (let at = this.zoomed; at; at = at.parent) {
			const button = element('button', '', at.name);

			button.type = 'button';
			if (at === this.zoomed)
				button.setAttribute('aria-current', 'true');
			button.addEventListener('click', () => {
				this.chosen = at;
				this.zoom(at);
				this.canvas.focus();
			});
			buttons.unshift(button);
		}
		this.trail.replaceChildren(...buttons);
	}

	draw(context, width, height) {
		const edges = [0, 0.2, 0.66, 1].map((part) => Math.round(part * width));

		this.drawn = [];
		this.view = { context, height, edges, scale: height / (this.zoomed.size || 1) };
		context.font = `12px ${getComputedStyle(this.canvas).fontFamily}`;
		context.textBaseline = 'middle';
		this.drawChildren(this.root);
		this.drawMark();
	}

	/** The y coordinate at which a sample is drawn, in pixels. */
	top(samples) {
		return (samples - this.zoomed.start) * this.view.scale;
	}

	/* Children less than two pixels high are drawn as one: all that follow are smaller still. */
	drawChildren(parent) {
		for (let i = 0; i < parent.children.length; i++) {
			const child = parent.children[i];

			if (this.top(child.end) <= 0)
				continue;
			if (this.top(child.start) >= this.view.height)
				return;
			if (child.size * this.view.scale < 2 && !child.isRest) {
				this.drawTail(parent, i);
				return;
			}
			this.drawPlace(child);
			this.drawChildren(child);
		}
	}

	/** Draw all children from one on as a single place, to which the user can zoom. */
	drawTail(parent, first) {
		const nouns = ['object', 'function', 'line'];
		const more = parent.children.length - first;
		const start = parent.children[first].start;
		const count = exactSum(parent.children.slice(first).map((child) => child.count));
		const tail = new Place(parent, counted(more, `more ${nouns[parent.level + 1]}`), count, start);

		tail.color = 'object-rest';
		tail.children = parent.children.slice(first);
		this.drawPlace(tail);
	}

	drawPlace(place) {
		const { context, height, edges } = this.view;
		const x = edges[place.level];
		const y = Math.max(this.top(place.start), 0);
		const box = { place, x, y, width: edges[place.level + 1] - x, height: Math.min(this.top(place.end), height) - y };

		if (box.height <= 0)
			return;
		this.drawn.push(box);
		context.fillStyle = this.theme.color(place.color);
		context.fillRect(x, y, box.width - 1, Math.max(box.height - (box.height > 3 ? 1 : 0), 0.5));
		if (box.height >= 13)
			this.drawName(place, box);
	}

	drawName(place, { x, y, width, height }) {
		const { context } = this.view;
		const share = `${percentText(place.count)} %`;
		const shareWidth = context.measureText(share).width;
		const middle = y + Math.min(height / 2, 14);
		const hasShare = width > 160;

		context.fillStyle = this.theme.color('on-object');
		drawText(context, place.name, x + 6, middle, width - 12 - (hasShare ? shareWidth + 10 : 0));
		if (hasShare)
			context.fillText(share, x + width - 7 - shareWidth, middle);
	}

	/** Mark the place that the keyboard acts on. */
	drawMark() {
		const { context, height, edges } = this.view;
		const place = this.chosen;
		const y = Math.max(this.top(place.start), 0);
		const end = Math.min(this.top(place.end), height);
		const x = edges[Math.max(place.level, 0)];

		if (end < 0 || y > height || place.level < 0)
			return;
		context.lineWidth = 2;
		context.strokeStyle = this.theme.color(document.activeElement === this.canvas ? 'focus' : 'muted');
		context.strokeRect(x + 1, Math.min(y + 1, height - 3), edges[place.level + 1] - x - 3, Math.max(end - y - 3, 2));
	}
}
