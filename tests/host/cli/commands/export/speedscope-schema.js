// SPDX-License-Identifier: GPL-2.0-or-later
// Usage: node speedscope-schema.js NODE_MODULES FILE
//
// Check FILE against speedscope's own schema, and print what is wrong with it.
'use strict';
const fs = require('fs');
const [modules, file] = process.argv.slice(2);
const read = (path) => JSON.parse(fs.readFileSync(path, 'utf8'));
const Ajv = require(modules + '/ajv');
const valid = new Ajv({ strict: false }).compile(read(modules + '/speedscope/dist/release/file-format-schema.json'));

if (!valid(read(file))) {
	console.log(valid.errors);
	process.exit(1);
}
