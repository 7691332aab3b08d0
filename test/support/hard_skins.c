// test/support/hard_skins.c: see hard_skins.h.
#include "hard_skins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Per vertex of a random skin.
#define MOST_INFLUENCES 24

void SkinnedMesh_Free(SkinnedMesh* skinned)
{
	sceneMesh_Free(&skinned->mesh);
	Skin_Free(&skinned->skin);
}

static SkinnedMesh SkinnedMesh_Make(sceneMesh mesh, uint32_t transformCount, size_t influences)
{
	Skin skin = {
		.transformCount = transformCount,
		.starts = calloc(mesh.vertexCount + (size_t)1, sizeof(uint32_t)),
		.transforms = calloc(influences, sizeof(uint16_t)),
		.weights = calloc(influences, sizeof(float)),
		.matrices = calloc(12 * (size_t)transformCount, sizeof(float)),
	};
	assert_true(skin.starts != NULL && skin.transforms != NULL && skin.weights != NULL && skin.matrices != NULL);
	return (SkinnedMesh){ mesh, skin };
}

// Add an influence of the last vertex begun; vertices come in order.
static void AddInfluence(SkinnedMesh* skinned, uint32_t vertex, uint32_t transform, double weight)
{
	uint32_t place = skinned->skin.starts[vertex + 1];
	skinned->skin.transforms[place] = (uint16_t)transform;
	skinned->skin.weights[place] = (float)weight;
	skinned->skin.starts[vertex + 1] = place + 1;
}

// --- Shapes ---------------------------------------------------------------------------------------------------------

// Within about [-1, 1]^3: any mesh, then flattened or not.
static sceneMesh RandomShape(sceneRandom* random)
{
	static const MeshKind kinds[] = { mesh_soup, mesh_bigSoup, mesh_blob, mesh_torus, mesh_cloth, mesh_voxels,
		mesh_zeroArea, mesh_single, mesh_tetrahedron, mesh_clusters, mesh_needles };
	sceneMesh mesh = RandomMesh(random, kinds[sceneRandom_Index(random, LENGTH_OF(kinds))]);
	enum
	{
		shape_asItIs,
		shape_flat,    // a coordinate exactly constant
		shape_thin,    // or nearly
		shape_oblique, // flat, but not along an axis
		shape_line,
		shape_point,
		shape_octant, // where c = -e
		shape_folded, // x = z, and y so small beside them that x + y rounds even in double
		shape_count
	};
	uint32_t shape = sceneRandom_Index(random, shape_count + 3);
	uint32_t axis = sceneRandom_Index(random, 3), other = (axis + 1) % 3, third = (axis + 2) % 3;
	for (uint32_t v = 0; v < mesh.vertexCount; ++v)
	{
		float* p = mesh.positions + 3 * (size_t)v;
		switch (shape)
		{
			case shape_flat:
				p[axis] = 0.375f;
				break;
			case shape_thin:
				p[axis] = 0.375f + 1e-7f * p[axis];
				break;
			case shape_oblique:
				p[axis] = 0.5f * p[other] - 0.25f * p[third];
				break;
			case shape_line:
				p[axis] = 0.7f * p[other];
				p[third] = -0.3f * p[other];
				break;
			case shape_point:
				memcpy(p, mesh.positions, 3 * sizeof(float));
				break;
			case shape_octant:
				p[0] -= 1.0f;
				p[1] -= 1.0f;
				p[2] -= 1.0f;
				break;
			case shape_folded:
				p[axis] = p[other];
				p[third] *= 0x1p-52f;
				break;
			default:
				break;
		}
	}
	return mesh;
}

// One rounding per coordinate. Sizes go down to where every coordinate is subnormal.
static void ResizeMesh(sceneRandom* random, sceneMesh* mesh)
{
	static const double sizes[] = { 1.0, 1.0, 1.0, 1e-10, 1e10, 1e-20, 1e20, 1e-25, 1e25, 1e-30, 1e30, 1e-40 };
	static const double offsets[] = { 0.0, 1.0, 1e3, 1e6 };
	double size = sizes[sceneRandom_Index(random, LENGTH_OF(sizes))], offset[3];
	bool isAtZero = sceneRandom_Index(random, 2) != 0;
	for (int k = 0; k < 3; ++k)
	{
		offset[k] = RandomSign(random) * offsets[sceneRandom_Index(random, LENGTH_OF(offsets))];
		offset[k] = isAtZero || size * fabs(offset[k]) > 1e35 ? 0.0 : offset[k];
	}
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		mesh->positions[i] = (float)(size * ((double)mesh->positions[i] + offset[i % 3]));
	}
}

// --- Weights --------------------------------------------------------------------------------------------------------

typedef enum Weighting
{
	weights_one,       // a transform each, chosen by place
	weights_few,       // up to four, by chance
	weights_scattered, // as many as there may be
	weights_linear,    // each varies linearly over the mesh
	weights_radial,    // each falls off with the distance from a centre
	weights_tiny,      // one, and many around 2^-24
	weights_subnormal, // one or two, and many far below
	weights_broken,    // all sums, zeros, a transform twice, nothing at all
	WEIGHTINGS
} Weighting;

// A number per vertex and transform that depends on both smoothly, in [-1, 1] times its size.
static double Along(const float* p, uint32_t transform)
{
	sceneRandom direction = { transform };
	double sum = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		sum += sceneRandom_Range(&direction, -0.25, 0.25) * (double)p[k];
	}
	return sum;
}

static double RawWeight(sceneRandom* random, Weighting weighting, const float* p, uint32_t transform, uint32_t k)
{
	switch (weighting)
	{
		case weights_few:
		case weights_scattered:
			return sceneRandom_Range(random, 0.01, 1.0);
		case weights_linear:
			return fmax(1.01 + Along(p, transform), 0.0);
		case weights_radial:
			return 1.0 / (0.05 + Along(p, transform) * Along(p, transform));
		case weights_tiny:
			return k == 0 ? 1.0 : 0x1p-24 * sceneRandom_Range(random, 0.0, 2.0);
		case weights_subnormal:
			return k < 2 ? 1.0 : 0x1p-149 * sceneRandom_Index(random, 1u << sceneRandom_Index(random, 24));
		case weights_broken:
			return sceneRandom_Index(random, 3) == 0 ? 0.0 : 1e3 * sceneRandom_Unit(random);
		default:
			return 3.0;
	}
}

static void FillWeights(sceneRandom* random, SkinnedMesh* skinned, Weighting weighting)
{
	uint32_t n = skinned->skin.transformCount, most = n < MOST_INFLUENCES ? n : MOST_INFLUENCES;
	uint32_t same = 1 + sceneRandom_Index(random, most), stride = 1 + sceneRandom_Index(random, 12);
	for (uint32_t v = 0; v < skinned->mesh.vertexCount; ++v)
	{
		const float* p = skinned->mesh.positions + 3 * (size_t)v;
		skinned->skin.starts[v + 1] = skinned->skin.starts[v];
		// Smooth weights need the same transforms everywhere; others choose anew.
		uint32_t first = 0, count = same;
		if (weighting == weights_one)
		{
			first = (uint32_t)(fabs(Along(p, 7)) * 1e4) % n;
			count = 1;
		}
		else if (weighting != weights_linear && weighting != weights_radial)
		{
			first = sceneRandom_Index(random, n);
			count = 1 + sceneRandom_Index(random, weighting == weights_few && most > 4 ? 4 : most);
		}
		for (uint32_t k = 0; k < count; ++k)
		{
			// A step that divides n comes round early: then transforms repeat, and their weights add up.
			uint32_t transform = (first + k * stride) % n;
			AddInfluence(skinned, v, transform, RawWeight(random, weighting, p, transform, k));
		}
	}
}

SkinnedMesh RigidSkin(sceneMesh mesh)
{
	SkinnedMesh skinned = SkinnedMesh_Make(mesh, 1, mesh.vertexCount + (size_t)1);
	for (uint32_t v = 0; v < mesh.vertexCount; ++v)
	{
		skinned.skin.starts[v + 1] = skinned.skin.starts[v];
		AddInfluence(&skinned, v, 0, 1.0);
	}
	skinned.skin.matrices[0] = skinned.skin.matrices[5] = skinned.skin.matrices[10] = 1.0f;
	return skinned;
}

SkinnedMesh LinearSkin(sceneMesh mesh)
{
	SkinnedMesh skinned = SkinnedMesh_Make(mesh, 4, 4 * (size_t)mesh.vertexCount + 1);
	for (uint32_t v = 0; v < mesh.vertexCount; ++v)
	{
		const float* p = mesh.positions + 3 * (size_t)v;
		skinned.skin.starts[v + 1] = skinned.skin.starts[v];
		for (uint32_t j = 0; j < 4; ++j)
		{
			AddInfluence(&skinned, v, j,
			    j < 3 ? 1.0 + 0.8 * (double)p[j] : 4.0 - 0.8 * ((double)p[0] + (double)p[1] + (double)p[2]));
		}
	}
	return skinned;
}

SkinnedMesh ScatteredSkin(sceneRandom* random, sceneMesh mesh, uint32_t transformCount)
{
	SkinnedMesh skinned = SkinnedMesh_Make(mesh, transformCount, (size_t)mesh.vertexCount * MOST_INFLUENCES + 1);
	FillWeights(random, &skinned, weights_scattered);
	return skinned;
}

SkinnedMesh HardSkin(sceneRandom* random)
{
	static const uint32_t counts[] = { 1, 1, 2, 2, 3, 4, 7, 9, 20, 24, 60, 120, 300 };
	sceneMesh mesh = RandomShape(random);
	uint32_t transformCount = counts[sceneRandom_Index(random, LENGTH_OF(counts))];
	SkinnedMesh skinned = SkinnedMesh_Make(mesh, transformCount, (size_t)mesh.vertexCount * MOST_INFLUENCES + 1);
	FillWeights(random, &skinned, (Weighting)sceneRandom_Index(random, WEIGHTINGS));
	ResizeMesh(random, &skinned.mesh);
	return skinned;
}

// --- Poses ----------------------------------------------------------------------------------------------------------

typedef enum Posing
{
	pose_equal,
	pose_nearlyEqual, // but for the last bits
	pose_near,
	pose_unrelated,
	pose_singular,   // rows and columns of zeros
	pose_zero,       // some of them
	pose_mirrored,   // each is another's opposite, so that sums cancel
	pose_farAway,    // translations a million times the mesh
	pose_cancelling, // translations that undo the linear part at some vertex
	POSINGS
} Posing;

static double PosedEntry(sceneRandom* random, Posing posing, double common, uint32_t j)
{
	double chance = sceneRandom_Range(random, -1.0, 1.0);
	switch (posing)
	{
		case pose_nearlyEqual:
			return common * (1.0 + 0x1p-22 * chance);
		case pose_near:
		case pose_farAway:
		case pose_cancelling:
			return common + 1e-3 * chance;
		case pose_unrelated:
			return chance;
		case pose_singular:
			return sceneRandom_Index(random, 3) == 0 ? chance : 0.0;
		case pose_zero:
			return j % 2 == 0 ? common : 0.0;
		case pose_mirrored:
			return j % 2 == 0 ? common : -common;
		default:
			return common;
	}
}

static double LargestCoordinate(const sceneMesh* mesh)
{
	double largest = 0.0;
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		double size = fabs((double)mesh->positions[i]);
		largest = size > largest ? size : largest; // gcc 12 for 64-bit ARM breaks down over fmax here
	}
	return largest;
}

void HardPose(sceneRandom* random, SkinnedMesh* skinned)
{
	static const double sizes[] = { 1.0, 1.0, 1.0, 1e-10, 1e10, 1e-20, 1e20, 1e-30, 1e30, 1e-40 };
	Posing posing = (Posing)sceneRandom_Index(random, POSINGS);
	double reach = LargestCoordinate(&skinned->mesh), size = sizes[sceneRandom_Index(random, LENGTH_OF(sizes))];
	double common[12];
	for (int i = 0; i < 12; ++i)
	{
		common[i] = sceneRandom_Range(random, -1.0, 1.0);
	}
	uint32_t vertex = skinned->mesh.vertexCount > 0 ? sceneRandom_Index(random, skinned->mesh.vertexCount) : 0;
	const float* p = skinned->mesh.positions + 3 * (size_t)vertex;
	for (uint32_t j = 0; j < skinned->skin.transformCount; ++j)
	{
		for (int i = 0; i < 3; ++i)
		{
			float* row = skinned->skin.matrices + 12 * (size_t)j + 4 * i;
			double image = 0.0;
			for (int k = 0; k < 3; ++k)
			{
				row[k] = (float)(size * PosedEntry(random, posing, common[4 * i + k], j));
				image += (double)row[k] * (double)p[k];
			}
			double moved = size * reach * PosedEntry(random, posing, common[4 * i + 3], j);
			moved = posing == pose_cancelling ? -image : posing == pose_farAway ? 1e6 * moved : moved;
			row[3] = (float)fmax(-1e36, fmin(moved, 1e36));
		}
	}
}

// --- Roundings that add up ------------------------------------------------------------------------------------------

// Below, a sum that starts at 1 + 2^-10 has a last bit of 2^-23, so that each further term of less than 2^-24 is lost,
// and each of a little more counts as twice as much: an error of nearly 2^-24 per term, all in one direction.
static const double half = 0x1p-24, more = 1.01, less = 0.99, start = 1.0 + 0x1p-10;

// All vertices at (at, at, at), in triangles of three vertices each: at least so many that there are inner nodes
// besides the root where leaves have one triangle.
static sceneMesh CrowdedMesh(uint32_t vertexCount, float at, uint32_t least)
{
	uint32_t triangleCount = vertexCount / 3 + least;
	sceneMesh mesh = sceneMesh_Allocate(vertexCount, triangleCount);
	assert_true(sceneMesh_IsValid(&mesh));
	for (size_t i = 0; i < 3 * (size_t)vertexCount; ++i)
	{
		mesh.positions[i] = at;
	}
	for (uint32_t i = 0; i < 3 * triangleCount; ++i)
	{
		mesh.triangles[i] = i % vertexCount;
	}
	return mesh;
}

// The same row for all axes: `linear` along the axis itself, and a translation.
static void SetRows(SkinnedMesh* skinned, uint32_t transform, double linear, double translation)
{
	for (int i = 0; i < 3; ++i)
	{
		float* row = skinned->skin.matrices + 12 * (size_t)transform + 4 * i;
		row[i] = (float)linear;
		row[3] = (float)translation;
	}
}

// The least float above x with a product above `product`.
static double JustAbove(double x, double weight, double product)
{
	float y = (float)x;
	while ((double)y * weight <= product)
	{
		y = nextafterf(y, INFINITY);
	}
	return (double)y;
}

static void AlignVertex(SkinnedMesh* skinned, uint32_t n, bool areTies)
{
	double tiny = 0x1.8p-23, sum = 1.0 + (n - 1) * tiny, weight = (double)(float)(tiny / sum);
	skinned->skin.starts[1] = 0;
	for (uint32_t j = 0; j < n; ++j)
	{
		AddInfluence(skinned, 0, j, j == 0 ? 1.0 : tiny);
		if (areTies)
		{
			SetRows(skinned, j, 0.0, j == 0 ? start * sum : JustAbove(half / weight, weight, half));
			continue;
		}
		// The linear part rounds up when blended; with the translation, a hundredth of it, b rounds down.
		double linear = more * half / weight;
		SetRows(skinned, j, j == 0 ? start * sum : linear, j == 0 ? 0.0 : less * half / weight - linear);
	}
}

// Weights of the second vertex are the least. The first transform leads to -1, the others to 1: lambda = -1 is the
// best.
static void AlignPair(SkinnedMesh* skinned, uint32_t n)
{
	for (uint32_t v = 0; v < 2; ++v)
	{
		skinned->skin.starts[v + 1] = skinned->skin.starts[v];
		for (uint32_t j = 0; j < n; ++j)
		{
			AddInfluence(skinned, v, j, j == 0 ? 1.0 : (v == 0 ? 1.02 : 0.53) * half);
			SetRows(skinned, j, 0.0, j == 0 ? -start : 1.0);
		}
	}
}

// Vertex 0 follows transform 0, vertex k gives a little to transform k: half of it is transform k's mean, and the mean
// transform loses all of those.
static void AlignCrowd(SkinnedMesh* skinned, uint32_t n)
{
	for (uint32_t v = 0; v < n; ++v)
	{
		skinned->skin.starts[v + 1] = skinned->skin.starts[v];
		AddInfluence(skinned, v, 0, v == 0 ? 1.0 : 1.0 - 4.0 * less * half);
		if (v > 0)
		{
			AddInfluence(skinned, v, v, 4.0 * less * half);
		}
		SetRows(skinned, v, 0.0, v == 0 ? start : 0.5);
	}
}

// A rectangle at 45 degrees in the plane z = 0, just wide enough to get gradients across. All transforms are equal, so
// the sum over gradient * translation should be zero; instead each term of it but the first and the last is lost along
// x and counts twice along y, and what is left points along the rectangle, against its linear part.
static void AlignSlope(SkinnedMesh* skinned, uint32_t n)
{
	const double wide = 0.142, slope = 0.49 / (wide * sqrt(2.0)), translation = start / slope;
	const double tinySlope[2] = { less * half / translation, -more * half / translation };
	for (uint32_t v = 0; v < 4; ++v)
	{
		double u = v % 2 == 0 ? 1.0 : -1.0, w = v / 2 == 0 ? wide : -wide;
		const double x = (u + w) / sqrt(2.0), y = (u - w) / sqrt(2.0);
		memcpy(skinned->mesh.positions + 3 * v, (float[3]){ (float)x, (float)y, 0.0f }, 3 * sizeof(float));
		skinned->skin.starts[v + 1] = skinned->skin.starts[v];
		double first = 0.5 + slope * (x - y), tiny = 0.7 * half + tinySlope[0] * x + tinySlope[1] * y;
		for (uint32_t j = 0; j < n; ++j)
		{
			AddInfluence(skinned, v, j, j == 0 ? first : j < n - 1 ? tiny : 1.0 - first - (n - 2) * tiny);
		}
	}
	for (size_t row = 0; row < 3 * (size_t)n; ++row)
	{
		float* entries = skinned->skin.matrices + 4 * row;
		entries[0] = entries[1] = (float)(3.0 * n * half);
		entries[3] = (float)translation;
	}
}

static void AlignSubnormals(SkinnedMesh* skinned, uint32_t n)
{
	skinned->skin.starts[1] = 0;
	for (uint32_t j = 0; j < n; ++j)
	{
		AddInfluence(skinned, 0, j, 1.0);
		SetRows(skinned, j, 0.0, 0x1p-149 * ceil(0.5 * n + 0.001));
	}
}

SkinnedMesh AlignedSkin(Alignment alignment, uint32_t n)
{
	static const uint32_t vertexCounts[ALIGNMENTS] = {
		[aligned_vertex] = 1, [aligned_pair] = 2, [aligned_ties] = 1, [aligned_slope] = 4, [aligned_subnormal] = 1
	};
	uint32_t vertexCount = alignment == aligned_crowd ? n : vertexCounts[alignment];
	SkinnedMesh skinned =
	    SkinnedMesh_Make(CrowdedMesh(vertexCount, alignment == aligned_subnormal ? 0.0f : 1.0f, 66), n, 4 * (size_t)n);
	switch (alignment)
	{
		case aligned_pair:
			AlignPair(&skinned, n);
			break;
		case aligned_crowd:
			AlignCrowd(&skinned, n);
			break;
		case aligned_slope:
			AlignSlope(&skinned, n);
			break;
		case aligned_subnormal:
			AlignSubnormals(&skinned, n);
			break;
		default:
			AlignVertex(&skinned, n, alignment == aligned_ties);
			break;
	}
	return skinned;
}

// --- Where a search starts ------------------------------------------------------------------------------------------

// Terms that cancel at p, or one that is large beside the others, so that each further sum rounds, or just any.
static void FillSmallRow(sceneRandom* random, const float* p, double row[4])
{
	uint32_t sort = sceneRandom_Index(random, 3), large = sceneRandom_Index(random, 4);
	for (uint32_t k = 0; k < 4; ++k)
	{
		row[k] = sceneRandom_Range(random, -1.0, 1.0);
		row[k] *= sort == 1 && k != large ? 0x1p-22 : 1.0;
	}
	if (sort == 0)
	{
		row[3] = -(row[0] * (double)p[0] + row[1] * (double)p[1] + row[2] * (double)p[2]);
	}
}

SkinnedMesh SmallSkin(sceneRandom* random)
{
	uint32_t corners = 1 + sceneRandom_Index(random, 3), n = 1 + sceneRandom_Index(random, 4);
	SkinnedMesh skinned = SkinnedMesh_Make(CrowdedMesh(corners, 0.0f, 10), n, (size_t)corners * n);
	for (uint32_t v = 0; v < corners; ++v)
	{
		skinned.skin.starts[v + 1] = skinned.skin.starts[v];
		for (uint32_t k = 0; k < 3; ++k)
		{
			skinned.mesh.positions[3 * v + k] = (float)sceneRandom_Range(random, -1.0, 1.0);
		}
		for (uint32_t j = 0; j < n; ++j)
		{
			AddInfluence(&skinned, v, j, sceneRandom_Range(random, 0.01, 1.0));
		}
	}
	for (int i = 0; i < 3; ++i)
	{
		double row[4];
		FillSmallRow(random, skinned.mesh.positions, row);
		for (uint32_t j = 0; j < n; ++j)
		{
			for (int k = 0; k < 4; ++k)
			{
				skinned.skin.matrices[12 * j + 4 * (uint32_t)i + (uint32_t)k] = (float)row[k];
			}
		}
	}
	return skinned;
}

static float Nudged(float x, int bits)
{
	for (; bits > 0; --bits)
	{
		x = nextafterf(x, INFINITY);
	}
	for (; bits < 0; ++bits)
	{
		x = nextafterf(x, -INFINITY);
	}
	return x;
}

void NudgePose(sceneRandom* random, SkinnedMesh* skinned)
{
	uint32_t entry = sceneRandom_Index(random, 12), only = sceneRandom_Index(random, skinned->skin.transformCount);
	bool isForAll = sceneRandom_Index(random, 2) != 0;
	int bits = (int)sceneRandom_Index(random, 33) - 16;
	double size = sceneRandom_Index(random, 2) != 0 ? 1.0 : 1e-3, factor = 1.0;
	if (sceneRandom_Index(random, 2) != 0)
	{
		factor += size * sceneRandom_Range(random, -0.5, 0.5);
	}
	for (uint32_t j = isForAll ? 0 : only; j < (isForAll ? skinned->skin.transformCount : only + 1); ++j)
	{
		float* number = skinned->skin.matrices + 12 * (size_t)j + entry;
		*number = Nudged((float)((double)*number * factor), bits);
	}
}

void PoseBody(snugBody* body, SkinnedMesh* skinned)
{
	while (snugBody_SetJoints(body, skinned->skin.matrices, 0, skinned->skin.transformCount) != snug_success)
	{
		for (size_t i = 0; i < 12 * (size_t)skinned->skin.transformCount; ++i)
		{
			skinned->skin.matrices[i] = isfinite(skinned->skin.matrices[i]) ? skinned->skin.matrices[i] * 1e-6f : 1.0f;
		}
	}
}

snugStrategy StrategyOf(uint64_t number)
{
	return (snugStrategy)(number % 4);
}

Thing MakeThing(const SkinnedMesh* skinned, snugTreeDef tree, snugStrategy strategy)
{
	return MakeLinear(sceneMesh_Copy(&skinned->mesh), &skinned->skin, tree, strategy);
}
