// src/query/contacts.c: traversals that end at contact spheres, and culling by root volumes.
//
// Contact spheres must not depend on what was asked before, so nothing that bodies remember is used here: balls come
// straight from the pose. A sphere above contains the contact spheres below it (deform/fields_contacts.c), so none is
// missed if what does not overlap is not descended into.
#include "base/fpenv.h"
#include "body/body.h"
#include "deform/fields.h"

#include <math.h>
#include <string.h>

/// Balls of a set of nodes.
typedef struct Balls
{
	sgBoxLanes boxes;
	sgBallLanes balls;
} Balls;

/// The spheres below a node, kept while the traversal stays below it: a node meets several of the other body one after
/// the other.
typedef struct Kept
{
	uint32_t slot; ///< SG_NONE: nothing yet
	snugSphere spheres[SG_LANES];
} Kept;

typedef struct Side
{
	const snugBody* body;
	const sgTree* tree;
	const sgFieldsHeader* header;
	sgPlacement placement;
	Kept kept[SG_MAX_DEPTH + 2]; ///< by depth of recursion
} Side;

typedef struct Search
{
	Side a, b;
	const snugSphereQuery* query;
	snugSphereResult result;
} Search;

static void UpdateBalls(snugSphereResult* result, const Side* side, sgLaneSet set, Balls* out)
{
	const snugBody* body = side->body;
	body->deform->bound(body->model, body->pose, set, (sgBoundsOut){ &out->boxes, (sgSlabLanes*)(void*)&out->balls });
	result->spheresUpdated += (uint32_t)__builtin_popcount(set.mask);
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
	double slack = placement->isIdentity ? 0.0 : 4.0 * placement->error;
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
	reach += isContactA ? 0.0 : 8.0 * search->a.placement.error;
	reach += isContactB ? 0.0 : 8.0 * search->b.placement.error;
	bool isExact = isContactA && isContactB;
	return Distance(a, b) <= reach * (isExact ? 1.0 : 1.0 + 0x1p-20);
}

static sgLaneSet Below(const Side* side, uint32_t slot)
{
	if (!sgFields_IsContact(side->tree, side->header, slot))
	{
		return sgTree_Children(side->tree, slot);
	}
	sgLaneSet alone = sgTree_Family(side->tree, slot);
	alone.mask = 1u << (slot % SG_LANES);
	return alone;
}

// The placed spheres of what is below a node, at one depth of recursion.
static const snugSphere* SpheresBelow(
    snugSphereResult* result, Side* side, uint32_t slot, sgLaneSet set, uint32_t depth)
{
	Kept* kept = side->kept + depth;
	if (kept->slot != slot)
	{
		Balls found;
		UpdateBalls(result, side, set, &found);
		for (uint32_t rest = set.mask; rest != 0; rest &= rest - 1)
		{
			uint32_t lane = sgLowestBit(rest);
			kept->spheres[lane] = PlaceBall(side, &found.balls, set.group * SG_LANES + lane);
		}
		kept->slot = slot;
	}
	return kept->spheres;
}

// Everything below two nodes, whose balls overlap and which are not both contact nodes. Each call descends into both
// but for one that is a contact node, so recursion is no deeper than the deeper tree.
static void Descend(Search* search, uint32_t slotA, uint32_t slotB, uint32_t depth)
{
	sgLaneSet setA = Below(&search->a, slotA), setB = Below(&search->b, slotB);
	const snugSphere* spheresA = SpheresBelow(&search->result, &search->a, slotA, setA, depth);
	const snugSphere* spheresB = SpheresBelow(&search->result, &search->b, slotB, setB, depth);
	for (uint32_t restA = setA.mask; restA != 0; restA &= restA - 1)
	{
		const snugSphere* a = spheresA + sgLowestBit(restA);
		bool isContactA = sgFields_IsContact(search->a.tree, search->a.header, a->treeNode);
		for (uint32_t restB = setB.mask; restB != 0; restB &= restB - 1)
		{
			const snugSphere* b = spheresB + sgLowestBit(restB);
			bool isContactB = sgFields_IsContact(search->b.tree, search->b.header, b->treeNode);
			++search->result.sphereTests;
			if (!Overlap(search, a, isContactA, b, isContactB))
			{
				continue;
			}
			if (isContactA && isContactB)
			{
				Report(search, a, b);
			}
			else
			{
				Descend(search, a->treeNode, b->treeNode, depth + 1);
			}
		}
	}
}

static bool HasContacts(const snugBody* body)
{
	const sgFieldsHeader* header = body->model->deformData;
	return body->model->deformer == snug_fields && header->contactLevel > 0;
}

// Vertices and all balls below are within the root's ball.
static snugStatus PrepareSide(Search* search, Side* side, snugBody* body)
{
	side->body = body;
	side->tree = &body->model->tree;
	side->header = body->model->deformData;
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
		Descend(search, 0, 0, 0);
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

// --- Culling --------------------------------------------------------------------------------------------------------

// The greatest value of normal . x + offset over the placed root, with what rounding may add: a few 2^-52 of the terms
// here, and the placement's error of every vertex.
static double GreatestOver(const snugPlane* plane, const sgPlacement* placement, const sgBox* root)
{
	double value = plane->offset, size = fabs(plane->offset), normals = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		value += plane->normal[i] * placement->translation[i];
		size += fabs(plane->normal[i] * placement->translation[i]);
		normals += fabs(plane->normal[i]);
	}
	for (int k = 0; k < 3; ++k)
	{
		double along = 0.0, alongSize = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			along += plane->normal[i] * placement->rotation[i][k];
			alongSize += fabs(plane->normal[i] * placement->rotation[i][k]);
		}
		double far = along > 0.0 ? (double)root->upper[k] : (double)root->lower[k];
		value += along * far;
		size += alongSize * fmax(fabs((double)root->lower[k]), fabs((double)root->upper[k]));
	}
	return value + 2.0 * normals * placement->error + 0x1p-45 * size;
}

static SG_NOINLINE snugStatus IsOutside(
    snugBody* body, const double* origin, const snugPlane* planes, uint32_t count, bool* isOutside)
{
	snugCounters counters = { 0 };
	sgBox root;
	sgPlacement placement;
	snugStatus status = sgBody_MakePlacement(body, origin, &root, &placement, &counters);
	*isOutside = status == snug_success && sgBox_IsEmpty(&root);
	for (uint32_t i = 0; status == snug_success && !*isOutside && i < count; ++i)
	{
		*isOutside = GreatestOver(planes + i, &placement, &root) < 0.0;
	}
	return status;
}

snugStatus snugBody_IsOutside(
    snugBody* body, const double origin[3], const snugPlane* planes, uint32_t count, bool* isOutside)
{
	SG_REQUIRE(isOutside != NULL, snug_badArgument);
	*isOutside = false;
	SG_REQUIRE(body != NULL && (planes != NULL || count == 0), snug_badArgument);
	static const double zero[3] = { 0.0, 0.0, 0.0 };
	origin = origin != NULL ? origin : zero;
	SG_REQUIRE(sgIsFinitePoint(origin), snug_badArgument);
	for (uint32_t i = 0; i < count; ++i)
	{
		const double* normal = planes[i].normal;
		bool isZero = normal[0] == 0.0 && normal[1] == 0.0 && normal[2] == 0.0;
		if (!sgIsFinitePoint(normal) || !isfinite(planes[i].offset) || isZero)
		{
			return sgFail(&body->messenger, snug_badInput, "plane %u is not finite or has no normal", i);
		}
	}
	sgFpEnv environment = sgFpEnv_Enter();
	snugStatus status = IsOutside(body, origin, planes, count, isOutside);
	sgFpEnv_Leave(environment);
	return status;
}
