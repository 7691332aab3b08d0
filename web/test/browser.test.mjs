// The page in Chromium, served by `snug view`: what a person sees and does. Skipped without Chromium.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import * as THREE from 'three';
import { Snug } from 'snugmesh';
import { fromMesh } from 'snugmesh/three';
import { loadCreature, loadMan, root } from './characters.mjs';
import { skipWithout } from './skip.mjs';

const executablePath = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const skip = skipWithout('chromium', executablePath, 'no Chromium (tools/install-dependencies web-test)');
const shots = new URL('shots/', root).pathname;
let browser;

before(async () => {
	if (skip) return;
	await mkdir(shots, { recursive: true });
	// Software rendering: machines that test have no graphics card.
	browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
});

after(() => browser?.close());

// Serve files as a user would, and open the page. Whatever the console complains of fails the test at its end.
async function view(t, { files = [], query = '?still', size = { width: 1200, height: 750 }, path = '', script, waits = path === '', ...context } = {}) {
	const server = spawn(process.env.SNUG_PROGRAM, ['view', ...files]);
	t.after(() => server.kill());
	const url = await new Promise((resolve, reject) => {
		server.stdout.once('data', (text) => resolve(String(text).trim()));
		server.stderr.once('data', (text) => reject(new Error(String(text))));
	});
	const page = await browser.newPage({ viewport: size, ...context }), complaints = [];
	t.after(() => page.close());
	page.setDefaultTimeout(120000); // a processor that draws crowds beside other work takes long; a hang, for ever
	page.on('pageerror', (error) => complaints.push(String(error)));
	page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
	if (script) await page.addInitScript(script);
	await page.goto(url + path + query);
	if (waits) await page.waitForFunction(() => window.viewer?.isReady);
	return { page, complaints, quiet: () => assert.deepEqual(complaints.filter((text) => !/GPU stall|GL Driver Message/.test(text)), []) };
}

const text = (page, id) => page.locator(`#${id}`).textContent();
// The first number of a text, which may have commas.
const number = async (page, id) => Number(/^[0-9,.]+/.exec(await text(page, id))[0].replaceAll(',', ''));

// How many pixels of the picture are contact red or orange: nothing else in it is.
async function countMarked(page) {
	return page.evaluate(() => {
		viewer.stage.draw();
		const gl = viewer.stage.renderer.getContext(), { drawingBufferWidth: w, drawingBufferHeight: h } = gl;
		const pixels = new Uint8Array(4 * w * h);
		gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
		let marked = 0;
		for (let i = 0; i < pixels.length; i += 4) if (pixels[i] > 225 && pixels[i + 1] < 180 && pixels[i + 2] < 90) ++marked;
		return marked;
	});
}

// What node finds for the page's first sight.
async function expectedPairs(time) {
	const snug = await Snug.load(), man = await loadMan(), creature = await loadCreature();
	creature.group.position.set(0.05, 0, 1.2);
	creature.group.rotation.y = THREE.MathUtils.degToRad(90);
	man.setTime('kick', time);
	creature.setTime('idle', time);
	return snug.collide(fromMesh(snug, man.group), fromMesh(snug, creature.group));
}

async function drop(page, files, where = 0.25) {
	const contents = await Promise.all(files.map(async ([name, path]) => ({ name, base64: (await readFile(path)).toString('base64') })));
	await page.evaluate(([list, at]) => {
		const transfer = new DataTransfer();
		for (const { name, base64 } of list) transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
		const { left, width } = document.getElementById('view').getBoundingClientRect();
		window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true, clientX: left + at * width }));
	}, [contents, where]);
}

test('at first sight a man kicks a creature: pairs as in node, contacts painted, few vertices', { skip }, async (t) => {
	const { page, quiet } = await view(t), pairs = await expectedPairs(0.8);
	assert.ok(pairs.length > 50);
	assert.equal(await number(page, 'pairs'), pairs.length / 2);
	assert.deepEqual(await page.evaluate(() => [...viewer.state.pairs]), [...pairs], 'the same triangles');
	assert.match(await text(page, 'vertices'), /^[1-9][0-9,]* of 25,512$/);
	assert.ok(await number(page, 'vertices') < 3000);
	assert.match(await text(page, 'joints'), /right foot – spine 1/);
	assert.ok(await page.evaluate(() => viewer.timeline.contactFrames) > 5);
	const marked = await countMarked(page);
	assert.ok(marked > 60, `${marked} pixels are marked`);
	await page.screenshot({ path: `${shots}desktop.png` });
	await page.evaluate(() => viewer.setTime(0));
	assert.equal(await countMarked(page), 0, 'none without contact');
	assert.equal(await number(page, 'pairs'), 0);
	quiet();
});

test('deforming everything instead gives the same pairs from all vertices', { skip }, async (t) => {
	const { page, quiet } = await view(t), before = await text(page, 'pairs');
	await page.getByRole('switch', { name: 'Deform everything instead' }).check();
	await page.evaluate(() => viewer.setTime(viewer.state.time));
	assert.equal(await text(page, 'pairs'), before);
	assert.match(await text(page, 'vertices'), /^all 25,512\b/);
	quiet();
});

test('a crowd: the pairs that all pairs of bodies give, red where they touch, and back to two', { skip }, async (t) => {
	const { page, quiet } = await view(t), slider = page.locator('#crowd');
	await slider.fill('45'); // 2 * 500^0.45
	assert.equal(await number(page, 'crowd-count'), 33);
	const { found, all, members } = await page.evaluate(() => {
		const { crowd, found } = viewer.state, bodies = crowd.members.map(({ body }) => body);
		let all = 0;
		for (let i = 0; i < bodies.length; ++i) for (let k = 0; k < i; ++k) all += viewer.snug.touches(bodies[i], bodies[k]) ? 1 : 0;
		return { found, all, members: bodies.length };
	});
	assert.equal(members, 33);
	assert.match(await text(page, 'vertices'), /^[1-9][0-9,]* of 42[0-9],[0-9]{3}$/);
	assert.ok(all > 3, `${all} pairs touch`);
	assert.equal(found.pairs, all);
	assert.equal(await number(page, 'pairs'), all);
	assert.match(await text(page, 'joints'), /^[1-9][0-9]* characters touch another/);
	await page.screenshot({ path: `${shots}crowd.png` });
	await page.getByRole('switch', { name: 'Deform everything instead' }).check();
	assert.equal(await number(page, 'pairs'), all, 'deforming everything finds the same');
	await page.getByRole('switch', { name: 'Deform everything instead' }).uncheck();
	const before = await page.evaluate(() => viewer.snug.memoryBytes);
	for (const value of ['60', '45', '60', '45', '0']) await slider.fill(value);
	assert.ok(await page.evaluate(() => viewer.snug.memoryBytes) < 2 * before, 'crowds are disposed of');
	assert.equal(await page.evaluate(() => viewer.state.crowd), null);
	assert.equal(await number(page, 'pairs'), (await expectedPairs(0.8)).length / 2);
	quiet();
});

test('dropped files take the place of the characters', { skip }, async (t) => {
	const { page, quiet } = await view(t, { query: '' }), site = new URL('site/', root).pathname;
	await drop(page, [['one.glb', `${site}creature.glb`], ['two.glb', `${site}man.glb`]]);
	await page.waitForFunction(() => document.querySelector('[data-slot="1"] legend').textContent === 'two.glb, 24,800 triangles');
	assert.equal(await page.locator('[data-slot="0"] legend').textContent(), 'one.glb, 26,216 triangles');
	await page.waitForFunction(() => viewer.timeline.isDone);
	await page.getByLabel('Distance').fill('0.3');
	await page.waitForFunction(() => /^[1-9]/.test(document.getElementById('pairs').textContent));
	await page.getByLabel('Clip of the second character').selectOption({ label: 'walk' });
	await drop(page, [['three.glb', `${site}man.glb`]], 0.75);
	await page.waitForFunction(() => document.querySelector('[data-slot="1"] legend').textContent.startsWith('three.glb'));
	quiet();
});

test('a file that is none says so, and the page goes on', { skip }, async (t) => {
	const { page, quiet } = await view(t), path = new URL('test/garbage.glb', root).pathname;
	await writeFile(path, 'not a model');
	await drop(page, [['garbage.glb', path]]);
	await page.getByRole('alert').waitFor();
	assert.match(await text(page, 'error'), /^garbage\.glb: ./);
	await writeFile(path, 'snugmodl and nothing more');
	await drop(page, [['garbage.snug', path]]);
	await page.waitForFunction(() => /garbage\.snug: ./.test(document.getElementById('error').textContent));
	await page.evaluate(() => viewer.setTime(0.8));
	assert.ok(await number(page, 'pairs') > 0);
	quiet();
});

test('a browser that cannot draw is told so', { skip }, async (t) => {
	const script = () => (HTMLCanvasElement.prototype.getContext = () => null);
	const { page, complaints } = await view(t, { script, waits: false });
	await page.getByRole('alert').waitFor();
	assert.match(await text(page, 'error'), /^This browser cannot draw here: .*WebGL/);
	assert.ok(await page.locator('#loading').isHidden());
	assert.ok(complaints.length > 0);
});

test('keyboard and screen reader: everything has a name, works by keys, and is announced', { skip }, async (t) => {
	const { page, quiet } = await view(t);
	const nameless = await page.evaluate(() => [...document.querySelectorAll('input, select, button, canvas:not([aria-hidden])')]
		.filter((e) => !(e.getAttribute('aria-label') || e.labels?.[0]?.textContent.trim() || e.textContent.trim())).map((e) => e.outerHTML));
	assert.deepEqual(nameless, []);
	await page.locator('#view').focus();
	const at = () => page.evaluate(() => viewer.state.time), start = await at();
	await page.keyboard.press('.');
	assert.ok(Math.abs(await at() - start - 1 / 30) < 1e-9);
	await page.keyboard.press(',');
	await page.keyboard.press('Space');
	assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 1);
	await page.keyboard.press('Space');
	assert.equal(await page.getByRole('button', { name: 'Play' }).count(), 1);
	assert.match(await text(page, 'spoken'), /right foot touches spine 1/);
	await page.getByRole('slider', { name: /Time/ }).fill('0');
	assert.equal(await number(page, 'pairs'), 0);
	assert.equal(await text(page, 'spoken'), 'no contact');
	const before = await page.evaluate(() => viewer.stage.camera.position.x);
	const box = await page.locator('#view').boundingBox();
	await page.mouse.move(box.x + 300, box.y + 300);
	await page.mouse.down();
	await page.mouse.move(box.x + 400, box.y + 300);
	await page.mouse.up();
	assert.notEqual(await page.evaluate(() => { viewer.stage.draw(); return viewer.stage.camera.position.x; }), before, 'it orbits');
	quiet();
});

test('on a phone everything fits and can be touched', { skip }, async (t) => {
	const { page, quiet } = await view(t, { size: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
	assert.ok((await page.locator('#view').boundingBox()).height > 250);
	assert.ok((await page.locator('#play').boundingBox()).height >= 40);
	await page.locator('#play').tap();
	assert.equal(await text(page, 'play'), 'Pause');
	await page.locator('#play').tap();
	await page.screenshot({ path: `${shots}phone.png` });
	await page.setViewportSize({ width: 844, height: 390 });
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 844);
	quiet();
});

test('named files are shown: two characters, and modes that the GPU adds', { skip }, async (t) => {
	const path = new URL('test/plate.snug', root).pathname, plate = new THREE.BoxGeometry(1, 0.05, 1, 24, 1, 24), snug = await Snug.load();
	const { array } = plate.attributes.position;
	const bend = Float32Array.from(array, (_, i) => (i % 3 === 1 ? array[i - 1] ** 2 - 0.1 : 0));
	await writeFile(path, snug.createModel({ positions: array, triangles: plate.index.array, displacements: [bend] }).save());
	const { page, quiet } = await view(t, { files: [path, path] });
	assert.match(await page.locator('[data-slot="0"] legend').textContent(), /^plate\.snug/);
	assert.deepEqual(await page.getByLabel('Clip of the first character').locator('option').allTextContents(), ['at rest', 'mode 1']);
	await page.getByLabel('Distance').fill('0.05');
	await page.getByLabel('Turn of the second').fill('30');
	await page.evaluate(() => viewer.setTime(0.2));
	assert.ok(await number(page, 'pairs') > 0);
	assert.ok(await countMarked(page) > 20);
	await page.screenshot({ path: `${shots}modes.png` });
	quiet();
});

test('the worker of the README finds the same pairs', { skip }, async (t) => {
	const readme = await readFile(new URL('package/README.md', root), 'utf8'), [, code] = readme.match(/```js\n(\/\/ worker\.mjs\n.*?)```/s);
	const site = new URL('site/', root);
	// Import maps do not reach workers.
	await writeFile(new URL('readme-worker.mjs', site), code.replace("'snugmesh'", "'./snugmesh/snug.mjs'"));
	const { page, quiet } = await view(t);
	const [there, here] = await page.evaluate(() => new Promise((resolve) => {
		const worker = new Worker('readme-worker.mjs', { type: 'module' }), bodies = viewer.slots.map((c) => c.bodies[0]);
		const identity = (n) => Float32Array.from({ length: 16 * n }, (_, i) => (i % 16 % 5 === 0 ? 1 : 0));
		const joints = bodies.map((body, i) => {
			const matrices = identity(body.model.jointCount);
			for (let k = 12; k < matrices.length; k += 16) matrices[k + 2] = 0.4 * i;
			return matrices;
		});
		worker.onmessage = ({ data }) => {
			bodies.forEach((body, i) => body.setJoints(joints[i]).setAmplitudes(new Float32Array(body.model.fieldCount)));
			resolve([[...data], [...viewer.snug.collide(...bodies)]]);
		};
		setTimeout(() => {
			worker.postMessage({ models: bodies.map((body) => body.model.save()) });
			worker.postMessage({ joints });
		}, 500); // its handler is there once the library has loaded
	}));
	assert.ok(there.length > 10, `${there.length / 2} pairs`);
	assert.deepEqual(there, here);
	quiet();
});

test('beside three-mesh-bvh: the same counts in every frame', { skip }, async (t) => {
	const { page, quiet } = await view(t, { path: 'compare/compare.html', query: '?frames=4&rounds=1' });
	await page.getByRole('button', { name: 'Measure' }).click();
	await page.waitForFunction(() => document.getElementById('state').textContent === 'done');
	const rows = await page.locator('#rows tr').evaluateAll((list) => list.map((row) => [...row.cells].map((cell) => cell.textContent)));
	assert.equal(rows.length, 9);
	for (const row of rows) assert.equal(row[6], '4 of 4', row.join(' '));
	quiet();
});
