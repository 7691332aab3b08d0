// snug.mjs: exact collision detection between deforming triangle meshes, over snug.wasm. Knows no engine; three.mjs is
// for three.js. Types and what each call does: snug.d.mts.
//
// Nothing that leaves this file is a view of linear memory, which moves when it grows: results are copies. Memory of
// models and bodies is freed by dispose(), or some time after the last reference is gone.

const deformers = ['rigid', 'free', 'skin', 'fields'];
const blendings = ['linear', 'spherical', 'dualQuaternion'];
const strategies = ['auto', 'onDemand', 'front', 'bottomUp'];
const statuses = ['success', 'badArgument', 'badInput', 'outOfMemory', 'outOfRange', 'badFile', 'unsupportedVersion',
	'ioError', 'invalidBounds'];
const counterNames = ['nodesRefitted', 'nodesAtFront', 'nodesAboveFront', 'nodesBelowFront', 'volumeTests',
	'verticesEvaluated', 'triangleTests', 'exactTests', 'certified'];

export class SnugError extends Error {
	constructor(status, message) {
		super(message);
		this.name = 'SnugError';
		this.status = status;
	}
}

const badInput = (text) => new SnugError('badInput', text);

// The number of a word in a list, for an option.
function choose(list, word, what) {
	const number = list.indexOf(word);
	if (number < 0) throw badInput(`${what} is ${JSON.stringify(word)}; it may be ${list.join(', ')}`);
	return number;
}

// ---- Memory ----------------------------------------------------------------------------------------------------------

// Offsets in webAsk of core/exports.c, eight-byte words.
const ask = { limit: 3, counters: 4, count: 13, bytes: 112 };

const noTriangle = 0xffffffff;

// The instance, and views of its memory that are made anew after it has grown.
class Core {
	#views;
	#stage = { pointer: 0, bytes: 0 };

	constructor(exports) {
		this.c = exports;
		exports._initialize();
		exports.start();
		this.words = this.allocate(64);  // where functions put small results
		this.ask = this.allocate(ask.bytes);
		this.counters = new Float64Array(counterNames.length);
		this.pairs = { pointer: 0, capacity: 0 };
		this.growPairs(1024);
		this.contacts = { pointer: 0, capacity: 0 };
		this.leftovers = new FinalizationRegistry((handle) => handle.release());
	}

	get views() {
		const { buffer } = this.c.memory;
		if (this.#views?.buffer !== buffer) {
			this.#views = { buffer, u8: new Uint8Array(buffer), u16: new Uint16Array(buffer), u32: new Uint32Array(buffer),
				f32: new Float32Array(buffer), f64: new Float64Array(buffer) };
		}
		return this.#views;
	}

	allocate(bytes) {
		// Addresses above 2 GiB come as negative numbers.
		const pointer = bytes < 0xffff0000 ? this.c.malloc(Math.max(bytes, 16)) >>> 0 : 0;
		if (pointer === 0) throw new SnugError('outOfMemory', `out of memory: ${bytes} bytes`);
		return pointer;
	}

	// Room for what is passed to one call.
	stage(bytes) {
		if (this.#stage.bytes < bytes) {
			const pointer = this.allocate(2 * bytes);
			this.c.free(this.#stage.pointer);
			this.#stage = { pointer, bytes: 2 * bytes };
		}
		return this.#stage.pointer;
	}

	stageFloats(array) {
		const pointer = this.stage(4 * array.length);
		this.views.f32.set(array, pointer / 4);
		return pointer;
	}

	stageDoubles(...arrays) {
		let at = this.stage(8 * arrays.reduce((sum, a) => sum + a.length, 0)) / 8;
		const pointer = 8 * at;
		for (const array of arrays) {
			this.views.f64.set(array, at);
			at += array.length;
		}
		return pointer;
	}

	growPairs(count) {
		const capacity = Math.max(count, 2 * this.pairs.capacity), pointer = this.allocate(8 * capacity);
		this.c.free(this.pairs.pointer);
		this.pairs = { pointer, capacity };
	}

	growContacts(count) {
		const capacity = Math.max(256, 2 * count);
		this.check(this.c.contactBufferCreate(capacity, this.words));
		this.c.snugContactBuffer_Destroy(this.contacts.pointer);
		this.contacts = { pointer: this.word(), capacity };
	}

	// Set what webAsk tells a query; it is passed as the pointer that comes back.
	prepare(options, limit = 0) {
		const { f64 } = this.views, at = this.ask / 8;
		f64.set(readOrigin(options), at);
		f64[at + ask.limit] = limit;
		return this.ask;
	}

	// Check how it went. @returns webAsk.count
	finish(status) {
		this.check(status);
		this.keepCounters(this.ask / 8 + ask.counters);
		return this.views.f64[this.ask / 8 + ask.count];
	}

	keepCounters(at) {
		this.counters.set(this.views.f64.subarray(at, at + counterNames.length));
	}

	// Ask once more, with more room: what the attempt before cost is part of it.
	again(run) {
		const spent = this.counters.slice(), answer = run();
		spent.forEach((count, i) => { this.counters[i] += count; });
		return answer;
	}

	text(pointer) {
		const { u8 } = this.views, end = u8.indexOf(0, pointer >>> 0);
		return new TextDecoder().decode(u8.slice(pointer >>> 0, end));
	}

	// What the library said since the last call, and forget it.
	takeMessages() {
		const text = this.text(this.c.messages());
		if (text === '') return { errors: [], warnings: [] };
		this.c.forget();
		const lines = text.split('\n').filter((line) => line !== '');
		const of = (letter) => lines.filter((line) => line[0] === letter).map((line) => line.slice(1));
		return { errors: of('e'), warnings: of('w') };
	}

	check(status) {
		if (status !== 0) {
			const { errors } = this.takeMessages();
			throw new SnugError(statuses[status] ?? `status ${status}`,
				errors.length > 0 ? errors.join('; ') : this.text(this.c.snugGetStatusText(status)));
		}
	}

	word(i = 0) {
		return this.views.u32[this.words / 4 + i];
	}
}

// Something in linear memory that several may hold. A body keeps its model, a scene its bodies: whichever is let go
// first, what others stand on is freed last, as the library asks.
class Handle {
	#holders = 1;
	#kept = new Set();
	scene = null; // of a body: the scene that it is in

	constructor(core, pointer, destroy) {
		Object.assign(this, { core, pointer, destroy });
	}

	keep(handle) {
		++handle.#holders;
		this.#kept.add(handle);
		return this;
	}

	letGo(handle) {
		if (!this.#kept.delete(handle)) return;
		handle.scene = null;
		handle.release();
	}

	release() {
		if (--this.#holders === 0) {
			this.destroy(this.pointer);
			for (const handle of this.#kept) {
				handle.scene = null;
				handle.release();
			}
		}
	}
}

// What a caller gave, in a word: names of classes are not kept by those who minify.
function describe(thing) {
	return thing?.isObject3D ? 'a three.js object (fromMesh makes a body of one)' : thing instanceof Model ? 'a model (createBody makes a body of one)' :
		thing instanceof Held ? `a ${kindOf(thing)}` : thing === null ? 'null' : Array.isArray(thing) ? 'an array' :
			typeof thing === 'object' ? 'an object' : typeof thing === 'function' ? 'a function' : String(thing);
}

const kindOf = (held) => (held instanceof Body ? 'body' : held instanceof Model ? 'model' : held instanceof Pool ? 'pool' : 'scene');

// What models, bodies and scenes have in common.
class Held {
	#handle;

	constructor(handle) {
		this.#handle = handle;
		handle.core.leftovers.register(this, handle, this);
	}

	static handle(held, core) {
		const handle = held.#handle;
		if (!handle) throw badInput(`this ${kindOf(held)} was disposed`);
		if (core && handle.core !== core) throw badInput('a body belongs to the Snug that made it, and this is another');
		return handle;
	}

	// Of what callers give: memory of something else would be taken for a body.
	static body(body, core) {
		if (!(body instanceof Body)) throw badInput(`${describe(body)} is not a body of snug`);
		return Held.handle(body, core);
	}

	get isDisposed() {
		return this.#handle === null;
	}

	dispose() {
		if (this.#handle) {
			this.#handle.core.leftovers.unregister(this);
			this.#handle.release();
			this.#handle = null;
		}
	}
}

// ---- Arrays from outside ---------------------------------------------------------------------------------------------

// Numbers of vertices, joints or fields. Conversion must not change one: 70000 would become joint 4464, 1.5 vertex 1.
function integers(Type, array, what) {
	if (array instanceof Type || array instanceof Uint8Array || (Type === Uint32Array && array instanceof Uint16Array)) {
		return array;
	}
	const most = 2 ** (8 * Type.BYTES_PER_ELEMENT) - 1;
	for (let i = 0; i < array.length; ++i) {
		if (!Number.isInteger(array[i]) || array[i] < 0 || array[i] > most) {
			throw badInput(`${what}[${i}] is ${array[i]}; it must be an integer from 0 to ${most}`);
		}
	}
	return array;
}

function isArrayLike(array) {
	return array !== null && typeof array === 'object' && Number.isInteger(array.length) && array.length >= 0;
}

// Checks what the library cannot see: lengths.
function expect(array, length, what) {
	if (!isArrayLike(array)) throw badInput(`${what} is missing, or not an array`);
	if (length !== undefined && array.length !== length) {
		throw badInput(`${what} has ${array.length} numbers where ${length} are expected`);
	}
	return array;
}

// Where positions are relative to.
function readOrigin(options) {
	const origin = options?.origin ?? [0, 0, 0];
	expect(origin, 3, 'origin');
	if (![0, 1, 2].every((k) => Number.isFinite(origin[k]))) throw badInput('origin must be three finite numbers');
	return origin;
}

function readDistance(value, what) {
	if (typeof value !== 'number' || !(value >= 0)) throw badInput(`${what} is ${describe(value)}; it must be a number, and not negative`);
	return value;
}

const readLimit = (options) => readDistance(options?.maxDistance ?? 0, 'maxDistance');

function readBits(value, what) {
	if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) throw badInput(`${what} is ${describe(value)}; it must be an integer of 32 bits`);
	return value;
}

function countOf(array, each, what) {
	expect(array, undefined, what);
	if (array.length % each !== 0) throw badInput(`${what} has ${array.length} numbers, which ${each} does not divide`);
	return array.length / each;
}

// Copies of arrays in linear memory, all released together.
class Arguments {
	#core;
	#pointers = [];

	constructor(core) {
		this.#core = core;
	}

	add(Type, array, length = array?.length) {
		if (!array || length === 0) return 0;
		const pointer = this.#core.allocate(length * Type.BYTES_PER_ELEMENT);
		this.#pointers.push(pointer);
		const { u8, u16, u32, f32 } = this.#core.views;
		const view = { Uint8Array: u8, Uint16Array: u16, Uint32Array: u32, Float32Array: f32 }[Type.name];
		view.set(array, pointer / Type.BYTES_PER_ELEMENT);
		return pointer;
	}

	// Room for results.
	make(bytes) {
		const pointer = this.#core.allocate(bytes);
		this.#pointers.push(pointer);
		return pointer;
	}

	// Arrays one after the other.
	addAll(arrays, length) {
		const pointer = this.#core.allocate(4 * length * arrays.length);
		this.#pointers.push(pointer);
		arrays.forEach((array, i) => this.#core.views.f32.set(array, pointer / 4 + i * length));
		return pointer;
	}

	release() {
		for (const pointer of this.#pointers) this.#core.c.free(pointer);
	}
}

// starts[0] to starts[vertexCount], rising: the library reads as far as the last says.
function checkStarts(starts, vertexCount, total, what) {
	expect(starts, vertexCount + 1, what);
	integers(Uint32Array, starts, what);
	for (let v = 0; v < vertexCount; ++v) {
		if (starts[v] > starts[v + 1]) throw badInput(`${what}[${v + 1}] is less than the one before`);
	}
	if (starts[0] !== 0 || starts[vertexCount] !== total) {
		throw badInput(`${what} must go from 0 to the number of entries, ${total}`);
	}
}

function skinWords(def, vertexCount, args) {
	if (def.joints === undefined) return [0, 0, 0, 0, 0, 0];
	const joints = integers(Uint16Array, expect(def.joints, undefined, 'joints'), 'joints');
	const each = def.influencesPerVertex ?? 4;
	if (def.influenceStarts) {
		checkStarts(def.influenceStarts, vertexCount, joints.length, 'influenceStarts');
	} else if (joints.length !== each * vertexCount) {
		throw badInput(`joints has ${joints.length} numbers; ${vertexCount} vertices with ${each} influences ` +
			`(influencesPerVertex) have ${each * vertexCount}`);
	}
	expect(def.weights, joints.length, 'weights');
	if (def.jointPositions) expect(def.jointPositions, 3 * def.jointCount, 'jointPositions');
	return [def.jointCount ?? 0, args.add(Uint32Array, def.influenceStarts), def.influenceStarts ? 0 : each,
		args.add(Uint16Array, joints), args.add(Float32Array, def.weights), args.add(Float32Array, def.jointPositions)];
}

function fieldWords(def, vertexCount, args) {
	if (def.fields) {
		const { count, starts, fields, displacements } = def.fields;
		expect(fields, undefined, 'fields.fields');
		checkStarts(starts, vertexCount, fields.length, 'fields.starts');
		expect(displacements, 3 * fields.length, 'fields.displacements');
		// A pointer that is not null, even to nothing: that is what says that these fields are sparse.
		return [count, args.add(Uint32Array, starts), args.add(Uint16Array, integers(Uint16Array, fields, 'fields.fields')),
			args.add(Float32Array, displacements)];
	}
	const dense = def.displacements ?? [];
	dense.forEach((field, i) => expect(field, 3 * vertexCount, `displacements[${i}]`));
	return [dense.length, 0, 0, dense.length > 0 ? args.addAll(dense, 3 * vertexCount) : 0];
}

// As webModelDef of core/exports.c.
function modelWords(def, args) {
	if (typeof def !== 'object' || def === null) throw badInput('a model needs positions and triangles: createModel({ positions, triangles })');
	const vertexCount = countOf(def.positions, 3, 'positions'), triangleCount = countOf(def.triangles, 3, 'triangles');
	const implied = def.joints ? 'skin' : def.displacements?.length > 0 || def.fields ? 'fields' : 'rigid';
	return [args.add(Float32Array, def.positions), vertexCount,
		args.add(Uint32Array, integers(Uint32Array, def.triangles, 'triangles')), triangleCount,
		choose(deformers, def.deformer ?? implied, 'deformer'), choose(blendings, def.blending ?? 'linear', 'blending'),
		...skinWords(def, vertexCount, args), ...fieldWords(def, vertexCount, args)];
}

// ---- Loading ---------------------------------------------------------------------------------------------------------

async function fetchModule(url) {
	if (String(url).startsWith('file:') && typeof process !== 'undefined' && process.versions?.node) {
		const name = 'node:fs/promises'; // a variable: bundlers for browsers would look for it
		const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ name);
		return WebAssembly.compile(await readFile(new URL(url)));
	}
	return compileResponse(await fetch(url));
}

// Servers that do not know .wasm send it as something that cannot be compiled while it comes.
async function compileResponse(response) {
	if (!response.ok) throw new Error(`${response.url}: ${response.status} ${response.statusText}`);
	const streams = /^application\/wasm\b/.test(response.headers.get('content-type') ?? '');
	return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

async function toModule(source) {
	if (source instanceof WebAssembly.Module) return source;
	if (typeof Response !== 'undefined' && source instanceof Response) return compileResponse(source);
	if (source instanceof URL || typeof source === 'string') return fetchModule(source);
	return WebAssembly.compile(source);
}

// Bundlers that move the file know this expression. A bundle that is no module has no address: then beside the page.
function besideThis() {
	if (import.meta.url !== undefined) return new URL('./snug.wasm', import.meta.url);
	const { location } = globalThis;
	if (location === undefined) throw badInput('this bundle does not know where it is: give Snug.load the path of snug.wasm, or its bytes');
	return new URL('snug.wasm', location.href);
}

export class Snug {
	#core;

	static async load(source = besideThis()) {
		return new Snug(await WebAssembly.instantiate(await toModule(await source)));
	}

	constructor(instance) {
		this.#core = new Core(instance.exports);
	}

	get version() {
		return this.#core.text(this.#core.c.snugGetVersion());
	}

	get instructionSet() {
		return this.#core.text(this.#core.c.snugGetInstructionSet());
	}

	get memoryBytes() {
		return this.#core.c.memory.buffer.byteLength;
	}

	// ---- Models --------------------------------------------------------------------------------------------------

	createModel(definition) {
		const core = this.#core, args = new Arguments(core);
		try {
			const words = modelWords(definition, args);
			return this.#makeModel(core.c.modelCreate(args.add(Uint32Array, words), core.words));
		} finally {
			args.release();
		}
	}

	loadModel(bytes) {
		const core = this.#core, args = new Arguments(core);
		const block = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
		if (!(block instanceof Uint8Array)) throw badInput('a packed model is a Uint8Array or an ArrayBuffer');
		try {
			return this.#makeModel(core.c.modelLoad(args.add(Uint8Array, block), block.length, core.words));
		} finally {
			args.release();
		}
	}

	#makeModel(status) {
		const core = this.#core;
		core.check(status);
		return new Model(new Handle(core, core.word(), core.c.snugModel_Destroy), core.takeMessages().warnings);
	}

	// ---- Queries -------------------------------------------------------------------------------------------------
	// Each new kind of query: an export of core/exports.c, a method here, a line in snug.d.mts.

	collide(a, b, options) {
		const core = this.#core, [first, second] = this.#two(a, b);
		return this.#collect(() => core.c.collide(first, second, core.pairs.pointer, core.pairs.capacity, core.prepare(options)));
	}

	touches(a, b, options) {
		const core = this.#core, { witness } = options ?? {}, at = core.words / 4;
		if (witness && !(witness instanceof Witness)) throw badInput('witness must be a Witness');
		const [first, second] = this.#two(a, b);
		if (witness) core.views.u32.set(witness.memory, at);
		const count = core.finish(core.c.touches(first, second, witness ? core.words : 0, core.prepare(options)));
		witness?.memory.set(core.views.u32.subarray(at, at + 4));
		return count > 0;
	}

	get counters() {
		return Object.fromEntries(counterNames.map((name, i) => [name, this.#core.counters[i]]));
	}

	// Where they meet: points, segments and curves.
	findContacts(a, b, options) {
		return this.#contacts(...this.#two(a, b), 0, options);
	}

	findSelfContacts(body, options) {
		const { pointer } = Held.body(body, this.#core);
		return this.#contacts(pointer, pointer, options?.keepRest ? 1 : 0, options);
	}

	#contacts(first, second, keepRest, options) {
		const core = this.#core;
		if (core.contacts.pointer === 0) core.growContacts(0);
		const run = () => core.finish(core.c.findContacts(first, second, keepRest, core.contacts.pointer, core.prepare(options), core.words));
		const count = run();
		if (core.word(0) === 0) {
			core.growContacts(count);
			core.again(run);
		}
		return readContacts(core);
	}

	castRays(body, rays, options) {
		const core = this.#core, { pointer } = Held.body(body, core), count = countOf(rays, 6, 'rays'), args = new Arguments(core);
		try {
			const from = args.add(Float32Array, rays), hits = args.make(hitBytes * count);
			core.finish(core.c.castRays(pointer, from, count, hits, options?.any ? 1 : 0, core.prepare(options)));
			return readHits(core, hits, count);
		} finally {
			args.release();
		}
	}

	findHits(body, ray, options) {
		const core = this.#core, { pointer } = Held.body(body, core), args = new Arguments(core);
		try {
			const from = args.add(Float32Array, expect(ray, 6, 'ray'));
			const run = (capacity) => {
				const hits = args.make(hitBytes * capacity);
				return [core.finish(core.c.findHits(pointer, from, hits, capacity, core.prepare(options))), hits];
			};
			let [count, hits] = run(64);
			if (count > 64) [count, hits] = core.again(() => run(count));
			return readHits(core, hits, count);
		} finally {
			args.release();
		}
	}

	findClosest(body, points, options) {
		const core = this.#core, { pointer } = Held.body(body, core), count = countOf(points, 3, 'points'), args = new Arguments(core);
		try {
			const from = args.add(Float32Array, points), closest = args.make(40 * count);
			core.finish(core.c.findClosest(pointer, from, count, closest, core.prepare(options, readLimit(options))));
			return readClosest(core, closest, count);
		} finally {
			args.release();
		}
	}

	findSelfInside(body) {
		const core = this.#core, { pointer } = Held.body(body, core), args = new Arguments(core);
		const { vertexCount, triangleCount } = body.model, read = (at, count) => readColumns(core, at, count, 3, { side: [0, 1, Uint32Array], winding: [1, 1, Int32Array] });
		try {
			const vertices = args.make(12 * vertexCount + 12), triangles = args.make(12 * triangleCount + 12);
			core.finish(core.c.findSelfInside(pointer, vertices, triangles, core.prepare()));
			return { vertices: read(vertices, vertexCount), triangles: read(triangles, triangleCount) };
		} finally {
			args.release();
		}
	}

	// Counted first: how many there are decides on the room.
	findVertexDepths(body, outer, options) {
		const core = this.#core, [first, second] = this.#two(body, outer), args = new Arguments(core);
		const ask = (depths, capacity) => core.finish(core.c.findVertexDepths(first, second, depths, capacity, core.prepare(options, readLimit(options))));
		try {
			const count = ask(0, 0), depths = args.make(40 * count);
			core.again(() => ask(depths, count));
			return readColumns(core, depths, count, 10, { depth: [0, 1, Float64Array], position: [2, 3, Float32Array], normal: [5, 3, Float32Array],
				triangle: [8, 1, Uint32Array], vertex: [9, 1, Uint32Array] });
		} finally {
			args.release();
		}
	}

	findDistance(a, b, options) {
		const core = this.#core, [first, second] = this.#two(a, b);
		const distance = core.finish(core.c.findDistance(first, second, core.prepare(options, readLimit(options)), core.words, core.words + 8));
		const at = core.words / 4, { u32, f32 } = core.views;
		return { distance, a: u32[at], b: u32[at + 1], pointA: f32.slice(at + 2, at + 5), pointB: f32.slice(at + 5, at + 8) };
	}

	sweep(startA, endA, startB, endB, options) {
		return this.#sweep(startA, endA, startB, endB, options, 0, 0)[0];
	}

	sweepAll(startA, endA, startB, endB, options) {
		const core = this.#core, args = new Arguments(core);
		try {
			const run = (capacity) => {
				const contacts = args.make(88 * capacity);
				return [...this.#sweep(startA, endA, startB, endB, options, contacts, capacity), contacts, capacity];
			};
			let [found, count, isComplete, contacts, capacity] = run(256);
			while (!isComplete && count === capacity) [found, count, isComplete, contacts, capacity] = core.again(() => run(4 * capacity));
			const all = readColumns(core, contacts, count, 22, { time: [0, 1, Float64Array], latest: [2, 1, Float64Array], featureA: [4, 3, Uint32Array],
				featureB: [7, 3, Uint32Array], a: [10, 1, Uint32Array], b: [11, 1, Uint32Array], position: [12, 3, Float32Array],
				normal: [15, 3, Float32Array], isCertain: [18, 1, Uint32Array] });
			all.isCertain = Uint8Array.from(all.isCertain, (word) => word & 1);
			return { ...found, contacts: all, isComplete };
		} finally {
			args.release();
		}
	}

	#sweep(startA, endA, startB, endB, options, contacts, capacity) {
		const core = this.#core, [first, second] = this.#two(startA, startB);
		const [endOfA, endOfB] = [endA, endB].map((end) => (end ? Held.body(end, core).pointer : 0));
		if (endOfA === second || endOfB === first || (endOfA !== 0 && endOfA === endOfB)) throw badInput('one of the two bodies ends as the other one: each needs a body of its own for its end');
		const [numbers, limit] = stageSweep(core, options);
		const count = core.finish(core.c.sweep(first, endOfA, second, endOfB, core.prepare(options, limit), numbers, contacts, capacity));
		return [readSweep(core, numbers), count, core.views.f64[numbers / 8 + 18] !== 0];
	}

	findSagitta(start, middle, end, options) {
		const core = this.#core, [first, second] = this.#two(start, middle), [, third] = this.#two(middle, end);
		if (first === third) throw badInput('start and end are the same body');
		return core.finish(core.c.findSagitta(first, second, third, core.prepare(options)));
	}

	collideWithin(a, b, margin, options) {
		const core = this.#core, [first, second] = this.#two(a, b);
		return this.#collect(() => core.c.collideWithin(first, second, core.pairs.pointer, core.pairs.capacity, core.prepare(options, readDistance(margin, 'margin'))));
	}

	collideSelf(body, options) {
		const { keepRest = false } = options ?? {};
		const core = this.#core, { pointer } = Held.body(body, core);
		return this.#collect(() => core.c.collideSelf(pointer, core.pairs.pointer, core.pairs.capacity, keepRest ? 1 : 0, core.prepare()));
	}

	collideSelfWithin(body, margin, restDistance, options) {
		const core = this.#core, { pointer } = Held.body(body, core);
		return this.#collect(() => core.c.collideSelfWithin(pointer, core.pairs.pointer, core.pairs.capacity, readDistance(restDistance, 'restDistance'), core.prepare(options, readDistance(margin, 'margin'))));
	}

	touchesSelf(body, options) {
		const { keepRest = false } = options ?? {};
		const core = this.#core, { pointer } = Held.body(body, core);
		return core.finish(core.c.touchesSelf(pointer, keepRest ? 1 : 0, core.prepare())) > 0;
	}

	// The pairs of a query, asked again if there was too little room.
	#collect(run) {
		const core = this.#core;
		let count = core.finish(run());
		if (count > core.pairs.capacity) {
			core.growPairs(count);
			count = core.again(() => core.finish(run()));
		}
		return core.views.u32.slice(core.pairs.pointer / 4, core.pairs.pointer / 4 + 2 * count);
	}

	createPool(bytes) {
		const core = this.#core;
		if (!Number.isInteger(bytes) || bytes < 1 || bytes > 0xffffffff) throw badInput(`a pool of ${describe(bytes)} bytes; it must be an integer from 1 to ${0xffffffff}`);
		core.check(core.c.poolCreate(bytes, core.words));
		return new Pool(new Handle(core, core.word(), core.c.snugPool_Destroy));
	}

	createScene(options) {
		const core = this.#core, origin = core.stageDoubles(readOrigin(options));
		core.check(core.c.sceneCreate(origin, core.words));
		return new Scene(new Handle(core, core.word(), core.c.sceneDestroy));
	}

	#two(a, b) {
		const first = Held.body(a, this.#core).pointer, second = Held.body(b, this.#core).pointer;
		if (first === second) throw new SnugError('badArgument', 'two different bodies are expected, not the same one twice');
		return [first, second];
	}
}

export class Witness {
	memory = new Uint32Array(4);
}

// ---- Structs as arrays -----------------------------------------------------------------------------------------------

// Columns of `count` structs of `words` 32-bit words: where each begins in a struct, how many numbers, what type.
function readColumns(core, pointer, count, words, columns) {
	const { u32, f32, f64 } = core.views, out = {};
	for (const [name, [first, size, Type]] of Object.entries(columns)) {
		const source = Type === Float64Array ? f64 : Type === Float32Array ? f32 : u32, each = Type === Float64Array ? words / 2 : words;
		const begin = Type === Float64Array ? pointer / 8 + first / 2 : pointer / 4 + first, array = (out[name] = new Type(size * count));
		for (let i = 0; i < count; ++i) for (let k = 0; k < size; ++k) array[size * i + k] = source[begin + each * i + k];
	}
	return out;
}

// Of snugRayHit, whose last word is the body's id in scenes.
const hitBytes = 64;

const readHits = (core, pointer, count) => readColumns(core, pointer, count, hitBytes / 4, { t: [0, 1, Float64Array],
	weights: [2, 3, Float64Array], position: [8, 3, Float32Array], normal: [11, 3, Float32Array], triangle: [14, 1, Uint32Array] });

const readClosest = (core, pointer, count) => readColumns(core, pointer, count, 10, { distance: [0, 1, Float64Array],
	position: [2, 3, Float32Array], normal: [5, 3, Float32Array], triangle: [8, 1, Uint32Array] });

const sweepAnswers = ['free', 'meets', 'unsure'], featureKinds = ['vertex', 'edge', 'triangle'];

// As exports.c reads them. @returns where they are, and the margin
function stageSweep(core, options) {
	const { tolerance = 0, margin = 0, maxTime = 1, maxSteps = 0, newOnly = false, turning = false } = options ?? {};
	if (!Number.isSafeInteger(maxSteps) || maxSteps < 0) throw badInput(`maxSteps is ${describe(maxSteps)}; it must be an integer, and not negative`);
	if (readDistance(maxTime, 'maxTime') > 1) throw badInput(`maxTime is ${maxTime}; it is a part of the step, from 0 to 1`);
	readDistance(tolerance, 'tolerance');
	// The library's zero means the whole step.
	return [core.stageDoubles([tolerance, maxTime === 0 ? Number.MIN_VALUE : maxTime, maxSteps, newOnly ? 1 : 0, turning ? 1 : 0], new Float64Array(14)), readDistance(margin, 'margin')];
}

function readSweep(core, pointer) {
	const [answer, time, latest, a, b, ...rest] = core.views.f64.slice(pointer / 8, pointer / 8 + 18);
	const found = { answer: sweepAnswers[answer], time, latest, stray: rest[12] };
	const name = ([kind, ...numbers]) => ({ kind: featureKinds[kind], numbers: numbers.slice(0, kind === 1 ? 2 : 1) });
	return a === noTriangle ? found : { ...found, a, b, featureA: name(rest.slice(0, 3)), featureB: name(rest.slice(3, 6)),
		position: Float32Array.from(rest.slice(6, 9)), normal: Float32Array.from(rest.slice(9, 12)) };
}

const contactKinds = ['segment', 'point', 'polygon', 'flat'];

// What core.words says about the contacts that were found last.
function readContacts(core) {
	const [, contacts, contactCount, points, pointCount, curves, curveCount, curvePoints] = Array.from({ length: 8 }, (_, i) => core.word(i));
	const { u32 } = core.views, all = readColumns(core, contacts, contactCount, 18, { pairs: [0, 2, Uint32Array], kind: [2, 1, Uint32Array],
		pointCount: [3, 1, Uint32Array], points: [4, 6, Uint32Array], curve: [10, 1, Uint32Array], normalA: [11, 3, Float32Array],
		normalB: [14, 3, Float32Array] });
	const { position } = readColumns(core, points, pointCount, 9, { position: [0, 3, Float32Array] });
	const each = readColumns(core, curves, curveCount, 22, { first: [0, 1, Uint32Array], count: [1, 1, Uint32Array],
		closed: [4, 1, Uint32Array], length: [8, 1, Float64Array], centroid: [10, 3, Float64Array], area: [16, 3, Float64Array] });
	return { pairs: all.pairs, normalA: all.normalA, normalB: all.normalB, positions: position,
		contacts: Array.from(all.kind, (kind, i) => ({ kind: contactKinds[kind], curve: all.curve[i] === noTriangle ? null : all.curve[i],
			points: all.points.slice(6 * i, 6 * i + all.pointCount[i]) })),
		curves: Array.from(each.first, (first, i) => ({
			points: u32.slice(curvePoints / 4 + first, curvePoints / 4 + first + each.count[i]), isClosed: (each.closed[i] & 0xff) !== 0,
			length: each.length[i], centroid: each.centroid.slice(3 * i, 3 * i + 3), area: each.area.slice(3 * i, 3 * i + 3) })) };
}

// ---- Models ----------------------------------------------------------------------------------------------------------

export class Model extends Held {
	constructor(handle, warnings) {
		super(handle);
		const { core } = handle;
		core.c.modelInfo(handle.pointer, core.words);
		const names = ['vertexCount', 'triangleCount', 'deformer', 'jointCount', 'fieldCount', 'influenceCount',
			'maxInfluences', 'displacementCount', 'nodeCount', 'bytes', 'blending'];
		names.forEach((name, i) => (this[name] = core.word(i)));
		this.deformer = deformers[this.deformer];
		this.blending = this.deformer === 'skin' ? blendings[this.blending] : undefined;
		this.warnings = warnings;
	}

	createBody(options) {
		const { strategy = 'auto', pool } = options ?? {};
		const handle = Held.handle(this), { core, pointer } = handle;
		if (pool && !(pool instanceof Pool)) throw badInput(`pool is ${describe(pool)}; createPool makes one`);
		const shared = pool && Held.handle(pool, core);
		core.check(core.c.bodyCreate(pointer, choose(strategies, strategy, 'strategy'), shared?.pointer ?? 0, core.words));
		const made = new Handle(core, core.word(), core.c.snugBody_Destroy).keep(handle);
		return new Body(shared ? made.keep(shared) : made, this);
	}

	save() {
		const { core, pointer } = Held.handle(this), block = core.c.snugModel_GetBlock(pointer, core.words) >>> 0;
		return core.views.u8.slice(block, block + core.word());
	}

	getPositions() {
		return this.#read('modelPositions', [Float32Array, 3 * this.vertexCount])[0];
	}

	getTriangles() {
		return this.#read('modelTriangles', [Uint32Array, 3 * this.triangleCount])[0];
	}

	getWeights() {
		const [starts, joints, weights] = this.#read('snugModel_GetWeights', [Uint32Array, this.vertexCount + 1],
			[Uint16Array, this.influenceCount], [Float32Array, this.influenceCount]);
		return { starts, joints, weights };
	}

	getFields() {
		const [starts, fields, displacements] = this.#read('snugModel_GetFields', [Uint32Array, this.vertexCount + 1],
			[Uint16Array, this.displacementCount], [Float32Array, 3 * this.displacementCount]);
		return { count: this.fieldCount, starts, fields, displacements };
	}

	// Calls a function that fills arrays, and copies them out.
	#read(name, ...arrays) {
		const { core, pointer } = Held.handle(this), places = [];
		try {
			for (const [Type, length] of arrays) places.push(core.allocate(Type.BYTES_PER_ELEMENT * length));
			core.check(core.c[name](pointer, ...places));
			return arrays.map(([Type, length], i) => new Type(core.views.buffer, places[i], length).slice());
		} finally {
			for (const place of places) core.c.free(place);
		}
	}
}

// ---- Bodies ----------------------------------------------------------------------------------------------------------

export class Pool extends Held {}

export class Body extends Held {
	constructor(handle, model) {
		super(handle);
		this.model = model;
	}

	get memoryBytes() {
		const { core, pointer } = Held.handle(this);
		return core.c.snugBody_GetMemory(pointer) >>> 0;
	}

	setFrame(position, rotation = [0, 0, 0, 1]) {
		const { core, pointer } = Held.handle(this);
		expect(rotation, 4, 'rotation');
		const frame = core.stageDoubles(expect(position, 3, 'position'), rotation);
		core.check(core.c.snugBody_SetFrame(pointer, frame));
		return this;
	}

	setJoints(matrices) {
		const { core, pointer } = Held.handle(this), count = countOf(matrices, 16, 'matrices');
		this.#require(this.model.jointCount > 0, 'joints');
		core.check(core.c.bodySetJoints(pointer, core.stageFloats(matrices), count));
		return this;
	}

	setAmplitudes(amplitudes) {
		const { core, pointer } = Held.handle(this);
		this.#require(this.model.fieldCount > 0, 'displacement fields');
		expect(amplitudes, undefined, 'amplitudes');
		core.check(core.c.snugBody_SetAmplitudes(pointer, core.stageFloats(amplitudes), amplitudes.length));
		return this;
	}

	setVertices(positions, first = 0) {
		const { core, pointer } = Held.handle(this), count = countOf(positions, 3, 'positions');
		this.#require(this.model.deformer === 'free', 'vertices that can be set');
		if (!Number.isInteger(first) || first < 0 || first > 0xffffffff) throw badInput(`first is ${describe(first)}; it must be the number of a vertex`);
		core.check(core.c.bodySetVertices(pointer, core.stageFloats(positions), first, count));
		return this;
	}

	getVertices(origin) {
		const { core, pointer } = Held.handle(this), length = 3 * this.model.vertexCount;
		const place = core.allocate(4 * length);
		try {
			core.check(core.c.bodyGetVertices(pointer, core.stageDoubles(readOrigin({ origin })), place));
			return core.views.f32.slice(place / 4, place / 4 + length);
		} finally {
			core.c.free(place);
		}
	}

	getBounds(origin) {
		const { core, pointer } = Held.handle(this);
		core.check(core.c.snugBody_GetBounds(pointer, core.stageDoubles(readOrigin({ origin })), core.words));
		const all = core.views.f32.slice(core.words / 4, core.words / 4 + 10);
		return { lower: all.slice(0, 3), upper: all.slice(3, 6), center: all.slice(6, 9), radius: all[9] };
	}

	#require(has, what) {
		if (!has) throw new SnugError('badArgument', `this body has no ${what}: its model is ${this.model.deformer}`);
	}
}

// ---- Scenes ----------------------------------------------------------------------------------------------------------

const bodyOf = ({ body }) => body;
const shapeKinds = ['sphere', 'capsule', 'plane', 'halfSpace'];
const isShape = (member) => !(member instanceof Held) && shapeKinds.includes(member?.kind);

// As exports.c reads them.
function stageShape(core, { kind, center, start = center, end = start, radius = 0, normal = [0, 0, 0], offset = 0 }) {
	const none = [0, 0, 0], isFlat = kind === 'plane' || kind === 'halfSpace';
	if (![radius, offset].every((number) => typeof number === 'number')) throw badInput('radius and offset must be numbers');
	return core.stageDoubles([shapeKinds.indexOf(kind)], isFlat ? none : expect(start, 3, kind === 'sphere' ? 'center' : 'start'),
		isFlat ? none : expect(end, 3, 'end'), [isFlat ? 0 : radius], expect(normal, 3, 'normal'), [offset]);
}

export class Scene extends Held {
	#entries = new Map(); // by id: a body and its handle, or a shape
	#removed = new Map(); // since the last update, which may have events of theirs
	#owners = 0; // how many there have been
	#keys = new WeakMap(); // of pairs: both ids in one number
	#pairs = [];
	#events = { begun: [], persisting: [], ended: [] };

	get bodies() {
		return [...this.#entries.values()].filter((entry) => entry.handle).map(bodyOf);
	}

	/** Those that touch, with their pairs of triangles if they were asked for. */
	get pairs() {
		return this.#pairs;
	}

	get events() {
		return this.#events;
	}

	add(body, options) {
		const { isStatic = false, groups = 0, mask = 0, owner = null, meetsItself = false, replaces = null } = options ?? {};
		const scene = Held.handle(this), { core, pointer } = scene, handle = isShape(body) ? null : Held.body(body, core);
		if ([...this.#entries.values()].some((entry) => entry.body === body)) throw badInput(`this ${handle ? 'body' : 'shape'} is in the scene already`);
		if (handle?.scene) throw badInput('this body is in another scene: remove it there first');
		if (!handle && (meetsItself || replaces)) throw badInput('a shape neither meets itself nor replaces a body');
		const old = replaces ? this.#entryOf(replaces, 'body')[1] : null;
		if (old && !old.handle) throw badInput('a shape is not replaced: setShape changes it');
		const count = this.#entries.size + this.#removed.size, number = this.#numberOf(owner);
		const shape = stageShape(core, handle ? { kind: 'plane' } : body);
		core.check(core.c.sceneAdd(pointer, handle?.pointer ?? 0, shape, old?.handle.pointer ?? 0, isStatic ? 1 : 0, meetsItself ? 1 : 0,
			readBits(groups, 'groups'), readBits(mask, 'mask'), number, count, core.words));
		if (handle) {
			scene.keep(handle);
			handle.scene = scene;
		}
		if (old) scene.letGo(old.handle);
		this.#entries.set(core.word(), { body, handle, owner, number });
		return this;
	}

	setShape(shape) {
		const { core, pointer } = Held.handle(this), [id, entry] = this.#entryOf(shape, 'shape');
		if (entry.handle) throw badInput('a body is not a shape');
		core.check(core.c.sceneSetShape(pointer, id, stageShape(core, shape)));
		return this;
	}

	#entryOf(member, what) {
		const found = [...this.#entries].find(([, entry]) => entry.body === member);
		if (!found) throw badInput(`this ${what} is not in the scene`);
		return found;
	}

	// Owners are numbers to the library; nobody is 0.
	#numberOf(owner) {
		if (owner === null || owner === undefined) return 0;
		const known = [...this.#entries.values()].find((entry) => entry.number > 0 && entry.owner === owner);
		return known ? known.number : ++this.#owners;
	}

	castRays(rays, options) {
		const { any = false, mask = 0 } = options ?? {};
		const { core, pointer } = Held.handle(this), count = countOf(rays, 6, 'rays'), args = new Arguments(core);
		try {
			const from = args.add(Float32Array, rays), hits = args.make(hitBytes * count);
			core.finish(core.c.sceneCastRays(pointer, from, count, hits, any ? 1 : 0, readBits(mask, 'mask'), core.prepare()));
			return this.#readHits(core, hits, count);
		} finally {
			args.release();
		}
	}

	findHits(ray, options) {
		const { mask = 0 } = options ?? {};
		const { core, pointer } = Held.handle(this), args = new Arguments(core);
		try {
			const from = args.add(Float32Array, expect(ray, 6, 'ray'));
			const run = (capacity) => {
				const hits = args.make(hitBytes * capacity);
				return [core.finish(core.c.sceneFindHits(pointer, from, hits, capacity, readBits(mask, 'mask'), core.prepare())), hits];
			};
			let [count, hits] = run(64);
			if (count > 64) [count, hits] = core.again(() => run(count));
			return this.#readHits(core, hits, count);
		} finally {
			args.release();
		}
	}

	#readHits(core, pointer, count) {
		const { u32 } = core.views, id = (i) => u32[(pointer + hitBytes * i) / 4 + 15];
		return { ...readHits(core, pointer, count),
			body: Array.from({ length: count }, (_, i) => (id(i) === noTriangle ? null : this.#find(id(i)))) };
	}

	sweep(ends, options) {
		const { core, pointer } = Held.handle(this), args = new Arguments(core), taken = [], known = new Set();
		if (!(ends instanceof Map) && !(Array.isArray(ends) && ends.every(Array.isArray))) throw badInput('sweep takes pairs of bodies: each at the start and at the end of the step');
		for (const [start, end] of ends) {
			const [id, { handle }] = this.#entryOf(start, 'body'), other = end ? Held.body(end, core) : handle;
			if (!handle) throw badInput('a shape rests');
			if (other === handle) continue;
			if (other.scene || known.has(other)) throw badInput('a body at the end of a step is in no scene, and of one body only');
			known.add(other);
			taken[id] = other.pointer;
		}
		try {
			const pointers = args.add(Uint32Array, Uint32Array.from(taken, (end) => end ?? 0)), [numbers, limit] = stageSweep(core, options);
			core.finish(core.c.sceneSweep(pointer, pointers, taken.length, core.prepare({}, limit), numbers, core.words));
			const [a, b] = [core.word(), core.word(1)], found = readSweep(core, numbers);
			return a === noTriangle ? found : { ...found, bodyA: this.#find(a), bodyB: this.#find(b) };
		} finally {
			args.release();
		}
	}

	remove(body) {
		const scene = Held.handle(this), [id, entry] = this.#entryOf(body, 'body');
		scene.core.check(scene.core.c.sceneRemove(scene.pointer, id));
		if (entry.handle) scene.letGo(entry.handle);
		this.#entries.delete(id);
		this.#removed.set(id, entry);
		return this;
	}

	update(options) {
		const { trianglePairs = false, contacts = false } = options ?? {};
		const { core, pointer } = Held.handle(this), place = core.stage(8 * counterNames.length);
		if (contacts && core.contacts.pointer === 0) core.growContacts(0);
		const room = contacts ? core.contacts.pointer : 0;
		core.check(core.c.sceneUpdate(pointer, trianglePairs ? 1 : 0, room, place, core.words));
		core.keepCounters(place / 8);
		const [moved, candidates, queries, kept, pairs, pairCount, triangles, ...lists] = Array.from({ length: 13 }, (_, i) => core.word(i));
		const last = this.#notes();
		this.#pairs = this.#readPairs(core, pairs, pairCount, triangles, trianglePairs, last);
		const [begun, persisting, ended] = [0, 2, 4].map((i) => this.#readEvents(core, lists[i], lists[i + 1], last));
		this.#events = { begun, persisting, ended };
		this.#removed.clear();
		if (contacts) this.#readContacts(core, pointer);
		return { moved, candidates, queries, kept };
	}

	#find(id) {
		return bodyOf(this.#entries.get(id) ?? this.#removed.get(id));
	}

	// What was left at pairs of the last update, by their ids.
	#notes() {
		return new Map(this.#pairs.filter(({ note }) => note !== undefined).map((pair) => [this.#keys.get(pair), pair.note]));
	}

	#readPair(core, at, notes) {
		const { u32 } = core.views, key = u32[at] * 2 ** 26 + u32[at + 1], note = notes.get(key);
		const pair = { a: this.#find(u32[at]), b: this.#find(u32[at + 1]), ...(note !== undefined && { note }) };
		this.#keys.set(pair, key);
		return pair;
	}

	#readEvents(core, pointer, count, notes) {
		return Array.from({ length: count }, (_, i) => this.#readPair(core, pointer / 4 + 2 * i, notes));
	}

	// Of pairs of two bodies, in order.
	#readContacts(core, pointer) {
		let told = 0;
		for (const pair of this.#pairs.filter(({ a, b }) => a !== b && !isShape(a) && !isShape(b))) {
			told = core.c.sceneTold(pointer, told, core.words) >>> 0;
			pair.contacts = readContacts(core);
		}
	}

	// Pairs are two ids and two 64-bit numbers, of which linear memory can only fill the lower halves.
	#readPairs(core, pointer, count, triangles, hasTriangles, notes) {
		const { u32 } = core.views;
		return Array.from({ length: count }, (_, i) => {
			const at = pointer / 4 + 6 * i, first = triangles / 4 + 2 * u32[at + 2], pair = this.#readPair(core, at, notes);
			if (hasTriangles) pair.pairs = u32.slice(first, first + 2 * u32[at + 4]);
			return pair;
		});
	}
}
