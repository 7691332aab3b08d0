// record.mjs: models and frames as a file for native.c, and hashes of what snug answers here.
import { kinds, poseFrame } from './frames.mjs';

// FNV-1a over 32-bit words, as in native.c; in two halves, since a BigInt per word would take longer than the queries.
export class Hash {
	low = 0x84222325;
	high = 0xcbf29ce4;

	add(words) {
		for (let i = 0; i < words.length; ++i) {
			// (high, low) * 0x100000001b3
			const low = (this.low ^ words[i]) >>> 0, bottom = (low & 0xffff) * 0x1b3, top = (low >>> 16) * 0x1b3 + Math.floor(bottom / 65536);
			this.high = (Math.imul(this.high, 0x1b3) + Math.floor(top / 65536) + (low << 8)) >>> 0;
			this.low = ((top << 16) | (bottom & 0xffff)) >>> 0;
		}
		return this;
	}

	toString() {
		return [this.high, this.low].map((half) => half.toString(16).padStart(8, '0')).join('');
	}
}

function modelOf({ mesh }) {
	const { position, skinIndex, skinWeight } = mesh.geometry.attributes, n = position.count;
	const copy = (Type, attribute, size) => Type.from({ length: size * n }, (_, i) => attribute.getComponent(Math.floor(i / size), i % size));
	return { positions: copy(Float32Array, position, 3), triangles: Uint32Array.from(mesh.geometry.index.array),
		joints: copy(Uint16Array, skinIndex, 4), weights: copy(Float32Array, skinWeight, 4), jointCount: mesh.skeleton.bones.length };
}

function matricesOf({ mesh }) {
	const { bones, boneInverses } = mesh.skeleton, out = new Float32Array(16 * bones.length);
	bones.forEach((bone, i) => out.set(bone.matrixWorld.clone().multiply(boneInverses[i]).elements, 16 * i));
	return out;
}

/** @returns definitions of both models, matrices[kind][frame] of both, and the whole as bytes */
export function record(pairing, characters, frames) {
	const models = characters.map(modelOf), parts = [];
	for (const { positions, triangles, joints, weights, jointCount } of models) {
		parts.push(new Uint32Array([positions.length / 3, triangles.length / 3, jointCount, 0]), positions, triangles, joints, weights);
	}
	parts.push(new Uint32Array([kinds.length, frames]));
	const matrices = kinds.map((kind) => Array.from({ length: frames }, (_, frame) => {
		poseFrame(pairing, characters, kind, frame);
		return characters.map(matricesOf);
	}));
	parts.push(...matrices.flat(2));
	const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
	let at = 0;
	for (const part of parts) {
		bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
		at += part.byteLength;
	}
	return { models, matrices, bytes };
}

/** What native.c prints, from here: hashes of the models' bytes and of each kind's pairs, and times. */
export function replay(snug, { models, matrices }, rounds, clock) {
	const made = models.map((definition) => snug.createModel(definition)), bodies = made.map((model) => model.createBody());
	const modelHashes = made.map((model) => String(new Hash().add(new Uint32Array(model.save().buffer))));
	const results = matrices.map((frames) => {
		const hash = new Hash(), best = new Array(frames.length).fill(Infinity);
		let count = 0;
		for (let round = 0; round < rounds; ++round) {
			frames.forEach((both, frame) => {
				const begin = clock();
				both.forEach((joints, i) => bodies[i].setJoints(joints));
				const pairs = snug.collide(bodies[0], bodies[1]);
				best[frame] = Math.min(best[frame], clock() - begin);
				if (round > 0) return;
				hash.add(pairs);
				count += pairs.length / 2;
			});
		}
		return { mean: best.reduce((x, y) => x + y, 0) / best.length, worst: Math.max(...best), count, hash: String(hash) };
	});
	for (const thing of [...bodies, ...made]) thing.dispose();
	return { modelHashes, results };
}

/** The output of native.c. */
export function parseNative(text) {
	const lines = text.trim().split('\n').map((line) => line.split(' '));
	const of = (word) => lines.filter(([first]) => first === word);
	return { modelHashes: of('model').map(([, , hash]) => hash),
		results: of('kind').map(([, , mean, worst, count, hash]) => ({ mean: +mean, worst: +worst, count: +count, hash })) };
}
