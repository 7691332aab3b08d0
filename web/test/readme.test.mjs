// Every snippet of the README that says `run` is run, in order, in one module per kind, and prints what its comments say.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import * as THREE from 'three';
import { Snug } from 'snugmesh';
import { fromMesh } from 'snugmesh/three';
import { loadCreature, loadMan, root } from './characters.mjs';

const text = await readFile(new URL('package/README.md', root), 'utf8');
const snippets = [...text.matchAll(/^```js(?: run ?(\w*))?\n(.*?)^```$/gms)].map(([, kind, code]) => ({ kind, code }));

// What the snippets of one kind share, as one module: imports first, then `given` as constants, then the code.
async function run(kind, given, exported) {
	const codes = snippets.filter((s) => s.kind === kind).map((s) => s.code);
	const imports = codes.flatMap((code) => code.match(/^import .*$/gm) ?? []);
	const body = codes.map((code) => code.replace(/^import .*$/gm, '')).join('\n');
	globalThis.given = given;
	const printed = [], file = new URL(`test/readme-${kind || 'plain'}.mjs`, root);
	await writeFile(file, `${[...new Set(imports)].join('\n')}\nconst { ${Object.keys(given).join(', ')} } = globalThis.given;\n` +
		`${body}\nexport { ${exported} };\n`);
	const { log } = console;
	console.log = (...parts) => printed.push(parts);
	try {
		return { printed, module: await import(file) };
	} finally {
		console.log = log;
	}
}

test('there is nothing else in the README', () => {
	assert.equal(snippets.length, 17);
	assert.equal(snippets.filter((s) => s.kind === undefined).length, 1, 'the worker, which the browser test runs');
});

test('without an engine', async () => {
	const { printed } = await run('', {}, 'soft, same');
	assert.deepEqual([...printed[0][0]], [2, 0, 2, 1, 2, 3]);
	assert.deepEqual([...printed[1][0]], [0, 0, 0, 1.25, 0, 0, 0.25, 1, 0, 0.5, 0, 1]);
	assert.deepEqual(printed[2], ['meets', true]);
	assert.deepEqual(printed[3].slice(0, 2), [true, 'badInput']);
	assert.match(printed[3][2], /vertex 7 of 4/);
});

test('with three.js', async () => {
	const man = await loadMan(), creature = await loadCreature();
	man.setTime('kick', 0.85);
	creature.group.position.set(0.05, 0, 1.2);
	creature.group.rotation.y = Math.PI / 2;
	creature.group.updateMatrixWorld(true);
	const raycaster = new THREE.Raycaster(new THREE.Vector3(0.05, 1, -3), new THREE.Vector3(0, 0, 1));
	const { printed } = await run('three', { boxer: man.group, creature: creature.group, mixer: man.mixer, raycaster, scene: new THREE.Scene(),
		prop: new THREE.Mesh(new THREE.BoxGeometry()) }, 'frame');
	assert.match(printed[0][0], /^man, triangle \d+$/);
	assert.deepEqual(printed[1], ['hit']);
	const curves = printed.filter(([isClosed]) => isClosed === true && typeof isClosed === 'boolean');
	assert.ok(curves.length > 0, 'closed curves');
	assert.ok(printed.some(([distance]) => distance === 0));
	assert.ok(printed.some(([name, point]) => name === 'creature' && point.isVector3));
	assert.ok(printed.some(([count, word]) => count > 50 && word === 'pairs'));
	assert.deepEqual(printed.at(-3), [1]);
	assert.equal(printed.at(-2)[0], true);
	assert.deepEqual(printed.at(-1), [0, 0]); // a ball that met nobody
});

test('vibrating bodies', async () => {
	const snug = await Snug.load(), box = new THREE.BoxGeometry(2, 0.1, 2);
	const field = Float32Array.from(box.attributes.position.array, (x, i) => (i % 3 === 1 ? 1 : 0));
	const model = snug.createModel({ positions: box.attributes.position.array, triangles: box.index.array, displacements: [field] });
	const ball = fromMesh(snug, new THREE.Mesh(new THREE.SphereGeometry(1)));
	const { printed } = await run('modes', { snug, plateBytes: model.save(), scene: new THREE.Scene(), ball }, 'plate');
	assert.deepEqual(printed, [[true]]);
});
