// test/test_margins.c: what bounds add for rounding where bodies are placed: k-DOPs, balls, contact spheres, culling.
//
// Each case is made so that two things touch exactly once they are placed and rounded, at a point where a bound has
// nothing to spare. Whoever leaves out a margin loses the contact. tools/mutate-bounds lowers the margins one by one
// and looks whether these tests fail.
#include "geometry/frame.h"
#include "hard_skins.h"
#include "linear_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const snugVolume dops[] = { snug_volumeDop14, snug_volumeDop18, snug_volumeDop26 };

static Thing MakeWithVolume(sceneMesh mesh, snugVolume volume)
{
	SkinnedMesh skinned = RigidSkin(mesh);
	Bounding how = { .bound = volume == snug_volumeBall ? snug_boundCorners : snug_boundFirstOrder, .volume = volume };
	Thing thing = MakeThing(&skinned, (snugTreeDef){ 0 }, &how);
	SkinnedMesh_Free(&skinned);
	return thing;
}

static void SetFrame(snugBody* body, const snugFrame* frame)
{
	assert_int_equal(snugBody_SetFrame(body, frame), snug_success);
}

static void GetPlaced(snugBody* body, const double origin[3], float* positions)
{
	assert_int_equal(snugBody_GetVertices(body, origin, positions, 0), snug_success);
}

static double Dot(const double a[3], const float b[3])
{
	return a[0] * (double)b[0] + a[1] * (double)b[1] + a[2] * (double)b[2];
}

// Two bodies whose triangles share a point, and nothing else.
static void AssertTouch(const char* what, uint64_t seed, snugBody* a, snugBody* b)
{
	snugResult result = seed % 2 != 0 ? snugCollide(a, b, NULL) : snugCollide(b, a, NULL);
	if (result.status != snug_success || result.count != 1)
	{
		fail_msg("%s: a contact is lost, SNUG_SEED=%llu", what, (unsigned long long)seed);
	}
}

// ---- Rounding --------------------------------------------------------------------------------------------------

static void AssertRounded(double value)
{
	float below = sgRoundDown(value), above = sgRoundUp(value);
	bool isBelow = (double)below <= value && (double)nextafterf(below, INFINITY) > value;
	bool isAbove = (double)above >= value && (double)nextafterf(above, -INFINITY) < value;
	if (!isBelow || !isAbove)
	{
		fail_msg("%a lies between %a and %a", value, (double)below, (double)above);
	}
}

// To the nearest float on either side: of any size, of halves, and of what no float can hold.
static void rounding_goes_outwards(void** state)
{
	(void)state;
	static const double few[] = { 0.0, 1.0, 0x1.000001p0, 0x1.fffffefp-127, 0x1p-149, 0x1p-150, 0x1.8p-149, 0x1p-1000,
		0x1.fffffep127, 0x1.ffffffp127, 0x1p128, 1e300 };
	for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); ++i)
	{
		AssertRounded(few[i]);
		AssertRounded(-few[i]);
	}
	assert_true(isinf(sgRoundUp((double)INFINITY)) && isinf(sgRoundDown((double)-INFINITY)));
	sceneRandom random = { TestSeed() };
	for (int i = 0; i < 100000; ++i)
	{
		double value = ldexp(sceneRandom_Range(&random, -1.0, 1.0), (int)sceneRandom_Range(&random, -160.0, 127.0));
		AssertRounded(value);
		AssertRounded((double)(float)value);
	}
}

// ---- k-DOPs ----------------------------------------------------------------------------------------------------

// A triangle that begins at a point and leads away along a direction.
static sceneMesh LeadAway(sceneRandom* random, const float from[3], const double direction[3], double size)
{
	sceneMesh mesh = sceneMakeTriangle();
	double length2 = direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2];
	for (int c = 0; c < 3; ++c)
	{
		// Aside, but not along the direction.
		double aside[3], along = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			aside[k] = sceneRandom_Range(random, -1.0, 1.0);
			along += aside[k] * direction[k];
		}
		for (int k = 0; k < 3; ++k)
		{
			double away = aside[k] + (1.0 - along / length2) * direction[k];
			mesh.positions[3 * c + k] = (float)((double)from[k] + (c == 0 ? 0.0 : size * away));
		}
	}
	return mesh;
}

// A triangle far from its own origin, and one that begins where a corner of it was rounded to and leads away along a
// slab's direction: their boxes overlap, and their slabs touch where rounding has put them.
static void slabs_touch_where_corners_were_rounded_to(void** state)
{
	(void)state;
	static const double directions[][3] = { { 1, 1, 1 }, { 1, 1, -1 }, { 1, -1, 1 }, { -1, 1, 1 }, { 1, 1, 0 },
		{ 1, -1, 0 }, { 1, 0, 1 }, { 1, 0, -1 }, { 0, 1, 1 }, { 0, 1, -1 } };
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(6000); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		double size = ldexp(1.0, (int)sceneRandom_Index(&random, 80) - 40), sign = i / 2 % 2 == 0 ? 1.0 : -1.0;
		snugVolume volume = dops[i % 3];
		uint32_t first = volume == snug_volumeDop18 ? 4 : 0, count = volume == snug_volumeDop14 ? 4 : 10;
		const double* slab = directions[first + sceneRandom_Index(&random, count - first)];
		const double direction[3] = { sign * slab[0], sign * slab[1], sign * slab[2] };
		sceneMesh mesh = sceneMakeSoup(1, 1.0, sceneRandom_Next(&random));
		ScaleMesh(&mesh, (float)size);
		Thing a = MakeWithVolume(mesh, volume);
		snugFrame frame = { .position = { 0 } };
		for (int k = 0; k < 3; ++k)
		{
			double far = ldexp(size, (int)sceneRandom_Index(&random, 14));
			frame.position[k] = far * sceneRandom_Range(&random, -1.0, 1.0);
		}
		SetFrame(a.body, &frame);
		float placed[9];
		GetPlaced(a.body, NULL, placed);
		int top = 0;
		for (int c = 1; c < 3; ++c)
		{
			top = Dot(direction, placed + 3 * c) > Dot(direction, placed + 3 * top) ? c : top;
		}
		Thing b = MakeWithVolume(LeadAway(&random, placed + 3 * top, direction, 4.0 * size), volume);
		AssertTouch("slabs", seed + (uint64_t)i, a.body, b.body);
		Thing_Free(&a);
		Thing_Free(&b);
	}
}

// ---- Balls -----------------------------------------------------------------------------------------------------

// A triangle, turned and placed, and its mirror image at the corner that is farthest from the middle of its box: their
// balls touch where they touch.
static void balls_touch_where_corners_were_rounded_to(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(6000); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		double size = ldexp(1.0, (int)sceneRandom_Index(&random, 80) - 40);
		sceneMesh mesh = sceneMakeSoup(1, 1.0, sceneRandom_Next(&random));
		ScaleMesh(&mesh, (float)size);
		double farthest = -1.0;
		int corner = 0;
		for (int c = 0; c < 3; ++c)
		{
			double sum = 0.0;
			for (int k = 0; k < 3; ++k)
			{
				const float* p = mesh.positions + k;
				double middle = 0.5 * (fmin(p[0], fmin(p[3], p[6])) + fmax(p[0], fmax(p[3], p[6])));
				sum += ((double)p[3 * c] - middle) * ((double)p[3 * c] - middle);
			}
			corner = sum > farthest ? c : corner;
			farthest = fmax(farthest, sum);
		}
		Thing a = MakeWithVolume(mesh, snug_volumeBall);
		snugFrame frame = { .position = { 0 } };
		double far = ldexp(size, (int)sceneRandom_Index(&random, 14));
		for (int k = 0; k < 3; ++k)
		{
			frame.position[k] = far * sceneRandom_Range(&random, -1.0, 1.0);
		}
		if (i % 3 != 0)
		{
			RandomRotation(&random, frame.rotation);
		}
		SetFrame(a.body, &frame);
		float placed[9];
		GetPlaced(a.body, NULL, placed);
		// The image lies in the first one's space but for where it is placed, so that boxes are as tight as balls.
		sceneMesh image = sceneMakeTriangle();
		memcpy(image.positions, placed + 3 * corner, 3 * sizeof(float));
		for (int c = 1; c < 3; ++c)
		{
			for (int k = 0; k < 3; ++k)
			{
				double at = (double)placed[3 * corner + k], other = (double)placed[3 * ((corner + c) % 3) + k];
				image.positions[3 * c + k] = (float)(at + (at - other));
			}
		}
		Thing b = MakeWithVolume(image, snug_volumeBall);
		AssertTouch("balls", seed + (uint64_t)i, a.body, b.body);
		Thing_Free(&a);
		Thing_Free(&b);
	}
}

// ---- Contact spheres -------------------------------------------------------------------------------------------

// Two pairs of triangles, far apart in y. Each pair lies at either end of a bar along x, one triangle the reflection of
// the other, so that the sphere of the bar touches both of theirs from within. All move by one field alike. Contact
// spheres are those of single triangles, two levels down.
static Thing MakeBars(sceneRandom* random, double size)
{
	sceneMesh mesh = sceneMesh_Allocate(12, 4);
	assert_true(sceneMesh_IsValid(&mesh));
	float displacements[36];
	for (uint32_t v = 0; v < 12; ++v)
	{
		mesh.triangles[v] = v;
		for (uint32_t k = 0; k < 3; ++k)
		{
			float* p = mesh.positions + 3 * (size_t)v + k;
			double y = v < 6 ? 16.0 * size : -16.0 * size, middle = k == 0 ? size : k == 1 ? y : 0.0;
			*p = v % 6 < 3 ? (float)(middle + 0.3 * size * sceneRandom_Range(random, -1.0, 1.0))
			               : (float)(k == 1 ? 2.0 * y - (double)p[-9] : -(double)p[-9]);
			displacements[3 * v + k] = (float)(0.25 * size);
		}
	}
	float amplitude = 1.0f;
	const FieldSet set = { .fieldCount = 1, .displacements = displacements, .amplitudes = &amplitude };
	const snugBoundsDef bounds = { .bound = snug_boundBall, .contactLevel = 2 };
	snugModelDef def = LinearDef(&mesh, &set, (snugTreeDef){ .leafTriangles = 1, .branching = 2 });
	def.bounds = &bounds;
	Thing thing = { .mesh = mesh };
	assert_int_equal(snugModel_Create(&def, &thing.model), snug_success);
	thing.body = MakeBody(thing.model, NULL);
	assert_int_equal(snugBody_SetAmplitudes(thing.body, &amplitude, 1), snug_success);
	return thing;
}

// A body so large that every contact sphere of another overlaps its own.
static Thing MakeGround(double size)
{
	sceneMesh mesh = sceneMakeTriangle();
	sceneMesh_Translate(&mesh, -0.4, -0.4, 0.0);
	ScaleMesh(&mesh, (float)(size * 0x1p30));
	float displacements[9] = { 0 }, amplitude = 0.0f;
	const FieldSet set = { .fieldCount = 1, .displacements = displacements, .amplitudes = &amplitude };
	const snugBoundsDef bounds = { .bound = snug_boundBall, .contactLevel = 1 };
	snugModelDef def = LinearDef(&mesh, &set, (snugTreeDef){ 0 });
	def.bounds = &bounds;
	Thing thing = { .mesh = mesh };
	assert_int_equal(snugModel_Create(&def, &thing.model), snug_success);
	thing.body = MakeBody(thing.model, NULL);
	return thing;
}

// The placed contact spheres of both bars, by the triangles that they hold.
static void GetSpheres(const Thing* thing, const Thing* ground, snugSphere spheres[4])
{
	snugSphereContact contacts[4];
	snugSphereQuery query = { .contacts = contacts, .capacity = 4 };
	snugSphereResult result = snugCollideSpheres(thing->body, ground->body, &query);
	assert_int_equal(result.status, snug_success);
	assert_int_equal(result.count, 4);
	for (int i = 0; i < 4; ++i)
	{
		uint32_t triangle;
		assert_int_equal(snugModel_GetNodeTriangles(thing->model, contacts[i].a.treeNode, &triangle, 1), 1);
		spheres[triangle] = contacts[i].a;
	}
}

static long double DistanceTo(const snugSphere* sphere, const float point[3])
{
	long double sum = 0.0L;
	for (int k = 0; k < 3; ++k)
	{
		long double difference = (long double)sphere->center[k] - (long double)point[k];
		sum += difference * difference;
	}
	return sqrtl(sum);
}

static snugFrame FarFrame(sceneRandom* random, double size)
{
	snugFrame frame = { .position = { 0 } };
	double far = ldexp(size, (int)sceneRandom_Index(random, 18));
	for (int k = 0; k < 3; ++k)
	{
		frame.position[k] = far * sceneRandom_Range(random, -1.0, 1.0);
	}
	RandomRotation(random, frame.rotation);
	return frame;
}

// Spheres hold the vertices of their triangles where these are rounded to.
static void contact_spheres_hold_what_was_rounded(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(6000); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		double size = ldexp(1.0, (int)sceneRandom_Index(&random, 40) - 20);
		Thing thing = MakeBars(&random, size), ground = MakeGround(size);
		snugFrame frame = FarFrame(&random, size);
		SetFrame(thing.body, &frame);
		snugSphere spheres[4];
		float placed[36];
		GetSpheres(&thing, &ground, spheres);
		GetPlaced(thing.body, NULL, placed);
		for (int s = 0; s < 4; ++s)
		{
			for (int c = 0; c < 3; ++c)
			{
				long double far = DistanceTo(spheres + s, placed + 9 * s + 3 * c);
				if (far > (long double)spheres[s].radius)
				{
					fail_msg("SNUG_SEED=%llu: a vertex is outside of its sphere by %Lg",
					    (unsigned long long)(seed + (uint64_t)i), far - (long double)spheres[s].radius);
				}
			}
		}
		Thing_Free(&thing);
		Thing_Free(&ground);
	}
}

// Two bodies, the second placed so that a bar of it begins where one of the first ends, in a line: their contact
// spheres touch where the spheres above have nothing to spare. Oracle: all pairs of the contact spheres as they are
// placed.
static void spheres_that_touch_are_met_from_above(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), touching = 0;
	int total = TestCount(6000);
	for (int i = 0; i < total; ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		double size = ldexp(1.0, (int)sceneRandom_Index(&random, 40) - 20);
		Thing a = MakeBars(&random, size), b = MakeBars(&random, size), ground = MakeGround(size);
		snugFrame frame = FarFrame(&random, size);
		snugSphere of[2][4];
		SetFrame(a.body, &frame);
		SetFrame(b.body, &frame);
		GetSpheres(&a, &ground, of[0]);
		GetSpheres(&b, &ground, of[1]);
		// Along the bar of the first from its far end to its near one, and on by both radii.
		const snugSphere *far = &of[0][1], *near = &of[0][0], *next = &of[1][1];
		double axis[3], length2 = 0.0, reach = (double)near->radius + (double)next->radius;
		for (int k = 0; k < 3; ++k)
		{
			axis[k] = (double)near->center[k] - (double)far->center[k];
			length2 += axis[k] * axis[k];
		}
		for (int k = 0; k < 3; ++k)
		{
			double on = axis[k] / sqrt(length2) * reach * (1.0 - 0x1p-24);
			frame.position[k] += (double)near->center[k] + on - (double)next->center[k];
		}
		SetFrame(b.body, &frame);
		GetSpheres(&b, &ground, of[1]);
		uint64_t expected = 0;
		for (int p = 0; p < 16; ++p)
		{
			const snugSphere *x = &of[0][p / 4], *y = &of[1][p % 4];
			double sum = 0.0;
			for (int k = 0; k < 3; ++k)
			{
				double difference = (double)x->center[k] - (double)y->center[k];
				sum += difference * difference;
			}
			expected += sqrt(sum) <= (double)x->radius + (double)y->radius;
		}
		snugSphereResult result = snugCollideSpheres(a.body, b.body, NULL);
		if (result.status != snug_success || result.count != expected)
		{
			fail_msg("SNUG_SEED=%llu: %llu contacts, %llu expected", (unsigned long long)(seed + (uint64_t)i),
			    (unsigned long long)result.count, (unsigned long long)expected);
		}
		touching += expected;
		Thing_Free(&a);
		Thing_Free(&b);
		Thing_Free(&ground);
	}
	assert_true(touching > (uint64_t)total / 4);
}

// ---- Culling ---------------------------------------------------------------------------------------------------

// A multiple of 2^-bits in -2 to 2.
static double Dyadic(sceneRandom* random, int bits)
{
	double range = ldexp(1.0, bits);
	return floor(sceneRandom_Range(random, -2.0 * range, 2.0 * range)) / range;
}

// A body that is one point, and a plane that goes through that point, or less than a rounding beyond. Coordinates and
// normals are short enough for long double to say exactly on which side the point is: at most 64 bits.
static void points_on_planes_are_not_culled(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), culled = 0;
	int total = TestCount(20000);
	for (int i = 0; i < total; ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		sceneMesh mesh = sceneMakeTriangle();
		for (int k = 0; k < 9; ++k)
		{
			mesh.positions[k] = k < 3 ? (float)Dyadic(&random, 21) : mesh.positions[k % 3];
		}
		Thing thing = Thing_Make(mesh, snug_rigid, (snugTreeDef){ 0 }, NULL);
		if (i % 2 == 0)
		{
			snugFrame frame = { .position = { Dyadic(&random, 40), Dyadic(&random, 40), Dyadic(&random, 40) } };
			RandomRotation(&random, frame.rotation);
			SetFrame(thing.body, &frame);
		}
		float placed[9];
		GetPlaced(thing.body, NULL, placed);
		snugPlane plane;
		long double value = 0.0L;
		for (int k = 0; k < 3; ++k)
		{
			plane.normal[k] = Dyadic(&random, 38);
			value += (long double)plane.normal[k] * (long double)placed[k];
		}
		plane.normal[0] += plane.normal[0] == 0.0;
		plane.offset = -(double)value;
		for (; value + (long double)plane.offset < 0.0L; plane.offset = nextafter(plane.offset, INFINITY))
		{
		}
		bool isOutside;
		assert_int_equal(snugBody_IsOutside(thing.body, NULL, &plane, 1, &isOutside), snug_success);
		if (isOutside)
		{
			fail_msg("SNUG_SEED=%llu: a point on the plane is culled", (unsigned long long)(seed + (uint64_t)i));
		}
		plane.offset -= 1e-4;
		assert_int_equal(snugBody_IsOutside(thing.body, NULL, &plane, 1, &isOutside), snug_success);
		culled += isOutside;
		Thing_Free(&thing);
	}
	assert_int_equal(culled, total);
}

int main(void)
{
	print_message("instruction set %s\n", snugGetInstructionSet());
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounding_goes_outwards),
		cmocka_unit_test(slabs_touch_where_corners_were_rounded_to),
		cmocka_unit_test(balls_touch_where_corners_were_rounded_to),
		cmocka_unit_test(contact_spheres_hold_what_was_rounded),
		cmocka_unit_test(spheres_that_touch_are_met_from_above),
		cmocka_unit_test(points_on_planes_are_not_culled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
