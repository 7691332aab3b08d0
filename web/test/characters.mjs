// Characters for tests: GLB files through three.js in node, which has no images and needs none here.
import { readFile } from 'node:fs/promises';
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

globalThis.self ??= globalThis; // GLTFLoader asks for it

export const root = new URL('../', import.meta.url);

export async function loadCharacter(path) {
	const bytes = await readFile(path);
	const gltf = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
	const mixer = new THREE.AnimationMixer(gltf.scene), group = new THREE.Group();
	group.add(gltf.scene);
	const setTime = (clip, seconds) => {
		mixer.stopAllAction();
		mixer.clipAction(gltf.animations.find((c) => c.name === clip)).play();
		mixer.setTime(seconds);
	};
	const meshes = [];
	gltf.scene.traverse((o) => o.isMesh && meshes.push(o));
	return { group, gltf, mixer, setTime, meshes };
}

export const loadMan = () => loadCharacter(new URL('site/man.glb', root));
export const loadCreature = () => loadCharacter(new URL('site/creature.glb', root));

// Small numbers that are the same in every run.
export function makeRandom(seed) {
	let state = seed >>> 0;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state / 2 ** 32;
	};
}
