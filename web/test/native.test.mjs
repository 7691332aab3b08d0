// Bit for bit what native code answers: models, and the pairs of every frame, on every instruction set of this machine.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { Snug } from 'snugmesh';
import { kinds, loadCharacter, pairings } from '../bench/frames.mjs';
import { parseNative, record, replay } from '../bench/record.mjs';
import { root } from './characters.mjs';
import { skipWithout } from './skip.mjs';

const native = process.env.SNUG_NATIVE;

test('the same models and pairs as natively', { skip: skipWithout('program', native, 'SNUG_NATIVE names none') }, async (t) => {
	const characters = await Promise.all(pairings.ours.files.map(async (file) =>
		loadCharacter(new Uint8Array(await readFile(new URL(`site/${file}`, root))))));
	const recorded = record(pairings.ours, characters, 60), path = new URL('test/frames.bin', root).pathname;
	await writeFile(path, recorded.bytes);
	const here = replay(await Snug.load(), recorded, 1, () => 0);
	const answers = ({ modelHashes, results }) => [modelHashes, results.map(({ count, hash }) => [count, hash])];
	for (const isa of ['scalar', 'sse2', 'avx2', 'avx512']) {
		const there = parseNative(String(execFileSync(native, [path], { env: { ...process.env, SNUG_ISA: isa } })));
		assert.deepEqual(answers(here), answers(there), isa);
	}
	here.results.forEach(({ count, hash }, i) => t.diagnostic(`${kinds[i]}: ${count} pairs in 60 frames, ${hash}`));
	assert.ok(here.results[0].count > 100 && here.results[1].count > 10000, 'there is contact');
	assert.equal(here.results[2].count, 0);
});
