// src/query/shapes.c: a body against a sphere, a capsule or a plane: a walk over one tree.
#include "base/fpenv.h"
#include "geometry/margins.h"
#include "geometry/shape.h"
#include "query/probe.h"
#include "query/side.h"

#include <math.h>

typedef struct Search
{
	sgTreeWalk walk;
	const sgKernels* kernels;
	const snugShape* shape;
	const snugShapeQuery* query;
	sgProbe probe;    ///< of a sphere or capsule: its axis, with a slack that contains the radius
	double reach;     ///< of a sphere or capsule: radius and slack
	double normal[3]; ///< of a plane, in body space
	double offset;    ///< of a plane, in body space
	double slack;     ///< of a plane
	uint64_t count;
	snugCounters counters;
	sgSide side;
} Search;

static Search* SearchOf(sgTreeWalk* walk)
{
	return (Search*)(void*)walk;
}

// ---- What is found -------------------------------------------------------------------------------------------------

// The caller's buffer is a heap, with the largest number on top, of the smallest so far.
static void SiftDown(snugShapeContact* contacts, uint64_t count, uint64_t hole)
{
	const snugShapeContact contact = contacts[hole];
	for (uint64_t child; (child = 2 * hole + 1) < count; hole = child)
	{
		child += child + 1 < count && contacts[child].triangle < contacts[child + 1].triangle;
		if (contact.triangle >= contacts[child].triangle)
		{
			break;
		}
		contacts[hole] = contacts[child];
	}
	contacts[hole] = contact;
}

static void Keep(Search* search, const snugShapeContact* contact)
{
	snugShapeContact* contacts = search->query->contacts;
	const uint64_t capacity = search->query->capacity;
	if (search->count < capacity)
	{
		uint64_t hole = search->count;
		for (; hole > 0 && contacts[(hole - 1) / 2].triangle < contact->triangle; hole = (hole - 1) / 2)
		{
			contacts[hole] = contacts[(hole - 1) / 2];
		}
		contacts[hole] = *contact;
	}
	else if (capacity > 0 && contact->triangle < contacts[0].triangle)
	{
		contacts[0] = *contact;
		SiftDown(contacts, capacity, 0);
	}
	++search->count;
}

static void SortContacts(snugShapeContact* contacts, uint64_t count)
{
	while (count > 1)
	{
		--count;
		const snugShapeContact last = contacts[0];
		contacts[0] = contacts[count];
		contacts[count] = last;
		SiftDown(contacts, count, 0);
	}
}

// ---- The walk ------------------------------------------------------------------------------------------------------

static sgOpened Open(sgTreeWalk* walk, uint32_t slot)
{
	return sgOpen(SearchOf(walk)->side.tree, slot);
}

static uint32_t LookRound(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	(void)keys;
	Search* search = SearchOf(walk);
	float SG_ALIGN(32) entries[SG_LANES];
	const sgBounds bounds = sgSide_Bounds(&search->side, opened, &search->counters);
	search->counters.volumeTests += sgCountBits(opened->set.mask);
	return search->kernels->probes->clipBoxes(bounds.boxes, &search->probe, 1.0f, entries) & opened->set.mask;
}

// The greatest, and for a plane the least, of normal . x + offset over a box.
static uint32_t LookFlat(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	(void)keys;
	Search* search = SearchOf(walk);
	const sgBounds bounds = sgSide_Bounds(&search->side, opened, &search->counters);
	search->counters.volumeTests += sgCountBits(opened->set.mask);
	uint32_t met = 0;
	for (uint32_t rest = opened->set.mask; rest != 0; rest &= rest - 1)
	{
		const uint32_t lane = sgLowestBit(rest);
		double least = search->offset, most = search->offset;
		for (int k = 0; k < 3; ++k)
		{
			const double n = search->normal[k];
			least += n * (n > 0.0 ? bounds.boxes->lower[k][lane] : bounds.boxes->upper[k][lane]);
			most += n * (n > 0.0 ? bounds.boxes->upper[k][lane] : bounds.boxes->lower[k][lane]);
		}
		const bool isBelow = search->shape->kind == snug_shapePlane && least > search->slack;
		met |= (uint32_t)(!(most < -search->slack) && !isBelow) << lane;
	}
	return met;
}

// Whether the box of a triangle is near the axis, along each axis of the world.
static bool MayMeet(const Search* search, const float triangle[3][3])
{
	const float *p = search->shape->from, *q = sgShape_End(search->shape);
	bool mayMeet = true;
	for (int k = 0; k < 3; ++k)
	{
		const double low = (p[k] < q[k] ? p[k] : q[k]) - search->reach;
		const double high = (p[k] < q[k] ? q[k] : p[k]) + search->reach;
		const float x = triangle[0][k], y = triangle[1][k], z = triangle[2][k];
		mayMeet = mayMeet && (x <= high || y <= high || z <= high) && (x >= low || y >= low || z >= low);
	}
	return mayMeet;
}

static void Settle(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	Search* search = SearchOf(walk);
	const sgKeptLeaf kept = sgSide_Triangles(&search->side, opened, lane, &search->counters);
	const uint32_t count = sgSide_Lanes(&search->side, kept)->leaf->triangleCount;
	for (uint32_t i = 0; i < count && !walk->isStopped; ++i)
	{
		float triangle[3][3];
		snugShapeContact contact = { .triangle = sgSide_TriangleNumber(&search->side, kept, i) };
		sgSide_GetTriangle(&search->side, kept, i, triangle);
		if (search->reach >= 0.0 && !MayMeet(search, (const float(*)[3])triangle))
		{
			continue;
		}
		++search->counters.triangleTests;
		if (sgShape_Meets(search->shape, (const float(*)[3])triangle, &contact))
		{
			Keep(search, &contact);
			walk->isStopped = search->query->any;
		}
	}
}

static const sgTreeWalker roundWalker = { Open, LookRound, Settle, false };
static const sgTreeWalker flatWalker = { Open, LookFlat, Settle, false };

// ---- Aiming --------------------------------------------------------------------------------------------------------

static double LargestCoordinate(const sgBox* box)
{
	double most = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		most = fmax(most, fmax(fabs((double)box->lower[k]), fabs((double)box->upper[k])));
	}
	return most;
}

// A triangle that is reported has a point within the radius, and 2^-37 of the extent, of a point of the axis. So its
// box, grown by that along each axis, meets the axis itself: as in sgProbe_Make, with more slack. Extents are below
// twice the largest coordinate of all, here `size`.
static void AimRound(Search* search, const sgBox* root)
{
	const snugShape* shape = search->shape;
	const float *p = shape->from, *q = sgShape_End(shape);
	const sgBox placed = sgPlacement_BoundBox(&search->side.placement, root);
	double size = fmax(LargestCoordinate(&placed), LargestCoordinate(root));
	for (int k = 0; k < 3; ++k)
	{
		size = fmax(size, fmax(fabs((double)p[k]), fabs((double)q[k])));
	}
	search->reach = shape->radius + 4.0 * SG_SHAPE_SLACK * size;
	search->probe = sgProbe_Make(&search->side.placement, p, q);
	sgProbe_Widen(&search->probe, search->reach);
}

// normal . (R x + t) + offset = (R^T normal) . x + normal . t + offset; placed positions are off by the placement's
// error along each axis, and sums in double by far less than 2^-45 of the terms.
static void AimFlat(Search* search, const sgBox* root)
{
	const snugShape* shape = search->shape;
	const sgPlacement* placement = &search->side.placement;
	const sgBox placed = sgPlacement_BoundBox(placement, root);
	double sum = 0.0, terms = fabs((double)shape->offset);
	search->offset = shape->offset;
	search->reach = -1.0;
	for (int k = 0; k < 3; ++k)
	{
		search->normal[k] = placement->isIdentity ? shape->normal[k] : 0.0;
		for (int i = 0; i < 3 && !placement->isIdentity; ++i)
		{
			search->normal[k] += placement->rotation[i][k] * shape->normal[i];
		}
		search->offset += placement->isIdentity ? 0.0 : shape->normal[k] * placement->translation[k];
		sum += fabs((double)shape->normal[k]);
		terms += fabs((double)shape->normal[k] * placement->translation[k]);
	}
	terms += 3.0 * sum * fmax(LargestCoordinate(root), LargestCoordinate(&placed));
	search->slack = SG_MARGIN_SHAPE_PLACED * sum * placement->error + SG_MARGIN_SHAPE_SUMS * terms;
}

static SG_NOINLINE snugShapeResult Run(snugBody* body, const snugShape* shape, const snugShapeQuery* query)
{
	Search search; // not zeroed: most of it is scratch
	sgBox root;
	search.walk.isStopped = false;
	search.walk.limit = 1.0f;
	search.kernels = sgGetKernels();
	search.shape = shape;
	search.query = query;
	search.count = 0;
	search.counters = (snugCounters){ 0 };
	snugShapeResult result = { .status = sgSide_Start(&search.side, body, query->origin, &root, &search.counters) };
	if (result.status != snug_success || body->model->tree.triangleCount == 0)
	{
		return result;
	}
	if (shape->kind == snug_shapeSphere || shape->kind == snug_shapeCapsule)
	{
		AimRound(&search, &root);
		sgTreeWalk_Descend(&search.walk, &roundWalker, 0);
	}
	else
	{
		AimFlat(&search, &root);
		sgTreeWalk_Descend(&search.walk, &flatWalker, 0);
	}
	sgSide_Finish(&search.side);
	SortContacts(query->contacts, search.count < query->capacity ? search.count : query->capacity);
	result.count = search.count;
	result.counters = search.counters;
	return result;
}

// ---- The public function -------------------------------------------------------------------------------------------

static bool IsGoodPoint(const float p[3])
{
	// Written so that NaN is none.
	return fabsf(p[0]) <= SNUG_MAX_COORDINATE && fabsf(p[1]) <= SNUG_MAX_COORDINATE &&
	       fabsf(p[2]) <= SNUG_MAX_COORDINATE;
}

static const char* FindFault(const snugShape* shape)
{
	switch (shape->kind)
	{
		case snug_shapeSphere:
		case snug_shapeCapsule:
			return !IsGoodPoint(shape->from) || !IsGoodPoint(sgShape_End(shape)) ? "is not finite or too far out"
			       : !(shape->radius >= 0.0f && shape->radius <= SNUG_MAX_COORDINATE)
			           ? "has a radius that is negative or too large"
			           : NULL;
		case snug_shapePlane:
		case snug_shapeHalfSpace:
			return !IsGoodPoint(shape->normal) || !(fabsf(shape->offset) <= SNUG_MAX_COORDINATE)      ? "is not finite"
			       : shape->normal[0] == 0.0f && shape->normal[1] == 0.0f && shape->normal[2] == 0.0f ? "has no normal"
			                                                                                          : NULL;
		default:
			return "is of no kind that there is";
	}
}

snugShapeResult snugCollideShape(snugBody* body, const snugShape* shape, const snugShapeQuery* query)
{
	static const snugShapeQuery defaults = { .any = false };
	const snugShapeResult misuse = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(body != NULL && shape != NULL, misuse);
	SG_REQUIRE_RESERVED(query, misuse);
	SG_REQUIRE_RESERVED(shape, misuse);
	SG_REQUIRE(query->contacts != NULL || query->capacity == 0, misuse);
	SG_REQUIRE(sgIsFinitePoint(query->origin), misuse);
	const char* fault = FindFault(shape);
	if (fault != NULL)
	{
		return (snugShapeResult){ .status = sgFail(&body->messenger, snug_badInput, "the shape %s", fault) };
	}
	sgFpEnv environment = sgFpEnv_Enter();
	snugShapeResult result = Run(body, shape, query);
	sgFpEnv_Leave(environment);
	return result;
}
