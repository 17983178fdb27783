// SPDX-License-Identifier: GPL-2.0-or-later
// The report, and how its numbers are written.
'use strict';

/** What cli/report_html.cpp has put into the page. */
const report = JSON.parse(document.getElementById('data').textContent);
const total = Number(report.samples);
/* As many objects as have a colour of their own. */
const objectColors = 8;

function byId(id) {
	return document.getElementById(id);
}

/** An element with some text, which is never markup. */
function element(tag, className = '', text = '') {
	const made = document.createElement(tag);

	if (className)
		made.className = className;
	made.textContent = text;
	return made;
}

/** "1,234,567" of a number, or of digits that are too many for one. */
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

/** Counts can be beyond what a number holds to the last digit. */
function exactSum(counts) {
	let sum = 0n;

	for (const count of counts)
		sum += BigInt(count);
	return sum;
}

function baseName(path) {
	return path.slice(path.lastIndexOf('/') + 1) || path;
}

/** For a line below what it is of, which should stay where it is. */
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

/** How hot a share of something is, from 0 to 4. */
function heatOf(percent) {
	return [0.5, 4, 12, 30].filter((least) => percent >= least).length;
}
