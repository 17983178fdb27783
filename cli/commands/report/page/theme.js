// SPDX-License-Identifier: GPL-2.0-or-later
// Dark or light: the system's choice, until the user presses the button.

/** Sends 'change' when canvases have to be redrawn. */
class Theme extends EventTarget {
	constructor(button) {
		super();
		this.button = button;
		this.system = matchMedia('(prefers-color-scheme: dark)');
		this.chosen = null;
		this.probe = element('span');
		this.probe.hidden = true;
		document.body.append(this.probe);
		this.system.addEventListener('change', () => this.apply());
		button.addEventListener('click', () => {
			this.chosen = this.isDark() ? 'light' : 'dark';
			this.apply();
		});
		this.apply();
	}

	isDark() {
		return this.chosen ? this.chosen === 'dark' : this.system.matches;
	}

	apply() {
		if (this.chosen)
			document.documentElement.dataset.theme = this.chosen;
		this.button.setAttribute('aria-pressed', String(this.isDark()));
		this.known = new Map();
		this.dispatchEvent(new Event('change'));
	}

	/** A colour of page.css, in the form that a canvas accepts. */
	color(name) {
		if (!this.known.has(name)) {
			this.probe.style.color = `var(--${name})`;
			this.known.set(name, getComputedStyle(this.probe).color);
		}
		return this.known.get(name);
	}
}

/** A canvas at the resolution of the screen; @p draw gets its context, width and height. */
class Drawing {
	constructor(canvas, theme, draw) {
		this.canvas = canvas;
		this.draw = draw;
		new ResizeObserver(() => this.redraw()).observe(canvas);
		theme.addEventListener('change', () => this.redraw());
		canvas.addEventListener('focus', () => this.redraw());
		canvas.addEventListener('blur', () => this.redraw());
	}

	redraw() {
		const { clientWidth: width, clientHeight: height } = this.canvas;
		const ratio = window.devicePixelRatio || 1;
		const context = this.canvas.getContext('2d');

		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		context.scale(ratio, ratio);
		if (width && height)
			this.draw(context, width, height);
	}
}

/** Draw text, cut to a width. */
function drawText(context, text, x, y, width) {
	let shown = text;

	if (width < 12)
		return;
	if (context.measureText(shown).width > width) {
		let least = 0;
		let most = Math.min(shown.length, Math.ceil(width));

		while (least < most) {
			const middle = Math.ceil((least + most) / 2);

			if (context.measureText(text.slice(0, middle) + '…').width <= width)
				least = middle;
			else
				most = middle - 1;
		}
		shown = text.slice(0, least) + '…';
	}
	context.fillText(shown, x, y);
}
