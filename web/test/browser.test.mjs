// The page in Chromium, from a disk and served by `snug view`: what a person sees and does. Skipped without Chromium.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
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

// Serve files as a user would.
async function serve(t, files) {
	const server = spawn(process.env.SNUG_PROGRAM, ['view', ...files]);
	t.after(() => server.kill());
	return new Promise((resolve, reject) => {
		server.stdout.once('data', (text) => resolve(String(text).trim()));
		server.stderr.once('data', (text) => reject(new Error(String(text))));
	});
}

// Open the page: from the disk, unless files or another page are to be served. Whatever the console complains of fails the
// test at its end.
async function view(t, { url: given, files, query = '?still', size = { width: 1200, height: 750 }, path = '', script, waits = path === '', ...context } = {}) {
	const url = files || path ? await serve(t, files ?? []) : (given ?? new URL('snug.html', root)).href;
	const page = await browser.newPage({ viewport: size, ...context }), complaints = [];
	t.after(() => page.close());
	page.setDefaultTimeout(120000); // a processor that draws crowds beside other work takes long; a hang, for ever
	page.on('pageerror', (error) => complaints.push(String(error)));
	page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
	if (script) await page.addInitScript(script);
	await page.goto(url + path + query);
	if (waits) await page.locator('.viewer[data-ready]').waitFor();
	return { page, complaints, quiet: () => assert.deepEqual(complaints.filter((text) => !/GPU stall|GL Driver Message/.test(text)), []) };
}

const text = (page, id) => page.locator(`#${id}`).textContent();
// The first number of a text, which may have commas.
const number = async (page, id) => Number(/^[0-9,.]+/.exec(await text(page, id))[0].replaceAll(',', ''));

// Go to a time, and draw. All that follows is of that frame.
const setTime = (page, seconds) => page.evaluate((time) => {
	const { viewer } = document.querySelector('.viewer');
	viewer.show(Math.round(30 * time));
	viewer.draw();
}, seconds);

// How many pixels of the picture are contact red: nothing else in it is.
async function countMarked(page) {
	return page.evaluate(() => {
		const { viewer } = document.querySelector('.viewer'), { gl } = viewer.painter, { drawingBufferWidth: w, drawingBufferHeight: h } = gl;
		viewer.draw();
		const pixels = new Uint8Array(4 * w * h);
		gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
		let marked = 0;
		for (let i = 0; i < pixels.length; i += 4) if (pixels[i] > 200 && pixels[i + 1] < 60 && pixels[i + 2] < 60) ++marked;
		return marked;
	});
}

// The timeline is complete.
const counted = (page) => page.waitForFunction(() => ((live) => live.known === live.total)(document.querySelector('.viewer').live));

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
		window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true, clientX: at * innerWidth }));
	}, [contents, where]);
}

test('at first sight a man kicks a creature: pairs as in node, contacts painted, few vertices', { skip }, async (t) => {
	const { page, quiet } = await view(t), pairs = await expectedPairs(0.8);
	assert.ok(pairs.length > 50);
	assert.equal(await number(page, 'pairs'), pairs.length / 2);
	assert.deepEqual(await page.evaluate(() => [...document.querySelector('.viewer').live.pairs]), [...pairs], 'the same triangles');
	assert.match(await text(page, 'total'), /of 25,512$/);
	assert.ok(await number(page, 'vertices') > 0 && await number(page, 'vertices') < 3000);
	assert.match(await text(page, 'joints'), /right foot.*spine 1/);
	await counted(page);
	assert.ok(await page.evaluate(() => document.querySelector('.viewer').live.bars.filter((count) => count > 0).length) > 5);
	const marked = await countMarked(page);
	assert.ok(marked > 60, `${marked} pixels are marked`);
	await page.screenshot({ path: `${shots}desktop.png`, fullPage: true });
	await setTime(page, 0);
	assert.equal(await countMarked(page), 0, 'none without contact');
	assert.equal(await number(page, 'pairs'), 0);
	quiet();
});

test('it draws what the library poses and finds: vertices, and the triangles that touch, as in node', { skip }, async (t) => {
	const { page } = await view(t), man = await loadMan(), snug = await Snug.load(), pairs = await expectedPairs(0.8);
	const { positions, corners } = await page.evaluate(() => (({ viewer }) => ({ positions: [...viewer.positions], corners: [...viewer.corners] }))(document.querySelector('.viewer')));
	man.setTime('kick', 0.8);
	const body = fromMesh(snug, man.group), vertices = body.getVertices(), triangles = body.model.getTriangles();
	assert.deepEqual(positions.slice(0, vertices.length), [...vertices]);
	const touching = new Set(pairs.filter((_, i) => i % 2 === 0)), expected = [...touching].flatMap((triangle) =>
		[...triangles.subarray(3 * triangle, 3 * triangle + 3)].flatMap((v) => [...vertices.subarray(3 * v, 3 * v + 3)]));
	assert.deepEqual(corners.slice(0, expected.length), expected);
});

test('one file, which fetches nothing and is no larger than 3 MB', { skip }, async (t) => {
	const bytes = await readFile(new URL('snug.html', root)), { page } = await view(t);
	assert.ok(bytes.length <= 3e6, `${bytes.length} bytes`);
	assert.deepEqual(await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => !/^(data|blob):/.test(name))), []);
});

test('deforming everything instead gives the same pairs from all vertices', { skip }, async (t) => {
	const { page, quiet } = await view(t), before = await text(page, 'pairs');
	await page.getByLabel('Deform all vertices').check();
	await setTime(page, 0.8);
	assert.equal(await text(page, 'pairs'), before);
	assert.ok(await number(page, 'vertices') >= 25512);
	quiet();
});

test('it plays, and every frame is asked about', { skip }, async (t) => {
	const { page, quiet } = await view(t, { query: '' });
	await page.waitForFunction(() => /[1-9]/.test(document.getElementById('pairs').textContent));
	await page.waitForFunction(() => document.getElementById('pairs').textContent === '0 pairs');
	quiet();
});

test('whoever wants no motion gets none', { skip }, async (t) => {
	const { page } = await view(t, { query: '', reducedMotion: 'reduce' });
	assert.equal(await page.evaluate(() => document.querySelector('.viewer').viewer.plays), false);
});

test('dropped files take the place of the characters', { skip }, async (t) => {
	const { page, quiet } = await view(t), site = new URL('site/', root).pathname;
	await drop(page, [['one.glb', `${site}creature.glb`], ['two.glb', `${site}man.glb`]]);
	await page.waitForFunction(() => document.querySelector('[data-slot="1"] legend').textContent === 'two.glb, 24,800 triangles');
	assert.equal(await page.locator('[data-slot="0"] legend').textContent(), 'one.glb, 26,216 triangles');
	await counted(page);
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
	await setTime(page, 0.8);
	assert.ok(await number(page, 'pairs') > 0);
	quiet();
});

test('a browser that cannot draw shows numbers and joints', { skip }, async (t) => {
	const script = () => (HTMLCanvasElement.prototype.getContext = () => null);
	const { page, quiet } = await view(t, { script }), pairs = await expectedPairs(0.8);
	assert.ok(await page.getByText('This browser does not draw here').isVisible());
	assert.equal(await number(page, 'pairs'), pairs.length / 2);
	assert.match(await text(page, 'joints'), /right foot.*spine 1/);
	await page.getByRole('slider', { name: 'Frame' }).fill('0');
	assert.equal(await number(page, 'pairs'), 0);
	quiet();
});

test('keyboard and screen reader: everything has a name, works by keys, and is announced', { skip }, async (t) => {
	const { page, quiet } = await view(t);
	const nameless = await page.evaluate(() => [...document.querySelectorAll('input, select, button, canvas:not([aria-hidden])')]
		.filter((e) => !(e.getAttribute('aria-label') || e.labels?.[0]?.textContent.trim() || e.textContent.trim())).map((e) => e.outerHTML));
	assert.deepEqual(nameless, []);
	await page.locator('.stage canvas').focus();
	const at = () => page.evaluate(() => document.querySelector('.viewer').viewer.at), start = await at();
	await page.keyboard.press('ArrowRight');
	assert.equal(await at(), start + 1);
	await page.keyboard.press('ArrowLeft');
	assert.match(await page.locator('output.now[aria-live=polite]').textContent(), /^0\.800 s · [1-9][0-9]* pairs$/);
	await page.keyboard.press('Space');
	assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 1);
	await page.keyboard.press('Space');
	assert.equal(await page.getByRole('button', { name: 'Play' }).count(), 1);
	await page.getByRole('slider', { name: 'Frame' }).fill('0');
	assert.equal(await number(page, 'pairs'), 0);
	const yaw = () => page.evaluate(() => document.querySelector('.viewer').viewer.camera.yaw), before = await yaw();
	const box = await page.locator('.stage canvas').boundingBox();
	await page.mouse.move(box.x + 300, box.y + 300);
	await page.mouse.down();
	await page.mouse.move(box.x + 400, box.y + 300);
	await page.mouse.up();
	assert.notEqual(await yaw(), before, 'it turns');
	quiet();
});

// A page of snug check.
function makeReport() {
	const report = new URL('test/report.html', root), characters = ['man', 'creature'].map((name) => new URL(`site/${name}.glb`, root).pathname);
	const { status } = spawnSync(process.env.SNUG_PROGRAM, ['check', ...characters, '--clip', 'kick', '--clip', 'idle', '--place', '0,0,0', '--place', '0,0,0.9',
		'--fps', '10', '--by-joint', '--html', report.pathname]);
	assert.equal(status, 0);
	return report;
}

test('the timeline of a recording is dragged, and ends where the run does', { skip }, async (t) => {
	const { page, quiet } = await view(t, { url: makeReport(), waits: false }), at = () => page.evaluate(() => document.querySelector('.viewer').viewer.at);
	await page.locator('.viewer.live').waitFor();
	const { frames, total } = await page.evaluate(() => (({ frames, total }) => ({ frames, total }))(document.querySelector('.viewer').viewer.source));
	assert.equal(frames.length, total);
	assert.equal(await page.locator('.timeline span').last().textContent(), `${frames[total - 1].time.toFixed(2)} s`);
	await page.locator('.timeline').scrollIntoViewIfNeeded();
	const { x, y, width } = await page.locator('.timeline svg').boundingBox(), move = (frame) => page.mouse.move(x + (frame + 0.5) / total * width, y + 20);
	await move(7);
	await page.mouse.down();
	assert.equal(await at(), 7);
	await move(3);
	assert.equal(await at(), 3);
	await page.mouse.up();
	await move(9);
	assert.equal(await at(), 3);
	quiet();
});

test('axe has nothing to say of the page, nor of one of snug check, in light and in dark', { skip }, async (t) => {
	const axe = await readFile(new URL('node_modules/axe-core/axe.min.js', root), 'utf8'), report = makeReport();
	for (const [url, colorScheme] of [undefined, report].flatMap((which) => ['light', 'dark'].map((scheme) => [which, scheme]))) {
		const { page } = await view(t, { url, waits: url === undefined, colorScheme, bypassCSP: true });
		if (url) await page.locator('.viewer.live').waitFor();
		await page.evaluate(axe);
		const { violations } = await page.evaluate(() => axe.run());
		assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html]), []);
	}
});

test('on a phone everything fits and can be touched', { skip }, async (t) => {
	const { page, quiet } = await view(t, { size: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
	assert.ok((await page.locator('.stage canvas').boundingBox()).height > 250);
	const play = page.locator('button.play');
	assert.ok((await play.boundingBox()).height >= 36);
	await play.tap();
	assert.equal(await play.getAttribute('aria-label'), 'Pause');
	await play.tap();
	await page.screenshot({ path: `${shots}phone.png`, fullPage: true });
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
	await page.getByLabel('Turn').fill('30');
	await setTime(page, 0.2);
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
	const { page, quiet } = await view(t, { path: 'index.html', waits: true, bypassCSP: true }); // our page lets no worker start
	const [there, here] = await page.evaluate(() => new Promise((resolve, reject) => {
		const worker = new Worker('readme-worker.mjs', { type: 'module' }), { live } = document.querySelector('.viewer'), bodies = live.asked;
		const identity = (n) => Float32Array.from({ length: 16 * n }, (_, i) => (i % 16 % 5 === 0 ? 1 : 0));
		const joints = bodies.map((body, i) => {
			const matrices = identity(body.model.jointCount);
			for (let k = 12; k < matrices.length; k += 16) matrices[k + 2] = 0.4 * i;
			return matrices;
		});
		worker.onerror = () => reject(new Error('no worker'));
		worker.onmessage = ({ data }) => {
			bodies.forEach((body, i) => body.setJoints(joints[i]).setAmplitudes(new Float32Array(body.model.fieldCount)));
			resolve([[...data], [...live.snug.collide(...bodies)]]);
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
