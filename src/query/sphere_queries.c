// src/query/sphere_queries.c: contact spheres against those of another body, a sphere, a plane and triangles.
//
// A walk holds pairs of nodes whose spheres overlap, and descends into the larger one. Spheres above contain the
// contact spheres below them, so that nothing is missed by not descending where they are apart; rounding of these
// tests, in double, is far below what spheres above have grown by.
#include "query/sphere_tree.h"

#include "base/fpenv.h"
#include "geometry/distance.h"
#include "geometry/margins.h"

#include <math.h>
#include <string.h>

// A level of the stack leaves at most seven siblings behind, and a walk goes down two trees.
#define MAX_STACK (2 * (SG_MAX_DEPTH + 1) * (SG_LANES - 1) + 1)

// So many pairs are split at once: none of them waits for another, so the processor works on all. With many on the
// stack, pairs are split one by one, so that it is bounded.
#define BATCH 8
#define MANY 128

// ---- Two bodies -----------------------------------------------------------------------------------------------------

/// Two nodes whose spheres overlap: of a and of b. Spheres are copied: if another thread is making those that are
/// remembered, they are scratch.
typedef struct Pair
{
	sgPosedSphere spheres[2];
	uint32_t nodes[2];
} Pair;

static double LooseOf(const sgSphereWalk* walk)
{
	return walk->isLoose ? 1.0 + SG_MARGIN_SPHERE_SUMS : 1.0;
}

/// What is left to look at, the first on top.
typedef struct Stack
{
	uint32_t count;
	Pair pairs[MANY + BATCH * (SG_LANES - 1) + MAX_STACK];
} Stack;

/// A pair to be split: the node that stays, and the other one's children.
typedef struct Parting
{
	sgPosedSphere other;
	snugSpheres* split;
	sgSphereFamily children;
	uint32_t node;                ///< the one that stays
	uint32_t side;                ///< of the children: 0 for a, 1 for b
	const sgPosedSphere* spheres; ///< of the children
	sgPosedSphere scratch[SG_LANES];
} Parting;

// The larger node is split, unless only the other one has something below it. No branch: it would often be mistaken.
// Children are asked for ahead, so that waiting for memory overlaps too.
SG_INLINE void Part(const sgSphereWalk* walk, const Pair* pair, bool isContactA, bool isContactB, Parting* out)
{
	const uint32_t side = isContactA | (!isContactB & !(pair->spheres[0].radius >= pair->spheres[1].radius));
	out->split = side == 0 ? walk->a : walk->b;
	out->children = out->split->tree->children[pair->nodes[side]];
	out->other = pair->spheres[1 - side];
	out->node = pair->nodes[1 - side];
	out->side = side;
	__builtin_prefetch((const void*)(out->split->versions + out->children.first));
	__builtin_prefetch(out->split->spheres + out->children.first);
}

// Take pairs from the stack until there are enough to split, or one is a contact that comes after them.
SG_INLINE uint32_t Take(sgSphereWalk* walk, Stack* stack, Parting* batch)
{
	const snugSpheres *a = walk->a, *b = walk->b;
	const uint32_t most = stack->count > MANY ? 1 : BATCH;
	uint32_t count = 0;
	for (; stack->count > 0 && count < most; --stack->count)
	{
		const Pair* pair = stack->pairs + stack->count - 1;
		bool isContactA = sgSphereTree_IsContact(a->tree, pair->nodes[0], a->level);
		bool isContactB = sgSphereTree_IsContact(b->tree, pair->nodes[1], b->level);
		if (!(isContactA & isContactB))
		{
			Part(walk, pair, isContactA, isContactB, batch + count++);
		}
		else if (count == 0)
		{
			walk->found(walk, pair->nodes[0], pair->spheres, pair->nodes[1], pair->spheres + 1);
		}
		else
		{
			break;
		}
	}
	return count;
}

// Children against the other node, pushed so that the first is met first. Which of them overlap cannot be foreseen, so
// all are written, and the stack grows by those that do.
SG_INLINE uint32_t Push(const Parting* parting, double loose, Pair* top)
{
	const uint32_t side = parting->side;
	const sgSphereFamily children = parting->children;
	const sgPosedSphere* spheres = parting->spheres;
	uint32_t count = 0;
	for (uint32_t k = children.count; k-- > 0;)
	{
		Pair* next = top + count;
		next->spheres[1 - side] = parting->other;
		next->spheres[side] = spheres[k];
		next->nodes[1 - side] = parting->node;
		next->nodes[side] = children.first + k;
		count += sgPosedSphere_Overlap(spheres + k, &parting->other, loose);
	}
	return count;
}

static void PushRoots(sgSphereWalk* walk, double loose, Stack* stack)
{
	const sgSphereFamily root = { 0, 1 };
	sgPosedSphere scratch[SG_LANES];
	Pair* pair = stack->pairs;
	pair->nodes[0] = pair->nodes[1] = 0;
	pair->spheres[0] = *sgSpheres_Get(walk->a, root, scratch, &walk->updates);
	pair->spheres[1] = *sgSpheres_Get(walk->b, root, scratch, &walk->updates);
	stack->count = sgPosedSphere_Overlap(pair->spheres, pair->spheres + 1, loose);
	++walk->tests;
}

void sgSphereWalk_Run(sgSphereWalk* walk)
{
	Stack stack;          // not zeroed
	Parting batch[BATCH]; // likewise
	const double loose = LooseOf(walk);
	PushRoots(walk, loose, &stack);
	while (stack.count > 0)
	{
		uint32_t count = Take(walk, &stack, batch);
		for (uint32_t i = 0; i < count; ++i) // in the order in which memory was asked for them
		{
			Parting* p = batch + i;
			p->spheres = sgSpheres_Get(p->split, p->children, p->scratch, &walk->updates);
		}
		for (uint32_t i = count; i-- > 0;)
		{
			stack.count += Push(batch + i, loose, stack.pairs + stack.count);
			walk->tests += batch[i].children.count;
		}
	}
}

snugSphereContact sgSphereContact_Make(
    uint32_t a, const sgPosedSphere* sphereA, uint32_t b, const sgPosedSphere* sphereB)
{
	double distance = sqrt(sgDistance2(sphereA->center, sphereB->center));
	double depth = (double)sphereA->radius + (double)sphereB->radius - distance;
	return (snugSphereContact){
		.a = sgPosedSphere_Report(sphereA, a),
		.b = sgPosedSphere_Report(sphereB, b),
		.depth = depth > 0.0 ? (float)depth : 0.0f,
	};
}

// ---- Queries --------------------------------------------------------------------------------------------------------

/// A query of two bodies, or of one and a thing.
typedef struct Search
{
	sgSphereWalk walk; ///< first
	const snugSpheresQuery* query;
	snugSphereResult result;
	sgSide side; ///< whose triangles are asked about
	snugCounters counters;
} Search;

static void Add(Search* search, const snugSphereContact* contact)
{
	if (search->result.count < search->query->capacity)
	{
		search->query->contacts[search->result.count] = *contact;
	}
	++search->result.count;
}

static void FoundSpheres(
    sgSphereWalk* walk, uint32_t a, const sgPosedSphere* sphereA, uint32_t b, const sgPosedSphere* sphereB)
{
	snugSphereContact contact = sgSphereContact_Make(a, sphereA, b, sphereB);
	Add((Search*)(void*)walk, &contact);
}

// Whether a triangle's box is so far away that rounding makes no difference: most triangles of a leaf are.
static bool IsBeyond(const float center[3], double radius, const float triangle[3][3])
{
	double square = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		float p = triangle[0][k], q = triangle[1][k], r = triangle[2][k];
		float lower = p < q ? p : q, upper = p > q ? p : q;
		double below = (double)(lower < r ? lower : r) - (double)center[k];
		double above = (double)center[k] - (double)(upper > r ? upper : r);
		double outside = below > above ? below : above;
		square += outside > 0.0 ? outside * outside : 0.0;
	}
	return square > radius * radius * (1.0 + 0x1p-40);
}

// A triangle, against a sphere that overlaps a sphere around it.
static void AddTriangle(Search* search, snugSphereContact* contact, sgKeptLeaf kept, uint32_t lane)
{
	float triangle[3][3];
	sgNearest nearest;
	double radius = (double)contact->a.radius;
	sgSide_GetTriangle(&search->side, kept, lane, triangle);
	if (IsBeyond(contact->a.center, radius, (const float(*)[3])triangle))
	{
		return;
	}
	sgPoint_ToTriangle(contact->a.center, (const float(*)[3])triangle, &nearest);
	if (!(nearest.distance2 <= radius * radius))
	{
		return;
	}
	for (int k = 0; k < 3; ++k)
	{
		contact->b.center[k] = (float)nearest.b[k];
	}
	contact->b.treeNode = sgSide_TriangleNumber(&search->side, kept, lane);
	contact->depth = (float)(radius - sqrt(nearest.distance2));
	Add(search, contact);
}

static void FoundTriangles(
    sgSphereWalk* walk, uint32_t a, const sgPosedSphere* sphereA, uint32_t b, const sgPosedSphere* sphereB)
{
	Search* search = (Search*)(void*)walk;
	const sgTree* tree = search->side.tree;
	const sgSphereNode* node = walk->b->tree->nodes + b;
	snugSphereContact contact = { .a = sgPosedSphere_Report(sphereA, a) };
	(void)sphereB;
	for (uint32_t t = 0; t < node->count; ++t)
	{
		uint32_t place = walk->b->tree->places[node->first + t], slot = tree->leaves[place / SG_LANES].slot;
		sgOpened opened = sgOpen(tree, slot);
		const sgKeptLeaf leaf = sgSide_Triangles(&search->side, &opened, slot % SG_LANES, &search->counters);
		AddTriangle(search, &contact, leaf, place % SG_LANES);
	}
}

static uint32_t LevelOf(const snugSpheres* spheres, uint32_t level)
{
	return level > 0 && level < spheres->tree->level ? level : spheres->tree->level;
}

static SG_NOINLINE void RunPair(Search* search, snugSpheres* a, snugSpheres* b, bool isTriangles)
{
	const snugSpheresQuery* query = search->query;
	uint32_t standard = isTriangles ? 0 : query->level;
	uint32_t levelB = LevelOf(b, query->otherLevel > 0 ? query->otherLevel : standard);
	search->walk = (sgSphereWalk){ a, b, isTriangles ? FoundTriangles : FoundSpheres, isTriangles, 0, 0 };
	search->result.status = sgSpheres_Begin(a, query->origin, LevelOf(a, query->level));
	if (search->result.status == snug_success)
	{
		search->result.status = sgSpheres_Begin(b, query->origin, levelB);
	}
	if (search->result.status == snug_success && isTriangles)
	{
		sgBox root;
		search->result.status = sgSide_Place(&search->side, b->body, query->origin, &root, &search->counters);
	}
	if (search->result.status == snug_success)
	{
		sgSphereWalk_Run(&search->walk);
		search->result.sphereTests = search->walk.tests;
		search->result.spheresUpdated = search->walk.updates;
	}
}

static bool CheckQuery(const char* function, const snugSpheresQuery* query)
{
	SG_REQUIRE_RESERVED_IN(function, query, false);
	SG_REQUIRE_IN(function, query->contacts != NULL || query->capacity == 0, false);
	SG_REQUIRE_IN(function, sgIsFinitePoint(query->origin), false);
	return true;
}

static const snugSpheresQuery defaults = { 0 };

static snugSphereResult Collide(
    const char* function, snugSpheres* a, snugSpheres* b, const snugSpheresQuery* query, bool isTriangles)
{
	const snugSphereResult misuse = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE_IN(function, a != NULL && b != NULL && a->body != b->body, misuse);
	if (!CheckQuery(function, query))
	{
		return misuse;
	}
	Search search; // not zeroed: most of it is scratch
	search.query = query;
	search.result = (snugSphereResult){ .status = snug_success };
	search.counters = (snugCounters){ 0 };
	sgFpEnv environment = sgFpEnv_Enter();
	RunPair(&search, a, b, isTriangles);
	sgFpEnv_Leave(environment);
	return search.result;
}

snugSphereResult snugSpheres_Collide(snugSpheres* a, snugSpheres* b, const snugSpheresQuery* query)
{
	return Collide(__func__, a, b, query, false);
}

snugSphereResult snugSpheres_CollideTriangles(snugSpheres* a, snugSpheres* b, const snugSpheresQuery* query)
{
	return Collide(__func__, a, b, query, true);
}

// ---- One body and a thing -------------------------------------------------------------------------------------------

/// A sphere, or, if its radius is negative, a half space.
typedef struct Thing
{
	float center[3];
	float radius;
	double normal[3]; ///< of unit length
	double offset;
} Thing;

// How far beyond a plane, or within a sphere, a sphere goes.
static double DepthIn(const Thing* thing, const sgPosedSphere* sphere, double* value)
{
	*value = thing->offset;
	for (int k = 0; k < 3; ++k)
	{
		*value += thing->normal[k] * (double)sphere->center[k];
	}
	return (double)sphere->radius - *value;
}

static bool Meets(const Thing* thing, const sgPosedSphere* sphere)
{
	if (thing->radius < 0.0f)
	{
		double value;
		return DepthIn(thing, sphere, &value) >= 0.0;
	}
	double reach = (double)thing->radius + (double)sphere->radius;
	return sgDistance2(thing->center, sphere->center) <= reach * reach;
}

static snugSphereContact ContactWith(const Thing* thing, const snugSphere* own, const sgPosedSphere* sphere)
{
	snugSphereContact contact = { .a = *own, .b = { .radius = 0.0f, .treeNode = UINT32_MAX } };
	double value, depth;
	if (thing->radius < 0.0f)
	{
		depth = DepthIn(thing, sphere, &value);
		for (int k = 0; k < 3; ++k)
		{
			contact.b.center[k] = (float)((double)sphere->center[k] - value * thing->normal[k]);
		}
	}
	else
	{
		depth = (double)thing->radius + (double)sphere->radius - sqrt(sgDistance2(thing->center, sphere->center));
		memcpy(contact.b.center, thing->center, sizeof(contact.b.center));
		contact.b.radius = thing->radius;
	}
	contact.depth = depth > 0.0 ? (float)depth : 0.0f;
	return contact;
}

/// A node whose sphere meets the thing.
typedef struct Met
{
	sgPosedSphere sphere;
	uint32_t node;
} Met;

// Those of a family that meet the thing, pushed so that the first is met first; without a branch, as in Push.
static uint32_t PushMet(Search* search, snugSpheres* spheres, sgSphereFamily family, const Thing* thing, Met* top)
{
	sgPosedSphere scratch[SG_LANES];
	const sgPosedSphere* own = sgSpheres_Get(spheres, family, scratch, &search->result.spheresUpdated);
	uint32_t count = 0;
	for (uint32_t k = family.count; k-- > 0;)
	{
		top[count] = (Met){ own[k], family.first + k };
		count += Meets(thing, own + k);
	}
	search->result.sphereTests += family.count;
	return count;
}

static void WalkOne(Search* search, snugSpheres* spheres, const Thing* thing)
{
	Met stack[MAX_STACK];
	uint32_t count = PushMet(search, spheres, (sgSphereFamily){ 0, 1 }, thing, stack);
	while (count > 0)
	{
		const Met met = stack[--count];
		if (sgSphereTree_IsContact(spheres->tree, met.node, spheres->level))
		{
			snugSphere own = sgPosedSphere_Report(&met.sphere, met.node);
			snugSphereContact contact = ContactWith(thing, &own, &met.sphere);
			Add(search, &contact);
		}
		else
		{
			count += PushMet(search, spheres, spheres->tree->children[met.node], thing, stack + count);
		}
	}
}

static SG_NOINLINE void RunOne(Search* search, snugSpheres* spheres, const Thing* thing)
{
	uint32_t level = LevelOf(spheres, search->query->level);
	search->result.status = sgSpheres_Begin(spheres, search->query->origin, level);
	if (search->result.status == snug_success)
	{
		WalkOne(search, spheres, thing);
	}
}

static snugSphereResult CollideThing(
    const char* function, snugSpheres* a, const Thing* thing, const snugSpheresQuery* query)
{
	const snugSphereResult misuse = { .status = snug_badArgument };
	SG_REQUIRE_IN(function, a != NULL, misuse);
	if (!CheckQuery(function, query))
	{
		return misuse;
	}
	Search search; // not zeroed
	search.query = query;
	search.result = (snugSphereResult){ .status = snug_success };
	sgFpEnv environment = sgFpEnv_Enter();
	RunOne(&search, a, thing);
	sgFpEnv_Leave(environment);
	return search.result;
}

snugSphereResult snugSpheres_CollideSphere(
    snugSpheres* a, const float center[3], float radius, const snugSpheresQuery* query)
{
	const snugSphereResult misuse = { .status = snug_badArgument };
	SG_REQUIRE(center != NULL && radius >= 0.0f && radius <= SNUG_MAX_COORDINATE, misuse);
	Thing thing = { .radius = radius };
	for (int k = 0; k < 3; ++k)
	{
		SG_REQUIRE(fabsf(center[k]) <= SNUG_MAX_COORDINATE, misuse);
		thing.center[k] = center[k];
	}
	return CollideThing(__func__, a, &thing, query != NULL ? query : &defaults);
}

static SG_NOINLINE bool MakeHalfSpace(const snugPlane* plane, Thing* thing)
{
	const double* n = plane->normal;
	double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
	*thing = (Thing){ .radius = -1.0f, .offset = plane->offset / length };
	for (int k = 0; k < 3; ++k)
	{
		thing->normal[k] = n[k] / length;
	}
	return length > 0.0 && isfinite(length) && isfinite(thing->offset);
}

snugSphereResult snugSpheres_CollidePlane(snugSpheres* a, const snugPlane* plane, const snugSpheresQuery* query)
{
	const snugSphereResult misuse = { .status = snug_badArgument };
	SG_REQUIRE(plane != NULL && sgIsFinitePoint(plane->normal) && isfinite(plane->offset), misuse);
	Thing thing;
	sgFpEnv environment = sgFpEnv_Enter();
	bool isPlane = MakeHalfSpace(plane, &thing);
	sgFpEnv_Leave(environment);
	SG_REQUIRE(isPlane, misuse);
	return CollideThing(__func__, a, &thing, query != NULL ? query : &defaults);
}

// ---- All of a level -------------------------------------------------------------------------------------------------

/// What is listed of a level.
typedef struct Listing
{
	snugSphere* list;
	bool* isSeen; ///< nullable
	uint32_t capacity;
	uint32_t count;
} Listing;

// Boxes are cut by those above, so that all families are made; but what has been seen so far stays known.
static void ListFamily(snugSpheres* spheres, sgSphereFamily family, Listing* listing)
{
	sgPosedSphere scratch[SG_LANES];
	uint64_t updates = 0;
	bool isSeen = sgSpheres_IsMade(spheres, family);
	const sgPosedSphere* own = sgSpheres_Get(spheres, family, scratch, &updates);
	for (uint32_t k = 0; k < family.count; ++k)
	{
		bool isContact = sgSphereTree_IsContact(spheres->tree, family.first + k, spheres->level);
		if (isContact && listing->count < listing->capacity)
		{
			listing->list[listing->count] = sgPosedSphere_Report(own + k, family.first + k);
			if (listing->isSeen != NULL)
			{
				listing->isSeen[listing->count] = isSeen;
			}
		}
		listing->count += isContact;
	}
}

static SG_NOINLINE snugStatus GetLevel(snugSpheres* spheres, const double origin[3], uint32_t level, Listing* listing)
{
	const snugSphereTree* tree = spheres->tree;
	snugStatus status = sgSpheres_Begin(spheres, origin, LevelOf(spheres, level));
	sgSphereFamily family = { 0, 0 };
	for (uint32_t i = 0; i < tree->nodeCount && status == snug_success; i += family.count)
	{
		family = sgSphereTree_Siblings(tree, i);
		if (tree->nodes[i].level <= spheres->level)
		{
			ListFamily(spheres, family, listing);
		}
	}
	return status;
}

snugStatus snugSpheres_GetLevel(snugSpheres* spheres, const double origin[3], uint32_t level, snugSphere* list,
    bool* isSeen, uint32_t capacity, uint32_t* count)
{
	static const double zero[3] = { 0.0, 0.0, 0.0 };
	SG_REQUIRE(count != NULL, snug_badArgument);
	*count = 0;
	SG_REQUIRE(spheres != NULL && (list != NULL || capacity == 0), snug_badArgument);
	origin = origin != NULL ? origin : zero;
	SG_REQUIRE(sgIsFinitePoint(origin), snug_badArgument);
	sgFpEnv environment = sgFpEnv_Enter();
	Listing listing = { list, isSeen, capacity, 0 };
	snugStatus status = GetLevel(spheres, origin, level, &listing);
	*count = listing.count;
	sgFpEnv_Leave(environment);
	return status;
}
