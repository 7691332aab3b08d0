// The site in Chromium, as readers see it: every page, on a desk and on a phone, by day and by night. Skipped without
// Chromium. SNUG_SITE names the folder that `make site` has made.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { findFaults } from './faults.mjs';

const executablePath = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const skip = executablePath ? false : 'no Chromium (apt-get install chromium)';
const root = process.env.SNUG_SITE;
const types = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.mjs': 'text/javascript', '.svg': 'image/svg+xml', '.png': 'image/png', '.json': 'application/json', '.wasm': 'application/wasm' };
const MOST_BYTES = 500000;
let browser, server, address, sentBytes = 0;

before(async () => {
	if (skip) return;
	server = createServer(async (request, response) => {
		const path = normalize(join(root, decodeURIComponent(new URL(request.url, 'http://localhost').pathname)));
		try {
			assert(path.startsWith(root));
			const bytes = await readFile(path.endsWith('/') ? path + 'index.html' : path);
			// Compressed, as web servers send text.
			const sent = extname(path) === '.png' ? bytes : gzipSync(bytes);
			if (sent !== bytes) response.setHeader('content-encoding', 'gzip');
			response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream');
			sentBytes += sent.length;
			response.end(sent);
		} catch {
			response.statusCode = 404;
			response.end();
		}
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	address = `http://127.0.0.1:${server.address().port}/`;
	browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});

after(async () => {
	await browser?.close();
	server?.close();
});

// The pages of the site itself; live/, scenes/ and the report of `snug check` are tested where they are made.
async function listPages(folder = '') {
	const pages = [];
	for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
		const name = folder + entry.name;
		if (entry.isDirectory() && !['live', 'scenes', 'assets', 'search', 'pictures'].includes(name)) pages.push(...await listPages(name + '/'));
		if (name.endsWith('.html') && !['404.html', 'kick-report.html'].includes(name)) pages.push(name);
	}
	return pages;
}

async function open(t, name, options) {
	const page = await browser.newPage(options), complaints = [];
	t.after(() => page.close());
	page.on('pageerror', (error) => complaints.push(String(error)));
	page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
	sentBytes = 0;
	await page.goto(address + name, { waitUntil: 'networkidle' });
	return { page, complaints, bytes: sentBytes };
}

const desk = { width: 1280, height: 900 }, phone = { width: 390, height: 844 };

test('every page: contrast, names, sizes, nothing wider than the window', { skip }, async (t) => {
	const pages = await listPages();
	assert(pages.length > 40, `only ${pages.length} pages`);
	const faults = new Map(); // fault -> where
	for (const [viewport, colorScheme] of [[desk, 'light'], [phone, 'dark'], [phone, 'light'], [desk, 'dark']]) {
		const page = await browser.newPage({ viewport, colorScheme });
		for (const name of pages) {
			await page.goto(address + name);
			for (const fault of await page.evaluate(findFaults)) faults.set(fault, [...(faults.get(fault) ?? []), `${name} ${viewport.width} ${colorScheme}`]);
		}
		await page.close();
	}
	assert.equal([...faults].map(([fault, places]) => `${fault}: ${places[0]} and ${places.length - 1} more`).join('\n'), '');
});

test('pages load little, without complaints, from here only', { skip }, async (t) => {
	for (const name of ['index.html', 'how-it-works.html', 'reference/snug_queries.html', 'program.html']) {
		const { page, complaints, bytes } = await open(t, name, { viewport: desk });
		const elsewhere = await page.evaluate(() => performance.getEntriesByType('resource').map((entry) => entry.name).filter((url) => !url.startsWith(location.origin)));
		assert.deepEqual(elsewhere, []);
		assert.deepEqual(complaints, []);
		// With the index that search fetches. Without it and uncompressed, docs/site/check.py sees to the same limit.
		assert(bytes > 0 && bytes <= MOST_BYTES, `${name}: ${bytes} bytes`);
		t.diagnostic(`${name}: ${bytes} bytes`);
	}
});

test('search finds functions and words', { skip }, async (t) => {
	const { page } = await open(t, 'index.html', { viewport: desk });
	const places = { snugBody_SetJoints: 'reference/snug.html#snugBody_SetJoints', SetJoints: 'reference/snug.html#snugBody_SetJoints',
		'dual quaternion': 'bounds/turning-skins.html', 'three.js': 'javascript.html' };
	for (const [words, place] of Object.entries(places)) {
		await page.click('.md-search__input');
		await page.fill('.md-search__input', '');
		await page.keyboard.type(words);
		await page.waitForFunction((place) => [...document.querySelectorAll('.md-search-result__link')].some((link) => link.href.split('?')[0].concat(new URL(link.href).hash).includes(place)), place, { timeout: 30000 });
	}
});

test('day and night by a button', { skip }, async (t) => {
	const { page } = await open(t, 'index.html', { viewport: desk, colorScheme: 'light' });
	const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	const day = await color();
	await page.click('label[title="Switch to dark"]');
	assert.notEqual(await color(), day);
});

test('a phone has a menu', { skip }, async (t) => {
	const { page } = await open(t, 'tutorial.html', { viewport: phone });
	await page.click('label.md-header__button[for="__drawer"]');
	await page.waitForSelector('.md-nav--primary >> text=Reference', { state: 'visible' });
});
