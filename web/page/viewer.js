// viewer.js: bodies in motion and where they touch. Every page that snug writes holds this program, and so does snug.html,
// which asks the library itself (live.mjs). No library, nothing fetched: it runs from a file on a disk.
//
// Vertices are posed here and not by the graphics card: a few milliseconds for 50,000 triangles, for any number of
// joints per vertex, and normals come from the same positions.
'use strict';

// ---- Drawing ---------------------------------------------------------------------------------------------------------

const shaders = {
	// A lamp beside the eye, light from the sky, a little gloss, and a pale rim that sets bodies apart. Where a smooth
	// normal is far from that of the triangle, there is an edge.
	surface: [`
layout(location = 0) in vec3 position; layout(location = 1) in vec3 normal;
out vec3 place, smoothed;
void main() { place = position; smoothed = normal; gl_Position = toScreen * vec4(position, 1.0); }`, `
in vec3 place, smoothed;
uniform vec3 color, lamp, sky, eye;
void main() {
	vec3 flatNormal = normalize(cross(dFdx(place), dFdy(place))), view = normalize(eye - place), n = normalize(smoothed);
	flatNormal *= sign(dot(flatNormal, view));
	bool isKnown = dot(flatNormal, view) > 0.25; // along outlines it is a guess
	n *= (isKnown ? dot(n, flatNormal) : dot(n, view) + 0.25) < 0.0 ? -1.0 : 1.0;
	n = !isKnown || dot(n, flatNormal) > 0.57 ? n : flatNormal;
	float facing = abs(dot(n, view)), rim = 1.0 - facing;
	float light = 0.40 + 0.13 * dot(n, sky) + 0.56 * max(0.0, dot(n, lamp));
	float gloss = pow(max(0.0, dot(n, normalize(lamp + view))), 32.0);
	pixel = vec4(color * light + 0.14 * gloss + 0.10 * rim * rim * rim, 1.0);
}`],
	shadow: [`
layout(location = 0) in vec3 position;
uniform vec3 sky, aside; uniform float ground;
void main() { gl_Position = toScreen * vec4(position + (dot(position, sky) - ground) * (0.28 * aside - sky), 1.0); }`, `
void main() { pixel = vec4(0.0, 0.0, 0.0, 0.22); }`],
	// Triangles in contact. Seen from nearby each has a dark edge of its own.
	touch: [`
layout(location = 0) in vec3 position;
out vec3 corner;
void main() {
	corner = vec3(gl_VertexID % 3 == 0, gl_VertexID % 3 == 1, gl_VertexID % 3 == 2);
	gl_Position = toScreen * vec4(position, 1.0); gl_Position.z -= 0.0006 * gl_Position.w;
}`, `
in vec3 corner;
uniform vec4 color;
void main() {
	vec3 slope = fwidth(corner), pixels = corner / slope;
	float size = 1.0 / max(slope.x, max(slope.y, slope.z)), away = min(pixels.x, min(pixels.y, pixels.z));
	float edge = (1.0 - smoothstep(0.6, 1.6, away)) * smoothstep(6.0, 14.0, size);
	pixel = vec4(mix(color.rgb, vec3(0.25, 0.0, 0.02), 0.8 * edge), 1.0);
}`],
	// Edges as strips of so many pixels, however small the triangles are.
	edge: [`
layout(location = 0) in vec2 corner; layout(location = 1) in vec3 from; layout(location = 2) in vec3 to;
uniform vec2 screen; uniform float width, nearer;
void main() {
	vec4 a = toScreen * vec4(from, 1.0), b = toScreen * vec4(to, 1.0), at = corner.x > 0.0 ? b : a;
	vec2 along = (b.xy / b.w - a.xy / a.w) * screen;
	along = length(along) > 1e-4 ? normalize(along) : vec2(1.0, 0.0);
	at.xy += (along * corner.x + vec2(-along.y, along.x) * corner.y) * width / screen * at.w;
	at.z -= nearer * at.w;
	gl_Position = a.w > 0.0 && b.w > 0.0 ? at : vec4(0.0, 0.0, 2.0, 1.0);
}`, `
uniform vec4 color;
void main() { pixel = color; }`],
};

const red = [0.93, 0.07, 0.09], outline = [0.20, 0.0, 0.02];
const inks = [[0.12, 0.16, 0.24], [0.10, 0.36, 0.72], [0.90, 0.45, 0.05]];

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const add = (a, b, scale = 1) => [a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => add([0, 0, 0], a, 1 / (Math.hypot(...a) || 1));

class Painter {
	// @return null where there is no WebGL 2
	static open(canvas) {
		const gl = canvas.getContext('webgl2', { antialias: true, stencil: true });
		return gl === null ? null : new Painter(canvas, gl);
	}

	constructor(canvas, gl) {
		Object.assign(this, { canvas, gl, programs: {}, ranges: [] });
		for (const [name, [vertex, fragment]] of Object.entries(shaders)) this.programs[name] = this.#link(vertex, fragment);
		for (const name of ['positions', 'normals', 'indices', 'touching', 'edges', 'boxes', 'corners']) this[name] = gl.createBuffer();
		gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
		gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, -1, 1, 1, -1, 1, 1]), gl.STATIC_DRAW);
		this.counts = { touching: 0, edges: 0, boxes: [] };
	}

	#link(vertex, fragment) {
		const { gl } = this, program = gl.createProgram(), head = '#version 300 es\nprecision highp float;\n';
		for (const [kind, text] of [[gl.VERTEX_SHADER, 'uniform mat4 toScreen;' + vertex], [gl.FRAGMENT_SHADER, 'out vec4 pixel;' + fragment]]) {
			const shader = gl.createShader(kind);
			gl.shaderSource(shader, head + text);
			gl.compileShader(shader);
			gl.attachShader(program, shader);
		}
		gl.linkProgram(program);
		if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(program));
		const at = {};
		for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++i) {
			const { name } = gl.getActiveUniform(program, i);
			at[name] = gl.getUniformLocation(program, name);
		}
		return { program, at };
	}

	// @param ranges { first, count, color } of each body, in indices
	setMesh(indices, ranges) {
		const { gl } = this;
		this.ranges = ranges;
		gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indices);
		gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
	}

	#fill(name, data) {
		const { gl } = this;
		gl.bindBuffer(gl.ARRAY_BUFFER, this[name]);
		gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
	}

	setVertices(positions, normals) {
		this.#fill('positions', positions);
		this.#fill('normals', normals);
	}

	// @param corners x, y, z of the corners of triangles that touch
	setContacts(corners) {
		const edges = new Float32Array(2 * corners.length);
		for (let t = 0; t < corners.length; t += 9) {
			for (let k = 0; k < 3; ++k) {
				edges.set(corners.subarray(t + 3 * k, t + 3 * k + 3), 2 * t + 6 * k);
				edges.set(corners.subarray(t + 3 * ((k + 1) % 3), t + 3 * ((k + 1) % 3) + 3), 2 * t + 6 * k + 3);
			}
		}
		this.#fill('touching', corners);
		this.#fill('edges', edges);
		this.counts.touching = corners.length / 3;
		this.counts.edges = edges.length / 6;
	}

	// @param groups edges of boxes for each ink, x, y, z of both ends
	setBoxes(groups) {
		this.counts.boxes = groups.map((edges) => edges.length / 6);
		const all = new Float32Array(groups.reduce((sum, edges) => sum + edges.length, 0));
		groups.reduce((at, edges) => (all.set(edges, at), at + edges.length), 0);
		this.#fill('boxes', all);
	}

	#use(name, uniforms) {
		const { gl } = this, { program, at } = this.programs[name];
		gl.useProgram(program);
		gl.uniformMatrix4fv(at.toScreen, false, this.toScreen);
		for (const [key, value] of Object.entries(uniforms)) {
			if (typeof value === 'number') gl.uniform1f(at[key], value);
			else gl[`uniform${value.length}fv`](at[key], value);
		}
	}

	#attribute(place, buffer, size, stride, offset, divisor) {
		const { gl } = this;
		gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
		gl.enableVertexAttribArray(place);
		gl.vertexAttribPointer(place, size, gl.FLOAT, false, stride, offset);
		gl.vertexAttribDivisor(place, divisor);
	}

	#drawBodies(name, uniforms) {
		const { gl } = this;
		this.#use(name, uniforms);
		this.#attribute(0, this.positions, 3, 0, 0, 0);
		this.#attribute(1, this.normals, 3, 0, 0, 0);
		gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indices);
		for (const { first, count, color, when } of this.ranges) {
			if (when === this.hidden) continue;
			if (name === 'surface') gl.uniform3fv(this.programs.surface.at.color, color);
			gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * first);
		}
		gl.disableVertexAttribArray(1);
	}

	#drawEdges(buffer, first, count, uniforms) {
		const { gl } = this;
		this.#use('edge', { screen: [this.canvas.width, this.canvas.height], ...uniforms });
		this.#attribute(0, this.corners, 2, 0, 0, 0);
		this.#attribute(1, buffer, 3, 24, 24 * first, 1);
		this.#attribute(2, buffer, 3, 24, 24 * first + 12, 1);
		gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
		for (const place of [1, 2]) {
			gl.vertexAttribDivisor(place, 0);
			gl.disableVertexAttribArray(place);
		}
	}

	// Red, in a dark outline; where something hides it, it shines through.
	#drawContacts(scale) {
		const { gl, counts } = this, edges = (uniforms) => this.#drawEdges(this.edges, 0, counts.edges, uniforms);
		gl.enable(gl.BLEND);
		gl.depthMask(false);
		gl.depthFunc(gl.GREATER);
		edges({ width: 1.3 * scale, nearer: 0, color: [...add([0, 0, 0], red, 0.4), 0.4] });
		gl.depthFunc(gl.LEQUAL);
		gl.depthMask(true);
		gl.disable(gl.BLEND);
		edges({ width: 3.1 * scale, nearer: 0.0004, color: [...outline, 1] });
		edges({ width: 1.4 * scale, nearer: 0.0005, color: [...red, 1] });
		this.#use('touch', { color: [...red, 1] });
		this.#attribute(0, this.touching, 3, 0, 0, 0);
		gl.drawArrays(gl.TRIANGLES, 0, counts.touching);
	}

	#drawBoxes(scale) {
		const { gl } = this;
		let first = 0;
		gl.enable(gl.BLEND);
		gl.depthMask(false);
		this.counts.boxes.forEach((count, ink) => {
			for (const [compare, alpha] of [[gl.LEQUAL, 0.65], [gl.GREATER, 0.16]]) {
				gl.depthFunc(compare);
				if (count > 0) this.#drawEdges(this.boxes, first, count, { width: 0.6 * scale, nearer: 0.0002, color: [...add([0, 0, 0], inks[ink], alpha), alpha] });
			}
			first += count;
		});
		gl.depthMask(true);
		gl.depthFunc(gl.LEQUAL);
		gl.disable(gl.BLEND);
	}

	// @param view eye, lamp, sky, aside, ground and the matrix toScreen
	draw(view, scale) {
		const { gl, canvas } = this, { eye, lamp, sky, aside, ground } = view;
		this.toScreen = view.toScreen;
		gl.viewport(0, 0, canvas.width, canvas.height);
		gl.clearColor(0, 0, 0, 0);
		gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
		gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
		gl.disable(gl.DEPTH_TEST);
		if (dot(eye, sky) > ground) {
			gl.enable(gl.STENCIL_TEST); // a shadow is as dark where two triangles cast it
			gl.stencilFunc(gl.EQUAL, 0, 1);
			gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
			gl.enable(gl.BLEND);
			this.#drawBodies('shadow', { sky, aside, ground });
			gl.disable(gl.BLEND);
			gl.disable(gl.STENCIL_TEST);
		}
		gl.enable(gl.DEPTH_TEST);
		gl.depthFunc(gl.LEQUAL);
		gl.enable(gl.POLYGON_OFFSET_FILL);
		gl.polygonOffset(1, 1);
		this.#drawBodies('surface', { lamp, sky, eye });
		gl.disable(gl.POLYGON_OFFSET_FILL);
		this.#drawBoxes(scale);
		if (this.counts.touching > 0) this.#drawContacts(scale);
	}
}

// ---- Camera ----------------------------------------------------------------------------------------------------------

// Turns about a point; upright.
class Camera {
	constructor(view) {
		this.home = view;
		this.reset();
	}

	reset() {
		const { eye, target, up } = this.home, away = add(eye, target, -1);
		this.target = [...target];
		this.sky = unit(up);
		this.distance = Math.hypot(...away);
		this.side = unit(Math.abs(this.sky[0]) < 0.9 ? cross([1, 0, 0], this.sky) : cross([0, 1, 0], this.sky));
		this.front = cross(this.side, this.sky);
		const towards = unit(away);
		this.pitch = Math.asin(Math.max(-1, Math.min(1, dot(towards, this.sky))));
		this.yaw = Math.atan2(dot(towards, this.front), dot(towards, this.side));
	}

	get towards() {
		const flat = add(add([0, 0, 0], this.side, Math.cos(this.yaw)), this.front, Math.sin(this.yaw));
		return add(add([0, 0, 0], flat, Math.cos(this.pitch)), this.sky, Math.sin(this.pitch));
	}

	turn(yaw, pitch) {
		this.yaw += yaw;
		this.pitch = Math.max(-1.5, Math.min(1.5, this.pitch + pitch));
	}

	zoom(factor) {
		this.distance = Math.max(0.002, Math.min(60, this.distance * factor / this.home.size)) * this.home.size;
	}

	// By parts of the window's height.
	move(x, y) {
		const right = unit(cross(this.sky, this.towards)), up = cross(this.towards, right);
		const tall = 2 * this.distance * Math.tan(this.home.degrees * Math.PI / 360);
		this.target = add(add(this.target, right, -x * tall), up, y * tall);
	}

	// Look at a box from nearby, and at as much around it as makes clear where that is.
	lookAt(lower, upper) {
		this.target = lower.map((low, k) => 0.5 * (low + upper[k]));
		const size = Math.max(0.3 * this.home.size, 1.6 * Math.hypot(...add(upper, lower, -1)));
		this.distance = 0.5 * size / Math.tan(this.home.degrees * Math.PI / 360);
	}

	// What is drawn with. A window that is narrower than what the view was made for is looked at from farther away.
	look(aspect) {
		const { size, degrees, ground } = this.home, { sky, towards, target } = this;
		const distance = this.distance * Math.max(1, this.home.aspect / aspect), eye = add(target, towards, distance);
		const right = unit(cross(sky, towards)), up = cross(towards, right), focal = 1 / Math.tan(degrees * Math.PI / 360);
		const near = Math.max(0.02 * distance, distance - 4 * size), far = distance + 40 * size, depth = far - near;
		const rows = [add([0, 0, 0], right, focal / aspect), add([0, 0, 0], up, focal), add([0, 0, 0], towards, -(far + near) / depth), add([0, 0, 0], towards, -1)];
		const last = [0, 0, -2 * far * near / depth, 0];
		const toScreen = new Float32Array(16);
		rows.forEach((row, i) => {
			for (let k = 0; k < 3; ++k) toScreen[4 * k + i] = row[k];
			toScreen[12 + i] = last[i] - dot(row, eye);
		});
		const lamp = unit(add(add(add([0, 0, 0], right, -0.5), up, 0.7), towards, 0.55));
		return { toScreen, eye, lamp, sky, aside: this.aside ??= right, ground };
	}
}

// ---- Surfaces --------------------------------------------------------------------------------------------------------

// For each vertex the first one at the same place: files split vertices along seams.
function findTwins(positions) {
	const count = positions.length / 3, words = new Uint32Array(Float32Array.from(positions).buffer), twins = new Uint32Array(count);
	let size = 16;
	while (size < 2 * count) size *= 2;
	const table = new Int32Array(size).fill(-1);
	for (let v = 0; v < count; ++v) {
		let at = Math.imul(Math.imul(words[3 * v], 0x9e3779b1) ^ Math.imul(words[3 * v + 1], 0x85ebca6b) ^ Math.imul(words[3 * v + 2], 0xc2b2ae35), 0x27d4eb2f);
		at = (at ^ at >>> 15) & size - 1;
		const isOther = (u) => words[3 * u] !== words[3 * v] || words[3 * u + 1] !== words[3 * v + 1] || words[3 * u + 2] !== words[3 * v + 2];
		while (table[at] >= 0 && isOther(table[at])) at = at + 1 & size - 1;
		if (table[at] < 0) table[at] = v;
		twins[v] = table[at];
	}
	return twins;
}

// Sums of the normals of the triangles at a vertex, longer for larger ones.
function addNormals(p, triangles, twins, first, n) {
	for (let t = 0; t < triangles.length; t += 3) {
		const a = 3 * (first + triangles[t]), b = 3 * (first + triangles[t + 1]), c = 3 * (first + triangles[t + 2]);
		const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
		const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
		const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
		for (let k = 0; k < 3; ++k) {
			const at = 3 * (first + twins[triangles[t + k]]);
			n[at] += x;
			n[at + 1] += y;
			n[at + 2] += z;
		}
	}
	for (let v = 0; v < twins.length; ++v) {
		if (twins[v] === v) continue;
		const from = 3 * (first + twins[v]), to = 3 * (first + v);
		n[to] = n[from];
		n[to + 1] = n[from + 1];
		n[to + 2] = n[from + 2];
	}
}

// Positions with morph targets added, by their amplitudes.
function morph(mesh, amplitudes, offset) {
	const { positions, targets } = mesh;
	if (!amplitudes.subarray(offset, offset + mesh.targetCount).some((a) => a !== 0)) return positions;
	const { starts, numbers, step, steps } = targets, out = mesh.morphed ??= new Float32Array(positions.length);
	for (let v = 0, i = 0; v < mesh.vertexCount; ++v) {
		let x = 0, y = 0, z = 0;
		for (const end = starts[v + 1]; i < end; ++i) {
			const a = amplitudes[offset + numbers[i]];
			x += a * steps[3 * i];
			y += a * steps[3 * i + 1];
			z += a * steps[3 * i + 2];
		}
		out[3 * v] = positions[3 * v] + step * x;
		out[3 * v + 1] = positions[3 * v + 1] + step * y;
		out[3 * v + 2] = positions[3 * v + 2] + step * z;
	}
	return out;
}

// Each joint carries a vertex by its matrix (3 rows of 4), and weights say how much.
function blend({ starts, joints, weights }, positions, matrices, offset, out, first) {
	for (let v = 0, i = 0, at = 3 * first; v < positions.length; v += 3, at += 3) {
		const x = positions[v], y = positions[v + 1], z = positions[v + 2], end = starts[v / 3 + 1];
		let px = 0, py = 0, pz = 0;
		for (; i < end; ++i) {
			const m = offset + 12 * joints[i], w = weights[i];
			px += w * (matrices[m] * x + matrices[m + 1] * y + matrices[m + 2] * z + matrices[m + 3]);
			py += w * (matrices[m + 4] * x + matrices[m + 5] * y + matrices[m + 6] * z + matrices[m + 7]);
			pz += w * (matrices[m + 8] * x + matrices[m + 9] * y + matrices[m + 10] * z + matrices[m + 11]);
		}
		out[at] = px;
		out[at + 1] = py;
		out[at + 2] = pz;
	}
}

// ---- Recordings ------------------------------------------------------------------------------------------------------
// What a page holds: a header in JSON, and arrays, each compressed, one after the other in base64. The program that
// writes them is recording.c: it says how.

class Recording {
	static async read(header, base64) {
		const bytes = decode(base64);
		let at = 0;
		const parts = await Promise.all(header.parts.map((size) => inflate(bytes.subarray(at, at += size))));
		return new Recording(header, parts);
	}

	constructor({ view, unit, frames, bars, total, start, meshes, bodies, boxes }, parts) {
		const list = parts[Symbol.iterator](), next = () => list.next().value;
		Object.assign(this, { view, unit, bars, total, start });
		this.frames = frames.map(([frame, time, pairs]) => ({ frame, time, pairs }));
		this.meshes = meshes.map((mesh) => readMesh(mesh, next));
		this.bodies = bodies.map((body) => this.#readBody(body, next));
		if (boxes) this.boxes = { ...boxes, ...readBoxes(next(), this.frames.length) };
	}

	#readBody({ mesh, when, color, lower, step }, next) {
		const body = { mesh: this.meshes[mesh], when, color, lower, step };
		const size = body.mesh.jointCount > 0 ? body.mesh.poseSize : 3 * body.mesh.vertexCount;
		body.motion = body.mesh.jointCount > 0 ? readFloats(next(), size, this.frames.length) : readPlaces(next(), size, this.frames.length);
		body.contacts = readLists(next(), this.frames.length);
		return body;
	}

	pose(body, frame, out, first) {
		const { mesh, motion, lower, step } = body;
		if (mesh.jointCount > 0) {
			const at = mesh.poseSize * frame;
			blend(mesh, morph(mesh, motion, at + 12 * mesh.jointCount), motion, at, out, first);
			return;
		}
		const size = 3 * mesh.vertexCount;
		for (let i = 0; i < size; ++i) out[3 * first + i] = lower[i % 3] + step * motion[size * frame + i];
	}

	getContacts(body, frame) {
		return body.contacts[frame];
	}

	// Edges of boxes for each ink.
	getBoxes(frame) {
		const { lower, step, starts, inks: inkOf, places } = this.boxes, groups = inks.map(() => []);
		for (let b = starts[frame]; b < starts[frame + 1]; ++b) {
			const corner = (i, k) => lower[k] + step * places[6 * b + (i >> k & 1 ? 3 : 0) + k];
			for (let i = 0; i < 8; ++i) {
				for (let k = 0; k < 3; ++k) {
					if (i >> k & 1) continue;
					for (const end of [i, i | 1 << k]) groups[inkOf[b]].push(corner(end, 0), corner(end, 1), corner(end, 2));
				}
			}
		}
		return groups;
	}
}

const decode = (base64) => Uint8Array.from(atob(base64.trim()), (c) => c.charCodeAt(0));

async function inflate(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Seven bits per byte, lowest first; the highest bit says that more follow.
function readNumbers(bytes) {
	const numbers = new Uint32Array(bytes.length);
	let count = 0;
	for (let at = 0; at < bytes.length; ++count) {
		let value = 0, shift = 0;
		do value |= (bytes[at] & 127) << shift, shift += 7; while (bytes[at++] & 128);
		numbers[count] = value;
	}
	return numbers.subarray(0, count);
}

const unfold = (n) => n >>> 1 ^ -(n & 1); // 0, -1, 1, -2, ...

// Bytes of words: all lowest ones first, then the next.
function readPlanes(bytes, size) {
	const count = bytes.length / size, words = new Uint32Array(count);
	for (let k = 0; k < size; ++k) for (let i = 0; i < count; ++i) words[i] |= bytes[k * count + i] << 8 * k;
	return words;
}

function readMesh({ vertices, joints, targets, lower, step, targetStep }, next) {
	const triangles = readNumbers(next());
	for (let i = 0, last = 0; i < triangles.length; ++i) triangles[i] = last += unfold(triangles[i]);
	const mesh = { vertexCount: vertices, jointCount: joints, targetCount: targets, poseSize: 12 * joints + targets, triangles };
	if (joints > 0) {
		const words = readPlanes(next(), 2);
		mesh.positions = Float32Array.from(words, (word, i) => lower[i % 3] + step * (words[i] = (i < 3 ? 0 : words[i - 3]) + unfold(word) & 65535));
		readWeights(mesh, next);
		if (targets > 0) mesh.targets = readTargets(vertices, targetStep, next);
	}
	return mesh;
}

// Vertices of a mesh with one joint have it alone.
function readWeights(mesh, next) {
	mesh.starts = new Uint32Array(mesh.vertexCount + 1);
	const counts = mesh.jointCount > 1 ? readNumbers(next()) : null;
	for (let v = 0; v < mesh.vertexCount; ++v) mesh.starts[v + 1] = mesh.starts[v] + (counts === null ? 1 : counts[v]);
	mesh.joints = counts === null ? new Uint16Array(mesh.vertexCount) : Uint16Array.from(readNumbers(next()));
	mesh.weights = counts === null ? new Float32Array(mesh.vertexCount).fill(1) : Float32Array.from(readPlanes(next(), 2), (w) => unfold(w) / 32767);
}

// Of each vertex how many displacements it has, then of which targets they are; then steps along x, y, z.
function readTargets(count, step, next) {
	const numbers = readNumbers(next()), starts = new Uint32Array(count + 1);
	for (let v = 0; v < count; ++v) starts[v + 1] = starts[v] + numbers[v];
	return { starts, numbers: numbers.subarray(count), step, steps: Int16Array.from(readPlanes(next(), 2), unfold) };
}

// Floats as differences of their bits to those of the frame before.
function readFloats(bytes, size, frames) {
	const words = readPlanes(bytes, 4);
	for (let i = size; i < size * frames; ++i) words[i] += words[i - size];
	return new Float32Array(words.buffer);
}

// Steps as differences to where the last two frames lead.
function readPlaces(bytes, size, frames) {
	const places = Uint16Array.from(readPlanes(bytes, 2));
	for (let i = 0; i < size * frames; ++i) {
		const before = i < size ? 0 : places[i - size], lead = i < 2 * size ? before : 2 * before - places[i - 2 * size];
		places[i] = lead + unfold(places[i]);
	}
	return places;
}

// Lists of ascending numbers, each after its length, as differences.
function readLists(bytes, count) {
	const numbers = readNumbers(bytes), lists = [];
	for (let i = 0, at = 0; i < count; ++i) {
		const list = numbers.subarray(at + 1, at + 1 + numbers[at]);
		for (let k = 1; k < list.length; ++k) list[k] += list[k - 1];
		lists.push(list);
		at += 1 + list.length;
	}
	return lists;
}

function readBoxes(bytes, frames) {
	const numbers = readNumbers(bytes), starts = [0], inkOf = [], places = [];
	for (let f = 0, at = 0; f < frames; ++f) {
		for (let left = numbers[at++]; left > 0; --left, at += 7) {
			inkOf.push(numbers[at]);
			for (let k = 1; k < 4; ++k) places.push(numbers[at + k]);
			for (let k = 1; k < 4; ++k) places.push(numbers[at + k] + numbers[at + 3 + k]);
		}
		starts.push(inkOf.length);
	}
	return { starts, inks: inkOf, places };
}

// ---- Viewer ----------------------------------------------------------------------------------------------------------

const icons = { back: 'M3 2h2v12H3zM14 2L6 8l8 6z', play: 'M4 2l10 6-10 6z', pause: 'M3 2h4v12H3zM9 2h4v12H9z', forth: 'M11 2h2v12h-2zM2 2l8 6-8 6z' };

// Below the stage.
function makeControls() {
	const button = (name, label) => `<button class="${name}" type="button" aria-label="${label}"><svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
		<path d="${icons[name]}"/></svg></button>`;
	return `<div class="controls"><div class="time">${button('back', 'Frame before')}${button('play', 'Play')}${button('forth', 'Next frame')}
		<input class="seek" type="range" min="0" value="0" aria-label="Frame"></div><output class="now"></output>
		<label class="boxed" hidden><input class="nodes" type="checkbox"> nodes</label>
		<label class="boxed" hidden><input class="boxes" type="checkbox"> boxes</label>
		<button class="near" type="button">Contacts</button><button class="reset" type="button">Whole</button></div>
		<div class="timeline" aria-hidden="true"></div><p class="hint">Drag to turn, wheel or two fingers to zoom<span class="keys">; arrows step, space plays</span>.</p>`;
}

class Viewer {
	// @param root the element that holds the stage
	// @param source a recording, or what else has frames, bodies, view, bars, total and poses
	constructor(root, source) {
		Object.assign(this, { root, at: 0, plays: false });
		root.querySelector('.stage').insertAdjacentHTML('afterend', makeControls());
		for (const name of ['canvas', '.play', '.back', '.forth', '.seek', '.now', '.timeline', '.reset', '.near', '.nodes', '.boxes']) this[name.replace('.', '')] = root.querySelector(name);
		this.painter = Painter.open(this.canvas);
		this.canvas.addEventListener('webglcontextlost', () => this.root.classList.remove('live'));
		this.#listen();
		this.setSource(source);
		new ResizeObserver(() => this.draw()).observe(this.canvas);
	}

	setSource(source, camera = new Camera(source.view)) {
		Object.assign(this, { source, camera, at: 0 });
		this.root.classList.toggle('live', this.painter !== null);
		this.root.classList.toggle('alone', source.frames.length < 2);
		this.root.classList.toggle('uncounted', source.unit === '');
		this.seek.max = source.frames.length - 1;
		this.nodes.parentElement.hidden = !source.bodies.some(({ when }) => when === 2);
		this.boxes.parentElement.hidden = !source.boxes;
		this.boxes.checked = source.boxes?.shown ?? false;
		if (this.painter !== null) this.#layOut();
		this.drawTimeline();
		this.show(source.start ?? 0);
	}

	// All bodies in one buffer.
	#layOut() {
		const { bodies } = this.source;
		let vertices = 0, corners = 0;
		this.places = bodies.map(({ mesh }) => {
			const place = { vertices, corners };
			vertices += mesh.vertexCount;
			corners += mesh.triangles.length;
			return place;
		});
		this.positions = new Float32Array(3 * vertices);
		this.normals = new Float32Array(3 * vertices);
		const indices = new Uint32Array(corners);
		bodies.forEach(({ mesh }, i) => mesh.triangles.forEach((v, k) => { indices[this.places[i].corners + k] = this.places[i].vertices + v; }));
		this.painter.setMesh(indices, bodies.map(({ mesh, color, when }, i) => ({ first: this.places[i].corners, count: mesh.triangles.length, color, when })));
		this.painter.hidden = this.nodes.checked ? 1 : 2; // surfaces that follow nodes, or the nodes
	}

	#pose() {
		const { source, positions, normals, at } = this, corners = [];
		normals.fill(0);
		source.bodies.forEach((body, i) => {
			const { mesh } = body, first = this.places[i].vertices;
			source.pose(body, at, positions, first);
			mesh.twins ??= findTwins(mesh.positions ?? positions.subarray(3 * first, 3 * (first + mesh.vertexCount)));
			addNormals(positions, mesh.triangles, mesh.twins, first, normals);
			for (const triangle of source.getContacts(body, at)) {
				for (let k = 0; k < 3; ++k) {
					const v = 3 * (first + mesh.triangles[3 * triangle + k]);
					corners.push(positions[v], positions[v + 1], positions[v + 2]);
				}
			}
		});
		this.corners = new Float32Array(corners);
		this.painter.setVertices(positions, normals);
		this.painter.setContacts(this.corners);
		this.painter.setBoxes(source.boxes && this.boxes.checked ? source.getBoxes(at) : []);
	}

	draw() {
		const { canvas, painter } = this, scale = Math.min(devicePixelRatio, 2);
		const width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
		if (painter === null || width === 0 || height === 0) return;
		if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
		painter.draw(this.camera.look(width / height), scale);
	}

	redraw() {
		this.waiting ??= requestAnimationFrame(() => {
			this.waiting = null;
			this.draw();
		});
	}

	// ---- Time --------------------------------------------------------------------------------------------------------

	show(index) {
		const { frames, unit = 'pair' } = this.source;
		this.at = Math.max(0, Math.min(frames.length - 1, index));
		this.source.ask?.(this.at);
		const { frame, time, pairs } = frames[this.at], touch = document.createElement('b');
		this.seek.value = this.at;
		this.seek.setAttribute('aria-valuetext', unit === '' ? `${time.toFixed(3)} s` : `${time.toFixed(3)} s, ${pairs} ${unit}s`);
		touch.textContent = `${pairs.toLocaleString('en')} ${unit}${pairs === 1 ? '' : 's'}`;
		this.now.setAttribute('aria-live', this.plays ? 'off' : 'polite');
		const found = unit === '' ? [] : [pairs > 0 ? touch : 'no contact'], when = frames.length > 1 ? [`${time.toFixed(3)} s`] : [];
		this.now.replaceChildren(...when, ...(when.length > 0 && found.length > 0 ? [' · '] : []), ...found);
		this.#moveCursor();
		for (const row of document.querySelectorAll('tr[data-frame]')) row.classList.toggle('on', Number(row.dataset.frame) === frame);
		if (this.painter !== null) {
			this.#pose();
			this.redraw();
		}
	}

	// To the frame that is nearest to one of the whole run.
	jump(frame) {
		const { frames } = this.source;
		this.setPlays(false);
		this.show(frames.reduce((best, f, i) => (Math.abs(f.frame - frame) < Math.abs(frames[best].frame - frame) ? i : best), 0));
	}

	step(count) {
		const { length } = this.source.frames;
		this.setPlays(false);
		this.show((this.at + count + length) % length);
	}

	setPlays(plays) {
		this.plays = plays && this.source.frames.length > 1;
		this.play.querySelector('path').setAttribute('d', icons[this.plays ? 'pause' : 'play']);
		this.play.setAttribute('aria-label', this.plays ? 'Pause' : 'Play');
		cancelAnimationFrame(this.ticking);
		if (this.plays) this.#tick(performance.now());
	}

	// Time runs as in the clip; at the end it rests a moment.
	#tick(since) {
		this.ticking = requestAnimationFrame((now) => {
			const { frames } = this.source, next = (this.at + 1) % frames.length;
			const wait = next > 0 ? 1000 * (frames[next].time - frames[this.at].time) : 700;
			const isDue = now - since >= Math.min(wait, 1000) - 4;
			if (isDue) this.show(next);
			this.#tick(isDue ? Math.max(since + wait, now - 100) : since);
		});
	}

	// A bar per frame, or per so many, as high as the one with the most pairs.
	drawTimeline() {
		const { bars, frames, total, unit = 'pair' } = this.source, most = Math.max(1, ...bars), count = bars.length, gap = count < 120 ? 0.1 : 0;
		if (total < 2) return;
		const start = frames[0], last = frames[frames.length - 1], end = start.time + (last.time - start.time) / (last.frame - start.frame || 1) * (total - 1 - start.frame);
		const rects = bars.map((pairs, i) => (pairs > 0 ? `<rect x="${i + gap / 2}" y="${(96 - 94 * pairs / most).toFixed(1)}" width="${1 - gap}" height="${(3 + 94 * pairs / most).toFixed(1)}"/>` : ''));
		this.timeline.innerHTML = `<svg viewBox="0 0 ${count} 100" preserveAspectRatio="none"><line x1="0" y1="99.5" x2="${count}" y2="99.5"/>${rects.join('')}</svg><i></i>
			<p><span>${start.time.toFixed(2)} s</span><span>${unit}s per frame</span><span>${end.toFixed(2)} s</span></p>`;
		this.cursor = this.timeline.querySelector('i');
		this.#moveCursor();
	}

	#moveCursor() {
		const { frames, total } = this.source;
		if (this.cursor) this.cursor.style.left = `${100 * (frames[this.at].frame + 0.5) / total}%`;
	}

	// ---- Input -------------------------------------------------------------------------------------------------------

	#listen() {
		this.play.addEventListener('click', () => this.setPlays(!this.plays));
		this.back.addEventListener('click', () => this.step(-1));
		this.forth.addEventListener('click', () => this.step(1));
		this.seek.addEventListener('input', () => {
			this.setPlays(false);
			this.show(Number(this.seek.value));
		});
		this.reset.addEventListener('click', () => this.#move(() => this.camera.reset()));
		this.near.addEventListener('click', () => this.#move(() => this.lookNear()));
		this.nodes.addEventListener('change', () => this.#move(() => { this.painter.hidden = this.nodes.checked ? 1 : 2; }));
		this.boxes.addEventListener('change', () => this.show(this.at));
		for (const kind of ['pointerdown', 'pointermove']) this.timeline.addEventListener(kind, (event) => {
			const { left, width } = this.timeline.getBoundingClientRect();
			if (event.buttons !== 1) return;
			this.timeline.setPointerCapture(event.pointerId);
			this.jump((event.clientX - left) / width * this.source.total - 0.5);
		});
		document.addEventListener('click', (event) => {
			const row = event.target.closest?.('[data-frame]');
			if (row === null || this.painter === null) return;
			this.jump(Number(row.dataset.frame));
			this.root.scrollIntoView({ block: 'nearest', behavior: isCalm() ? 'auto' : 'smooth' });
		});
		this.#listenToPointers();
		document.addEventListener('keydown', (event) => this.#press(event));
	}

	#move(change) {
		change();
		this.redraw();
	}

	// One pointer turns, with Shift or another button it moves; two pinch.
	#listenToPointers() {
		const { canvas } = this, pointers = new Map();
		const spread = () => Math.hypot(...((p) => [p[0].x - p[1].x, p[0].y - p[1].y])([...pointers.values()]));
		canvas.addEventListener('pointerdown', (event) => {
			canvas.setPointerCapture(event.pointerId);
			pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
		});
		canvas.addEventListener('pointermove', (event) => {
			const last = pointers.get(event.pointerId), { width, height } = canvas.getBoundingClientRect();
			if (last === undefined) return;
			const x = event.clientX - last.x, y = event.clientY - last.y, before = pointers.size === 2 ? spread() : 0;
			Object.assign(last, { x: event.clientX, y: event.clientY });
			this.#move(() => {
				if (pointers.size === 2) this.camera.zoom(before / Math.max(1, spread()));
				else if (event.shiftKey || event.buttons > 1) this.camera.move(x / height, y / height);
				else this.camera.turn(-5 * x / width, 4 * y / height);
			});
		});
		for (const kind of ['pointerup', 'pointercancel']) canvas.addEventListener(kind, (event) => pointers.delete(event.pointerId));
		canvas.addEventListener('contextmenu', (event) => event.preventDefault());
		canvas.addEventListener('wheel', (event) => {
			event.preventDefault();
			this.#move(() => this.camera.zoom(Math.exp(0.0015 * Math.max(-300, Math.min(300, event.deltaY)))));
		}, { passive: false });
	}

	// Where the focus is on something that has keys of its own, those are left to it.
	#press(event) {
		const isOther = event.target.closest?.('input, select, textarea, button, summary, a');
		if ((isOther && isOther !== this.seek) || event.ctrlKey || event.metaKey || event.altKey) return;
		const turn = (yaw, pitch) => this.#move(() => this.camera.turn(yaw, pitch)), zoom = (factor) => this.#move(() => this.camera.zoom(factor));
		const actions = event.shiftKey
			? { ArrowLeft: () => turn(0.1, 0), ArrowRight: () => turn(-0.1, 0), ArrowUp: () => turn(0, 0.1), ArrowDown: () => turn(0, -0.1), '+': () => zoom(0.9) }
			: { ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), ' ': () => this.setPlays(!this.plays), Home: () => this.jump(0), End: () => this.jump(this.source.total),
				'+': () => zoom(0.9), '=': () => zoom(0.9), '-': () => zoom(1 / 0.9) };
		if (this.painter === null || actions[event.key] === undefined || (event.key === 'Home' || event.key === 'End') && event.target !== this.canvas && !isOther) return;
		event.preventDefault();
		actions[event.key]();
	}

	lookNear() {
		const lower = [Infinity, Infinity, Infinity], upper = [-Infinity, -Infinity, -Infinity];
		this.corners.forEach((x, i) => {
			lower[i % 3] = Math.min(lower[i % 3], x);
			upper[i % 3] = Math.max(upper[i % 3], x);
		});
		if (this.corners.length > 0) this.camera.lookAt(lower, upper);
	}
}

const isCalm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

// A page that holds recordings shows them. Where anything is missing, the still and the tables stay.
async function openRecordings() {
	for (const root of document.querySelectorAll('.viewer[data-recording]')) {
		const part = (kind) => document.getElementById(`${root.dataset.recording}-${kind}`).textContent;
		root.viewer = new Viewer(root, await Recording.read(JSON.parse(part('header')), part('data')));
		root.viewer.setPlays(root.viewer.painter !== null && !isCalm());
	}
}
openRecordings();
