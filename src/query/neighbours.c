// src/query/neighbours.c: see neighbours.h.
#include "query/neighbours.h"

#include "geometry/box_kernels.h"
#include "geometry/triangle.h"
#include "query/triangles.h"

#include <string.h>

sgNeighbours* sgNeighbours_Begin(sgNeighbours* neighbours)
{
	memset(neighbours->ofA.leaves, 0, sizeof(neighbours->ofA.leaves));
	memset(neighbours->ofB.leaves, 0, sizeof(neighbours->ofB.leaves));
	return neighbours;
}

// Pairs of lanes that a step looks at; of a node and itself each once, and every lane with itself.
static uint64_t PairsOf(const sgOpened* a, const sgOpened* b)
{
	const uint64_t all = sgMaskProduct(a->set.mask, b->set.mask);
	return a->slot == b->slot ? all & SG_UPPER_HALF : all;
}

// Pairs of lanes of which all that meets, if anything does, meets at rest too and is not asked for. In the rest pose
// nothing else meets.
static uint64_t Certified(sgPairSearch* search, const sgOpened* a, const sgOpened* b)
{
	const snugBody* body = search->a.body;
	const bool keepRest = search->options->keepRest;
	uint64_t certified = 0;
	if (body->isAtRest && !keepRest)
	{
		certified = PairsOf(a, b);
	}
	else if (body->deform->certify != NULL && !sgTree_IsLeaf(search->a.tree, a->slot) &&
	         !sgTree_IsLeaf(search->a.tree, b->slot))
	{
		certified = body->deform->certify(&body->posed, a->slot, b->slot, keepRest) & PairsOf(a, b);
	}
	search->counters.certified += sgCountBits(certified);
	return certified;
}

bool sgNeighbours_AreCertified(sgPairSearch* search, snugBody* body)
{
	search->a.body = body;
	search->a.tree = &body->model->tree;
	const sgOpened root = sgOpen(search->a.tree, 0);
	const snugCounters before = search->counters;
	const bool areAll = Certified(search, &root, &root) == PairsOf(&root, &root);
	search->counters = areAll ? search->counters : before; // the walk asks again
	return areAll;
}

uint64_t sgNeighbours_Compare(sgPairSearch* search, const sgOpened* a, const sgOpened* b)
{
	const uint64_t open = PairsOf(a, b) & ~Certified(search, a, b);
	if (open == 0)
	{
		return 0;
	}
	const sgBoxLanes* boxesA = sgView_Bounds(&search->a, a, &search->counters);
	const sgBoxLanes* boxesB = sgView_Bounds(&search->b, b, &search->counters);
	uint64_t pairs = search->kernels->boxes->overlapBoxes(boxesA, a->set.mask, boxesB, b->set.mask);
	const uint64_t selves = a->slot == b->slot ? SG_DIAGONAL : 0;
	search->counters.volumeTests += sgCountBits(PairsOf(a, b) & ~selves); // all are compared, whatever is known
	return open & (pairs | selves);
}

static void FindCorners(const snugBody* body, const sgLeaf* leaf, sgCornerLanes* corners)
{
	const uint32_t* vertices = body->model->tree.leafVertices + leaf->firstVertex;
	uint32_t twins[SG_MAX_LEAF_VERTICES];
	const bool mayPart = body->deform->deformer == snug_free;
	for (uint32_t v = 0; v < leaf->vertexCount; ++v)
	{
		twins[v] = mayPart ? sgBody_FindTwin(body, vertices[v]) : sgTwinOf(body->model, vertices[v]);
	}
	for (int c = 0; c < 3; ++c)
	{
		for (int t = 0; t < SG_LANES; ++t)
		{
			corners->vertex[c][t] = twins[leaf->corners[c][t]];
		}
	}
}

// The vertices at the corners of triangles of some leaves, lane by lane; good as long as those are.
static const sgCornerLanes* CornersOf(sgKeptCorners* kept, const snugBody* body, uint32_t group, uint32_t lanes)
{
	const uint32_t place = group % SG_LEAF_GROUPS;
	const sgTree* tree = &body->model->tree;
	for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
	{
		const uint32_t lane = sgLowestBit(rest);
		const sgLeaf* leaf = tree->leaves + tree->nodes[group * SG_LANES + lane].first;
		if (kept->leaves[place][lane] != leaf)
		{
			FindCorners(body, leaf, kept->corners[place] + lane);
			kept->leaves[place][lane] = leaf;
		}
	}
	return kept->corners[place];
}

// Bit 3 * i + j: corner i of one and corner j of the other are one vertex.
static uint32_t SharedCorners(const sgCornerLanes* a, uint32_t i, const sgCornerLanes* b, uint32_t j)
{
	uint32_t shared = 0;
	for (uint32_t k = 0; k < 9; ++k)
	{
		shared |= (uint32_t)(a->vertex[k / 3][i] == b->vertex[k % 3][j]) << k;
	}
	return shared;
}

void sgRestTriangle(const snugModel* model, const sgLeaf* leaf, uint32_t lane, uint32_t turn, float triangle[3][3])
{
	for (uint32_t c = 0; c < 3; ++c)
	{
		uint32_t vertex = model->tree.leafVertices[leaf->firstVertex + leaf->corners[(turn + c) % 3][lane]];
		memcpy(triangle[c], model->positions + 3 * (size_t)vertex, sizeof(triangle[c]));
	}
}

// Corners that are shared in a pose are twins, so they are one at rest too.
bool sgNeighbours_MeetAtRest(const sgPairSearch* search, const sgQueuedPair* pair)
{
	if (search->neighbours == NULL || search->options->keepRest)
	{
		return false;
	}
	float a[3][3], b[3][3];
	sgRestTriangle(search->a.body->model, pair->leafA, pair->laneA, pair->turnA, a);
	sgRestTriangle(search->a.body->model, pair->leafB, pair->laneB, pair->turnB, b);
	return sgTriangles_IntersectBeyond((const float(*)[3])a, (const float(*)[3])b, pair->shared);
}

// One pair, as filterNeighbours gives it. A corner that is all they share comes first in both, as kernels want it.
// Corners of an edge that they share are on each other's plane, of which kernels are never certain: those pairs are
// left to the exact test.
static void Queue(
    sgPairSearch* search, const sgKeptLeaf kept[2], const sgCornerLanes* const corners[2], uint32_t candidate)
{
	const uint32_t lane = search->queuedCount, leafA = candidate >> 9, leafB = candidate >> 6 & 7;
	sgQueuedPair pair = { .leafA = sgView_Lanes(kept[0].owner, kept[0])[leafA].leaf,
		.leafB = sgView_Lanes(kept[1].owner, kept[1])[leafB].leaf,
		.laneA = candidate >> 3 & 7,
		.laneB = candidate & 7 };
	const uint32_t shared = SharedCorners(corners[0] + leafA, pair.laneA, corners[1] + leafB, pair.laneB);
	const bool isCorner = shared != 0 && (shared & (shared - 1)) == 0;
	pair.shared = isCorner ? 1 : shared;
	if (isCorner)
	{
		pair.turnA = sgLowestBit(shared) / 3;
		pair.turnB = sgLowestBit(shared) % 3;
	}
	search->queuedAtCorner |= (uint32_t)isCorner << lane;
	static const uint8_t turned[5] = { 0, 1, 2, 0, 1 };
	for (uint32_t c = 0; c < 3; ++c)
	{
		const uint32_t ofA = turned[pair.turnA + c], ofB = turned[pair.turnB + c];
		for (int axis = 0; axis < 3; ++axis)
		{
			search->queue.a[c][axis][lane] = sgView_Lanes(kept[0].owner, kept[0])[leafA].corner[ofA][axis][pair.laneA];
			search->queue.b[c][axis][lane] = sgView_Lanes(kept[1].owner, kept[1])[leafB].corner[ofB][axis][pair.laneB];
		}
	}
	search->queued[lane] = pair;
	sgPairSearch_Queued(search);
}

void sgNeighbours_Settle(sgPairSearch* search, const sgOpened* openedA, uint32_t lanesA, const sgOpened* openedB,
    uint32_t lanesB, uint64_t ends)
{
	const uint32_t groupA = openedA->set.group, groupB = openedB->set.group;
	const bool isOfB = groupA != groupB && groupA % SG_LEAF_GROUPS == groupB % SG_LEAF_GROUPS;
	sgKeptLeaf kept[2];
	kept[0] = sgView_Leaves(&search->a, openedA, lanesA, &search->counters);
	kept[1] = sgView_Leaves(isOfB ? &search->b : &search->a, openedB, lanesB, &search->counters);
	kept[0].generation = search->a.generation; // they are where they were
	sgNeighbours* neighbours = search->neighbours;
	const sgCornerLanes* const corners[2] = { CornersOf(&neighbours->ofA, search->a.body, groupA, lanesA),
		CornersOf(isOfB ? &neighbours->ofB : &neighbours->ofA, search->a.body, groupB, lanesB) };
	uint16_t candidates[SG_MAX_CANDIDATES];
	const uint32_t count = search->kernels->leaves->filterNeighbours(sgView_Lanes(kept[0].owner, kept[0]), corners[0],
	    sgView_Lanes(kept[1].owner, kept[1]), corners[1], ends, &search->counters.triangleTests, candidates);
	for (uint32_t k = 0; k < count && !search->walk.isStopped; ++k)
	{
		Queue(search, kept, corners, candidates[k]);
	}
}
