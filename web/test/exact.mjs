// Do two closed triangles share a point? In rational arithmetic, with nothing in common with the library's test: they do
// if and only if an edge of one meets the other triangle, or two coplanar triangles overlap, which edges also decide,
// or one contains a corner of the other.
//
// Coordinates are floats, so multiples of a power of two: scaled by 2^40 those of these tests are integers, and every
// sign below is exact.
const scale = 2 ** 40;

function toIntegers(p) {
	return p.map((x) => {
		const scaled = x * scale;
		if (!Number.isInteger(scaled) || Math.abs(scaled) > 2 ** 1000) throw new Error(`${x} is no multiple of 2^-40`);
		return BigInt(scaled);
	});
}

const minus = (a, b) => a.map((x, k) => x - b[k]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const isZero = (a) => a.every((x) => x === 0n);
const sign = (x) => (x > 0n ? 1 : x < 0n ? -1 : 0);

// Points a + t (b - a) with 0 <= t <= 1, as the convex combinations that they are.
function pointOnSegment(p, a, b) {
	const ab = minus(b, a), ap = minus(p, a);
	if (!isZero(cross(ab, ap))) return false;
	const t = dot(ap, ab);
	return isZero(ab) ? isZero(ap) : t >= 0n && t <= dot(ab, ab);
}

// In a plane: do two segments share a point? With signs of areas seen along the normal.
function coplanarSegmentsMeet(a, b, c, d, normal) {
	const side = (p, q, r) => sign(dot(cross(minus(q, p), minus(r, p)), normal));
	if (pointOnSegment(a, c, d) || pointOnSegment(b, c, d) || pointOnSegment(c, a, b) || pointOnSegment(d, a, b)) return true;
	return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

function pointInTriangle(p, [a, b, c], normal) {
	const sides = [[a, b], [b, c], [c, a]].map(([q, r]) => sign(dot(cross(minus(r, q), minus(p, q)), normal)));
	return sides.every((s) => s >= 0);
}

function segmentMeetsTriangle(p, q, triangle) {
	const [a, b, c] = triangle, normal = cross(minus(b, a), minus(c, a));
	const edges = [[a, b], [b, c], [c, a]];
	if (isZero(normal)) return edges.some(([r, s]) => segmentsMeet(p, q, r, s));
	const dp = dot(minus(p, a), normal), dq = dot(minus(q, a), normal);
	if (dp === 0n && dq === 0n) {
		return pointInTriangle(p, triangle, normal) || edges.some(([r, s]) => coplanarSegmentsMeet(p, q, r, s, normal));
	}
	if (sign(dp) * sign(dq) > 0) return false;
	// Where it crosses the plane: p + (q - p) dp / (dp - dq), times dp - dq, whose sign must not turn the sides round.
	const w = dp - dq, positive = w > 0n ? 1n : -1n, at = p.map((x, k) => (x * w + (q[k] - x) * dp) * positive);
	const weight = w * positive;
	return edges.every(([r, s]) => dot(cross(minus(s, r), at.map((x, k) => x - r[k] * weight)), normal) >= 0n);
}

// In space, for triangles that are segments or points.
function segmentsMeet(p, q, r, s) {
	const d = minus(q, p), e = minus(s, r), normal = cross(d, e);
	if (isZero(normal)) {
		return pointOnSegment(p, r, s) || pointOnSegment(q, r, s) || pointOnSegment(r, p, q) || pointOnSegment(s, p, q);
	}
	return dot(minus(r, p), normal) === 0n && coplanarSegmentsMeet(p, q, r, s, normal);
}

export function trianglesMeet(first, second) {
	const far = [0, 1, 2].some((k) => Math.max(...first.map((p) => p[k])) < Math.min(...second.map((p) => p[k])) ||
		Math.max(...second.map((p) => p[k])) < Math.min(...first.map((p) => p[k])));
	if (far) return false;
	const a = first.map(toIntegers), b = second.map(toIntegers);
	return [0, 1, 2].some((k) => segmentMeetsTriangle(a[k], a[(k + 1) % 3], b) || segmentMeetsTriangle(b[k], b[(k + 1) % 3], a));
}
