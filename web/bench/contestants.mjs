// contestants.mjs: the same question, three ways: snug; three-mesh-bvh as its documentation says; and the best that we
// could make of it. Each returns a function that poses and answers: how many pairs, in the frame that three.js is in.
import * as THREE from 'three';
import { ExtendedTriangle, MeshBVH, SkinnedMeshBVH } from 'three-mesh-bvh';
import { fromMesh } from 'snugmesh/three';

export function makeSnug(snug, characters, strategy) {
	const bodies = characters.map((character) => fromMesh(snug, character.mesh, { strategy }));
	return () => {
		for (const body of bodies) body.update({ matricesAreCurrent: true });
		return snug.collide(bodies[0], bodies[1]).length / 2;
	};
}

// SkinnedMeshBVH: refit evaluates every corner of every triangle. It casts ranges only, so triangles are read by hand.
export function makeSkinnedBvh(characters) {
	const trees = characters.map(({ mesh }) => new SkinnedMeshBVH(mesh, { targetLeafSize: 4 }));
	const triangles = [new ExtendedTriangle(), new ExtendedTriangle()], toFirst = new THREE.Matrix4();
	const read = (tree, i, triangle) => {
		const corner = 3 * tree.resolvePrimitiveIndex(i);
		['a', 'b', 'c'].forEach((name, k) => tree.mesh.getVertexPosition(tree.geometry.index.array[corner + k], triangle[name]));
		triangle.needsUpdate = true;
	};
	return () => {
		let count = 0;
		for (const tree of trees) {
			tree.mesh.skeleton.update();
			tree.refit();
		}
		toFirst.copy(characters[0].mesh.matrixWorld).invert().multiply(characters[1].mesh.matrixWorld);
		trees[0].bvhcast(trees[1], toFirst, { intersectsRanges(offset0, count0, offset1, count1) {
			for (let j = offset1; j < offset1 + count1; ++j) {
				read(trees[1], j, triangles[1]);
				for (const name of ['a', 'b', 'c']) triangles[1][name].applyMatrix4(toFirst);
				for (let i = offset0; i < offset0 + count0; ++i) {
					read(trees[0], i, triangles[0]);
					if (triangles[0].intersectsTriangle(triangles[1], undefined, true)) ++count;
				}
			}
			return false;
		} });
		return count;
	};
}

// Each vertex skinned once, by a plain loop over typed arrays.
function makeSkinner({ mesh }, posed) {
	const { position, skinIndex, skinWeight } = mesh.geometry.attributes, n = position.count;
	const copy = (Type, attribute, size) => Type.from({ length: size * n }, (_, i) => attribute.getComponent(Math.floor(i / size), i % size));
	const rest = copy(Float32Array, position, 3), joints = copy(Uint16Array, skinIndex, 4), weights = copy(Float32Array, skinWeight, 4);
	const { bones, boneInverses } = mesh.skeleton, m = new Float64Array(16 * bones.length), product = new THREE.Matrix4();
	return () => {
		for (let i = 0; i < bones.length; ++i) {
			product.multiplyMatrices(bones[i].matrixWorld, boneInverses[i]).multiply(mesh.bindMatrix);
			m.set(product.elements, 16 * i);
		}
		for (let v = 0; v < n; ++v) {
			const x = rest[3 * v], y = rest[3 * v + 1], z = rest[3 * v + 2];
			let px = 0, py = 0, pz = 0;
			for (let k = 4 * v; k < 4 * v + 4; ++k) {
				const w = weights[k], o = 16 * joints[k];
				if (w === 0) continue;
				px += w * (m[o] * x + m[o + 4] * y + m[o + 8] * z + m[o + 12]);
				py += w * (m[o + 1] * x + m[o + 5] * y + m[o + 9] * z + m[o + 13]);
				pz += w * (m[o + 2] * x + m[o + 6] * y + m[o + 10] * z + m[o + 14]);
			}
			posed[3 * v] = px;
			posed[3 * v + 1] = py;
			posed[3 * v + 2] = pz;
		}
	};
}

export function makeTunedBvh(characters) {
	const sides = characters.map((character) => {
		const { geometry } = character.mesh, posed = new Float32Array(3 * geometry.attributes.position.count);
		const own = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(posed, 3));
		own.setIndex(new THREE.BufferAttribute(Uint32Array.from(geometry.index.array), 1));
		const skin = makeSkinner(character, posed);
		skin();
		return { skin, tree: new MeshBVH(own, { targetLeafSize: 4 }) };
	});
	const identity = new THREE.Matrix4();
	return () => {
		let count = 0;
		for (const side of sides) {
			side.skin();
			side.tree.refit();
		}
		sides[0].tree.bvhcast(sides[1].tree, identity, { intersectsTriangles(first, second) {
			if (first.intersectsTriangle(second, undefined, true)) ++count;
			return false;
		} });
		return count;
	};
}

/** The least of `rounds` times for each frame, averaged, in milliseconds; and the pairs of each frame. */
export function measure(run, setFrame, frames, rounds, clock = () => performance.now()) {
	const best = new Array(frames).fill(Infinity), pairs = new Array(frames);
	for (let round = 0; round < rounds; ++round) {
		for (let frame = 0; frame < frames; ++frame) {
			setFrame(frame);
			const begin = clock();
			pairs[frame] = run();
			best[frame] = Math.min(best[frame], clock() - begin);
		}
	}
	const mean = (list) => list.reduce((x, y) => x + y, 0) / list.length;
	return { mean: mean(best), worst: Math.max(...best), pairsPerFrame: mean(pairs), pairs };
}
