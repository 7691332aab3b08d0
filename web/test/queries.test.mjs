// Rays, distances, contacts and scenes of the package, against brute force by three.js's geometry, in double precision.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as THREE from 'three';
import { Snug, SnugError } from 'snugmesh';
import { makeRandom } from './characters.mjs';

const snug = await Snug.load();
const MISS = 0xffffffff;

function modelOf(geometry) {
	return snug.createModel({ positions: geometry.attributes.position.array, triangles: geometry.index.array });
}

// A sphere without seams: every edge has two triangles.
function makeBall(detail) {
	const { position } = new THREE.IcosahedronGeometry(1, detail).attributes, known = new Map(), positions = [], triangles = [];
	for (let i = 0; i < position.count; ++i) {
		const p = [position.getX(i), position.getY(i), position.getZ(i)].map(Math.fround), key = p.map((x) => x.toFixed(5)).join();
		if (!known.has(key)) {
			known.set(key, positions.length / 3);
			positions.push(...p);
		}
		triangles.push(known.get(key));
	}
	return snug.createModel({ positions, triangles });
}

function trianglesOf(body) {
	const p = body.getVertices(), t = body.model.getTriangles();
	return Array.from({ length: t.length / 3 }, (_, i) =>
		new THREE.Triangle(...[0, 1, 2].map((k) => new THREE.Vector3().fromArray(p, 3 * t[3 * i + k]))));
}

test('rays hit first what brute force hits first', () => {
	const random = makeRandom(11), body = modelOf(new THREE.TorusKnotGeometry(1, 0.3, 60, 8)).createBody().setFrame([0.2, 0.1, 0], [0, 0.6, 0, 0.8]);
	const triangles = trianglesOf(body), point = () => [0, 1, 2].map(() => Math.fround(5 * random() - 2.5)), hit = new THREE.Vector3();
	const rays = Array.from({ length: 200 }, () => [...point(), ...point()]);
	const found = snug.castRays(body, rays.flat());
	let hits = 0;
	rays.forEach((ray, i) => {
		const from = new THREE.Vector3(...ray), to = new THREE.Vector3(...ray.slice(3)), length = from.distanceTo(to);
		const line = new THREE.Ray(from, to.clone().sub(from).normalize());
		const distances = triangles.map(({ a, b, c }) => (line.intersectTriangle(a, b, c, false, hit) ? from.distanceTo(hit) : Infinity));
		const nearest = Math.min(...distances);
		if (nearest > length) return assert.equal(found.triangle[i], MISS, `ray ${i}`);
		++hits;
		assert.ok(Math.abs(found.t[i] * length - nearest) < 1e-5, `ray ${i}: ${found.t[i] * length}, not ${nearest}`);
		const all = snug.findHits(body, ray);
		assert.equal(all.t.length, distances.filter((d) => d <= length).length, `ray ${i}`);
		assert.equal(all.triangle[0], found.triangle[i]);
		assert.ok(Math.abs(found.weights[3 * i] + found.weights[3 * i + 1] + found.weights[3 * i + 2] - 1) < 1e-6);
	});
	assert.ok(hits > 40, `${hits} rays hit`);
	assert.deepEqual(snug.castRays(body, rays.flat(), { any: true }).triangle.map((t) => (t === MISS ? 1 : 0)), found.triangle.map((t) => (t === MISS ? 1 : 0)));
	assert.throws(() => snug.castRays(body, [0, 0, 0, NaN, 0, 0]), SnugError);
	assert.throws(() => snug.castRays(body, [0, 0, 0]), /6 does not divide/);
});

test('closest points and distances are those of all triangles', () => {
	const random = makeRandom(5), body = modelOf(new THREE.TorusGeometry(1, 0.3, 8, 16)).createBody(), triangles = trianglesOf(body);
	const points = Float32Array.from({ length: 300 }, () => 4 * random() - 2), near = new THREE.Vector3(), found = snug.findClosest(body, points);
	for (let i = 0; i < 100; ++i) {
		const p = new THREE.Vector3().fromArray(points, 3 * i);
		const least = Math.min(...triangles.map((t) => t.closestPointToPoint(p, near).distanceTo(p)));
		assert.ok(Math.abs(found.distance[i] - least) < 1e-5, `point ${i}`);
		assert.ok(Math.abs(new THREE.Vector3().fromArray(found.position, 3 * i).distanceTo(p) - least) < 1e-5);
	}
	assert.equal(snug.findClosest(body, [100, 0, 0], { maxDistance: 1 }).distance[0], Infinity);
	const box = modelOf(new THREE.BoxGeometry()), a = box.createBody(), b = box.createBody().setFrame([3, 0, 0]);
	const { distance, pointA, pointB } = snug.findDistance(a, b);
	assert.equal(distance, 2);
	assert.equal(pointB[0] - pointA[0], 2);
	assert.equal(snug.findDistance(a, b, { maxDistance: 1 }).distance, Infinity);
	assert.equal(snug.collideWithin(a, b, 1.9).length, 0);
	assert.ok(snug.collideWithin(a, b, 2.1).length >= 2);
	b.setFrame([0.5, 0.2, 0.1]);
	assert.deepEqual(snug.collideWithin(a, b, 0), snug.collide(a, b));
	assert.equal(snug.findDistance(a, b).distance, 0);
});

test('a sweep meets before any sample does, and the way back is not free', () => {
	const random = makeRandom(11), ball = makeBall(4), knot = modelOf(new THREE.TorusKnotGeometry(1, 0.2, 40, 6)), answers = new Set();
	const [start, end, between] = [0, 1, 2].map(() => ball.createBody()), still = knot.createBody();
	for (let n = 0; n < 40; ++n) {
		const [from, to] = [0, 1].map(() => [0, 1, 2].map(() => Math.round(64 * (6 * random() - 3)) / 64));
		const found = snug.sweep(start.setFrame(from), end.setFrame(to), still), back = snug.sweep(end, start, still, null);
		const times = Array.from({ length: 65 }, (_, i) => i / 64);
		const sample = times.find((t) => snug.touches(between.setFrame(from.map((x, k) => (1 - t) * x + t * to[k])), still));
		assert.ok(sample === undefined || (found.answer !== 'free' && found.time <= sample + 1e-6), `${n}: ${found.time} and ${sample}`);
		assert.ok(!(found.answer === 'free' && back.answer === 'meets') && !(found.answer === 'meets' && back.answer === 'free'));
		assert.equal(found.a === undefined, found.answer === 'free');
		answers.add(found.answer);
	}
	assert.ok(answers.has('free') && answers.has('meets'));
	const box = modelOf(new THREE.BoxGeometry()), a = box.createBody().setFrame([0.1, 0.2, 3]), b = box.createBody(), c = box.createBody().setFrame([0.1, 0.2, -3]);
	const hit = snug.sweep(a, c, b);
	assert.ok(hit.answer === 'meets' && hit.time <= 1 / 3 && hit.time > 0.333 && hit.normal[2] > 0.99);
	assert.ok(['vertex', 'edge', 'triangle'].includes(hit.featureA.kind) && hit.featureA.numbers.length > 0);
	assert.ok(Math.abs(snug.sweep(a, c, b, null, { margin: 1 }).time - 1 / 6) < 1e-3);
	assert.equal(snug.sweep(a, c, b, null, { maxTime: 0.3 }).answer, 'free');
	assert.equal(snug.sweep(a, c, b, null, { maxSteps: 1 }).answer, 'unsure');
	assert.ok(snug.sweep(a.setFrame([0.1, 0.2, 1]), c, b).time === 0 && snug.sweep(a, c, b, null, { newOnly: true }).time > 0);
	const all = snug.sweepAll(a, c, b, null, { newOnly: true }), first = snug.sweep(a, c, b, null, { newOnly: true });
	assert.ok(all.isComplete && all.contacts.time.length > 1 && all.contacts.time[0] === first.time && all.time === first.time);
	assert.ok(all.contacts.time.every((time, i) => i === 0 || all.contacts.time[i - 1] <= time));
	assert.equal(all.contacts.featureA.length, 3 * all.contacts.time.length);
	const turned = box.createBody().setFrame([0.1, 0.2, -3], [0, 0, Math.sin(0.05), Math.cos(0.05)]);
	assert.ok(snug.sweep(a, turned, b, null, { turning: true }).stray > 0 && snug.sweep(a, turned, b).stray === 0);
	assert.ok(Math.abs(snug.findSagitta(a, b, c) - Math.hypot(0.1, 0.2, 1)) < 1e-6);
	assert.throws(() => snug.findSagitta(a, b, a), /same body/);
	assert.throws(() => snug.sweep(a, still, b), /another model/);
	for (const maxTime of [2, -0.5, NaN]) assert.throws(() => snug.sweep(a, c, b, null, { maxTime }), /maxTime is/);
	assert.throws(() => snug.sweep(a, c, b, null, { margin: -1 }), /margin is -1/);
	assert.throws(() => snug.sweep(a, c, b, null, { tolerance: NaN }), /tolerance is NaN/);
});

test('a scene says which bodies first meet on their way, as sweeps of every two do', () => {
	const random = makeRandom(17), model = makeBall(2), answers = new Set(), places = () => [0, 1, 2].map(() => 5 * random() - 2.5);
	for (let n = 0; n < 24; ++n) {
		const scene = snug.createScene(), starts = [0, 1, 2, 3, 4].map(() => model.createBody().setFrame(places()));
		const ends = starts.map((_, i) => (i === 0 ? null : model.createBody().setFrame(places())));
		const options = [{}, { margin: 0.2 }, { maxTime: 0.5 }, { newOnly: true }][n % 4];
		starts.forEach((body, i) => scene.add(body, { owner: i < 2 ? 'both' : null }));
		let first = { answer: 'free', time: Infinity };
		for (let i = 0; i < 5; ++i) for (let j = Math.max(i + 1, 2); j < 5; ++j) {
			const found = snug.sweep(starts[i], ends[i], starts[j], ends[j], options);
			if (found.answer !== 'free' && found.time < first.time) first = { ...found, bodyA: starts[i], bodyB: starts[j] };
		}
		const found = scene.sweep(starts.map((start, i) => [start, ends[i]]), options);
		answers.add(found.answer);
		assert.equal(found.bodyA, first.bodyA, `${n}`);
		if (first.bodyA) {
			assert.equal(found.bodyB, first.bodyB);
			assert.deepEqual([found.time, found.a, found.b, found.featureA, found.position], [first.time, first.a, first.b, first.featureA, first.position]);
		}
		scene.dispose();
	}
	assert.ok(answers.has('free') && answers.has('meets'));
	const small = makeBall(0), scene = snug.createScene(), many = Array.from({ length: 70 }, () => small.createBody()), end = small.createBody().setFrame([9, 0, 0]);
	for (const body of many) scene.add(body);
	const ball = { kind: 'sphere', center: [0, 0, 0], radius: 1 };
	scene.add(ball);
	const { bodyA, bodyB } = scene.sweep([[many[69], end]]); // more candidates than there is room for at first
	assert.ok(bodyA === many[0] && bodyB === many[1] && scene.sweep(new Map([[many[69], end]]), { newOnly: true }).bodyB === many[69]);
	assert.ok(scene.sweep([[many[0], many[0]], [many[1], null]]).answer === 'meets' && scene.sweep([], { newOnly: true }).answer === 'free');
	assert.throws(() => scene.sweep([[many[0], end], [many[1], end]]), /one body only/);
	assert.throws(() => scene.sweep([[many[0], many[1]]]), /in no scene/);
	assert.throws(() => scene.sweep([[end, many[1]]]), /not in the scene/);
	assert.throws(() => scene.sweep([[ball, end]]), /shape rests/);
	assert.throws(() => scene.sweep([[many[2], makeBall(3).createBody()]]), /body 2 has another model/);
	assert.throws(() => scene.sweep([], { maxTime: 2 }), /maxTime/);
	scene.dispose();
});

test('contacts of closed surfaces are closed curves, on both of them', () => {
	const model = makeBall(6), a = model.createBody(), b = model.createBody().setFrame([0.9, 0.31, 0.17]);
	const { pairs, positions, contacts, curves, normalA } = snug.findContacts(a, b);
	const sorted = (list) => Array.from({ length: list.length / 2 }, (_, i) => `${list[2 * i]} ${list[2 * i + 1]}`).sort();
	assert.deepEqual(sorted(pairs), sorted(snug.collide(a, b)));
	assert.equal(curves.length, 1);
	assert.ok(curves[0].isClosed);
	assert.equal(curves[0].points.length, contacts.filter(({ kind }) => kind === 'segment').length);
	const circle = 2 * Math.PI * Math.sqrt(1 - (0.9 ** 2 + 0.31 ** 2 + 0.17 ** 2) / 4);
	assert.ok(Math.abs(curves[0].length / circle - 1) < 0.03, `${curves[0].length}, the circle of the spheres ${circle}`);
	assert.ok(new THREE.Vector3(...curves[0].area).normalize().dot(new THREE.Vector3(0.9, 0.31, 0.17).normalize()) > 0.99, 'to b');
	const surfaces = [trianglesOf(a), trianglesOf(b)], near = new THREE.Vector3();
	contacts.forEach(({ points }, i) => {
		for (const point of points) {
			const p = new THREE.Vector3().fromArray(positions, 3 * point);
			for (const side of [0, 1]) assert.ok(surfaces[side][pairs[2 * i + side]].closestPointToPoint(p, near).distanceTo(p) < 1e-6);
		}
		assert.ok(Math.abs(Math.hypot(...normalA.slice(3 * i, 3 * i + 3)) - 1) < 1e-6);
	});
	assert.equal(snug.findContacts(a, model.createBody().setFrame([5, 0, 0])).pairs.length, 0);
});

test('two parts of one body meet where two bodies do', () => {
	const knot = new THREE.TorusKnotGeometry(1, 0.2, 80, 8), { array } = knot.attributes.position, index = knot.index.array, n = array.length / 3;
	const identity = new THREE.Matrix4();
	const both = snug.createModel({ positions: [...array, ...array].map((x, i) => (i >= 3 * n && i % 3 === 0 ? x + 8 : x)),
		triangles: [...index, ...Array.from(index, (v) => v + n)], jointCount: 2, influencesPerVertex: 1,
		joints: Uint16Array.from({ length: 2 * n }, (_, v) => (v < n ? 0 : 1)), weights: new Float32Array(2 * n).fill(1) }).createBody();
	assert.equal(snug.collideSelf(both).length, 0, 'apart at rest');
	both.setJoints([...identity.elements, ...new THREE.Matrix4().makeTranslation(-7, 0, 0).elements]);
	const posed = both.getVertices(), count = index.length / 3;
	const [a, b] = [posed.slice(0, 3 * n), posed.slice(3 * n)].map((positions) => snug.createModel({ positions, triangles: index }).createBody());
	const expected = snug.collide(a, b), found = snug.collideSelf(both);
	assert.ok(expected.length > 200);
	assert.deepEqual(found.map((t, i) => (i % 2 === 1 ? t - count : t)), expected);
	assert.ok(snug.collideSelf(both, { keepRest: true }).length >= found.length);
	assert.ok(snug.touchesSelf(both) && !snug.touchesSelf(a));
	assert.deepEqual(snug.collideSelfWithin(both, 0, 0), found);
	const { vertex, depth } = snug.findVertexDepths(a, b);
	assert.ok(vertex.length > 0 && depth.every((d) => d >= 0 && d < 3));
	const own = snug.findSelfContacts(both), two = snug.findContacts(a, b), total = (curves) => curves.reduce((sum, { length }) => sum + length, 0);
	assert.deepEqual([own.pairs.length, own.positions.length, own.curves.length], [two.pairs.length, two.positions.length, two.curves.length]);
	assert.ok(Math.abs(total(own.curves) - total(two.curves)) < 1e-6 && snug.findSelfContacts(both, { keepRest: true }).pairs.length >= own.pairs.length);
	const alone = snug.findSelfInside(a).vertices.side, { vertices, triangles } = snug.findSelfInside(both), inside = [...vertices.side.keys()].filter((v) => v < n && vertices.side[v] === 1);
	assert.deepEqual(inside.filter((v) => alone[v] === 0), [...vertex].filter((v) => alone[v] === 0));
	assert.ok(own.pairs.every((t) => triangles.side[t] === 3));
	const scene = snug.createScene();
	scene.add(both, { meetsItself: true }).add(a).update({ trianglePairs: true });
	assert.deepEqual(scene.pairs.filter((pair) => pair.a === pair.b).map((pair) => pair.a === both), [true]);
});

test('contacts find room for themselves', () => {
	const model = makeBall(40), a = model.createBody(), b = model.createBody().setFrame([0.5, 0, 0]);
	assert.equal(snug.findContacts(a, b).pairs.length, snug.collide(a, b).length);
	assert.ok(snug.collide(a, b).length > 1000);
});

test('a scene says what all pairs of bodies say, and what changed', () => {
	const random = makeRandom(3), model = makeBall(2), scene = snug.createScene();
	const bodies = Array.from({ length: 90 }, () => model.createBody()), place = () => [0, 1, 2].map(() => 9 * random());
	for (const body of bodies) scene.add(body.setFrame(place()));
	let before = new Set(), began = 0, ended = 0;
	const key = ({ a, b }) => [bodies.indexOf(a), bodies.indexOf(b)].sort((x, y) => x - y).join();
	for (let step = 0; step < 4; ++step) {
		bodies.forEach((body, i) => (step === 0 || i % 3 === 0) && !body.isDisposed && body.setFrame(place()));
		scene.update({ trianglePairs: true });
		const now = new Set(scene.pairs.map(key)), expected = new Set();
		bodies.forEach((a, i) => bodies.slice(i + 1).forEach((b) => snug.touches(a, b) && expected.add(key({ a, b }))));
		assert.deepEqual(now, expected, `step ${step}`);
		for (const { a, b, pairs } of scene.pairs) assert.deepEqual(pairs, snug.collide(a, b));
		assert.deepEqual(new Set(scene.events.begun.map(key)), new Set([...now].filter((k) => !before.has(k))));
		assert.deepEqual(new Set(scene.events.ended.map(key)), new Set([...before].filter((k) => !now.has(k))));
		began += scene.events.begun.length;
		ended += scene.events.ended.length;
		before = now;
	}
	assert.ok(began > 100 && ended > 20, `${began} began, ${ended} ended`);
	const { a } = scene.pairs[0];
	scene.remove(a);
	a.dispose();
	scene.update();
	assert.ok(scene.events.ended.some((event) => event.a === a || event.b === a));
	assert.ok(scene.pairs.every((pair) => pair.a !== a && pair.b !== a));
	assert.throws(() => scene.remove(a), /not in the scene/);
	const kept = bodies.find((b) => !b.isDisposed), other = snug.createScene();
	assert.throws(() => scene.add(kept), /already/);
	assert.throws(() => other.add(kept), /another scene/);
	scene.remove(kept);
	assert.equal(other.add(kept).bodies.length, 1);
	other.dispose();
	assert.equal(scene.add(kept).bodies.includes(kept), true); // a scene that is gone has no bodies
});

test('an update tells contacts, those that findContacts gives', () => {
	const random = makeRandom(11), small = makeBall(2), large = makeBall(12), scene = snug.createScene({ origin: [0.25, 0, 0] });
	const bodies = Array.from({ length: 12 }, (_, i) => (i < 2 ? large : small).createBody());
	for (const body of bodies) scene.add(body.setFrame([0, 1, 2].map(() => 2 * random())));
	bodies[1].setFrame(bodies[0].getBounds().center.map((x) => x + 0.25));
	scene.add({ kind: 'halfSpace', normal: [0, 0, 1], offset: 0 });
	scene.update();
	assert.ok(scene.pairs.every((pair) => !('contacts' in pair)));
	scene.update({ contacts: true });
	let most = 0;
	for (const { a, b, contacts } of scene.pairs.filter(({ b }) => b.kind === undefined)) {
		assert.deepEqual(contacts, snug.findContacts(a, b, { origin: [0.25, 0, 0] }));
		most = Math.max(most, contacts.pairs.length / 2);
	}
	assert.ok(most > 256, `${most}: more than there is room for at first`);
	assert.ok(scene.pairs.filter(({ b }) => b.kind === 'halfSpace').every((pair) => !('contacts' in pair)));
	scene.dispose();
});

test('another body takes the place of one, and notes stay with pairs that touch', () => {
	const model = makeBall(2), [a, b, c] = [0, 1.5, 1.25].map((x) => model.createBody().setFrame([x, 0, 0])), scene = snug.createScene();
	scene.add(a).add(b).update();
	scene.pairs[0].note = 'door';
	scene.add(c, { replaces: b }).update();
	assert.deepEqual(scene.events, { begun: [], persisting: [{ a, b: c, note: 'door' }], ended: [] });
	assert.equal(scene.pairs[0].note, 'door');
	assert.deepEqual(scene.bodies, [a, c]);
	c.setFrame([9, 0, 0]);
	scene.update();
	assert.deepEqual(scene.events.ended, [{ a, b: c, note: 'door' }]);
	c.setFrame([1.25, 0, 0]);
	scene.update();
	assert.deepEqual(scene.pairs, [{ a, b: c }]);
	assert.throws(() => scene.add(b, { replaces: model.createBody() }), /not in the scene/);
	scene.add(b, { replaces: a }).update();
	assert.equal(scene.pairs.length, 1);
	scene.dispose();
});

test('shapes meet the triangles that are near enough, and no other shape', () => {
	const random = makeRandom(12), model = makeBall(2), scene = snug.createScene(), bodies = [0, 2].map((x) => model.createBody().setFrame([x, 0, 0]));
	const nearest = new THREE.Vector3(), point = new THREE.Vector3(), ball = { kind: 'sphere', center: [0, 0, 0], radius: 1 };
	const wall = { kind: 'halfSpace', normal: [1, 0, 0], offset: 0 }, stick = { kind: 'capsule', start: [0, 0, 0], end: [0, 0, 0], radius: 1 };
	for (const member of [ball, ...bodies, wall, stick]) scene.add(member);
	let met = 0;
	for (let step = 0; step < 30; ++step) {
		ball.center = [0, 1, 2].map(() => 3 * random() - 1);
		stick.start = stick.end = ball.center;
		stick.radius = ball.radius = random();
		wall.offset = 1 - 3 * random();
		for (const shape of [ball, wall, stick]) scene.setShape(shape);
		scene.update({ trianglePairs: true });
		assert.ok(scene.pairs.every(({ a, b }) => bodies.includes(a) || bodies.includes(b)));
		for (const shape of [ball, stick, wall]) {
			for (const body of bodies) {
				const pair = scene.pairs.find(({ a, b }) => [a, b].includes(shape) && [a, b].includes(body));
				const found = new Set(pair?.pairs.filter((number) => number !== 0xffffffff));
				trianglesOf(body).forEach((triangle, i) => {
					const apart = shape === wall ? Math.min(triangle.a.x, triangle.b.x, triangle.c.x) + wall.offset
						: triangle.closestPointToPoint(point.set(...ball.center), nearest).distanceTo(point) - ball.radius;
					if (Math.abs(apart) > 1e-6) assert.equal(found.has(i), apart < 0, `step ${step}, triangle ${i}: ${apart}`);
					met += found.has(i) ? 1 : 0;
				});
			}
		}
	}
	assert.ok(met > 500, `${met}`);
	const { body } = scene.castRays([0, 0, 9, 0, 0, -9]);
	assert.equal(body[0], bodies[0]);
	scene.remove(ball).update();
	assert.ok(scene.pairs.every(({ a, b }) => a !== ball && b !== ball));
	assert.throws(() => scene.setShape(ball), /not in the scene/);
	assert.throws(() => scene.setShape(bodies[0]), /not a shape/);
	assert.throws(() => scene.add(wall), /already/);
	assert.throws(() => scene.add({ kind: 'sphere', center: [0, 0, 0], radius: -1 }), SnugError);
	assert.throws(() => scene.add({ kind: 'sphere', center: [0, 0], radius: 1 }), /center/);
	assert.throws(() => scene.add({ kind: 'sphere', center: [0, 0, 0], radius: 1 }, { meetsItself: true }), /neither/);
	scene.dispose();
});

test('scenes outlive the bodies that they keep, and leave nothing behind', () => {
	const model = makeBall(1), cycle = () => {
		const scene = snug.createScene(), pair = [model.createBody(), model.createBody().setFrame([0.5, 0, 0])];
		for (const body of pair) scene.add(body);
		pair[0].dispose(); // the scene still stands on it
		scene.update();
		assert.equal(scene.pairs.length, 1);
		pair[1].dispose();
		scene.dispose();
	};
	for (let i = 0; i < 50; ++i) cycle();
	const before = snug.memoryBytes;
	for (let i = 0; i < 500; ++i) cycle();
	assert.equal(snug.memoryBytes, before);
});

// Rigid bodies remember nothing, so that the same question costs the same: asked in vain first, twice as much.
test('what a query cost includes the attempt with too little room', async () => {
	const ask = {
		collide: (own, a, b) => own.collide(a, b).length / 2,
		collideWithin: (own, a, b) => own.collideWithin(a, b, 0.01).length / 2,
		collideSelf: (own, a) => own.collideSelf(a, { keepRest: true }).length / 2,
		findContacts: (own, a, b) => own.findContacts(a, b).contacts.length,
	};
	// Two soups of large triangles: most meet most.
	const random = makeRandom(3), positions = Float32Array.from({ length: 9 * 90 }, () => 2 * random() - 1), triangles = Uint32Array.from({ length: 3 * 90 }, (_, i) => i);
	for (const [name, run] of Object.entries(ask)) {
		const own = await Snug.load(), model = own.createModel({ positions, triangles });
		const a = model.createBody(), b = model.createBody().setFrame([0.01, 0.02, 0]);
		const found = run(own, a, b), grown = own.counters;
		assert.equal(run(own, a, b), found);
		assert.ok(found > (name === 'findContacts' ? 256 : 1024), `${name}: ${found}`);
		for (const [key, count] of Object.entries(own.counters)) assert.equal(grown[key], 2 * count, `${name}: ${key}`);
		assert.ok(own.counters.triangleTests > 0);
	}
	const layers = Float32Array.from({ length: 9 * 90 }, (_, i) => (i % 3 === 0 ? 0.01 * Math.floor(i / 9) : [-1, -1, 1, -1, 0, 1][2 * Math.floor(i / 3 % 3) + i % 3 - 1]));
	const hits = snug.findHits(snug.createModel({ positions: layers, triangles }).createBody(), [-9, 0, 0, 9, 0, 0]);
	assert.equal(hits.t.length, 90);
	assert.ok(snug.counters.triangleTests >= 180, `${snug.counters.triangleTests}`);
});

test('rays in a scene hit what they hit of each body, and whose it is', () => {
	const random = makeRandom(23), model = makeBall(2), scene = snug.createScene();
	const bodies = Array.from({ length: 30 }, (_, i) => model.createBody().setFrame([0, 1, 2].map(() => 6 * random())));
	bodies.forEach((body, i) => scene.add(body, { groups: 1 + i % 2 }));
	const point = () => [0, 1, 2].map(() => 12 * random() - 3);
	const rays = Array.from({ length: 200 }, () => [...point(), ...point()]);
	for (const mask of [0, 2]) {
		const asked = bodies.filter((_, i) => mask === 0 || i % 2 === 1), hits = scene.castRays(rays.flat(), { mask });
		let found = 0, all = 0;
		rays.forEach((ray, i) => {
			const each = asked.flatMap((body) => { const h = snug.findHits(body, ray); return Array.from(h.t, (t, k) => ({ t, body, triangle: h.triangle[k] })); });
			each.sort((x, y) => x.t - y.t || bodies.indexOf(x.body) - bodies.indexOf(y.body) || x.triangle - y.triangle);
			assert.equal(hits.body[i], each[0]?.body ?? null, `ray ${i}`);
			assert.equal(hits.triangle[i], each[0]?.triangle ?? 0xffffffff);
			const every = scene.findHits(ray, { mask });
			assert.deepEqual(every.body, each.map((hit) => hit.body));
			assert.deepEqual([...every.t], each.map((hit) => hit.t));
			found += hits.body[i] !== null;
			all += each.length;
		});
		assert.ok(found > 20 && found < 200 && all > found, `${found} rays hit, ${all} hits`);
	}
	for (let i = 0; i < 40; ++i) scene.add(model.createBody()); // more hits than fit at first
	assert.equal(scene.findHits([0.1, 0.2, -5, 0.1, 0.2, 5]).body.length, bodies.reduce((sum, body) =>
		sum + snug.findHits(body, [0.1, 0.2, -5, 0.1, 0.2, 5]).t.length, 80));
});

test('parts of one owner do not meet each other in a scene', () => {
	const model = makeBall(1), scene = snug.createScene(), man = { name: 'man' };
	const [a, b, c, d] = [0, 0.1, 0.2, 0.3].map((x) => model.createBody().setFrame([x, 0, 0]));
	scene.add(a, { owner: man }).add(b, { owner: man }).add(c, { owner: 'creature' }).add(d);
	const met = () => { scene.update(); return scene.pairs.map((pair) => [a, b, c, d].indexOf(pair.a) + '' + [a, b, c, d].indexOf(pair.b)); };
	assert.deepEqual(met(), ['02', '03', '12', '13', '23']);
	scene.remove(b);
	met();
	scene.add(b, { owner: 'creature' }); // the id may be another's: whose it was is forgotten
	const names = met().map((pair) => [...pair].sort().join(''));
	assert.deepEqual(names.sort(), ['01', '02', '03', '13', '23']);
});
