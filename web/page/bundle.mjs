// Usage: node bundle.mjs WORK MODELS OUT.html
// Makes one file of the page, which runs from a disk: style, viewer, program, and the parts that the program reads (the
// library and two characters), compressed, in base64. WORK has node_modules and the npm package (tools/make-web). The same
// input gives the same bytes.
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';

const [work, models, out] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url)), modules = join(work, 'node_modules');
const read = (name) => readFile(join(here, name), 'utf8');

// The licences of what is inside go along.
async function bundle(name) {
	const { buildSync } = createRequire(join(work, 'package.json'))('esbuild');
	const { outputFiles } = buildSync({ entryPoints: [join(here, name)], nodePaths: [modules], bundle: true, minify: true, write: false,
		format: 'esm', target: 'es2022', charset: 'ascii', legalComments: 'inline' });
	const licences = await Promise.all([join(modules, 'three/LICENSE'), join(work, 'package/LICENSE')].map((path) => readFile(path, 'utf8')));
	return `/* three.js:\n${licences[0]}\nsnug:\n${licences[1]}*/\n${outputFiles[0].text}`;
}

const inScript = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const part = async (name, path) => `<script type="text/plain" id="${name}">${deflateSync(await readFile(path), { level: 9 }).toString('base64')}</script>\n`;
const parts = [['snug.wasm', join(work, 'package/snug.wasm')], ...['man.glb', 'creature.glb'].map((name) => [name, join(models, name)])];

// Each text once, by a function: what is put in may have a $.
const put = (page, [from, to]) => {
	if (page.split(from).length !== 2) throw new Error(`the page must have this once: ${from}`);
	return page.replace(from, () => to);
};
const page = [
	['href="icon.svg"', `href="data:image/svg+xml,${encodeURIComponent(await read('icon.svg'))}"`],
	['<link rel="stylesheet" href="page.css">', `<style>\n${await read('page.css')}</style>`],
	['<script src="viewer.js"></script>', (await Promise.all(parts.map((each) => part(...each)))).join('') + `<script>\n${inScript(await read('viewer.js'))}</script>`],
	['<script type="module" src="live.mjs"></script>', `<script type="module">\n${inScript(await bundle('live.mjs'))}</script>`],
].reduce(put, await read('snug.html'));
await writeFile(out, page);
