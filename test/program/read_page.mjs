// What a page of `snug check` holds, read by the page's own viewer: contacts must be those that --json lists, positions
// those that `snug pose` writes.
// usage: node read_page.mjs PAGE contacts JSON
//        node read_page.mjs PAGE vertices FRAME BODY,... OBJ
import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const [page, mode, ...rest] = process.argv.slice(2), html = readFileSync(page, 'utf8');
const part = (id) => html.match(new RegExp(`id="${id}">([^<]*)</script>`))[1];
const script = html.match(/<script>\n([^]*?)<\/script>/)[1];
const context = vm.createContext({ atob, Blob, Response, DecompressionStream, document: { querySelectorAll: () => [] } });
const Recording = vm.runInContext(`${script}\nRecording`, context);
const recording = await Recording.read(JSON.parse(part('run-header')), part('run-data'));
const fail = (text) => {
	console.error(text);
	process.exit(1);
};

// @return for each body the triangles that are in pairs, ascending
function listTriangles(pairs, bodyCount) {
	const lists = Array.from({ length: bodyCount }, () => new Set());
	for (const [bodyA, triangleA, bodyB, triangleB] of pairs) {
		lists[bodyA].add(triangleA);
		lists[bodyB].add(triangleB);
	}
	return lists.map((set) => [...set].sort((x, y) => x - y).join());
}

function compareContacts(file) {
	const lines = readFileSync(file, 'utf8').trim().split('\n').map(JSON.parse);
	let compared = 0;
	recording.frames.forEach(({ frame, pairs }, i) => {
		const expected = lines[frame], lists = listTriangles(expected.pairs, recording.bodies.length);
		if (expected.count !== pairs) fail(`frame ${frame}: ${pairs} pairs, not ${expected.count}`);
		recording.bodies.forEach((body, b) => {
			if ([...recording.getContacts(body, i)].join() !== lists[b]) fail(`frame ${frame}, body ${b}: other triangles`);
			compared += lists[b].length > 0;
		});
	});
	if (compared === 0) fail('nothing touches');
	console.log(`${recording.frames.length} frames`);
}

// Bodies with morph targets must be in a pose that they show in.
function compareVertices(frame, numbers, file) {
	const at = recording.frames.findIndex((f) => f.frame === Number(frame)), out = [];
	for (const number of numbers.split(',')) {
		const body = recording.bodies[number], { vertexCount, targetCount, poseSize } = body.mesh, positions = new Float32Array(3 * vertexCount);
		recording.pose(body, at, positions, 0);
		out.push(...positions);
		const amplitudes = body.motion.subarray(poseSize * (at + 1) - targetCount, poseSize * (at + 1));
		if (targetCount > 0 && amplitudes.every((a) => a === 0)) fail(`body ${number} does not morph`);
	}
	const expected = [...readFileSync(file, 'utf8').matchAll(/^v (.*)$/gm)].flatMap((line) => line[1].trim().split(/\s+/).slice(0, 3).map(Number));
	if (expected.length !== out.length) fail(`${out.length / 3} vertices, not ${expected.length / 3}`);
	const size = Math.max(...expected) - Math.min(...expected), most = Math.max(...expected.map((x, i) => Math.abs(x - out[i])));
	if (!(most <= 2e-4 * size)) fail(`a coordinate is off by ${most}, of ${size}`);
}

if (mode === 'contacts') compareContacts(...rest);
else compareVertices(...rest);
