// test/geometry/test_contact_points.c: what two triangles have in common, against rational arithmetic: where each edge
// of one meets the other, from both of its ends. At random, and on grids where everything touches.
#include "rational.h"
#include "rational_segment.h"
#include "support.h"

#include "geometry/contact.h"

#include <math.h>
#include <string.h>

typedef struct Points
{
	double at[16][3];
	int count;
} Points;

static void Add(Points* points, const double at[3], double tolerance)
{
	for (int i = 0; i < points->count; ++i)
	{
		bool isSame = true;
		for (int k = 0; k < 3; ++k)
		{
			isSame = isSame && fabs(points->at[i][k] - at[k]) <= tolerance;
		}
		if (isSame)
		{
			return;
		}
	}
	memcpy(points->at[points->count++], at, 3 * sizeof(double));
}

// The extreme points of what triangles have in common, but for rounding.
static Points ExpectedPoints(const float a[3][3], const float b[3][3], double tolerance)
{
	Points points = { .count = 0 };
	for (int i = 0; i < 12; ++i)
	{
		const float(*own)[3] = i < 6 ? a : b, (*other)[3] = i < 6 ? b : a;
		const float* p = own[i % 3];
		const float* q = own[(i % 3 + (i / 3 % 2 == 0 ? 1 : 2)) % 3];
		double t, at[3];
		if (RationalSegmentHit(p, q, other, &t))
		{
			for (int k = 0; k < 3; ++k)
			{
				at[k] = p[k] + t * ((double)q[k] - p[k]);
			}
			Add(&points, at, tolerance);
		}
	}
	return points;
}

static const float* CornerOf(const float triangle[3][3], int part)
{
	return part < sg_firstEdge ? triangle[part] : NULL;
}

// The place that a name stands for.
static void Locate(const float a[3][3], const float b[3][3], sgSharedPoint name, double at[3])
{
	const float* corner = CornerOf(a, name.a) != NULL ? CornerOf(a, name.a) : CornerOf(b, name.b);
	if (corner != NULL)
	{
		for (int k = 0; k < 3; ++k)
		{
			at[k] = corner[k];
		}
		return;
	}
	int i = (name.a - sg_firstEdge) % 3, j = (name.b - sg_firstEdge) % 3;
	if (name.a == sg_inside)
	{
		sgMeetPlane(b[j], b[(j + 1) % 3], a, at);
	}
	else if (name.b == sg_inside)
	{
		sgMeetPlane(a[i], a[(i + 1) % 3], b, at);
	}
	else
	{
		sgMeetEdge(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3], at);
	}
}

static bool AreAmong(const Points* found, const Points* expected, double tolerance)
{
	Points all = *expected;
	for (int i = 0; i < found->count; ++i)
	{
		Add(&all, found->at[i], tolerance);
	}
	return all.count == expected->count;
}

static double Diameter(const Points* points)
{
	double most = 0.0;
	for (int i = 0; i < points->count * points->count; ++i)
	{
		const double *p = points->at[i / points->count], *q = points->at[i % points->count];
		most = fmax(most, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
	}
	return most;
}

// Normal a x normal b, along which a segment goes.
static double Along(const float a[3][3], const float b[3][3], const Points* points)
{
	double n[2][3], d[3], sum = 0.0;
	for (int s = 0; s < 2; ++s)
	{
		const float(*t)[3] = s == 0 ? a : b;
		for (int k = 0; k < 3; ++k)
		{
			int i = (k + 1) % 3, j = (k + 2) % 3;
			n[s][k] = ((double)t[1][i] - t[0][i]) * ((double)t[2][j] - t[0][j]) -
			          ((double)t[1][j] - t[0][j]) * ((double)t[2][i] - t[0][i]);
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		d[k] = points->at[1][k] - points->at[0][k];
		sum += d[k] * (n[0][(k + 1) % 3] * n[1][(k + 2) % 3] - n[0][(k + 2) % 3] * n[1][(k + 1) % 3]);
	}
	return sum;
}

// Corners of a polygon in order turn one way.
static bool IsConvex(const Points* points)
{
	double first[3] = { 0 };
	bool isConvex = true;
	for (int i = 0; i < points->count && points->count > 2; ++i)
	{
		const double *p = points->at[i], *q = points->at[(i + 1) % points->count];
		const double* r = points->at[(i + 2) % points->count];
		double dot = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			int u = (k + 1) % 3, v = (k + 2) % 3;
			double turn = (q[u] - p[u]) * (r[v] - q[v]) - (q[v] - p[v]) * (r[u] - q[u]);
			first[k] = i == 0 ? turn : first[k];
			dot += first[k] * turn;
		}
		isConvex = isConvex && dot >= -1e-9;
	}
	return isConvex;
}

static int Check(uint64_t seed, const float a[3][3], const float b[3][3], double tolerance)
{
	sgContact contact;
	sgTriangles_Contact(a, b, &contact);
	if ((contact.kind != sgContact_none) != RationalIntersect(a, b))
	{
		fail_msg("seed %llu: kind %d", (unsigned long long)seed, (int)contact.kind);
	}
	Points found = { .count = 0 }, expected = ExpectedPoints(a, b, tolerance);
	for (int i = 0; i < contact.count; ++i)
	{
		if (contact.kind == sgContact_flat)
		{
			Add(&found, contact.ends[i], tolerance);
			continue;
		}
		Locate(a, b, contact.points[i], found.at[found.count++]); // names are unique
	}
	// The third corner of a triangle without area may lie between the ends.
	bool areSame =
	    contact.kind == sgContact_flat
	        ? AreAmong(&found, &expected, tolerance) && fabs(Diameter(&found) - Diameter(&expected)) <= tolerance
	        : AreAmong(&found, &expected, tolerance) && found.count == expected.count;
	bool isGood = areSame && (contact.kind != sgContact_segment || (found.count == 2 && Along(a, b, &found) > 0.0)) &&
	              (contact.kind != sgContact_point || found.count == 1) && IsConvex(&found);
	if (!isGood)
	{
		fail_msg("seed %llu: kind %d, %d points instead of %d", (unsigned long long)seed, (int)contact.kind,
		    found.count, expected.count);
	}
	return (int)contact.kind;
}

static void points_are_those_of_rational_arithmetic(void** state)
{
	(void)state;
	int kinds[5] = { 0 }, count = TestCount(12000);
	for (int n = 0; n < count; ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed * 977 };
		float points[6][3];
		int kind = sceneRandom_Int(&random, 0, 3);
		for (int i = 0; i < 18; ++i)
		{
			float x = kind == 3 ? RandomFloat(&random, -1.0f, 1.0f) : (float)sceneRandom_Int(&random, 0, kind + 2);
			points[i / 3][i % 3] = kind == 1 && i % 3 == 2 ? 0.0f : x; // a plane
		}
		if (kind == 3) // the other triangle through the first
		{
			for (int k = 0; k < 3; ++k)
			{
				points[3][k] = 0.5f * (points[0][k] + points[sceneRandom_Int(&random, 0, 2)][k]);
			}
		}
		++kinds[Check(seed, (const float(*)[3])points, (const float(*)[3])(points + 3), 1e-7)];
	}
	for (int i = 0; i < 5; ++i)
	{
		assert_true(kinds[i] > count / 400);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_are_those_of_rational_arithmetic),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
