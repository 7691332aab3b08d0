// src/query/spheres.c: a walk over two trees that ends at contact spheres.
//
// Contact spheres must not depend on what was asked before, so nothing that bodies remember is used here: balls come
// straight from the pose. A sphere above contains the contact spheres below it (deform/papers/contact_spheres.c), so
// none is missed if what does not overlap is not descended into.
#include "base/fpenv.h"
#include "body/body.h"
#include "geometry/margins.h"
#include "model/contents.h"
#include "query/walk.h"

#include <math.h>

/// Balls of a set of nodes.
typedef struct Balls
{
	sgBoxLanes boxes;
	sgBallLanes balls;
} Balls;

/// The spheres below a node, kept while the walk stays below it: a node meets several of the other body one after the
/// other.
typedef struct Kept
{
	uint32_t slot; ///< SG_NONE: nothing yet
	snugSphere spheres[SG_LANES];
} Kept;

typedef struct Side
{
	const snugBody* body;
	const sgTree* tree;
	uint32_t contactLevel;
	sgPlacement placement;
	Kept kept[SG_MAX_DEPTH + 2]; ///< by depth of the walk
} Side;

typedef struct Search
{
	sgPairWalk walk;
	Side a, b;
	const snugSphereQuery* query;
	snugSphereResult result;
} Search;

static Search* SearchOf(sgPairWalk* walk)
{
	return (Search*)(void*)walk;
}

static void UpdateBalls(snugSphereResult* result, const Side* side, sgLaneSet set, Balls* out)
{
	const snugBody* body = side->body;
	body->deform->bound(&body->posed, set, (sgBoundsOut){ &out->boxes, (sgSlabLanes*)(void*)&out->balls });
	result->spheresUpdated += sgCountBits(set.mask);
}

// Placed as vertices are, and rounded once; the radius grows by what that may move the centre.
static snugSphere PlaceBall(const Side* side, const sgBallLanes* balls, uint32_t slot)
{
	uint32_t lane = slot % SG_LANES;
	snugSphere sphere = { .treeNode = slot };
	const sgPlacement* placement = &side->placement;
	for (int i = 0; i < 3; ++i)
	{
		double sum = placement->translation[i];
		for (int k = 0; k < 3; ++k)
		{
			sum += placement->rotation[i][k] * (double)balls->center[k][lane];
		}
		sphere.center[i] = placement->isIdentity ? balls->center[i][lane] : (float)sum;
	}
	// Centre and vertices are each off by the placement's error per axis.
	double slack = placement->isIdentity ? 0.0 : SG_MARGIN_PLACED_SPHERE * placement->error;
	sphere.radius = sgRoundUp((double)balls->radius[lane] + slack);
	return sphere;
}

static double Distance(const snugSphere* a, const snugSphere* b)
{
	double sum = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double difference = (double)a->center[k] - (double)b->center[k];
		sum += difference * difference;
	}
	return sqrt(sum);
}

static void Report(Search* search, const snugSphere* a, const snugSphere* b)
{
	const snugSphereQuery* query = search->query;
	if (search->result.count < query->capacity)
	{
		double depth = (double)a->radius + (double)b->radius - Distance(a, b);
		query->contacts[search->result.count] = (snugSphereContact){ *a, *b, depth > 0.0 ? (float)depth : 0.0f };
	}
	++search->result.count;
}

// Spheres above grow a little for the test: placing rounds their centres by up to the error per axis, both theirs and
// those of what they contain, and the radius of contact spheres has grown by four of it.
static bool Overlap(const Search* search, const snugSphere* a, bool isContactA, const snugSphere* b, bool isContactB)
{
	double reach = (double)a->radius + (double)b->radius;
	reach += isContactA ? 0.0 : SG_MARGIN_SPHERE_ABOVE * search->a.placement.error;
	reach += isContactB ? 0.0 : SG_MARGIN_SPHERE_ABOVE * search->b.placement.error;
	bool isExact = isContactA && isContactB;
	return Distance(a, b) <= reach * (isExact ? 1.0 : 1.0 + SG_MARGIN_SPHERE_SUMS);
}

// The way down ends at contact nodes.
static sgOpened Open(const Side* side, uint32_t slot)
{
	bool isContact = sgTree_IsContact(side->tree, side->contactLevel, slot);
	sgOpened opened = { slot, isContact ? sgTree_Family(side->tree, slot) : sgTree_Children(side->tree, slot) };
	opened.set.mask = isContact ? 1u << (slot % SG_LANES) : opened.set.mask;
	opened.set.leafMask = 0;
	for (uint32_t rest = opened.set.mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		bool isEnd = sgTree_IsContact(side->tree, side->contactLevel, sgOpened_Slot(&opened, lane));
		opened.set.leafMask |= (uint32_t)isEnd << lane;
	}
	return opened;
}

static sgOpened OpenA(sgPairWalk* walk, uint32_t slot)
{
	return Open(&SearchOf(walk)->a, slot);
}

static sgOpened OpenB(sgPairWalk* walk, uint32_t slot)
{
	return Open(&SearchOf(walk)->b, slot);
}

// The placed spheres of what is below a node.
static const snugSphere* SpheresBelow(Search* search, Side* side, const sgOpened* opened)
{
	Kept* kept = side->kept + search->walk.depth;
	if (kept->slot != opened->slot)
	{
		Balls found;
		UpdateBalls(&search->result, side, opened->set, &found);
		for (uint32_t rest = opened->set.mask; rest != 0; rest &= rest - 1)
		{
			uint32_t lane = sgLowestBit(rest);
			kept->spheres[lane] = PlaceBall(side, &found.balls, sgOpened_Slot(opened, lane));
		}
		kept->slot = opened->slot;
	}
	return kept->spheres;
}

static uint64_t Compare(sgPairWalk* walk, const sgOpened* a, const sgOpened* b)
{
	Search* search = SearchOf(walk);
	const snugSphere *spheresA = SpheresBelow(search, &search->a, a), *spheresB = SpheresBelow(search, &search->b, b);
	uint64_t pairs = 0, all = sgMaskProduct(a->set.mask, b->set.mask);
	for (uint64_t rest = all; rest != 0; rest &= rest - 1)
	{
		uint32_t i = sgLowestBit(rest) / SG_LANES, j = sgLowestBit(rest) % SG_LANES;
		bool isContactA = (a->set.leafMask >> i & 1) != 0, isContactB = (b->set.leafMask >> j & 1) != 0;
		bool overlaps = Overlap(search, spheresA + i, isContactA, spheresB + j, isContactB);
		pairs |= overlaps ? rest & -rest : 0;
	}
	search->result.sphereTests += sgCountBits(all);
	return pairs;
}

static void Settle(sgPairWalk* walk, const sgOpened* a, uint32_t laneA, const sgOpened* b, uint32_t laneB)
{
	Search* search = SearchOf(walk);
	const snugSphere *spheresA = SpheresBelow(search, &search->a, a), *spheresB = SpheresBelow(search, &search->b, b);
	Report(search, spheresA + laneA, spheresB + laneB);
}

static const sgPairWalker walker = { OpenA, OpenB, Compare, Settle, NULL };

static bool HasContacts(const snugBody* body)
{
	return sgModel_Describe(body->model).bounds.contactLevel > 0;
}

// Vertices and all balls below are within the root's ball.
static snugStatus PrepareSide(Search* search, Side* side, snugBody* body)
{
	sgBody_Derive(body);
	side->body = body;
	side->tree = &body->model->tree;
	side->contactLevel = sgModel_Describe(body->model).bounds.contactLevel;
	for (uint32_t i = 0; i < SG_MAX_DEPTH + 2; ++i)
	{
		side->kept[i].slot = SG_NONE;
	}
	sgBox root = sgBox_Empty();
	if (side->tree->triangleCount > 0)
	{
		Balls balls;
		UpdateBalls(&search->result, side, sgTree_Family(side->tree, 0), &balls);
		root = sgBoxLanes_Get(&balls.boxes, 0);
	}
	return sgPlacement_Make(&body->frame, search->query->origin, &root, &side->placement)
	           ? snug_success
	           : sgFail(&body->messenger, snug_outOfRange, "the body is too far from the origin");
}

static SG_NOINLINE void Run(snugBody* a, snugBody* b, Search* search)
{
	search->result.status = PrepareSide(search, &search->a, a);
	if (search->result.status == snug_success)
	{
		search->result.status = PrepareSide(search, &search->b, b);
	}
	bool isEmpty = a->model->tree.triangleCount == 0 || b->model->tree.triangleCount == 0;
	if (search->result.status == snug_success && !isEmpty)
	{
		sgPairWalk_Descend(&search->walk, &walker, 0, 0);
	}
}

snugSphereResult snugCollideSpheres(snugBody* a, snugBody* b, const snugSphereQuery* query)
{
	static const snugSphereQuery defaults = { 0 };
	const snugSphereResult misuse = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(a != NULL && b != NULL && a != b, misuse);
	SG_REQUIRE_RESERVED(query, misuse);
	SG_REQUIRE(query->contacts != NULL || query->capacity == 0, misuse);
	SG_REQUIRE(sgIsFinitePoint(query->origin), misuse);
	for (int i = 0; i < 2; ++i)
	{
		const snugBody* body = i == 0 ? a : b;
		if (!HasContacts(body))
		{
			return (snugSphereResult){ .status = sgFail(&body->messenger, snug_badArgument,
				                           "contact spheres need a model of displacement fields with a bound by balls "
				                           "and a contactLevel") };
		}
	}
	Search search; // not zeroed: most of it is scratch
	search.walk.isStopped = false;
	search.query = query;
	search.result = (snugSphereResult){ .status = snug_success };
	sgFpEnv environment = sgFpEnv_Enter();
	Run(a, b, &search);
	sgFpEnv_Leave(environment);
	return search.result;
}

uint32_t snugModel_GetNodeTriangles(const snugModel* model, uint32_t node, uint32_t* triangles, uint32_t capacity)
{
	SG_REQUIRE(model != NULL && (triangles != NULL || capacity == 0), 0);
	const sgTree* tree = &model->tree;
	if (node >= tree->groupCount * SG_LANES || tree->nodes[node].first == SG_NONE || tree->triangleCount == 0)
	{
		return 0;
	}
	sgLeafRange range = sgTree_LeavesBelow(tree, node);
	uint32_t first = tree->leaves[range.first].firstTriangle;
	uint32_t end = tree->leaves[range.last].firstTriangle + tree->leaves[range.last].triangleCount;
	for (uint32_t i = first; i < end && i - first < capacity; ++i)
	{
		triangles[i - first] = tree->triangleMap[i];
	}
	return end - first;
}
