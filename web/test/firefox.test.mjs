// The page in Debian's Firefox, by Firefox's own protocol for tests (Marionette): the same pairs as in node. Skipped
// without Firefox. SNUG_PAGE is the address of another page than `snug view` serves. The page's other tests are in browser.test.mjs: playwright-core needs a Firefox of its own.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Snug } from 'snugmesh';
import { fromMesh } from 'snugmesh/three';
import { loadCreature, loadMan } from './characters.mjs';
import { skipWithout } from './skip.mjs';

const executable = process.env.FIREFOX ?? ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync);
const skip = skipWithout('firefox', executable, 'no Firefox (tools/install-dependencies firefox)');

function findPort() {
	return new Promise((resolve) => {
		const server = createServer().listen(0, '127.0.0.1', () => {
			const { port } = server.address();
			server.close(() => resolve(port));
		});
	});
}

// Commands and answers are JSON with its length in front.
class Marionette {
	#next = 0;
	#waiting = new Map();
	#bytes = Buffer.alloc(0);

	constructor(socket) {
		this.socket = socket;
		socket.on('data', (data) => this.#read(data));
	}

	#read(data) {
		this.#bytes = Buffer.concat([this.#bytes, data]);
		for (;;) {
			const colon = this.#bytes.indexOf(':'), length = Number(this.#bytes.subarray(0, colon));
			if (colon < 0 || this.#bytes.length < colon + 1 + length) return;
			const message = JSON.parse(this.#bytes.subarray(colon + 1, colon + 1 + length));
			this.#bytes = this.#bytes.subarray(colon + 1 + length);
			if (!Array.isArray(message)) continue; // a greeting
			const [, id, error, value] = message, { resolve, reject } = this.#waiting.get(id);
			if (error) reject(new Error(error.message)); else resolve(value?.value ?? value);
		}
	}

	call(name, parameters = {}) {
		const id = ++this.#next, text = JSON.stringify([0, id, name, parameters]);
		this.socket.write(`${Buffer.byteLength(text)}:${text}`);
		return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
	}

	// Call a function in the page and wait for what it gives.
	run(f) {
		const script = `const done = arguments[arguments.length - 1]; (${f})().then(done, (error) => done('error: ' + error));`;
		return this.call('WebDriver:ExecuteAsyncScript', { script, args: [], sandbox: null, newSandbox: true, scriptTimeout: 90000 });
	}
}

async function knock(port) {
	for (let i = 0; i < 300; ++i) {
		const socket = await new Promise((resolve) => {
			const s = connect(port, '127.0.0.1', () => resolve(s)).on('error', () => resolve(null));
		});
		if (socket) return new Marionette(socket);
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	throw new Error('Firefox does not answer');
}

async function openFirefox(t) {
	const profile = await mkdtemp(join(tmpdir(), 'snug-firefox-')), port = await findPort();
	const wishes = { 'marionette.port': port, 'webgl.force-enabled': true, 'webgl.forbid-software': false, 'datareporting.policy.dataSubmissionEnabled': false };
	await writeFile(join(profile, 'user.js'), Object.entries(wishes).map(([k, v]) => `user_pref(${JSON.stringify(k)}, ${v});\n`).join(''));
	// Without a screen Firefox draws nothing by WebGL: Xvfb is one.
	const options = ['--marionette', '--no-remote', '--profile', profile, 'about:blank'], screen = existsSync('/usr/bin/xvfb-run');
	const child = spawn(screen ? '/usr/bin/xvfb-run' : executable, screen ? ['-a', executable, ...options] : ['--headless', ...options],
		{ stdio: 'ignore', detached: true });
	t.after(async () => {
		process.kill(-child.pid);
		await new Promise((resolve) => (child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve()));
		await rm(profile, { recursive: true, force: true });
	});
	return knock(port);
}

async function servePage(t) {
	const server = spawn(process.env.SNUG_PROGRAM, ['view']);
	t.after(() => server.kill());
	return new Promise((resolve) => server.stdout.once('data', (text) => resolve(String(text).trim())));
}

test('at first sight in Firefox: pairs as in node', { skip }, async (t) => {
	const url = process.env.SNUG_PAGE ?? await servePage(t);
	const firefox = await openFirefox(t);
	t.after(() => firefox.socket.destroy());
	await firefox.call('WebDriver:NewSession', {});
	await firefox.call('WebDriver:Navigate', { url: `${url}?still` });
	const state = await firefox.run(async () => {
		const text = (id) => document.getElementById(id).textContent, root = document.querySelector('.viewer');
		for (let i = 0; i < 800 && root.dataset.ready === undefined && text('error') === ''; ++i) await new Promise((resolve) => setTimeout(resolve, 100));
		return { complaint: text('error'), pairs: text('pairs'), total: text('total'), draws: root.classList.contains('live') };
	});
	if (!state.draws && state.complaint === '') t.diagnostic('no WebGL here');
	const snug = await Snug.load(), man = await loadMan(), creature = await loadCreature();
	creature.group.position.set(0.05, 0, 1.2);
	creature.group.rotation.y = Math.PI / 2;
	man.setTime('kick', 0.8);
	creature.setTime('idle', 0.8);
	const expected = snug.collide(fromMesh(snug, man.group), fromMesh(snug, creature.group)).length / 2;
	assert.equal(state.complaint, '');
	assert.equal(state.pairs, `${expected} pairs`);
	assert.match(state.total, /of 25,512$/);
});
