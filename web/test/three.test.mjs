// Bodies from three.js objects. The oracle is three.js itself: getVertexPosition, which computes what the shader does.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as THREE from 'three';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import { Snug, SnugError, Witness } from 'snugmesh';
import { answerRaycaster, ContactHighlight, ContactLines, fromMesh, fromModel, raycast } from 'snugmesh/three';
import { loadCreature, loadMan, makeRandom } from './characters.mjs';

const snug = await Snug.load();

// The farthest that a vertex of the body is from where three.js has it, divided by the body's size.
function worstError(body) {
	const posed = body.getVertices(), point = new THREE.Vector3(), { radius } = body.getBounds();
	let worst = 0;
	for (const { mesh, firstVertex, vertexCount } of body.parts) {
		mesh.updateMatrixWorld(true); // as the renderer does before it draws
		if (mesh.isSkinnedMesh) mesh.skeleton.update();
		for (let v = 0; v < vertexCount; ++v) {
			mesh.getVertexPosition(v, point).applyMatrix4(mesh.matrixWorld);
			const d = point.distanceTo(new THREE.Vector3().fromArray(posed, 3 * (firstVertex + v)));
			worst = Math.max(worst, d);
		}
	}
	return worst / radius;
}

const agrees = (body, what) => assert.ok(worstError(body) < 2e-6, `${what}: off by ${worstError(body)}`);

function makeSkinned(random, { bindMode = 'attached', bindMatrix = new THREE.Matrix4(), relative = true } = {}) {
	const geometry = new THREE.CylinderGeometry(0.3, 0.3, 2, 8, 6), { position } = geometry.attributes;
	const index = [], weight = [];
	for (let i = 0; i < position.count; ++i) {
		const t = position.getY(i) / 2 + 0.5;
		index.push(0, 1, 2, 0);
		weight.push((1 - t) ** 2, 2 * t * (1 - t), t * t, 0);
	}
	geometry.setAttribute('skinIndex', new THREE.Uint16BufferAttribute(index, 4));
	geometry.setAttribute('skinWeight', new THREE.Float32BufferAttribute(weight, 4));
	const target = Float32Array.from(position.array, (x) => (relative ? 0 : x) + 0.2 * random());
	geometry.morphAttributes.position = [new THREE.BufferAttribute(target, 3)];
	geometry.morphTargetsRelative = relative;
	const bones = [0, 1, 2].map(() => new THREE.Bone());
	bones[0].add(bones[1]);
	bones[1].add(bones[2]);
	bones[1].position.y = bones[2].position.y = 0.7;
	const mesh = new THREE.SkinnedMesh(geometry, new THREE.MeshBasicMaterial());
	mesh.bindMode = bindMode;
	mesh.add(bones[0]);
	mesh.updateMatrixWorld(true);
	mesh.bind(new THREE.Skeleton(bones), bindMatrix);
	const group = new THREE.Group();
	group.add(mesh);
	group.position.set(1, 2, 3);
	group.rotation.set(0.3, 0.2, 0.1);
	group.scale.setScalar(1.5);
	bones.forEach((bone) => bone.rotation.set(random(), random(), random()));
	mesh.morphTargetInfluences[0] = 0.4;
	return { group, mesh, bones };
}

test('characters of files stand where three.js has them, in all clips, with morph targets', async () => {
	for (const character of [await loadMan(), await loadCreature()]) {
		character.group.position.set(0.3, 0.1, -0.4);
		character.group.rotation.y = 1;
		const body = fromMesh(snug, character.group);
		for (const clip of ['idle', 'walk', 'kick']) {
			character.setTime(clip, 0.37);
			agrees(body.update(), clip);
		}
		body.parts[0].mesh.morphTargetInfluences[0] = 0.7;
		agrees(body.update(), 'morphed');
		body.dispose();
	}
});

test('skins: attached and detached, bound in a matrix, morph targets absolute and relative', () => {
	const random = makeRandom(3), bindMatrix = new THREE.Matrix4().makeRotationY(0.4).setPosition(0.1, 0.2, 0.3);
	for (const options of [{}, { bindMode: 'detached' }, { bindMatrix }, { bindMode: 'detached', bindMatrix }, { relative: false }]) {
		const { group } = makeSkinned(random, options);
		agrees(fromMesh(snug, group), JSON.stringify(options));
	}
});

test('plain meshes, scaled and sheared; indexed or not; interleaved; normalised', () => {
	const group = new THREE.Group(), box = new THREE.Mesh(new THREE.BoxGeometry(1, 2, 3));
	group.scale.set(1, 2, 0.5);
	box.rotation.set(0.3, 0.4, 0.5);
	group.add(box);
	const soup = new THREE.Mesh(new THREE.TorusGeometry(1, 0.3, 6, 8).toNonIndexed());
	soup.position.x = 2;
	group.add(soup);
	const buffer = new THREE.InterleavedBuffer(new Float32Array([0, 0, 0, 9, 1, 0, 0, 9, 0, 1, 0, 9]), 4);
	const leaved = new THREE.BufferGeometry().setAttribute('position', new THREE.InterleavedBufferAttribute(buffer, 3, 0));
	group.add(new THREE.Mesh(leaved));
	const bytes = new THREE.BufferAttribute(new Int16Array([0, 0, 0, 32767, 0, 0, 0, 32767, 0]), 3, true);
	group.add(new THREE.Mesh(new THREE.BufferGeometry().setAttribute('position', bytes)));
	const body = fromMesh(snug, group);
	assert.equal(body.parts.length, 4);
	agrees(body, 'four meshes');
	assert.equal(body.model.triangleCount, 12 + 96 + 1 + 1);
	assert.deepEqual(body.locate(12 + 96), { mesh: group.children[2], triangle: 0 });
	assert.equal(body.locate(110), undefined);
});

test('update is never a frame late', () => {
	const { group, bones } = makeSkinned(makeRandom(5)), body = fromMesh(snug, group);
	bones[1].rotation.z += 1;
	group.position.x += 4;
	body.update();
	const posed = body.getVertices();
	group.updateMatrixWorld(true);
	assert.deepEqual(body.update({ matricesAreCurrent: true }).getVertices(), posed);
	agrees(body, 'after the fact');
});

test('primitives of one skin share joints; characters of one file share a model', async () => {
	const { group } = await loadMan(), [mesh] = group.getObjectsByProperty('isSkinnedMesh', true);
	const half = mesh.geometry.index.count / 6 * 3, parts = new THREE.Group();
	for (const [start, count] of [[0, half], [half, mesh.geometry.index.count - half]]) {
		const part = new THREE.SkinnedMesh(mesh.geometry.clone(), mesh.material);
		part.geometry.setDrawRange(start, count);
		part.bind(mesh.skeleton, mesh.bindMatrix);
		parts.add(part);
	}
	const whole = fromMesh(snug, mesh), split = fromMesh(snug, parts), other = fromMesh(snug, clone(group));
	assert.equal(split.model.jointCount, whole.model.jointCount, 'joints are not doubled');
	assert.equal(split.model.triangleCount, whole.model.triangleCount);
	assert.equal(other.model, whole.model, 'a clone has the same geometry');
	assert.notEqual(split.model, whole.model);
	const creature = fromMesh(snug, (await loadCreature()).group);
	assert.deepEqual(snug.collide(split, creature), snug.collide(whole, creature), 'triangles have the same numbers');
	const { model } = whole;
	whole.dispose();
	assert.ok(!model.isDisposed);
	other.dispose();
	other.dispose();
	assert.ok(model.isDisposed, 'with the last body');
	assert.notEqual(fromMesh(snug, mesh).model, model);
});

test('the same pairs whether everything is deformed first or not', async () => {
	const man = await loadMan(), creature = await loadCreature();
	creature.group.position.set(0.05, 0, 1.2);
	creature.group.rotation.y = Math.PI / 2;
	const lazy = [man, creature].map((c) => fromMesh(snug, c.group));
	const eager = [man, creature].map((c) => fromMesh(snug, c.group, { strategy: 'bottomUp' }));
	let pairs = 0;
	for (let t = 0; t < 1.6; t += 0.1) {
		man.setTime('kick', t);
		creature.setTime('kick', t);
		for (const body of [...lazy, ...eager]) body.update();
		const few = snug.collide(...lazy), { verticesEvaluated } = snug.counters;
		assert.deepEqual(few, snug.collide(...eager), `at ${t}`);
		if (few.length > 0) assert.ok(verticesEvaluated < 8000 && verticesEvaluated > 0, `${verticesEvaluated} vertices`);
		pairs += few.length / 2;
	}
	assert.ok(pairs > 100, `${pairs} pairs`);
});

test('highlights show each triangle once, on the mesh that it belongs to', () => {
	const group = new THREE.Group();
	group.add(new THREE.Mesh(new THREE.BoxGeometry()), new THREE.Mesh(new THREE.BoxGeometry()));
	const body = fromMesh(snug, group), mark = new ContactHighlight(body, { color: 'red' });
	assert.equal(mark.show(new Uint32Array([3, 0, 3, 1, 13, 1]), 0), 2);
	const [first, second] = mark.objects;
	assert.deepEqual([...first.geometry.index.array.slice(0, 3)], [...group.children[0].geometry.index.array.slice(9, 12)]);
	assert.equal(second.geometry.drawRange.count, 3);
	assert.equal(first.parent, group.children[0]);
	assert.equal(fromMesh(snug, group).parts.length, 2, 'a highlight is no part of a body');
	assert.equal(fromMesh(snug, group.clone()).parts.length, 2, 'nor is a copy of one');
	assert.equal(mark.show(new Uint32Array(0), 0), 0);
	assert.ok(!first.visible);
	mark.dispose();
	assert.equal(group.children[0].children.length, 0);
	assert.ok(group.children[0].geometry.attributes.position, 'the mesh keeps its attributes');
});

test('a model file becomes a mesh whose fields are morph targets', () => {
	const { position } = new THREE.TorusGeometry(1, 0.3, 8, 12).attributes, random = makeRandom(9);
	const triangles = new THREE.TorusGeometry(1, 0.3, 8, 12).index.array;
	const displacements = [0, 1].map(() => Float32Array.from(position.array, () => random() - 0.5));
	const made = snug.createModel({ positions: position.array, triangles, displacements });
	const body = fromModel(snug.loadModel(made.save())), { mesh } = body.parts[0];
	mesh.morphTargetInfluences.splice(0, 2, 0.3, -0.2);
	mesh.position.set(1, 2, 3);
	mesh.rotation.set(0.1, 0.2, 0.3);
	agrees(body.update(), 'modes');
	mesh.scale.x = 2;
	assert.throws(() => body.update(), /must not be scaled/);
});

test('rays hit what three.js hits in the same pose, from either side', async () => {
	const man = await loadMan(), random = makeRandom(17), [mesh] = man.meshes, raycaster = new THREE.Raycaster();
	man.group.position.set(0.4, 0, 0.2);
	man.setTime('kick', 0.8);
	const body = fromMesh(snug, man.group);
	mesh.updateMatrixWorld(true);
	mesh.skeleton.update();
	mesh.computeBoundingSphere();
	let found = 0;
	for (let i = 0; i < 40; ++i) {
		mesh.material.side = [THREE.FrontSide, THREE.BackSide, THREE.DoubleSide][i % 3];
		raycaster.set(new THREE.Vector3(0.2 + 0.4 * random(), 0.2 + 1.4 * random(), -3), new THREE.Vector3(0.05 * random(), 0.05 * random(), 1).normalize());
		const expected = raycaster.intersectObject(mesh), hits = raycast(snug, body, raycaster);
		assert.deepEqual(hits.map((hit) => hit.faceIndex).sort(), expected.map((hit) => hit.faceIndex).sort(), `ray ${i}`);
		hits.forEach((hit, k) => assert.ok(Math.abs(hit.distance - expected[k].distance) < 1e-5 && hit.point.distanceTo(expected[k].point) < 1e-5));
		found += hits.length;
	}
	assert.ok(found > 10, `${found} hits`);
	raycaster.far = 0.5;
	assert.deepEqual(raycast(snug, body, raycaster), []);
	raycaster.far = Infinity;
	answerRaycaster(snug, body);
	assert.deepEqual(raycaster.intersectObject(mesh).map((hit) => hit.faceIndex), raycast(snug, body, raycaster).map((hit) => hit.faceIndex));
});

test('lines show the segments of contacts', () => {
	const box = new THREE.Mesh(new THREE.BoxGeometry()), other = new THREE.Mesh(box.geometry), lines = new ContactLines();
	other.position.set(0.4, 0.3, 0.2);
	const contacts = snug.findContacts(fromMesh(snug, box), fromMesh(snug, other)), { position } = lines.object.geometry.attributes;
	assert.equal(lines.show(contacts), contacts.contacts.filter(({ kind }) => kind === 'segment').length);
	const point = new THREE.Vector3().fromBufferAttribute(position, 0);
	assert.ok(new THREE.Box3().setFromObject(box).distanceToPoint(point) < 1e-6);
	assert.equal(lines.show({ contacts: [], positions: new Float32Array() }), 0);
});

test('what cannot be a body is refused', () => {
	const refuses = (object, text) => assert.throws(() => fromMesh(snug, object), (e) => e instanceof SnugError && text.test(e.message));
	refuses(new THREE.Group(), /no Mesh/);
	refuses({ scene: new THREE.Group(), animations: [] }, /give gltf\.scene/);
	refuses({}, /takes a three\.js object/);
	refuses(undefined, /takes a three\.js object/);
	refuses(new THREE.InstancedMesh(new THREE.BoxGeometry(), null, 3), /instanced/);
	refuses(new THREE.Mesh(new THREE.BufferGeometry()), /no positions/);
	const bare = new THREE.SkinnedMesh(new THREE.BoxGeometry());
	bare.bind(new THREE.Skeleton([new THREE.Bone()]));
	refuses(bare, /without skinIndex/);
	const mesh = new THREE.Mesh(new THREE.BoxGeometry());
	mesh.position.x = NaN;
	refuses(mesh, /finite/);
});

test('wrong calls are answered in words of the caller', () => {
	const make = (x) => Object.assign(new THREE.Mesh(new THREE.BoxGeometry()), { name: 'box' }).translateX(x);
	const mesh = make(0), a = fromMesh(snug, mesh), b = fromMesh(snug, make(0.5)), scene = snug.createScene().add(a);
	const model = snug.createModel({ positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 2] }), rigid = model.createBody();
	const mark = new ContactHighlight(a), bad = [-1, NaN, 'x'], wrong = [undefined, null, 3, 'x', mesh, model, scene, [], {}];
	const calls = {
		loadersResult: () => fromMesh(snug, { scene: mesh }), noSnug: () => fromMesh(null, mesh), noModel: () => fromModel(a),
		nothing: () => fromModel(), parts: () => new ContactHighlight(rigid), pairs: () => mark.show(), side: () => mark.show(snug.collide(a, b)),
		otherPairs: () => mark.show([9999, 1], 0), lines: () => new ContactLines().show([1]), ray: () => raycast(snug, a, mesh),
		unparted: () => raycast(snug, rigid, new THREE.Raycaster()), answer: () => answerRaycaster(snug, rigid), noMesh: () => answerRaycaster(),
		same: () => snug.collide(a, a), origin: () => snug.collide(a, b, { origin: [NaN, 0, 0] }), flat: () => a.getBounds([1, 2]),
		models: () => snug.sweep(a, rigid, b), crossed: () => snug.sweep(a, b, b, a), sagitta: () => snug.findSagitta(a, b, rigid),
		late: () => snug.sweep(a, a, b, b, { maxTime: 2 }), ends: () => scene.sweep(), end: () => scene.sweep([rigid]),
		sceneModel: () => scene.sweep([[a, rigid]]), groups: () => scene.add(b, { groups: -1 }), mask: () => scene.castRays([0, 0, 0, 1, 1, 1], { mask: 2 ** 40 }),
		definition: () => snug.createModel(), positions: () => snug.createModel(mesh), pool: () => model.createBody({ pool: 3 }), joints: () => rigid.setJoints(new Float32Array(16)),
		shape: () => scene.add({ kind: 'cube' }), witness: () => snug.touches(a, b, { witness: 3 }),
	};
	for (const value of bad) {
		const asked = { collideWithin: () => snug.collideWithin(a, b, value), margin: () => snug.collideSelfWithin(a, value, 0),
			rest: () => snug.collideSelfWithin(a, 1, value), distance: () => snug.findDistance(a, b, { maxDistance: value }),
			closest: () => snug.findClosest(a, [0, 0, 0], { maxDistance: value }), depths: () => snug.findVertexDepths(a, b, { maxDistance: value }),
			steps: () => snug.sweep(a, a, b, b, { maxSteps: value }), createPool: () => snug.createPool(value), first: () => rigid.setVertices([0, 0, 0], value) };
		for (const option of ['margin', 'tolerance', 'maxTime']) asked[option] = () => snug.sweepAll(a, a, b, b, { [option]: value });
		for (const [name, call] of Object.entries(asked)) calls[`${name}: ${value}`] = call;
	}
	// Memory of something else must not be taken for a body.
	wrong.forEach((thing, i) => {
		for (const [name, call] of Object.entries({ first: () => snug.collide(thing, a), second: () => snug.touches(a, thing),
			contacts: () => snug.findContacts(a, thing), rays: () => snug.castRays(thing, [0, 0, 0, 1, 1, 1]), self: () => snug.collideSelf(thing),
			closest: () => snug.findClosest(thing, [0, 0, 0]), start: () => snug.sweep(thing, a, b, b), inside: () => snug.findSelfInside(thing),
			member: () => scene.add(thing), left: () => scene.remove(thing) })) calls[`${name}, wrong thing ${i}`] = call;
	});
	for (const [name, call] of Object.entries(calls)) {
		assert.throws(call, (error) => error instanceof SnugError && /^\S.{10,}/.test(error.message) &&
			!/\bs[ng]u?g?[A-Z_]|->|&&|NULL|\[object|is not a function|reading '/.test(error.message), name);
	}
});

test('no call fails in words of the engine, whatever it is given', () => {
	const mesh = new THREE.Mesh(new THREE.BoxGeometry()), seen = new Set();
	const model = snug.createModel({ positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 2] });
	const make = () => ({ rigid: model.createBody(), body: fromMesh(snug, mesh), scene: snug.createScene().add(model.createBody()), witness: new Witness() });
	const attempt = (where, call) => {
		try {
			call();
		} catch (error) {
			if (!(error instanceof SnugError) || /is not a function|reading '|\[object/.test(error.message)) seen.add(`${where}: ${error}`);
		}
	};
	const { body, rigid } = make(), values = [undefined, null, 3, NaN, 'x', {}, [], [1, 2, 3], rigid, body, mesh];
	const lists = values.flatMap((a) => values.flatMap((b) => [[a], [a, b], [rigid, a, b], [snug, a, b]]));
	for (const [kind, thing] of Object.entries({ snug, model, ...make(), mark: new ContactHighlight(body), lines: new ContactLines() })) {
		const names = new Set(Object.keys(thing));
		for (let p = Object.getPrototypeOf(thing); p !== Object.prototype; p = Object.getPrototypeOf(p)) {
			for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(p))) if (typeof value === 'function') names.add(name);
		}
		for (const name of names) {
			if (typeof thing[name] !== 'function' || ['constructor', 'dispose', 'createScene', 'createPool'].includes(name)) continue;
			for (const list of lists) attempt(`${kind}.${name}`, () => thing[name](...list));
		}
	}
	for (const call of [fromMesh, fromModel, raycast, answerRaycaster]) for (const list of lists) attempt(call.name, () => call(...list));
	for (const Class of [ContactHighlight, ContactLines]) for (const list of lists) attempt(Class.name, () => new Class(...list));
	assert.deepEqual([...seen], []);
});
