// test/query/test_contacts.c: contacts and curves of bodies. Points against the triangles they are on; pairs against
// snugCollide; curves of closed surfaces are closed, open ones end at boundaries; lengths and areas against closed
// forms and against clipped triangles.
#include "posed.h"
#include "rational.h"
#include "rational_area.h"

#include "query/contacts.h"
#include "snug/snug_queries.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static snugContactBuffer* MakeBuffer(uint32_t capacity)
{
	const snugContactBufferDef def = { .capacity = capacity };
	snugContactBuffer* buffer;
	assert_int_equal(snugContactBuffer_Create(&def, &buffer), snug_success);
	return buffer;
}

static snugContactResult Find(const Posed* a, const Posed* b, snugContactBuffer* buffer)
{
	const snugContactQuery query = { .origin = { a->origin[0], a->origin[1], a->origin[2] } };
	snugContactResult result = snugFindContacts(a->thing.body, b->thing.body, buffer, &query);
	assert_int_equal(result.status, snug_success);
	return result;
}

// --- Points -------------------------------------------------------------------------------------------------------

typedef struct Vector
{
	double c[3];
} Vector;

static Vector At(const float* p)
{
	return (Vector){ { p[0], p[1], p[2] } };
}

static Vector Minus(Vector a, Vector b)
{
	return (Vector){ { a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2] } };
}

static Vector CrossOf(Vector a, Vector b)
{
	return (Vector){ { a.c[1] * b.c[2] - a.c[2] * b.c[1], a.c[2] * b.c[0] - a.c[0] * b.c[2],
		a.c[0] * b.c[1] - a.c[1] * b.c[0] } };
}

static double DotOf(Vector a, Vector b)
{
	return a.c[0] * b.c[0] + a.c[1] * b.c[1] + a.c[2] * b.c[2];
}

static double LengthOf(Vector a)
{
	return sqrt(DotOf(a, a));
}

static double DistanceToSegment(Vector x, Vector p, Vector q)
{
	Vector along = Minus(q, p);
	double length2 = DotOf(along, along), t = length2 > 0.0 ? DotOf(Minus(x, p), along) / length2 : 0.0;
	t = fmin(fmax(t, 0.0), 1.0);
	Vector at = { { p.c[0] + t * along.c[0], p.c[1] + t * along.c[1], p.c[2] + t * along.c[2] } };
	return LengthOf(Minus(x, at));
}

// Of a point from a closed triangle.
static double DistanceToTriangle(Vector x, const float corners[3][3])
{
	Vector p[3] = { At(corners[0]), At(corners[1]), At(corners[2]) };
	Vector normal = CrossOf(Minus(p[1], p[0]), Minus(p[2], p[0]));
	double least = INFINITY, length = LengthOf(normal);
	bool isAbove = length > 0.0;
	for (int i = 0; i < 3; ++i)
	{
		Vector from = p[i], to = p[(i + 1) % 3];
		least = fmin(least, DistanceToSegment(x, from, to));
		isAbove = isAbove && DotOf(CrossOf(Minus(to, from), Minus(x, from)), normal) >= 0.0;
	}
	return isAbove ? fmin(least, fabs(DotOf(Minus(x, p[0]), normal)) / length) : least;
}

// Whether a feature is a part of a triangle, by twins.
static bool IsPartOf(const Posed* posed, const uint32_t* twins, const snugFeature* feature, uint32_t triangle)
{
	uint32_t found = 0;
	if (feature->kind == snug_featureTriangle)
	{
		return feature->first == triangle;
	}
	for (int c = 0; c < 3; ++c)
	{
		uint32_t twin = twins[posed->thing.mesh.triangles[3 * (size_t)triangle + (size_t)c]];
		found |= twin == twins[feature->first] ? 1u : 0u;
		found |= feature->kind == snug_featureEdge && twin == twins[feature->second] ? 2u : 0u;
	}
	return found == (feature->kind == snug_featureEdge ? 3u : 1u);
}

// Those of the model; of a free body, whose caller may have torn them apart, as far as they are together now.
static uint32_t* GetTwins(const Posed* posed)
{
	const snugBody* body = posed->thing.body;
	uint32_t* twins = malloc((posed->thing.mesh.vertexCount + 1) * sizeof(uint32_t));
	assert_int_equal(snugModel_GetTwins(posed->thing.model, twins), snug_success);
	const float* positions = posed->deformer == snug_free ? body->deform->positions(&body->posed) : NULL;
	// In the tree's order, and beside the one that stands for all.
	for (uint32_t v = 0; positions != NULL && v < posed->thing.mesh.vertexCount; ++v)
	{
		const uint32_t twin = sgTwinOf(body->model, v);
		const float *one = positions + 3 * (size_t)v, *other = positions + 3 * (size_t)twin;
		const bool isTwin = one[0] == other[0] && one[1] == other[1] && one[2] == other[2];
		twins[body->model->tree.vertexMap[v]] = body->model->tree.vertexMap[isTwin ? twin : v];
	}
	return twins;
}

// Normals are those of the triangles, but for rounding; segments go along their cross product.
static bool HasNormals(const Posed* a, const Posed* b, const snugContactResult* result, const snugContact* contact)
{
	double normals[2][3];
	const bool hasA = Posed_Normal(a, contact->a, normals[0]), hasB = Posed_Normal(b, contact->b, normals[1]);
	bool isGood = true;
	for (int k = 0; k < 3; ++k)
	{
		isGood = isGood && (!hasA || fabs(normals[0][k] - contact->normalA[k]) <= 1e-6) &&
		         (!hasB || fabs(normals[1][k] - contact->normalB[k]) <= 1e-6);
	}
	if (contact->kind == snug_contactSegment && hasA && hasB)
	{
		const float *from = result->points[contact->points[0]].position,
		            *to = result->points[contact->points[1]].position;
		Vector along = CrossOf(At(contact->normalA), At(contact->normalB)), way = Minus(At(to), At(from));
		// Points are rounded: what is short, or nearly in one plane, may turn.
		isGood = isGood && DotOf(along, way) >= -1e-6 * (1.0 + LengthOf(At(from)));
	}
	return isGood;
}

// Whether a point is on the parts that it names. Of one body, contacts of no curve, and those of an open one, may have
// the two in the other order; and the sides of a curve that is closed may change places where it does, if the surface
// has only one.
static bool IsNamed(const Posed* a, const Posed* b, uint32_t* const twins[2], const snugContactResult* result,
    const snugContact* contact, const snugContactPoint* point)
{
	const snugCurve* curve = contact->curve != SNUG_NONE ? result->curves + contact->curve : NULL;
	const bool isFirst = curve != NULL && result->points + result->curvePoints[curve->firstPoint] == point;
	const bool mayTurn = a == b && (curve == NULL || !curve->isClosed || isFirst);
	return (IsPartOf(a, twins[0], &point->a, contact->a) && IsPartOf(b, twins[1], &point->b, contact->b)) ||
	       (mayTurn && IsPartOf(a, twins[0], &point->b, contact->a) && IsPartOf(b, twins[1], &point->a, contact->b));
}

// A part of a surface as a triangle, which has no area if it is an edge or a vertex.
static void GetPart(const Posed* posed, const snugFeature* feature, float corners[3][3])
{
	const uint32_t vertices[3] = { feature->first, feature->kind == snug_featureEdge ? feature->second : feature->first,
		feature->first };
	if (feature->kind == snug_featureTriangle)
	{
		Posed_Triangle(posed, feature->first, corners);
		return;
	}
	for (int c = 0; c < 3; ++c)
	{
		memcpy(corners[c], posed->positions + 3 * (size_t)vertices[c], 3 * sizeof(float));
	}
}

// Whether the parts that a point names meet, whatever counts as a twin. Those of one body are elsewhere when it asks.
static bool DoPartsMeet(const Posed* a, const Posed* b, const snugContactPoint* point)
{
	float one[3][3], other[3][3];
	GetPart(a, &point->a, one);
	GetPart(b, &point->b, other);
	return a == b || RationalIntersect((const float(*)[3])one, (const float(*)[3])other);
}

// Every point is on both triangles of its contact, and on the parts that it names.
static void CheckPoints(uint64_t seed, const Posed* a, const Posed* b, const snugContactResult* result)
{
	uint32_t *twinsA = GetTwins(a), *twinsB = GetTwins(b);
	for (uint32_t i = 0; i < result->contactCount; ++i)
	{
		const snugContact* contact = result->contacts + i;
		float cornersA[3][3], cornersB[3][3];
		Posed_Triangle(a, contact->a, cornersA);
		Posed_Triangle(b, contact->b, cornersB);
		double size = 0.0;
		for (int k = 0; k < 9; ++k)
		{
			size = fmax(size, fmax(fabs((double)cornersA[k / 3][k % 3]), fabs((double)cornersB[k / 3][k % 3])));
		}
		assert_true(contact->pointCount >= 1 && contact->pointCount <= 6 && contact->reserved == 0);
		if (!HasNormals(a, b, result, contact))
		{
			fail_msg("seed %llu: contact %u has other normals, or goes against them", (unsigned long long)seed, i);
		}
		for (uint32_t k = 0; k < contact->pointCount; ++k)
		{
			const snugContactPoint* point = result->points + contact->points[k];
			double far = fmax(DistanceToTriangle(At(point->position), (const float(*)[3])cornersA),
			    DistanceToTriangle(At(point->position), (const float(*)[3])cornersB));
			bool isNamed = IsNamed(a, b, (uint32_t* const[2]){ twinsA, twinsB }, result, contact, point);
			if (!(far <= 0x1p-23 * size) || !isNamed || !DoPartsMeet(a, b, point))
			{
				fail_msg("seed %llu: a point is %g off its triangles, or named wrongly", (unsigned long long)seed, far);
			}
		}
	}
	free(twinsA);
	free(twinsB);
}

// How many sides of triangles join two vertices, by twins.
static uint32_t CountSides(const Posed* posed, const uint32_t* twins, uint32_t v, uint32_t w)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < 3 * posed->thing.mesh.triangleCount; ++i)
	{
		const uint32_t* triangle = posed->thing.mesh.triangles + i / 3 * 3;
		uint32_t from = twins[triangle[i % 3]], to = twins[triangle[(i + 1) % 3]];
		count += (from == v && to == w) || (from == w && to == v);
	}
	return count;
}

// Whether an edge, or any at a vertex, is a side of one triangle alone.
static bool IsAtBoundary(const Posed* posed, const uint32_t* twins, const snugFeature* feature)
{
	const uint32_t v = twins[feature->kind == snug_featureTriangle ? 0 : feature->first];
	bool isBoundary = feature->kind == snug_featureEdge && CountSides(posed, twins, v, twins[feature->second]) == 1;
	for (uint32_t i = 0; i < 3 * posed->thing.mesh.triangleCount && feature->kind == snug_featureVertex; ++i)
	{
		const uint32_t* triangle = posed->thing.mesh.triangles + i / 3 * 3;
		uint32_t from = twins[triangle[i % 3]], to = twins[triangle[(i + 1) % 3]];
		bool isAt = from != to && (from == v || to == v);
		isBoundary = isBoundary || (isAt && CountSides(posed, twins, from, to) == 1);
	}
	return isBoundary;
}

/// A segment by its two points, the smaller one first.
typedef struct Segment
{
	uint32_t low, high, contact;
} Segment;

static int CompareSegments(const void* first, const void* second)
{
	const Segment *x = first, *y = second;
	return x->low != y->low ? (x->low < y->low ? -1 : 1) : (x->high > y->high) - (x->high < y->high);
}

// Of segments with the same two points one is in a curve; `degrees` is how many different ones there are at each point.
static void CheckSegments(uint64_t seed, const snugContactResult* result, uint32_t* degrees)
{
	Segment* segments = malloc((result->contactCount + 1) * sizeof(Segment));
	uint32_t count = 0;
	for (uint32_t i = 0; i < result->contactCount; ++i)
	{
		const uint32_t* ends = result->contacts[i].points;
		if (result->contacts[i].kind == snug_contactSegment)
		{
			bool isSorted = ends[0] < ends[1];
			segments[count++] = (Segment){ ends[!isSorted], ends[isSorted], i };
		}
		else
		{
			assert_int_equal(result->contacts[i].curve, SNUG_NONE);
		}
	}
	qsort(segments, count, sizeof(Segment), CompareSegments);
	for (uint32_t i = 0, next; i < count; i = next)
	{
		uint32_t joined = 0;
		for (next = i; next < count && CompareSegments(segments + i, segments + next) == 0; ++next)
		{
			joined += result->contacts[segments[next].contact].curve != SNUG_NONE;
		}
		if (joined != 1)
		{
			fail_msg("seed %llu: a segment is in %u curves", (unsigned long long)seed, joined);
		}
		++degrees[segments[i].low];
		++degrees[segments[i].high];
	}
	free(segments);
}

// Why a curve ends at a point, if it does.
static snugCurveEnd ExpectEnd(
    const Posed* a, const Posed* b, uint32_t* const twins[2], const snugContactPoint* point, uint32_t degree)
{
	const bool isCorner = a == b && point->a.kind == snug_featureVertex && point->b.kind == snug_featureVertex &&
	                      twins[0][point->a.first] == twins[0][point->b.first];
	return degree == 2                                                                    ? snug_endNone
	       : isCorner                                                                     ? snug_endCorner
	       : degree > 2                                                                   ? snug_endBranch
	       : IsAtBoundary(a, twins[0], &point->a) || IsAtBoundary(b, twins[1], &point->b) ? snug_endBoundary
	                                                                                      : snug_endOther;
}

// Curves list their contacts and points in order, each segment once; they go on where two segments meet, and end where
// one or more than two do.
static void CheckCurves(uint64_t seed, const Posed* a, const Posed* b, const snugContactResult* result)
{
	uint8_t* seen = calloc(result->contactCount + 1, 1);
	uint32_t *degrees = calloc(result->pointCount + 1, sizeof(uint32_t)), *twins[2] = { GetTwins(a), GetTwins(b) };
	CheckSegments(seed, result, degrees);
	for (uint32_t c = 0; c < result->curveCount; ++c)
	{
		const snugCurve* curve = result->curves + c;
		const uint32_t* points = result->curvePoints + curve->firstPoint;
		bool isGood = curve->pointCount == curve->contactCount + (curve->isClosed ? 0 : 1);
		for (uint32_t i = 0; i < curve->contactCount; ++i)
		{
			uint32_t number = result->curveContacts[curve->firstContact + i];
			const uint32_t* ends = result->contacts[number].points;
			uint32_t from = points[i], to = points[(i + 1) % curve->pointCount];
			isGood = isGood && seen[number]++ == 0 && result->contacts[number].curve == c &&
			         ((ends[0] == from && ends[1] == to) || (ends[1] == from && ends[0] == to));
			isGood = isGood && (degrees[from] == 2 || (i == 0 && !curve->isClosed));
		}
		for (uint32_t end = 0; end < 2; ++end)
		{
			const uint32_t point = points[end == 0 ? 0 : curve->pointCount - 1];
			isGood = isGood && curve->ends[end] ==
			                       ExpectEnd(a, b, twins, result->points + point, curve->isClosed ? 2 : degrees[point]);
			isGood = isGood && (degrees[point] == 2) == curve->isClosed;
		}
		if (!isGood)
		{
			fail_msg("seed %llu: curve %u is not joined", (unsigned long long)seed, c);
		}
	}
	for (uint32_t i = 0; i < result->contactCount; ++i)
	{
		assert_int_equal(seen[i], result->contacts[i].curve != SNUG_NONE);
	}
	free(seen);
	free(degrees);
	free(twins[0]);
	free(twins[1]);
}

static void contacts_are_pairs_with_points_on_both(void** state)
{
	(void)state;
	uint64_t kinds[4] = { 0 };
	for (int n = 0; n < TestCount(150); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = n % 4 == 0 ? MakePool(4096 * 3) : NULL;
		Posed a = Posed_Make(
		    &random, RandomMesh(&random, (MeshKind)(n % MESH_KINDS)), (Mover)(n / MESH_KINDS % POSED_DEFORMERS), pool);
		// The same mesh again touches and is in one plane with the first wherever it can.
		sceneMesh other = n % 3 == 0 ? sceneMesh_Copy(&a.thing.mesh)
		                             : RandomMesh(&random, (MeshKind)(sceneRandom_Index(&random, MESH_KINDS)));
		Posed b = Posed_Make(&random, other, (Mover)(n / 5 % POSED_DEFORMERS), pool);
		if (n % 3 != 0)
		{
			Posed_Change(&random, &a);
			Posed_Change(&random, &b);
		}
		memcpy(b.origin, a.origin, sizeof(b.origin));
		Posed_Read(&b);
		PairList pairs = CollideAll(a.thing.body, b.thing.body, a.origin);
		snugContactBuffer* buffer = MakeBuffer((uint32_t)(pairs.count + 1) * 2);
		snugContactResult result = Find(&a, &b, buffer);
		assert_true(result.complete);
		PairList found = { malloc((result.contactCount + 1) * sizeof(snugPair)), result.contactCount };
		for (uint32_t i = 0; i < result.contactCount; ++i)
		{
			found.pairs[i] = (snugPair){ result.contacts[i].a, result.contacts[i].b };
			++kinds[result.contacts[i].kind];
		}
		qsort(found.pairs, found.count, sizeof(snugPair), ComparePairs);
		AssertSamePairs("contacts", seed, &pairs, &found);
		PairList_Free(&found);
		CheckPoints(seed, &a, &b, &result);
		CheckCurves(seed, &a, &b, &result);
		snugContactBuffer_Destroy(buffer);
		PairList_Free(&pairs);
		Posed_Free(&a);
		Posed_Free(&b);
		snugPool_Destroy(pool);
	}
	for (int i = 0; i < 4; ++i)
	{
		assert_true(kinds[i] > 10 || TestScale() < 0.2);
	}
}

// --- Curves -------------------------------------------------------------------------------------------------------

// Whether all contacts are segments: nothing touches along an edge or at a vertex, or lies in one plane.
static bool IsGeneric(const snugContactResult* result)
{
	bool isGeneric = true;
	for (uint32_t i = 0; i < result->contactCount; ++i)
	{
		isGeneric = isGeneric && result->contacts[i].kind == snug_contactSegment;
	}
	return isGeneric;
}

static Vector SumOfAreas(const snugContactResult* result)
{
	Vector sum = { { 0 } };
	for (uint32_t c = 0; c < result->curveCount; ++c)
	{
		for (int k = 0; k < 3; ++k)
		{
			sum.c[k] += result->curves[c].area[k];
		}
	}
	return sum;
}

static void curves_of_closed_surfaces_are_closed(void** state)
{
	(void)state;
	snugContactBuffer* buffer = MakeBuffer(1 << 16);
	snugContactBuffer* swapped = MakeBuffer(1 << 16);
	uint32_t curves = 0;
	for (int n = 0; n < TestCount(60); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		sceneMesh meshes[2] = { sceneMakeBlob(4 + (uint32_t)n % 9, seed), sceneMakeTorus(0.7, 0.3, 20, 12) };
		meshes[0] = n % 3 == 0 ? Unweld(meshes[0]) : meshes[0];
		meshes[1] = n % 3 == 1 ? Unweld(meshes[1]) : meshes[1];
		// Vertices that chance moves are no twins any more.
		Posed a = Posed_Make(&random, meshes[0], n % 3 == 0 || n % 2 == 0 ? snug_rigid : snug_fields, NULL);
		Posed b = Posed_Make(&random, meshes[1], n % 3 == 1 || n % 4 < 2 ? snug_rigid : snug_skin, NULL);
		Posed_Change(&random, &a);
		Posed_Change(&random, &b);
		memcpy(b.origin, a.origin, sizeof(b.origin));
		Posed_Read(&b);
		snugContactResult result = Find(&a, &b, buffer), back = Find(&b, &a, swapped);
		CheckCurves(seed, &a, &b, &result);
		const bool isGeneric = IsGeneric(&result);
		for (uint32_t c = 0; isGeneric && c < result.curveCount; ++c)
		{
			if (!result.curves[c].isClosed)
			{
				fail_msg("seed %llu: curve %u is open", (unsigned long long)seed, c);
			}
			++curves;
		}
		Vector one = SumOfAreas(&result), other = SumOfAreas(&back);
		for (int k = 0; isGeneric && k < 3; ++k)
		{
			assert_true(fabs(one.c[k] + other.c[k]) <= 1e-9 * (1.0 + fabs(one.c[k])));
		}
		assert_int_equal(result.curveCount, back.curveCount);
		assert_int_equal(result.pointCount, back.pointCount);
		Posed_Free(&a);
		Posed_Free(&b);
	}
	assert_true(curves > (uint32_t)TestCount(60) / 4);
	snugContactBuffer_Destroy(swapped);
	snugContactBuffer_Destroy(buffer);
}

// Two unit spheres: a circle, whose length and area are known, pointing from the first to the second.
static void spheres_meet_in_a_circle(void** state)
{
	(void)state;
	sceneRandom random = { 1 };
	Posed a = Posed_Make(&random, sceneMakeSphere(24), snug_rigid, NULL);
	Posed b = Posed_Make(&random, sceneMakeSphere(24), snug_rigid, NULL);
	snugContactBuffer* buffer = MakeBuffer(10000);
	Place(b.thing.body, 1.2, 0.013, 0.007);
	snugContactResult result = Find(&a, &b, buffer);
	double distance = sqrt(1.2 * 1.2 + 0.013 * 0.013 + 0.007 * 0.007), radius = sqrt(1.0 - 0.25 * distance * distance);
	double pi = 3.141592653589793;
	assert_int_equal(result.curveCount, 1);
	const snugCurve* curve = result.curves;
	assert_true(curve->isClosed);
	assert_true(fabs(curve->length / (2.0 * pi * radius) - 1.0) < 0.01);
	const double along[3] = { 1.2, 0.013, 0.007 };
	for (int k = 0; k < 3; ++k)
	{
		assert_true(fabs(curve->area[k] - pi * radius * radius * along[k] / distance) < 0.01 * pi * radius * radius);
	}
	assert_true(fabs(curve->centroid[0] - 0.6) < 0.01 && fabs(curve->centroid[1]) < 0.01);
	snugContactBuffer_Destroy(buffer);
	Posed_Free(&a);
	Posed_Free(&b);
}

// The area vector of what a triangle has above z = height.
static Vector AreaAbove(const float corners[3][3], double height)
{
	Vector polygon[4], sum = { { 0 } };
	int count = 0;
	for (int i = 0; i < 3; ++i)
	{
		Vector p = At(corners[i]), q = At(corners[(i + 1) % 3]);
		double above = p.c[2] - height, next = q.c[2] - height;
		if (above > 0.0)
		{
			polygon[count++] = p;
		}
		if ((above > 0.0) != (next > 0.0))
		{
			double t = above / (above - next);
			for (int k = 0; k < 3; ++k)
			{
				polygon[count].c[k] = p.c[k] + t * (q.c[k] - p.c[k]);
			}
			++count;
		}
	}
	for (int i = 1; i + 1 < count; ++i)
	{
		Vector part = CrossOf(Minus(polygon[i], polygon[0]), Minus(polygon[i + 1], polygon[0]));
		for (int k = 0; k < 3; ++k)
		{
			sum.c[k] += 0.5 * part.c[k];
		}
	}
	return sum;
}

// A closed surface cut by a sheet: the curves' area vectors add up to that of the part above the sheet, but for its
// sign. The sheet's normal points up, so the part of the surface that is "inside" is the one below.
static void areas_are_those_of_clipped_triangles(void** state)
{
	(void)state;
	snugContactBuffer* buffer = MakeBuffer(1 << 14);
	for (int n = 0; n < TestCount(40); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Posed a = Posed_Make(&random, sceneMakeBlob(10, seed), snug_rigid, NULL);
		Posed b = Posed_Make(&random, sceneMakeCloth(4.0, 4.0, 7, 9), snug_rigid, NULL);
		float height = (float)sceneRandom_Range(&random, -0.9, 0.9);
		Place(b.thing.body, 0.01, 0.02, height);
		Posed_Read(&b);
		snugContactResult result = Find(&a, &b, buffer);
		Vector expected = { { 0 } }, found = SumOfAreas(&result);
		for (uint32_t i = 0; i < a.thing.mesh.triangleCount; ++i)
		{
			float corners[3][3];
			Posed_Triangle(&a, i, corners);
			Vector part = AreaAbove((const float(*)[3])corners, (double)b.positions[2]);
			for (int k = 0; k < 3; ++k)
			{
				expected.c[k] += part.c[k];
			}
		}
		// The whole closed surface has none, so the part below has the opposite of the part above.
		for (int k = 0; k < 3; ++k)
		{
			if (!(fabs(found.c[k] + expected.c[k]) <= 1e-6))
			{
				fail_msg("seed %llu: area %g instead of %g", (unsigned long long)seed, found.c[k], -expected.c[k]);
			}
		}
		assert_true(expected.c[2] > 0.0 && result.curveCount > 0);
		Posed_Free(&a);
		Posed_Free(&b);
	}
	snugContactBuffer_Destroy(buffer);
}

// The sum of the area vectors of what a body has inside another one, all in rational arithmetic but for the sums.
static Vector RationalAreaInside(const Posed* own, const Posed* other)
{
	Vector area = { { 0.0 } };
	for (uint32_t i = 0; i < own->thing.mesh.triangleCount; ++i)
	{
		float triangle[3][3];
		Posed_Triangle(own, i, triangle);
		for (uint32_t j = 0; j < other->thing.mesh.triangleCount; ++j)
		{
			float face[3][3], tetrahedron[4][3] = { { 0.13f, 0.27f, -0.11f } };
			Posed_Triangle(other, j, face);
			memcpy(tetrahedron + 1, face, sizeof(face));
			AddRationalArea((const float(*)[3])triangle, (const float(*)[3])tetrahedron, area.c);
		}
	}
	return area;
}

// Of two closed surfaces the areas of all curves add up to the area of what the first has inside the second, and
// against that of what the second has inside the first.
static void areas_are_those_of_rationally_clipped_triangles(void** state)
{
	(void)state;
	snugContactBuffer* buffer = MakeBuffer(4000);
	int checked = 0;
	for (int n = 0; n < TestCount(12); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Posed a = Posed_Make(
		    &random, n % 3 == 0 ? sceneMakeTetrahedron() : sceneMakeBlob(1 + (uint32_t)n % 2, seed), snug_rigid, NULL);
		Posed b = Posed_Make(
		    &random, n % 4 == 0 ? sceneMakeTorus(0.7, 0.3, 7, 5) : sceneMakeBlob(1, seed + 1), snug_rigid, NULL);
		snugFrame frame = { { sceneRandom_Range(&random, -0.8, 0.8), sceneRandom_Range(&random, -0.8, 0.8), 0.3 },
			{ 0.0 } };
		for (int k = 0; k < 4; ++k)
		{
			frame.rotation[k] = sceneRandom_Range(&random, -1.0, 1.0);
		}
		double length = sqrt(frame.rotation[0] * frame.rotation[0] + frame.rotation[1] * frame.rotation[1] +
		                     frame.rotation[2] * frame.rotation[2] + frame.rotation[3] * frame.rotation[3]);
		for (int k = 0; k < 4; ++k)
		{
			frame.rotation[k] /= length;
		}
		assert_int_equal(snugBody_SetFrame(b.thing.body, &frame), snug_success);
		Posed_Read(&b);
		snugContactResult result = Find(&a, &b, buffer);
		Vector sum = SumOfAreas(&result), inB = RationalAreaInside(&a, &b), inA = RationalAreaInside(&b, &a);
		for (uint32_t i = 0; i < result.curveCount; ++i)
		{
			assert_true(result.curves[i].isClosed);
		}
		for (int k = 0; k < 3; ++k)
		{
			if (!(fabs(sum.c[k] - inB.c[k]) <= 1e-6 && fabs(sum.c[k] + inA.c[k]) <= 1e-6))
			{
				fail_msg("seed %llu: area %g, not %g and %g", (unsigned long long)seed, sum.c[k], inB.c[k], -inA.c[k]);
			}
		}
		checked += result.curveCount > 0;
		Posed_Free(&a);
		Posed_Free(&b);
	}
	snugContactBuffer_Destroy(buffer);
	assert_true(checked > TestCount(12) / 2 || TestScale() < 1.0);
}

// How far the vertices of one body that are inside another reach along a direction, from a point; and its curve points.
static double ReachInside(
    const Posed* own, const Posed* other, const snugContactResult* result, Vector along, Vector from)
{
	double reach = 0.0;
	for (uint32_t v = 0; v < own->thing.mesh.vertexCount; ++v)
	{
		snugPointSide place;
		const float* p = own->positions + 3 * (size_t)v;
		assert_int_equal(snugFindInside(other->thing.body, p, 0, 1, &place, own->origin).status, snug_success);
		reach = place.side == snug_inside ? fmax(reach, DotOf(Minus(At(p), from), along)) : reach;
	}
	for (uint32_t i = 0; i < result->pointCount; ++i)
	{
		reach = fmax(reach, DotOf(Minus(At(result->points[i].position), from), along));
	}
	return reach;
}

static snugContactResult FindDeep(const Posed* a, const Posed* b, snugContactBuffer* buffer)
{
	const snugContactQuery query = { .origin = { a->origin[0], a->origin[1], a->origin[2] }, .depths = true };
	snugContactResult result = snugFindContacts(a->thing.body, b->thing.body, buffer, &query);
	assert_int_equal(result.status, snug_success);
	assert_true(result.complete && result.depths != NULL);
	return result;
}

// Oracle: all vertices of each body that are inside the other, where one curve bounds all of them.
static void depths_are_those_of_vertices_inside(void** state)
{
	(void)state;
	int checked = 0;
	snugContactBuffer* buffer = MakeBuffer(4000);
	for (int n = 0; n < TestCount(60); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Posed a = Posed_Make(&random, sceneMakeSphere(3 + (uint32_t)n % 6), snug_rigid, NULL);
		Posed b = Posed_Make(&random, n % 2 == 0 ? sceneMakeSphere(7) : sceneMakeBlob(7, seed), snug_rigid, NULL);
		snugFrame frame = { { sceneRandom_Range(&random, 0.5, 1.9), sceneRandom_Range(&random, -0.5, 0.5), 0.1 },
			{ 0.0 } };
		RandomRotation(&random, frame.rotation);
		assert_int_equal(snugBody_SetFrame(b.thing.body, &frame), snug_success);
		Posed_Read(&b);
		snugContactResult result = FindDeep(&a, &b, buffer);
		if (result.curveCount == 1 && result.curves[0].isClosed)
		{
			Vector area = { { result.curves[0].area[0], result.curves[0].area[1], result.curves[0].area[2] } };
			double size = LengthOf(area);
			Vector along = { { area.c[0] / size, area.c[1] / size, area.c[2] / size } };
			Vector against = { { -along.c[0], -along.c[1], -along.c[2] } };
			Vector from = At(result.points[result.curvePoints[0]].position);
			double expected = ReachInside(&a, &b, &result, along, from) + ReachInside(&b, &a, &result, against, from);
			if (!(fabs(result.depths[0] - expected) <= 1e-12))
			{
				fail_msg("seed %llu: depth %.17g, not %.17g", (unsigned long long)seed, result.depths[0], expected);
			}
			++checked;
		}
		Posed_Free(&a);
		Posed_Free(&b);
	}
	snugContactBuffer_Destroy(buffer);
	assert_true(checked >= TestCount(60) / 3 || TestScale() < 1.0);
}

// A contact point's edge, if it is on one, of a surface.
static bool IsOnEdge(const snugContactPoint* point, bool isA, const uint32_t* twins, uint32_t v, uint32_t w)
{
	const snugFeature* feature = isA ? &point->a : &point->b;
	const bool isEdge = feature->kind == snug_featureEdge; // else numbers may be those of triangles
	const uint32_t first = isEdge ? twins[feature->first] : 0, second = isEdge ? twins[feature->second] : 0;
	return isEdge && ((first == v && second == w) || (first == w && second == v));
}

// Of all points on the edge of v and w, the one that is nearest to v; UINT32_MAX if there is none.
static uint32_t NearestOnEdge(
    const Posed* own, bool isA, const snugContactResult* result, const uint32_t* twins, uint32_t v, uint32_t w)
{
	uint32_t nearest = UINT32_MAX;
	double least = INFINITY;
	for (uint32_t i = 0; i < result->pointCount; ++i)
	{
		double distance = LengthOf(Minus(At(result->points[i].position), At(own->positions + 3 * (size_t)v)));
		if (IsOnEdge(result->points + i, isA, twins, v, w) && distance < least)
		{
			least = distance;
			nearest = i;
		}
	}
	return nearest;
}

static bool IsOfCurve(const snugContactResult* result, const snugCurve* curve, uint32_t point)
{
	bool isOf = false;
	for (uint32_t i = 0; i < curve->pointCount; ++i)
	{
		isOf = isOf || result->curvePoints[curve->firstPoint + i] == point;
	}
	return isOf;
}

// How far what one of two closed surfaces has behind a curve reaches: vertices inside the other body, of whose edges
// one comes first to this curve, or which edges that meet nothing join to such; and the points of the curve.
static double ReachBehind(const Posed* own, const Posed* other, bool isA, const snugContactResult* result,
    const snugCurve* curve, Vector along)
{
	const sceneMesh* mesh = &own->thing.mesh;
	uint32_t* twins = GetTwins(own);
	snugPointSide* places = malloc(mesh->vertexCount * sizeof(snugPointSide));
	bool* isBehind = calloc(mesh->vertexCount, sizeof(bool));
	assert_int_equal(
	    snugFindInside(other->thing.body, own->positions, 0, mesh->vertexCount, places, own->origin).status,
	    snug_success);
	for (bool isNew = true; isNew;)
	{
		isNew = false;
		for (uint32_t i = 0; i < 6 * mesh->triangleCount; ++i)
		{
			const uint32_t *triangle = mesh->triangles + i / 6 * 3, side = i / 2 % 3;
			uint32_t v = twins[triangle[(side + i % 2) % 3]], w = twins[triangle[(side + 1 - i % 2) % 3]];
			if (isBehind[v] || places[v].side != snug_inside)
			{
				continue;
			}
			uint32_t nearest = NearestOnEdge(own, isA, result, twins, v, w);
			isBehind[v] = nearest == UINT32_MAX ? isBehind[w] : IsOfCurve(result, curve, nearest);
			isNew = isNew || isBehind[v];
		}
	}
	Vector from = At(result->points[result->curvePoints[curve->firstPoint]].position);
	double reach = 0.0;
	for (uint32_t i = 0; i < curve->pointCount; ++i)
	{
		const float* p = result->points[result->curvePoints[curve->firstPoint + i]].position;
		reach = fmax(reach, DotOf(Minus(At(p), from), along));
	}
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		reach = isBehind[v] ? fmax(reach, DotOf(Minus(At(own->positions + 3 * (size_t)v), from), along)) : reach;
	}
	free(twins);
	free(places);
	free(isBehind);
	return reach;
}

// Long edges through a ring and out again, and in once more: what is behind the first curve ends at the second. Oracle:
// inside or outside, and a search through all points of all edges. Would catch a vertex that an edge leads to only
// after it has left the other body.
static void depths_end_where_edges_come_out_again(void** state)
{
	(void)state;
	int checked = 0, again = 0;
	snugContactBuffer* buffer = MakeBuffer(4000);
	for (int n = 0; n < TestCount(300); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		sceneMesh spear = n % 2 == 0 ? sceneMakeTetrahedron() : sceneMakeBlob(1 + (uint32_t)n % 3, seed);
		for (uint32_t i = 0; i < 3 * spear.vertexCount; ++i)
		{
			spear.positions[i] *= i % 3 == 0 ? 2.0f : 0.2f;
		}
		Posed a = Posed_Make(&random, spear, snug_rigid, NULL);
		Posed b = Posed_Make(&random, sceneMakeTorus(0.7, 0.3, 11, 9), snug_rigid, NULL);
		snugFrame frame = { { 0.0 }, { 0.0 } };
		for (int k = 0; k < 3; ++k)
		{
			frame.position[k] = sceneRandom_Range(&random, -0.5, 0.5);
		}
		RandomRotation(&random, frame.rotation);
		assert_int_equal(snugBody_SetFrame(b.thing.body, &frame), snug_success);
		Posed_Read(&b);
		snugContactResult result = FindDeep(&a, &b, buffer);
		const bool isGeneric = IsGeneric(&result);
		for (uint32_t c = 0; c < result.curveCount && isGeneric; ++c)
		{
			const snugCurve* curve = result.curves + c;
			Vector area = { { curve->area[0], curve->area[1], curve->area[2] } };
			double size = LengthOf(area);
			if (!curve->isClosed || size == 0.0)
			{
				continue;
			}
			Vector along = { { area.c[0] / size, area.c[1] / size, area.c[2] / size } };
			Vector against = { { -along.c[0], -along.c[1], -along.c[2] } };
			double expected =
			    ReachBehind(&a, &b, true, &result, curve, along) + ReachBehind(&b, &a, false, &result, curve, against);
			if (!(fabs(result.depths[c] - expected) <= 1e-12))
			{
				fail_msg("seed %llu: depth %.17g, not %.17g", (unsigned long long)seed, result.depths[c], expected);
			}
			++checked;
		}
		again += result.curveCount > 1;
		Posed_Free(&a);
		Posed_Free(&b);
	}
	snugContactBuffer_Destroy(buffer);
	print_message("%d curves, %d times more than one\n", checked, again);
	assert_true((checked >= 100 && again >= 30) || TestScale() < 1.0);
}

// Two contacts of different depth, far apart: each curve knows its own. And as deep as spheres are.
static void each_curve_has_its_own_depth(void** state)
{
	(void)state;
	sceneRandom random = { 1 };
	sceneMesh two = sceneMakeSphere(16), other = sceneMakeSphere(16);
	sceneMesh_Translate(&other, 10.0, 0.0, 0.0);
	assert_true(sceneMesh_Append(&two, &other));
	Posed a = Posed_Make(&random, two, snug_rigid, NULL);
	sceneMesh far = sceneMakeSphere(15), near = sceneMakeSphere(15);
	sceneMesh_Translate(&near, 1.5, 0.0, 0.0);
	sceneMesh_Translate(&far, 10.0, 1.8, 0.0);
	assert_true(sceneMesh_Append(&near, &far));
	Posed b = Posed_Make(&random, near, snug_rigid, NULL);
	snugContactBuffer* buffer = MakeBuffer(1000);
	snugContactResult result = FindDeep(&a, &b, buffer);
	assert_int_equal(result.curveCount, 2);
	for (int i = 0; i < 2; ++i)
	{
		double expected = result.curves[i].centroid[0] > 5.0 ? 0.2 : 0.5;
		assert_true(fabs(result.depths[i] - expected) < 0.02);
	}
	assert_null(Find(&a, &b, buffer).depths); // not asked for
	snugContactBuffer_Destroy(buffer);
	sceneMesh_Free(&other);
	sceneMesh_Free(&far);
	Posed_Free(&a);
	Posed_Free(&b);
}

// A ball nearly inside another one: more vertices inside than the buffer for the few pairs that cross has room for.
static void depths_beyond_the_buffer_are_not_known(void** state)
{
	(void)state;
	sceneRandom random = { 1 };
	sceneMesh large = sceneMakeSphere(2);
	ScaleMesh(&large, 10.0f);
	Posed a = Posed_Make(&random, sceneMakeSphere(20), snug_rigid, NULL);
	Posed b = Posed_Make(&random, large, snug_rigid, NULL);
	snugContactBuffer* buffer = MakeBuffer(4000);
	snugContactResult result = FindDeep(&a, &b, buffer);
	for (double x = 7.0; result.count == 0; x += 0.01)
	{
		Place(b.thing.body, x, 0.1, 0.2);
		result = FindDeep(&a, &b, buffer);
	}
	uint32_t count = (uint32_t)result.count;
	assert_int_equal(result.curveCount, 1);
	assert_true(result.depths[0] > 1.9);
	snugContactBuffer_Destroy(buffer);
	buffer = MakeBuffer(count);
	for (int i = 0; i < 2; ++i) // again: nothing is left behind
	{
		result = FindDeep(&a, &b, buffer);
		assert_true(isnan(result.depths[0]));
		assert_int_equal(result.contactCount, count);
	}
	snugContactBuffer_Destroy(buffer);
	Posed_Free(&a);
	Posed_Free(&b);
}

// A sheet's rim through a sphere: every end of a curve is at a boundary, and says so.
static void open_curves_end_at_boundaries(void** state)
{
	(void)state;
	snugContactBuffer* buffer = MakeBuffer(1 << 14);
	uint32_t open = 0;
	for (int n = 0; n < TestCount(40); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		sceneMesh sheet = sceneMakeCloth(1.0, 1.3, 5, 6);
		Posed a = Posed_Make(&random, n % 2 == 0 ? Unweld(sheet) : sheet, snug_rigid, NULL);
		Posed b = Posed_Make(&random, sceneMakeBlob(8, seed), snug_rigid, NULL);
		snugFrame frame = { { 0.6, 0.1, 0.05 }, { 0 } };
		RandomRotation(&random, frame.rotation);
		snugBody_SetFrame(a.thing.body, &frame);
		Posed_Read(&a);
		snugContactResult result = Find(&a, &b, buffer);
		for (uint32_t c = 0; c < result.curveCount; ++c)
		{
			const snugCurve* curve = result.curves + c;
			open += !curve->isClosed;
			if (!curve->isClosed && (curve->ends[0] != snug_endBoundary || curve->ends[1] != snug_endBoundary))
			{
				fail_msg("seed %llu: curve %u ends for no reason", (unsigned long long)seed, c);
			}
		}
		Posed_Free(&a);
		Posed_Free(&b);
	}
	assert_true(open > (uint32_t)TestCount(40) / 4);
	snugContactBuffer_Destroy(buffer);
}

// Fans of hundreds of triangles about one vertex, cut by sheets through it and beside it: where they end is known of
// every edge at the vertex. Would catch a list of neighbours that has an end.
static void large_fans_have_boundaries(void** state)
{
	(void)state;
	enum
	{
		PARTS = 400
	};
	snugContactBuffer* buffer = MakeBuffer(4000);
	uint32_t atBoundaries = 0;
	for (int n = 0; n < TestCount(24); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		const double all = n % 4 == 0 ? 6.283185307179586 : sceneRandom_Range(&random, 1.0, 6.0);
		sceneMesh fan = sceneMesh_Allocate(PARTS + 2, PARTS);
		for (uint32_t i = 0; i <= PARTS; ++i)
		{
			float* rim = fan.positions + 3 * (size_t)(i + 1);
			rim[0] = (float)cos(all * i / PARTS);
			rim[1] = (float)sin(all * i / PARTS);
			rim[2] = 0.0f;
		}
		memset(fan.positions, 0, 3 * sizeof(float));
		for (uint32_t i = 0; i < PARTS; ++i)
		{
			const uint32_t closes = all > 6.1 && i + 1 == PARTS;
			memcpy(fan.triangles + 3 * (size_t)i, (const uint32_t[3]){ 0, i + 1, closes ? 1 : i + 2 },
			    3 * sizeof(uint32_t));
		}
		Posed a = Posed_Make(&random, fan, snug_rigid, NULL);
		Posed b = Posed_Make(&random, sceneMakeCloth(4.0, 4.0, 1, 1), snug_rigid, NULL);
		for (int step = 0; step < 12; ++step)
		{
			// Upright, through the vertex or beside it.
			const snugFrame upright = { .position = { step % 3 == 0 ? 0.0 : 0.1 * step - 0.6, 0.0, 0.0 },
				.rotation = { 0.0, 0.7071067811865476, 0.0, 0.7071067811865476 } };
			assert_int_equal(snugBody_SetFrame(b.thing.body, &upright), snug_success);
			Posed_Read(&b);
			snugContactResult result = Find(&a, &b, buffer);
			CheckCurves(seed, &a, &b, &result);
			for (uint32_t c = 0; c < result.curveCount; ++c)
			{
				atBoundaries += result.curves[c].ends[0] == snug_endBoundary;
			}
		}
		Posed_Free(&a);
		Posed_Free(&b);
	}
	assert_true(atBoundaries > 0);
	snugContactBuffer_Destroy(buffer);
}

// Triangles of a free body that its caller drew apart: twins at rest, but not in this pose. Every curve ends at a
// boundary, since each edge has one triangle now.
static void torn_twins_are_boundaries(void** state)
{
	(void)state;
	sceneRandom random = { 1 };
	Posed a = Posed_Make(&random, Unweld(sceneMakeCloth(2.0, 2.0, 5, 6)), snug_free, NULL);
	Posed b = Posed_Make(&random, sceneMakeBlob(8, 3), snug_rigid, NULL);
	const sceneMesh* mesh = &a.thing.mesh;
	float* torn = malloc(3 * (size_t)mesh->vertexCount * sizeof(float));
	for (uint32_t i = 0; i < 3 * mesh->vertexCount; ++i)
	{
		const float* corners = mesh->positions + 9 * (size_t)(i / 9) + i % 3;
		torn[i] = 0.9f * mesh->positions[i] + 0.1f * (corners[0] + corners[3] + corners[6]) / 3.0f;
	}
	assert_int_equal(snugBody_SetVertices(a.thing.body, torn, 0, 0, mesh->vertexCount), snug_success);
	snugContactBuffer* buffer = MakeBuffer(4000);
	snugContactResult result = Find(&a, &b, buffer);
	assert_true(result.curveCount > 10);
	for (uint32_t c = 0; c < result.curveCount; ++c)
	{
		assert_true(result.curves[c].isClosed ||
		            (result.curves[c].ends[0] == snug_endBoundary && result.curves[c].ends[1] == snug_endBoundary));
	}
	snugContactBuffer_Destroy(buffer);
	free(torn);
	Posed_Free(&a);
	Posed_Free(&b);
}

// A box set upon another one: faces in one plane give polygons that lie in it; a box that reaches into another one's
// face has a rectangle for a curve, with its four corners and none outside.
static void boxes_meet_in_rectangles(void** state)
{
	(void)state;
	sceneRandom random = { 1 };
	Posed a = Posed_Make(&random, sceneMakeVoxelBox(1, 1, 1, 4.0), snug_rigid, NULL);
	Posed b = Posed_Make(&random, sceneMakeVoxelBox(1, 1, 1, 2.0), snug_rigid, NULL);
	snugContactBuffer* buffer = MakeBuffer(1000);
	Place(b.thing.body, 1.0, 1.0, 3.0);
	snugContactResult result = Find(&a, &b, buffer);
	assert_int_equal(result.curveCount, 1);
	assert_true(result.curves[0].isClosed && result.curves[0].length == 8.0);
	assert_true(result.curves[0].area[0] == 0.0 && result.curves[0].area[1] == 0.0);
	assert_true(fabs(result.curves[0].area[2]) == 4.0);
	for (uint32_t i = 0; i < result.pointCount; ++i)
	{
		const float* p = result.points[i].position;
		assert_true(p[2] == 4.0f && p[0] >= 1.0f && p[0] <= 3.0f && p[1] >= 1.0f && p[1] <= 3.0f);
	}
	Place(b.thing.body, 1.0, 1.0, 4.0);
	result = Find(&a, &b, buffer);
	uint32_t polygons = 0;
	for (uint32_t i = 0; i < result.contactCount; ++i)
	{
		polygons += result.contacts[i].kind == snug_contactPolygon;
	}
	assert_true(polygons >= 4 && result.complete);
	for (uint32_t i = 0; i < result.pointCount; ++i)
	{
		assert_true(result.points[i].position[2] == 4.0f);
	}
	snugContactBuffer_Destroy(buffer);
	Posed_Free(&a);
	Posed_Free(&b);
}

// --- Memory and misuse --------------------------------------------------------------------------------------------

static void small_buffers_say_so(void** state)
{
	(void)state;
	sceneRandom random = { 1 };
	Posed a = Posed_Make(&random, sceneMakeSphere(6), snug_rigid, NULL);
	Posed b = Posed_Make(&random, sceneMakeSphere(6), snug_rigid, NULL);
	Place(b.thing.body, 0.7, 0.1, 0.0);
	snugContactBuffer* small = MakeBuffer(3);
	snugContactResult result = Find(&a, &b, small);
	assert_true(!result.complete && result.contactCount == 0 && result.contacts == NULL && result.count > 3);
	snugContactBuffer* enough = MakeBuffer((uint32_t)result.count);
	result = Find(&a, &b, enough);
	assert_true(result.complete && result.contactCount == result.count);
	// The same buffer again: names are forgotten.
	snugContactResult again = Find(&a, &b, enough);
	assert_int_equal(again.pointCount, result.pointCount);
	assert_int_equal(again.curveCount, result.curveCount);
	snugContactBuffer_Destroy(small);
	snugContactBuffer_Destroy(enough);
	Posed_Free(&a);
	Posed_Free(&b);
}

// Two triangles in one plane that have six points in common: more than a buffer for one pair has room for.
static void points_beyond_the_buffer_say_so(void** state)
{
	(void)state;
	sceneRandom random = { 1 };
	static const float corners[2][9] = { { 0, 0, 0, 6, 0, 0, 3, 6, 0 }, { 0, 4, 0, 6, 4, 0, 3, -2, 0 } };
	Posed posed[2];
	for (int i = 0; i < 2; ++i)
	{
		sceneMesh mesh = sceneMakeTriangle();
		memcpy(mesh.positions, corners[i], sizeof(corners[i]));
		posed[i] = Posed_Make(&random, mesh, snug_rigid, NULL);
	}
	for (uint32_t capacity = 1; capacity < 4; ++capacity)
	{
		snugContactBuffer* buffer = MakeBuffer(capacity);
		const snugContactQuery query = { .depths = true };
		snugContactResult result = snugFindContacts(posed[0].thing.body, posed[1].thing.body, buffer, &query);
		assert_int_equal(result.status, snug_success);
		assert_int_equal(result.count, 1);
		assert_int_equal(result.complete, capacity > 1);
		assert_int_equal(result.contactCount, capacity > 1);
		assert_int_equal(result.contacts != NULL, capacity > 1);
		assert_int_equal(result.depths != NULL, capacity > 1);
		assert_int_equal(result.pointCount, capacity > 1 ? 6 : 0);
		snugContactBuffer_Destroy(buffer);
	}
	Posed_Free(posed);
	Posed_Free(posed + 1);
}

static void AssertSameResults(uint64_t seed, const snugContactResult* expected, const snugContactResult* found)
{
	bool isSame = found->complete == expected->complete && found->count == expected->count &&
	              found->contactCount == expected->contactCount && found->pointCount == expected->pointCount &&
	              found->curveCount == expected->curveCount;
	uint32_t points = 0, contacts = 0;
	for (uint32_t c = 0; isSame && c < expected->curveCount; ++c)
	{
		points += expected->curves[c].pointCount;
		contacts += expected->curves[c].contactCount;
	}
	const struct
	{
		const void *expected, *found;
		size_t bytes;
	} arrays[] = {
		{ expected->contacts, found->contacts, expected->contactCount * sizeof(snugContact) },
		{ expected->points, found->points, expected->pointCount * sizeof(snugContactPoint) },
		{ expected->curves, found->curves, expected->curveCount * sizeof(snugCurve) },
		{ expected->curvePoints, found->curvePoints, points * sizeof(uint32_t) },
		{ expected->curveContacts, found->curveContacts, contacts * sizeof(uint32_t) },
		{ expected->depths, found->depths, expected->depths != NULL ? expected->curveCount * sizeof(double) : 0 },
	};
	for (size_t i = 0; isSame && i < LENGTH_OF(arrays); ++i)
	{
		isSame = (arrays[i].expected == NULL) == (arrays[i].found == NULL) &&
		         (arrays[i].bytes == 0 || memcmp(arrays[i].expected, arrays[i].found, arrays[i].bytes) == 0);
	}
	if (!isSame)
	{
		fail_msg("seed %llu: a buffer that was used before has other contacts", (unsigned long long)seed);
	}
}

// One buffer over the frames of a motion, of contacts large and small, now and then of too many. Oracle: a new buffer
// of the same size. Would catch names of points that outlive their frame.
static void a_buffer_is_as_good_as_new(void** state)
{
	(void)state;
	uint64_t complete = 0, incomplete = 0;
	for (int n = 0; n < TestCount(12); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Posed a = Posed_Make(&random, sceneMakeBlob(8, seed), snug_rigid, NULL);
		Posed b =
		    Posed_Make(&random, n % 4 == 0 ? sceneMakeCloth(2.0, 2.0, 9, 7) : sceneMakeSphere(7), snug_rigid, NULL);
		static const uint32_t capacities[] = { 60, 600, 4000 }; // names are taken out one by one, or all at once
		const uint32_t capacity = capacities[n % 3];
		snugContactBuffer* used = MakeBuffer(capacity);
		for (int frame = 0; frame < 40; ++frame)
		{
			// Far, a little, and not at all: names come again.
			const double way = frame / 4 * 0.16 + frame % 4 / 2 * 0.002;
			Place(b.thing.body, 2.0 - way, 0.1 * way, 0.04 * way);
			const snugContactQuery query = { .depths = frame % 3 == 0 };
			snugContactBuffer* fresh = MakeBuffer(capacity);
			snugContactResult expected = snugFindContacts(a.thing.body, b.thing.body, fresh, &query);
			snugContactResult found = snugFindContacts(a.thing.body, b.thing.body, used, &query);
			AssertSameResults(seed, &expected, &found);
			for (uint64_t i = 0; i < used->tableSize; ++i)
			{
				assert_int_equal(
				    used->table[i], 0); // else it is full some day, and whoever looks for a name never ends
			}
			complete += found.complete && found.contactCount > 0;
			incomplete += !found.complete;
			snugContactBuffer_Destroy(fresh);
		}
		snugContactBuffer_Destroy(used);
		Posed_Free(&a);
		Posed_Free(&b);
	}
	assert_true(complete > 0 && incomplete > 0);
}

static void memory_is_asked_for_and_given_back(void** state)
{
	(void)state;
	for (uint64_t failAt = 0; failAt <= 2; ++failAt)
	{
		TestAllocator allocator = { .failAt = failAt };
		TestMessages messages = { 0 };
		const snugContactBufferDef def = {
			.capacity = 100, .allocator = TestAllocator_Get(&allocator), .messenger = TestMessages_Get(&messages)
		};
		snugContactBuffer* buffer = (snugContactBuffer*)(void*)&allocator;
		snugStatus status = snugContactBuffer_Create(&def, &buffer);
		assert_int_equal(status, failAt == 0 ? snug_success : snug_outOfMemory);
		assert_int_equal(buffer == NULL, failAt != 0);
		assert_int_equal(messages.count, failAt != 0);
		snugContactBuffer_Destroy(buffer);
		assert_int_equal(allocator.live, 0);
		assert_int_equal(allocator.faults, 0);
	}
}

// --- One body -----------------------------------------------------------------------------------------------------

static snugContactResult FindOwn(const Posed* posed, snugContactBuffer* buffer, bool keepRest)
{
	const snugContactQuery query = { .keepRest = keepRest, .depths = true };
	snugContactResult result = snugFindSelfContacts(posed->thing.body, buffer, &query);
	assert_int_equal(result.status, snug_success);
	return result;
}

// In body space.
static void ReadAlone(Posed* posed)
{
	const snugFrame identity = { { 0 }, { 0 } };
	snugBody_SetFrame(posed->thing.body, &identity);
	memset(posed->origin, 0, sizeof(posed->origin));
	Posed_Read(posed);
}

// Everything that holds for two bodies holds for one, with the pairs of snugCollideSelf.
static void CheckOwn(uint64_t seed, Posed* posed, bool keepRest, uint64_t kinds[4])
{
	const uint64_t most = (uint64_t)posed->thing.mesh.triangleCount * posed->thing.mesh.triangleCount + 1;
	PairList pairs = { malloc(most * sizeof(snugPair)), 0 };
	const snugQuery query = { .pairs = pairs.pairs, .capacity = most, .keepRest = keepRest };
	ReadAlone(posed);
	pairs.count = snugCollideSelf(posed->thing.body, &query).count;
	snugContactBuffer* buffer = MakeBuffer((uint32_t)(pairs.count + 1) * 2);
	snugContactResult result = FindOwn(posed, buffer, keepRest);
	assert_true(result.complete && result.contactCount == pairs.count);
	PairList found = { malloc((pairs.count + 1) * sizeof(snugPair)), pairs.count };
	for (uint32_t i = 0; i < result.contactCount; ++i)
	{
		const snugContact* contact = result.contacts + i;
		assert_true(contact->a < contact->b || contact->curve != SNUG_NONE);
		found.pairs[i] =
		    contact->a < contact->b ? (snugPair){ contact->a, contact->b } : (snugPair){ contact->b, contact->a };
		++kinds[contact->kind];
	}
	qsort(found.pairs, found.count, sizeof(snugPair), ComparePairs);
	AssertSamePairs("own contacts", seed, &pairs, &found);
	CheckPoints(seed, posed, posed, &result);
	CheckCurves(seed, posed, posed, &result);
	snugContactBuffer_Destroy(buffer);
	PairList_Free(&found);
	PairList_Free(&pairs);
}

static void own_contacts_are_pairs_with_points_on_both(void** state)
{
	(void)state;
	uint64_t kinds[4] = { 0 };
	for (int n = 0; n < TestCount(120); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = n % 4 == 0 ? MakePool(4096 * 3) : NULL;
		Posed posed = Posed_Make(
		    &random, RandomMesh(&random, (MeshKind)(n % MESH_KINDS)), (Mover)(n / MESH_KINDS % POSED_DEFORMERS), pool);
		CheckOwn(seed, &posed, true, kinds);
		Posed_Change(&random, &posed);
		CheckOwn(seed, &posed, n % 2 == 0, kinds);
		Posed_Free(&posed);
		snugPool_Destroy(pool);
	}
	for (int i = 0; i < 4; ++i)
	{
		assert_true(kinds[i] > 10 || TestScale() < 1.0);
	}
}

static uint64_t HashBits(uint64_t hash, const float* p)
{
	for (int k = 0; k < 3; ++k)
	{
		uint32_t bits;
		memcpy(&bits, p + k, sizeof(bits));
		hash = (hash ^ bits) * 0xbf58476d1ce4e5b9u;
	}
	return hash ^ hash >> 29;
}

// Add a point to a sum that does not depend on the order of points: its place, and the places of what it is on, since
// of twins another one may stand for all.
static void AddPlaces(uint64_t* sum, const snugContactPoint* point, const Posed* a, const Posed* b)
{
	uint64_t hash = HashBits(1, point->position);
	for (int i = 0; i < 2; ++i)
	{
		const snugFeature* feature = i == 0 ? &point->a : &point->b;
		const Posed* posed = i == 0 ? a : b;
		const uint32_t* triangle = posed->thing.mesh.triangles + 3 * (size_t)feature->first;
		const uint32_t edge[3] = { feature->first, feature->second, feature->first };
		const uint32_t* vertices = feature->kind == snug_featureTriangle ? triangle : edge;
		const int count = feature->kind == snug_featureTriangle ? 3 : feature->kind == snug_featureEdge ? 2 : 1;
		uint64_t places = 0; // in any order
		for (int c = 0; c < count; ++c)
		{
			places += HashBits(2, posed->positions + 3 * (size_t)vertices[c]);
		}
		hash = (hash ^ places) * 0x9e3779b97f4a7c15u;
	}
	*sum += hash ^ hash >> 29;
}

// Two surfaces as one body: the same contacts, names and places, curves, areas and depths as two bodies have.
static void one_body_meets_itself_as_two_do(void** state)
{
	(void)state;
	int curves = 0;
	snugContactBuffer *buffer = MakeBuffer(1 << 14), *ownBuffer = MakeBuffer(1 << 14);
	for (int n = 0; n < TestCount(60); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		sceneMesh meshes[2] = { sceneMakeBlob(2 + (uint32_t)n % 6, seed),
			n % 2 == 0 ? sceneMakeTorus(0.7, 0.3, 17, 11) : sceneMakeBlob(5, seed + 1) };
		meshes[n % 2] = n % 3 == 0 ? Unweld(meshes[n % 2]) : meshes[n % 2];
		sceneMesh_Translate(meshes + 1, sceneRandom_Range(&random, -1.0, 1.0), 0.3141, -0.2718);
		sceneMesh both = sceneMesh_Copy(meshes);
		assert_true(sceneMesh_Append(&both, meshes + 1));
		const uint32_t triangles = meshes[0].triangleCount;
		Posed a = Posed_Make(&random, meshes[0], snug_rigid, NULL),
		      b = Posed_Make(&random, meshes[1], snug_rigid, NULL);
		Posed own = Posed_Make(&random, both, snug_rigid, NULL);
		const snugContactQuery query = { .depths = true };
		const snugContactResult two = snugFindContacts(a.thing.body, b.thing.body, buffer, &query);
		const snugContactResult one = FindOwn(&own, ownBuffer, true);
		assert_true(one.complete && one.contactCount == two.contactCount && one.pointCount == two.pointCount);
		assert_int_equal(one.curveCount, two.curveCount);
		uint64_t names[2] = { 0, 0 };
		for (uint32_t i = 0; i < one.pointCount; ++i)
		{
			AddPlaces(names, one.points + i, &own, &own);
			AddPlaces(names + 1, two.points + i, &a, &b);
		}
		assert_true(names[0] == names[1]);
		for (uint32_t c = 0; c < one.curveCount; ++c)
		{
			const snugCurve *curve = one.curves + c, *other = NULL;
			const snugContact* contact = one.contacts + one.curveContacts[curve->firstContact];
			for (uint32_t i = 0; i < two.contactCount && other == NULL; ++i)
			{
				const bool isSame = two.contacts[i].a == contact->a && two.contacts[i].b + triangles == contact->b;
				other = isSame ? two.curves + two.contacts[i].curve : NULL;
			}
			bool isGood = other != NULL && curve->isClosed == other->isClosed &&
			              curve->contactCount == other->contactCount && fabs(curve->length - other->length) < 1e-9 &&
			              fabs(one.depths[c] - two.depths[other - two.curves]) < 1e-9;
			for (int k = 0; k < 3; ++k)
			{
				isGood = isGood && fabs(curve->area[k] - other->area[k]) < 1e-9;
			}
			if (!isGood)
			{
				fail_msg("seed %llu: curve %u is another one", (unsigned long long)seed, c);
			}
		}
		curves += (int)one.curveCount;
		Posed_Free(&a);
		Posed_Free(&b);
		Posed_Free(&own);
	}
	assert_true(curves > TestCount(60) / 2);
	snugContactBuffer_Destroy(buffer);
	snugContactBuffer_Destroy(ownBuffer);
}

// Where a closed surface is bent into itself, curves are closed, or end at corners from which on it crosses itself; and
// their triangles stay on two sides of it.
static void own_curves_of_closed_surfaces_end_at_corners(void** state)
{
	(void)state;
	uint32_t closed = 0, open = 0;
	snugContactBuffer* buffer = MakeBuffer(1 << 16);
	for (int n = 0; n < TestCount(80); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Posed posed = Posed_Make(&random, n % 2 == 0 ? sceneMakeTorus(0.7, 0.3, 14, 9) : sceneMakeBlob(6, seed),
		    n % 3 == 0 ? snug_fields : snug_skin, NULL);
		Posed_Change(&random, &posed);
		ReadAlone(&posed);
		const snugContactResult result = FindOwn(&posed, buffer, true);
		const bool isGeneric = result.complete && IsGeneric(&result);
		for (uint32_t c = 0; c < result.curveCount && isGeneric; ++c)
		{
			const snugCurve* curve = result.curves + c;
			if (!curve->isClosed && (curve->ends[0] != snug_endCorner || curve->ends[1] != snug_endCorner))
			{
				fail_msg("seed %llu: curve %u ends at %d and %d", (unsigned long long)seed, c, curve->ends[0],
				    curve->ends[1]);
			}
			closed += curve->isClosed;
			open += !curve->isClosed;
			for (uint32_t i = 0; i < curve->contactCount; ++i) // all go the same way
			{
				const uint32_t* points = result.curvePoints + curve->firstPoint;
				const snugContact* contact = result.contacts + result.curveContacts[curve->firstContact + i];
				const bool isForward = contact->points[0] == points[i];
				const snugContact* first = result.contacts + result.curveContacts[curve->firstContact];
				assert_true(isForward == (first->points[0] == points[0]));
			}
		}
		Posed_Free(&posed);
	}
	assert_true((closed > 5 && open > 5) || TestScale() < 1.0);
	snugContactBuffer_Destroy(buffer);
}

// A long part that is in a large one, and in a ring in there: what is behind the curve of the first two ends at the
// ring.
static void own_depths_end_where_another_part_begins(void** state)
{
	(void)state;
	sceneRandom random = { 1 };
	snugContactBuffer* buffer = MakeBuffer(10000);
	double depths[2] = { 0.0 };
	for (int hasRing = 0; hasRing < 2; ++hasRing)
	{
		sceneMesh mesh = sceneMakeSphere(12), spear = sceneMakeSphere(12), ring = sceneMakeTorus(0.4, 0.15, 24, 12);
		for (uint32_t i = 0; i < 3 * mesh.vertexCount; ++i)
		{
			mesh.positions[i] = 1.5f * mesh.positions[i] + (i % 3 == 0 ? 2.0f : 0.01f);
			spear.positions[i] *= i % 3 == 0 ? 2.0f : 0.5f;
		}
		for (uint32_t i = 0; i < ring.vertexCount; ++i) // around x
		{
			const float* p = ring.positions + 3 * (size_t)i;
			const float turned[3] = { p[2] + 1.2f, p[0], p[1] };
			memcpy(ring.positions + 3 * (size_t)i, turned, sizeof(turned));
		}
		const uint32_t ofFirst = mesh.triangleCount, ofSpear = ofFirst + spear.triangleCount;
		assert_true(sceneMesh_Append(&mesh, &spear) && (hasRing == 0 || sceneMesh_Append(&mesh, &ring)));
		Posed posed = Posed_Make(&random, mesh, snug_rigid, NULL);
		const snugContactResult result = FindOwn(&posed, buffer, true);
		assert_int_equal(result.curveCount, 1 + 2 * hasRing);
		for (uint32_t i = 0; i < result.curveCount; ++i)
		{
			const snugContact* contact = result.contacts + result.curveContacts[result.curves[i].firstContact];
			const bool isOfFirst = contact->a < ofFirst && contact->b < ofSpear;
			depths[hasRing] = isOfFirst ? result.depths[i] : depths[hasRing];
		}
		Posed_Free(&posed);
		sceneMesh_Free(&spear);
		sceneMesh_Free(&ring);
	}
	assert_true(depths[0] > 1.3 && depths[1] > 0.2 && depths[1] < 0.8);
	snugContactBuffer_Destroy(buffer);
}

// Where the body is does not matter, but for positions, normals and areas, which are where it is.
static void own_contacts_move_with_the_body(void** state)
{
	(void)state;
	sceneRandom random = { 5 };
	sceneMesh mesh = sceneMakeBlob(5, 1), other = sceneMakeTorus(0.7, 0.3, 15, 10);
	sceneMesh_Translate(&other, 0.3, 0.3141, -0.2718);
	assert_true(sceneMesh_Append(&mesh, &other));
	sceneMesh_Free(&other);
	Posed posed = Posed_Make(&random, mesh, snug_rigid, NULL);
	const snugFrame moved = { { 10.0, -3.0, 7.0 }, { 0.0, 0.0, 0.6, 0.8 } }; // (x, y) to (0.28 x - 0.96 y, ...)
	const snugContactQuery query = { .origin = { 9.0, 0.0, 7.0 }, .keepRest = true, .depths = true };
	snugContactBuffer *buffer = MakeBuffer(4000), *movedBuffer = MakeBuffer(4000);
	const snugContactResult here = FindOwn(&posed, buffer, true);
	snugBody_SetFrame(posed.thing.body, &moved);
	const snugContactResult there = snugFindSelfContacts(posed.thing.body, movedBuffer, &query);
	assert_true(there.status == snug_success && there.pointCount == here.pointCount && here.curveCount > 0);
	for (uint32_t i = 0; i < here.pointCount; ++i)
	{
		const float *p = here.points[i].position, *q = there.points[i].position;
		assert_true(memcmp(&here.points[i].a, &there.points[i].a, sizeof(snugFeature)) == 0);
		assert_true(fabs(0.28 * p[0] - 0.96 * p[1] + 1.0 - q[0]) < 1e-6);
		assert_true(fabs(0.96 * p[0] + 0.28 * p[1] - 3.0 - q[1]) < 1e-6 && fabs((double)p[2] - q[2]) < 1e-6);
	}
	for (uint32_t i = 0; i < here.contactCount; ++i)
	{
		const float *n = here.contacts[i].normalA, *m = there.contacts[i].normalA;
		assert_true(fabs(0.28 * n[0] - 0.96 * n[1] - m[0]) < 1e-6 && fabs((double)n[2] - m[2]) < 1e-6);
	}
	for (uint32_t i = 0; i < here.curveCount; ++i)
	{
		const snugCurve *p = here.curves + i, *q = there.curves + i;
		assert_true(fabs(0.28 * p->area[0] - 0.96 * p->area[1] - q->area[0]) < 1e-9 && p->length == q->length);
		assert_true(fabs(0.96 * p->centroid[0] + 0.28 * p->centroid[1] - 3.0 - q->centroid[1]) < 1e-9);
		assert_true(here.depths[i] == there.depths[i]);
	}
	snugContactBuffer_Destroy(buffer);
	snugContactBuffer_Destroy(movedBuffer);
	Posed_Free(&posed);
}

// What the caller gives to run threads runs as the caller does.
static void RunUpward(void* user, uint32_t count, snugTaskFcn* task, void* context)
{
	const volatile float one = 1.0f, little = 1e-10f; // fegetround may look at another unit
	*(bool*)user = one + little > one;
	for (uint32_t i = 0; i < count; ++i)
	{
		task(context, i);
	}
}

static void workers_run_in_the_callers_environment(void** state)
{
	(void)state;
	sceneRandom random = { 3 };
	bool isUpward = false;
	Posed posed = Posed_Make(&random, sceneMakeBlob(12, 1), snug_rigid, NULL);
	Posed other = Posed_Make(&random, sceneMakeBlob(12, 2), snug_rigid, NULL);
	snugContactBuffer* buffer = MakeBuffer(4000);
	const snugContactQuery query = { .workers = { RunUpward, &isUpward } };
	const int before = fegetround();
	fesetround(FE_UPWARD);
	const uint64_t count = snugFindContacts(posed.thing.body, other.thing.body, buffer, &query).count;
	fesetround(before);
	assert_true(isUpward && count > 0);
	snugContactBuffer_Destroy(buffer);
	Posed_Free(&posed);
	Posed_Free(&other);
}

static void misuse_is_refused(void** state)
{
	(void)state;
	sceneRandom random = { 7 };
	Posed a = Posed_Make(&random, sceneMakeTetrahedron(), snug_rigid, NULL);
	Posed b = Posed_Make(&random, sceneMakeTetrahedron(), snug_rigid, NULL);
	snugContactBuffer* buffer = MakeBuffer(100);
	snugBody *x = a.thing.body, *y = b.thing.body;
	const snugContactQuery nowhere = { .origin = { 0.0, NAN, 0.0 } }, dirty = { .reserved = { 1 } };
	const snugContactQuery far = { .origin = { 1e300, 0.0, 0.0 } };
	assert_int_equal(snugFindContacts(NULL, y, buffer, NULL).status, snug_badArgument);
	assert_int_equal(snugFindContacts(x, x, buffer, NULL).status, snug_badArgument);
	assert_int_equal(snugFindContacts(x, y, NULL, NULL).status, snug_badArgument);
	assert_int_equal(snugFindContacts(x, y, buffer, &nowhere).status, snug_badArgument);
	assert_int_equal(snugFindContacts(x, y, buffer, &dirty).status, snug_badArgument);
	assert_int_equal(snugFindContacts(x, y, buffer, &far).status, snug_outOfRange);
	assert_int_equal(snugFindContacts(x, y, buffer, NULL).status, snug_success);
	assert_int_equal(snugFindSelfContacts(NULL, buffer, NULL).status, snug_badArgument);
	assert_int_equal(snugFindSelfContacts(x, NULL, NULL).status, snug_badArgument);
	assert_int_equal(snugFindSelfContacts(x, buffer, &dirty).status, snug_badArgument);
	assert_int_equal(snugFindSelfContacts(x, buffer, &far).status, snug_outOfRange);
	snugContactBuffer* none;
	const snugContactBufferDef zero = { .capacity = 0 }, many = { .capacity = 100000001 };
	const snugContactBufferDef bad = { .capacity = 1, .reserved = { 1 } };
	assert_int_equal(snugContactBuffer_Create(&zero, &none), snug_badInput);
	assert_int_equal(snugContactBuffer_Create(&many, &none), snug_badInput);
	assert_int_equal(snugContactBuffer_Create(&bad, &none), snug_badArgument);
	assert_int_equal(snugContactBuffer_Create(NULL, &none), snug_badArgument);
	assert_null(none);
	snugContactBuffer_Destroy(NULL);
	snugContactBuffer_Destroy(buffer);
	Posed_Free(&a);
	Posed_Free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contacts_are_pairs_with_points_on_both),
		cmocka_unit_test(curves_of_closed_surfaces_are_closed),
		cmocka_unit_test(spheres_meet_in_a_circle),
		cmocka_unit_test(areas_are_those_of_clipped_triangles),
		cmocka_unit_test(areas_are_those_of_rationally_clipped_triangles),
		cmocka_unit_test(depths_are_those_of_vertices_inside),
		cmocka_unit_test(depths_end_where_edges_come_out_again),
		cmocka_unit_test(each_curve_has_its_own_depth),
		cmocka_unit_test(depths_beyond_the_buffer_are_not_known),
		cmocka_unit_test(open_curves_end_at_boundaries),
		cmocka_unit_test(large_fans_have_boundaries),
		cmocka_unit_test(torn_twins_are_boundaries),
		cmocka_unit_test(boxes_meet_in_rectangles),
		cmocka_unit_test(small_buffers_say_so),
		cmocka_unit_test(points_beyond_the_buffer_say_so),
		cmocka_unit_test(a_buffer_is_as_good_as_new),
		cmocka_unit_test(memory_is_asked_for_and_given_back),
		cmocka_unit_test(own_contacts_are_pairs_with_points_on_both),
		cmocka_unit_test(one_body_meets_itself_as_two_do),
		cmocka_unit_test(own_curves_of_closed_surfaces_end_at_corners),
		cmocka_unit_test(own_depths_end_where_another_part_begins),
		cmocka_unit_test(own_contacts_move_with_the_body),
		cmocka_unit_test(workers_run_in_the_callers_environment),
		cmocka_unit_test(misuse_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
