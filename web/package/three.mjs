// three.mjs: bodies from three.js objects, and contacts drawn on them. Types and what each call does: three.d.mts.
//
// Positions are those that the vertex shader computes: the skin's matrices are made of the same bones, morph targets of
// the same influences. No vertex is computed here, nor read back from the GPU.
import { BackSide, BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Float32BufferAttribute, FrontSide,
	LineBasicMaterial, LineSegments, Matrix3, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, Quaternion, SkinnedMesh,
	Vector3 } from 'three';
import { Model, Snug, SnugError } from './snug.mjs';

const badInput = (text) => new SnugError('badInput', text);

// ---- What a body consists of ---------------------------------------------------------------------------------------

function checkSnug(snug) {
	if (!(snug instanceof Snug)) throw badInput('the first argument must be what Snug.load() gives');
}

// Bodies that this file made know the meshes that they are made of.
function partsOf(body, what) {
	if (!Array.isArray(body?.parts)) throw badInput(`${what} needs a body that fromMesh or fromModel made`);
	return body.parts;
}

function collectMeshes(objects) {
	const meshes = [];
	for (const object of objects) {
		if (object?.scene?.isObject3D) throw badInput('this is what a loader read, not an object: give gltf.scene');
		if (!object?.isObject3D) throw badInput('fromMesh takes a three.js object, as a Mesh or gltf.scene, or a list of them');
		object.traverse((o) => {
			if (!o.isMesh || o.userData.isContactHighlight) return;
			if (o.isInstancedMesh || o.isBatchedMesh) throw badInput(`'${o.name}' is instanced; make a body per instance`);
			if (!o.geometry.attributes.position) throw badInput(`'${o.name}' has no positions`);
			if (!meshes.includes(o)) meshes.push(o);
		});
	}
	if (meshes.length === 0) throw badInput('there is no Mesh in this object');
	return meshes;
}

// Joints of one skeleton, or the one joint of a mesh without: primitives of one glTF mesh share a skeleton.
function sameJoints(a, b) {
	return a.isSkinnedMesh && b.isSkinnedMesh && a.skeleton === b.skeleton && a.bindMode === b.bindMode &&
		a.bindMatrix.equals(b.bindMatrix) && (a.bindMode === 'attached' || a.matrixWorld.equals(b.matrixWorld));
}

// Which range of triangles to draw; three.js allows Infinity and ends that are beyond the last.
function drawnRange(geometry) {
	const total = geometry.index ? geometry.index.count : geometry.attributes.position.count;
	const { start, count } = geometry.drawRange;
	return { start, count: Math.max(0, Math.min(count, total - start)) };
}

// Every mesh as a part: its first vertex, triangle, joint and morph target in the body.
function layOut(meshes) {
	const next = { vertex: 0, triangle: 0, joint: 0, field: 0 };
	const parts = [];
	for (const mesh of meshes) {
		const known = parts.find((part) => sameJoints(part.mesh, mesh));
		const jointCount = known ? 0 : mesh.isSkinnedMesh ? mesh.skeleton.bones.length : 1;
		const part = { mesh, firstVertex: next.vertex, firstTriangle: next.triangle,
			vertexCount: mesh.geometry.attributes.position.count,
			triangleCount: Math.floor(drawnRange(mesh.geometry).count / 3),
			firstJoint: known ? known.firstJoint : next.joint, ownsJoints: !known, firstField: next.field,
			fieldCount: mesh.geometry.morphAttributes.position?.length ?? 0 };
		parts.push(part);
		next.vertex += part.vertexCount;
		next.triangle += part.triangleCount;
		next.joint += jointCount;
		next.field += part.fieldCount;
	}
	return { parts, vertexCount: next.vertex, triangleCount: next.triangle, jointCount: next.joint,
		fieldCount: next.field };
}

// ---- The model -----------------------------------------------------------------------------------------------------

// Components one by one: attributes may be interleaved, or integers that stand for fractions.
function copyAttribute(attribute, size, out, first) {
	for (let i = 0; i < attribute.count; ++i) {
		for (let k = 0; k < size; ++k) out[size * (first + i) + k] = attribute.getComponent(i, k);
	}
}

function addTriangles(part, triangles) {
	const { geometry } = part.mesh, { start } = drawnRange(geometry);
	for (let i = 0; i < 3 * part.triangleCount; ++i) {
		const corner = geometry.index ? geometry.index.getX(start + i) : start + i;
		triangles[3 * part.firstTriangle + i] = part.firstVertex + corner;
	}
}

function addWeights(part, joints, weights) {
	const { skinIndex, skinWeight } = part.mesh.geometry.attributes, first = part.firstVertex;
	if (part.mesh.isSkinnedMesh) {
		if (!skinIndex || !skinWeight) throw badInput(`'${part.mesh.name}' is a SkinnedMesh without skinIndex or skinWeight`);
		copyAttribute(skinIndex, 4, joints, first);
		copyAttribute(skinWeight, 4, weights, first);
	}
	for (let v = first; v < first + part.vertexCount; ++v) {
		if (!part.mesh.isSkinnedMesh) weights[4 * v] = 1;
		for (let k = 0; k < 4; ++k) joints[4 * v + k] += part.firstJoint;
	}
}

// Displacements of those vertices that each morph target moves.
function makeFields(layout, positions) {
	const starts = new Uint32Array(layout.vertexCount + 1), fields = [], displacements = [];
	for (const part of layout.parts) {
		const { geometry } = part.mesh, targets = geometry.morphAttributes.position ?? [];
		for (let i = 0; i < part.vertexCount; ++i) {
			const v = part.firstVertex + i;
			targets.forEach((target, t) => {
				const d = [0, 1, 2].map((k) =>
					target.getComponent(i, k) - (geometry.morphTargetsRelative ? 0 : positions[3 * v + k]));
				if (d[0] !== 0 || d[1] !== 0 || d[2] !== 0) {
					fields.push(part.firstField + t);
					displacements.push(...d);
				}
			});
			starts[v + 1] = fields.length;
		}
	}
	return { count: layout.fieldCount, starts, fields, displacements };
}

function buildModel(snug, layout) {
	const { vertexCount, triangleCount, jointCount, fieldCount } = layout;
	const positions = new Float32Array(3 * vertexCount), triangles = new Uint32Array(3 * triangleCount);
	const joints = new Uint16Array(4 * vertexCount), weights = new Float32Array(4 * vertexCount);
	for (const part of layout.parts) {
		copyAttribute(part.mesh.geometry.attributes.position, 3, positions, part.firstVertex);
		addTriangles(part, triangles);
		addWeights(part, joints, weights);
	}
	return snug.createModel({ positions, triangles, joints, weights, jointCount,
		...(fieldCount > 0 && { fields: makeFields(layout, positions) }) });
}

// Models that are in use, per Snug: many characters of one file share one. The geometries are what they are made of.
const modelsOf = new WeakMap();

function sameLayout(a, b) {
	const same = ['firstJoint', 'firstField', 'firstTriangle', 'triangleCount'];
	return a.jointCount === b.jointCount && a.parts.length === b.parts.length && a.parts.every((part, i) =>
		part.mesh.geometry === b.parts[i].mesh.geometry && part.mesh.isSkinnedMesh === b.parts[i].mesh.isSkinnedMesh &&
		same.every((name) => part[name] === b.parts[i][name]));
}

// A WeakMap by the first geometry, so that a geometry that is forgotten takes its models along.
function borrowModel(snug, layout) {
	if (!modelsOf.has(snug)) modelsOf.set(snug, new WeakMap());
	const known = modelsOf.get(snug), key = layout.parts[0].mesh.geometry;
	if (!known.has(key)) known.set(key, []);
	const list = known.get(key);
	let entry = list.find((e) => sameLayout(e.layout, layout));
	if (!entry) list.push((entry = { layout, model: buildModel(snug, layout), users: 0 }));
	++entry.users;
	const giveBack = () => {
		if (--entry.users === 0) {
			entry.model.dispose();
			list.splice(list.indexOf(entry), 1);
		}
	};
	return { model: entry.model, giveBack };
}

// ---- Poses ---------------------------------------------------------------------------------------------------------

// out = a * b for matrices whose last row is 0 0 0 1, columns first.
function multiplyAffine(a, b, out, at) {
	for (let c = 0; c < 4; ++c) {
		const x = b[4 * c], y = b[4 * c + 1], z = b[4 * c + 2], w = c === 3 ? 1 : 0;
		for (let r = 0; r < 3; ++r) out[at + 4 * c + r] = a[r] * x + a[4 + r] * y + a[8 + r] * z + a[12 + r] * w;
		out[at + 4 * c + 3] = w;
	}
}

const identity = new Matrix4(), before = new Matrix4(), after = new Matrix4();

// As the vertex shader has it: world * bindInverse * bone * boneInverse * bind. For attached skins the first two cancel.
function writeJoints({ mesh, firstJoint }, out) {
	if (!mesh.isSkinnedMesh) {
		multiplyAffine(mesh.matrixWorld.elements, identity.elements, out, 16 * firstJoint);
		return;
	}
	const { bones, boneInverses } = mesh.skeleton, attached = mesh.bindMode === 'attached';
	const binds = !mesh.bindMatrix.equals(identity);
	if (!attached) before.multiplyMatrices(mesh.matrixWorld, mesh.bindMatrixInverse);
	for (let i = 0; i < bones.length; ++i) {
		const inverse = binds ? after.multiplyMatrices(boneInverses[i], mesh.bindMatrix) : boneInverses[i];
		const world = bones[i]?.matrixWorld ?? identity, at = 16 * (firstJoint + i);
		multiplyAffine(world.elements, inverse.elements, out, at);
		if (!attached) multiplyAffine(before.elements, out.slice(at, at + 16), out, at);
	}
}

// Bones are seldom below their mesh: those that no other bone of theirs is above.
function findRoots(parts) {
	const roots = new Set();
	for (const { mesh } of parts) {
		roots.add(mesh);
		const bones = new Set(mesh.isSkinnedMesh ? mesh.skeleton.bones : []);
		for (const bone of bones) if (bone && !bones.has(bone.parent)) roots.add(bone);
	}
	return [...roots];
}

function readInfluences(parts, out) {
	for (const { mesh, firstField, fieldCount } of parts) {
		for (let i = 0; i < fieldCount; ++i) out[firstField + i] = mesh.morphTargetInfluences?.[i] ?? 0;
	}
}

// Adds to a body what ties it to the objects that it is made of.
function tie(body, parts, pose, dispose) {
	const roots = findRoots(parts);
	body.parts = parts;
	body.update = (options) => {
		const { matricesAreCurrent = false } = options ?? {};
		if (!matricesAreCurrent) for (const root of roots) root.updateWorldMatrix(true, true);
		pose();
		return body;
	};
	body.locate = (triangle) => {
		const part = parts.findLast((p) => p.firstTriangle <= triangle && triangle < p.firstTriangle + p.triangleCount);
		return part && { mesh: part.mesh, triangle: triangle - part.firstTriangle };
	};
	body.dispose = () => {
		if (!body.isDisposed) {
			Object.getPrototypeOf(body).dispose.call(body);
			dispose();
		}
	};
	try {
		return body.update();
	} catch (error) {
		body.dispose();
		throw error;
	}
}

export function fromMesh(snug, object, options) {
	checkSnug(snug);
	const layout = layOut(collectMeshes([object].flat())), { parts } = layout;
	const { model, giveBack } = borrowModel(snug, layout);
	const matrices = new Float32Array(16 * layout.jointCount), influences = new Float32Array(layout.fieldCount);
	let body;
	try {
		body = model.createBody(options);
	} catch (error) {
		giveBack();
		throw error;
	}
	Object.assign(body, { matrices, influences });
	return tie(body, parts, () => {
		for (const part of parts) if (part.ownsJoints) writeJoints(part, matrices);
		body.setJoints(matrices);
		readInfluences(parts, influences);
		if (influences.length > 0) body.setAmplitudes(influences);
	}, giveBack);
}

// ---- Models from files ---------------------------------------------------------------------------------------------

function makeGeometry(model) {
	const geometry = new BufferGeometry();
	geometry.setAttribute('position', new BufferAttribute(model.getPositions(), 3));
	geometry.setIndex(new BufferAttribute(model.getTriangles(), 1));
	geometry.computeVertexNormals();
	if (model.fieldCount > 0) {
		const { starts, fields, displacements } = model.getFields();
		const targets = Array.from({ length: model.fieldCount }, () => new Float32Array(3 * model.vertexCount));
		for (let v = 0; v < model.vertexCount; ++v) {
			for (let i = starts[v]; i < starts[v + 1]; ++i) {
				targets[fields[i]].set(displacements.subarray(3 * i, 3 * i + 3), 3 * v);
			}
		}
		geometry.morphAttributes.position = targets.map((target) => new Float32BufferAttribute(target, 3));
		geometry.morphTargetsRelative = true;
	}
	return geometry;
}

const position = new Vector3(), rotation = new Quaternion(), scale = new Vector3();

export function fromModel(model, options) {
	const { material = new MeshStandardMaterial({ flatShading: true }), strategy, pool } = options ?? {};
	if (!(model instanceof Model)) throw badInput('fromModel takes a model, as createModel and loadModel make them; fromMesh takes three.js objects');
	if (model.deformer !== 'rigid' && model.deformer !== 'fields') {
		throw badInput(`a ${model.deformer} model has no three.js skeleton; rigid models and displacement fields can be shown`);
	}
	const mesh = new Mesh(makeGeometry(model), material), body = model.createBody({ strategy, pool });
	mesh.frustumCulled = false; // three.js does not know how far modes reach
	const part = { mesh, firstVertex: 0, vertexCount: model.vertexCount, firstTriangle: 0,
		triangleCount: model.triangleCount, firstField: 0, fieldCount: model.fieldCount };
	const influences = new Float32Array(model.fieldCount);
	return tie(body, [part], () => {
		mesh.matrixWorld.decompose(position, rotation, scale);
		if (Math.abs(scale.x - 1) + Math.abs(scale.y - 1) + Math.abs(scale.z - 1) > 1e-4) {
			throw badInput('a body from a model file moves rigidly: its mesh must not be scaled');
		}
		body.setFrame(position.toArray(), rotation.normalize().toArray());
		readInfluences([part], influences);
		if (influences.length > 0) body.setAmplitudes(influences);
	}, () => mesh.geometry.dispose());
}

// ---- Contacts on the screen ----------------------------------------------------------------------------------------

// A mesh with the same vertices, skeleton and morph weights, and an index of its own: the GPU poses it.
class Overlay {
	#seen;
	#count = 0;

	constructor(part, material) {
		const { mesh } = part, geometry = new BufferGeometry();
		Object.assign(geometry.attributes, mesh.geometry.attributes);
		geometry.morphAttributes = mesh.geometry.morphAttributes;
		geometry.morphTargetsRelative = mesh.geometry.morphTargetsRelative;
		this.part = part;
		this.geometry = geometry;
		this.geometry.setIndex(new BufferAttribute(new Uint32Array(3 * part.triangleCount), 1).setUsage(DynamicDrawUsage));
		this.#seen = new Uint8Array(part.triangleCount);
		this.object = mesh.isSkinnedMesh ? new SkinnedMesh(geometry, material) : new Mesh(geometry, material);
		if (mesh.isSkinnedMesh) {
			this.object.bindMode = mesh.bindMode;
			this.object.bind(mesh.skeleton, mesh.bindMatrix);
		}
		this.object.morphTargetInfluences = mesh.morphTargetInfluences;
		Object.assign(this.object, { frustumCulled: false, raycast() {}, renderOrder: 1 });
		this.object.userData.isContactHighlight = true; // in copies of it, too
		mesh.add(this.object);
	}

	begin() {
		this.#seen.fill(0);
		this.#count = 0;
	}

	add(triangle) {
		if (this.#seen[triangle]) return;
		this.#seen[triangle] = 1;
		const { geometry } = this.part.mesh, { start } = drawnRange(geometry), { array } = this.geometry.index;
		for (let k = 0; k < 3; ++k) {
			const corner = start + 3 * triangle + k;
			array[3 * this.#count + k] = geometry.index ? geometry.index.getX(corner) : corner;
		}
		++this.#count;
	}

	end() {
		this.geometry.setDrawRange(0, 3 * this.#count);
		this.object.visible = this.#count > 0;
		this.geometry.index.clearUpdateRanges();
		this.geometry.index.addUpdateRange(0, 3 * this.#count);
		this.geometry.index.needsUpdate = true;
		return this.#count;
	}

	dispose() {
		this.object.removeFromParent();
		this.geometry.attributes = {}; // the mesh goes on using them: only the index is ours
		this.geometry.dispose();
	}
}

export class ContactHighlight {
	#overlays;
	#body;

	constructor(body, options) {
		const { color = 0xff3020, opacity = 1, material } = options ?? {};
		const parts = partsOf(body, 'ContactHighlight');
		this.material = material ?? new MeshBasicMaterial({ color, opacity, transparent: opacity < 1, side: DoubleSide,
			polygonOffset: true, polygonOffsetFactor: -4, polygonOffsetUnits: -4 });
		this.#body = body;
		this.#overlays = new Map(parts.map((part) => [part.mesh, new Overlay(part, this.material)]));
	}

	get objects() {
		return [...this.#overlays.values()].map((overlay) => overlay.object);
	}

	show(pairs, side) {
		if (!Number.isInteger(pairs?.length)) throw badInput('show takes pairs, as collide gives them');
		if (side !== 0 && side !== 1) throw badInput('side must be 0 for the first body of the pairs, 1 for the second');
		for (const overlay of this.#overlays.values()) overlay.begin();
		for (let i = side; i < pairs.length; i += 2) {
			const place = this.#body.locate(pairs[i]);
			if (!place) throw badInput(`this body has no triangle ${pairs[i]}: are these pairs of other bodies?`);
			this.#overlays.get(place.mesh).add(place.triangle);
		}
		let count = 0;
		for (const overlay of this.#overlays.values()) count += overlay.end();
		return count;
	}

	dispose() {
		for (const overlay of this.#overlays.values()) overlay.dispose();
		this.material.dispose();
	}
}

// Where surfaces cross, as lines in the world.
export class ContactLines {
	constructor(options) {
		const { color = 0xffffff, material } = options ?? {};
		this.material = material ?? new LineBasicMaterial({ color, depthTest: false, transparent: true });
		this.object = new LineSegments(new BufferGeometry(), this.material);
		Object.assign(this.object, { frustumCulled: false, renderOrder: 2, raycast() {} });
		this.#reserve(256);
	}

	#reserve(segments) {
		this.object.geometry.dispose();
		const attribute = new BufferAttribute(new Float32Array(6 * segments), 3).setUsage(DynamicDrawUsage);
		this.object.geometry = new BufferGeometry().setAttribute('position', attribute);
		this.object.geometry.setDrawRange(0, 0);
	}

	show(found) {
		const { contacts, positions } = found ?? {};
		if (!Array.isArray(contacts) || !positions) throw badInput('show takes what findContacts gives');
		const segments = contacts.filter(({ points }) => points.length === 2);
		if (6 * segments.length > this.object.geometry.attributes.position.array.length) this.#reserve(2 * segments.length);
		const { geometry } = this.object, { position: attribute } = geometry.attributes;
		segments.forEach(({ points }, i) => {
			for (let k = 0; k < 2; ++k) attribute.array.set(positions.subarray(3 * points[k], 3 * points[k] + 3), 6 * i + 3 * k);
		});
		geometry.setDrawRange(0, 2 * segments.length);
		attribute.needsUpdate = true;
		return segments.length;
	}

	dispose() {
		this.object.removeFromParent();
		this.object.geometry.dispose();
		this.material.dispose();
	}
}

// ---- Rays ----------------------------------------------------------------------------------------------------------

const toCenter = new Vector3(), turned = new Matrix3();

// The part of a raycaster's ray that is within a body's ball: a segment begins and ends.
function cutRay(body, { ray, near, far }) {
	const { center, radius } = body.getBounds(), along = toCenter.fromArray(center).sub(ray.origin).dot(ray.direction);
	const half = Math.sqrt(radius ** 2 - (toCenter.lengthSq() - along ** 2)) + 1e-4 * radius; // NaN: it passes by
	const begin = Math.max(near, along - half), end = Math.min(far, along + half);
	return begin <= end ? { begin, end } : null;
}

// Materials are seen from one side or both, as three.js has it.
function isSeen(material, direction, normal) {
	const towards = direction.dot(normal);
	return Array.isArray(material) || (material.side === FrontSide ? towards <= 0 : material.side !== BackSide || towards >= 0);
}

function makeIntersection(body, hits, i, ray, { begin, end }) {
	const { mesh, triangle } = body.locate(hits.triangle[i]), { geometry } = mesh, { start } = drawnRange(geometry);
	const normal = new Vector3().fromArray(hits.normal, 3 * i), corner = (k) => start + 3 * triangle + k;
	const [a, b, c] = [0, 1, 2].map((k) => (geometry.index ? geometry.index.getX(corner(k)) : corner(k)));
	const local = normal.clone().applyMatrix3(turned.setFromMatrix4(mesh.matrixWorld).transpose()).normalize();
	return { distance: begin + hits.t[i] * (end - begin), point: new Vector3().fromArray(hits.position, 3 * i), object: mesh,
		faceIndex: start / 3 + triangle, face: { a, b, c, normal: local, materialIndex: 0 }, normal,
		barycoord: new Vector3().fromArray(hits.weights, 3 * i) };
}

export function raycast(snug, body, raycaster) {
	checkSnug(snug);
	partsOf(body, 'raycast');
	if (!raycaster?.ray?.direction) throw badInput('raycast takes a Raycaster of three.js');
	const range = cutRay(body, raycaster), { ray } = raycaster;
	if (!range) return [];
	const from = ray.at(range.begin, new Vector3()), to = ray.at(range.end, new Vector3());
	const hits = snug.findHits(body, [...from, ...to]);
	return Array.from(hits.t, (_, i) => makeIntersection(body, hits, i, ray, range))
		.filter(({ object, normal }) => isSeen(object.material, ray.direction, normal));
}

export function answerRaycaster(snug, body) {
	checkSnug(snug);
	for (const { mesh } of partsOf(body, 'answerRaycaster')) {
		mesh.raycast = (raycaster, intersections) => {
			intersections.push(...raycast(snug, body, raycaster).filter(({ object }) => object === mesh));
		};
	}
}
