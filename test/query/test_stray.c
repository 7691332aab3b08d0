// test/query/test_stray.c: ways that are not straight: frames that turn, against positions at many times in double; and
// how far a pose half-way is from the straight way.
#include "posed.h"
#include "support.h"

#include "geometry/triangle.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW_TRIANGLES 12
#define SAMPLES 200

/// A body whose frame turns while its vertices go straight in it.
typedef struct Turner
{
	Posed posed;
	snugBody* end;
	float* local[2]; // positions in body space
	snugFrame frames[2];
	bool rests;
} Turner;

static float* ReadLocal(snugBody* body, uint32_t vertexCount)
{
	float* positions = malloc((3 * (size_t)vertexCount + 1) * sizeof(float));
	assert_int_equal(snugBody_SetFrame(body, &(snugFrame){ { 0 }, { 0, 0, 0, 1 } }), snug_success);
	assert_int_equal(snugBody_GetVertices(body, NULL, positions, 0), snug_success);
	return positions;
}

// p q
static void Multiply(const double p[4], const double q[4], double out[4])
{
	out[0] = p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1];
	out[1] = p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0];
	out[2] = p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3];
	out[3] = p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2];
}

static Turner MakeTurner(sceneRandom* random, double reach, double angle)
{
	sceneMesh mesh = RandomMesh(random, (MeshKind)sceneRandom_Index(random, MESH_KINDS));
	mesh.triangleCount = mesh.triangleCount < FEW_TRIANGLES ? mesh.triangleCount : FEW_TRIANGLES;
	Turner turner = { .rests = sceneRandom_Index(random, 5) == 0 };
	turner.posed =
	    Posed_MakeWith(random, mesh, (Mover)sceneRandom_Index(random, POSED_DEFORMERS), RandomTreeDef(random), NULL);
	snugBody* start = turner.posed.thing.body;
	Posed_Change(random, &turner.posed);
	turner.end = MakeBody(turner.posed.thing.model, NULL);
	turner.posed.thing.body = turner.end;
	Posed_Change(random, &turner.posed);
	turner.posed.thing.body = start;
	turner.local[0] = ReadLocal(start, mesh.vertexCount);
	turner.local[1] = ReadLocal(turner.end, mesh.vertexCount);
	double axis[3], turn[4];
	for (int k = 0; k < 3; ++k)
	{
		axis[k] = sceneRandom_Range(random, -1.0, 1.0);
	}
	const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
	for (int k = 0; k < 3; ++k)
	{
		turn[k] = axis[k] / length * sin(0.5 * angle);
		turner.frames[0].position[k] = reach * sceneRandom_Range(random, -1.0, 1.0);
		turner.frames[1].position[k] = reach * sceneRandom_Range(random, -1.0, 1.0);
	}
	turn[3] = cos(0.5 * angle);
	RandomRotation(random, turner.frames[0].rotation);
	Multiply(turn, turner.frames[0].rotation, turner.frames[1].rotation);
	assert_int_equal(snugBody_SetFrame(start, turner.frames), snug_success);
	assert_int_equal(snugBody_SetFrame(turner.end, turner.frames + 1), snug_success);
	return turner;
}

static void FreeTurner(Turner* turner)
{
	free(turner->local[0]);
	free(turner->local[1]);
	snugBody_Destroy(turner->end);
	Posed_Free(&turner->posed);
}

static snugBody* EndOf(const Turner* turner)
{
	return turner->rests ? NULL : turner->end;
}

// v turned by a unit quaternion.
static void Turn(const double q[4], const double v[3], double out[3])
{
	double t[3];
	for (int k = 0; k < 3; ++k)
	{
		t[k] = 2.0 * (q[(k + 1) % 3] * v[(k + 2) % 3] - q[(k + 2) % 3] * v[(k + 1) % 3]);
	}
	for (int k = 0; k < 3; ++k)
	{
		out[k] = v[k] + q[3] * t[k] + q[(k + 1) % 3] * t[(k + 2) % 3] - q[(k + 2) % 3] * t[(k + 1) % 3];
	}
}

// About one axis, at an even pace, the shorter way.
static void Slerp(const snugFrame frames[2], double t, double out[4])
{
	const double *p = frames[0].rotation, *q = frames[1].rotation;
	double cosine = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
	const double sign = cosine < 0.0 ? -1.0 : 1.0, half = acos(fmin(1.0, fabs(cosine)));
	const double a = half > 1e-9 ? sin((1.0 - t) * half) / sin(half) : 1.0 - t;
	const double b = half > 1e-9 ? sin(t * half) / sin(half) : t;
	for (int i = 0; i < 4; ++i)
	{
		out[i] = a * p[i] + sign * b * q[i];
	}
}

static void VertexAt(const Turner* turner, uint32_t vertex, double t, double out[3])
{
	t = turner->rests ? 0.0 : t;
	double rotation[4], local[3], turned[3];
	Slerp(turner->frames, t, rotation);
	for (int k = 0; k < 3; ++k)
	{
		const size_t i = 3 * (size_t)vertex + (size_t)k;
		local[k] = (1.0 - t) * (double)turner->local[0][i] + t * (double)turner->local[1][i];
	}
	Turn(rotation, local, turned);
	for (int k = 0; k < 3; ++k)
	{
		out[k] = turned[k] + (1.0 - t) * turner->frames[0].position[k] + t * turner->frames[1].position[k];
	}
}

// How far any vertex is from the straight way at most.
static double FindStray(const Turner* turner)
{
	double most = 0.0;
	const sceneMesh* mesh = &turner->posed.thing.mesh;
	for (uint32_t corner = 0; corner < 3 * mesh->triangleCount; ++corner)
	{
		double from[3], to[3];
		VertexAt(turner, mesh->triangles[corner], 0.0, from);
		VertexAt(turner, mesh->triangles[corner], 1.0, to);
		for (int i = 1; i < 20; ++i)
		{
			const double t = i / 20.0;
			double at[3], square = 0.0, rounding = 0.0; // of what is computed here
			VertexAt(turner, mesh->triangles[corner], t, at);
			for (int k = 0; k < 3; ++k)
			{
				const double away = at[k] - (1.0 - t) * from[k] - t * to[k];
				square += away * away;
				rounding += 1e-14 * (fabs(from[k]) + fabs(to[k]) + fabs(turner->frames[0].position[k]));
			}
			most = fmax(most, sqrt(square) - rounding);
		}
	}
	return most;
}

static double DistanceAt(const Turner* a, const Turner* b, double t)
{
	double least = INFINITY;
	const sceneMesh *meshA = &a->posed.thing.mesh, *meshB = &b->posed.thing.mesh;
	for (uint32_t n = 0; n < meshA->triangleCount * meshB->triangleCount; ++n)
	{
		float one[3][3], other[3][3];
		for (int c = 0; c < 3; ++c)
		{
			double p[3], q[3];
			VertexAt(a, meshA->triangles[3 * (n / meshB->triangleCount) + (uint32_t)c], t, p);
			VertexAt(b, meshB->triangles[3 * (n % meshB->triangleCount) + (uint32_t)c], t, q);
			for (int k = 0; k < 3; ++k)
			{
				one[c][k] = (float)p[k];
				other[c][k] = (float)q[k];
			}
		}
		sgNearest nearest;
		sgTriangles_Nearest((const float(*)[3])one, (const float(*)[3])other, &nearest);
		const bool meet = sgTriangles_Intersect((const float(*)[3])one, (const float(*)[3])other);
		least = fmin(least, meet ? 0.0 : sqrt(nearest.distance2));
	}
	return least;
}

static double Pace(const Turner* turner)
{
	double most = 0.0;
	const sceneMesh* mesh = &turner->posed.thing.mesh;
	for (uint32_t corner = 0; corner < 3 * mesh->triangleCount && !turner->rests; ++corner)
	{
		for (int i = 0; i < 10; ++i)
		{
			double from[3], to[3], square = 0.0;
			VertexAt(turner, mesh->triangles[corner], i / 10.0, from);
			VertexAt(turner, mesh->triangles[corner], (i + 1) / 10.0, to);
			for (int k = 0; k < 3; ++k)
			{
				square += (to[k] - from[k]) * (to[k] - from[k]);
			}
			most = fmax(most, 10.0 * sqrt(square));
		}
	}
	return 1.2 * most; // an arc is longer than its chord
}

typedef struct Tally
{
	int free, meets, unsure, between;
	double tightness; // sum
	int turning;
} Tally;

static void CheckTurning(uint64_t seed, Tally* tally)
{
	sceneRandom random = { seed * 15485863 };
	const double angle = sceneRandom_Index(&random, 8) == 0 ? 3.1 : pow(10.0, sceneRandom_Range(&random, -3.0, 0.0));
	Turner a = MakeTurner(&random, 3.0, angle), b = MakeTurner(&random, 3.0, angle);
	const snugSweepQuery query = { .path = snug_pathTurning,
		.margin = sceneRandom_Index(&random, 3) == 0 ? 0.1 : 0.0,
		.newOnly = sceneRandom_Index(&random, 4) == 0 };
	const snugSweepResult result = snugSweep(a.posed.thing.body, EndOf(&a), b.posed.thing.body, EndOf(&b), &query);
	assert_int_equal(result.status, snug_success);
	const double stray = FindStray(&a) + FindStray(&b), step = 1.0 / SAMPLES;
	if (!(stray <= result.stray))
	{
		fail_msg("seed %llu: ways stray by %g, not %g", (unsigned long long)seed, stray, result.stray);
	}
	tally->tightness += result.stray > 0.0 ? stray / result.stray : 0.0;
	tally->turning += result.stray > 0.0;
	double least = INFINITY;
	const bool isFresh = DistanceAt(&a, &b, 0.0) > query.margin + 1e-5; // no two triangles are left out
	for (int i = 0; i <= SAMPLES; ++i)
	{
		const double t = i * step, distance = DistanceAt(&a, &b, t);
		if (t + 1e-5 < result.time && distance < query.margin * 0.9999 + (query.margin > 0.0 ? 0.0 : 1e-300) &&
		    (!query.newOnly || isFresh))
		{
			fail_msg(
			    "seed %llu: they are %g apart at %g, before %g", (unsigned long long)seed, distance, t, result.time);
		}
		least = t <= result.latest + step ? fmin(least, distance) : least;
	}
	// What is said to be certain is so at some time between two samples.
	if (result.answer == snug_sweepMeets && !(least <= 1.8 * query.margin + step * (Pace(&a) + Pace(&b)) + 1e-5))
	{
		fail_msg("seed %llu: they never are nearer than %g until %g", (unsigned long long)seed, least, result.latest);
	}
	tally->free += result.answer == snug_sweepFree;
	tally->meets += result.answer == snug_sweepMeets;
	tally->between += result.answer == snug_sweepMeets && result.latest > 0.0 && result.latest < 1.0 &&
	                  query.margin == 0.0 && result.stray > 0.0;
	tally->unsure += result.answer == snug_sweepUnsure;
	FreeTurner(&a);
	FreeTurner(&b);
}

static void frames_that_turn_meet_nothing_before_the_time(void** state)
{
	(void)state;
	Tally tally = { 0 };
	const int count = TestCount(60);
	print_message("seeds from %llu\n", (unsigned long long)TestSeed());
	for (int n = 0; n < count; ++n)
	{
		CheckTurning(TestSeed() + (uint64_t)n, &tally);
	}
	print_message("%d free, %d meet (%d of them on the way), %d unsure; ways stray by %.2f of what is proved\n",
	    tally.free, tally.meets, tally.between, tally.unsure, tally.tightness / tally.turning);
	assert_true(count < 50 || (tally.free > count / 10 && tally.meets > count / 20 && tally.between > 0));
	assert_true(count < 50 || tally.tightness > 0.1 * tally.turning);
}

// A plate just above a floor, nearer than its way may be from straight, turns and goes down through the floor: it does
// not meet that at the start, so that is a new contact. At the start ways do not stray yet: it is free to begin with,
// and all the way if it goes up.
static void what_is_near_at_the_start_is_not_left_out(void** state)
{
	(void)state;
	static const float corners[12] = { -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0 };
	static const uint32_t halves[6] = { 0, 1, 2, 0, 2, 3 };
	const snugModelDef def = { .positions = corners, .vertexCount = 4, .triangles = halves, .triangleCount = 2 };
	snugModel* model = NULL;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	snugBody *start = MakeBody(model, NULL), *end = MakeBody(model, NULL), *ground = MakeBody(model, NULL);
	const double angle = 0.3;
	for (int n = 0; n < 3; ++n)
	{
		const double height = n == 2 ? 0.0 : 0.001;
		const snugFrame above = { { 0.1, 0.2, height }, { 0, 0, 0, 1 } },
		                below = { { 0.1, 0.2, n == 1 ? 0.5 : -1.0 }, { 0, 0, sin(0.5 * angle), cos(0.5 * angle) } };
		assert_int_equal(snugBody_SetFrame(start, &above), snug_success);
		assert_int_equal(snugBody_SetFrame(end, &below), snug_success);
		const snugSweepQuery query = { .newOnly = true, .path = snug_pathTurning };
		const snugSweepResult result = snugSweep(start, end, ground, NULL, &query);
		assert_true(result.stray > 0.01);
		assert_true((result.answer == snug_sweepFree) == (n > 0)); // what lies on the floor is left out
		assert_true(n > 0 || (result.time > 0.0001 && result.time <= 0.001));
	}
	snugBody_Destroy(start);
	snugBody_Destroy(end);
	snugBody_Destroy(ground);
	snugModel_Destroy(model);
}

static snugBody* MakeTriangle(const float corners[9], snugModel** model)
{
	static const uint32_t triangle[3] = { 0, 1, 2 };
	const snugModelDef def = { .positions = corners, .vertexCount = 3, .triangles = triangle, .triangleCount = 1 };
	assert_int_equal(snugModel_Create(&def, model), snug_success);
	return MakeBody(*model, NULL);
}

// A tip goes round an arc. A post stands where it is at a time, as far off the straight way as it strays then.
static void what_stands_on_an_arc_is_met(void** state)
{
	(void)state;
	static const float tip[9] = { 1.0f, -0.001f, 0.0f, 1.0f, 0.001f, 0.0f, 0.998f, 0.0f, 0.0f };
	const double angle = 0.5;
	snugModel* model;
	snugBody *start = MakeTriangle(tip, &model), *end = MakeBody(model, NULL);
	const snugFrame turned = { { 0 }, { 0, 0, sin(0.5 * angle), cos(0.5 * angle) } };
	assert_int_equal(snugBody_SetFrame(end, &turned), snug_success);
	for (int i = 1; i < 40; ++i)
	{
		const double t = i / 40.0;
		const float x = (float)(0.9995 * cos(angle * t)), y = (float)(0.9995 * sin(angle * t));
		const float corners[9] = { x, y, -0.1f, x, y, 0.1f, 1.0001f * x, 1.0001f * y, 0.1f };
		snugModel* postModel;
		snugBody* post = MakeTriangle(corners, &postModel);
		const snugSweepQuery query = { .path = snug_pathTurning };
		const snugSweepResult result = snugSweep(start, end, post, NULL, &query);
		assert_true(result.answer != snug_sweepFree && result.time <= t);
		snugBody_Destroy(post);
		snugModel_Destroy(postModel);
	}
	snugBody_Destroy(start);
	snugBody_Destroy(end);
	snugModel_Destroy(model);
}

// Where frames do not turn the way is the straight one.
static void what_does_not_turn_goes_straight(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(40); ++n)
	{
		sceneRandom random = { (TestSeed() + (uint64_t)n) * 32452843 };
		Turner a = MakeTurner(&random, 3.0, 0.0), b = MakeTurner(&random, 3.0, 0.0);
		for (int i = 0; i < 2; ++i)
		{
			const Turner* turner = i == 0 ? &a : &b;
			snugFrame frame = turner->frames[1];
			memcpy(frame.rotation, turner->frames[0].rotation, sizeof(frame.rotation));
			assert_int_equal(snugBody_SetFrame(turner->end, &frame), snug_success);
		}
		snugSweepQuery query = { .path = snug_pathStraight };
		const snugSweepResult straight =
		    snugSweep(a.posed.thing.body, EndOf(&a), b.posed.thing.body, EndOf(&b), &query);
		query.path = snug_pathTurning;
		const snugSweepResult turning = snugSweep(a.posed.thing.body, EndOf(&a), b.posed.thing.body, EndOf(&b), &query);
		assert_true(turning.stray == 0.0 && turning.answer == straight.answer && turning.time == straight.time);
		FreeTurner(&a);
		FreeTurner(&b);
	}
}

// ---- Poses half-way ------------------------------------------------------------------------------------------------

static void the_sagitta_is_that_of_all_vertices(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(100); ++n)
	{
		sceneRandom random = { (TestSeed() + (uint64_t)n) * 86028121 };
		Posed posed = Posed_Make(&random, RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS)),
		    (Mover)sceneRandom_Index(&random, POSED_DEFORMERS), NULL);
		const sceneMesh* mesh = &posed.thing.mesh;
		snugBody *start = posed.thing.body, *bodies[3] = { start };
		float* positions[3];
		const double origin[3] = { 0.5, -1.0, 2.0 };
		for (int i = 0; i < 3; ++i)
		{
			bodies[i] = i > 0 ? MakeBody(posed.thing.model, NULL) : start;
			posed.thing.body = bodies[i];
			Posed_Change(&random, &posed);
			const snugFrame frame = { { origin[0] + i, origin[1], origin[2] + i * i }, { 0, 0, sin(i), cos(i) } };
			assert_int_equal(snugBody_SetFrame(bodies[i], &frame), snug_success);
			positions[i] = malloc((3 * (size_t)mesh->vertexCount + 1) * sizeof(float));
			assert_int_equal(snugBody_GetVertices(bodies[i], origin, positions[i], 0), snug_success);
		}
		posed.thing.body = start;
		double most = 0.0, found = -1.0;
		for (uint32_t corner = 0; corner < 3 * mesh->triangleCount; ++corner)
		{
			double square = 0.0;
			for (int k = 0; k < 3; ++k)
			{
				const size_t at = 3 * (size_t)mesh->triangles[corner] + (size_t)k;
				const double away =
				    (double)positions[1][at] - 0.5 * ((double)positions[0][at] + (double)positions[2][at]);
				square += away * away;
			}
			most = fmax(most, sqrt(square));
		}
		assert_int_equal(snugFindSagitta(bodies[0], bodies[1], bodies[2], origin, &found), snug_success);
		assert_true(fabs(found - most) <= 1e-12 * most);
		for (int i = 0; i < 3; ++i)
		{
			free(positions[i]);
		}
		snugBody_Destroy(bodies[1]);
		snugBody_Destroy(bodies[2]);
		Posed_Free(&posed);
	}
}

static void sagittas_of_other_models_are_refused(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	Posed one = Posed_Make(&random, RandomMesh(&random, 0), 0, NULL),
	      other = Posed_Make(&random, RandomMesh(&random, 0), 0, NULL);
	TestMessages messages = { 0 };
	const snugBodyDef def = { .model = one.thing.model, .messenger = TestMessages_Get(&messages) };
	snugBody *start = NULL, *end = MakeBody(one.thing.model, NULL);
	assert_int_equal(snugBody_Create(&def, &start), snug_success);
	double distance = 1.0;
	assert_int_equal(snugFindSagitta(start, other.thing.body, end, NULL, &distance), snug_badInput);
	assert_non_null(strstr(messages.last, "not of one model"));
	assert_int_equal(snugFindSagitta(start, start, end, NULL, &distance), snug_badArgument);
	assert_int_equal(snugFindSagitta(start, NULL, end, NULL, &distance), snug_badArgument);
	assert_int_equal(snugFindSagitta(start, one.thing.body, end, NULL, NULL), snug_badArgument);
	const double lost[3] = { NAN, 0.0, 0.0 };
	assert_int_equal(snugFindSagitta(start, one.thing.body, end, lost, &distance), snug_badArgument);
	Place(start, 1e300, 0.0, 0.0);
	assert_int_equal(snugFindSagitta(start, one.thing.body, end, NULL, &distance), snug_outOfRange);
	snugBody_Destroy(start);
	snugBody_Destroy(end);
	Posed_Free(&one);
	Posed_Free(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_that_turn_meet_nothing_before_the_time),
		cmocka_unit_test(what_is_near_at_the_start_is_not_left_out),
		cmocka_unit_test(what_stands_on_an_arc_is_met),
		cmocka_unit_test(what_does_not_turn_goes_straight),
		cmocka_unit_test(the_sagitta_is_that_of_all_vertices),
		cmocka_unit_test(sagittas_of_other_models_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
