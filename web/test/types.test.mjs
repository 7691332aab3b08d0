// The declarations say what there is: every member that they have exists, and none that exists is missing from them.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as core from 'snugmesh';
import * as adapter from 'snugmesh/three';
import { root } from './characters.mjs';

// Members of a class in the text of a declaration file, by name.
function declared(text, name) {
	const [, body] = text.match(new RegExp(`^export class ${name}\\b[^{]*\\{\\n(.*?)^\\}`, 'ms'));
	return new Set([...body.matchAll(/^\t(?:static |readonly )*(\w+)\??(?:\(|:)/gm)].map(([, member]) => member).filter((m) => m !== 'constructor'));
}

function existing(Class, instance) {
	const own = Object.getOwnPropertyNames(Class.prototype), above = Object.getOwnPropertyNames(Object.getPrototypeOf(Class.prototype));
	const inherited = Object.getPrototypeOf(Class.prototype) === Object.prototype || Class.prototype instanceof Error ? [] : above;
	const statics = Object.getOwnPropertyNames(Class).filter((n) => !['length', 'name', 'prototype'].includes(n));
	return new Set([...own, ...inherited, ...statics, ...Object.keys(instance ?? {})].filter((n) => n !== 'constructor'));
}

test('declarations of the package', async () => {
	const text = await readFile(new URL('package/snug.d.mts', root), 'utf8'), snug = await core.Snug.load();
	const model = snug.createModel({ positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 2] });
	const instances = { Snug: snug, Model: model, Body: model.createBody(), Pool: snug.createPool(1e6), Scene: snug.createScene(), Witness: new core.Witness() };
	for (const [name, instance] of Object.entries(instances)) assert.deepEqual(declared(text, name), existing(core[name], instance), name);
	assert.deepEqual(new Set(Object.keys(core)), new Set([...Object.keys(instances), 'SnugError']));
});

test('declarations of the adapter', async () => {
	const text = await readFile(new URL('package/three.d.mts', root), 'utf8');
	const names = [...text.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
	assert.deepEqual(new Set(names), new Set(Object.keys(adapter)));
});
