/** Which triangles of two deforming meshes intersect right now, exactly. */

/** What the library calls what went wrong. `message` is its sentence. */
export type Status = 'badArgument' | 'badInput' | 'outOfMemory' | 'outOfRange' | 'badFile' | 'unsupportedVersion' | 'ioError' | 'invalidBounds';
export class SnugError extends Error {
	readonly status: Status;
}

/** How vertices move. A skin's joints blend linearly, as in glTF and three.js; fields are morph targets or modes. */
export type Deformer = 'rigid' | 'free' | 'skin' | 'fields';
export type Blending = 'linear' | 'spherical' | 'dualQuaternion';

/** Displacement fields, of those vertices that they move: entries of vertex v are starts[v] to starts[v + 1] - 1. */
export interface Fields {
	count: number;
	starts: ArrayLike<number>;
	/** The field of each entry. */
	fields: ArrayLike<number>;
	/** x, y, z of each entry. */
	displacements: ArrayLike<number>;
}

export interface ModelDefinition {
	/** x, y, z of each vertex at rest. */
	positions: ArrayLike<number>;
	/** Three vertices per triangle. */
	triangles: ArrayLike<number>;
	/** Default: 'skin' with joints, else 'fields' with displacements, else 'rigid'. */
	deformer?: Deformer;
	/** How a skin blends its joints; default 'linear'. */
	blending?: Blending;
	/** The joint and the weight of each influence, `influencesPerVertex` (4) per vertex. */
	joints?: ArrayLike<number>;
	weights?: ArrayLike<number>;
	jointCount?: number;
	influencesPerVertex?: number;
	/** Instead of influencesPerVertex: influences of vertex v are influenceStarts[v] to influenceStarts[v + 1] - 1. */
	influenceStarts?: ArrayLike<number>;
	/** x, y, z of each joint at rest, for skins that turn their joints. */
	jointPositions?: ArrayLike<number>;
	/** Morph targets, vibration modes: x, y, z per vertex each. */
	displacements?: ArrayLike<number>[];
	/** The same where most vertices stay. */
	fields?: Fields;
}

export interface QueryOptions {
	/** Positions are evaluated relative to it: set it near bodies that are far from zero. */
	origin?: ArrayLike<number>;
}

/** What `touches` remembers of two bodies from one call to the next; one for each pair of bodies, in the same order. */
export class Witness {
	readonly memory: Uint32Array;
}

/** What the last query cost. */
export interface Counters {
	nodesRefitted: number;
	nodesAtFront: number;
	nodesAboveFront: number;
	nodesBelowFront: number;
	volumeTests: number;
	verticesEvaluated: number;
	triangleTests: number;
	exactTests: number;
	/** Pairs of nodes of one body that are known not to meet. */
	certified: number;
}

/** The library, once per page or worker. It holds no locks and no threads. */
export class Snug {
	/** From snug.wasm beside this module, or from a URL, bytes, a Response or a compiled module. */
	static load(source?: URL | string | BufferSource | Response | Promise<Response> | WebAssembly.Module): Promise<Snug>;
	readonly version: string;
	readonly instructionSet: string;
	/** Bytes of linear memory. It grows and never shrinks; what is disposed is used again. */
	readonly memoryBytes: number;
	/** Build a model; about two seconds per million triangles. `model.save()` lets you pay only once. */
	createModel(definition: ModelDefinition): Model;
	/** From model.save() or `snug pack`: the same bytes on every machine. Damaged or hostile bytes throw. */
	loadModel(bytes: Uint8Array | ArrayBuffer): Model;
	/**
	 * All pairs of intersecting triangles of two bodies; touching counts.
	 * @returns triangle of a, triangle of b, and so on, sorted. The array is yours.
	 */
	collide(a: Body, b: Body, options?: QueryOptions): Uint32Array;
	/** Whether two bodies touch; stops at the first pair. Much faster with a witness while they stay in contact. */
	touches(a: Body, b: Body, options?: QueryOptions & { witness?: Witness }): boolean;
	/** Where two bodies meet: points, segments for triangles that cross, and the curves that segments join to. */
	findContacts(a: Body, b: Body, options?: QueryOptions): Contacts;
	/** Where a body meets itself: the pairs of collideSelf. Along a curve triangles a are on one side, triangles b on the other. */
	findSelfContacts(body: Body, options?: QueryOptions & { keepRest?: boolean }): Contacts;
	/**
	 * Which of a body's own vertices and triangles are inside it, where one part of it is within another.
	 * `side` is 0 outside, 1 inside, 3 partly: of a triangle that meets another one. `winding` is that of what is in front.
	 */
	findSelfInside(body: Body): { vertices: OwnSides; triangles: OwnSides };
	/**
	 * What each ray hits first. Exact: nothing slips between triangles.
	 * @param rays six numbers each: from x, y, z, to x, y, z
	 * @param options.any any hit will do, which is faster
	 * @returns arrays with one entry per ray; `triangle` is 4294967295 and `t` is 2 for a miss
	 */
	castRays(body: Body, rays: ArrayLike<number>, options?: QueryOptions & { any?: boolean }): Hits;
	/** Everything that one ray hits, nearest first. */
	findHits(body: Body, ray: ArrayLike<number>, options?: QueryOptions): Hits;
	/** Where a body is nearest to each point. `distance` is Infinity where there is nothing within maxDistance. */
	findClosest(body: Body, points: ArrayLike<number>, options?: QueryOptions & { maxDistance?: number }): Closest;
	/** Which vertices of a body, open or closed, are inside a closed one, and how deep; Infinity if deeper than maxDistance. */
	findVertexDepths(body: Body, outer: Body, options?: QueryOptions & { maxDistance?: number }): VertexDepths;
	/** How far two bodies are apart, between which triangles, and where; Infinity if farther than maxDistance. */
	findDistance(a: Body, b: Body, options?: QueryOptions & { maxDistance?: number }): Distance;
	/**
	 * When two bodies first meet, each on its way from one pose to another: at the end a body of the same model, or null
	 * if it rests. Every vertex goes straight, at an even pace. Nothing meets before `time`: that is proved.
	 * @param options.tolerance a near miss within this distance may be taken for a contact; default 2^-20 of the extent
	 * @param options.margin what is within this distance counts as meeting
	 * @param options.maxTime look no farther than this part of the step
	 * @param options.maxSteps stop after about so many pairs of nodes and of triangles
	 * @param options.newOnly leave out pairs of triangles that meet at the start
	 * @param options.turning frames turn about one axis at an even pace, and vertices go straight in them; for small turns
	 */
	sweep(startA: Body, endA: Body | null, startB: Body, endB?: Body | null, options?: QueryOptions & SweepOptions): Sweep;
	/** The same, and all pairs of features that meet on the way, by time. */
	sweepAll(startA: Body, endA: Body | null, startB: Body, endB?: Body | null, options?: QueryOptions & SweepOptions): Sweep & SweepContacts;
	/** How far a pose half-way is from the straight way between two others, at most: a sample, and no proof. */
	findSagitta(start: Body, middle: Body, end: Body, options?: QueryOptions): number;
	/** All pairs of triangles at most `margin` apart. */
	collideWithin(a: Body, b: Body, margin: number, options?: QueryOptions): Uint32Array;
	/** All pairs of triangles of one body that meet beyond the corners they share; without keepRest not those at rest. */
	collideSelf(body: Body, options?: { keepRest?: boolean }): Uint32Array;
	/** All pairs of triangles of one body at most `margin` apart that are farther apart than `restDistance` at rest. */
	collideSelfWithin(body: Body, margin: number, restDistance: number, options?: QueryOptions): Uint32Array;
	/** Whether collideSelf would find a pair: stops at the first. */
	touchesSelf(body: Body, options?: { keepRest?: boolean }): boolean;
	/**
	 * Memory that many bodies share for what they remember between queries. Without one each body has room for all of
	 * itself. One that is too small costs time, never correctness; a few hundred kilobytes for each two that touch do.
	 */
	createPool(bytes: number): Pool;
	/** Many bodies, and which of them touch. */
	createScene(options?: QueryOptions): Scene;
	/** What the last query, or update of a scene, cost, attempts with too little room included. */
	readonly counters: Counters;
}

export interface Hits {
	/** The place is from + t (to - from). */
	t: Float64Array;
	triangle: Uint32Array;
	/** Of the triangle's corners, three each. */
	weights: Float64Array;
	/** x, y, z each. */
	position: Float32Array;
	normal: Float32Array;
}

export interface SceneHits extends Hits {
	/** Whose triangle it is; null for a miss. */
	body: (Body | null)[];
}

export interface Closest {
	distance: Float64Array;
	triangle: Uint32Array;
	position: Float32Array;
	normal: Float32Array;
}

export interface VertexDepths {
	vertex: Uint32Array;
	depth: Float64Array;
	triangle: Uint32Array;
	position: Float32Array;
	normal: Float32Array;
}

export interface Distance {
	distance: number;
	a: number;
	b: number;
	pointA: Float32Array;
	pointB: Float32Array;
}

export interface SweepOptions {
	tolerance?: number;
	margin?: number;
	maxTime?: number;
	maxSteps?: number;
	newOnly?: boolean;
	turning?: boolean;
}

export interface SweepContacts {
	/** One for each pair of features. A feature is three numbers: 0, vertex, 0; 1, vertex, vertex; 2, triangle, 0. */
	contacts: {
		time: Float64Array; latest: Float64Array; isCertain: Uint8Array; featureA: Uint32Array; featureB: Uint32Array;
		a: Uint32Array; b: Uint32Array; position: Float32Array; normal: Float32Array;
	};
	/** false with maxSteps only: there may be others, no earlier than the last. */
	isComplete: boolean;
}

/** A vertex or a triangle by its number, or an edge by those of its vertices. */
export interface Feature {
	kind: 'vertex' | 'edge' | 'triangle';
	numbers: number[];
}

export interface Sweep {
	/** Take 'unsure' for a contact at `time`: they come within the tolerance and may just miss, or the search was cut. */
	answer: 'free' | 'meets' | 'unsure';
	/** From 0 to 1: nothing meets before. */
	time: number;
	/** If they meet: not after this. */
	latest: number;
	/** How far both ways together may be from straight ones; 0 unless frames turn. */
	stray: number;
	/** The triangles that meet, what of them, where, and the normal from b to a; not there if the way is free. */
	a?: number;
	b?: number;
	featureA?: Feature;
	featureB?: Feature;
	position?: Float32Array;
	normal?: Float32Array;
}

export interface Contacts {
	/** Triangle of a, triangle of b of each contact. */
	pairs: Uint32Array;
	/** Unit normals of those, x, y, z each. */
	normalA: Float32Array;
	normalB: Float32Array;
	/** x, y, z of each point. */
	positions: Float32Array;
	/** What each pair has in common, by numbers of points, and the number of its curve. */
	contacts: { kind: 'segment' | 'point' | 'polygon' | 'flat'; points: Uint32Array; curve: number | null }[];
	/** Segments joined end to end. On closed surfaces the sum of `area` over all curves points out of a, into b. */
	curves: { points: Uint32Array; isClosed: boolean; length: number; centroid: Float64Array; area: Float64Array }[];
}

export interface OwnSides {
	side: Uint32Array;
	winding: Int32Array;
}

interface Disposable {
	/** Free its memory now; again is fine. What is forgotten instead is freed some time later. */
	dispose(): void;
	readonly isDisposed: boolean;
}

/** A mesh, how it deforms, and a bounding tree over it. It never changes; bodies share it. */
export class Model implements Disposable {
	private constructor();
	readonly vertexCount: number;
	readonly triangleCount: number;
	readonly deformer: Deformer;
	/** Of a skin. */
	readonly blending?: Blending;
	readonly jointCount: number;
	readonly fieldCount: number;
	readonly influenceCount: number;
	readonly maxInfluences: number;
	readonly displacementCount: number;
	readonly nodeCount: number;
	readonly bytes: number;
	/** What was repaired or looked wrong, as sentences. */
	readonly warnings: string[];
	/** Every strategy gives the same pairs; 'bottomUp' deforms everything before a query. */
	createBody(options?: { strategy?: 'auto' | 'onDemand' | 'front' | 'bottomUp'; pool?: Pool }): Body;
	/** Its bytes, for loadModel. */
	save(): Uint8Array;
	getPositions(): Float32Array;
	getTriangles(): Uint32Array;
	/** As they are used: divided by their sum, none zero. */
	getWeights(): { starts: Uint32Array; joints: Uint16Array; weights: Float32Array };
	getFields(): { count: number; starts: Uint32Array; fields: Uint16Array; displacements: Float32Array };
	/** Bodies that are left keep what they need. */
	dispose(): void;
	readonly isDisposed: boolean;
}

/** A model in a pose. Setting a pose copies it and computes a few numbers per joint, none per vertex. */
export class Pool implements Disposable {
	/** Bodies that are left keep it. */
	dispose(): void;
	readonly isDisposed: boolean;
}

export class Body implements Disposable {
	private constructor();
	readonly model: Model;
	readonly memoryBytes: number;
	/** Move it as a whole. @param rotation quaternion x, y, z, w */
	setFrame(position: ArrayLike<number>, rotation?: ArrayLike<number>): this;
	/** 16 numbers per joint, columns first, as in glTF and WebGL: world matrix times inverse bind matrix. */
	setJoints(matrices: ArrayLike<number>): this;
	/** How much of each displacement field is added. */
	setAmplitudes(amplitudes: ArrayLike<number>): this;
	/** Of a 'free' body: x, y, z of vertex `first`, and so on. */
	setVertices(positions: ArrayLike<number>, first?: number): this;
	/** Posed positions of all vertices: exactly those that queries look at. */
	getVertices(origin?: ArrayLike<number>): Float32Array;
	/** A box and a ball that contain them. */
	getBounds(origin?: ArrayLike<number>): { lower: Float32Array; upper: Float32Array; center: Float32Array; radius: number };
	dispose(): void;
	readonly isDisposed: boolean;
}

/** Something simple among bodies, relative to the scene's origin. Change it and call setShape to move it. */
export type Shape =
	| { kind: 'sphere'; center: ArrayLike<number>; radius: number }
	| { kind: 'capsule'; start: ArrayLike<number>; end: ArrayLike<number>; radius: number }
	/** normal . x + offset = 0, or <= 0. */
	| { kind: 'plane' | 'halfSpace'; normal: ArrayLike<number>; offset: number };

/** Two that touch, or one body that meets itself. What you set as note is there again after each update, and at the event that ends it. */
export interface ScenePair {
	a: Body | Shape;
	b: Body | Shape;
	note?: unknown;
}

/** Bodies that come and go. Those that stay as they are cost nearly nothing. */
export class Scene implements Disposable {
	private constructor();
	readonly bodies: Body[];
	/** Bodies a and b are looked at if (a.groups & b.mask) and (b.groups & a.mask) are not zero, and not both static. */
	add(body: Body | Shape, options?: { isStatic?: boolean; groups?: number; mask?: number;
		/** Whose part it is: anything; parts of one owner do not meet each other. */
		owner?: unknown;
		/** Updates also find what collideSelf finds: a pair of the body with itself. */
		meetsItself?: boolean;
		/** A body of this scene, which goes: pairs that still touch persist. */
		replaces?: Body | null }): this;
	/** Tell the scene that a shape is another one now. */
	setShape(shape: Shape): this;
	remove(body: Body | Shape): this;
	/**
	 * What each ray hits first among all bodies, as they are now: no update is needed. Rays are relative to the scene's origin.
	 * @param options.mask bodies in one of these groups; default all
	 */
	castRays(rays: ArrayLike<number>, options?: { any?: boolean; mask?: number }): SceneHits;
	/** Everything that one ray hits, nearest first. */
	findHits(ray: ArrayLike<number>, options?: { mask?: number }): SceneHits;
	/**
	 * When bodies first meet on their way from how they are now to another pose each, and which. Shapes are not looked at.
	 * @param ends for each body that moves another one of its model, in no scene, at the end of the step; others rest
	 */
	sweep(ends: Iterable<readonly [Body, Body | null]>, options?: SweepOptions): Sweep & { bodyA?: Body; bodyB?: Body };
	/** Find what touches now, and what began and ended since the last update. */
	update(options?: { trianglePairs?: boolean; contacts?: boolean }): { moved: number; candidates: number; queries: number; kept: number };
	/** In `pairs` 0xffffffff stands for the triangle of a shape; `contacts` are those of two bodies. */
	readonly pairs: (ScenePair & { pairs?: Uint32Array; contacts?: Contacts })[];
	readonly events: { begun: ScenePair[]; persisting: ScenePair[]; ended: ScenePair[] };
	dispose(): void;
	readonly isDisposed: boolean;
}
