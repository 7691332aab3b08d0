// test/driver/contacts.c: where bodies meet: points and their names, curves, depths. One buffer is used again and
// again.
#include "driver/operations.h"

/// A question, and what was found.
typedef struct Asked
{
	Two two;
	const snugContactQuery* query;
	snugContactResult result;
	uint32_t *twinsA, *twinsB; // of all vertices
	bool areTwinsKnown;
} Asked;

// --- Points ---------------------------------------------------------------------------------------------------------

// Whether a feature is a part of a triangle.
static bool IsPartOf(const Kind* kind, const uint32_t* twins, const snugFeature* feature, uint32_t triangle)
{
	if (feature->kind == snug_featureTriangle)
	{
		return feature->first == triangle;
	}
	uint32_t found = 0;
	for (size_t c = 0; c < 3; ++c)
	{
		const uint32_t twin = twins[kind->skinned.mesh.triangles[3 * (size_t)triangle + c]];
		found |= twin == twins[feature->first] ? 1u : 0u;
		found |= twin == twins[feature->second] ? 2u : 0u;
	}
	return feature->kind == snug_featureEdge ? found == 3 && feature->first != feature->second : (found & 1) != 0;
}

static bool IsSameFeature(const snugFeature* a, const snugFeature* b)
{
	return a->kind == b->kind && a->first == b->first && a->second == b->second;
}

static snugContactKind TrueKind(const float a[3][3], const float b[3][3])
{
	bool isOneplane = true;
	for (int i = 0; i < 3; ++i)
	{
		isOneplane = isOneplane && Side(b[i], a[0], a[1], a[2]) == 0;
	}
	return !HasArea(a) || !HasArea(b) ? snug_contactFlat : isOneplane ? snug_contactPolygon : snug_contactSegment;
}

static void ExpectContact(World* world, const Asked* asked, const snugContact* contact)
{
	static const uint32_t least[] = { 2, 1, 2, 2 }, most[] = { 2, 1, 6, 2 };
	const Two* two = &asked->two;
	float a[3][3], b[3][3];
	Surface_Corners(two->surfaceA, contact->a, a);
	Surface_Corners(two->surfaceB, contact->b, b);
	const snugContactKind kind = TrueKind((const float(*)[3])a, (const float(*)[3])b);
	EXPECT(world, contact->kind == kind || (kind != snug_contactFlat && contact->kind == snug_contactPoint),
	    "%u and %u have contact of kind %d, not %d", contact->a, contact->b, (int)contact->kind, (int)kind);
	EXPECT(world, contact->pointCount >= least[contact->kind] && contact->pointCount <= most[contact->kind],
	    "%u points", contact->pointCount);
	ExpectNormal(world, (const float(*)[3])a, contact->normalA);
	ExpectNormal(world, (const float(*)[3])b, contact->normalB);
	double size = 0.0;
	for (int i = 0; i < 9; ++i)
	{
		size = fmax(size, fmax(fabs((double)a[i / 3][i % 3]), fabs((double)b[i / 3][i % 3])));
	}
	for (uint32_t i = 0; i < contact->pointCount; ++i)
	{
		EXPECT(world, contact->points[i] < asked->result.pointCount, "point %u of %u", contact->points[i],
		    asked->result.pointCount);
		const snugContactPoint* point = asked->result.points + contact->points[i];
		const double off = fmax(
		    PointDistance(point->position, (const float(*)[3])a), PointDistance(point->position, (const float(*)[3])b));
		EXPECT(world, off <= 0x1p-23 * size + 0x1p-148, "a point is %g off its triangles", off);
		EXPECT(world,
		    !asked->areTwinsKnown || (IsPartOf(two->a->kind, asked->twinsA, &point->a, contact->a) &&
		                                 IsPartOf(two->b->kind, asked->twinsB, &point->b, contact->b)),
		    "a point of %u and %u has another name", contact->a, contact->b);
	}
}

static int CompareNames(const void* a, const void* b)
{
	const snugContactPoint *x = *(const snugContactPoint*const*)a, *y = *(const snugContactPoint*const*)b;
	const int first = memcmp(&x->a, &y->a, sizeof(snugFeature));
	return first != 0 ? first : memcmp(&x->b, &y->b, sizeof(snugFeature));
}

// No two have the same name, but those of triangles without area, whose features are the two triangles.
static void ExpectNames(World* world, const Asked* asked)
{
	const uint32_t count = asked->result.pointCount;
	const snugContactPoint** points = Scratch(count * sizeof(*points));
	for (uint32_t i = 0; i < count; ++i)
	{
		points[i] = asked->result.points + i;
	}
	qsort(points, count, sizeof(*points), CompareNames);
	for (uint32_t i = 1; i < count; ++i)
	{
		const bool isFlat = points[i]->a.kind == snug_featureTriangle && points[i]->b.kind == snug_featureTriangle;
		EXPECT(world, isFlat || CompareNames(points + i - 1, points + i) != 0, "two points have one name");
	}
}

static void ExpectPairs(World* world, const Asked* asked)
{
	const PairList* truth = &asked->two.truth;
	const uint32_t count = asked->result.contactCount;
	snugPair* pairs = Scratch(count * sizeof(snugPair));
	EXPECT(world, count == truth->count, "%u contacts", count);
	for (uint32_t i = 0; i < count; ++i)
	{
		pairs[i] = (snugPair){ asked->result.contacts[i].a, asked->result.contacts[i].b };
	}
	qsort(pairs, count, sizeof(snugPair), ComparePairs);
	EXPECT(world, memcmp(pairs, truth->pairs, count * sizeof(snugPair)) == 0, "other pairs than meet");
}

// --- Curves ---------------------------------------------------------------------------------------------------------

// How many segments of curves end in each point.
static uint32_t* CountDegrees(const snugContactResult* result)
{
	uint32_t* degrees = Scratch(result->pointCount * sizeof(uint32_t));
	memset(degrees, 0, result->pointCount * sizeof(uint32_t));
	for (uint32_t i = 0; i < result->contactCount; ++i)
	{
		for (int end = 0; end < 2 && result->contacts[i].curve != SNUG_NONE; ++end)
		{
			++degrees[result->contacts[i].points[end]];
		}
	}
	return degrees;
}

// Whether a feature is on an edge that one triangle has: an edge is that edge, a vertex is an end of one.
static bool IsBoundary(const Kind* kind, const uint32_t* twins, const snugFeature* feature)
{
	const sceneMesh* mesh = &kind->skinned.mesh;
	if (feature->kind == snug_featureTriangle)
	{
		return false;
	}
	const uint32_t v = twins[feature->first];
	for (uint32_t i = 0; i < 3 * mesh->triangleCount; ++i)
	{
		const uint32_t p = twins[mesh->triangles[i]];
		const uint32_t q = twins[mesh->triangles[i / 3 * 3 + (i + 1) % 3]];
		const bool isHere = feature->kind == snug_featureVertex
		                        ? p == v || q == v
		                        : (p == v && q == twins[feature->second]) || (q == v && p == twins[feature->second]);
		uint32_t triangles = 0;
		for (uint32_t t = 0; t < mesh->triangleCount && isHere; ++t)
		{
			uint32_t has = 0;
			for (size_t c = 0; c < 3; ++c)
			{
				const uint32_t corner = twins[mesh->triangles[3 * (size_t)t + c]];
				has |= (corner == p ? 1u : 0u) | (corner == q ? 2u : 0u);
			}
			triangles += has == 3;
		}
		if (isHere && p != q && triangles == 1)
		{
			return true;
		}
	}
	return false;
}

static void ExpectEnd(World* world, const Asked* asked, uint32_t point, uint32_t degree, snugCurveEnd found)
{
	const snugContactPoint* at = asked->result.points + point;
	const Kind *kindA = asked->two.a->kind, *kindB = asked->two.b->kind;
	if (kindA->hasZeroAreas || kindB->hasZeroAreas || !asked->areTwinsKnown)
	{
		return;
	}
	const snugCurveEnd expected = degree > 2 ? snug_endBranch
	                              : IsBoundary(kindA, asked->twinsA, &at->a) || IsBoundary(kindB, asked->twinsB, &at->b)
	                                  ? snug_endBoundary
	                                  : snug_endOther;
	EXPECT(world, found == expected && degree != 2, "a curve ends as %d, not %d, in a point of %u segments", (int)found,
	    (int)expected, degree);
}

// Sums over a polygon of points.
static void ExpectMeasures(World* world, const snugContactResult* result, const snugCurve* curve)
{
	const uint32_t* points = result->curvePoints + curve->firstPoint;
	const float* origin = result->points[points[0]].position;
	double length = 0.0, area[3] = { 0.0 }, moment[3] = { 0.0 }, size = 0.0;
	for (uint32_t i = 0; i < curve->contactCount; ++i)
	{
		const float* p = result->points[points[i]].position;
		const float* q = result->points[points[(i + 1) % curve->pointCount]].position;
		double u[3], v[3], part = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			u[k] = (double)p[k] - origin[k];
			v[k] = (double)q[k] - origin[k];
			part += (v[k] - u[k]) * (v[k] - u[k]);
			size = fmax(size, fabs((double)p[k]));
		}
		part = sqrt(part);
		length += part;
		for (int k = 0; k < 3; ++k)
		{
			const int m = (k + 1) % 3, n = (k + 2) % 3;
			area[k] += 0.5 * (u[m] * v[n] - u[n] * v[m]);
			moment[k] += 0.5 * part * (u[k] + v[k]);
		}
	}
	EXPECT(world, fabs(curve->length - length) <= 1e-12 * length, "a curve is %.17g long, not %.17g", curve->length,
	    length);
	for (int k = 0; k < 3; ++k)
	{
		const double centroid = origin[k] + (length > 0.0 ? moment[k] / length : 0.0);
		EXPECT(world, fabs(curve->area[k] - area[k]) <= 1e-12 * length * length, "its area is %.17g, not %.17g",
		    curve->area[k], area[k]);
		EXPECT(world, fabs(curve->centroid[k] - centroid) <= 1e-12 * (length + size),
		    "its centroid is %.17g, not %.17g", curve->centroid[k], centroid);
	}
}

static void ExpectCurve(World* world, const Asked* asked, uint32_t number, const uint32_t* degrees, bool* isSeen)
{
	const snugContactResult* result = &asked->result;
	const snugCurve* curve = result->curves + number;
	const uint32_t* points = result->curvePoints + curve->firstPoint;
	EXPECT(world, curve->pointCount == curve->contactCount + (curve->isClosed ? 0 : 1) && curve->contactCount > 0,
	    "%u points, %u segments", curve->pointCount, curve->contactCount);
	for (uint32_t i = 0; i < curve->contactCount; ++i)
	{
		const uint32_t segment = result->curveContacts[curve->firstContact + i];
		const uint32_t from = points[i], to = points[(i + 1) % curve->pointCount];
		const uint32_t* ends = result->contacts[segment].points;
		EXPECT(world, segment < result->contactCount && !isSeen[segment], "segment %u is in two curves", segment);
		isSeen[segment] = true;
		EXPECT(world, result->contacts[segment].curve == number, "segment %u does not know its curve", segment);
		EXPECT(world, (ends[0] == from && ends[1] == to) || (ends[1] == from && ends[0] == to),
		    "curve %u is not joined", number);
		EXPECT(world, (i == 0 && !curve->isClosed) || degrees[from] == 2,
		    "curve %u goes on through a point of %u segments", number, degrees[from]);
	}
	if (curve->isClosed)
	{
		EXPECT(world, curve->ends[0] == snug_endNone && curve->ends[1] == snug_endNone, "a closed curve ends");
	}
	else
	{
		const uint32_t last = points[curve->pointCount - 1];
		ExpectEnd(world, asked, points[0], degrees[points[0]], curve->ends[0]);
		ExpectEnd(world, asked, last, degrees[last], curve->ends[1]);
	}
	ExpectMeasures(world, result, curve);
}

// A segment that is in no curve has the ends of one that is.
static void ExpectRepeated(World* world, const snugContactResult* result, const snugContact* contact)
{
	bool isRepeated = false;
	for (uint32_t i = 0; i < result->contactCount && !isRepeated; ++i)
	{
		const snugContact* other = result->contacts + i;
		const bool isSame = (other->points[0] == contact->points[0] && other->points[1] == contact->points[1]) ||
		                    (other->points[1] == contact->points[0] && other->points[0] == contact->points[1]);
		isRepeated = other->kind == snug_contactSegment && other->curve != SNUG_NONE && isSame;
	}
	EXPECT(world, isRepeated, "the segment of %u and %u is in no curve", contact->a, contact->b);
}

// Of segments with the same ends one is in a curve.
static void ExpectOnce(World* world, const snugContactResult* result)
{
	snugPair* ends = Scratch(result->contactCount * sizeof(snugPair));
	uint32_t count = 0;
	for (uint32_t i = 0; i < result->contactCount; ++i)
	{
		const uint32_t* p = result->contacts[i].points;
		if (result->contacts[i].curve != SNUG_NONE)
		{
			ends[count++] = p[0] < p[1] ? (snugPair){ p[0], p[1] } : (snugPair){ p[1], p[0] };
		}
	}
	qsort(ends, count, sizeof(snugPair), ComparePairs);
	for (uint32_t i = 1; i < count; ++i)
	{
		EXPECT(world, ComparePairs(ends + i - 1, ends + i) != 0, "points %u and %u are joined twice", ends[i].a,
		    ends[i].b);
	}
}

static void ExpectCurves(World* world, const Asked* asked)
{
	const snugContactResult* result = &asked->result;
	const uint32_t* degrees = CountDegrees(result);
	bool* isSeen = Scratch(result->contactCount);
	memset(isSeen, 0, result->contactCount);
	ExpectOnce(world, result);
	for (uint32_t i = 0; i < result->curveCount; ++i)
	{
		ExpectCurve(world, asked, i, degrees, isSeen);
	}
	for (uint32_t i = 0; i < result->contactCount; ++i)
	{
		const snugContact* contact = result->contacts + i;
		EXPECT(world, isSeen[i] == (contact->curve != SNUG_NONE), "segment %u is said to be in curve %u", i,
		    contact->curve);
		EXPECT(
		    world, contact->curve == SNUG_NONE || contact->kind == snug_contactSegment, "contact %u is no segment", i);
		if (contact->curve == SNUG_NONE && contact->kind == snug_contactSegment)
		{
			ExpectRepeated(world, result, contact);
		}
	}
}

// --- Depths ---------------------------------------------------------------------------------------------------------

/// One of the two surfaces, behind the other of which vertices are looked for.
typedef struct Flood
{
	const Asked* asked;
	bool isA;
	const Kind* kind;
	const uint32_t* twins;
	const Surface *own, *other;
	bool* isFound;    // (vertexCount), by twins
	bool isAmbiguous; // two crossings of an edge are as far from its end
} Flood;

static const snugFeature* FeatureOf(const Flood* flood, uint32_t point)
{
	const snugContactPoint* at = flood->asked->result.points + point;
	return flood->isA ? &at->a : &at->b;
}

// How often the other surface crosses an edge nearer to its end v than a point.
static uint32_t CrossingsBefore(Flood* flood, const snugFeature* edge, uint32_t v, uint32_t point)
{
	const snugContactResult* result = &flood->asked->result;
	const float *end = flood->own->positions + 3 * (size_t)v, *p = result->points[point].position;
	const double distance = hypot(hypot((double)p[0] - end[0], (double)p[1] - end[1]), (double)p[2] - end[2]);
	uint32_t before = 0;
	for (uint32_t i = 0; i < result->pointCount; ++i)
	{
		const float* q = result->points[i].position;
		const double other = hypot(hypot((double)q[0] - end[0], (double)q[1] - end[1]), (double)q[2] - end[2]);
		if (i != point && IsSameFeature(FeatureOf(flood, i), edge))
		{
			before += other < distance;
			flood->isAmbiguous = flood->isAmbiguous || fabs(other - distance) <= 1e-15 * distance;
		}
	}
	return before;
}

static bool IsCrossed(const Flood* flood, uint32_t v, uint32_t w)
{
	const snugContactResult* result = &flood->asked->result;
	bool isCrossed = false;
	for (uint32_t i = 0; i < result->pointCount && !isCrossed; ++i)
	{
		const snugFeature* feature = FeatureOf(flood, i);
		if (feature->kind == snug_featureEdge)
		{
			const uint32_t p = flood->twins[feature->first], q = flood->twins[feature->second];
			isCrossed = (p == v && q == w) || (p == w && q == v);
		}
	}
	return isCrossed;
}

// The ends of edges on which the curve's points are, as far as they are behind the triangle that meets the edge there.
static void FindEnds(Flood* flood, const snugCurve* curve)
{
	const snugContactResult* result = &flood->asked->result;
	for (uint32_t i = 0; i < 2 * curve->contactCount; ++i)
	{
		const snugContact* contact = result->contacts + result->curveContacts[curve->firstContact + i / 2];
		const uint32_t point = contact->points[i % 2];
		const snugFeature* feature = FeatureOf(flood, point);
		float c[3][3];
		Surface_Corners(flood->other, flood->isA ? contact->b : contact->a, c);
		for (int end = 0; end < 2 && feature->kind == snug_featureEdge; ++end)
		{
			const uint32_t v = flood->twins[end == 0 ? feature->first : feature->second];
			if (Side(flood->own->positions + 3 * (size_t)v, c[0], c[1], c[2]) < 0 &&
			    CrossingsBefore(flood, feature, v, point) == 0)
			{
				flood->isFound[v] = true;
			}
		}
	}
}

// On along edges that are not crossed, until nothing is new.
static void Spread(Flood* flood)
{
	const sceneMesh* mesh = &flood->kind->skinned.mesh;
	for (bool isNew = true; isNew;)
	{
		isNew = false;
		for (uint32_t i = 0; i < 3 * mesh->triangleCount; ++i)
		{
			const uint32_t v = flood->twins[mesh->triangles[i]];
			const uint32_t w = flood->twins[mesh->triangles[i / 3 * 3 + (i + 1) % 3]];
			if (flood->isFound[v] != flood->isFound[w] && !IsCrossed(flood, v, w))
			{
				flood->isFound[v] = flood->isFound[w] = isNew = true;
			}
		}
	}
}

static double Reach(Flood* flood, const snugCurve* curve, const double along[3], uint32_t* count)
{
	const snugContactResult* result = &flood->asked->result;
	const uint32_t* points = result->curvePoints + curve->firstPoint;
	const float* origin = result->points[points[0]].position;
	double reach = 0.0;
	flood->isFound = Scratch(flood->own->vertexCount);
	memset(flood->isFound, 0, flood->own->vertexCount);
	FindEnds(flood, curve);
	Spread(flood);
	for (uint32_t i = 0; i < flood->own->vertexCount + curve->pointCount; ++i)
	{
		const bool isVertex = i < flood->own->vertexCount;
		const float* p = isVertex ? flood->own->positions + 3 * (size_t)i
		                          : result->points[points[i - flood->own->vertexCount]].position;
		double at = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			at += along[k] * ((double)p[k] - origin[k]);
		}
		reach = !isVertex || flood->isFound[i] ? fmax(reach, at) : reach;
		*count += isVertex && flood->isFound[i];
	}
	return reach;
}

// Of closed surfaces that cross in segments through edges only. Others have depths too, which nothing here knows.
static bool AreDepthsKnown(const Asked* asked)
{
	bool isKnown = asked->result.contactCount <= 300;
	for (uint32_t i = 0; i < asked->result.contactCount && isKnown; ++i)
	{
		isKnown = asked->result.contacts[i].kind == snug_contactSegment;
	}
	for (uint32_t i = 0; i < asked->result.pointCount && isKnown; ++i)
	{
		const snugContactPoint* point = asked->result.points + i;
		isKnown = point->a.kind != snug_featureVertex && point->b.kind != snug_featureVertex;
	}
	isKnown = isKnown && asked->areTwinsKnown && Actor_IsClosed(asked->two.a) && Actor_IsClosed(asked->two.b);
	return isKnown;
}

static void ExpectDepths(World* world, const Asked* asked)
{
	const snugContactResult* result = &asked->result;
	const bool isKnown = AreDepthsKnown(asked);
	for (uint32_t i = 0; i < result->curveCount; ++i)
	{
		const snugCurve* curve = result->curves + i;
		const double* area = curve->area;
		const double size = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
		EXPECT(
		    world, isnan(result->depths[i]) || result->depths[i] >= 0.0, "curve %u is %g deep", i, result->depths[i]);
		EXPECT(world, curve->isClosed || result->depths[i] == 0.0, "open curve %u is %g deep", i, result->depths[i]);
		if (!isKnown || !curve->isClosed || !(size > 0.0))
		{
			continue;
		}
		const Two* two = &asked->two;
		Flood floods[2] = { { asked, true, two->a->kind, asked->twinsA, two->surfaceA, two->surfaceB, NULL, false },
			{ asked, false, two->b->kind, asked->twinsB, two->surfaceB, two->surfaceA, NULL, false } };
		double depth = 0.0;
		uint32_t most = 0;
		for (int s = 0; s < 2; ++s)
		{
			const double sign = (s == 0 ? 1.0 : -1.0) / size,
			             along[3] = { sign * area[0], sign * area[1], sign * area[2] };
			uint32_t count = 0;
			depth += Reach(&floods[s], curve, along, &count);
			most = count > most ? count : most;
		}
		const bool isTooMany = most > 3 * world->contactCapacity;
		const double slack = 1e-12 * Surfaces_Extent(two->surfaceA, two->surfaceB);
		EXPECT(world,
		    floods[0].isAmbiguous || floods[1].isAmbiguous ||
		        (isTooMany ? isnan(result->depths[i]) : fabs(result->depths[i] - depth) <= slack),
		    "curve %u is %.17g deep, not %.17g", i, result->depths[i], depth);
	}
}

// --- The whole ------------------------------------------------------------------------------------------------------

// The same buffer for many questions; another one now and then.
static void UseBuffer(World* world, uint64_t count)
{
	if (world->contacts != NULL && Chance(world, 0.95) && (count <= world->contactCapacity || Chance(world, 0.3)))
	{
		return;
	}
	snugContactBuffer_Destroy(world->contacts);
	world->contacts = NULL;
	const uint32_t more = Below(world, Chance(world, 0.5) ? 10 : 2000);
	world->contactCapacity = 1 + (Chance(world, 0.9) ? (uint32_t)count : 0) + more;
	const snugContactBufferDef def = {
		.capacity = world->contactCapacity, .allocator = WorldAllocator(world), .messenger = Listener()
	};
	snugStatus status;
	CALL(world, status = snugContactBuffer_Create(&def, &world->contacts));
	EXPECT(world, status == snug_success, "a buffer: %s", snugGetStatusText(status));
}

static bool AskContacts(World* world, Two two)
{
	Asked asked = { .two = two };
	FindTruth(world, &asked.two);
	if (asked.two.truth.count > 20000)
	{
		return false;
	}
	UseBuffer(world, asked.two.truth.count);
	snugContactQuery query = { .workers.run = DrawParallel(world), .depths = Chance(world, 0.5) };
	Copy(query.origin, asked.two.origin, sizeof(query.origin));
	Tell(world, "room for %u%s%s; ", world->contactCapacity, query.workers.run != NULL ? ", parallel" : "",
	    query.depths ? ", depths" : "");
	asked.twinsA = Scratch(asked.two.surfaceA->vertexCount * sizeof(uint32_t));
	asked.twinsB = Scratch(asked.two.surfaceB->vertexCount * sizeof(uint32_t));
	const bool isKnown = Actor_FindTwins(asked.two.a, asked.twinsA);
	asked.areTwinsKnown = Actor_FindTwins(asked.two.b, asked.twinsB) && isKnown;
	asked.query = GIVEN(world, query);
	snugContactResult* result = &asked.result;
	CALL(world, *result = snugFindContacts(asked.two.a->body, asked.two.b->body, world->contacts, asked.query));
	if (!IsAnswered(world, result->status, asked.two.surfaceA))
	{
		return false;
	}
	ExpectCounters(world, &result->counters);
	EXPECT(world, result->count == asked.two.truth.count, "%llu pairs", (unsigned long long)result->count);
	EXPECT(world, result->complete == (result->count <= world->contactCapacity), "complete: %d", result->complete);
	if (!result->complete)
	{
		EXPECT(world, result->contactCount == 0 && result->contacts == NULL, "%u contacts", result->contactCount);
		return true;
	}
	ExpectPairs(world, &asked);
	for (uint32_t i = 0; i < result->contactCount; ++i)
	{
		ExpectContact(world, &asked, result->contacts + i);
	}
	ExpectNames(world, &asked);
	if (result->contactCount <= 2000)
	{
		ExpectCurves(world, &asked);
	}
	EXPECT(world, (result->depths != NULL) == query.depths || result->curveCount == 0, "depths: %d",
	    result->depths != NULL);
	if (query.depths && result->depths != NULL)
	{
		ExpectDepths(world, &asked);
	}
	return true;
}

// Perhaps over some frames, in which little changes.
bool FindContacts(World* world)
{
	Two two;
	bool isAnswered = DrawTwo(world, &two) && AskContacts(world, two);
	for (uint32_t frames = Chance(world, 0.3) ? 1 + Below(world, 3) : 0; frames > 0 && isAnswered; --frames)
	{
		Actor_Place(world, two.a, false);
		two.surfaceA = Actor_Surface(world, two.a, two.origin);
		isAnswered = two.surfaceA != NULL && AskContacts(world, two);
	}
	return isAnswered;
}

// --- One body -------------------------------------------------------------------------------------------------------

// Of one body: a corner that both triangles have names nothing, and points of open curves may name its triangles in
// either order.
static void ExpectOwnNames(World* world, const snugContactResult* result, const Kind* kind, const uint32_t* twins)
{
	for (uint32_t i = 0; i < result->contactCount; ++i)
	{
		const snugContact* contact = result->contacts + i;
		for (uint32_t k = 0; k < contact->pointCount; ++k)
		{
			EXPECT(world, contact->points[k] < result->pointCount, "point %u of %u", contact->points[k],
			    result->pointCount);
			const snugContactPoint* p = result->points + contact->points[k];
			EXPECT(world,
			    (IsPartOf(kind, twins, &p->a, contact->a) && IsPartOf(kind, twins, &p->b, contact->b)) ||
			        (IsPartOf(kind, twins, &p->a, contact->b) && IsPartOf(kind, twins, &p->b, contact->a)),
			    "a point of %u and %u has another name", contact->a, contact->b);
		}
	}
}

static void ExpectOwnEnds(World* world, const snugContactResult* result, const uint32_t* twins)
{
	const uint32_t* degrees = CountDegrees(result);
	for (uint32_t i = 0; i < 2 * result->curveCount; ++i)
	{
		const snugCurve* curve = result->curves + i / 2;
		const uint32_t point = result->curvePoints[curve->firstPoint + (i % 2 == 0 ? 0 : curve->pointCount - 1)];
		const snugContactPoint* at = result->points + point;
		const bool isCorner = at->a.kind == snug_featureVertex && at->b.kind == snug_featureVertex &&
		                      twins[at->a.first] == twins[at->b.first];
		EXPECT(world, curve->isClosed == (degrees[point] == 2), "curve %u ends where %u segments do", i / 2,
		    degrees[point]);
		EXPECT(world, curve->isClosed || isCorner == (curve->ends[i % 2] == snug_endCorner), "curve %u ends as %d",
		    i / 2, (int)curve->ends[i % 2]);
		EXPECT(world, result->depths == NULL || curve->isClosed || result->depths[i / 2] == 0.0,
		    "open curve %u is %g deep", i / 2, result->depths[i / 2]);
	}
}

// The pairs of a body with itself; names and curves as of two bodies.
bool FindSelfContacts(World* world)
{
	const Actor* actor = AnyActor(world);
	uint32_t* twins = Scratch(actor->kind->skinned.mesh.vertexCount * sizeof(uint32_t));
	if (!Actor_MayMeetItself(actor) || !Actor_FindTwins(actor, twins))
	{
		return false;
	}
	snugContactQuery query = { .workers.run = DrawParallel(world), .depths = Chance(world, 0.5) };
	query.keepRest = Chance(world, 0.5);
	PairList truth = Actor_OwnPairs(world, actor, twins, query.keepRest);
	UseBuffer(world, truth.count);
	Copy(query.origin, world->middle, sizeof(query.origin));
	Tell(world, "room for %u of %llu; ", world->contactCapacity, (unsigned long long)truth.count);
	const snugContactQuery* given = GIVEN(world, query);
	snugContactResult result;
	CALL(world, result = snugFindSelfContacts(actor->body, world->contacts, given));
	EXPECT(world, result.status == snug_success || world->isExtreme || result.status == snug_outOfRange, "it says: %s",
	    snugGetStatusText(result.status));
	const bool isAnswered = result.status == snug_success;
	if (isAnswered)
	{
		ExpectCounters(world, &result.counters);
		EXPECT(world, result.count == truth.count && result.complete == (truth.count <= world->contactCapacity),
		    "%llu pairs, complete: %d", (unsigned long long)result.count, result.complete);
	}
	if (isAnswered && result.complete)
	{
		snugPair* pairs = Scratch(result.contactCount * sizeof(snugPair));
		for (uint32_t i = 0; i < result.contactCount; ++i)
		{
			const snugContact* contact = result.contacts + i;
			EXPECT(
			    world, contact->a < contact->b || contact->curve != SNUG_NONE, "%u before %u", contact->a, contact->b);
			pairs[i] =
			    contact->a < contact->b ? (snugPair){ contact->a, contact->b } : (snugPair){ contact->b, contact->a };
		}
		qsort(pairs, result.contactCount, sizeof(snugPair), ComparePairs);
		EXPECT(world, memcmp(pairs, truth.pairs, truth.count * sizeof(snugPair)) == 0, "other pairs than meet");
		ExpectOnce(world, &result);
		ExpectOwnNames(world, &result, actor->kind, twins);
		ExpectOwnEnds(world, &result, twins);
	}
	PairList_Free(&truth);
	return isAnswered;
}
