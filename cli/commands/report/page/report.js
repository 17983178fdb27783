// SPDX-License-Identifier: GPL-2.0-or-later
// The report, and functions that format its numbers.
'use strict';

/** The document that cli/commands/report/page/page.cpp puts into the page. */
const data = JSON.parse(document.getElementById('data').textContent);
/** The names of the events, if there are several; the URL's fragment can name the event to show. */
const events = (data.events ?? []).map(({ name }) => name);
const wantedEvent = events.indexOf(new URLSearchParams(location.hash.slice(1)).get('event'));
const shownEvent = wantedEvent < 0 ? data.first : wantedEvent;
const report = data.events ? data.events[shownEvent].report : data;
const total = Number(report.samples);

/* Each text shares a prefix with the one before it: see names.h. */
for (let i = 1; i < report.strings.length; i++)
	report.strings[i] = report.strings[i - 1].slice(0, report.shared[i]) + report.strings[i];

/* The number of objects that have a colour of their own. */
const objectColors = 8;

function byId(id) {
	return document.getElementById(id);
}

/** A new element with some text, which is never parsed as markup. */
function element(tag, className = '', text = '') {
	const made = document.createElement(tag);

	if (className)
		made.className = className;
	made.textContent = text;
	return made;
}

/** "1,234,567"; a count with more digits than a number can hold is a string. */
function grouped(count) {
	return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** "1 sample", "2 samples", "3 addresses" */
function counted(number, noun) {
	const plural = noun.endsWith('s') ? 'es' : 's';

	return `${grouped(number)} ${noun}${Number(number) === 1 ? '' : plural}`;
}

function amountText(count) {
	return report.unit === 'samples' ? counted(count, 'sample') : `${grouped(count)} ${report.unit}`;
}

function percentOf(count, all = total) {
	return all ? 100 * (Number(count) / all) : 0;
}

function percentText(count, all = total) {
	return percentOf(count, all).toFixed(2);
}

/** "12 samples, 3.45 %" */
function shareText(count) {
	return `${amountText(count)}, ${percentText(count)} %`;
}

/** An exact sum: counts and their sum can have more digits than a number can hold. */
function exactSum(counts) {
	let sum = 0;

	for (let i = 0; i < counts.length; i++) {
		/* Numbers are much faster, as long as they are exact. */
		if (typeof counts[i] !== 'number' || sum + counts[i] > Number.MAX_SAFE_INTEGER)
			return counts.slice(i).reduce((exact, count) => exact + BigInt(count), BigInt(sum));
		sum += counts[i];
	}
	return sum;
}

/* Differences in percentage points above which a colour is stronger. */
const strongDeltas = [1, 5];

/** The share of a place in the profile minus its share in the base, in percentage points. */
function deltaOf(count, before) {
	return percentOf(count) - percentOf(before, Number(report.base.samples));
}

/** "+1.23", and a star if chance does not explain it. */
function deltaText(count, before, sure) {
	const delta = deltaOf(count, before);

	return `${delta < 0 ? '−' : '+'}${Math.abs(delta).toFixed(2)}${sure ? '*' : ''}`;
}

/** The name of the colour of a difference, see page.css. */
function deltaColor(count, before, sure) {
	const delta = deltaOf(count, before);

	if (!sure)
		return 'same';
	return `${delta > 0 ? 'more' : 'less'}-${1 + strongDeltas.filter((least) => Math.abs(delta) >= least).length}`;
}

/** Run the action of a key, unless it is one of the browser's own shortcuts. */
function pressKey(event, keys) {
	if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey)
		return;
	event.preventDefault();
	keys[event.key]();
}

function baseName(path) {
	return path.slice(path.lastIndexOf('/') + 1) || path;
}

/** A name short enough for the line below a chart, so that the layout does not move. */
function briefly(name) {
	return name.length > 120 ? `${name.slice(0, 119)}…` : name;
}

function string(index) {
	return report.strings[index];
}

function functionName(index) {
	return string(report.functions.name[index]);
}

function objectPath(index) {
	return string(report.objects.path[index]);
}

/** The name of an object's colour, see page.css. */
function objectColor(object) {
	return object < objectColors ? `object-${object}` : 'object-rest';
}

/** The heat of a percentage, from 0 to 4: see page.css. */
function heatOf(percent) {
	return [0.5, 4, 12, 30].filter((least) => percent >= least).length;
}
