// Usage: node pose.mjs FILE.glb OUT
// Poses every node with a mesh by every clip at several times, with three.js, and writes the vertices in the world:
// records of clip (uint32; 2^32 - 1 is the rest pose), node (uint32), vertex count (uint32), time (float64), and x, y, z
// of each vertex (float64), little-endian.
import { readFileSync, writeFileSync } from 'node:fs';
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const REST = 0xffffffff;
const FRACTIONS = [0, 0.13, 0.37, 0.5, 0.77, 0.99];

// The file without materials, textures and images, which need a browser.
function withoutImages(file) {
	const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
	const jsonLength = view.getUint32(12, true);
	const json = JSON.parse(new TextDecoder().decode(file.subarray(20, 20 + jsonLength)));
	delete json.images;
	delete json.textures;
	delete json.materials;
	delete json.samplers;
	delete json.extensionsUsed;
	for (const mesh of json.meshes ?? []) {
		for (const primitive of mesh.primitives) {
			delete primitive.material;
			delete primitive.extensions;
		}
	}
	let text = JSON.stringify(json);
	text += ' '.repeat((4 - (Buffer.byteLength(text) % 4)) % 4);
	const bytes = Buffer.from(text);
	const rest = file.subarray(20 + jsonLength);
	const header = Buffer.alloc(20);
	header.write('glTF', 0);
	header.writeUInt32LE(2, 4);
	header.writeUInt32LE(20 + bytes.length + rest.length, 8);
	header.writeUInt32LE(bytes.length, 12);
	header.write('JSON', 16);
	const whole = Buffer.concat([header, bytes, rest]);
	return { json, buffer: whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.length) };
}

// The meshes that a node has, one per primitive.
function meshesOf(object, associations) {
	if (object.isMesh) return [object];
	return object.children.filter((child) => child.isMesh && associations.get(child)?.nodes === undefined);
}

function record(clip, node, time, points) {
	const out = Buffer.alloc(20 + 8 * points.length);
	out.writeUInt32LE(clip, 0);
	out.writeUInt32LE(node, 4);
	out.writeUInt32LE(points.length / 3, 8);
	out.writeDoubleLE(time, 12);
	points.forEach((value, i) => out.writeDoubleLE(value, 20 + 8 * i));
	return out;
}

async function poseAll(gltf, json, clip, time, records) {
	gltf.scene.updateMatrixWorld(true);
	const point = new THREE.Vector3();
	for (let node = 0; node < json.nodes.length; ++node) {
		if (json.nodes[node].mesh === undefined) continue;
		const points = [];
		for (const mesh of meshesOf(await gltf.parser.getDependency('node', node), gltf.parser.associations)) {
			for (let i = 0; i < mesh.geometry.attributes.position.count; ++i) {
				mesh.getVertexPosition(i, point).applyMatrix4(mesh.matrixWorld);
				points.push(point.x, point.y, point.z);
			}
		}
		records.push(record(clip, node, time, points));
	}
}

async function main() {
	const { json, buffer } = withoutImages(readFileSync(process.argv[2]));
	const records = [];
	const clipCount = (json.animations ?? []).length;
	for (let clip = -1; clip < clipCount; ++clip) {
		// Loaded afresh, so that no clip leaves anything behind for the next.
		const gltf = await new GLTFLoader().parseAsync(buffer.slice(0), '');
		if (clip < 0) {
			await poseAll(gltf, json, REST, 0, records);
			continue;
		}
		const mixer = new THREE.AnimationMixer(gltf.scene);
		const action = mixer.clipAction(gltf.animations[clip]);
		action.setLoop(THREE.LoopOnce, 1);
		action.clampWhenFinished = true;
		action.play();
		for (const fraction of FRACTIONS) {
			const time = fraction * gltf.animations[clip].duration;
			mixer.setTime(time);
			await poseAll(gltf, json, clip, time, records);
		}
	}
	writeFileSync(process.argv[3], Buffer.concat(records));
}

globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class {};
await main();
