// src/deform/blend_corners.c: see blend_corners.h.
#include "deform/blend_corners.h"

#include "geometry/eigen.h"
#include "geometry/frame.h"

#include <math.h>
#include <string.h>

static inline double Larger(double a, double b)
{
	return a > b ? a : b;
}

static inline double Smaller(double a, double b)
{
	return a < b ? a : b;
}

// ---- Corners ---------------------------------------------------------------------------------------------------

static bool IsListed(
    const uint32_t* corner, uint32_t count, uint32_t corners[][SG_CORNER_TRANSFORMS], uint32_t cornerCount)
{
	for (uint32_t i = 0; i < cornerCount; ++i)
	{
		if (memcmp(corner, corners[i], count * sizeof(uint32_t)) == 0)
		{
			return true;
		}
	}
	return false;
}

// At a corner all weights but one are at a limit, and that one makes the sum what it must be. Bit k of `high`: weight k
// is at its greatest. Where the free one is at a limit too, the corner is met more than once.
uint32_t sgCorners_Enumerate(
    const uint32_t* low, const uint32_t* high, uint32_t count, uint32_t corners[SG_MAX_CORNERS][SG_CORNER_TRANSFORMS])
{
	uint32_t cornerCount = 0;
	for (uint32_t free = 0; free < count; ++free)
	{
		for (uint32_t highs = 0; highs < 1u << count; ++highs)
		{
			if ((highs >> free & 1) != 0)
			{
				continue;
			}
			uint32_t* corner = corners[cornerCount];
			int64_t rest = SG_CORNER_ONE;
			for (uint32_t k = 0; k < count; ++k)
			{
				corner[k] = (highs >> k & 1) != 0 ? high[k] : low[k];
				rest -= k != free ? corner[k] : 0;
			}
			if (rest >= low[free] && rest <= high[free])
			{
				corner[free] = (uint32_t)rest;
				cornerCount += !IsListed(corner, count, corners, cornerCount);
			}
		}
	}
	return cornerCount;
}

// ---- Building --------------------------------------------------------------------------------------------------

typedef struct Builder
{
	const snugModel* model;
	const sgBlendHeader* header;
	const sgWeights* weights;
	sgCornerArrays* out;

	// One piece of memory.
	uint32_t* memory;
	size_t bytes;
	uint32_t* quanta;   ///< (influenceCount): weights in units of 1 / SG_CORNER_ONE; those of a vertex sum to it
	uint32_t* setOf;    ///< (vertexCount): number of the vertex' joint set in the whole model
	uint32_t* members;  ///< (vertexCount): of a node, each once
	uint32_t* grouped;  ///< (vertexCount): the same by joint set
	uint32_t* seenAt;   ///< (vertexCount): 1 + the slot of the node that the vertex was last seen in
	uint32_t* localOf;  ///< (vertexCount): number of a joint set in its node; SG_NONE between uses
	uint32_t* entryOf;  ///< (transformCount): place of a transform in its joint set; SG_NONE between uses
	uint32_t* low;      ///< (transformCount): by entry
	uint32_t* high;     ///< (transformCount)
	uint32_t* vertices; ///< (transformCount): how many have the transform
} Builder;

static bool AllocateScratch(Builder* b)
{
	size_t vertices = b->model->tree.vertexCount, transforms = b->header->transformCount;
	size_t influences = b->weights->starts[vertices];
	b->bytes = (influences + 5 * vertices + 4 * transforms) * sizeof(uint32_t);
	b->memory = sgAllocate(&b->model->allocator, b->bytes);
	if (b->memory == NULL)
	{
		return false;
	}
	b->quanta = b->memory;
	b->setOf = b->quanta + influences;
	b->members = b->setOf + vertices;
	b->grouped = b->members + vertices;
	b->seenAt = b->grouped + vertices;
	b->localOf = b->seenAt + vertices;
	b->entryOf = b->localOf + vertices;
	b->low = b->entryOf + transforms;
	b->high = b->low + transforms;
	b->vertices = b->high + transforms;
	memset(b->seenAt, 0, vertices * sizeof(uint32_t));
	memset(b->localOf, 0xff, vertices * sizeof(uint32_t));
	memset(b->entryOf, 0xff, transforms * sizeof(uint32_t));
	return true;
}

// Integer weights that sum to exactly 1: those of a vertex over their sum, rounded down, and what that leaves goes to
// the largest. Together they are off by less than 2 n units. Rounding down never makes the sum too large: in double the
// quotients sum to 1 within n 2^-52, far below a unit.
static void Quantise(Builder* b, uint32_t vertex)
{
	const sgWeights* weights = b->weights;
	uint32_t first = weights->starts[vertex], end = weights->starts[vertex + 1], largest = first;
	double sum = 0.0;
	for (uint32_t k = first; k < end; ++k)
	{
		sum += (double)weights->weights[k];
		largest = weights->weights[k] > weights->weights[largest] ? k : largest;
	}
	uint32_t rest = SG_CORNER_ONE;
	for (uint32_t k = first; k < end; ++k)
	{
		b->quanta[k] = (uint32_t)((double)weights->weights[k] / sum * (double)SG_CORNER_ONE);
		rest -= b->quanta[k];
	}
	b->quanta[largest] += rest;
}

/// Next influence of a vertex that counts: one whose weight did not vanish.
static uint32_t SkipZeros(const Builder* b, uint32_t k, uint32_t end)
{
	while (k < end && b->quanta[k] == 0)
	{
		++k;
	}
	return k;
}

// An order of joint sets: by the first transform in which they differ.
static int CompareSets(const Builder* b, uint32_t first, uint32_t second)
{
	const sgWeights* weights = b->weights;
	uint32_t i = weights->starts[first], endI = weights->starts[first + 1];
	uint32_t j = weights->starts[second], endJ = weights->starts[second + 1];
	for (;; ++i, ++j)
	{
		i = SkipZeros(b, i, endI);
		j = SkipZeros(b, j, endJ);
		if (i == endI || j == endJ)
		{
			return (i < endI) - (j < endJ);
		}
		if (weights->transforms[i] != weights->transforms[j])
		{
			return weights->transforms[i] < weights->transforms[j] ? -1 : 1;
		}
	}
}

// Vertices by joint set, merging runs of twice the length each time; returns where they are in the end.
static uint32_t* SortBySet(const Builder* b, uint32_t* from, uint32_t* to, uint32_t count)
{
	for (uint64_t length = 1; length < count; length *= 2)
	{
		for (uint64_t start = 0; start < count; start += 2 * length)
		{
			uint64_t middle = start + length < count ? start + length : count;
			uint64_t end = middle + length < count ? middle + length : count, i = start, j = middle;
			for (uint64_t k = start; k < end; ++k)
			{
				bool isLeft = j == end || (i < middle && CompareSets(b, from[i], from[j]) <= 0);
				to[k] = isLeft ? from[i++] : from[j++];
			}
		}
		uint32_t* swap = from;
		from = to;
		to = swap;
	}
	return from;
}

static void NumberSets(Builder* b)
{
	uint32_t count = b->model->tree.vertexCount, number = 0;
	for (uint32_t v = 0; v < count; ++v)
	{
		Quantise(b, v);
		b->members[v] = v;
	}
	const uint32_t* sorted = SortBySet(b, b->members, b->grouped, count);
	for (uint32_t i = 0; i < count; ++i)
	{
		number += i > 0 && CompareSets(b, sorted[i - 1], sorted[i]) != 0;
		b->setOf[sorted[i]] = number;
	}
}

static double FarthestFrom(
    const snugModel* model, const uint32_t* vertices, uint32_t count, const float center[3], uint32_t* farthest)
{
	double most = -1.0;
	for (uint32_t i = 0; i < count; ++i)
	{
		const float* p = model->positions + 3 * (size_t)vertices[i];
		double x = (double)p[0] - (double)center[0], y = (double)p[1] - (double)center[1];
		double z = (double)p[2] - (double)center[2], distance2 = x * x + y * y + z * z;
		if (distance2 > most)
		{
			most = distance2;
			*farthest = vertices[i];
		}
	}
	return sqrt(most);
}

// A ball around rest positions: from the middle of their box, a few ever shorter steps towards whichever is farthest;
// the best of them is mostly within 1 % of the smallest. The centre is float32 from the start, and never leaves the box
// around the positions: those are float32 too.
static void FindRestBall(const snugModel* model, const uint32_t* vertices, uint32_t count, sgJointSet* set)
{
	sgBox box = sgBox_Empty();
	for (uint32_t i = 0; i < count; ++i)
	{
		sgBox_AddPoint(&box, model->positions + 3 * (size_t)vertices[i]);
	}
	double at[3], step = 0.25, least = INFINITY;
	for (int k = 0; k < 3; ++k)
	{
		at[k] = 0.5 * ((double)box.lower[k] + (double)box.upper[k]);
	}
	for (int i = 0; i < 12 && least > 0.0; ++i, step *= 0.8)
	{
		const float center[3] = { sgRoundNearest(at[0]), sgRoundNearest(at[1]), sgRoundNearest(at[2]) };
		uint32_t farthest = 0;
		double distance = FarthestFrom(model, vertices, count, center, &farthest);
		if (distance < least)
		{
			least = distance;
			memcpy(set->center, center, sizeof(center));
		}
		for (int k = 0; k < 3; ++k)
		{
			at[k] += step * ((double)model->positions[3 * (size_t)farthest + (size_t)k] - at[k]);
		}
	}
	set->radius = sgRoundUp(least * (1.0 + 0x1p-40));
}

// The transforms of all vertices of a set, in the order in which they occur, behind those of earlier sets; and the
// least and greatest weight of each.
static void FindLimits(Builder* b, const uint32_t* vertices, uint32_t count, sgJointSet* set)
{
	uint16_t* transforms = b->out->transforms + set->firstTransform;
	for (uint32_t i = 0; i < count; ++i)
	{
		for (uint32_t k = b->weights->starts[vertices[i]]; k < b->weights->starts[vertices[i] + 1]; ++k)
		{
			uint32_t weight = b->quanta[k], transform = b->weights->transforms[k];
			if (weight == 0)
			{
				continue;
			}
			if (b->entryOf[transform] == SG_NONE)
			{
				uint32_t entry = b->entryOf[transform] = set->transformCount++;
				transforms[entry] = (uint16_t)transform;
				b->low[entry] = b->high[entry] = weight;
				b->vertices[entry] = 0;
			}
			uint32_t entry = b->entryOf[transform];
			b->low[entry] = weight < b->low[entry] ? weight : b->low[entry];
			b->high[entry] = weight > b->high[entry] ? weight : b->high[entry];
			++b->vertices[entry];
		}
	}
	for (uint32_t entry = 0; entry < set->transformCount; ++entry)
	{
		b->low[entry] = b->vertices[entry] == count ? b->low[entry] : 0;
		b->entryOf[transforms[entry]] = SG_NONE;
	}
}

static void AddWeights(Builder* b, sgJointSet* set)
{
	uint32_t* weights = b->out->weights + set->firstWeight;
	uint32_t n = set->transformCount;
	if (n > SG_CORNER_TRANSFORMS)
	{
		memcpy(weights, b->low, n * sizeof(uint32_t));
		memcpy(weights + n, b->high, n * sizeof(uint32_t));
		b->out->weightCount += 2 * n;
		return;
	}
	uint32_t corners[SG_MAX_CORNERS][SG_CORNER_TRANSFORMS];
	set->cornerCount = sgCorners_Enumerate(b->low, b->high, n, corners);
	for (uint32_t i = 0; i < set->cornerCount; ++i)
	{
		memcpy(weights + (size_t)n * i, corners[i], n * sizeof(uint32_t));
	}
	b->out->weightCount += n * set->cornerCount;
}

static snugStatus MakeRoom(Builder* b)
{
	sgCornerArrays* out = b->out;
	const snugAllocator* allocator = &b->model->allocator;
	size_t transforms = b->header->transformCount;
	size_t weights = 2 * transforms + SG_MAX_CORNERS * SG_CORNER_TRANSFORMS;
	if ((uint64_t)out->transformCount + transforms > UINT32_MAX || (uint64_t)out->weightCount + weights > UINT32_MAX ||
	    out->setCount == UINT32_MAX)
	{
		return snug_outOfRange;
	}
	bool good = sgBlend_Grow(allocator, (void**)&out->sets, &out->setCapacity, out->setCount, 1, sizeof(sgJointSet)) &&
	            sgBlend_Grow(allocator, (void**)&out->transforms, &out->transformCapacity, out->transformCount,
	                transforms, sizeof(uint16_t)) &&
	            sgBlend_Grow(allocator, (void**)&out->weights, &out->weightCapacity, out->weightCount, weights,
	                sizeof(uint32_t));
	return good ? snug_success : snug_outOfMemory;
}

static snugStatus AddSet(Builder* b, const uint32_t* vertices, uint32_t count)
{
	snugStatus status = MakeRoom(b);
	if (status != snug_success)
	{
		return status;
	}
	sgJointSet set = { .firstTransform = b->out->transformCount, .firstWeight = b->out->weightCount };
	FindRestBall(b->model, vertices, count, &set);
	FindLimits(b, vertices, count, &set);
	AddWeights(b, &set);
	b->out->transformCount += set.transformCount;
	b->out->sets[b->out->setCount++] = set;
	return snug_success;
}

// The vertices below a node, each once.
static uint32_t CollectMembers(Builder* b, uint32_t slot)
{
	const sgTree* tree = &b->model->tree;
	sgLeafRange range = sgTree_LeavesBelow(tree, slot);
	const sgLeaf* last = tree->leaves + range.last;
	uint32_t count = 0;
	for (uint32_t i = tree->leaves[range.first].firstVertex; i < last->firstVertex + last->vertexCount; ++i)
	{
		uint32_t vertex = tree->leafVertices[i];
		if (b->seenAt[vertex] != slot + 1)
		{
			b->seenAt[vertex] = slot + 1;
			b->members[count++] = vertex;
		}
	}
	return count;
}

// Members by joint set: those of set g are grouped[starts[g]] to grouped[starts[g + 1] - 1], and keep their order.
static uint32_t GroupMembers(Builder* b, uint32_t memberCount, uint32_t starts[SG_MAX_JOINT_SETS + 1])
{
	uint32_t distinct = 0, next[SG_MAX_JOINT_SETS] = { 0 };
	for (uint32_t i = 0; i < memberCount; ++i)
	{
		uint32_t* local = b->localOf + b->setOf[b->members[i]];
		*local = *local == SG_NONE ? distinct++ : *local;
	}
	uint32_t count = distinct < SG_MAX_JOINT_SETS ? distinct : SG_MAX_JOINT_SETS;
	for (uint32_t i = 0; i < memberCount; ++i)
	{
		++next[(uint64_t)b->localOf[b->setOf[b->members[i]]] * count / distinct];
	}
	starts[0] = 0;
	for (uint32_t g = 0; g < count; ++g)
	{
		starts[g + 1] = starts[g] + next[g];
		next[g] = starts[g];
	}
	for (uint32_t i = 0; i < memberCount; ++i)
	{
		uint64_t local = b->localOf[b->setOf[b->members[i]]];
		b->grouped[next[local * count / distinct]++] = b->members[i];
	}
	for (uint32_t i = 0; i < memberCount; ++i)
	{
		b->localOf[b->setOf[b->members[i]]] = SG_NONE;
	}
	return count;
}

static snugStatus AddNode(Builder* b, uint32_t slot)
{
	uint32_t starts[SG_MAX_JOINT_SETS + 1];
	uint32_t memberCount = CollectMembers(b, slot);
	uint32_t count = GroupMembers(b, memberCount, starts);
	snugStatus status = snug_success;
	for (uint32_t g = 0; g < count && status == snug_success; ++g)
	{
		status = AddSet(b, b->grouped + starts[g], starts[g + 1] - starts[g]);
	}
	return status;
}

static snugStatus AddNodes(Builder* b)
{
	const sgTree* tree = &b->model->tree;
	uint32_t slots = tree->groupCount * SG_LANES;
	snugStatus status = snug_success;
	for (uint32_t slot = 0; slot < slots; ++slot)
	{
		bool isThere = tree->nodes[slot].first != SG_NONE;
		b->out->starts[slot] = b->out->setCount;
		if (status == snug_success && isThere && (b->header->boundLeaves != 0 || !sgTree_IsLeaf(tree, slot)))
		{
			status = AddNode(b, slot);
		}
	}
	b->out->starts[slots] = b->out->setCount;
	return status;
}

snugStatus sgCorners_Build(
    const snugModel* model, const sgBlendHeader* header, const sgWeights* weights, sgCornerArrays* arrays)
{
	*arrays = (sgCornerArrays){ .startCount = (size_t)model->tree.groupCount * SG_LANES + 1 };
	arrays->starts = sgAllocate(&model->allocator, arrays->startCount * sizeof(uint32_t));
	Builder builder = { .model = model, .header = header, .weights = weights, .out = arrays };
	if (arrays->starts == NULL || !AllocateScratch(&builder))
	{
		return snug_outOfMemory;
	}
	NumberSets(&builder);
	snugStatus status = AddNodes(&builder);
	sgRelease(&model->allocator, builder.memory, builder.bytes);
	return status;
}

void sgCorners_Release(sgCornerArrays* arrays, const snugAllocator* allocator)
{
	sgRelease(allocator, arrays->starts, arrays->startCount * sizeof(uint32_t));
	sgRelease(allocator, arrays->sets, arrays->setCapacity * sizeof(sgJointSet));
	sgRelease(allocator, arrays->transforms, arrays->transformCapacity * sizeof(uint16_t));
	sgRelease(allocator, arrays->weights, arrays->weightCapacity * sizeof(uint32_t));
}

void sgCorners_Write(const sgCornerArrays* arrays, char* data, const size_t offsets[SG_BLEND_ARRAYS])
{
	sgBlend_CopyArray(data + offsets[11], arrays->starts, arrays->startCount * sizeof(uint32_t));
	sgBlend_CopyArray(data + offsets[12], arrays->sets, arrays->setCount * sizeof(sgJointSet));
	sgBlend_CopyArray(data + offsets[13], arrays->transforms, arrays->transformCount * sizeof(uint16_t));
	sgBlend_CopyArray(data + offsets[14], arrays->weights, arrays->weightCount * sizeof(uint32_t));
}

// ---- Files -----------------------------------------------------------------------------------------------------

static bool IsAsMade(const sgBlend* blend, const sgCornerArrays* made)
{
	const sgBlendHeader* header = blend->header;
	if (made->setCount != header->jointSetCount || made->transformCount != header->setTransformCount ||
	    made->weightCount != header->setWeightCount)
	{
		return false;
	}
	return memcmp(blend->jointSetStarts, made->starts, made->startCount * sizeof(uint32_t)) == 0 &&
	       (made->setCount == 0 ||
	           (memcmp(blend->jointSets, made->sets, made->setCount * sizeof(sgJointSet)) == 0 &&
	               memcmp(blend->setTransforms, made->transforms, made->transformCount * sizeof(uint16_t)) == 0 &&
	               memcmp(blend->setWeights, made->weights, made->weightCount * sizeof(uint32_t)) == 0));
}

const char* sgCorners_Check(const snugModel* model, const sgBlend* blend)
{
	const sgWeights weights = {
		.starts = (uint32_t*)(uintptr_t)blend->starts,
		.weights = (float*)(uintptr_t)blend->weights,
		.transforms = (uint16_t*)(uintptr_t)blend->transforms,
	};
	sgCornerArrays made;
	snugStatus status = sgCorners_Build(model, blend->header, &weights, &made);
	const char* fault = status == snug_success ? NULL : "there is no memory to check its joint sets";
	fault = fault == NULL && !IsAsMade(blend, &made) ? "its joint sets are wrong" : fault;
	sgCorners_Release(&made, &model->allocator);
	return fault;
}

// ---- Bounds ----------------------------------------------------------------------------------------------------

// Let M = A^T A and B = V M V^T, with V the eigenvectors as computed. For every y, with x = V^T y,
//     x^T M x = y^T B y <= |y|^2 (largest row sum of |B|)      and      |x|^2 >= |y|^2 (1 - |V V^T - I|),
// and every x is of that form; so the row sum over 1 - |V V^T - I| bounds M's largest eigenvalue however good the
// eigenvectors are. V comes from 30 rotations in double, each orthonormal within 16 * 2^-53: together within 2^-43.
// Entries of M are at most its trace in size; their products are exact, and two sums each, then the six products and
// four sums of an entry of B, put a row sum off by less than 2^-46 of the trace. The last factor covers all but that,
// the square root's own rounding included.
double sgCorners_Stretch(const float matrix[12])
{
	double square[3][3], destroyed[3][3], values[3], vectors[3][3], trace = 0.0, most = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			square[i][k] = 0.0;
			for (int row = 0; row < 3; ++row)
			{
				square[i][k] += (double)matrix[4 * row + i] * (double)matrix[4 * row + k];
			}
			destroyed[i][k] = square[i][k];
		}
		trace += square[i][i];
	}
	sgEigen3(destroyed, values, vectors);
	for (int i = 0; i < 3; ++i)
	{
		double image[3], sum = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			image[k] = square[k][0] * vectors[i][0] + square[k][1] * vectors[i][1] + square[k][2] * vectors[i][2];
		}
		for (int k = 0; k < 3; ++k)
		{
			sum += fabs(vectors[k][0] * image[0] + vectors[k][1] * image[1] + vectors[k][2] * image[2]);
		}
		most = Larger(most, sum);
	}
	return sqrt(most + 0x1p-46 * trace) * (1.0 + 0x1p-40);
}

/// Points within `radius` of a box. At a corner the box is a point, so this is a ball.
typedef struct Part
{
	double lower[3];
	double upper[3];
	double radius;
} Part;

/// What encloses parts, found by going over them twice: first their box, then how far they reach from its middle.
typedef struct Enclosure
{
	bool hasCenter; ///< the second time
	double lower[3];
	double upper[3];
	double center[3];
	double radius;
} Enclosure;

// 2^-30 is more than what rounding takes from a radius on the way: a sum of n products, n below 2^16.
static inline void AddPart(Enclosure* enclosure, const Part* part)
{
	double distance2 = 0.0, radius = part->radius * (1.0 + 0x1p-30);
	if (!enclosure->hasCenter)
	{
		for (int k = 0; k < 3; ++k)
		{
			enclosure->lower[k] = Smaller(enclosure->lower[k], part->lower[k] - radius);
			enclosure->upper[k] = Larger(enclosure->upper[k], part->upper[k] + radius);
		}
		return;
	}
	for (int k = 0; k < 3; ++k)
	{
		double reach = Larger(enclosure->center[k] - part->lower[k], part->upper[k] - enclosure->center[k]);
		distance2 += reach * reach;
	}
	enclosure->radius = Larger(enclosure->radius, sqrt(distance2) + radius);
}

/// What a transform makes of a rest ball: centre and radius.
typedef struct Image
{
	double center[3];
	double radius;
} Image;

static Image ImageOfBall(const sgBlend* blend, const sgBlendPose* pose, const sgJointSet* set, uint32_t entry)
{
	uint32_t transform = blend->setTransforms[set->firstTransform + entry];
	const float* column = sgBlendPose_Columns(pose) + 16 * (size_t)transform;
	Image image;
	for (int k = 0; k < 3; ++k)
	{
		image.center[k] = (double)column[k] * (double)set->center[0] + (double)column[4 + k] * (double)set->center[1] +
		                  (double)column[8 + k] * (double)set->center[2] + (double)column[12 + k];
	}
	image.radius = sgBlendPose_Stretches(pose, blend->header->transformCount)[transform] * (double)set->radius;
	return image;
}

static void AddCorners(const sgBlend* blend, const sgBlendPose* pose, const sgJointSet* set, Enclosure* enclosure)
{
	Image images[SG_CORNER_TRANSFORMS];
	uint32_t n = set->transformCount;
	for (uint32_t j = 0; j < n; ++j)
	{
		images[j] = ImageOfBall(blend, pose, set, j);
	}
	for (uint32_t i = 0; i < set->cornerCount; ++i)
	{
		const uint32_t* weights = blend->setWeights + set->firstWeight + (size_t)n * i;
		Part part = { .radius = 0.0 };
		for (uint32_t j = 0; j < n; ++j)
		{
			double weight = (double)weights[j] * (1.0 / SG_CORNER_ONE);
			for (int k = 0; k < 3; ++k)
			{
				part.lower[k] += weight * images[j].center[k];
			}
			part.radius += weight * images[j].radius;
		}
		memcpy(part.upper, part.lower, sizeof(part.upper));
		AddPart(enclosure, &part);
	}
}

/// Bounds of sum w b over limited weights, as docs/bounds.md has them for ranges: f(lambda) for two lambdas.
typedef struct Program
{
	double low;           ///< sum of low b
	double mean;          ///< sum of (low + high) b
	double first, second; ///< the two largest b
	double firstSpread;   ///< high - low of the largest
	double above;         ///< sum of (high - low) max(0, b - lambda), for the lambda of the second pass
} Program;

enum
{
	PROGRAM_RADIUS = 6, // x, y, z, -x, -y, -z, radius
	PROGRAMS
};

static double ProgramInput(const Image* image, int program)
{
	return program == PROGRAM_RADIUS ? image->radius
	       : program < 3             ? image->center[program]
	                                 : -image->center[program - 3];
}

static void AddToProgram(Program* program, double b, double low, double high)
{
	program->low += low * b;
	program->mean += (low + high) * b;
	if (b > program->first)
	{
		program->second = program->first;
		program->first = b;
		program->firstSpread = high - low;
	}
	else if (b > program->second)
	{
		program->second = b;
	}
}

// Without corners: the box of all blends of the centres, coordinate by coordinate, and the largest blend of the radii.
// One pass finds Eq. (12)'s bounds, a second one those for the weighted means, and the lesser of the two holds.
static void AddLimits(const sgBlend* blend, const sgBlendPose* pose, const sgJointSet* set, Enclosure* enclosure)
{
	const uint32_t *low = blend->setWeights + set->firstWeight, *high = low + set->transformCount;
	Program programs[PROGRAMS];
	double sum = 0.0, lowSum = 0.0, bounds[PROGRAMS];
	for (int p = 0; p < PROGRAMS; ++p)
	{
		programs[p] = (Program){ .first = -INFINITY, .second = -INFINITY };
	}
	for (uint32_t j = 0; j < set->transformCount; ++j)
	{
		Image image = ImageOfBall(blend, pose, set, j);
		lowSum += low[j];
		sum += (double)low[j] + (double)high[j];
		for (int p = 0; p < PROGRAMS; ++p)
		{
			AddToProgram(programs + p, ProgramInput(&image, p), low[j], high[j]);
		}
	}
	for (uint32_t j = 0; j < set->transformCount; ++j)
	{
		Image image = ImageOfBall(blend, pose, set, j);
		for (int p = 0; p < PROGRAMS; ++p)
		{
			double above = ProgramInput(&image, p) - programs[p].mean / sum;
			programs[p].above += above > 0.0 ? above * ((double)high[j] - (double)low[j]) : 0.0;
		}
	}
	for (int p = 0; p < PROGRAMS; ++p)
	{
		const Program* program = programs + p;
		double slack = (double)SG_CORNER_ONE - lowSum;
		double closed = slack * program->second + program->firstSpread * (program->first - program->second);
		double dual = slack * (program->mean / sum) + program->above;
		bounds[p] = (program->low + Smaller(closed, dual)) * (1.0 / SG_CORNER_ONE);
	}
	const Part part = {
		.lower = { -bounds[3], -bounds[4], -bounds[5] },
		.upper = { bounds[0], bounds[1], bounds[2] },
		.radius = bounds[PROGRAM_RADIUS],
	};
	AddPart(enclosure, &part);
}

static void AddJointSets(const sgBlend* blend, const sgBlendPose* pose, uint32_t slot, Enclosure* enclosure)
{
	for (uint32_t i = blend->jointSetStarts[slot]; i < blend->jointSetStarts[slot + 1]; ++i)
	{
		const sgJointSet* set = blend->jointSets + i;
		if (set->cornerCount > 0)
		{
			AddCorners(blend, pose, set, enclosure);
		}
		else
		{
			AddLimits(blend, pose, set, enclosure);
		}
	}
}

// The middle of the box, for the second time; it is float32 from the start.
static void Center(const sgBlendPose* pose, Enclosure* enclosure)
{
	for (int k = 0; k < 3; ++k)
	{
		double reach = pose->reach[k], middle = 0.5 * (enclosure->lower[k] + enclosure->upper[k]);
		enclosure->center[k] = (double)sgRoundNearest(Smaller(Larger(middle, -reach), reach));
	}
	enclosure->hasCenter = true;
	enclosure->radius = 0.0;
}

// No position is farther out than the pose reaches. Where a thin mesh is stretched across, balls may be beyond all
// measure; cutting the box at the reach, and taking the ball around it if that is smaller, keeps everything finite.
static void Cut(const sgBlendPose* pose, Enclosure* enclosure)
{
	double center[3], radius2 = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		enclosure->lower[k] = Larger(enclosure->lower[k], -(double)pose->reach[k]);
		enclosure->upper[k] = Smaller(enclosure->upper[k], (double)pose->reach[k]);
		center[k] = (double)sgRoundNearest(0.5 * (enclosure->lower[k] + enclosure->upper[k]));
		double half = Larger(enclosure->upper[k] - center[k], center[k] - enclosure->lower[k]);
		radius2 += half * half;
	}
	if (sqrt(radius2) < enclosure->radius)
	{
		memcpy(enclosure->center, center, sizeof(center));
		enclosure->radius = sqrt(radius2);
	}
	enclosure->radius *= 1.0 + 0x1p-40;
}

/// Rounding, as a multiple of the reach: evaluation, integer weights, and arithmetic here, with 2 % for what is small.
static double RelativeError(const sgBlendHeader* header)
{
	return 1.02 * (2.03125 * header->maxInfluences + 9.0) * 0x1p-24;
}

// The model has no triangle at all: a box that is empty, and a ball that is never looked at.
static void BoundNothing(sgBoundsOut out, uint32_t lane)
{
	sgBallLanes* balls = (sgBallLanes*)(void*)out.extra;
	sgBox box = sgBox_Empty();
	sgBoxLanes_Set(out.boxes, lane, &box);
	balls->center[0][lane] = balls->center[1][lane] = balls->center[2][lane] = balls->radius[lane] = 0.0f;
}

static void BoundNode(const sgBlend* blend, const sgBlendPose* pose, uint32_t slot, sgBoundsOut out, uint32_t lane)
{
	if (blend->jointSetStarts[slot] == blend->jointSetStarts[slot + 1])
	{
		BoundNothing(out, lane);
		return;
	}
	Enclosure enclosure = {
		.lower = { INFINITY, INFINITY, INFINITY },
		.upper = { -INFINITY, -INFINITY, -INFINITY },
	};
	AddJointSets(blend, pose, slot, &enclosure);
	Center(pose, &enclosure);
	AddJointSets(blend, pose, slot, &enclosure);
	Cut(pose, &enclosure);
	sgBallLanes* balls = (sgBallLanes*)(void*)out.extra;
	double error2 = 0.0;
	sgBox box;
	for (int k = 0; k < 3; ++k)
	{
		double error = RelativeError(blend->header) * (double)pose->reach[k], center = enclosure.center[k];
		box.lower[k] = sgRoundDown(Larger(enclosure.lower[k], center - enclosure.radius) - error);
		box.upper[k] = sgRoundUp(Smaller(enclosure.upper[k], center + enclosure.radius) + error);
		balls->center[k][lane] = (float)center;
		error2 += error * error;
	}
	balls->radius[lane] = sgRoundUp(enclosure.radius + sqrt(error2) * (1.0 + 0x1p-40));
	sgBoxLanes_Set(out.boxes, lane, &box);
}

void sgCorners_Bound(const sgBlend* blend, const sgBlendPose* pose, sgLaneSet set, sgBoundsOut out)
{
	for (uint32_t rest = set.mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		BoundNode(blend, pose, set.group * SG_LANES + lane, out, lane);
	}
}
