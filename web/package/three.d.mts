import type { Intersection, LineSegments, Material, Mesh, Object3D, Raycaster, Vector3 } from 'three';
import type { Body, Contacts, Model, Pool, Snug } from './snug.mjs';

export interface BodyOptions {
	/** Every choice gives the same pairs; 'bottomUp' deforms everything before a query. */
	strategy?: 'auto' | 'onDemand' | 'front' | 'bottomUp';
	/** Memory that it shares with others: for crowds. */
	pool?: Pool;
}

/** One mesh of a body. */
export interface Part {
	readonly mesh: Mesh;
	readonly firstVertex: number;
	readonly vertexCount: number;
	readonly firstTriangle: number;
	readonly triangleCount: number;
}

/** A body that follows three.js objects. Positions are in the world. */
export interface MeshBody extends Body {
	readonly parts: readonly Part[];
	/** Joint matrices of the last update, 16 numbers each, for other bodies of this model. fromMesh only. */
	readonly matrices?: Float32Array;
	/** Morph influences of the last update, likewise. */
	readonly influences?: Float32Array;
	/**
	 * Read bones, world matrices and morph influences; call it when something has moved.
	 * @param options.matricesAreCurrent skip bringing world matrices up to date: you, or the renderer, just did
	 */
	update(options?: { matricesAreCurrent?: boolean }): this;
	/** Which mesh a triangle of the body belongs to, and its number there. */
	locate(triangle: number): { mesh: Mesh; triangle: number } | undefined;
}

/**
 * A body of a Mesh or SkinnedMesh, with or without morph targets, or of all meshes below an object or in a list, as one.
 * Bodies of the same geometries share a model, which is freed with the last of them.
 */
export function fromMesh(snug: Snug, object: Object3D | Object3D[], options?: BodyOptions): MeshBody;

/**
 * A body and a mesh of a model file (`snug modes`, `snug reduce`, `snug pack`): fields become morph targets on the GPU.
 * Set `body.parts[0].mesh.morphTargetInfluences`, move the mesh, then update().
 */
export function fromModel(model: Model, options?: BodyOptions & { material?: Material }): MeshBody;

/** Triangles of a body, drawn over it. They share its vertices and skeleton: the GPU poses them. */
export class ContactHighlight {
	constructor(body: MeshBody, options?: { color?: number | string; opacity?: number; material?: Material });
	readonly material: Material;
	/** What is drawn, children of the body's meshes. */
	readonly objects: Mesh[];
	/**
	 * @param side 0: the first triangle of each pair, 1: the second
	 * @returns how many triangles are shown
	 */
	show(pairs: Uint32Array, side: 0 | 1): number;
	dispose(): void;
}

/** Where surfaces cross, as lines. Add `object` to the scene. */
export class ContactLines {
	constructor(options?: { color?: number | string; material?: Material });
	readonly material: Material;
	readonly object: LineSegments;
	/** @returns how many segments are shown */
	show(contacts: Contacts): number;
	dispose(): void;
}

/**
 * What a Raycaster hits of a body in its pose, nearest first; its near and far and the materials' sides count.
 * Only vertices near the ray are evaluated. `normal` is in the world; there are no texture coordinates.
 */
export function raycast(snug: Snug, body: MeshBody, raycaster: Raycaster): (Intersection & { normal: Vector3 })[];

/** Let `raycaster.intersectObject` find a body's meshes this way: it replaces their `raycast`. */
export function answerRaycaster(snug: Snug, body: MeshBody): void;
