// test/driver/probes.c: rays, points and shapes against one body.
#include "driver/operations.h"

#include "rational_front.h"
#include "rational_segment.h"

// --- Draws ----------------------------------------------------------------------------------------------------------

static float Limited(double x)
{
	return (float)fmax(fmin(x, (double)SNUG_MAX_COORDINATE), -(double)SNUG_MAX_COORDINATE);
}

// On the surface as float32 has it: a corner, on an edge, inside; or beside it.
static void DrawNear(World* world, const Surface* surface, float p[3])
{
	float c[3][3];
	Surface_Corners(surface, Below(world, surface->triangleCount), c);
	const double s = Chance(world, 0.4) ? 0.0 : 0.25 * (1.0 + Below(world, 3));
	const double t = Chance(world, 0.5) ? 0.0 : 0.25 * (1.0 + Below(world, 3));
	const double beside = Chance(world, 0.6) ? 0.0 : world->scale * Magnitude(world, 1e-6, 1.5);
	for (int k = 0; k < 3; ++k)
	{
		const double onEdge = (double)c[0][k] + s * ((double)c[1][k] - c[0][k]);
		p[k] = Limited(onEdge + t * ((double)c[2][k] - onEdge) + beside * Signed(world));
	}
}

snugRay DrawRay(World* world, const Surface* surface)
{
	snugRay ray;
	DrawNear(world, surface, ray.from);
	DrawNear(world, surface, ray.to);
	switch (Below(world, 6))
	{
		case 0: // along an axis
		{
			const uint32_t axis = Below(world, 3);
			Copy(ray.from, ray.to, sizeof(ray.from));
			ray.from[axis] = Limited((double)ray.from[axis] - 3.0 * world->scale);
			ray.to[axis] = Limited((double)ray.to[axis] + 3.0 * world->scale);
			break;
		}
		case 1: // a point
			Copy(ray.to, ray.from, sizeof(ray.to));
			break;
		case 2: // from far, through
		case 3:
		case 4:
			for (int k = 0; k < 3; ++k)
			{
				const double away = 4.0 * world->scale * Signed(world), at = ray.to[k];
				ray.from[k] = Limited(at + away);
				ray.to[k] = Limited(at - away);
			}
			break;
		default:
			break;
	}
	return ray;
}

// --- Rays -----------------------------------------------------------------------------------------------------------

/// What a ray hits.
typedef struct Hits
{
	uint32_t* triangles;
	double* t; // exact but for one rounding
	uint32_t count;
	double least;
} Hits;

static Hits TrueHits(const Surface* surface, const snugRay* ray)
{
	Hits hits = { Scratch(surface->triangleCount * sizeof(uint32_t)), Scratch(surface->triangleCount * sizeof(double)),
		0, INFINITY };
	for (uint32_t i = 0; i < surface->triangleCount; ++i)
	{
		bool mayMeet = true;
		for (int k = 0; k < 3; ++k)
		{
			mayMeet = mayMeet && fminf(ray->from[k], ray->to[k]) <= surface->boxes[i][1][k] &&
			          surface->boxes[i][0][k] <= fmaxf(ray->from[k], ray->to[k]);
		}
		float c[3][3];
		double t;
		Surface_Corners(surface, i, c);
		if (mayMeet && SegmentMeets(ray->from, ray->to, (const float(*)[3])c))
		{
			RationalSegmentHit(ray->from, ray->to, (const float(*)[3])c, &t);
			hits.triangles[hits.count] = i;
			hits.t[hits.count++] = t;
			hits.least = fmin(hits.least, t);
		}
	}
	return hits;
}

void ExpectNormal(World* world, const float c[3][3], const float found[3])
{
	double u[3], v[3], n[3], length2 = 0.0, size2 = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		u[k] = (double)c[1][k] - c[0][k];
		v[k] = (double)c[2][k] - c[0][k];
	}
	for (int k = 0; k < 3; ++k)
	{
		const int i = (k + 1) % 3, j = (k + 2) % 3;
		n[k] = u[i] * v[j] - u[j] * v[i];
		length2 += n[k] * n[k];
		size2 += (fabs(u[i] * v[j]) + fabs(u[j] * v[i])) * (fabs(u[i] * v[j]) + fabs(u[j] * v[i]));
	}
	const bool isKnown = length2 > 0x1p-40 * size2 && length2 > 1e-250;
	for (int k = 0; k < 3 && isKnown; ++k)
	{
		EXPECT(world, fabs(n[k] / sqrt(length2) - found[k]) <= 1e-6, "the normal is %g %g %g", (double)found[0],
		    (double)found[1], (double)found[2]);
	}
	EXPECT(world, isKnown || HasArea(c) || (found[0] == 0.0f && found[1] == 0.0f && found[2] == 0.0f),
	    "without area there is no normal");
}

// A hit is one of the true ones, and all that it says of itself is so.
static void ExpectHit(
    World* world, const Surface* surface, const snugRay* ray, const Hits* truth, const snugRayHit* hit)
{
	uint32_t at = 0;
	while (at < truth->count && truth->triangles[at] != hit->triangle)
	{
		++at;
	}
	EXPECT(world, at < truth->count, "triangle %u is not hit", hit->triangle);
	EXPECT(world, fabs(hit->t - truth->t[at]) <= 1.01 * 0x1p-38 * truth->t[at] && hit->t <= 1.0,
	    "t is %.17g, not %.17g", hit->t, truth->t[at]);
	float c[3][3];
	Surface_Corners(surface, hit->triangle, c);
	const double sum = hit->weights[0] + hit->weights[1] + hit->weights[2];
	EXPECT(world,
	    fabs(sum - 1.0) <= 0x1p-30 && hit->weights[0] >= 0.0 && hit->weights[1] >= 0.0 && hit->weights[2] >= 0.0,
	    "the weights are %g %g %g", hit->weights[0], hit->weights[1], hit->weights[2]);
	for (int k = 0; k < 3; ++k)
	{
		const double place = ray->from[k] + hit->t * ((double)ray->to[k] - ray->from[k]);
		const double size = fmax(fabs((double)ray->from[k]), fabs((double)ray->to[k]));
		const double sums = hit->weights[0] * c[0][k] + hit->weights[1] * c[1][k] + hit->weights[2] * c[2][k];
		EXPECT(world, fabs(place - hit->position[k]) <= 0x1p-22 * size + 0x1p-149, "it is at %.9g, not %.9g",
		    (double)hit->position[k], place);
		EXPECT(world, fabs(place - sums) <= 0x1p-28 * (size + surface->far), "weights lead to %.12g, not %.12g", sums,
		    place);
	}
	ExpectNormal(world, (const float(*)[3])c, hit->normal);
}

bool CastRays(World* world)
{
	Actor* actor = AnyActor(world);
	snugRayQuery query = { .any = Chance(world, 0.3) };
	DrawOrigin(world, query.origin);
	const Surface* surface = Actor_Surface(world, actor, query.origin);
	if (surface == NULL || surface->triangleCount == 0)
	{
		return false;
	}
	snugRay rays[20];
	const uint32_t count = Below(world, LENGTH_OF(rays) + 1);
	for (uint32_t i = 0; i < count; ++i)
	{
		rays[i] = DrawRay(world, surface);
	}
	const snugRay* given = Given(world, rays, count * sizeof(snugRay));
	snugRayHit* hits = Room(world, count, sizeof(snugRayHit));
	snugResult result;
	CALL(world, result = snugCastRays(actor->body, given, count, hits, &query));
	if (!IsAnswered(world, result.status, surface))
	{
		return false;
	}
	ExpectCounters(world, &result.counters);
	++world->questions;
	for (uint32_t i = 0; i < count; ++i)
	{
		const Hits truth = TrueHits(surface, rays + i);
		result.count -= truth.count > 0;
		EXPECT(world, (hits[i].triangle != SNUG_NONE) == (truth.count > 0), "ray %u hits %u of %u", i, hits[i].triangle,
		    truth.count);
		EXPECT(world, truth.count > 0 || hits[i].t == 2.0, "a miss has t %g", hits[i].t);
		if (truth.count > 0)
		{
			ExpectHit(world, surface, rays + i, &truth, hits + i);
			EXPECT(world, query.any || hits[i].t <= truth.least * (1.0 + 0x1p-37),
			    "another hit is nearer: %.17g before %.17g", truth.least, hits[i].t);
		}
	}
	EXPECT(world, result.count == 0, "the count is off");
	return count > 0;
}

bool FindHits(World* world)
{
	Actor* actor = AnyActor(world);
	snugRayQuery query = { .any = Chance(world, 0.1) };
	DrawOrigin(world, query.origin);
	const Surface* surface = Actor_Surface(world, actor, query.origin);
	if (surface == NULL || surface->triangleCount == 0)
	{
		return false;
	}
	const snugRay ray = DrawRay(world, surface);
	const Hits truth = TrueHits(surface, &ray);
	const uint64_t capacity = Chance(world, 0.5) ? truth.count : Below(world, truth.count + 2);
	snugRayHit* hits = Room(world, capacity, sizeof(snugRayHit));
	snugResult result;
	Tell(world, "%u hits, capacity %llu; ", truth.count, (unsigned long long)capacity);
	const snugRay* given = GIVEN(world, ray);
	CALL(world, result = snugFindHits(actor->body, given, hits, capacity, &query));
	if (!IsAnswered(world, result.status, surface))
	{
		return false;
	}
	ExpectCounters(world, &result.counters);
	++world->questions;
	EXPECT(world, result.count == truth.count, "%llu hits", (unsigned long long)result.count);
	uint32_t notAfter = 0;
	const uint64_t written = capacity < truth.count ? capacity : truth.count;
	for (uint64_t i = 0; i < written; ++i)
	{
		ExpectHit(world, surface, &ray, &truth, hits + i);
		EXPECT(world,
		    i == 0 || hits[i - 1].t < hits[i].t ||
		        (hits[i - 1].t == hits[i].t && hits[i - 1].triangle < hits[i].triangle),
		    "hits are not sorted");
	}
	for (uint32_t i = 0; i < truth.count && written > 0; ++i)
	{
		notAfter += truth.t[i] < hits[written - 1].t * (1.0 - 0x1p-37);
	}
	EXPECT(world, written == 0 || notAfter < written, "nearer hits are missing");
	// What is cast hits the first of them.
	snugRayHit first = { 0 };
	query.any = false;
	CALL(world, snugCastRays(actor->body, given, 1, &first, &query));
	EXPECT(world, written == 0 || memcmp(&first, hits, sizeof(first)) == 0,
	    "it hits %u at %.17g, and %u at %.17g first", hits[0].triangle, hits[0].t, first.triangle, first.t);
	return true;
}

// --- Inside ---------------------------------------------------------------------------------------------------------

/// Where a point is.
typedef struct Truth
{
	snugPointSide place;
	bool isKnown, hasWinding;
} Truth;

// By crossings of a segment in any direction if the surface is closed, otherwise along the first axis.
static Truth TruePlace(World* world, const Actor* actor, const Surface* surface, const float p[3])
{
	Truth truth = { { .triangle = TriangleAt(surface, p) }, .isKnown = true, .hasWinding = true };
	if (truth.place.triangle != SNUG_NONE)
	{
		truth.place.side = snug_onSurface;
		return truth;
	}
	int crossings = -1, winding = 0;
	for (int tries = 0; tries < 20 && crossings < 0; ++tries)
	{
		float q[3] = { fmaxf(p[0], surface->box[1][0]) + (float)(world->scale + surface->extent), p[1], p[2] };
		for (int k = 0; k < 3 && Actor_IsClosed(actor); ++k)
		{
			q[k] = p[k] + (float)(RandomSign(&world->random) * Between(world, 1e37, 2e37));
		}
		crossings = CountCrossings(surface, p, q, &winding);
	}
	truth.isKnown = crossings >= 0;
	truth.hasWinding = actor->kind->isOriented || !Actor_IsClosed(actor);
	truth.place.side = crossings % 2 != 0 ? snug_inside : snug_outside;
	truth.place.winding = winding;
	return truth;
}

// On half-lines through corners and edges, and as close to the surface as float32 comes.
static void DrawHardPoint(World* world, const Surface* surface, float p[3])
{
	DrawNear(world, surface, p);
	const float* v = surface->positions + 3 * (size_t)surface->triangles[Below(world, 3 * surface->triangleCount)];
	switch (Below(world, 4))
	{
		case 0:
			Copy(p + 1, v + 1, 2 * sizeof(float));
			break;
		case 1:
			Copy(p, v, 3 * sizeof(float));
			p[Below(world, 3)] = nextafterf(p[0], Chance(world, 0.5) ? -1e35f : 1e35f);
			break;
		default:
			break;
	}
}

bool FindInside(World* world)
{
	Actor* actor = AnyActor(world);
	double origin[3];
	DrawOrigin(world, origin);
	const Surface* surface = Actor_Surface(world, actor, origin);
	if (surface == NULL || surface->triangleCount == 0)
	{
		return false;
	}
	float points[6][3];
	const uint32_t count = Below(world, 7);
	const size_t stride = DrawStride(world, 12);
	for (uint32_t i = 0; i < count; ++i)
	{
		DrawHardPoint(world, surface, points[i]);
	}
	const float* given = StridedGiven(world, points, count, 12, stride);
	snugPointSide* places = Room(world, count, sizeof(snugPointSide));
	snugResult result;
	CALL(world, result = snugFindInside(actor->body, given, stride, count, places, GIVEN(world, origin)));
	if (!IsAnswered(world, result.status, surface))
	{
		return false;
	}
	ExpectCounters(world, &result.counters);
	++world->questions;
	for (uint32_t i = 0; i < count; ++i)
	{
		const Truth truth = TruePlace(world, actor, surface, points[i]);
		result.count -= places[i].side != snug_outside;
		EXPECT(world,
		    !truth.isKnown || (places[i].side == truth.place.side && places[i].triangle == truth.place.triangle),
		    "(%a %a %a) is at %d on %u, not %d on %u", (double)points[i][0], (double)points[i][1], (double)points[i][2],
		    (int)places[i].side, places[i].triangle, (int)truth.place.side, truth.place.triangle);
		EXPECT(world, !truth.isKnown || !truth.hasWinding || places[i].winding == truth.place.winding,
		    "the winding number of (%a %a %a) is %d, not %d", (double)points[i][0], (double)points[i][1],
		    (double)points[i][2], places[i].winding, truth.place.winding);
	}
	EXPECT(world, result.count == 0, "the count is off");
	return count > 0;
}

// In front of some triangles, along the first axis.
bool FindSelfInside(World* world)
{
	const Actor* actor = AnyActor(world);
	const sceneMesh* mesh = &actor->kind->skinned.mesh;
	if (!Actor_MayMeetItself(actor) || mesh->triangleCount == 0)
	{
		return false;
	}
	snugPointSide* vertices = Room(world, mesh->vertexCount, sizeof(snugPointSide));
	snugPointSide* triangles = Room(world, mesh->triangleCount, sizeof(snugPointSide));
	const bool asksVertices = Chance(world, 0.7), asksTriangles = !asksVertices || Chance(world, 0.5);
	snugResult result;
	CALL(world,
	    result = snugFindSelfInside(actor->body, asksVertices ? vertices : NULL, asksTriangles ? triangles : NULL));
	EXPECT(world, result.status == snug_success && result.complete, "it says: %s", snugGetStatusText(result.status));
	ExpectCounters(world, &result.counters);
	++world->questions;
	Surface surface = Actor_OwnSurface(world, actor);
	float(*corners)[3][3] = Scratch(mesh->triangleCount * sizeof(*corners));
	for (uint32_t i = 0; i < mesh->triangleCount; ++i)
	{
		Surface_Corners(&surface, i, corners[i]);
	}
	for (int tries = 0; tries < 3; ++tries)
	{
		const uint32_t v = mesh->triangles[Below(world, 3 * mesh->triangleCount)];
		const uint32_t t = asksVertices ? vertices[v].triangle : Below(world, mesh->triangleCount);
		if (t == SNUG_NONE || (!asksVertices && triangles[t].triangle == SNUG_NONE))
		{
			continue;
		}
		float front[3][3];
		int first = 0;
		for (int c = 0; c < 3 && asksVertices; ++c)
		{
			const float *p = corners[t][c], *q = surface.positions + 3 * (size_t)v;
			first = p[0] == q[0] && p[1] == q[1] && p[2] == q[2] ? c : first;
		}
		for (int c = 0; c < 3; ++c)
		{
			Copy(front[c], corners[t][(first + c) % 3], sizeof(front[c]));
		}
		const snugPointSide* found = asksVertices ? vertices + v : triangles + t;
		const int32_t winding = world->isExtreme ? found->winding
		                                         : RationalWindingInFront((const float(*)[3][3])corners,
		                                               mesh->triangleCount, (const float(*)[3])front, NULL);
		EXPECT(world, winding == INT32_MAX || found->winding == winding,
		    "the winding number in front of %u is %d, not %d", t, found->winding, winding);
	}
	Surface_Free(&surface);
	return true;
}

// Two bodies, the second closed if there is one, the first often about its middle, or where it is.
static bool DrawNested(World* world, Two* two)
{
	for (int tries = 0; tries < 4; ++tries)
	{
		if (!DrawTwo(world, two))
		{
			return false;
		}
		if (Actor_IsClosed(two->b))
		{
			break;
		}
	}
	if (two->a->kind == two->b->kind && Chance(world, 0.3))
	{
		Actor_Imitate(world, two->a, two->b);
	}
	else if (Chance(world, 0.4))
	{
		snugFrame frame = two->b->frame;
		frame.position[Below(world, 3)] += 0.1 * world->scale * Signed(world);
		Actor_SetFrame(world, two->a, &frame);
	}
	two->surfaceA = Actor_Surface(world, two->a, two->origin);
	return two->surfaceA != NULL && Actor_IsClosed(two->b);
}

bool FindBodyInside(World* world)
{
	Two two; // the first in the second
	if (!DrawNested(world, &two) || (uint64_t)two.surfaceA->triangleCount * two.surfaceB->triangleCount > 60000)
	{
		return false;
	}
	FindTruth(world, &two);
	bool isAny[3] = { false };
	for (uint32_t t = 0; t < two.surfaceA->triangleCount && two.surfaceB->triangleCount > 0 && two.truth.count == 0;
	     ++t)
	{
		float c[3][3];
		Surface_Corners(two.surfaceA, t, c);
		const Truth truth = TruePlace(world, two.b, two.surfaceB, c[0]);
		if (!truth.isKnown)
		{
			return false;
		}
		isAny[truth.place.side] = true;
	}
	const bool isIn = isAny[snug_inside], isOut = isAny[snug_outside];
	const snugSide expected = two.truth.count > 0 ? snug_onSurface
	                          : isIn && isOut     ? snug_partlyInside
	                          : isIn              ? snug_inside
	                                              : snug_outside;
	const double* given = GIVEN(world, two.origin);
	const bool isAsked = Chance(world, 0.9);
	snugSide side = snug_partlyInside;
	snugResult result;
	CALL(world, result = snugFindBodyInside(two.a->body, two.b->body, given, isAsked ? &side : NULL));
	if (!IsAnswered(world, result.status, two.surfaceA))
	{
		return false;
	}
	ExpectCounters(world, &result.counters);
	EXPECT(world, (!isAsked || side == expected) && result.count == (expected == snug_inside), "it is at %d, not %d",
	    (int)side, (int)expected);
	return true;
}

static void ExpectDepth(
    World* world, const Surface* surface, const float p[3], double limit, const snugVertexDepth* depth)
{
	snugClosest closest = { .distance = depth->depth, .triangle = depth->triangle };
	Copy(closest.position, depth->position, sizeof(closest.position));
	Copy(closest.normal, depth->normal, sizeof(closest.normal));
	ExpectClosest(world, surface, p, limit, &closest);
}

bool FindVertexDepths(World* world)
{
	Two two; // the first in the second
	if (!DrawNested(world, &two) || (uint64_t)two.surfaceA->vertexCount * two.surfaceB->triangleCount > 30000)
	{
		return false;
	}
	snugDistanceQuery query = { .maxDistance = DrawLimit(world, INFINITY) };
	Copy(query.origin, two.origin, sizeof(query.origin));
	const uint32_t count = two.surfaceA->vertexCount;
	const uint64_t capacity = Chance(world, 0.6) ? count : Below(world, count + 1);
	snugVertexDepth* depths = Room(world, capacity, sizeof(snugVertexDepth));
	Tell(world, "%u vertices, capacity %llu; ", count, (unsigned long long)capacity);
	const snugDistanceQuery* given = GIVEN(world, query);
	snugResult result;
	CALL(world, result = snugFindVertexDepths(two.a->body, two.b->body, depths, capacity, given));
	if (!IsAnswered(world, result.status, two.surfaceA))
	{
		return false;
	}
	ExpectCounters(world, &result.counters);
	++world->questions;
	uint64_t next = 0, certain = 0, possible = 0;
	for (uint32_t v = 0; v < count; ++v)
	{
		const float* p = two.surfaceA->positions + 3 * (size_t)v;
		const Truth truth = TruePlace(world, two.b, two.surfaceB, p);
		const bool isInside = truth.place.side != snug_outside;
		const bool isFound = next < result.count && next < capacity && depths[next].vertex == v;
		certain += truth.isKnown && isInside;
		possible += !truth.isKnown || isInside;
		EXPECT(world, !truth.isKnown || isFound == isInside || next == capacity, "vertex %u is at %d", v,
		    (int)truth.place.side);
		if (isFound)
		{
			ExpectDepth(
			    world, two.surfaceB, p, query.maxDistance > 0.0 ? query.maxDistance : INFINITY, depths + next++);
		}
	}
	EXPECT(world,
	    result.complete && next == (result.count < capacity ? result.count : capacity) && result.count >= certain &&
	        result.count <= possible,
	    "%llu vertices, not %llu", (unsigned long long)result.count, (unsigned long long)certain);
	return possible > 0;
}

// --- Shapes ---------------------------------------------------------------------------------------------------------

snugShape DrawShape(World* world, const Surface* surface)
{
	snugShape shape = { .kind = (snugShapeKind)Below(world, 4) };
	float p[3];
	DrawNear(world, surface, shape.from);
	DrawNear(world, surface, shape.to);
	DrawNear(world, surface, p);
	double sum = 0.0, length2 = 0.0;
	const bool isAligned = Chance(world, 0.4);
	const uint32_t axis = Below(world, 3);
	for (uint32_t k = 0; k < 3; ++k)
	{
		shape.plane.normal[k] = isAligned ? (k == axis ? 0.75 : 0.0) : Signed(world);
		sum += shape.plane.normal[k] * p[k];
		length2 += ((double)p[k] - shape.from[k]) * ((double)p[k] - shape.from[k]);
	}
	shape.plane.offset = (double)Limited(-sum);
	shape.radius = Limited(Chance(world, 0.5) ? sqrt(length2) : world->scale * Magnitude(world, 1e-4, 0.7));
	shape.radius = Chance(world, 0.1) ? 0.0f : shape.radius;
	return shape;
}

// 1: it meets the shape; 0: it does not; -1: either will do.
static int MeetsShape(const snugShape* shape, const float c[3][3], double* distance, double* slack)
{
	if (shape->kind == snug_shapePlane || shape->kind == snug_shapeHalfSpace)
	{
		bool isBehind = false, isAhead = false;
		double length = 0.0, size = 0.0;
		*distance = INFINITY;
		for (int k = 0; k < 3; ++k)
		{
			length += shape->plane.normal[k] * shape->plane.normal[k];
		}
		for (int i = 0; i < 3; ++i)
		{
			double height = shape->plane.offset;
			for (int k = 0; k < 3; ++k)
			{
				height += shape->plane.normal[k] * c[i][k];
				size = fmax(size, fabs((double)c[i][k]));
			}
			const int side = RationalPlaneSide(shape->plane.normal, shape->plane.offset, c[i]);
			isBehind = isBehind || side <= 0;
			isAhead = isAhead || side >= 0;
			*distance = fmin(*distance, height / sqrt(length));
		}
		*slack = 0x1p-40 * (size + fabs(shape->plane.offset) / sqrt(length));
		return isBehind && (isAhead || shape->kind == snug_shapeHalfSpace);
	}
	const float *p = shape->from, *q = shape->kind == snug_shapeSphere ? p : shape->to;
	const float axis[3][3] = { { p[0], p[1], p[2] }, { q[0], q[1], q[2] }, { q[0], q[1], q[2] } };
	double extent = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		const double low = fmin(fmin(p[k], q[k]), fmin(c[0][k], fmin(c[1][k], c[2][k])));
		const double high = fmax(fmax(p[k], q[k]), fmax(c[0][k], fmax(c[1][k], c[2][k])));
		extent = fmax(extent, high - low);
	}
	*slack = 1.01 * 0x1p-37 * extent;
	*distance = SegmentMeets(p, q, c) ? 0.0 : DistanceAbout(axis, c);
	if (fabs(*distance - shape->radius) <= 2.0 * *slack)
	{
		*distance = TrueDistance(axis, c);
	}
	return *distance <= (double)shape->radius ? 1 : *distance <= (double)shape->radius + *slack ? -1 : 0;
}

bool CollideShape(World* world)
{
	Actor* actor = AnyActor(world);
	snugShapeQuery query = { .any = Chance(world, 0.2) };
	DrawOrigin(world, query.origin);
	const Surface* surface = Actor_Surface(world, actor, query.origin);
	if (surface == NULL || surface->triangleCount == 0)
	{
		return false;
	}
	const snugShape shape = DrawShape(world, surface);
	query.capacity = Chance(world, 0.5) ? surface->triangleCount : Below(world, 6);
	query.contacts = Room(world, query.capacity, sizeof(snugShapeContact));
	Tell(world, "shape %d, capacity %llu%s; ", (int)shape.kind, (unsigned long long)query.capacity,
	    query.any ? ", any" : "");
	const snugShape* givenShape = GIVEN(world, shape);
	const snugShapeQuery* given = GIVEN(world, query);
	snugResult result;
	CALL(world, result = snugCollideShape(actor->body, givenShape, given));
	if (!IsAnswered(world, result.status, surface))
	{
		return false;
	}
	ExpectCounters(world, &result.counters);
	++world->questions;
	const uint64_t written = result.count < query.capacity ? result.count : query.capacity;
	uint64_t next = 0, certain = 0, possible = 0;
	for (uint32_t t = 0; t < surface->triangleCount; ++t)
	{
		float c[3][3];
		double distance, slack;
		Surface_Corners(surface, t, c);
		const int meets = MeetsShape(&shape, (const float(*)[3])c, &distance, &slack);
		const bool isFound = next < written && query.contacts[next].triangle == t;
		certain += meets == 1;
		possible += meets != 0;
		EXPECT(world, !isFound || meets != 0, "triangle %u, %.17g away, does not meet it", t, distance);
		EXPECT(world, isFound || meets != 1 || query.any || (next == written && written < result.count),
		    "triangle %u, %.17g away, is missing", t, distance);
		if (isFound)
		{
			const snugShapeContact* contact = query.contacts + next++;
			EXPECT(world, fabs(contact->distance - distance) <= 2.0 * slack, "triangle %u is %.17g away, not %.17g", t,
			    distance, contact->distance);
			EXPECT(world, PointDistance(contact->position, (const float(*)[3])c) <= Rounding(surface) + slack,
			    "its position is not on triangle %u", t);
		}
	}
	EXPECT(world, next == written, "contacts are not sorted, or repeated");
	EXPECT(world,
	    query.any ? result.count >= (certain > 0) && result.count <= (possible > 0)
	              : result.count >= certain && result.count <= possible,
	    "%llu instead of %llu", (unsigned long long)result.count, (unsigned long long)certain);
	return true;
}
