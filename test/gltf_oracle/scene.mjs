// Usage: node scene.mjs FILE OUT
// Poses a whole glTF or FBX file with three.js at rest and at some times of every clip, and writes the vertices of all
// meshes in the world: records of clip (uint32; 2^32 - 1 is rest), point count (uint32), time (float64), and x, y, z of
// each point (float64), little-endian, after a line with the clips' names and how far quaternions are from length 1.
// Prints one line of notes: what three.js said.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { FBXLoader } from 'three/addons/loaders/FBXLoader.js';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';

const REST = 0xffffffff;
const TIMES = 6; // of an FBX clip
const FRACTIONS = [0, 0.13, 0.37, 0.5, 0.77, 0.99, 1]; // of a glTF clip: its keys are seldom there
const MAX_POINTS = 3e6; // of a file, all poses together

// What a browser has and loading without pictures needs.
function fakeElement() {
	return { addEventListener() {}, removeEventListener() {}, setAttribute() {}, style: {} };
}
globalThis.self ??= globalThis;
globalThis.window ??= globalThis;
globalThis.ProgressEvent ??= class {};
globalThis.document ??= { createElementNS: fakeElement, createElement: fakeElement };

// The JSON and the binary chunk of either kind of file.
function split(file) {
	if (file.toString('latin1', 0, 4) !== 'glTF') return { json: JSON.parse(file.toString('utf8')), binary: null };
	const length = file.readUInt32LE(12);
	const json = JSON.parse(file.toString('utf8', 20, 20 + length));
	const start = 20 + length + 8;
	return { json, binary: start < file.length ? file.subarray(start, start + file.readUInt32LE(20 + length)) : null };
}

// A file without pictures, with its buffers inside.
function plainGltf(path) {
	const { json, binary } = split(readFileSync(path));
	for (const name of ['images', 'textures', 'materials', 'samplers', 'cameras']) delete json[name];
	const kept = ['KHR_mesh_quantization', 'EXT_meshopt_compression', 'EXT_mesh_gpu_instancing', 'KHR_draco_mesh_compression'];
	for (const list of ['extensionsUsed', 'extensionsRequired']) {
		if (json[list]) json[list] = json[list].filter((name) => kept.includes(name));
		if (json[list]?.length === 0) delete json[list];
	}
	for (const mesh of json.meshes ?? []) {
		for (const primitive of mesh.primitives) {
			delete primitive.material;
			const draco = primitive.extensions?.KHR_draco_mesh_compression;
			delete primitive.extensions;
			if (draco) primitive.extensions = { KHR_draco_mesh_compression: draco };
		}
	}
	for (const node of json.nodes ?? []) {
		delete node.camera;
		if (node.extensions) delete node.extensions.KHR_lights_punctual;
	}
	(json.buffers ?? []).forEach((buffer, i) => {
		if (buffer.extensions?.EXT_meshopt_compression?.fallback && buffer.uri === undefined && !(i === 0 && binary)) return;
		if (buffer.uri?.startsWith('data:')) return;
		const bytes = buffer.uri === undefined ? binary : readFileSync(join(dirname(path), decodeURIComponent(buffer.uri)));
		buffer.uri = 'data:application/octet-stream;base64,' + Buffer.from(bytes).toString('base64');
	});
	return json;
}

// three.js decodes Draco in workers, which node does not have: the same decoder, without them.
const dracoLoader = {
	preload() {},
	async module() {
		const path = new URL('./node_modules/three/examples/jsm/libs/draco/gltf/draco_decoder.js', import.meta.url);
		const make = new Function('require', '__dirname', readFileSync(path, 'utf8') + '; return DracoDecoderModule;')(createRequire(import.meta.url), '.');
		return (this.loaded ??= await new Promise((resolve) => make({ onModuleLoaded: (d) => resolve({ d }) }))).d;
	},
	async decode(buffer, ids, types) {
		const draco = await this.module(), decoder = new draco.Decoder(), mesh = new draco.Mesh();
		const bytes = new Int8Array(buffer), geometry = new THREE.BufferGeometry();
		const status = decoder.DecodeArrayToMesh(bytes, bytes.length, mesh);
		if (!status.ok()) throw new Error(status.error_msg());
		const kinds = { Float32Array: 'Float', Uint8Array: 'UInt8', Uint16Array: 'UInt16', Uint32Array: 'UInt32',
			Int8Array: 'Int8', Int16Array: 'Int16' };
		for (const name in ids) {
			const attribute = decoder.GetAttributeByUniqueId(mesh, ids[name]), kind = kinds[types[name]];
			const values = new draco[`Draco${kind}${kind === 'Float' ? '32' : ''}Array`]();
			decoder[`GetAttribute${kind}ForAllPoints`](mesh, attribute, values);
			const array = new globalThis[types[name]](values.size());
			for (let i = 0; i < array.length; ++i) array[i] = values.GetValue(i);
			geometry.setAttribute(name, new THREE.BufferAttribute(array, attribute.num_components()));
		}
		const faces = new draco.DracoInt32Array(), indices = new Uint32Array(3 * mesh.num_faces());
		for (let i = 0; i < mesh.num_faces(); ++i) {
			decoder.GetFaceFromMesh(mesh, i, faces);
			for (let k = 0; k < 3; ++k) indices[3 * i + k] = faces.GetValue(k);
		}
		geometry.setIndex(new THREE.BufferAttribute(indices, 1));
		return geometry;
	},
	decodeDracoFile(buffer, done, ids, types, space, failed) {
		return this.decode(buffer, ids, types).then(done, failed);
	},
};

async function load(path) {
	if (/\.fbx$/i.test(path)) {
		const bytes = readFileSync(path);
		const group = new FBXLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), './');
		const unit = (group.userData.unitScaleFactor ?? 1) / 100; // to metres, as we read it
		const root = new THREE.Group();
		root.add(group);
		root.scale.setScalar(unit);
		return { root, target: group, clips: group.animations };
	}
	const loader = new GLTFLoader();
	loader.setMeshoptDecoder(MeshoptDecoder);
	loader.setDRACOLoader(dracoLoader);
	const gltf = await loader.parseAsync(JSON.stringify(plainGltf(path)), '');
	const root = new THREE.Group();
	root.add(...(gltf.scenes.length > 0 ? [gltf.scene] : []));
	return { root, target: gltf.scene, clips: gltf.animations };
}

// three.js turns by quaternions of whatever length, which scales; we scale them to 1. So that the rest can be compared
// they are scaled here too. Returns by how much the worst was off.
function scaleQuaternions(root, clips) {
	let worst = 0;
	root.traverse((object) => {
		worst = Math.max(worst, Math.abs(object.quaternion.length() - 1));
		object.quaternion.normalize();
	});
	const q = new THREE.Quaternion();
	for (const track of clips.flatMap((clip) => clip.tracks)) {
		if (track.ValueTypeName !== 'quaternion' || track.getInterpolation() === undefined) continue;
		if (track.values.length !== 4 * track.times.length) continue; // splines
		for (let i = 0; i < track.values.length; i += 4) {
			q.fromArray(track.values, i);
			worst = Math.max(worst, Math.abs(q.length() - 1));
			q.normalize().toArray(track.values, i);
		}
	}
	return worst;
}

function isShown(object) {
	for (; object; object = object.parent) if (!object.visible) return false;
	return true;
}

function pointsOf(root) {
	const points = [], point = new THREE.Vector3(), matrix = new THREE.Matrix4();
	root.updateMatrixWorld(true);
	root.traverse((mesh) => {
		if (!mesh.isMesh || !isShown(mesh)) return;
		const index = mesh.geometry.index, count = mesh.geometry.attributes.position.count;
		if ((index ? index.count : count) < 3) return;
		for (let copy = 0; copy < (mesh.isInstancedMesh ? mesh.count : 1); ++copy) {
			matrix.copy(mesh.matrixWorld);
			if (mesh.isInstancedMesh) {
				const own = new THREE.Matrix4();
				mesh.getMatrixAt(copy, own);
				matrix.multiply(own);
			}
			for (let i = 0; i < count; ++i) {
				mesh.getVertexPosition(i, point).applyMatrix4(matrix);
				points.push(point.x, point.y, point.z);
			}
		}
	});
	return points;
}

function record(clip, time, points) {
	const out = Buffer.alloc(16 + 8 * points.length);
	out.writeUInt32LE(clip, 0);
	out.writeUInt32LE(points.length / 3, 4);
	out.writeDoubleLE(time, 8);
	new Float64Array(points).forEach((value, i) => out.writeDoubleLE(value, 16 + 8 * i));
	return out;
}

// Of FBX, times at which every track that moves has a key, or is before its first or behind its last.
function keyTimes(clip) {
	const tracks = clip.tracks.filter((track) => track.times.length > 1);
	if (tracks.length === 0) return [0];
	const longest = tracks.reduce((a, b) => (b.times.length > a.times.length ? b : a));
	const sets = tracks.map((track) => new Set(Array.from(track.times, (t) => Math.fround(t))));
	const common = Array.from(longest.times).filter((t) => tracks.every((track, i) =>
		sets[i].has(Math.fround(t)) || t < track.times[0] || t > track.times[track.times.length - 1]));
	const times = common.length > 0 ? common : [clip.duration];
	return Array.from({ length: Math.min(TIMES, times.length) }, (_, i, all = Math.min(TIMES, times.length)) =>
		times[all > 1 ? Math.round((i * (times.length - 1)) / (all - 1)) : 0]);
}

async function main() {
	const records = [], notes = new Set();
	console.warn = console.error = console.log = (...text) => notes.add(String(text[0]).slice(0, 80));
	let points = 0;
	const first = await load(process.argv[2]);
	const lengths = scaleQuaternions(first.root, first.clips);
	for (let clip = -1; clip < first.clips.length && points < MAX_POINTS; ++clip) {
		// Loaded afresh, so that no clip leaves anything behind for the next.
		const { root, target, clips } = clip < 0 ? first : await load(process.argv[2]);
		if (clip >= 0) scaleQuaternions(root, clips);
		if (clip < 0) {
			records.push(record(REST, 0, pointsOf(root)));
			continue;
		}
		const mixer = new THREE.AnimationMixer(target);
		const action = mixer.clipAction(clips[clip]);
		action.setLoop(THREE.LoopOnce, 1);
		action.clampWhenFinished = true;
		action.play();
		const isFbx = /\.fbx$/i.test(process.argv[2]), { duration } = clips[clip];
		for (const time of isFbx ? keyTimes(clips[clip]) : FRACTIONS.map((fraction) => fraction * duration)) {
			// Not setTime: it plays from 0, never backwards, and not at all once a clip has ended.
			action.paused = false;
			action.enabled = true;
			action.time = time;
			mixer.update(0);
			const posed = pointsOf(root);
			points += posed.length / 3;
			records.push(record(clip, time, posed));
		}
	}
	writeFileSync(process.argv[3], Buffer.concat([Buffer.from(JSON.stringify(first.clips.map((c) => c.name)) + ' ' + lengths + '\n'), ...records]));
	process.stdout.write([...notes].join('; ') + '\n');
}

await main();
