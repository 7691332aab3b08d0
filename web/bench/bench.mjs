// Usage: node bench.mjs MODELS_DIR NATIVE_PROGRAM [PAIRING...]
// Times and ratios of the same frames: natively, here, and by three-mesh-bvh. SNUG_FRAMES (120) and SNUG_ROUNDS (7).
// The least of several rounds for each frame, of those that take long in processor time: what a busy machine disturbs little.
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { Snug } from 'snugmesh';
import { makeSkinnedBvh, makeSnug, makeTunedBvh, measure } from './contestants.mjs';
import { kinds, loadCharacter, pairings, poseFrame } from './frames.mjs';
import { parseNative, record, replay } from './record.mjs';

const [directory, native, ...wanted] = process.argv.slice(2);
const frames = Number(process.env.SNUG_FRAMES ?? 120), rounds = Number(process.env.SNUG_ROUNDS ?? 7);
const clock = () => {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1e3;
};
const fixed = (x) => x.toFixed(3).padStart(8);

const wasm = await readFile(new URL('../package/snug.wasm', import.meta.url));
console.log(`snug.wasm: ${wasm.length} bytes, ${gzipSync(wasm, { level: 9 }).length} with gzip\n`);
const snug = await Snug.load(wasm);

function compareNative(recorded, path) {
	console.log('joints to pairs       mean ms    worst   pairs/frame  hash');
	const here = replay(snug, recorded, 3 * rounds, () => performance.now()), rows = [['wasm', here]];
	for (const isa of ['sse2', 'avx512']) {
		rows.push([isa, parseNative(String(execFileSync(native, [path, String(3 * rounds)], { env: { ...process.env, SNUG_ISA: isa } })))]);
	}
	kinds.forEach((kind, k) => {
		for (const [name, { results }] of rows) {
			const { mean, worst, count, hash } = results[k];
			console.log(`${kind.padEnd(6)} ${name.padEnd(12)} ${fixed(mean)} ${fixed(worst)} ${(count / frames).toFixed(1).padStart(9)}    ${hash}`);
		}
		console.log(`${kind.padEnd(6)} wasm / sse2  ${fixed(here.results[k].mean / rows[1][1].results[k].mean)}`);
	});
}

function comparePeers(pairing, characters) {
	console.log('\nbones to pairs        mean ms    worst   pairs/frame');
	for (const kind of kinds) {
		const setFrame = (frame) => poseFrame(pairing, characters, kind, frame);
		setFrame(0);
		const run = (make, times) => measure(make(), setFrame, frames, times, clock);
		const rows = [['snug', run(() => makeSnug(snug, characters), rounds)],
			['bottom up', run(() => makeSnug(snug, characters, 'bottomUp'), 3)],
			['tuned bvh', run(() => makeTunedBvh(characters), 3)],
			['skinned bvh', run(() => makeSkinnedBvh(characters), 1)]];
		const [, ours] = rows[0];
		for (const [name, { mean, worst, pairsPerFrame, pairs }] of rows) {
			const same = pairs.filter((count, i) => count === ours.pairs[i]).length;
			console.log(`${kind.padEnd(6)} ${name.padEnd(12)} ${fixed(mean)} ${fixed(worst)} ${pairsPerFrame.toFixed(1).padStart(9)}` +
				`    ${(mean / ours.mean).toFixed(1)} times ours; same count in ${same} of ${frames} frames`);
		}
	}
}

// From packed bytes to the first answer, in a library that has just been compiled.
async function measureStart(recorded) {
	const blocks = recorded.models.map((definition) => snug.createModel(definition).save()), times = [];
	for (let i = 0; i < 5; ++i) {
		const fresh = await Snug.load(await WebAssembly.compile(wasm)), begin = clock();
		const bodies = blocks.map((bytes) => fresh.loadModel(bytes).createBody());
		recorded.matrices[0][0].forEach((joints, k) => bodies[k].setJoints(joints));
		fresh.collide(bodies[0], bodies[1]);
		times.push(clock() - begin);
	}
	console.log(`\nmodels from packed bytes and first query: ${Math.min(...times).toFixed(1)} ms`);
}

// A hundred of the first character, 1.2 m apart, each in another frame of its clip, all posed anew in every frame.
function measureCrowd({ models, matrices }) {
	const model = snug.createModel(models[0]), scene = snug.createScene(), poses = matrices[0].map(([joints]) => joints);
	const bodies = Array.from({ length: 100 }, (_, i) => model.createBody().setFrame([1.2 * (i % 10), 0, 1.2 * Math.floor(i / 10)]));
	for (const body of bodies) scene.add(body);
	const best = new Array(poses.length).fill(Infinity);
	let pairs = 0;
	for (let round = 0; round < rounds; ++round) {
		for (let frame = 0; frame < poses.length; ++frame) {
			const begin = performance.now();
			bodies.forEach((body, i) => body.setJoints(poses[(frame + 7 * i) % poses.length]));
			scene.update();
			best[frame] = Math.min(best[frame], performance.now() - begin);
			pairs += round === 0 ? scene.pairs.length : 0;
		}
	}
	console.log(`100 characters: ${(best.reduce((x, y) => x + y, 0) / best.length).toFixed(2)} ms a frame, worst ${Math.max(...best).toFixed(2)}, ` +
		`${(pairs / best.length).toFixed(1)} pairs of bodies touch`);
}

for (const [name, pairing] of Object.entries(pairings)) {
	const paths = pairing.files.map((file) => `${name === 'ours' ? new URL('../site', import.meta.url).pathname : directory}/${file}`);
	if (wanted.length > 0 ? !wanted.includes(name) : name !== 'ours') continue;
	console.log(`== ${pairing.files.join(' and ')}, ${frames} frames`);
	const characters = await Promise.all(paths.map(async (path) => loadCharacter(new Uint8Array(await readFile(path)))));
	const recorded = record(pairing, characters, frames), file = new URL('../frames.bin', import.meta.url).pathname;
	await writeFile(file, recorded.bytes);
	compareNative(recorded, file);
	comparePeers(pairing, characters);
	await measureStart(recorded);
	measureCrowd(recorded);
}
