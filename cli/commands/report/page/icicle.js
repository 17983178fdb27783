// SPDX-License-Identifier: GPL-2.0-or-later
// The chart: objects, their functions, and their lines, from left to right.

/**
 * A place that is drawn as a rectangle.  start and size are in samples, start from
 * the top of the chart; the children with the most samples come first.
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
		places[i].addRest(i < complete ? 'unknown lines' : 'lines that are not in this page');
}

/** Colour a place by its difference from the base, if there is one. */
function compareWith(place, { base, sure }, index) {
	if (!report.base)
		return;
	place.color = deltaColor(place.count, base[index], sure[index]);
	place.before = ` (before ${percentText(base[index], Number(report.base.samples))} %: ${deltaText(place.count, base[index], sure[index])})`;
}

/* Heights in pixels: a lower place is too low for a mouse and not drawn, or too low for a name. */
const leastHeight = 2;
const nameHeight = 14;

/** The number of children, from the first, that are at least @p least pixels high. */
function higherThan({ children, size }, height, least) {
	const low = children.findIndex((child) => child.size * height < least * size && !child.isRest);

	return low < 0 ? children.length : low;
}

/**
 * Share a height among the children of a place: the `first` children are drawn on a scale of
 * pixels per sample, and the rest as one box.  In a flat profile, the rest have most of the
 * samples, and would leave no room for the names of the first children; so the box gets less
 * than its share, and is drawn with a torn edge.
 */
function shareHeight(place, height) {
	const { children, size } = place;
	const first = higherThan(place, height, leastHeight);
	const named = higherThan(place, height, nameHeight);
	const drawn = first ? children[first - 1].end - place.start : 0;
	const unknown = children.at(-1)?.isRest ? children.at(-1).size : 0;
	const room = height - Math.min(Math.max(height / 6, 20), 48);
	let most = 0;

	if (first === children.length || 2 * Math.max(drawn, unknown) > size)
		return { first, scale: height / (size || 1) };
	while (most < children.length - 1 && children[most].size * room >= nameHeight * (children[most].end - place.start))
		most++;
	/* Tear the box only if this makes room for the name of one more child. */
	if (most <= named)
		return { first, scale: height / size };
	return { first: most, scale: room / (children[most - 1].end - place.start), isTorn: true };
}

/** The children from index @p first on, as a single place that the user can open. */
function tailOf(shown, first) {
	const parent = shown.isTail ? shown.parent : shown;
	const noun = ['object', 'function', 'line'][parent.level + 1];
	const children = shown.children.slice(first);
	const rest = children.at(-1).isRest ? children.at(-1).name : '';
	const more = children.length - (rest ? 1 : 0);
	const names = [more ? counted(more, `more ${noun}`) : '', rest];
	const tail = new Place(parent, names.filter(Boolean).join(', '), exactSum(children.map((child) => child.count)), children[0].start);

	return Object.assign(tail, { children, color: 'object-rest', isTail: true });
}

/** All places; those of functions also by the function's index. */
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

	/** Show a place as high as the whole chart. */
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

	/** Choose a function from another part of the page. */
	chooseFunction(index) {
		this.choose(this.functions[index]);
	}

	enter(place) {
		this.chosen = place.isTail ? place.children[0] : place;
		this.zoom(place);
		if (!place.isTail && place.function !== null)
			this.open(place.function);
	}

	/** Enter the chosen place; if it is drawn as one box with others, open that box. */
	enterChosen() {
		const { place } = this.boxOf(this.chosen) ?? { place: this.chosen };

		this.enter(place.isTail ? tailOf(place.parent, place.parent.children.indexOf(this.chosen)) : place);
	}

	leave() {
		if (this.zoomed === this.root)
			return;
		this.chosen = this.zoomed.isTail ? this.zoomed.children[0] : this.zoomed;
		this.zoom(this.zoomed.parent);
	}

	/* Move by @p by places among the children of the same parent. */
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
			Enter: () => this.enterChosen(),
			' ': () => this.enterChosen(),
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
		this.now.textContent = `${names.join(' › ') || 'all'}: ${shareText(place.count)}${place.before ?? ''}${place.isTorn ? ', drawn smaller than its share' : ''}`;
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
				this.chosen = at.isTail ? at.children[0] : at;
				this.zoom(at);
				this.canvas.focus();
			});
			buttons.unshift(button);
		}
		this.trail.replaceChildren(...buttons);
	}

	draw(context, width, height) {
		const parts = report.lines.line.length ? [0, 0.2, 0.66, 1] : [0, 0.25, 1, 1];

		this.drawn = [];
		this.view = { context, edges: parts.map((part) => Math.round(part * width)) };
		context.font = `12px ${getComputedStyle(this.canvas).fontFamily}`;
		context.textBaseline = 'middle';
		for (let at = this.zoomed; at.parent; at = at.parent) {
			if (!at.isTail)
				this.drawPlace(at, 0, height);
		}
		this.drawChildren(this.zoomed, 0, height);
		this.drawMark(height);
	}

	drawChildren(parent, top, bottom) {
		const { first, scale, isTorn } = shareHeight(parent, bottom - top);
		const at = (samples) => top + (samples - parent.start) * scale;

		for (const child of parent.children.slice(0, first)) {
			this.drawPlace(child, at(child.start), at(child.end));
			this.drawChildren(child, at(child.start), at(child.end));
		}
		if (first === parent.children.length)
			return;

		const tail = tailOf(parent, first);

		tail.isTorn = isTorn;
		this.drawPlace(tail, at(tail.start), bottom);
		if (isTorn)
			this.drawTear(tail, at(tail.start));
	}

	drawPlace(place, y, bottom) {
		const { context, edges } = this.view;
		const x = edges[place.level];
		const box = { place, x, y, width: edges[place.level + 1] - x, height: bottom - y };

		if (box.height <= 0 || box.width <= 0)
			return;
		this.drawn.push(box);
		context.fillStyle = this.theme.color(place.color);
		context.fillRect(x, y, box.width - 1, Math.max(box.height - (box.height > 3 ? 1 : 0), 0.5));
		if (box.height >= nameHeight)
			this.drawName(place, box);
	}

	/** Draw a torn upper edge for a place that is not as high as its share. */
	drawTear({ level }, y) {
		const { context, edges } = this.view;

		context.fillStyle = this.theme.color('panel');
		context.beginPath();
		context.moveTo(edges[level], y - 1);
		for (let x = edges[level]; x < edges[level + 1]; x += 12) {
			context.lineTo(x + 6, y + 4);
			context.lineTo(x + 12, y - 1);
		}
		context.fill();
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

	/** The box in which a place is drawn, alone or together with others. */
	boxOf(place) {
		return this.drawn.find(
			(box) => box.place === place || (box.place.isTail && box.place.level === place.level && box.place.contains(place)),
		);
	}

	/** Mark the place that the keyboard acts on. */
	drawMark(bottom) {
		const { context } = this.view;
		const box = this.boxOf(this.chosen);

		if (!box)
			return;
		context.lineWidth = 2;
		context.strokeStyle = this.theme.color(document.activeElement === this.canvas ? 'focus' : 'muted');
		context.strokeRect(box.x + 1, Math.min(box.y + 1, bottom - 3), box.width - 3, Math.max(box.height - 3, 2));
	}
}
