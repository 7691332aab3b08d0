// papers/bdtree/contact_queries.c: contact spheres against those of another body, a sphere, a plane and triangles.
//
// A walk holds pairs of nodes whose spheres overlap, and descends into the larger one. Spheres above contain the
// contact spheres below them, so that nothing is missed by not descending where they are apart; rounding of these
// tests, in double, is far below what spheres above have grown by.
#include "papers/bdtree/contact_parts.h"

#include "geometry/distance.h"

#include <math.h>
#include <string.h>

// A level of the stack leaves at most one sibling behind, and a walk goes down two trees.
#define MAX_STACK (2 * (CONTACT_LEVELS + 1) + 2)

// So many pairs are split at once: none of them waits for another, so the processor works on all. With many on the
// stack, pairs are split one by one, so that it is bounded.
#define BATCH 8
#define MANY 128

// ---- Two bodies -----------------------------------------------------------------------------------------------------

/// Two nodes whose spheres overlap: of a and of b. Spheres are copied: if another thread is making those that are
/// remembered, they are scratch.
typedef struct Pair
{
	posedSphere spheres[2];
	uint32_t nodes[2];
} Pair;

static double LooseOf(const contactWalk* walk)
{
	return walk->isLoose ? 1.0 + CONTACT_SUMS : 1.0;
}

/// What is left to look at, the first on top.
typedef struct Stack
{
	uint32_t count;
	Pair pairs[MANY + BATCH + MAX_STACK];
} Stack;

/// A pair to be split: the node that stays, and the other one's children.
typedef struct Parting
{
	posedSphere other;
	contactSpheres* split;
	contactFamily children;
	uint32_t node;              ///< the one that stays
	uint32_t side;              ///< of the children: 0 for a, 1 for b
	const posedSphere* spheres; ///< of the children
	posedSphere scratch[2];
} Parting;

// The larger node is split, unless only the other one has something below it. No branch: it would often be mistaken.
// Children are asked for ahead, so that waiting for memory overlaps too.
SG_INLINE void Part(const contactWalk* walk, const Pair* pair, bool isContactA, bool isContactB, Parting* out)
{
	const uint32_t side = isContactA | (!isContactB & !(pair->spheres[0].radius >= pair->spheres[1].radius));
	out->split = side == 0 ? walk->a : walk->b;
	out->children = contactTree_Children(pair->nodes[side]);
	out->other = pair->spheres[1 - side];
	out->node = pair->nodes[1 - side];
	out->side = side;
	__builtin_prefetch((const void*)(out->split->versions + out->children.first));
	__builtin_prefetch(out->split->spheres + out->children.first);
}

// Take pairs from the stack until there are enough to split, or one is a contact that comes after them.
SG_INLINE uint32_t Take(contactWalk* walk, Stack* stack, Parting* batch)
{
	const contactSpheres *a = walk->a, *b = walk->b;
	const uint32_t most = stack->count > MANY ? 1 : BATCH;
	uint32_t count = 0;
	for (; stack->count > 0 && count < most; --stack->count)
	{
		const Pair* pair = stack->pairs + stack->count - 1;
		bool isContactA = contactTree_IsContact(pair->nodes[0], a->level);
		bool isContactB = contactTree_IsContact(pair->nodes[1], b->level);
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
	const contactFamily children = parting->children;
	const posedSphere* spheres = parting->spheres;
	uint32_t count = 0;
	for (uint32_t k = children.count; k-- > 0;)
	{
		Pair* next = top + count;
		next->spheres[1 - side] = parting->other;
		next->spheres[side] = spheres[k];
		next->nodes[1 - side] = parting->node;
		next->nodes[side] = children.first + k;
		count += posedSphere_Overlap(spheres + k, &parting->other, loose);
	}
	return count;
}

static void PushRoots(contactWalk* walk, double loose, Stack* stack)
{
	const contactFamily root = { 0, 1 };
	posedSphere scratch[2];
	Pair* pair = stack->pairs;
	pair->nodes[0] = pair->nodes[1] = 0;
	pair->spheres[0] = *contactSpheres_Get(walk->a, root, scratch, &walk->updates);
	pair->spheres[1] = *contactSpheres_Get(walk->b, root, scratch, &walk->updates);
	stack->count = posedSphere_Overlap(pair->spheres, pair->spheres + 1, loose);
	++walk->tests;
}

void contactWalk_Run(contactWalk* walk)
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
			p->spheres = contactSpheres_Get(p->split, p->children, p->scratch, &walk->updates);
		}
		for (uint32_t i = count; i-- > 0;)
		{
			stack.count += Push(batch + i, loose, stack.pairs + stack.count);
			walk->tests += batch[i].children.count;
		}
	}
}

sphereContact sphereContact_Make(uint32_t a, const posedSphere* sphereA, uint32_t b, const posedSphere* sphereB)
{
	double distance = sqrt(sgPointDistance2(sphereA->center, sphereB->center));
	double depth = (double)sphereA->radius + (double)sphereB->radius - distance;
	return (sphereContact){
		.a = posedSphere_Report(sphereA, a),
		.b = posedSphere_Report(sphereB, b),
		.depth = depth > 0.0 ? (float)depth : 0.0f,
	};
}

// ---- Queries --------------------------------------------------------------------------------------------------------

/// A query of two bodies, or of one and a half space.
typedef struct Search
{
	contactWalk walk; ///< first
	const contactQuery* query;
	contactResult result;
	sgView side; ///< whose triangles are asked about
	snugCounters counters;
} Search;

static void Add(Search* search, const sphereContact* contact)
{
	if (search->result.count < search->query->capacity)
	{
		search->query->contacts[search->result.count] = *contact;
	}
	++search->result.count;
}

static void FoundSpheres(
    contactWalk* walk, uint32_t a, const posedSphere* sphereA, uint32_t b, const posedSphere* sphereB)
{
	sphereContact contact = sphereContact_Make(a, sphereA, b, sphereB);
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
static void AddTriangle(Search* search, sphereContact* contact, sgKeptLeaf kept, uint32_t lane)
{
	float triangle[3][3];
	sgNearest nearest;
	double radius = (double)contact->a.radius;
	sgView_GetTriangle(&search->side, kept, lane, triangle);
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
	contact->b.treeNode = sgView_TriangleNumber(&search->side, kept, lane);
	contact->depth = (float)(radius - sqrt(nearest.distance2));
	Add(search, contact);
}

static void FoundTriangles(
    contactWalk* walk, uint32_t a, const posedSphere* sphereA, uint32_t b, const posedSphere* sphereB)
{
	Search* search = (Search*)(void*)walk;
	const sgTree* tree = search->side.tree;
	const contactTriangles* node = walk->b->tree->nodes + b;
	sphereContact contact = { .a = posedSphere_Report(sphereA, a) };
	(void)sphereB;
	for (uint32_t t = 0; t < node->count; ++t)
	{
		uint32_t place = walk->b->tree->places[node->first + t], slot = tree->leaves[place / SG_LANES].slot;
		sgOpened opened = sgOpen(tree, slot);
		const sgKeptLeaf leaf = sgView_Triangles(&search->side, &opened, slot % SG_LANES, &search->counters);
		AddTriangle(search, &contact, leaf, place % SG_LANES);
	}
}

static uint32_t LevelOf(const contactSpheres* spheres, uint32_t level)
{
	return level > 0 && level < spheres->tree->level ? level : spheres->tree->level;
}

static void RunPair(Search* search, contactSpheres* a, contactSpheres* b, bool isTriangles)
{
	const contactQuery* query = search->query;
	uint32_t standard = isTriangles ? 0 : query->level;
	uint32_t levelB = LevelOf(b, query->otherLevel > 0 ? query->otherLevel : standard);
	search->walk = (contactWalk){ a, b, isTriangles ? FoundTriangles : FoundSpheres, isTriangles, 0, 0 };
	search->result.status = contactSpheres_Begin(a, query->origin, LevelOf(a, query->level));
	if (search->result.status == snug_success)
	{
		search->result.status = contactSpheres_Begin(b, query->origin, levelB);
	}
	if (search->result.status == snug_success && isTriangles)
	{
		sgBox root;
		search->result.status = sgView_Place(&search->side, b->body, query->origin, &root, &search->counters);
	}
	if (search->result.status == snug_success)
	{
		contactWalk_Run(&search->walk);
		search->result.sphereTests = search->walk.tests;
		search->result.spheresUpdated = search->walk.updates;
	}
}

static const contactQuery defaults = { 0 };

static contactResult Collide(contactSpheres* a, contactSpheres* b, const contactQuery* query, bool isTriangles)
{
	Search search; // not zeroed: most of it is scratch
	search.query = query != NULL ? query : &defaults;
	search.result = (contactResult){ .status = snug_success };
	search.counters = (snugCounters){ 0 };
	RunPair(&search, a, b, isTriangles);
	return search.result;
}

contactResult contactSpheres_Collide(contactSpheres* a, contactSpheres* b, const contactQuery* query)
{
	return Collide(a, b, query, false);
}

contactResult contactSpheres_CollideTriangles(contactSpheres* a, contactSpheres* b, const contactQuery* query)
{
	return Collide(a, b, query, true);
}

// ---- One body and a half space --------------------------------------------------------------------------------------

typedef struct HalfSpace
{
	double normal[3]; ///< of unit length
	double offset;
} HalfSpace;

// How far beyond a plane a sphere goes.
static double DepthIn(const HalfSpace* half, const posedSphere* sphere, double* value)
{
	*value = half->offset;
	for (int k = 0; k < 3; ++k)
	{
		*value += half->normal[k] * (double)sphere->center[k];
	}
	return (double)sphere->radius - *value;
}

static bool Meets(const HalfSpace* half, const posedSphere* sphere)
{
	double value;
	return DepthIn(half, sphere, &value) >= 0.0;
}

static sphereContact ContactWith(const HalfSpace* half, const contactSphere* own, const posedSphere* sphere)
{
	sphereContact contact = { .a = *own, .b = { .radius = 0.0f, .treeNode = UINT32_MAX } };
	double value, depth = DepthIn(half, sphere, &value);
	for (int k = 0; k < 3; ++k)
	{
		contact.b.center[k] = (float)((double)sphere->center[k] - value * half->normal[k]);
	}
	contact.depth = depth > 0.0 ? (float)depth : 0.0f;
	return contact;
}

/// A node whose sphere meets the half space.
typedef struct Met
{
	posedSphere sphere;
	uint32_t node;
} Met;

// Those of a family that meet the half space, pushed so that the first is met first; without a branch, as in Push.
static uint32_t PushMet(Search* search, contactSpheres* spheres, contactFamily family, const HalfSpace* half, Met* top)
{
	posedSphere scratch[2];
	const posedSphere* own = contactSpheres_Get(spheres, family, scratch, &search->result.spheresUpdated);
	uint32_t count = 0;
	for (uint32_t k = family.count; k-- > 0;)
	{
		top[count] = (Met){ own[k], family.first + k };
		count += Meets(half, own + k);
	}
	search->result.sphereTests += family.count;
	return count;
}

static void WalkOne(Search* search, contactSpheres* spheres, const HalfSpace* half)
{
	Met stack[MAX_STACK];
	uint32_t count = PushMet(search, spheres, (contactFamily){ 0, 1 }, half, stack);
	while (count > 0)
	{
		const Met met = stack[--count];
		if (contactTree_IsContact(met.node, spheres->level))
		{
			contactSphere own = posedSphere_Report(&met.sphere, met.node);
			sphereContact contact = ContactWith(half, &own, &met.sphere);
			Add(search, &contact);
		}
		else
		{
			count += PushMet(search, spheres, contactTree_Children(met.node), half, stack + count);
		}
	}
}

contactResult contactSpheres_CollidePlane(contactSpheres* a, const snugPlane* plane, const contactQuery* query)
{
	const double* n = plane->normal;
	double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
	const HalfSpace half = { { n[0] / length, n[1] / length, n[2] / length }, plane->offset / length };
	Search search; // not zeroed
	search.query = query != NULL ? query : &defaults;
	search.result = (contactResult){ .status = snug_success };
	search.result.status = contactSpheres_Begin(a, search.query->origin, LevelOf(a, search.query->level));
	if (search.result.status == snug_success)
	{
		WalkOne(&search, a, &half);
	}
	return search.result;
}

// ---- All of a level -------------------------------------------------------------------------------------------------

/// What is listed of a level.
typedef struct Listing
{
	contactSphere* list;
	bool* isSeen; ///< nullable
	uint32_t capacity;
	uint32_t count;
} Listing;

// What has been seen so far stays known.
static void ListFamily(contactSpheres* spheres, contactFamily family, Listing* listing)
{
	posedSphere scratch[2];
	uint64_t updates = 0;
	bool isSeen = contactSpheres_IsMade(spheres, family);
	const posedSphere* own = contactSpheres_Get(spheres, family, scratch, &updates);
	for (uint32_t k = 0; k < family.count; ++k, ++listing->count)
	{
		if (listing->count < listing->capacity)
		{
			listing->list[listing->count] = posedSphere_Report(own + k, family.first + k);
			if (listing->isSeen != NULL)
			{
				listing->isSeen[listing->count] = isSeen;
			}
		}
	}
}

snugStatus contactSpheres_GetLevel(contactSpheres* spheres, const double origin[3], uint32_t level, contactSphere* list,
    bool* isSeen, uint32_t capacity, uint32_t* count)
{
	static const double zero[3] = { 0.0, 0.0, 0.0 };
	Listing listing = { list, isSeen, capacity, 0 };
	snugStatus status = contactSpheres_Begin(spheres, origin != NULL ? origin : zero, LevelOf(spheres, level));
	uint32_t first = contactTree_Start(spheres->level), end = contactTree_Start(spheres->level + 1);
	for (uint32_t i = first; i < end && status == snug_success; i += contactTree_Siblings(i).count)
	{
		ListFamily(spheres, contactTree_Siblings(i), &listing);
	}
	*count = listing.count;
	return status;
}
