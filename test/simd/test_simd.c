// test/simd/test_simd.c: the kernels of every instruction set that this machine has, against the scalar ones and
// against exact arithmetic.
//
// Vertices and masks must be the same bits everywhere; boxes need only contain, and are checked against what they must
// contain. Would catch a fused multiply-add, a shuffled lane, a comparison that treats equality or NaN differently.
#include "support.h"

#include "geometry/box_kernels.h"
#include "geometry/triangle.h"
#include "tree/leaf_kernels.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const sgKernels* tables[8];
static int tableCount;

static void Fail(const sgKernels* kernels, const char* what, uint64_t seed)
{
	print_error("%s: %s: SNUG_SEED=%llu\n", kernels->name, what, (unsigned long long)seed);
	fail();
}

// Numbers that show what ordinary ones do not, and ordinary ones of all sizes.
static float SpecialFloat(sceneRandom* random)
{
	static const float specials[] = { 0.0f, -0.0f, 1.0f, -1.0f, FLT_MIN, -FLT_MIN, 0x1p-149f, -0x1p-149f, 1e36f, -1e36f,
		0x1p-75f, 0x1.fffffep0f, 0x1.000002p0f, 0.5f, 3.0f, 1e20f };
	uint32_t kind = sceneRandom_Index(random, 4);
	if (kind == 0)
	{
		return specials[sceneRandom_Index(random, LENGTH_OF(specials))];
	}
	if (kind == 1)
	{
		return (float)((double)sceneRandom_Index(random, 9) - 4.0);
	}
	int exponent = kind == 2 ? 0 : (int)sceneRandom_Index(random, 250) - 135;
	return (float)(sceneRandom_Range(random, -1.0, 1.0) * ldexp(1.0, exponent));
}

static void RandomBoxes(sceneRandom* random, sgBoxLanes* boxes, bool withEmpty)
{
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		sgBox box = sgBox_Empty();
		if (!withEmpty || sceneRandom_Index(random, 8) != 0)
		{
			for (int k = 0; k < 3; ++k)
			{
				float x = SpecialFloat(random), y = SpecialFloat(random);
				box.lower[k] = x < y ? x : y;
				box.upper[k] = x < y ? y : x;
			}
		}
		sgBoxLanes_Set(boxes, lane, &box);
	}
}

// --- Lanes ---------------------------------------------------------------------------------------------------------

#define SG_EACH_ISA(name, isThere) const char* lanesCheck_##name(const float values[3][SG_LANES], int* lane);
#include "simd/isa_list.h"

/// The checks of lanes_check.c, one for each instruction set.
static const struct
{
	const char* name;
	const char* (*check)(const float values[3][SG_LANES], int* lane);
} laneChecks[] = {
#define SG_EACH_ISA(name, isThere) { #name, lanesCheck_##name },
#include "simd/isa_list.h"
};

// What simd/lanes.h promises of every operation, of every set that the machine has, for all pairs of odd numbers.
static void lanes_keep_their_promises(void** state)
{
	(void)state;
	static const float odd[] = { 0.0f, -0.0f, 1.0f, -1.0f, NAN, -NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, FLT_MIN,
		0x1p-149f, -0x1p-149f, 0x1.000002p0f, 0x1.fffffep-1f };
	uint64_t seed = TestSeed();
	sceneRandom random = { seed };
	int checked = 0;
	for (int i = 0; i < TestCount(20000); ++i)
	{
		float values[3][SG_LANES] SG_ALIGN(32);
		for (size_t k = 0; k < 3 * SG_LANES; ++k)
		{
			bool isOdd = sceneRandom_Index(&random, 2) == 0;
			values[k / SG_LANES][k % SG_LANES] =
			    isOdd ? odd[sceneRandom_Index(&random, LENGTH_OF(odd))] : SpecialFloat(&random);
		}
		for (size_t c = 0; c < LENGTH_OF(laneChecks); ++c)
		{
			for (int t = 0; t < tableCount; ++t)
			{
				int lane = 0;
				bool isIt = strcmp(tables[t]->name, laneChecks[c].name) == 0;
				const char* broken = isIt ? laneChecks[c].check((const float(*)[SG_LANES])values, &lane) : NULL;
				checked += isIt;
				if (broken != NULL)
				{
					fail_msg("%s of %s is wrong for %a, %a, %a", broken, tables[t]->name, (double)values[0][lane],
					    (double)values[1][lane], (double)values[2][lane]);
				}
			}
		}
	}
	assert_int_equal(checked, TestCount(20000) * tableCount); // a set without a check would be a hole
}

// --- Boxes ---------------------------------------------------------------------------------------------------------

static bool Overlap(const sgBox* a, const sgBox* b)
{
	bool overlap = true;
	for (int k = 0; k < 3; ++k)
	{
		overlap = overlap && a->lower[k] <= b->upper[k] && b->lower[k] <= a->upper[k];
	}
	return overlap;
}

static void overlaps_are_what_they_say(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(20000); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		sgBoxLanes a, b;
		RandomBoxes(&random, &a, true);
		RandomBoxes(&random, &b, true);
		if (i % 7 == 0)
		{
			b.lower[1][3] = NAN; // what a moved empty box becomes: it overlaps nothing
		}
		uint32_t maskA = sceneRandom_Index(&random, 256), maskB = sceneRandom_Index(&random, 256);
		uint64_t expected = 0;
		for (uint32_t k = 0; k < 64; ++k)
		{
			sgBox x = sgBoxLanes_Get(&a, k / 8), y = sgBoxLanes_Get(&b, k % 8);
			bool isAsked = (maskA >> (k / 8) & 1) != 0 && (maskB >> (k % 8) & 1) != 0;
			expected |= (uint64_t)(isAsked && Overlap(&x, &y)) << k;
		}
		for (int t = 0; t < tableCount; ++t)
		{
			if (tables[t]->boxes->overlapBoxes(&a, maskA, &b, maskB) != expected)
			{
				Fail(tables[t], "overlapBoxes", seed + (uint64_t)i);
			}
		}
	}
}

// Exactly the hull of the lanes in the mask: no more, no less. Would catch a lane outside the mask that gets in.
static void merges_are_exact(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(20000); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		sgBoxLanes boxes;
		RandomBoxes(&random, &boxes, true);
		uint32_t mask = i % 4 == 0 ? 0xff : sceneRandom_Index(&random, 256);
		sgBox expected = sgBox_Empty();
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			sgBox box = sgBoxLanes_Get(&boxes, lane);
			if ((mask >> lane & 1) != 0)
			{
				sgBox_AddBox(&expected, &box);
			}
		}
		for (int t = 0; t < tableCount; ++t)
		{
			sgBox merged = tables[t]->boxes->mergeBoxes(&boxes, mask);
			for (int k = 0; k < 3; ++k)
			{
				if (merged.lower[k] != expected.lower[k] || merged.upper[k] != expected.upper[k])
				{
					Fail(tables[t], "mergeBoxes", seed + (uint64_t)i);
				}
			}
		}
	}
}

// A body in the space of another: moved boxes contain the exact image of every point of the box, in long double, with
// room for the placement errors of both bodies. This is the proof of frame.c, tried out.
static void moved_boxes_contain_images(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	static const double origin[3] = { 0, 0, 0 };
	for (int i = 0; i < TestCount(20000); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		double size = ldexp(1.0, (int)sceneRandom_Index(&random, 200) - 140);
		double far = size * ldexp(1.0, (int)sceneRandom_Index(&random, 20));
		sgBoxLanes boxes;
		sgBox root = sgBox_Empty();
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			sgBox box;
			for (int k = 0; k < 3; ++k)
			{
				float x = (float)sceneRandom_Range(&random, -size, size),
				      y = (float)sceneRandom_Range(&random, -size, size);
				box.lower[k] = fminf(x, y);
				box.upper[k] = i % 5 == 0 ? box.lower[k] : fmaxf(x, y);
			}
			sgBoxLanes_Set(&boxes, lane, &box);
			sgBox_AddBox(&root, &box);
		}
		snugFrame frames[2] = { { { 0 }, { 0 } }, { { 0 }, { 0 } } };
		sgFrame made[2];
		sgPlacement placements[2];
		uint32_t kind = sceneRandom_Index(&random, 4);
		for (int k = 0; k < 2; ++k)
		{
			if ((kind & 1u << k) != 0)
			{
				RandomRotation(&random, frames[k].rotation);
			}
			for (int axis = 0; axis < 3; ++axis)
			{
				frames[k].position[axis] = sceneRandom_Range(&random, -far, far);
			}
			assert_true(sgFrame_Make(&frames[k], &made[k]));
			assert_true(sgPlacement_Make(&made[k], origin, &root, &placements[k]));
		}
		sgBoxMotion motion = sgRelativeMotion(&made[0], &placements[0], &made[1], &placements[1], &root);
		for (int t = 0; t < tableCount; ++t)
		{
			sgBoxLanes moved;
			tables[t]->boxes->moveBoxes(&boxes, &motion, &moved);
			for (uint32_t lane = 0; lane < SG_LANES; ++lane)
			{
				for (int corner = 0; corner < 8; ++corner)
				{
					// world = R1 p + t1; in the space of body 0: R0^T (world - t0)
					long double world[3];
					for (int k = 0; k < 3; ++k)
					{
						world[k] = (long double)frames[1].position[k] - (long double)frames[0].position[k];
						for (int m = 0; m < 3; ++m)
						{
							float p = (corner >> m & 1) != 0 ? boxes.upper[m][lane] : boxes.lower[m][lane];
							world[k] += (long double)made[1].rotation[k][m] * (long double)p;
						}
					}
					// The room that the proof asks for, less what long double cannot tell.
					long double room =
					    1.732L * ((long double)placements[0].error + (long double)placements[1].error) * (1.0L - 1e-6L);
					for (int k = 0; k < 3; ++k)
					{
						long double image = 0.0L;
						for (int m = 0; m < 3; ++m)
						{
							image += (long double)made[0].rotation[m][k] * world[m];
						}
						if (!((long double)moved.lower[k][lane] <= image - room &&
						        (long double)moved.upper[k][lane] >= image + room))
						{
							Fail(tables[t], "moveBoxes", seed + (uint64_t)i);
						}
					}
				}
			}
		}
	}
}

// --- Vertices ------------------------------------------------------------------------------------------------------

typedef struct Mesh
{
	float positions[3 * 100 + 1];
	uint32_t leafVertices[8 * SG_MAX_LEAF_VERTICES + SG_LANES];
	sgLeaf leaves[8];
} Mesh;

static void RandomLeaves(sceneRandom* random, Mesh* mesh)
{
	memset(mesh, 0, sizeof(*mesh));
	for (size_t i = 0; i < LENGTH_OF(mesh->positions); ++i)
	{
		mesh->positions[i] = SpecialFloat(random);
	}
	mesh->positions[300] = NAN; // the padding must not matter
	uint32_t next = 0;
	for (size_t l = 0; l < 8; ++l)
	{
		sgLeaf* leaf = mesh->leaves + l;
		leaf->triangleCount = (uint8_t)(1 + sceneRandom_Index(random, 8));
		leaf->vertexCount = (uint8_t)(1 + sceneRandom_Index(random, 3u * leaf->triangleCount));
		leaf->firstVertex = next;
		for (uint32_t v = 0; v < leaf->vertexCount; ++v)
		{
			mesh->leafVertices[next++] = sceneRandom_Index(random, 8) == 0 ? 99 : sceneRandom_Index(random, 100);
		}
		for (uint32_t t = 0; t < SG_MAX_LEAF_TRIANGLES; ++t)
		{
			for (int c = 0; c < 3; ++c)
			{
				leaf->corners[c][t] = t < leaf->triangleCount ? (uint8_t)sceneRandom_Index(random, leaf->vertexCount)
				                                              : leaf->corners[c][0];
			}
		}
	}
}

static sgPlacement RandomPlacement(sceneRandom* random)
{
	snugFrame frame = { 0 };
	static const double origin[3] = { 0, 0, 0 };
	const sgBox box = { { -1, -1, -1 }, { 1, 1, 1 } };
	if (sceneRandom_Index(random, 4) != 0)
	{
		RandomRotation(random, frame.rotation);
		for (int k = 0; k < 3; ++k)
		{
			frame.position[k] = (double)SpecialFloat(random) * 1e-3;
		}
	}
	sgFrame made;
	sgPlacement placement;
	assert_true(sgFrame_Make(&frame, &made));
	assert_true(sgPlacement_Make(&made, origin, &box, &placement));
	return placement;
}

// The formula of frame.h, evaluated here in plain C.
static void PlaceOne(const sgPlacement* placement, const float p[3], float out[3])
{
	for (int k = 0; k < 3; ++k)
	{
		volatile double xy = placement->rotation[k][0] * (double)p[0], y = placement->rotation[k][1] * (double)p[1];
		volatile double z = placement->rotation[k][2] * (double)p[2];
		xy = xy + y;
		z = xy + z;
		z = z + placement->translation[k];
		out[k] = placement->isIdentity ? p[k] : (float)z;
	}
}

// The same bits on every instruction set, for lanes in use.
static void vertices_are_the_same_bits(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	Mesh mesh;
	for (int i = 0; i < TestCount(20000); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		RandomLeaves(&random, &mesh);
		sgPlacement placement = RandomPlacement(&random);
		const sgLeaf* leaf = mesh.leaves + i % 8;
		const uint32_t* vertices = mesh.leafVertices + leaf->firstVertex;
		for (int t = 0; t < tableCount; ++t)
		{
			sgVertexBlock block;
			tables[t]->leaves->gatherVertices(mesh.positions, vertices, leaf->vertexCount, &block);
			for (uint32_t v = 0; v < leaf->vertexCount; ++v)
			{
				const float* p = mesh.positions + 3 * vertices[v];
				for (int k = 0; k < 3; ++k)
				{
					if (memcmp(&block.coordinate[k][v], p + k, sizeof(float)) != 0)
					{
						Fail(tables[t], "gatherVertices", seed + (uint64_t)i);
					}
				}
			}
			tables[t]->leaves->placeVertices(&block, leaf->vertexCount, &placement);
			for (uint32_t v = 0; v < leaf->vertexCount; ++v)
			{
				float expected[3];
				PlaceOne(&placement, mesh.positions + 3 * vertices[v], expected);
				for (int k = 0; k < 3; ++k)
				{
					if (memcmp(&block.coordinate[k][v], expected + k, sizeof(float)) != 0)
					{
						Fail(tables[t], "placeVertices", seed + (uint64_t)i);
					}
				}
			}
		}
	}
}

static void leaf_bounds_are_tight(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	Mesh mesh;
	for (int i = 0; i < TestCount(5000); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		RandomLeaves(&random, &mesh);
		uint32_t first = sceneRandom_Index(&random, 8), count = 1 + sceneRandom_Index(&random, 8 - first);
		uint32_t lane = sceneRandom_Index(&random, 8 - count + 1);
		for (int t = 0; t < tableCount; ++t)
		{
			sgBoxLanes boxes, before;
			RandomBoxes(&random, &boxes, false);
			before = boxes;
			tables[t]->leaves->boundLeaves(mesh.positions, mesh.leafVertices, mesh.leaves + first, count, &boxes, lane);
			for (uint32_t l = 0; l < SG_LANES; ++l)
			{
				sgBox expected = sgBoxLanes_Get(&before, l), found = sgBoxLanes_Get(&boxes, l);
				if (l >= lane && l < lane + count)
				{
					const sgLeaf* leaf = mesh.leaves + first + l - lane;
					expected = sgBox_Empty();
					for (uint32_t v = 0; v < leaf->vertexCount; ++v)
					{
						sgBox_AddPoint(&expected, mesh.positions + 3 * mesh.leafVertices[leaf->firstVertex + v]);
					}
				}
				for (int k = 0; k < 3; ++k)
				{
					if (expected.lower[k] != found.lower[k] || expected.upper[k] != found.upper[k])
					{
						Fail(tables[t], "boundLeaves", seed + (uint64_t)i);
					}
				}
			}
		}
	}
}

// Lanes of triangles: corners are the same bits, boxes and normals what plain C makes of them.
static bool IsLane(const sgTriangleLanes* found, uint32_t t, const float corners[3][3])
{
	bool isSame = true;
	for (int k = 0; k < 3; ++k)
	{
		float x = corners[0][k], y = corners[1][k], z = corners[2][k];
		float least = x < y ? x : y, most = x > y ? x : y;
		isSame = isSame && found->boxes.lower[k][t] == (least < z ? least : z) &&
		         found->boxes.upper[k][t] == (most > z ? most : z);
		int m = (k + 1) % 3, n = (k + 2) % 3;
		volatile float um = corners[1][m] - corners[0][m], un = corners[1][n] - corners[0][n];
		volatile float vm = corners[2][m] - corners[0][m], vn = corners[2][n] - corners[0][n];
		volatile float first = um * vn, second = un * vm, normal = first - second;
		bool isNormal = found->normal[k][t] == normal || (isnan(normal) && isnan(found->normal[k][t]));
		isSame = isSame && isNormal;
		for (int c = 0; c < 3; ++c)
		{
			isSame = isSame && memcmp(&found->corner[c][k][t], &corners[c][k], sizeof(float)) == 0;
		}
	}
	return isSame;
}

static void triangles_are_the_same_bits(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	Mesh mesh;
	for (int i = 0; i < TestCount(20000); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		RandomLeaves(&random, &mesh);
		sgPlacement placement = RandomPlacement(&random);
		const sgLeaf* leaf = mesh.leaves + i % 8;
		const uint32_t* vertices = mesh.leafVertices + leaf->firstVertex;
		for (int table = 0; table < tableCount; ++table)
		{
			sgTriangleLanes found;
			tables[table]->leaves->placeTriangles(mesh.positions, vertices, leaf, &placement, &found);
			bool isSame = found.mask == (1u << leaf->triangleCount) - 1u && found.leaf == leaf;
			float lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY };
			for (uint32_t t = 0; t < SG_LANES; ++t)
			{
				float corners[3][3];
				for (int c = 0; c < 3; ++c)
				{
					PlaceOne(&placement, mesh.positions + 3 * vertices[leaf->corners[c][t]], corners[c]);
					for (int k = 0; k < 3; ++k)
					{
						lower[k] = corners[c][k] < lower[k] ? corners[c][k] : lower[k];
						upper[k] = corners[c][k] > upper[k] ? corners[c][k] : upper[k];
					}
				}
				isSame = isSame && IsLane(&found, t, (const float(*)[3])corners);
			}
			for (int k = 0; k < 3; ++k)
			{
				isSame = isSame && found.box.lower[k] == lower[k] && found.box.upper[k] == upper[k];
			}
			if (!isSame)
			{
				Fail(tables[table], "placeTriangles", seed + (uint64_t)i);
			}
		}
	}
}

static void all_within_finds_every_bad_number(void** state)
{
	(void)state;
	static const float bad[] = { NAN, -NAN, INFINITY, -INFINITY, FLT_MAX, 0x1.000002p10f, -0x1.000002p10f };
	static float values[5000];
	sceneRandom random = { TestSeed() };
	for (size_t i = 0; i < LENGTH_OF(values); ++i)
	{
		values[i] = (float)sceneRandom_Range(&random, -1024.0, 1024.0);
	}
	for (int t = 0; t < tableCount; ++t)
	{
		for (int i = 0; i < 3000; ++i)
		{
			size_t count = i < 100 ? (size_t)i : sceneRandom_Index(&random, LENGTH_OF(values));
			size_t first = sceneRandom_Index(&random, (uint32_t)(LENGTH_OF(values) - count));
			assert_true(tables[t]->boxes->allWithin(values + first, count, 1024.0f));
			if (count > 0)
			{
				size_t at = first + (i % 3 == 0 ? count - 1 : sceneRandom_Index(&random, (uint32_t)count));
				float kept = values[at];
				values[at] = bad[(size_t)i % LENGTH_OF(bad)];
				if (tables[t]->boxes->allWithin(values + first, count, 1024.0f))
				{
					Fail(tables[t], "allWithin", TestSeed());
				}
				values[at] = i % 2 != 0 ? 1024.0f : -0.0f;
				assert_true(tables[t]->boxes->allWithin(values + first, count, 1024.0f));
				values[at] = kept;
			}
		}
	}
}

// --- The triangle filter -------------------------------------------------------------------------------------------

// Up to eight triangles as a leaf, each with vertices of its own.
static void MakeLanes(const sgKernels* kernels, const float triangles[8][3][3], uint32_t count, sgTriangleLanes* out)
{
	static const sgPlacement still = { .isIdentity = true };
	float positions[3 * SG_MAX_LEAF_VERTICES + 1] = { 0 };
	uint32_t vertices[SG_MAX_LEAF_VERTICES];
	sgLeaf leaf = { .triangleCount = (uint8_t)count, .vertexCount = (uint8_t)(3 * count) };
	memcpy(positions, triangles, count * sizeof(triangles[0]));
	for (uint32_t v = 0; v < SG_MAX_LEAF_VERTICES; ++v)
	{
		vertices[v] = v;
		leaf.corners[v % 3][v / 3] = (uint8_t)(v < 3 * count ? v : v % 3);
	}
	kernels->leaves->placeTriangles(positions, vertices, &leaf, &still, out);
}

// Triangles close to contact: on small grids, in common planes, or touching up to an ulp, at any size.
static void NearTriangles(sceneRandom* random, float a[8][3][3], float b[8][3][3])
{
	uint32_t kind = sceneRandom_Index(random, 6);
	// Any size, the same on all axes or (flat and long as nothing in nature) another one on each.
	int exponents[3] = { 0, 0, 0 };
	uint32_t sizes = sceneRandom_Index(random, 5);
	for (int k = 0; k < 3 && sizes > 1; ++k)
	{
		exponents[k] = sizes == 2 && k > 0 ? exponents[0] : (int)sceneRandom_Index(random, 236) - 130;
	}
	double offset = sceneRandom_Index(random, 4) == 0 ? 1000.0 : 0.0;
	float normal[3] = { (float)sceneRandom_Range(random, -1, 1), (float)sceneRandom_Range(random, -1, 1), 1.0f };
	for (int i = 0; i < 16; ++i)
	{
		float(*triangle)[3] = i < 8 ? a[i] : b[i - 8];
		for (int c = 0; c < 3; ++c)
		{
			for (int k = 0; k < 3; ++k)
			{
				triangle[c][k] = kind < 2 ? (float)sceneRandom_Index(random, 3 + 5 * kind)
				                          : (float)sceneRandom_Range(random, -1.0, 1.0);
			}
			if (kind >= 3)
			{
				// In a common plane up to rounding; parallel planes some ulps apart.
				triangle[c][2] = triangle[c][0] * normal[0] + triangle[c][1] * normal[1];
				triangle[c][2] += kind == 4 && i >= 8 ? 0x1p-23f * (float)sceneRandom_Index(random, 4) : 0.0f;
			}
		}
		if (kind == 5 && i >= 8)
		{
			// A corner of b is a corner of a, or a point of its edge up to rounding.
			memcpy(triangle[0], a[i - 8][0], sizeof(triangle[0]));
			for (int k = 0; k < 3 && i % 2 != 0; ++k)
			{
				triangle[0][k] = 0.5f * a[i - 8][0][k] + 0.5f * a[i - 8][1][k];
			}
		}
	}
	for (int i = 0; i < 2 * 72; ++i)
	{
		float* value = i < 72 ? &a[i / 9][i / 3 % 3][i % 3] : &b[(i - 72) / 9][i / 3 % 3][i % 3];
		*value = (float)ldexp((double)*value + offset, exponents[i % 3]);
	}
}

// Bit 8 i + j: triangles i of `a` and j of `b` pass, as the filter says of two leaves.
static uint64_t Filter(const sgKernels* kernels, const sgTriangleLanes* a, const sgTriangleLanes* b, uint64_t* tests)
{
	uint16_t candidates[SG_MAX_CANDIDATES];
	const uint32_t count = kernels->leaves->filterLeaves(a, b, 1, tests, candidates);
	uint64_t mask = 0;
	for (uint32_t k = 0; k < count; ++k)
	{
		assert_true(candidates[k] < 64);
		mask |= (uint64_t)1 << candidates[k];
	}
	return mask;
}

// Eight leaves against eight give what each two of them give, in order.
static void the_filter_takes_many_leaves(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), passed = 0, most = 0;
	for (int n = 0; n < TestCount(2000); ++n)
	{
		sceneRandom random = { seed + (uint64_t)n };
		static sgTriangleLanes a[SG_LANES], b[SG_LANES];
		uint64_t leafPairs = n % 4 == 0 ? ~(uint64_t)0 : 0, tests = 0, testsOfTwo = 0;
		for (int i = 0; i < SG_LANES; ++i)
		{
			float triangles[2][8][3][3];
			NearTriangles(&random, triangles[0], triangles[1]);
			const uint32_t count = n % 8 == 0 ? 8 : 1 + sceneRandom_Index(&random, 8);
			for (int t = 0; t < 16 && n % 8 == 0; ++t) // all the same, so that all pass
			{
				memcpy(triangles[t / 8][t % 8], triangles[0][0], sizeof(triangles[0][0]));
			}
			MakeLanes(tables[n % tableCount], (const float(*)[3][3])triangles[0], count, a + i);
			MakeLanes(tables[n % tableCount], (const float(*)[3][3])triangles[1], count, b + i);
			a[i] = n % 8 == 0 ? a[0] : a[i];
			b[i] = n % 8 == 0 ? a[0] : b[i];
			leafPairs |= (uint64_t)sceneRandom_Index(&random, 256) << 8 * i;
		}
		uint16_t together[SG_MAX_CANDIDATES], two[SG_MAX_CANDIDATES];
		const sgLeafKernels* leaves = tables[n % tableCount]->leaves;
		const uint32_t count = leaves->filterLeaves(a, b, leafPairs, &tests, together);
		uint32_t expected = 0;
		for (uint32_t pair = 0; pair < 64; ++pair)
		{
			const bool isAsked = (leafPairs >> pair & 1) != 0;
			const uint32_t found = isAsked ? leaves->filterLeaves(a + pair / 8, b + pair % 8, 1, &testsOfTwo, two) : 0;
			for (uint32_t k = 0; k < found; ++k, ++expected)
			{
				if (expected >= count || together[expected] != (pair << 6 | two[k]))
				{
					Fail(tables[n % tableCount], "filterLeaves differs from pairs of leaves", seed + (uint64_t)n);
				}
			}
		}
		assert_int_equal(count, expected);
		assert_int_equal(tests, testsOfTwo);
		passed += count;
		most = count > most ? count : most;
	}
	assert_true(passed > 0);
	assert_int_equal(most, 4096); // all there is room for
}

// What the filter rejects does not intersect, and all instruction sets reject alike. A wrong rejection is a missed
// contact, so this is tried a million times with pairs that are hard to tell.
static void the_filter_rejects_no_contact(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	uint64_t contacts = 0, rejected = 0, pairs = 0;
	for (int i = 0; i < TestCount(40000); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		float a[8][3][3], b[8][3][3];
		NearTriangles(&random, a, b);
		uint32_t countA = i % 3 == 0 ? 1 + sceneRandom_Index(&random, 8) : 8;
		uint32_t countB = i % 5 == 0 ? 1 + sceneRandom_Index(&random, 8) : 8;
		uint64_t first = 0, firstTests = 0;
		for (int t = 0; t < tableCount; ++t)
		{
			sgTriangleLanes lanesA, lanesB;
			MakeLanes(tables[t], (const float(*)[3][3])a, countA, &lanesA);
			MakeLanes(tables[t], (const float(*)[3][3])b, countB, &lanesB);
			uint64_t tests = 0, mask = Filter(tables[t], &lanesA, &lanesB, &tests);
			if (t == 0)
			{
				first = mask;
				firstTests = tests;
			}
			if (mask != first || tests != firstTests)
			{
				Fail(tables[t], "filterLeaves differs from scalar", seed + (uint64_t)i);
			}
		}
		for (uint32_t k = 0; k < 64; ++k)
		{
			uint32_t x = k / 8, y = k % 8;
			bool passes = (first >> k & 1) != 0, exists = x < countA && y < countB;
			if (passes && !exists)
			{
				Fail(tables[0], "filterLeaves passes a triangle that is not there", seed + (uint64_t)i);
			}
			if (exists)
			{
				bool isContact = sgTriangles_Intersect((const float(*)[3])a[x], (const float(*)[3])b[y]);
				++pairs;
				contacts += isContact;
				rejected += !passes;
				if (isContact && !passes)
				{
					Fail(tables[0], "filterLeaves rejects a contact", seed + (uint64_t)i);
				}
			}
		}
	}
	print_message("%llu pairs, %llu contacts, %llu rejected\n", (unsigned long long)pairs, (unsigned long long)contacts,
	    (unsigned long long)rejected);
	assert_true(contacts > 0 && rejected > 0);
}

// The two planes are the same up to an ulp or so, where the sign of a distance is a matter of rounding: contacts that
// an error bound a few times too small would reject.
static void the_filter_knows_its_error(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	uint64_t contacts = 0;
	for (int i = 0; i < TestCount(400000); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		float a[8][3][3], b[8][3][3];
		// One pair: b's corner is a rounded point inside a, and b leads away nearly in a's plane.
		double weights[2] = { sceneRandom_Range(&random, 0.1, 0.4), sceneRandom_Range(&random, 0.1, 0.4) };
		double tilt = ldexp(sceneRandom_Range(&random, 0.5, 1.0), -(int)sceneRandom_Index(&random, 26));
		double size = i % 2 != 0 ? 1.0 : 1e-3;
		for (int k = 0; k < 9; ++k)
		{
			a[0][k / 3][k % 3] = (float)(1.0 + size * sceneRandom_Range(&random, -1.0, 1.0));
		}
		for (int k = 0; k < 3; ++k)
		{
			double u = (double)a[0][1][k] - (double)a[0][0][k], v = (double)a[0][2][k] - (double)a[0][0][k];
			b[0][0][k] = (float)((double)a[0][0][k] + weights[0] * u + weights[1] * v);
			b[0][1][k] = (float)((double)b[0][0][k] + u + tilt * size * sceneRandom_Range(&random, -1.0, 1.0));
			b[0][2][k] = (float)((double)b[0][0][k] + v + tilt * size * sceneRandom_Range(&random, -1.0, 1.0));
		}
		if (!sgTriangles_Intersect((const float(*)[3])a[0], (const float(*)[3])b[0]))
		{
			continue;
		}
		++contacts;
		const sgKernels* kernels = tables[i % tableCount];
		sgTriangleLanes lanesA, lanesB;
		MakeLanes(kernels, (const float(*)[3][3])a, 1, &lanesA);
		MakeLanes(kernels, (const float(*)[3][3])b, 1, &lanesB);
		uint64_t tests = 0;
		if (Filter(kernels, &lanesA, &lanesB, &tests) != 1 || Filter(kernels, &lanesB, &lanesA, &tests) != 1)
		{
			Fail(kernels, "filterLeaves rejects a contact in its own error", seed + (uint64_t)i);
		}
	}
	assert_true(contacts > 0);
}

// A plane through three corners and a point near it, with what float32 makes of its distance.
typedef struct Climb
{
	float corner[4][3]; // three of the triangle, then the point
	double rounded;     // the filter's distance, in units of 2^-24 times the volume of the box around all four
	double exact;       // the true one
} Climb;

static void Evaluate(Climb* climb)
{
	float u[3], v[3], d[3];
	long double volume = 1.0L, exact = 0.0L;
	const float(*p)[3] = (const float(*)[3])climb->corner;
	for (int k = 0; k < 3; ++k)
	{
		u[k] = p[1][k] - p[0][k];
		v[k] = p[2][k] - p[0][k];
		d[k] = p[3][k] - p[0][k];
		float lower = fminf(fminf(p[0][k], p[1][k]), fminf(p[2][k], p[3][k]));
		float upper = fmaxf(fmaxf(p[0][k], p[1][k]), fmaxf(p[2][k], p[3][k]));
		volume *= (long double)upper - (long double)lower;
		int y = (k + 1) % 3, z = (k + 2) % 3;
		long double uy = (long double)p[1][y] - (long double)p[0][y], uz = (long double)p[1][z] - (long double)p[0][z];
		long double vy = (long double)p[2][y] - (long double)p[0][y], vz = (long double)p[2][z] - (long double)p[0][z];
		exact += (uy * vz - uz * vy) * ((long double)p[3][k] - (long double)p[0][k]);
	}
	float n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
	float rounded = (n[0] * d[0] + n[1] * d[1]) + n[2] * d[2];
	climb->rounded = volume > 0.0L ? (double)((long double)rounded / volume * 0x1p24L) : -INFINITY;
	climb->exact = volume > 0.0L ? (double)(exact / volume * 0x1p24L) : INFINITY;
}

static bool IsBetter(const Climb* next, const Climb* current)
{
	return next->exact <= 0.0 && next->rounded >= current->rounded;
}

// Search for the worst: a point on or below a plane whose rounded distance is as far above it as can be found. A second
// triangle starts at that point and leads upwards, so the two are in contact while every distance that the filter
// computes is positive. Would catch an error bound that holds for all but the unluckiest numbers.
static void the_filter_survives_a_search(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	uint64_t contacts = 0;
	double worst = 0.0;
	for (int i = 0; i < TestCount(100); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		Climb best;
		for (int k = 0; k < 9; ++k)
		{
			best.corner[k / 3][k % 3] = (float)sceneRandom_Range(&random, -1.0, 1.0);
		}
		for (int k = 0; k < 3; ++k)
		{
			best.corner[3][k] =
			    (float)(((double)best.corner[0][k] + (double)best.corner[1][k] + (double)best.corner[2][k]) / 3.0);
		}
		Evaluate(&best);
		best.rounded = best.exact <= 0.0 ? best.rounded : -INFINITY;
		for (int step = 0; step < 20000; ++step)
		{
			Climb next = best;
			uint32_t which = sceneRandom_Index(&random, 12);
			double size = ldexp(1.0, -2 - (int)sceneRandom_Index(&random, 23));
			float* value = &next.corner[which / 3][which % 3];
			*value = (float)((double)*value + size * sceneRandom_Range(&random, -1.0, 1.0));
			Evaluate(&next);
			best = fabsf(*value) <= 1.0f && IsBetter(&next, &best) ? next : best;
		}
		worst = best.rounded > worst ? best.rounded : worst;
		// Two more corners above the plane, inside the box.
		float a[8][3][3], b[8][3][3];
		memcpy(a[0], best.corner, sizeof(a[0]));
		memcpy(b[0][0], best.corner[3], sizeof(b[0][0]));
		for (int c = 1; c < 3; ++c)
		{
			Climb probe = best;
			for (int attempt = 0; attempt < 100; ++attempt)
			{
				for (int k = 0; k < 3; ++k)
				{
					double t = sceneRandom_Unit(&random), w = sceneRandom_Unit(&random);
					double x = (double)best.corner[0][k] * t + (double)best.corner[1][k] * (1.0 - t);
					probe.corner[3][k] = (float)(x * w + (double)best.corner[2][k] * (1.0 - w));
				}
				Evaluate(&probe);
				if (probe.exact > 1e5)
				{
					break;
				}
			}
			memcpy(b[0][c], probe.corner[3], sizeof(b[0][c]));
		}
		if (!sgTriangles_Intersect((const float(*)[3])a[0], (const float(*)[3])b[0]))
		{
			continue;
		}
		++contacts;
		for (int t = 0; t < tableCount; ++t)
		{
			sgTriangleLanes lanesA, lanesB;
			MakeLanes(tables[t], (const float(*)[3][3])a, 1, &lanesA);
			MakeLanes(tables[t], (const float(*)[3][3])b, 1, &lanesB);
			uint64_t tests = 0;
			if (Filter(tables[t], &lanesA, &lanesB, &tests) != 1 || Filter(tables[t], &lanesB, &lanesA, &tests) != 1)
			{
				Fail(tables[t], "filterLeaves rejects a contact that was searched for", seed + (uint64_t)i);
			}
		}
	}
	print_message("%llu contacts, off by up to %.1f\n", (unsigned long long)contacts, worst);
	assert_true(contacts > 0 || TestScale() < 1.0);
}

int main(void)
{
	tableCount = FindKernels(tables);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes_keep_their_promises),
		cmocka_unit_test(overlaps_are_what_they_say),
		cmocka_unit_test(merges_are_exact),
		cmocka_unit_test(moved_boxes_contain_images),
		cmocka_unit_test(vertices_are_the_same_bits),
		cmocka_unit_test(triangles_are_the_same_bits),
		cmocka_unit_test(leaf_bounds_are_tight),
		cmocka_unit_test(all_within_finds_every_bad_number),
		cmocka_unit_test(the_filter_takes_many_leaves),
		cmocka_unit_test(the_filter_rejects_no_contact),
		cmocka_unit_test(the_filter_knows_its_error),
		cmocka_unit_test(the_filter_survives_a_search),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
