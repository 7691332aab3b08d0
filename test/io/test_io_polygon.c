// test/io/test_io_polygon.c: polygons made triangles.
//
// Oracle: a polygon of n corners has n - 2 triangles over its own corners, whose areas, taken positive, add up to the
// polygon's: then they cover it once (see io/polygon.h). A second one, by brute force: random points are in as many
// triangles as the boundary winds around them.
#include "test_io.h"

#include "io/polygon.h"

#include <math.h>

#define MAX_CORNERS 400

typedef struct polygon
{
	uint32_t count;
	double points[2 * MAX_CORNERS]; // in its plane, turning left
	double positions[3 * MAX_CORNERS];
	uint32_t triangles[3 * MAX_CORNERS];
} polygon;

static double Area(const double* a, const double* b, const double* c)
{
	return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

// Put the points into a plane in space.
static void Place(polygon* p, uint32_t* random)
{
	double u[3], v[3], o[3], dot = 0.0, length = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		u[k] = RandomIn(random, -1, 1);
		v[k] = RandomIn(random, -1, 1);
		o[k] = RandomIn(random, -5, 5);
		dot += u[k] * v[k];
		length += u[k] * u[k];
	}
	for (int k = 0; k < 3; ++k)
	{
		v[k] -= dot / length * u[k];
	}
	for (uint32_t i = 0; i < p->count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			p->positions[3 * i + (uint32_t)k] = o[k] + p->points[2 * i] * u[k] + p->points[2 * i + 1] * v[k];
		}
	}
}

static int Winding(const polygon* p, double x, double y)
{
	int winding = 0;
	for (uint32_t i = 0; i < p->count; ++i)
	{
		const double *a = p->points + 2 * i, *b = p->points + 2 * ((i + 1) % p->count), q[2] = { x, y };
		double side = Area(a, b, q);
		winding += a[1] <= y && b[1] > y && side > 0.0;
		winding -= a[1] > y && b[1] <= y && side < 0.0;
	}
	return winding;
}

static void Split(polygon* p)
{
	assert_int_equal(ioSplitPolygon(p->positions, p->count, p->triangles, NULL), io_splitDone);
	for (uint32_t i = 0; i < 3 * (p->count - 2); ++i)
	{
		assert_in_range(p->triangles[i], 0, p->count - 1);
	}
}

static void AssertCovers(const polygon* p, uint32_t seed)
{
	static const double origin[2] = { 0, 0 };
	double area = 0.0, sum = 0.0;
	for (uint32_t i = 0; i < p->count; ++i)
	{
		area += Area(origin, p->points + 2 * i, p->points + 2 * ((i + 1) % p->count));
	}
	for (uint32_t i = 0; i < p->count - 2; ++i)
	{
		const uint32_t* t = p->triangles + 3 * i;
		sum += fabs(Area(p->points + 2 * t[0], p->points + 2 * t[1], p->points + 2 * t[2]));
	}
	if (!(fabs(sum - area) <= 1e-9 * fabs(area)))
	{
		fail_msg("seed %u: %u corners: triangles of area %.12g for a polygon of %.12g", seed, p->count, sum, area);
	}
}

static void AssertWinds(const polygon* p, uint32_t seed, uint32_t* random)
{
	for (int n = 0; n < 20; ++n)
	{
		double q[2] = { RandomIn(random, -2, 2), RandomIn(random, -2, 2) };
		int inside = 0;
		for (uint32_t i = 0; i < p->count - 2; ++i)
		{
			const uint32_t* t = p->triangles + 3 * i;
			const double *a = p->points + 2 * t[0], *b = p->points + 2 * t[1], *c = p->points + 2 * t[2];
			inside += Area(a, b, q) > 0.0 && Area(b, c, q) > 0.0 && Area(c, a, q) > 0.0;
			inside -= Area(a, b, q) < 0.0 && Area(b, c, q) < 0.0 && Area(c, a, q) < 0.0;
		}
		if (inside != Winding(p, q[0], q[1]))
		{
			fail_msg("seed %u: a point in %d triangles, around which the boundary winds %d times", seed, inside,
			    Winding(p, q[0], q[1]));
		}
	}
}

// A star-shaped polygon: simple whatever the radii are.
static void MakeStar(polygon* p, uint32_t count, uint32_t* random)
{
	p->count = count;
	for (uint32_t i = 0; i < count; ++i)
	{
		double angle = 6.283185307179586 * (i + RandomIn(random, 0.0, 0.9)) / count,
		       radius = RandomIn(random, 0.2, 2.0);
		p->points[2 * i] = radius * cos(angle);
		p->points[2 * i + 1] = radius * sin(angle);
	}
	Place(p, random);
}

static void covers_random_stars(void** state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= (uint32_t)(3000 * TestScale()); ++seed)
	{
		uint32_t random = seed * 2654435761u + 1;
		polygon p;
		MakeStar(&p, 4 + seed % 60, &random);
		Split(&p);
		AssertCovers(&p, seed);
		AssertWinds(&p, seed, &random);
	}
}

// Arms that wind around each other: no corner of the whole is seen from another.
static void covers_a_spiral(void** state)
{
	(void)state;
	polygon p = { .count = 200 };
	uint32_t random = 7;
	for (uint32_t i = 0; i < 100; ++i)
	{
		double angle = 0.2 * i, radius = 0.02 * i + 0.05;
		p.points[2 * i] = (radius + 0.1) * cos(angle);
		p.points[2 * i + 1] = (radius + 0.1) * sin(angle);
		p.points[2 * (199 - i)] = radius * cos(angle);
		p.points[2 * (199 - i) + 1] = radius * sin(angle);
	}
	Place(&p, &random);
	Split(&p);
	AssertCovers(&p, 0);
	AssertWinds(&p, 0, &random);
}

// A square with a square hole, made one boundary by an edge there and back, as files write it.
static void covers_keyholes(void** state)
{
	(void)state;
	static const double points[] = { 0, 0, 3, 0, 3, 3, 0, 3, 0, 0, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1 };
	for (uint32_t turn = 0; turn < 10; ++turn)
	{
		polygon p = { .count = 10 };
		uint32_t random = turn + 1;
		for (uint32_t i = 0; i < 20; ++i)
		{
			p.points[i] = points[(i + 2 * turn) % 20] - 1.5;
		}
		Place(&p, &random);
		Split(&p);
		AssertCovers(&p, turn);
	}
}

static void splits_the_quad_with_a_reflex_corner_inside(void** state)
{
	(void)state;
	static const double arrow[12] = { 0, 2, 0, -1, 0, 0, 0, 0.5, 0, 1, 0, 0 };
	for (uint32_t turn = 0; turn < 4; ++turn)
	{
		double positions[12];
		uint32_t triangles[6];
		for (uint32_t i = 0; i < 12; ++i)
		{
			positions[i] = arrow[(i + 3 * turn) % 12];
		}
		assert_int_equal(ioSplitPolygon(positions, 4, triangles, NULL), io_splitDone);
		// Both triangles have the reflex corner, which was number 2.
		uint32_t reflex = (2 + 4 - turn) % 4;
		for (uint32_t t = 0; t < 2; ++t)
		{
			const uint32_t* c = triangles + 3 * t;
			assert_true(c[0] == reflex || c[1] == reflex || c[2] == reflex);
		}
	}
}

static void leaves_convex_polygons_fans(void** state)
{
	(void)state;
	polygon p = { .count = 7 };
	uint32_t random = 3;
	for (uint32_t i = 0; i < 7; ++i)
	{
		p.points[2 * i] = cos(0.897597901 * i);
		p.points[2 * i + 1] = sin(0.897597901 * i);
	}
	Place(&p, &random);
	Split(&p);
	for (uint32_t i = 0; i < 5; ++i)
	{
		assert_int_equal(p.triangles[3 * i], 0);
		assert_int_equal(p.triangles[3 * i + 1], i + 1);
		assert_int_equal(p.triangles[3 * i + 2], i + 2);
	}
}

// Whatever the corners are, there are n - 2 triangles, twice the same, and each corner is in one.
static void ends_on_any_corners(void** state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= (uint32_t)(3000 * TestScale()); ++seed)
	{
		uint32_t random = seed;
		polygon p = { .count = 4 + seed % 30 };
		for (uint32_t i = 0; i < 3 * p.count; ++i)
		{
			p.positions[i] = (double)(NextRandom(&random) % (1 + seed % 4)); // few places: many corners coincide
		}
		Split(&p);
		polygon again = p;
		Split(&again);
		assert_memory_equal(p.triangles, again.triangles, 3 * (p.count - 2) * sizeof(uint32_t));
		bool used[64] = { false };
		for (uint32_t i = 0; i < 3 * (p.count - 2); ++i)
		{
			used[p.triangles[i]] = true;
		}
		for (uint32_t i = 0; i < p.count; ++i)
		{
			assert_true(used[i]);
		}
	}
}

// A comb of half a million corners would take minutes.
static void gives_up_on_monsters(void** state)
{
	(void)state;
	uint32_t count = 300000, corners = 0;
	ioMesh mesh = { .positions = calloc(count, 12), .vertexCount = count, .triangles = calloc(count, 12) };
	ioPolygons polygons = { .count = 0 };
	mesh.triangleCount = count - 2;
	for (uint32_t i = 0; i < count; ++i)
	{
		mesh.positions[3 * i] = i % 2 == 0 ? (float)i : (float)(count - i);
		mesh.positions[3 * i + 1] = (float)((i * 7919u) % 1000u);
	}
	for (uint32_t i = 0; i + 2 < count; ++i)
	{
		mesh.triangles[3 * i + 1] = i + 1;
		mesh.triangles[3 * i + 2] = i + 2;
	}
	assert_true(ioPolygons_Add(&polygons, 0, count - 2));
	assert_int_equal(ioPolygons_Split(&polygons, &mesh, &corners), io_splitTooLong);
	assert_int_equal(corners, count);
	ioPolygons_Free(&polygons);
	ioMesh_Free(&mesh);
}

// The readers: one concave quad in each format, the reflex corner being number 2.
static void readers_split_polygons(void** state)
{
	(void)state;
	static const struct
	{
		const char *name, *text;
	} files[] = {
		{ "test_io_polygon.obj", "f 2 3 4 1\nv 0 2 0\nv -1 0 0\nv 0 0.5 0\nv 1 0 0\n" },
		{ "test_io_polygon.off", "OFF\n4 1 0\n0 2 0\n-1 0 0\n0 0.5 0\n1 0 0\n4 1 2 3 0\n" },
		{ "test_io_polygon.ply",
		    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty "
		    "float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 2 0\n-1 "
		    "0 0\n0 0.5 0\n1 0 0\n4 1 2 3 0\n" },
	};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i)
	{
		ioAsset asset;
		ioError error;
		WriteFile(files[i].name, files[i].text, strlen(files[i].text));
		if (!ioLoad(files[i].name, NULL, &asset, &error))
		{
			fail_msg("%s", error.text);
		}
		remove(files[i].name);
		assert_int_equal(asset.meshes[0].mesh.triangleCount, 2);
		for (int t = 0; t < 2; ++t)
		{
			const uint32_t* c = asset.meshes[0].mesh.triangles + 3 * t;
			assert_true(c[0] == 2 || c[1] == 2 || c[2] == 2);
		}
		ioAsset_Free(&asset);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(covers_random_stars),
		cmocka_unit_test(covers_a_spiral),
		cmocka_unit_test(covers_keyholes),
		cmocka_unit_test(splits_the_quad_with_a_reflex_corner_inside),
		cmocka_unit_test(leaves_convex_polygons_fans),
		cmocka_unit_test(ends_on_any_corners),
		cmocka_unit_test(gives_up_on_monsters),
		cmocka_unit_test(readers_split_polygons),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
