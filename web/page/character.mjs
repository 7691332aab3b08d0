// character.mjs: a character from the bytes of a file: meshes, clips, bodies, where it stands, and the names of its joints.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { fromMesh, fromModel } from 'snugmesh/three';

// The same object as two bodies: one that evaluates what queries reach, one that deforms everything first.
const strategies = ['auto', 'bottomUp'];

// For each triangle the joint with the most weight at its corners; meshes without a skeleton are joints of their own.
function nameTriangles(body) {
	const names = [];
	for (const { mesh, triangleCount } of body.parts) {
		const own = names.push(mesh.name || 'mesh') - 1;
		if (!mesh.isSkinnedMesh) {
			(names.of ??= []).push(new Uint16Array(triangleCount).fill(own));
			continue;
		}
		const { skinIndex, skinWeight } = mesh.geometry.attributes, { index } = mesh.geometry, first = names.length;
		for (const bone of mesh.skeleton.bones) names.push(bone.name || 'joint');
		const joints = new Uint16Array(triangleCount), sums = new Float32Array(mesh.skeleton.bones.length);
		for (let t = 0; t < triangleCount; ++t) {
			sums.fill(0);
			for (let c = 3 * t; c < 3 * t + 3; ++c) {
				const v = index ? index.getX(c) : c;
				for (let k = 0; k < 4; ++k) sums[skinIndex.getComponent(v, k)] += skinWeight.getComponent(v, k);
			}
			joints[t] = first + sums.indexOf(Math.max(...sums));
		}
		(names.of ??= []).push(joints);
	}
	return names;
}

// three.js takes spaces out of names for its animations; show them again.
const readable = (name) => name.replaceAll('_', ' ');

class Character {
	constructor(name, object, bodies, clips, pose) {
		Object.assign(this, { name, bodies, clips, pose, clip: clips[0], model: bodies[0].model });
		this.group = new THREE.Group();
		this.group.add(object);
	}

	setTime(seconds) {
		this.pose(this.clip, seconds);
		this.group.updateMatrixWorld(true);
	}

	// Where it stands: an angle in degrees about the axis that points up.
	put([x, y, z], turn, scale) {
		this.group.position.set(x, y, z);
		this.group.rotation.y = THREE.MathUtils.degToRad(turn);
		this.group.scale.setScalar(scale);
		this.group.updateMatrixWorld(true);
	}

	// Of the vertices, not their bounds: it is what the camera looks at.
	get box() {
		const lower = [Infinity, Infinity, Infinity], upper = [-Infinity, -Infinity, -Infinity];
		this.bodies[0].update({ matricesAreCurrent: true }).getVertices().forEach((x, i) => {
			lower[i % 3] = Math.min(lower[i % 3], x);
			upper[i % 3] = Math.max(upper[i % 3], x);
		});
		return { lower, upper };
	}

	jointOf(triangle) {
		this.jointNames ??= nameTriangles(this.bodies[0]);
		const { mesh, triangle: own } = this.bodies[0].locate(triangle);
		const part = this.bodies[0].parts.findIndex((p) => p.mesh === mesh);
		return readable(this.jointNames[this.jointNames.of[part][own]]);
	}

	dispose() {
		for (const body of this.bodies) body.dispose();
	}
}

// Vibration modes: each is a clip of one swing.
function fromModes(snug, name, bytes) {
	const model = snug.loadModel(bytes), bodies = strategies.map((strategy) => fromModel(model, { strategy }));
	const { mesh } = bodies[0].parts[0], swing = 0.06 * bodies[0].getBounds().radius;
	const clips = [{ name: 'at rest', duration: 1 }, ...Array.from({ length: model.fieldCount }, (_, i) => ({ name: `mode ${i + 1}`, duration: 1, field: i }))];
	const eager = bodies[1].parts[0].mesh;
	mesh.add(eager); // moves along, and shares the amplitudes
	eager.morphTargetInfluences = mesh.morphTargetInfluences;
	const character = new Character(name, mesh, bodies, clips, (clip, seconds) => {
		mesh.morphTargetInfluences?.fill(0);
		if (clip.field !== undefined) mesh.morphTargetInfluences[clip.field] = swing * Math.sin(2 * Math.PI * seconds);
	});
	character.clip = clips[Math.min(1, clips.length - 1)];
	return character;
}

async function fromGltf(snug, name, bytes) {
	const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
	const gltf = await new GLTFLoader().parseAsync(buffer, '');
	const mixer = new THREE.AnimationMixer(gltf.scene);
	const bodies = strategies.map((strategy) => fromMesh(snug, gltf.scene, { strategy }));
	const clips = gltf.animations.length > 0 ? gltf.animations : [{ name: 'at rest', duration: 1 }];
	let playing = null;
	return new Character(name, gltf.scene, bodies, clips, (clip, seconds) => {
		if (clip !== playing) {
			mixer.stopAllAction();
			if (clip instanceof THREE.AnimationClip) mixer.clipAction(clip).play();
			playing = clip;
		}
		mixer.setTime(clip.duration > 0 ? seconds % clip.duration : 0);
	});
}

export async function loadCharacter(snug, name, bytes) {
	return /\.snug$/i.test(name) ? fromModes(snug, name, bytes) : fromGltf(snug, name, bytes);
}
