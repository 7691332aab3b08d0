// The package without an engine: answers against a triangle test of its own, errors, memory, hostile bytes.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { Snug, SnugError, Witness } from 'snugmesh';
import { makeRandom, root } from './characters.mjs';
import { skipWithout } from './skip.mjs';
import { trianglesMeet } from './exact.mjs';

const snug = await Snug.load();
const tetrahedron = { positions: new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]),
	triangles: new Uint32Array([0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]) };

const throws = (call, status, text) => assert.throws(call, (error) => {
	assert.ok(error instanceof SnugError, `${error}`);
	assert.equal(error.status, status, error.message);
	assert.match(error.message, text);
	return true;
});

// A crumpled sheet of small integers, so that exact contacts are common, moved by two joints and one field.
function makeSheet(random, size) {
	const n = size * size, whole = () => Math.floor(5 * random());
	const positions = Float32Array.from({ length: 3 * n }, (_, i) => (i % 3 === 2 ? whole() : Math.floor(i / 3) % size));
	for (let i = 0; i < n; ++i) positions[3 * i + 1] = Math.floor(i / size);
	const triangles = [];
	for (let y = 0; y + 1 < size; ++y) {
		for (let x = 0; x + 1 < size; ++x) {
			const v = y * size + x;
			triangles.push(v, v + 1, v + size, v + 1, v + size + 1, v + size);
		}
	}
	const joints = Uint8Array.from({ length: 2 * n }, (_, i) => i % 2);
	const weights = Float32Array.from({ length: 2 * n }, (_, i) => (i % 2 === 0 ? 0.25 : 0.75));
	const field = Float32Array.from({ length: 3 * n }, () => whole());
	return { positions, triangles, jointCount: 2, influencesPerVertex: 2, joints, weights, displacements: [field] };
}

const translation = (x, y, z) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];

test('pairs are those of exact arithmetic on all pairs of triangles, at the reported positions', () => {
	let found = 0;
	for (let seed = 1; seed <= 12; ++seed) {
		const random = makeRandom(seed), definition = makeSheet(random, 7), model = snug.createModel(definition);
		const bodies = [model.createBody(), model.createBody()];
		const corners = bodies.map((body) => {
			const move = () => Math.floor(3 * random());
			body.setJoints([...translation(move(), move(), move()), ...translation(move(), move(), move())]);
			body.setAmplitudes([move() / 2]);
			const p = body.getVertices();
			return definition.triangles.map((v) => [p[3 * v], p[3 * v + 1], p[3 * v + 2]]);
		});
		const expected = [], count = definition.triangles.length / 3;
		for (let i = 0; i < count; ++i) {
			for (let j = 0; j < count; ++j) {
				if (trianglesMeet(corners[0].slice(3 * i, 3 * i + 3), corners[1].slice(3 * j, 3 * j + 3))) expected.push(i, j);
			}
		}
		assert.deepEqual([...snug.collide(...bodies)], expected, `seed ${seed}`);
		assert.equal(snug.touches(...bodies), expected.length > 0);
		found += expected.length / 2;
		for (const thing of [...bodies, model]) thing.dispose();
	}
	assert.ok(found > 100, `${found} pairs are a test`);
});

test('a witness changes no answer, over bodies that meet and part', () => {
	const model = snug.createModel(tetrahedron), a = model.createBody(), b = model.createBody(), witness = new Witness();
	for (let i = 0; i < 60; ++i) {
		b.setFrame([1.2 * Math.sin(i / 5), 0.2, 0.2]);
		assert.equal(snug.touches(a, b, { witness }), snug.collide(a, b).length > 0, `step ${i}`);
	}
	assert.ok(witness.memory.some((word) => word !== 0), 'it was used');
});

test('results are copies: they survive later queries and memory that grows', () => {
	const model = snug.createModel(tetrahedron), a = model.createBody(), b = model.createBody().setFrame([0.25, 0.25, 0.25]);
	const pairs = snug.collide(a, b), vertices = b.getVertices(), before = snug.memoryBytes;
	const large = snug.createModel({ positions: new Float32Array(3e6), triangles: new Uint32Array(0) });
	assert.ok(snug.memoryBytes > before, 'memory grew');
	assert.deepEqual([...pairs], [2, 0, 2, 1, 2, 3]);
	assert.equal(vertices.length, 12);
	assert.deepEqual([...snug.collide(a, b)], [...pairs], 'and bodies from before go on working');
	assert.deepEqual(b.getVertices(), vertices);
	large.dispose();
});

test('more pairs than there is room for come all the same', () => {
	// Two fans of triangles that share one point: every triangle meets every other.
	const count = 70, positions = [0, 0, 0], triangles = [];
	for (let i = 0; i <= count; ++i) positions.push(Math.cos(i), Math.sin(i), i / count);
	for (let i = 1; i <= count; ++i) triangles.push(0, i, i + 1);
	const model = snug.createModel({ positions, triangles });
	assert.equal(snug.collide(model.createBody(), model.createBody()).length, 2 * count * count);
});

test('what is wrong is said as the library says it, or more plainly', () => {
	const { positions, triangles } = tetrahedron, model = snug.createModel(tetrahedron), body = model.createBody();
	const skin = { positions, triangles, jointCount: 2, influencesPerVertex: 1, joints: [0, 1, 1, 0], weights: [1, 1, 1, 1] };
	throws(() => snug.createModel({ positions, triangles: [0, 1, 9] }), 'badInput', /triangle 0: vertex 9 of 4/);
	throws(() => snug.createModel({ positions: [0, 0, NaN], triangles: [] }), 'badInput', /vertex 0/);
	throws(() => snug.createModel({ positions: [0, 0], triangles: [] }), 'badInput', /positions has 2 numbers/);
	throws(() => snug.createModel({ positions, triangles: [0, 1, 1.5] }), 'badInput', /triangles\[2\] is 1.5/);
	throws(() => snug.createModel({ positions, triangles: [0, 1, -1] }), 'badInput', /triangles\[2\] is -1/);
	throws(() => snug.createModel({ positions }), 'badInput', /triangles is missing/);
	throws(() => snug.createModel({ ...skin, joints: [0, 1, 1, 65536] }), 'badInput', /joints\[3\] is 65536/);
	throws(() => snug.createModel({ ...skin, joints: [0, 1, 1, 2] }), 'badInput', /joint 2/);
	throws(() => snug.createModel({ ...skin, weights: [1, 1, 1] }), 'badInput', /weights has 3 numbers where 4/);
	throws(() => snug.createModel({ ...skin, influencesPerVertex: 4 }), 'badInput', /influencesPerVertex/);
	throws(() => snug.createModel({ ...skin, influenceStarts: [0, 1, 2, 3, 9] }), 'badInput', /influenceStarts/);
	throws(() => snug.createModel({ ...skin, influenceStarts: [0, 3, 2, 3, 4] }), 'badInput', /influenceStarts\[2\]/);
	throws(() => snug.createModel({ ...tetrahedron, displacements: [[1, 2]] }), 'badInput', /displacements\[0\] has 2/);
	throws(() => snug.createModel({ ...tetrahedron, deformer: 'jelly' }), 'badInput', /deformer is "jelly"; it may be rigid/);
	throws(() => body.setJoints(new Float32Array(16)), 'badArgument', /no joints: its model is rigid/);
	throws(() => body.setAmplitudes([1]), 'badArgument', /no displacement fields/);
	throws(() => body.setVertices([1, 2, 3]), 'badArgument', /no vertices that can be set/);
	throws(() => body.setFrame([0, 0, Infinity]), 'badInput', /not finite/);
	throws(() => body.setFrame([0, 0]), 'badInput', /position has 2/);
	throws(() => snug.collide(body, body), 'badArgument', /two different bodies/);
	throws(() => snug.collide(body, {}), 'badInput', /^an object is not a body/);
	throws(() => snug.collide(body, { isObject3D: true }), 'badInput', /fromMesh makes a body/);
	throws(() => body.setFrame([0, 0, 0], [0, 0, 0, 0.5]), 'badInput', /quaternion/);
	throws(() => model.createBody({ strategy: 'best' }), 'badInput', /strategy is "best"/);
	const posed = snug.createModel(skin).createBody();
	throws(() => posed.setJoints(translation(1, 2, 3)), 'badInput', /1.*2|2.*1/);
	throws(() => posed.setJoints([...translation(0, 0, 0), ...translation(NaN, 0, 0)]), 'badInput', /finite/);
	throws(() => posed.setJoints([...translation(0, 0, 0), ...translation(0, 0, 0).fill(2)]), 'badInput', /row/);
	throws(() => model.createBody().setFrame([1e300, 0, 0]) && snug.collide(body, model.createBody().setFrame([1e300, 0, 0])),
		'outOfRange', /./);
	assert.match(snug.createModel({ ...skin, weights: [1, 1, 1, 0] }).warnings.join(), /weight/);
});

test('a body of another instance is refused, and so is a disposed one', async () => {
	const other = await Snug.load(), model = snug.createModel(tetrahedron), body = model.createBody();
	throws(() => snug.collide(body, other.createModel(tetrahedron).createBody()), 'badInput', /another/);
	body.dispose();
	body.dispose();
	assert.ok(body.isDisposed);
	throws(() => body.setFrame([0, 0, 0]), 'badInput', /this body was disposed/);
	throws(() => snug.collide(body, model.createBody()), 'badInput', /disposed/);
	model.dispose();
	throws(() => model.createBody(), 'badInput', /this model was disposed/);
});

test('a model that is disposed before its bodies goes with the last of them', () => {
	const model = snug.createModel(tetrahedron), a = model.createBody(), b = model.createBody().setFrame([0.25, 0.25, 0.25]);
	model.dispose();
	assert.equal(snug.collide(a, b).length, 6);
	a.dispose();
	b.dispose();
});

test('memory stays as it is over create and dispose', () => {
	const cycles = Number(process.env.SNUG_WEB_CYCLES ?? 20000);
	const skin = { ...tetrahedron, jointCount: 1, influencesPerVertex: 1, joints: [0, 0, 0, 0], weights: [1, 1, 1, 1] };
	const cycle = () => {
		const model = snug.createModel(skin), a = model.createBody(), b = model.createBody();
		snug.collide(a.setJoints(translation(0.1, 0.1, 0.1)), b);
		a.dispose();
		model.dispose();
		b.dispose();
	};
	for (let i = 0; i < 100; ++i) cycle();
	const before = snug.memoryBytes;
	for (let i = 0; i < cycles; ++i) cycle();
	assert.equal(snug.memoryBytes, before);
});

test('what is forgotten is freed by the garbage collector, models after their bodies', async (t) => {
	if (!globalThis.gc) return t.skip('run with --expose-gc');
	const own = await Snug.load();
	const forget = (count) => {
		for (let i = 0; i < count; ++i) {
			own.createModel({ positions: new Float32Array(30000), triangles: [0, 1, 2] }).createBody();
		}
	};
	const settle = async () => {
		for (let i = 0; i < 3; ++i) {
			globalThis.gc();
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	};
	forget(20);
	await settle();
	const before = own.memoryBytes;
	for (let i = 0; i < 10; ++i) {
		forget(20);
		await settle();
	}
	assert.ok(own.memoryBytes <= before * 1.5, `${before} bytes became ${own.memoryBytes}`);
});

test('errors leave nothing behind', () => {
	const broken = { ...tetrahedron, triangles: [0, 1, 9] };
	const fail = () => assert.throws(() => snug.createModel(broken));
	for (let i = 0; i < 100; ++i) fail();
	const before = snug.memoryBytes;
	for (let i = 0; i < 5000; ++i) fail();
	assert.equal(snug.memoryBytes, before);
});

test('snug.wasm imports nothing', async () => {
	const module = new WebAssembly.Module(await readFile(new URL('package/snug.wasm', root)));
	assert.deepEqual(WebAssembly.Module.imports(module), []);
});

test('three.js is a peer, as are its types, nothing is needed, and declarations are found by the old rules as by the new', async () => {
	const { dependencies, peerDependencies, peerDependenciesMeta, exports, typesVersions, types } = JSON.parse(await readFile(new URL('package/package.json', root)));
	assert.equal(dependencies, undefined);
	assert.deepEqual(Object.keys(peerDependencies), ['three', '@types/three']);
	for (const name in peerDependencies) assert.equal(peerDependenciesMeta[name].optional, true);
	assert.equal(types, exports['.'].types);
	for (const [name, path] of Object.entries(typesVersions['*'])) assert.deepEqual(path, [exports[`./${name}`].types]);
	for (const { types: path } of Object.values(exports).filter((entry) => entry.types)) await access(new URL(`package/${path}`, root));
});

// A bundle in an engine that has no modules and no node: what it fetches, and what its last line gives.
async function runBundle(code, globals) {
	const { outputFiles: [{ text }], warnings } = await build({ stdin: { contents: code, resolveDir: fileURLToPath(new URL('test', root)) },
		bundle: true, write: false, logLevel: 'silent', preserveSymlinks: true }); // the last as if it had been installed
	assert.deepEqual(warnings, []);
	const fetched = [], wasm = await readFile(new URL('package/snug.wasm', root));
	const fetch = async (url) => (fetched.push(String(url)), new Response(wasm, { headers: { 'content-type': 'application/wasm' } }));
	const context = createContext({ URL, Response, WebAssembly, TextEncoder, TextDecoder, console, performance, fetch, ...globals });
	runInContext(text, context);
	return { fetched, answer: await context.answer };
}

test('esbuild bundles it without flags; such a bundle looks beside the page, or asks', async () => {
	const code = `import { Snug } from 'snugmesh';
		import { fromMesh } from 'snugmesh/three';
		globalThis.answer = Snug.load().then((snug) => snug.version + typeof fromMesh, ({ name, message }) => name + ' ' + message);`;
	const { fetched, answer } = await runBundle(code, { location: { href: 'https://example.org/app/?q' } });
	assert.deepEqual(fetched, ['https://example.org/app/snug.wasm']);
	assert.equal(answer, `${snug.version}function`);
	assert.match((await runBundle(code, {})).answer, /^SnugError .*give Snug\.load the path of snug\.wasm/);
});

test('make install installs the page of snug view', { skip: skipWithout('program', process.env.SNUG_PROGRAM, 'SNUG_PROGRAM names none') }, async (t) => {
	const prefix = await mkdtemp(`${tmpdir()}/snug-install-`);
	t.after(() => rm(prefix, { recursive: true }));
	execFileSync('make', ['install', `PREFIX=${prefix}`], { cwd: new URL('../../', root), stdio: 'ignore' });
	const server = spawn(`${prefix}/bin/snug`, ['view']);
	t.after(() => server.kill());
	const text = await new Promise((resolve, reject) => {
		server.stdout.on('data', resolve);
		server.on('exit', () => reject(new Error('snug view gave up')));
	});
	const page = await (await fetch(String(text).match(/http:\S+/)[0])).text();
	assert.equal(page, await readFile(new URL('snug.html', root), 'utf8'));
});

// Blocks with the checksums that their bytes have, so that loading looks further: by a program, see repair.c.
function repairChecksums(blocks) {
	const input = Buffer.concat(blocks.flatMap((block) => [Buffer.from(new Uint32Array([block.length]).buffer), block]));
	const output = execFileSync(process.env.SNUG_REPAIR, { input, maxBuffer: 2 * input.length }), repaired = [];
	for (let at = 0; at < output.length; at += 4 + output.readUInt32LE(at)) {
		repaired.push(new Uint8Array(output.subarray(at + 4, at + 4 + output.readUInt32LE(at))));
	}
	return repaired;
}

// Some bytes changed, or the end cut off.
function damage(block, round, random) {
	const bytes = block.slice(0, round % 10 === 0 ? Math.floor(block.length * random()) : block.length);
	for (let k = 0; k < 1 + round % 4; ++k) {
		bytes[Math.floor(random() * bytes.length)] = [0, 255, 128, 1, Math.floor(256 * random())][round % 5];
	}
	return bytes;
}

test('hostile bytes throw or work, and never trap', { skip: skipWithout('program', process.env.SNUG_REPAIR, 'SNUG_REPAIR names none') }, () => {
	const random = makeRandom(7), models = [makeSheet(random, 5), { ...tetrahedron, displacements: [tetrahedron.positions] }];
	let loaded = 0, refused = 0;
	for (const definition of models) {
		const block = snug.createModel(definition).save();
		assert.deepEqual(repairChecksums([block])[0], block, 'the checksum is understood');
		repairChecksums(Array.from({ length: 1500 }, (_, round) => damage(block, round, random))).forEach((bytes, round) => {
			try {
				const model = snug.loadModel(bytes), a = model.createBody(), b = model.createBody();
				if (model.fieldCount > 0) a.setAmplitudes(new Float32Array(model.fieldCount).fill(0.3));
				snug.collide(a, b.setFrame([0.1, 0.1, 0.1]));
				++loaded;
				for (const thing of [a, b, model]) thing.dispose();
			} catch (error) {
				assert.ok(error instanceof SnugError, `round ${round}: ${error.stack}`);
				++refused;
			}
		});
	}
	assert.ok(loaded > 300 && refused > 600, `${loaded} loaded, ${refused} refused`);
	const model = snug.createModel(tetrahedron);
	assert.equal(snug.collide(model.createBody(), model.createBody().setFrame([0.25, 0.25, 0.25], [0, 0, 0, 0])).length, 6);
});

test('what the program packs loads, and is saved as it was', async () => {
	const packed = new URL('test/man.snug', root).pathname, program = process.env.SNUG_PROGRAM;
	assert.ok(program, 'SNUG_PROGRAM names the program');
	execFileSync(program, ['pack', new URL('site/man.glb', root).pathname, '-o', packed]);
	const bytes = new Uint8Array(await readFile(packed)), model = snug.loadModel(bytes);
	assert.deepEqual(model.save(), bytes);
	assert.deepEqual([model.jointCount, model.fieldCount, model.deformer], [27, 3, 'skin']);
	const { starts, joints, weights } = model.getWeights(), parts = { positions: model.getPositions(), triangles: model.getTriangles() };
	const again = snug.createModel({ ...parts, joints, weights, influenceStarts: starts, jointCount: 27, fields: model.getFields() });
	assert.deepEqual(again.getPositions(), parts.positions);
	assert.deepEqual(again.getTriangles(), parts.triangles);
	assert.deepEqual(again.getFields(), model.getFields());
});

// A mesh with a morph target, as a file.
function makeGltf(positions, triangles, target) {
	const arrays = [positions, target, triangles], bytes = Buffer.concat(arrays.map(({ buffer }) => new Uint8Array(buffer)));
	const bound = (reduce) => [0, 1, 2].map((k) => positions.filter((_, i) => i % 3 === k).reduce((x, y) => reduce(x, y)));
	const vectors = { componentType: 5126, count: positions.length / 3, type: 'VEC3', min: bound(Math.min), max: bound(Math.max) };
	return JSON.stringify({ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
		meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 2, targets: [{ POSITION: 1 }] }] }],
		accessors: [{ ...vectors, bufferView: 0 }, { ...vectors, bufferView: 1 }, { bufferView: 2, componentType: 5125, count: triangles.length, type: 'SCALAR' }],
		bufferViews: arrays.map(({ byteLength }, i) => ({ buffer: 0, byteLength, byteOffset: [0, positions.byteLength, 2 * positions.byteLength][i] })),
		buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}` }] });
}

test('certificates of packed models are used, and pairs are those without', async () => {
	// A ring, of which the sides come towards each other.
	const around = 40, across = 16, turn = 2 * Math.PI, grid = Array.from({ length: around * across }, (_, i) => [Math.floor(i / across), i % across]);
	const positions = Float32Array.from(grid.flatMap(([i, k]) => {
		const [a, b] = [turn * i / around, turn * k / across], r = 1 + 0.4 * Math.cos(b);
		return [r * Math.cos(a), r * Math.sin(a), 0.4 * Math.sin(b)];
	}));
	const at = (i, k) => i % around * across + k % across;
	const triangles = Uint32Array.from(grid.flatMap(([i, k]) => [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k), at(i + 1, k + 1), at(i, k + 1)]));
	const target = positions.map((x, i) => (i % 3 === 0 ? -x * x * x : 0)), file = new URL('test/knot.gltf', root).pathname;
	await writeFile(file, makeGltf(positions, triangles, target));
	const [plain, body] = await Promise.all([[], ['--self']].map(async (options, i) => {
		execFileSync(process.env.SNUG_PROGRAM, ['pack', ...options, file, '-o', `${file}${i}.snug`]);
		return snug.loadModel(new Uint8Array(await readFile(`${file}${i}.snug`))).createBody();
	}));
	const costs = [0.001, 0.1, 0.5, 1].map((amplitude) => {
		const expected = snug.collideSelf(plain.setAmplitudes([amplitude]));
		assert.equal(snug.counters.certified, 0);
		assert.deepEqual(snug.collideSelf(body.setAmplitudes([amplitude])), expected);
		return [expected.length, snug.counters.certified, snug.counters.volumeTests];
	});
	assert.ok(costs[0][1] > 0 && costs[0][2] === 0 && costs[3][0] > 0, `${costs}`);
});
