// frames.mjs: the same frames for every contestant: two characters, posed by three.js, in light contact, in heavy
// contact and apart. In node and in browsers.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';

globalThis.self ??= globalThis; // GLTFLoader asks for it

export const kinds = ['light', 'heavy', 'apart'];

// Our own characters, which `make characters` writes, and downloaded ones that design notes measured with.
export const pairings = {
	ours: {
		files: ['man.glb', 'creature.glb'],
		clips: ['kick', 'idle'],
		speeds: [1, 1],
		places: {
			light: (t) => ({ x: 0.05, y: 0, z: 1.12 + 0.03 * Math.sin(2 * t), turn: Math.PI / 2 }),
			heavy: (t) => ({ x: 0.05, y: 0, z: 0.45 + 0.05 * Math.sin(2 * t), turn: Math.PI / 2 }),
			apart: () => ({ x: 5, y: 0, z: 0, turn: 0 }),
		},
	},
	downloaded: {
		files: ['mannequiny.glb', 'makehuman.glb'],
		clips: ['fight_punch', ''],
		speeds: [1, 0.6],
		places: {
			light: (t) => ({ x: 0.42 + 0.03 * Math.sin(2 * t), y: 0.8168, z: 0.2, turn: Math.PI }),
			heavy: (t) => ({ x: 0.12 + 0.05 * Math.sin(2 * t), y: 0.8168, z: 0.2, turn: 0.4 }),
			apart: () => ({ x: 3, y: 0, z: 0, turn: 0 }),
		},
	},
};

// The file without materials and images, which node cannot decode.
function withoutImages(file) {
	const view = new DataView(file.buffer, file.byteOffset, file.byteLength), length = view.getUint32(12, true);
	const json = JSON.parse(new TextDecoder().decode(file.subarray(20, 20 + length)));
	for (const key of ['images', 'textures', 'materials', 'samplers', 'extensionsUsed', 'extensionsRequired']) delete json[key];
	for (const mesh of json.meshes) {
		for (const primitive of mesh.primitives) {
			delete primitive.material;
			delete primitive.extensions;
		}
	}
	const text = new TextEncoder().encode(JSON.stringify(json)), rest = file.subarray(20 + length);
	const padded = Math.ceil(text.length / 4) * 4, out = new Uint8Array(20 + padded + rest.length).fill(32);
	const head = new DataView(out.buffer);
	[0x46546c67, 2, out.length, padded, 0x4e4f534a].forEach((word, i) => head.setUint32(4 * i, word, true));
	out.set(text, 20);
	out.set(rest, 20 + padded);
	return out.buffer;
}

// Primitives of one skin as one mesh, without morph targets: the other contestants know neither.
function mergeSkin(meshes) {
	const geometry = mergeGeometries(meshes.map((mesh) => {
		const part = new THREE.BufferGeometry();
		for (const key of ['position', 'skinIndex', 'skinWeight']) part.setAttribute(key, mesh.geometry.attributes[key]);
		return part.setIndex(mesh.geometry.index);
	}));
	const whole = new THREE.SkinnedMesh(geometry, new THREE.MeshNormalMaterial());
	meshes[0].parent.add(whole);
	whole.bind(meshes[0].skeleton, meshes[0].bindMatrix);
	for (const mesh of meshes) mesh.removeFromParent();
	return whole;
}

export async function loadCharacter(bytes) {
	const gltf = await new GLTFLoader().parseAsync(withoutImages(bytes), ''), meshes = [];
	gltf.scene.traverse((o) => o.isSkinnedMesh && meshes.push(o));
	const root = new THREE.Group();
	root.add(gltf.scene);
	for (const clip of gltf.animations) clip.tracks = clip.tracks.filter(({ name }) => !name.endsWith('.morphTargetInfluences'));
	return { root, mesh: mergeSkin(meshes), clips: gltf.animations, mixer: new THREE.AnimationMixer(gltf.scene), playing: null };
}

function pose(character, clipName, time, place) {
	const clip = character.clips.find((c) => clipName !== '' && c.name.startsWith(clipName)) ?? character.clips[0];
	if (character.playing !== clip) {
		character.mixer.stopAllAction();
		character.mixer.clipAction(clip).play();
		character.playing = clip;
	}
	character.mixer.setTime(time % clip.duration);
	character.root.position.set(place.x, place.y, place.z);
	character.root.rotation.set(0, place.turn, 0);
	character.root.updateMatrixWorld(true);
}

export function poseFrame(pairing, [a, b], kind, frame) {
	const t = frame / 60;
	pose(a, pairing.clips[0], pairing.speeds[0] * t, { x: 0, y: 0, z: 0, turn: 0 });
	pose(b, pairing.clips[1], pairing.speeds[1] * t, pairing.places[kind](t));
}
