// src/tree/leaf_kernels.c: see leaf_kernels.h. Compiled once per instruction set.
#include "tree/leaf_kernels.h"

#include "geometry/box_lanes.h"
#include "geometry/margins.h"
#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

// One leaf's box: a vertex is one load of four floats, the last of which belongs to its neighbour. Two vertices at a
// time, since every minimum waits for the one before.
static inline void BoundLeaf(const float* positions, const uint32_t* vertices, uint32_t count, f4* lower, f4* upper)
{
	f4 first = f4_Load(positions + 3 * (size_t)vertices[0]);
	f4 lower0 = first, upper0 = first, lower1 = first, upper1 = first;
	for (uint32_t i = 1; i + 1 < count; i += 2)
	{
		f4 p = f4_Load(positions + 3 * (size_t)vertices[i]), q = f4_Load(positions + 3 * (size_t)vertices[i + 1]);
		lower0 = f4_Min(lower0, p);
		upper0 = f4_Max(upper0, p);
		lower1 = f4_Min(lower1, q);
		upper1 = f4_Max(upper1, q);
	}
	if (count % 2 == 0)
	{
		f4 p = f4_Load(positions + 3 * (size_t)vertices[count - 1]);
		lower0 = f4_Min(lower0, p);
		upper0 = f4_Max(upper0, p);
	}
	*lower = f4_Min(lower0, lower1);
	*upper = f4_Max(upper0, upper1);
}

// Four corners of boxes, each in a vector of its own, to four lanes.
static inline void StoreCorners(f4 corners[4], float out[3][SG_LANES], uint32_t lane)
{
	f4_Transpose(corners);
	for (int axis = 0; axis < 3; ++axis)
	{
		f4_Store(out[axis] + lane, corners[axis]);
	}
}

static void BoundLeaves(const float* positions, const uint32_t* leafVertices, const sgLeaf* leaves, uint32_t count,
    sgBoxLanes* out, uint32_t lane)
{
	uint32_t i = 0;
	for (; i + 4 <= count; i += 4)
	{
		f4 lower[4], upper[4];
		for (uint32_t k = 0; k < 4; ++k)
		{
			const sgLeaf* leaf = leaves + i + k;
			BoundLeaf(positions, leafVertices + leaf->firstVertex, leaf->vertexCount, lower + k, upper + k);
		}
		StoreCorners(lower, out->lower, lane + i);
		StoreCorners(upper, out->upper, lane + i);
	}
	for (; i < count; ++i)
	{
		f4 lower, upper;
		float l[4], u[4];
		if (leaves[i].vertexCount == 0) // the only leaf of a model without triangles
		{
			sgBox empty = sgBox_Empty();
			sgBoxLanes_Set(out, lane + i, &empty);
			continue;
		}
		BoundLeaf(positions, leafVertices + leaves[i].firstVertex, leaves[i].vertexCount, &lower, &upper);
		f4_Store(l, lower);
		f4_Store(u, upper);
		sgBoxLanes_Set(out, lane + i, &(sgBox){ { l[0], l[1], l[2] }, { u[0], u[1], u[2] } });
	}
}

// Four vertices at a time, up to a whole number of eights: lanes past the end repeat the first vertex. What follows in
// `vertices` may belong to another cluster, whose numbers lead nowhere here.
static void GatherVertices(const float* positions, const uint32_t* vertices, uint32_t count, sgVertexBlock* out)
{
	for (uint32_t i = 0; i < count; i += SG_LANES)
	{
		for (uint32_t j = i; j < i + SG_LANES; j += 4)
		{
			f4 points[4];
			for (uint32_t k = 0; k < 4; ++k)
			{
				points[k] = f4_Load(positions + 3 * (size_t)vertices[j + k < count ? j + k : 0]);
			}
			f4_Transpose(points);
			for (int axis = 0; axis < 3; ++axis)
			{
				f4_Store(out->coordinate[axis] + j, points[axis]);
			}
		}
	}
}

// Eight points where a body's frame puts them: the formula of frame.h.
static inline void PlacePoints(const sgPlacement* placement, f8 point[3])
{
	d8 x = d8_FromFloat(point[0]), y = d8_FromFloat(point[1]), z = d8_FromFloat(point[2]);
	for (int k = 0; k < 3; ++k)
	{
		const double* row = placement->rotation[k];
		d8 sum = d8_Add(d8_Mul(d8_Set(row[0]), x), d8_Mul(d8_Set(row[1]), y));
		sum = d8_Add(sum, d8_Mul(d8_Set(row[2]), z));
		point[k] = d8_ToFloat(d8_Add(sum, d8_Set(placement->translation[k])));
	}
}

static void PlaceVertices(sgVertexBlock* block, uint32_t count, const sgPlacement* placement)
{
	for (uint32_t i = 0; i < count && !placement->isIdentity; i += SG_LANES)
	{
		f8 point[3];
		for (int axis = 0; axis < 3; ++axis)
		{
			point[axis] = f8_Load(block->coordinate[axis] + i);
		}
		PlacePoints(placement, point);
		for (int axis = 0; axis < 3; ++axis)
		{
			f8_Store(block->coordinate[axis] + i, point[axis]);
		}
	}
}

// One corner of eight triangles: a vertex is one load of four floats, the last of which belongs to its neighbour.
static inline void LoadCorners(
    const float* positions, const uint32_t* vertices, const uint8_t numbers[SG_LANES], f8 corner[3])
{
	f4 low[4], high[4];
	for (int t = 0; t < 4; ++t)
	{
		low[t] = f4_Load(positions + 3 * (size_t)vertices[numbers[t]]);
		high[t] = f4_Load(positions + 3 * (size_t)vertices[numbers[4 + t]]);
	}
	f4_Transpose(low);
	f4_Transpose(high);
	for (int axis = 0; axis < 3; ++axis)
	{
		corner[axis] = f8_FromHalves(low[axis], high[axis]);
	}
}

// The box around eight boxes.
static inline sgBox AroundBoxes(const f8 lower[3], const f8 upper[3])
{
	f4 least[4], most[4];
	for (int axis = 0; axis < 3; ++axis)
	{
		least[axis] = f4_Min(f8_Low(lower[axis]), f8_High(lower[axis]));
		most[axis] = f4_Max(f8_Low(upper[axis]), f8_High(upper[axis]));
	}
	least[3] = least[2];
	most[3] = most[2];
	f4_Transpose(least);
	f4_Transpose(most);
	float l[4], u[4];
	f4_Store(l, f4_Min(f4_Min(least[0], least[1]), f4_Min(least[2], least[3])));
	f4_Store(u, f4_Max(f4_Max(most[0], most[1]), f4_Max(most[2], most[3])));
	return (sgBox){ { l[0], l[1], l[2] }, { u[0], u[1], u[2] } };
}

// Corners are placed where they are needed: a vertex that several triangles share is placed for each, in lanes that
// would be idle otherwise or nearly so, and nothing goes through memory on the way.
static void PlaceTriangles(const float* positions, const uint32_t* vertices, const sgLeaf* leaf,
    const sgPlacement* placement, sgTriangleLanes* out)
{
	f8 corner[3][3], lower[3], upper[3], u[3], v[3];
	for (int c = 0; c < 3; ++c)
	{
		LoadCorners(positions, vertices, leaf->corners[c], corner[c]);
		if (!placement->isIdentity)
		{
			PlacePoints(placement, corner[c]);
		}
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 p = corner[0][axis], q = corner[1][axis], r = corner[2][axis];
		f8_Store(out->corner[0][axis], p);
		f8_Store(out->corner[1][axis], q);
		f8_Store(out->corner[2][axis], r);
		lower[axis] = f8_Min(p, f8_Min(q, r));
		upper[axis] = f8_Max(p, f8_Max(q, r));
		f8_Store(out->boxes.lower[axis], lower[axis]);
		f8_Store(out->boxes.upper[axis], upper[axis]);
		u[axis] = f8_Sub(q, p);
		v[axis] = f8_Sub(r, p);
	}
	f8_Store(out->normal[0], f8_Sub(f8_Mul(u[1], v[2]), f8_Mul(u[2], v[1])));
	f8_Store(out->normal[1], f8_Sub(f8_Mul(u[2], v[0]), f8_Mul(u[0], v[2])));
	f8_Store(out->normal[2], f8_Sub(f8_Mul(u[0], v[1]), f8_Mul(u[1], v[0])));
	out->box = AroundBoxes(lower, upper);
	out->mask = (1u << leaf->triangleCount) - 1u;
	out->leaf = leaf;
}

// Bound on the error of the plane distances below, for corners within the two boxes.
//
// n . (p - q0) with n = (q1 - q0) x (q2 - q0) is the determinant of three differences, evaluated in float32:
// differences and products and sums each round once, so by Shewchuk's analysis of this very form its error is at most
// (7 + 56 u) u P, u = 2^-24, where P, the permanent of the absolute rounded differences, is at most
// 6 X Y Z (1 + u)^3 with X, Y, Z the extents of the box around both. 48 u X Y Z covers that and the rounding of this
// product. Underflow adds at most 2^-150 per product, times a difference for the inner ones: far below
// 2^-126 (1 + X + Y + Z). Extents above 2^40 might overflow (or give NaN) in between: there the bound is infinite,
// which decides nothing and leaves all to the exact test.
static inline float PlaneError(const sgBox* a, const sgBox* b)
{
	float extent[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		float lower = a->lower[axis] < b->lower[axis] ? a->lower[axis] : b->lower[axis];
		float upper = a->upper[axis] > b->upper[axis] ? a->upper[axis] : b->upper[axis];
		extent[axis] = upper - lower;
	}
	float sum = extent[0] + extent[1] + extent[2];
	if (!(sum <= 0x1p40f))
	{
		return INFINITY;
	}
	return SG_MARGIN_DETERMINANT * 0x1p-24f * (extent[0] * extent[1] * extent[2]) + 0x1p-126f * (1.0f + sum);
}

static inline f8 Dot(const f8 n[3], f8 x, f8 y, f8 z)
{
	return f8_Add(f8_Add(f8_Mul(n[0], x), f8_Mul(n[1], y)), f8_Mul(n[2], z));
}

// Lanes whose three distances are certainly of one strict sign.
static inline uint32_t OneSided(f8 d0, f8 d1, f8 d2, f8 error, f8 minusError)
{
	f8 least = f8_Min(d0, f8_Min(d1, d2)), most = f8_Max(d0, f8_Max(d1, d2));
	return m8_Bits(m8_Or(f8_Less(error, least), f8_Less(most, minusError)));
}

// Triangles of `a` that triangle j of `b` has strictly on one side of its plane, or that have it so.
static inline uint32_t Separated(
    const f8 corner[3][3], const f8 normal[3], const sgTriangleLanes* b, uint32_t j, f8 error)
{
	f8 minusError = f8_Sub(f8_Set(0.0f), error);
	f8 d[3], q[3], n[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		q[axis] = f8_Set(b->corner[0][axis][j]);
		n[axis] = f8_Set(b->normal[axis][j]);
	}
	for (int c = 0; c < 3; ++c)
	{
		d[c] = Dot(n, f8_Sub(corner[c][0], q[0]), f8_Sub(corner[c][1], q[1]), f8_Sub(corner[c][2], q[2]));
	}
	uint32_t separated = OneSided(d[0], d[1], d[2], error, minusError);
	for (int c = 0; c < 3; ++c)
	{
		f8 x = f8_Sub(f8_Set(b->corner[c][0][j]), corner[0][0]);
		f8 y = f8_Sub(f8_Set(b->corner[c][1][j]), corner[0][1]);
		f8 z = f8_Sub(f8_Set(b->corner[c][2][j]), corner[0][2]);
		d[c] = Dot(normal, x, y, z);
	}
	return separated | OneSided(d[0], d[1], d[2], error, minusError);
}

static inline void LoadTriangles(const sgTriangleLanes* a, f8 corner[3][3], f8 normal[3])
{
	for (int axis = 0; axis < 3; ++axis)
	{
		normal[axis] = f8_Load(a->normal[axis]);
		for (int c = 0; c < 3; ++c)
		{
			corner[c][axis] = f8_Load(a->corner[c][axis]);
		}
	}
}

// ---- All pairs of leaves of a step ---------------------------------------------------------------------------------

// On average two pairs of leaves leave two rows of boxes and one of planes to look at, and no branch predictor knows
// how many it will be: leaving a loop costs more than its body. So each stage is one loop over all pairs of leaves,
// which writes a list for the next stage without a branch.

/// A triangle of A against the eight of a leaf of B.
typedef struct Row
{
	uint16_t code; ///< lanes of both leaves and the triangle, three bits each
	uint16_t near; ///< triangles of the leaf of B
} Row;

/// Bits of four that are set, from the lowest, and how many they are.
static const uint16_t bitsOf[16][4] = { { 0 }, { 0 }, { 1 }, { 0, 1 }, { 2 }, { 0, 2 }, { 1, 2 }, { 0, 1, 2 }, { 3 },
	{ 0, 3 }, { 1, 3 }, { 0, 1, 3 }, { 2, 3 }, { 0, 2, 3 }, { 1, 2, 3 }, { 0, 1, 2, 3 } };
static const uint8_t bitCounts[16] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4 };

// Append code + bit for each bit of eight. Writes up to four entries more than it counts.
static inline uint32_t AppendBits(uint16_t* list, uint32_t count, uint32_t mask, uint32_t code)
{
	const uint64_t ones = 0x0001000100010001u, codes = code * ones; // four numbers of 16 bits; no sum carries
	uint64_t four;
	memcpy(&four, bitsOf[mask & 15], sizeof(four));
	four += codes;
	memcpy(list + count, &four, sizeof(four));
	count += bitCounts[mask & 15];
	memcpy(&four, bitsOf[mask >> 4], sizeof(four));
	four += codes + 4 * ones;
	memcpy(list + count, &four, sizeof(four));
	return count + bitCounts[mask >> 4];
}

/// Room for what AppendBits writes beyond the end.
#define SPARE 4

/// What is known of two leaves before their triangles are compared.
typedef struct LeafPairs
{
	uint16_t rows[SG_LANES * SG_LANES * SG_LANES + SPARE]; ///< triangles of A near the box of a leaf of B
	float errors[SG_LANES * SG_LANES];                     ///< of distances from planes
	uint8_t near[SG_LANES * SG_LANES];                     ///< triangles of B near the box of the leaf of A
} LeafPairs;

static inline uint32_t FindRows(const sgTriangleLanes* a, const sgTriangleLanes* b, uint64_t leafPairs, LeafPairs* out)
{
	uint32_t count = 0;
	for (; leafPairs != 0; leafPairs &= leafPairs - 1)
	{
		const uint32_t pair = sgLowestBit(leafPairs);
		const sgTriangleLanes *leafA = a + pair / SG_LANES, *leafB = b + pair % SG_LANES;
		f8 lower[3], upper[3];
		sgLanes_LoadBoxes(&leafA->boxes, lower, upper);
		const uint32_t nearA = sgLanes_OverlapOne(lower, upper, leafB->box.lower, leafB->box.upper) & leafA->mask;
		sgLanes_LoadBoxes(&leafB->boxes, lower, upper);
		const uint32_t nearB = sgLanes_OverlapOne(lower, upper, leafA->box.lower, leafA->box.upper) & leafB->mask;
		out->near[pair] = (uint8_t)nearB;
		out->errors[pair] = PlaneError(&leafA->box, &leafB->box);
		count = AppendBits(out->rows, count, nearB != 0 ? nearA : 0, pair * SG_LANES);
	}
	return count;
}

static inline uint32_t CompareBoxes(const sgTriangleLanes* a, const sgTriangleLanes* b, const LeafPairs* pairs,
    uint32_t rowCount, Row* out, uint64_t* tests)
{
	uint32_t count = 0;
	for (uint32_t r = 0; r < rowCount; ++r)
	{
		const uint32_t code = pairs->rows[r], pair = code / SG_LANES;
		f8 lower[3], upper[3];
		sgLanes_LoadBoxes(&b[pair % SG_LANES].boxes, lower, upper);
		const sgBox one = sgBoxLanes_Get(&a[pair / SG_LANES].boxes, code % SG_LANES);
		const uint32_t near = sgLanes_OverlapOne(lower, upper, one.lower, one.upper) & pairs->near[pair];
		out[count] = (Row){ (uint16_t)code, (uint16_t)near };
		count += near != 0;
		*tests += sgCountBits(near);
	}
	return count;
}

static uint32_t FilterLeaves(
    const sgTriangleLanes* a, const sgTriangleLanes* b, uint64_t leafPairs, uint64_t* tests, uint16_t* candidates)
{
	LeafPairs pairs;
	Row rows[SG_LANES * SG_LANES * SG_LANES + 1];
	const uint32_t rowCount = CompareBoxes(a, b, &pairs, FindRows(a, b, leafPairs, &pairs), rows, tests);
	uint32_t count = 0;
	for (uint32_t r = 0; r < rowCount; ++r)
	{
		const uint32_t code = rows[r].code, pair = code / SG_LANES;
		f8 corner[3][3], normal[3];
		LoadTriangles(b + pair % SG_LANES, corner, normal);
		const uint32_t separated =
		    Separated((const f8(*)[3])corner, normal, a + pair / SG_LANES, code % SG_LANES, f8_Set(pairs.errors[pair]));
		count = AppendBits(candidates, count, rows[r].near & ~separated, code * SG_LANES);
	}
	return count;
}

// ---- Neighbours ----------------------------------------------------------------------------------------------------

typedef uint32_t Numbers __attribute__((vector_size(32)));
typedef uint16_t ShortNumbers __attribute__((vector_size(16)));

/// Corners that the triangles of a pair share: infinity, else zero.
typedef struct SharedLanes
{
	Numbers ofA[3], ofB[3];
} SharedLanes;

static inline SharedLanes FindShared(const Numbers a[3], const Numbers b[3])
{
	const Numbers infinity = { 0x7f800000, 0x7f800000, 0x7f800000, 0x7f800000, 0x7f800000, 0x7f800000, 0x7f800000,
		0x7f800000 };
	SharedLanes shared = { 0 };
	for (int c = 0; c < 3; ++c)
	{
		for (int d = 0; d < 3; ++d)
		{
			const Numbers isSame = (Numbers)(a[c] == b[d]) & infinity;
			shared.ofA[c] |= isSame;
			shared.ofB[d] |= isSame;
		}
	}
	return shared;
}

static inline f8 AsFloats(const Numbers* numbers)
{
	float SG_ALIGN(32) floats[SG_LANES];
	memcpy(floats, numbers, sizeof(floats));
	return f8_Load(floats);
}

// Lanes in which all corners that are not shared are certainly on one strict side.
static inline uint32_t UnsharedOneSided(const f8 d[3], const Numbers shared[3], f8 error, f8 minusError)
{
	const f8 first = AsFloats(shared);
	f8 least = f8_Add(d[0], first), most = f8_Sub(d[0], first);
	for (int c = 1; c < 3; ++c)
	{
		f8 away = AsFloats(shared + c);
		least = f8_Min(f8_Add(d[c], away), least);
		most = f8_Max(f8_Sub(d[c], away), most);
	}
	return m8_Bits(m8_Or(f8_Less(error, least), f8_Less(most, minusError)));
}

/// Triangles of a leaf, one for each of eight pairs.
typedef struct Picked
{
	const sgTriangleLanes* triangles;
	const sgCornerLanes* corners;
	uint32_t SG_ALIGN(32) lanes[SG_LANES];
} Picked;

static inline Picked Pick(const sgTriangleLanes* triangles, const sgCornerLanes* corners, const Numbers* lanes)
{
	Picked picked = { triangles, corners, { 0 } };
	memcpy(picked.lanes, lanes, sizeof(picked.lanes));
	return picked;
}

static inline void PickVertices(const Picked* from, Numbers vertex[3])
{
	for (int c = 0; c < 3; ++c)
	{
		const f8 numbers = f8_Pick(from->corners->vertex[c], from->lanes);
		memcpy(vertex + c, &numbers, sizeof(vertex[c]));
	}
}

static inline void PickPoint(const Picked* from, const float point[3][SG_LANES], f8 out[3])
{
	out[0] = f8_Pick(point[0], from->lanes);
	out[1] = f8_Pick(point[1], from->lanes);
	out[2] = f8_Pick(point[2], from->lanes);
}

static inline f8 CornerHeight(const Picked* from, int corner, const f8 n[3], const f8 q[3])
{
	f8 p[3];
	PickPoint(from, from->triangles->corner[corner], p);
	return Dot(n, f8_Sub(p[0], q[0]), f8_Sub(p[1], q[1]), f8_Sub(p[2], q[2]));
}

// Whether all corners of one triangle that are not shared are certainly on one side of the other's plane.
static inline uint32_t IsBeside(const Picked* one, const Picked* plane, const Numbers shared[3], f8 error)
{
	f8 n[3], q[3];
	PickPoint(plane, plane->triangles->normal, n);
	PickPoint(plane, plane->triangles->corner[0], q);
	const f8 d[3] = { CornerHeight(one, 0, n, q), CornerHeight(one, 1, n, q), CornerHeight(one, 2, n, q) };
	return UnsharedOneSided(d, shared, error, f8_Sub(f8_Set(0.0f), error));
}

// Pairs that have nothing in common but the corners they share: if all other corners of one are strictly on one side of
// the other's plane, it meets that plane in the hull of the shared corners.
static inline uint32_t SeparatedBeyond(const Picked* a, const Picked* b, f8 error)
{
	Numbers ofA[3], ofB[3];
	PickVertices(a, ofA);
	PickVertices(b, ofB);
	const SharedLanes shared = FindShared(ofA, ofB);
	return IsBeside(a, b, shared.ofA, error) | IsBeside(b, a, shared.ofB, error);
}

// Pairs of triangles whose boxes overlap, as candidates. `ends` receives where those of each pair of leaves end.
static inline uint32_t FindNear(const sgTriangleLanes* a, const sgTriangleLanes* b, const LeafPairs* pairs,
    uint32_t rowCount, uint16_t* out, uint16_t ends[SG_LANES * SG_LANES])
{
	static const uint8_t later[2][SG_LANES] = { { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		{ 0xfe, 0xfc, 0xf8, 0xf0, 0xe0, 0xc0, 0x80, 0 } };
	const uint64_t own = a == b ? 0x8040201008040201u : 0;
	uint32_t count = 0;
	for (uint32_t r = 0; r < rowCount; ++r)
	{
		const uint32_t code = pairs->rows[r], pair = code / SG_LANES, lane = code % SG_LANES;
		f8 lower[3], upper[3];
		sgLanes_LoadBoxes(&b[pair % SG_LANES].boxes, lower, upper);
		const sgBox one = sgBoxLanes_Get(&a[pair / SG_LANES].boxes, lane);
		const uint32_t near = sgLanes_OverlapOne(lower, upper, one.lower, one.upper) & pairs->near[pair];
		count = AppendBits(out, count, near & later[own >> pair & 1][lane], code * SG_LANES);
		ends[pair] = (uint16_t)count;
	}
	return count;
}

// A triangle has two or three neighbours among those of another leaf, and nearly all that are near share a corner. So
// their pairs are put side by side: eight of the same two leaves at a time.
static uint32_t FilterNeighbours(const sgTriangleLanes* a, const sgCornerLanes* cornersA, const sgTriangleLanes* b,
    const sgCornerLanes* cornersB, uint64_t leafPairs, uint64_t* tests, uint16_t* candidates)
{
	LeafPairs pairs;
	uint16_t ends[SG_LANES * SG_LANES];
	const uint32_t near = FindNear(a, b, &pairs, FindRows(a, b, leafPairs, &pairs), candidates, ends);
	uint32_t count = 0;
	*tests += near;
	memset(candidates + near, 0, SG_LANES * sizeof(*candidates));
	for (uint32_t first = 0, end; first < near; first = end)
	{
		const uint32_t pair = candidates[first] / (SG_LANES * SG_LANES), i = pair / SG_LANES, j = pair % SG_LANES;
		end = first + SG_LANES < ends[pair] ? first + SG_LANES : ends[pair];
		ShortNumbers codes;
		memcpy(&codes, candidates + first, sizeof(codes));
		const Numbers lanes = __builtin_convertvector(codes, Numbers);
		const Numbers lanesA = lanes >> 3 & 7, lanesB = lanes & 7;
		const Picked pickedA = Pick(a + i, cornersA + i, &lanesA), pickedB = Pick(b + j, cornersB + j, &lanesB);
		uint32_t left = ~SeparatedBeyond(&pickedA, &pickedB, f8_Set(pairs.errors[pair])) & ((1u << (end - first)) - 1u);
		for (; left != 0; left &= left - 1)
		{
			candidates[count++] = candidates[first + sgLowestBit(left)];
		}
	}
	return count;
}

// ---- Pairs of triangles ------------------------------------------------------------------------------------------

// (b - d) x (c - d)
static inline void Normal(const f8 b[3], const f8 c[3], const f8 d[3], f8 n[3])
{
	f8 u[3], v[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		u[axis] = f8_Sub(b[axis], d[axis]);
		v[axis] = f8_Sub(c[axis], d[axis]);
	}
	n[0] = f8_Sub(f8_Mul(u[1], v[2]), f8_Mul(u[2], v[1]));
	n[1] = f8_Sub(f8_Mul(u[2], v[0]), f8_Mul(u[0], v[2]));
	n[2] = f8_Sub(f8_Mul(u[0], v[1]), f8_Mul(u[1], v[0]));
}

// det(a - d, b - d, c - d)
static inline f8 Determinant(const f8 a[3], const f8 b[3], const f8 c[3], const f8 d[3])
{
	f8 n[3];
	Normal(b, c, d, n);
	return Dot(n, f8_Sub(a[0], d[0]), f8_Sub(a[1], d[1]), f8_Sub(a[2], d[2]));
}

// PlaneError of the box around each pair.
static inline f8 PairErrors(const f8 a[3][3], const f8 b[3][3])
{
	f8 extent[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 lower = f8_Min(f8_Min(a[0][axis], a[1][axis]), f8_Min(a[2][axis], b[0][axis]));
		f8 upper = f8_Max(f8_Max(a[0][axis], a[1][axis]), f8_Max(a[2][axis], b[0][axis]));
		lower = f8_Min(lower, f8_Min(b[1][axis], b[2][axis]));
		upper = f8_Max(upper, f8_Max(b[1][axis], b[2][axis]));
		extent[axis] = f8_Sub(upper, lower);
	}
	f8 sum = f8_Add(f8_Add(extent[0], extent[1]), extent[2]);
	f8 product = f8_Mul(f8_Mul(extent[0], extent[1]), extent[2]);
	f8 error = f8_Add(f8_Mul(f8_Set(SG_MARGIN_DETERMINANT * 0x1p-24f), product),
	    f8_Mul(f8_Set(0x1p-126f), f8_Add(f8_Set(1.0f), sum)));
	return f8_Select(f8_LessEqual(sum, f8_Set(0x1p40f)), error, f8_Set(INFINITY));
}

/// On which side of the other's plane the corners of a triangle certainly are.
typedef struct PlaneSides
{
	m8 above[3], below[3];
} PlaneSides;

static inline PlaneSides FindSides(const f8 corners[3][3], const f8 plane[3][3], f8 error)
{
	PlaneSides sides;
	f8 n[3], minusError = f8_Sub(f8_Set(0.0f), error);
	Normal(plane[1], plane[2], plane[0], n);
	for (int c = 0; c < 3; ++c)
	{
		f8 x = f8_Sub(corners[c][0], plane[0][0]), y = f8_Sub(corners[c][1], plane[0][1]);
		f8 side = Dot(n, x, y, f8_Sub(corners[c][2], plane[0][2]));
		sides.above[c] = f8_Less(error, side);
		sides.below[c] = f8_Less(side, minusError);
	}
	return sides;
}

// But for the first corner in some lanes.
static inline uint32_t Certain(const PlaneSides* sides, uint32_t atCorner)
{
	uint32_t certain = m8_Bits(m8_Or(sides->above[0], sides->below[0])) | atCorner;
	certain &= m8_Bits(m8_Or(sides->above[1], sides->below[1]));
	return certain & m8_Bits(m8_Or(sides->above[2], sides->below[2]));
}

static inline m8 OnOneSide(const PlaneSides* sides, int c, int d)
{
	return m8_Or(m8_And(sides->above[c], sides->above[d]), m8_And(sides->below[c], sides->below[d]));
}

/// A triangle from the corner on that is alone on its side: where the other two are on one side.
typedef struct Turned
{
	f8 corners[3][3];
	m8 isAbove; ///< the one that is alone
} Turned;

static inline Turned TurnLoneFirst(const f8 corners[3][3], const PlaneSides* sides)
{
	Turned turned;
	m8 isLast = OnOneSide(sides, 0, 1), isMiddle = OnOneSide(sides, 0, 2), isFirst = OnOneSide(sides, 1, 2);
	turned.isAbove = m8_Or(
	    m8_And(isLast, sides->above[2]), m8_Or(m8_And(isMiddle, sides->above[1]), m8_And(isFirst, sides->above[0])));
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 x = corners[0][axis], y = corners[1][axis], z = corners[2][axis];
		turned.corners[0][axis] = f8_Select(isLast, z, f8_Select(isMiddle, y, x));
		turned.corners[1][axis] = f8_Select(isLast, x, f8_Select(isMiddle, z, y));
		turned.corners[2][axis] = f8_Select(isLast, y, f8_Select(isMiddle, x, z));
	}
	return turned;
}

// Swap the second and the third corner where `which` is true.
static inline void SwapWhere(Turned* turned, m8 which)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 y = turned->corners[1][axis], z = turned->corners[2][axis];
		turned->corners[1][axis] = f8_Select(which, z, y);
		turned->corners[2][axis] = f8_Select(which, y, z);
	}
}

// Pairs that have no more in common than their first corner, which is one: the other two corners of each are on either
// side of the other's plane. With x, y of one and r, s of the other they meet beyond it if and only if x and r are on
// different sides (MeetAtCorner in triangle.c), which four signs settle.
static inline uint32_t MeetAtCorners(const PlaneSides* sidesA, const PlaneSides* sidesB)
{
	return m8_Bits(sidesA->above[1]) ^ m8_Bits(sidesB->above[1]);
}

// Lanes whose corners but the first are on one side of the other's plane.
static inline uint32_t ApartAtCorners(const PlaneSides* sidesA, const PlaneSides* sidesB)
{
	return m8_Bits(m8_Or(OnOneSide(sidesA, 1, 2), OnOneSide(sidesB, 1, 2)));
}

// The test of Guigue and Devillers (2003), where it is certain. No corner is on the other triangle's plane, so each
// triangle either lies on one side of it, or has one corner alone on its side and meets the line that both planes share
// in the segment between the two edges from there. With p and P alone, and both triangles turned so that these edges
// come in the same order along the line, segments overlap where q sees P R from p on the one side and r sees P Q on the
// other. Every sign is that of a determinant of differences of corners, which PlaneError bounds; a sign that it does
// not settle, the exact test must.
static uint32_t DecidePairs(const sgPairLanes* pairs, uint32_t atCorner, uint32_t* unsure)
{
	f8 a[3][3], b[3][3];
	for (int c = 0; c < 3; ++c)
	{
		for (int axis = 0; axis < 3; ++axis)
		{
			a[c][axis] = f8_Load(pairs->a[c][axis]);
			b[c][axis] = f8_Load(pairs->b[c][axis]);
		}
	}
	f8 error = PairErrors((const f8(*)[3])a, (const f8(*)[3])b), minusError = f8_Sub(f8_Set(0.0f), error);
	PlaneSides sidesA = FindSides((const f8(*)[3])a, (const f8(*)[3])b, error);
	PlaneSides sidesB = FindSides((const f8(*)[3])b, (const f8(*)[3])a, error);
	m8 apart = m8_Or(m8_And(OnOneSide(&sidesA, 0, 1), OnOneSide(&sidesA, 0, 2)),
	    m8_And(OnOneSide(&sidesB, 0, 1), OnOneSide(&sidesB, 0, 2)));
	Turned turnedA = TurnLoneFirst((const f8(*)[3])a, &sidesA), turnedB = TurnLoneFirst((const f8(*)[3])b, &sidesB);
	SwapWhere(&turnedA, turnedB.isAbove);
	SwapWhere(&turnedB, turnedA.isAbove);
	const f8 *p = turnedA.corners[0], *q = turnedA.corners[1], *r = turnedA.corners[2];
	const f8 *P = turnedB.corners[0], *R = turnedB.corners[1], *Q = turnedB.corners[2]; // seen from the other side
	f8 first = Determinant(q, P, R, p), second = Determinant(r, P, Q, p);
	uint32_t certain = Certain(&sidesA, atCorner) & Certain(&sidesB, atCorner);
	uint32_t meet = m8_Bits(m8_And(f8_Less(error, first), f8_Less(second, minusError)));
	uint32_t miss = m8_Bits(m8_Or(apart, m8_Or(f8_Less(first, minusError), f8_Less(error, second))));
	if (atCorner != 0)
	{
		const uint32_t meetThere = MeetAtCorners(&sidesA, &sidesB), apartThere = ApartAtCorners(&sidesA, &sidesB);
		meet = (meet & ~atCorner) | (meetThere & ~apartThere & atCorner);
		miss = (miss & ~atCorner) | ((apartThere | ~meetThere) & atCorner);
	}
	meet &= certain & ~miss;
	*unsure = ~(meet | (miss & certain)) & ((1u << SG_LANES) - 1u);
	return meet;
}

const sgLeafKernels SG_FOR_ISA(sgLeafKernels) = {
	.boundLeaves = BoundLeaves,
	.gatherVertices = GatherVertices,
	.placeVertices = PlaceVertices,
	.placeTriangles = PlaceTriangles,
	.filterLeaves = FilterLeaves,
	.filterNeighbours = FilterNeighbours,
	.decidePairs = DecidePairs,
	.intersectTriangles = sgTriangles_Intersect,
};
