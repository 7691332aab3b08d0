// crowd.mjs: up to a thousand of the two characters, and which of them touch.
//
// Characters play their clips from a few moments on. All that share a moment share a skeleton: bones are animated once
// per moment, the GPU poses every character, and the library gets each moment's matrices and each character's frame.
import * as THREE from 'three';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import { fromMesh } from 'snugmesh/three';

const MOMENTS = 12; // per character
const SHADOWS = 150; // characters that cast some, at most
const contactColor = new THREE.Color(0xff3b28);

// A character at one moment of its clip. It is not drawn; others borrow its skeleton.
class Moment {
	constructor(snug, character, scale, part) {
		this.object = clone(character.group.children[0]);
		const marks = [];
		this.object.traverse((o) => o.userData.isContactHighlight && marks.push(o));
		for (const mark of marks) mark.removeFromParent();
		this.object.scale.multiplyScalar(scale);
		this.mixer = new THREE.AnimationMixer(this.object);
		this.duration = character.clip.duration;
		this.offset = part * this.duration;
		if (character.clip instanceof THREE.AnimationClip) this.mixer.clipAction(character.clip).play();
		this.body = fromMesh(snug, this.object);
	}

	setTime(seconds) {
		this.mixer.setTime(this.duration > 0 ? (seconds + this.offset) % this.duration : 0);
		this.object.updateMatrixWorld(true);
	}

	dispose() {
		this.body.dispose();
	}
}

// One in the crowd: meshes that are drawn where it stands, and a body.
class Member {
	constructor(moment, { position, rotation }, options) {
		this.moment = moment;
		this.group = new THREE.Group();
		this.group.position.copy(position);
		this.group.quaternion.copy(rotation);
		this.group.updateMatrixWorld(true);
		this.body = moment.body.model.createBody(options).setFrame(position.toArray(), rotation.toArray());
		this.meshes = moment.body.parts.map(({ mesh }) => this.#draw(mesh));
	}

	// Detached skins are posed in a space of their own, then placed: glTF binds with the identity.
	#draw(source) {
		const { geometry, material } = source;
		const mesh = source.isSkinnedMesh ? new THREE.SkinnedMesh(geometry, material) : new THREE.Mesh(geometry, material);
		if (source.isSkinnedMesh) {
			mesh.bindMode = THREE.DetachedBindMode;
			mesh.bind(source.skeleton, source.bindMatrix);
		}
		if (source.morphTargetInfluences) mesh.morphTargetInfluences = source.morphTargetInfluences;
		mesh.matrixAutoUpdate = false;
		mesh.frustumCulled = false;
		mesh.receiveShadow = true;
		this.group.add(mesh);
		return { mesh, source, material };
	}

	pose() {
		const { matrices, influences } = this.moment.body;
		this.body.setJoints(matrices);
		if (influences.length > 0) this.body.setAmplitudes(influences);
		for (const { mesh, source } of this.meshes) if (!source.isSkinnedMesh) mesh.matrix.copy(source.matrixWorld);
	}
}

// Side by side in rows, turned at random, always the same way.
function* places(count, apart) {
	const side = Math.ceil(Math.sqrt(count));
	let seed = 1;
	const random = () => (seed = (seed * 48271) % 0x7fffffff) / 0x7fffffff;
	for (let i = 0; i < count; ++i) {
		const position = new THREE.Vector3((i % side) - (side - 1) / 2 + 0.2 * random(), 0, Math.floor(i / side) - (side - 1) / 2 + 0.2 * random());
		const rotation = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 1, 0), 2 * Math.PI * random());
		yield { position: position.multiplyScalar(apart), rotation };
	}
}

export class Crowd {
	#red = new Map();

	/** Whether a character can be in a crowd: its bones can be copied. */
	static accepts(character) {
		return character.bodies[0].matrices !== undefined;
	}

	constructor(snug, characters, { count, scale, apart, everything }) {
		this.snug = snug;
		this.object = new THREE.Group();
		this.pool = everything ? undefined : snug.createPool(16e6 + 64e3 * count);
		this.moments = characters.map((character, i) =>
			Array.from({ length: MOMENTS }, (_, k) => new Moment(snug, character, i === 1 ? scale : 1, k / MOMENTS)));
		this.scene = snug.createScene();
		const options = everything ? { strategy: 'bottomUp' } : { pool: this.pool };
		this.members = Array.from(places(count, apart), (place, i) => {
			const member = new Member(this.moments[i % 2][(i >> 1) % MOMENTS], place, options);
			for (const { mesh } of member.meshes) mesh.castShadow = count <= SHADOWS;
			this.object.add(member.group);
			this.scene.add(member.body);
			return member;
		});
		this.vertexCount = this.members.reduce((sum, { body }) => sum + body.model.vertexCount, 0);
	}

	/** Pose all and ask; what is measured is what the library needs: bones to matrices, matrices to touching pairs. */
	setTime(seconds) {
		const moments = this.moments.flat();
		for (const moment of moments) moment.setTime(seconds);
		const begin = performance.now();
		for (const { body } of moments) body.update({ matricesAreCurrent: true });
		for (const member of this.members) member.pose();
		this.scene.update();
		const milliseconds = performance.now() - begin, touching = new Set(this.scene.pairs.flatMap(({ a, b }) => [a, b]));
		for (const member of this.members) this.#color(member, touching.has(member.body));
		return { pairs: this.scene.pairs.length, touching: touching.size, milliseconds,
			vertices: this.snug.counters.verticesEvaluated };
	}

	#color({ meshes }, touches) {
		for (const entry of meshes) entry.mesh.material = touches ? this.#redOf(entry.material) : entry.material;
	}

	#redOf(material) {
		if (Array.isArray(material)) return material.map((each) => this.#redOf(each));
		if (!this.#red.has(material)) {
			const red = material.clone();
			red.color?.lerp(contactColor, 0.75);
			this.#red.set(material, red);
		}
		return this.#red.get(material);
	}

	get box() {
		const box = new THREE.Box3();
		for (const { body } of this.members) {
			const { lower, upper } = body.getBounds();
			box.union(new THREE.Box3(new THREE.Vector3(...lower), new THREE.Vector3(...upper)));
		}
		return box;
	}

	dispose() {
		this.object.removeFromParent();
		for (const { body } of this.members) body.dispose();
		for (const moment of this.moments.flat()) moment.dispose();
		for (const material of this.#red.values()) material.dispose();
		this.scene.dispose();
		this.pool?.dispose();
	}
}
