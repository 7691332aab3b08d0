// test/query/test_sweep.c: when bodies first meet on their way, against rational arithmetic over all pairs of
// triangles.
#include "moving_pair.h"
#include "posed.h"
#include "rational.h"
#include "rational_sweep.h"
#include "support.h"

#include "geometry/triangle.h"
#include "query/triangles.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW_TRIANGLES 7
#define FEATURE_PAIRS 15

/// A body on its way, and its vertices at both ends.
typedef struct Traveller
{
	Posed posed;
	snugBody* end;
	float* positions[2];
	uint32_t* names; ///< of vertices: twins that stay together have one
} Traveller;

static void ReadEnd(Traveller* traveller, const double origin[3], int end)
{
	snugBody* body = end == 0 || traveller->end == NULL ? traveller->posed.thing.body : traveller->end;
	traveller->positions[end] = malloc((3 * (size_t)traveller->posed.thing.mesh.vertexCount + 1) * sizeof(float));
	assert_int_equal(snugBody_GetVertices(body, origin, traveller->positions[end], 0), snug_success);
}

static void FindNames(Traveller* traveller)
{
	const snugBody *start = traveller->posed.thing.body, *end = traveller->end != NULL ? traveller->end : start;
	const sgTree* tree = &start->model->tree;
	traveller->names = malloc((tree->vertexCount + 1) * sizeof(uint32_t));
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		const uint32_t twin = sgBody_FindTwin(start, v);
		traveller->names[tree->vertexMap[v]] = tree->vertexMap[sgBody_FindTwin(end, v) == twin ? twin : v];
	}
}

// Some triangles of a mesh of any kind; at the end another pose, elsewhere.
static Traveller MakeTraveller(sceneRandom* random, const double origin[3], double reach, uint32_t most)
{
	sceneMesh mesh = RandomMesh(random, (MeshKind)sceneRandom_Index(random, MESH_KINDS));
	mesh.triangleCount = mesh.triangleCount < most ? mesh.triangleCount : most;
	Traveller traveller = { .end = NULL };
	traveller.posed =
	    Posed_MakeWith(random, mesh, (Mover)sceneRandom_Index(random, POSED_DEFORMERS), RandomTreeDef(random), NULL);
	snugBody* start = traveller.posed.thing.body;
	for (int end = 0; end < 2; ++end)
	{
		if (end == 1 && sceneRandom_Index(random, 4) != 0) // otherwise it rests
		{
			traveller.end = MakeBody(traveller.posed.thing.model, NULL);
			traveller.posed.thing.body = traveller.end;
		}
		snugFrame frame = { { 0 }, { 0 } };
		if (end == 0 || traveller.end != NULL)
		{
			Posed_Change(random, &traveller.posed);
			for (int k = 0; k < 3; ++k)
			{
				frame.position[k] = origin[k] + reach * sceneRandom_Range(random, -1.0, 1.0);
			}
			if (sceneRandom_Index(random, 2) == 0)
			{
				RandomRotation(random, frame.rotation);
			}
			assert_int_equal(snugBody_SetFrame(traveller.posed.thing.body, &frame), snug_success);
		}
		traveller.posed.thing.body = start;
		ReadEnd(&traveller, origin, end);
	}
	FindNames(&traveller);
	return traveller;
}

static void FreeTraveller(Traveller* traveller)
{
	free(traveller->names);
	free(traveller->positions[0]);
	free(traveller->positions[1]);
	snugBody_Destroy(traveller->end);
	Posed_Free(&traveller->posed);
}

static uint32_t NameOf(const Traveller* traveller, uint32_t triangle, int corner)
{
	return traveller->names[traveller->posed.thing.mesh.triangles[3 * triangle + (uint32_t)corner]];
}

static void GetTriangle(const Traveller* traveller, uint32_t triangle, float corners[2][3][3])
{
	for (int i = 0; i < 6; ++i)
	{
		const uint32_t vertex = traveller->posed.thing.mesh.triangles[3 * triangle + (uint32_t)i % 3];
		memcpy(corners[i / 3][i % 3], traveller->positions[i / 3] + 3 * (size_t)vertex, 3 * sizeof(float));
	}
}

static void FindTruth(const Traveller* a, const Traveller* b, bool newOnly)
{
	RationalSweep_Begin();
	for (uint32_t i = 0; i < a->posed.thing.mesh.triangleCount; ++i)
	{
		for (uint32_t j = 0; j < b->posed.thing.mesh.triangleCount; ++j)
		{
			float one[2][3][3], other[2][3][3];
			GetTriangle(a, i, one);
			GetTriangle(b, j, other);
			if (!newOnly || !RationalIntersect((const float(*)[3])one[0], (const float(*)[3])other[0]))
			{
				RationalSweep_AddTriangles((const float(*)[3][3])one, (const float(*)[3][3])other);
			}
		}
	}
}

static const char* FindFault(const snugSweepResult* result, double maxTime)
{
	const bool meets = RationalSweep_Meets() && RationalSweep_NotAfter(maxTime);
	if (result->status != snug_success)
	{
		return "failed";
	}
	if (RationalSweep_Meets() && !RationalSweep_NotBefore(result->time) && meets)
	{
		return "late";
	}
	if (result->answer == snug_sweepFree)
	{
		return meets ? "missed" : result->time != maxTime ? "free, but not to the end" : NULL;
	}
	const bool isProved = result->answer == snug_sweepMeets;
	return isProved && !(meets && RationalSweep_NotAfter(result->latest)) ? "proved, but not so" : NULL;
}

typedef struct Tally
{
	int pairs, meeting, certain, unsure, falsely;
} Tally;

static void Check(uint64_t seed, Tally* tally)
{
	sceneRandom random = { seed * 31337 };
	snugSweepQuery query = { .newOnly = sceneRandom_Index(&random, 3) == 0 };
	for (int k = 0; k < 3; ++k)
	{
		query.origin[k] = sceneRandom_Index(&random, 2) == 0 ? 0.0 : sceneRandom_Range(&random, -100.0, 100.0);
	}
	query.maxTime = sceneRandom_Index(&random, 3) == 0 ? sceneRandom_Range(&random, 0.01, 1.0) : 0.0;
	const bool isCut = sceneRandom_Index(&random, 5) == 0;
	query.maxSteps = isCut ? 1 + sceneRandom_Index(&random, 20) : 0;
	const double reach = sceneRandom_Index(&random, 3) == 0 ? 10.0 : 2.0,
	             maxTime = query.maxTime > 0.0 ? query.maxTime : 1.0;
	Traveller a = MakeTraveller(&random, query.origin, reach, FEW_TRIANGLES);
	Traveller b = MakeTraveller(&random, query.origin, reach, FEW_TRIANGLES);
	FindTruth(&a, &b, query.newOnly);
	static int count = 0;
	static const sgKernels* kernels[8];
	count = count > 0 ? count : FindKernels(kernels);
	snugSweepResult first = { 0 };
	for (int i = 0; i < count; ++i)
	{
		sgSetKernels(kernels[i]);
		snugSweepResult result = snugSweep(a.posed.thing.body, a.end, b.posed.thing.body, b.end, &query);
		const char* fault = FindFault(&result, maxTime);
		result.counters = (snugCounters){ 0 }; // may differ: bounds do
		fault = fault == NULL && !isCut && i > 0 && memcmp(&result, &first, sizeof(result)) != 0 ? "not the same bits"
		                                                                                         : fault;
		if (fault != NULL)
		{
			fail_msg("seed %llu, %s: %s: answer %d, %.17g to %.17g instead of %.17g", (unsigned long long)seed,
			    kernels[i]->name, fault, (int)result.answer, result.time, result.latest, RationalSweep_Time());
		}
		first = result;
	}
	sgSetKernels(NULL);
	const bool meets = RationalSweep_Meets() && RationalSweep_NotAfter(maxTime);
	++tally->pairs;
	tally->meeting += meets;
	tally->certain += first.answer == snug_sweepMeets;
	tally->unsure += first.answer == snug_sweepUnsure && meets && !isCut;
	tally->falsely += first.answer == snug_sweepUnsure && !meets && !isCut;
	FreeTraveller(&a);
	FreeTraveller(&b);
}

static void sweeps_are_those_of_rational_arithmetic(void** state)
{
	(void)state;
	Tally tally = { 0 };
	const int count = TestCount(100);
	print_message("seeds from %llu\n", (unsigned long long)TestSeed());
	// Some 1.5 % of those that do not meet are unsure. Where chance brings more, it is asked further.
	while (tally.pairs < count || (tally.falsely * 50 > tally.pairs + 50 && tally.pairs < 4 * count))
	{
		Check(TestSeed() + (uint64_t)tally.pairs, &tally);
	}
	print_message("%d pairs of bodies, %d meet: %d certain, %d unsure; %d of the others unsure\n", tally.pairs,
	    tally.meeting, tally.certain, tally.unsure, tally.falsely);
	assert_true(count < 50 || (tally.meeting > tally.pairs / 20 && tally.meeting < tally.pairs));
	assert_true(tally.falsely * 50 <= tally.pairs + 50);
}

// ---- All pairs of triangles ----------------------------------------------------------------------------------------

static void SetPath(const float corner[2][3][3], int number, double path[2][3])
{
	for (int i = 0; i < 6; ++i)
	{
		path[i / 3][i % 3] = (double)corner[i / 3][number][i % 3];
	}
}

static snugFeature NameEdge(const Traveller* traveller, uint32_t triangle, int edge)
{
	const uint32_t x = NameOf(traveller, triangle, edge), y = NameOf(traveller, triangle, (edge + 1) % 3);
	return (snugFeature){ snug_featureEdge, x < y ? x : y, x < y ? y : x };
}

static void SetEdgePaths(
    const Traveller* traveller, uint32_t triangle, const float corners[2][3][3], int edge, RationalPath path, int at)
{
	const int next = (edge + 1) % 3;
	const bool isTurned = NameOf(traveller, triangle, next) < NameOf(traveller, triangle, edge);
	SetPath(corners, isTurned ? next : edge, path[at]);
	SetPath(corners, isTurned ? edge : next, path[at + 1]);
}

// Corners of a and b, corners of b and a, edges from the smaller name to the other, as the sweep has them. Their names
// are nullable.
static void MakePaths(
    const Traveller* a, uint32_t i, const Traveller* b, uint32_t j, int number, RationalPath path, snugFeature names[2])
{
	float one[2][3][3], other[2][3][3];
	GetTriangle(a, i, one);
	GetTriangle(b, j, other);
	const snugFeature triangles[2] = { { snug_featureTriangle, i, 0 }, { snug_featureTriangle, j, 0 } };
	const int own = number < 3 ? 0 : 1, corner = number % 3;
	if (number >= 6)
	{
		SetEdgePaths(a, i, (const float(*)[3][3])one, (number - 6) / 3, path, 0);
		SetEdgePaths(b, j, (const float(*)[3][3])other, (number - 6) % 3, path, 2);
		names[0] = NameEdge(a, i, (number - 6) / 3);
		names[1] = NameEdge(b, j, (number - 6) % 3);
		return;
	}
	SetPath((const float(*)[3][3])(own == 0 ? one : other), corner, path[0]);
	for (int c = 0; c < 3; ++c)
	{
		SetPath((const float(*)[3][3])(own == 0 ? other : one), c, path[1 + c]);
	}
	names[own] = (snugFeature){ snug_featureVertex, own == 0 ? NameOf(a, i, corner) : NameOf(b, j, corner), 0 };
	names[1 - own] = triangles[1 - own];
}

static sgMovingResult SearchFeatures(const RationalPath path, bool isTriangle, double tolerance)
{
	const sgMovingPair pair = MovingPair_Make(path, isTriangle);
	sgMovingLanes lanes;
	sgMovingTimes times = { .to = { 1, 1, 1, 1, 1, 1, 1, 1 } };
	for (int lane = 0; lane < SG_LANES; ++lane)
	{
		MovingLanes_Set(&lanes, lane, &pair);
	}
	if (sgGetKernels()->moving->enterFeatures(&lanes, isTriangle ? SG_LANES : 0, 0.0, &times) == 0)
	{
		return (sgMovingResult){ .answer = sg_movingFree };
	}
	const sgMovingQuery query = { .from = times.from[0], .to = times.to[0], .tolerance = tolerance, .maxCells = 10000 };
	return sgMovingPair_Search(&pair, &query);
}

static bool MeetAtStart(const Traveller* a, uint32_t i, const Traveller* b, uint32_t j)
{
	float one[2][3][3], other[2][3][3];
	GetTriangle(a, i, one);
	GetTriangle(b, j, other);
	return sgTriangles_Intersect((const float(*)[3])one[0], (const float(*)[3])other[0]);
}

// The same geometry over all pairs of triangles, without a tree. No other pair is earlier, but pairs whose boxes never
// meet need not be looked at.
static double BruteTime(const Traveller* a, const Traveller* b, double tolerance)
{
	double time = INFINITY;
	for (uint32_t n = 0; n < a->posed.thing.mesh.triangleCount * b->posed.thing.mesh.triangleCount; ++n)
	{
		const uint32_t i = n / b->posed.thing.mesh.triangleCount, j = n % b->posed.thing.mesh.triangleCount;
		time = MeetAtStart(a, i, b, j) ? 0.0 : time;
		for (int k = 0; k < FEATURE_PAIRS && time > 0.0 && (a->end != NULL || b->end != NULL); ++k)
		{
			RationalPath path;
			snugFeature names[2];
			MakePaths(a, i, b, j, k, path, names);
			const sgMovingResult result = SearchFeatures((const double(*)[2][3])path, k < 6, tolerance);
			time = result.answer == sg_movingFree ? time : fmin(time, result.time);
		}
	}
	return time;
}

static void trees_leave_nothing_out(void** state)
{
	(void)state;
	int meeting = 0;
	const int count = TestCount(200);
	for (int n = 0; n < count; ++n)
	{
		sceneRandom random = { (TestSeed() + (uint64_t)n) * 7919 };
		// The coarser, the earlier may the times of pairs be that never meet: those must not depend on boxes, either.
		const snugSweepQuery query = { .tolerance = pow(10.0, sceneRandom_Range(&random, -6.0, 0.5)) };
		Traveller a = MakeTraveller(&random, query.origin, 3.0, 1000),
		          b = MakeTraveller(&random, query.origin, 3.0, 1000);
		const snugSweepResult result = snugSweep(a.posed.thing.body, a.end, b.posed.thing.body, b.end, &query);
		const double brute = BruteTime(&a, &b, query.tolerance);
		assert_int_equal(result.status, snug_success);
		if ((result.answer == snug_sweepFree) != (brute == INFINITY) || (brute < INFINITY && result.time != brute))
		{
			fail_msg("seed %llu: answer %d at %.17g instead of %.17g", (unsigned long long)(TestSeed() + (uint64_t)n),
			    (int)result.answer, result.time, brute);
		}
		meeting += brute > 0.0 && brute < INFINITY;
		FreeTraveller(&a);
		FreeTraveller(&b);
	}
	assert_true(count < 100 || meeting > count / 20);
}

// ---- All contacts --------------------------------------------------------------------------------------------------

#define MOST_CONTACTS 20000

/// Contacts over all pairs of triangles, without a tree.
typedef struct Brute
{
	snugSweepContact contacts[MOST_CONTACTS];
	int count;
} Brute;

static int CompareFeatures(const snugFeature* x, const snugFeature* y)
{
	const int64_t differences[3] = { (int64_t)x->kind - y->kind, (int64_t)x->first - y->first,
		(int64_t)x->second - y->second };
	const int64_t first = differences[0] != 0 ? differences[0] : differences[1] != 0 ? differences[1] : differences[2];
	return (first > 0) - (first < 0);
}

static int CompareContacts(const void* one, const void* other)
{
	const snugSweepContact *x = one, *y = other;
	const int a = CompareFeatures(&x->featureA, &y->featureA);
	return x->time != y->time ? (x->time > y->time ? 1 : -1) : a != 0 ? a : CompareFeatures(&x->featureB, &y->featureB);
}

static void AddBrute(Brute* brute, const snugSweepContact* contact)
{
	for (int i = 0; i < brute->count; ++i) // triangles come in order, so that the first ones are the smallest
	{
		const snugSweepContact* there = brute->contacts + i;
		if (CompareFeatures(&there->featureA, &contact->featureA) == 0 &&
		    CompareFeatures(&there->featureB, &contact->featureB) == 0)
		{
			assert_true(there->time == contact->time && there->latest == contact->latest);
			return;
		}
	}
	assert_true(brute->count < MOST_CONTACTS);
	brute->contacts[brute->count++] = *contact;
}

static void AddFeatures(
    Brute* brute, const Traveller* a, uint32_t i, const Traveller* b, uint32_t j, int number, double tolerance)
{
	RationalPath path;
	snugFeature names[2];
	MakePaths(a, i, b, j, number, path, names);
	const sgMovingResult result = SearchFeatures((const double(*)[2][3])path, number < 6, tolerance);
	if (result.answer == sg_movingFree)
	{
		return;
	}
	snugSweepContact contact = { .time = result.time,
		.latest = result.latest,
		.featureA = names[0],
		.featureB = names[1],
		.a = i,
		.b = j,
		.isCertain = result.answer == sg_movingMeets };
	AddBrute(brute, &contact);
}

static void FindBrute(Brute* brute, const Traveller* a, const Traveller* b, const snugSweepQuery* query)
{
	brute->count = 0;
	for (uint32_t n = 0; n < a->posed.thing.mesh.triangleCount * b->posed.thing.mesh.triangleCount; ++n)
	{
		const uint32_t i = n / b->posed.thing.mesh.triangleCount, j = n % b->posed.thing.mesh.triangleCount;
		const bool meets = MeetAtStart(a, i, b, j);
		if (meets && !query->newOnly)
		{
			const snugSweepContact contact = { .featureA = { snug_featureTriangle, i, 0 },
				.featureB = { snug_featureTriangle, j, 0 },
				.a = i,
				.b = j,
				.isCertain = true };
			AddBrute(brute, &contact);
		}
		for (int k = 0; k < FEATURE_PAIRS && !meets && (a->end != NULL || b->end != NULL); ++k)
		{
			AddFeatures(brute, a, i, b, j, k, query->tolerance);
		}
	}
	qsort(brute->contacts, (size_t)brute->count, sizeof(snugSweepContact), CompareContacts);
}

static bool AreSame(const snugSweepContact* x, const snugSweepContact* y)
{
	return CompareContacts(x, y) == 0 && x->latest == y->latest && x->a == y->a && x->b == y->b &&
	       x->isCertain == y->isCertain && x->reserved[0] == 0 && x->reserved[1] == 0;
}

static int FindDifference(const Brute* brute, const snugSweepContact* found, uint64_t count)
{
	for (uint64_t i = 0; i < count; ++i)
	{
		if (!AreSame(found + i, brute->contacts + i))
		{
			return (int)i;
		}
	}
	return -1;
}

static void CheckAll(uint64_t seed, Brute* brute, int* multiple)
{
	static snugSweepContact found[MOST_CONTACTS], fewer[MOST_CONTACTS];
	static const sgKernels* kernels[8];
	static int count = 0;
	count = count > 0 ? count : FindKernels(kernels);
	sceneRandom random = { seed * 104729 };
	const snugSweepQuery query = { .tolerance = pow(10.0, sceneRandom_Range(&random, -6.0, -2.0)),
		.newOnly = sceneRandom_Index(&random, 2) == 0 };
	Traveller a = MakeTraveller(&random, query.origin, 2.0, 30), b = MakeTraveller(&random, query.origin, 2.0, 30);
	snugBody *startA = a.posed.thing.body, *startB = b.posed.thing.body;
	const snugSweepResult one = snugSweep(startA, a.end, startB, b.end, &query);
	sgSetKernels(kernels[sceneRandom_Index(&random, (uint32_t)count)]);
	const snugSweepResult all = snugSweepAll(startA, a.end, startB, b.end, &query, found, MOST_CONTACTS);
	FindBrute(brute, &a, &b, &query);
	const int at =
	    FindDifference(brute, found, all.count < (uint64_t)brute->count ? all.count : (uint64_t)brute->count);
	if (all.status != snug_success || !all.complete || all.count != (uint64_t)brute->count || at >= 0)
	{
		fail_msg("seed %llu: %llu contacts instead of %d, contact %d differs", (unsigned long long)seed,
		    (unsigned long long)all.count, brute->count, at);
	}
	// The first of them is the answer of the other question.
	assert_true(all.answer == one.answer && all.time == one.time && all.a == one.a && all.b == one.b);
	assert_true(all.answer != snug_sweepMeets || all.latest == one.latest);
	assert_true(all.count == 0 || found[0].time == one.time);
	const uint64_t room = sceneRandom_Index(&random, (uint32_t)brute->count + 1);
	const snugSweepResult some = snugSweepAll(startA, a.end, startB, b.end, &query, fewer, room);
	assert_true(some.count == room && some.complete == (room == all.count));
	for (uint64_t i = 0; i < some.count; ++i)
	{
		if (!AreSame(fewer + i, found + i) || memcmp(fewer[i].position, found[i].position, 24) != 0)
		{
			fail_msg("seed %llu: contact %llu of %llu is another one", (unsigned long long)seed, (unsigned long long)i,
			    (unsigned long long)room);
		}
	}
	assert_true(some.answer == one.answer && some.time == one.time);
	*multiple += brute->count > 1;
	sgSetKernels(NULL);
	FreeTraveller(&a);
	FreeTraveller(&b);
}

static void all_contacts_are_those_of_all_triangles(void** state)
{
	(void)state;
	int multiple = 0;
	Brute* brute = malloc(sizeof(Brute));
	const int count = TestCount(150);
	print_message("seeds from %llu\n", (unsigned long long)TestSeed());
	for (int n = 0; n < count; ++n)
	{
		CheckAll(TestSeed() + (uint64_t)n, brute, &multiple);
	}
	free(brute);
	assert_true(count < 50 || multiple > count / 5);
}

// Each pair of features against rational arithmetic of its own.
static void no_contact_is_missed_or_late(void** state)
{
	(void)state;
	int meeting = 0;
	static snugSweepContact found[MOST_CONTACTS];
	const int count = TestCount(40);
	print_message("seeds from %llu\n", (unsigned long long)TestSeed());
	for (int n = 0; n < count; ++n)
	{
		sceneRandom random = { (TestSeed() + (uint64_t)n) * 7907 };
		const snugSweepQuery query = { .newOnly = true };
		Traveller a = MakeTraveller(&random, query.origin, 2.0, FEW_TRIANGLES);
		Traveller b = MakeTraveller(&random, query.origin, 2.0, FEW_TRIANGLES);
		const snugSweepResult all =
		    snugSweepAll(a.posed.thing.body, a.end, b.posed.thing.body, b.end, &query, found, MOST_CONTACTS);
		const uint32_t pairs = a.posed.thing.mesh.triangleCount * b.posed.thing.mesh.triangleCount;
		for (uint32_t k = 0; k < pairs * FEATURE_PAIRS; ++k)
		{
			const uint32_t i = k / FEATURE_PAIRS / b.posed.thing.mesh.triangleCount,
			               j = k / FEATURE_PAIRS % b.posed.thing.mesh.triangleCount;
			if (MeetAtStart(&a, i, &b, j) || (a.end == NULL && b.end == NULL))
			{
				continue;
			}
			RationalPath path;
			snugFeature names[2];
			MakePaths(&a, i, &b, j, (int)(k % FEATURE_PAIRS), path, names);
			RationalSweep_Begin();
			RationalSweep_Add((const double(*)[2][3])path, k % FEATURE_PAIRS >= 6);
			const snugSweepContact* contact = NULL;
			for (uint64_t c = 0; c < all.count && contact == NULL; ++c)
			{
				const bool isSame = CompareFeatures(&found[c].featureA, names) == 0 &&
				                    CompareFeatures(&found[c].featureB, names + 1) == 0;
				contact = isSame ? found + c : NULL;
			}
			const char* fault =
			    RationalSweep_Meets() && contact == NULL                           ? "missed"
			    : contact == NULL                                                  ? NULL
			    : RationalSweep_Meets() && !RationalSweep_NotBefore(contact->time) ? "late"
			    : contact->isCertain && !(RationalSweep_Meets() && RationalSweep_NotAfter(contact->latest))
			        ? "certain, but not so"
			        : NULL;
			if (fault != NULL)
			{
				fail_msg("seed %llu: features %u of triangles %u and %u: %s, true %.17g",
				    (unsigned long long)(TestSeed() + (uint64_t)n), k % FEATURE_PAIRS, i, j, fault,
				    RationalSweep_Time());
			}
			meeting += RationalSweep_Meets();
		}
		FreeTraveller(&a);
		FreeTraveller(&b);
	}
	assert_true(count < 20 || meeting > count);
}

static void what_rests_meets_as_collide_says(void** state)
{
	(void)state;
	int meeting = 0;
	const int count = TestCount(200);
	for (int n = 0; n < count; ++n)
	{
		sceneRandom random = { (TestSeed() + (uint64_t)n) * 6007 };
		snugSweepQuery query = { .newOnly = false };
		Traveller a = MakeTraveller(&random, query.origin, 1.0, 1000),
		          b = MakeTraveller(&random, query.origin, 1.0, 1000);
		static snugPair pairs[100000]; // sorted
		const snugQuery all = { .pairs = pairs, .capacity = LENGTH_OF(pairs) };
		const snugResult truth = snugCollide(a.posed.thing.body, b.posed.thing.body, &all);
		snugSweepResult result = snugSweep(a.posed.thing.body, NULL, b.posed.thing.body, NULL, &query);
		assert_int_equal(result.answer, truth.count > 0 ? snug_sweepMeets : snug_sweepFree);
		assert_true(result.time == (truth.count > 0 ? 0.0 : 1.0));
		if (truth.count > 0)
		{
			assert_true(result.a == pairs[0].a && result.b == pairs[0].b && result.latest == 0.0);
			// On its way, too: what meets is named, not what nearly does.
			result = snugSweep(a.posed.thing.body, a.end, b.posed.thing.body, b.end, &query);
			assert_true(result.a == pairs[0].a && result.b == pairs[0].b && result.latest == 0.0);
			query.newOnly = true;
			result = snugSweep(a.posed.thing.body, NULL, b.posed.thing.body, NULL, &query);
			assert_int_equal(result.answer, snug_sweepFree);
		}
		meeting += truth.count > 0;
		FreeTraveller(&a);
		FreeTraveller(&b);
	}
	assert_true(count < 50 || (meeting > count / 10 && meeting < count));
}

// ---- Samples, parts of a step, and the way back --------------------------------------------------------------------

#define SAMPLES 64
#define SHARDS 6

/// Loose triangles whose corners are on a grid so coarse that float32 has every one of the samples.
typedef struct Shards
{
	Thing thing;
	snugBody* bodies[2];
	float positions[2][9 * SHARDS]; ///< at the start and at the end of the step
} Shards;

static Shards MakeShards(sceneRandom* random, float unit)
{
	Shards shards;
	uint32_t triangles[3 * SHARDS];
	const int flat = sceneRandom_Int(random, 0, 5);
	for (int i = 0; i < 9 * SHARDS; ++i)
	{
		const int size = i % 3 == flat ? 0 : 6;
		triangles[i / 3] = (uint32_t)i / 3;
		shards.positions[0][i] = unit * (float)sceneRandom_Int(random, -size, size);
		shards.positions[1][i] = unit * (float)sceneRandom_Int(random, -size, size);
	}
	const sceneMesh mesh = {
		.positions = shards.positions[0], .vertexCount = 3 * SHARDS, .triangles = triangles, .triangleCount = SHARDS
	};
	shards.thing = Thing_Make(sceneMesh_Copy(&mesh), snug_free, (snugTreeDef){ .leafTriangles = 1 }, NULL);
	shards.bodies[0] = shards.thing.body;
	shards.bodies[1] = MakeBody(shards.thing.model, NULL);
	return shards;
}

static void FreeShards(Shards* shards)
{
	snugBody_Destroy(shards->bodies[1]);
	Thing_Free(&shards->thing);
}

static void GetSample(const Shards* shards, double t, float sample[9 * SHARDS])
{
	for (int i = 0; i < 9 * SHARDS; ++i)
	{
		const double exact = (1.0 - t) * (double)shards->positions[0][i] + t * (double)shards->positions[1][i];
		sample[i] = (float)exact;
		assert_true((double)sample[i] == exact);
	}
}

static snugSweepResult SweepPart(Shards* a, Shards* b, double from, double to, snugSweepQuery query)
{
	const double times[2] = { from, to };
	for (int end = 0; end < 2; ++end)
	{
		float sample[9 * SHARDS];
		GetSample(a, times[end], sample);
		assert_int_equal(snugBody_SetVertices(a->bodies[end], sample, 0, 0, 3 * SHARDS), snug_success);
		GetSample(b, times[end], sample);
		assert_int_equal(snugBody_SetVertices(b->bodies[end], sample, 0, 0, 3 * SHARDS), snug_success);
	}
	return snugSweep(a->bodies[0], a->bodies[1], b->bodies[0], b->bodies[1], &query);
}

// Pairs that meet at a time, as bits.
static uint64_t FindMeeting(const Shards* a, const Shards* b, double t)
{
	float one[9 * SHARDS], other[9 * SHARDS];
	uint64_t pairs = 0;
	GetSample(a, t, one);
	GetSample(b, t, other);
	for (int i = 0; i < SHARDS * SHARDS; ++i)
	{
		const float *x = one + 9 * (i / SHARDS), *y = other + 9 * (i % SHARDS);
		pairs |= (uint64_t)RationalIntersect((const float(*)[3])(const void*)x, (const float(*)[3])(const void*)y) << i;
	}
	return pairs;
}

// The earliest sample at which a pair meets that counts; infinite if there is none.
static double FirstSample(const Shards* a, const Shards* b, bool newOnly)
{
	const uint64_t leftOut = newOnly ? FindMeeting(a, b, 0.0) : 0;
	for (int i = 0; i <= SAMPLES; ++i)
	{
		if ((FindMeeting(a, b, (double)i / SAMPLES) & ~leftOut) != 0)
		{
			return (double)i / SAMPLES;
		}
	}
	return INFINITY;
}

// What is proved of a whole step, of its halves, of the way back and of what comes near goes together.
static const char* FindContradiction(Shards* a, Shards* b, double margin, const snugSweepResult* whole)
{
	const snugSweepQuery query = { .newOnly = false }, wider = { .margin = margin };
	const snugSweepResult back = SweepPart(a, b, 1.0, 0.0, query), near = SweepPart(a, b, 0.0, 1.0, wider);
	const snugSweepResult early = SweepPart(a, b, 0.0, 0.5, query), late = SweepPart(a, b, 0.5, 1.0, query);
	const bool meets = whole->answer == snug_sweepMeets;
	if (whole->answer == snug_sweepFree &&
	    (back.answer == snug_sweepMeets || early.answer == snug_sweepMeets || late.answer == snug_sweepMeets))
	{
		return "free, but a part or the way back is not";
	}
	if (meets && (back.time > 1.0 - whole->time || (whole->latest <= 0.5 && early.answer == snug_sweepFree) ||
	                 (early.answer == snug_sweepFree && late.answer == snug_sweepFree)))
	{
		return "meets, but its parts or the way back are free";
	}
	if (meets && (near.answer == snug_sweepFree || near.time > whole->latest))
	{
		return "meets, but does not come near by then";
	}
	return (early.answer == snug_sweepMeets && whole->time > 0.5 * early.latest) ||
	               (late.answer == snug_sweepMeets && whole->time > 0.5 + 0.5 * late.latest)
	           ? "a part meets before"
	           : NULL;
}

static void nothing_meets_before_the_time_in_any_sample(void** state)
{
	(void)state;
	int later = 0;
	const int count = TestCount(60);
	print_message("seeds from %llu\n", (unsigned long long)TestSeed());
	for (int n = 0; n < count; ++n)
	{
		sceneRandom random = { (TestSeed() + (uint64_t)n) * 10007 };
		const bool newOnly = sceneRandom_Index(&random, 2) == 0;
		// From next to nothing, of which subnormal floats have the samples, to nearly SNUG_MAX_COORDINATE.
		const float unit = ldexpf(1.0f, n % 3 == 0 ? -2 : n % 3 == 1 ? sceneRandom_Int(&random, -143, -120) : 115);
		Shards a = MakeShards(&random, unit), b = MakeShards(&random, unit);
		const snugSweepResult whole = SweepPart(&a, &b, 0.0, 1.0, (snugSweepQuery){ .newOnly = newOnly });
		const double first = FirstSample(&a, &b, newOnly);
		const char* fault = whole.time > first || (whole.answer == snug_sweepFree && first <= 1.0) ? "a sample meets"
		                    : newOnly                                                              ? NULL
		                              : FindContradiction(&a, &b, (double)unit, &whole);
		if (fault != NULL)
		{
			fail_msg("seed %llu: %s: answer %d, %.17g to %.17g, first sample %g",
			    (unsigned long long)(TestSeed() + (uint64_t)n), fault, (int)whole.answer, whole.time, whole.latest,
			    first);
		}
		later += whole.time > 0.0;
		FreeShards(&a);
		FreeShards(&b);
	}
	assert_true(count < 50 || later > count / 10);
}

// ---- Known answers -------------------------------------------------------------------------------------------------

static Thing MakeSmall(const float* positions, uint32_t vertexCount, const uint32_t* triangles, uint32_t triangleCount)
{
	sceneMesh mesh = { .vertexCount = vertexCount, .triangleCount = triangleCount };
	mesh.positions = malloc(3 * (size_t)vertexCount * sizeof(float));
	mesh.triangles = malloc(3 * (size_t)triangleCount * sizeof(uint32_t));
	memcpy(mesh.positions, positions, 3 * (size_t)vertexCount * sizeof(float));
	memcpy(mesh.triangles, triangles, 3 * (size_t)triangleCount * sizeof(uint32_t));
	return Thing_Make(mesh, snug_rigid, (snugTreeDef){ 0 }, NULL);
}

static Thing MakeTetrahedron(float size)
{
	const float p[12] = { 0, 0, 0, size, 0, 0, 0, size, 0, 0, 0, size };
	const uint32_t t[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
	return MakeSmall(p, 4, t, 4);
}

static Thing MakeWall(void)
{
	const float p[12] = { 0, -10, -10, 0, 10, -10, 0, 10, 10, 0, -10, 10 };
	const uint32_t t[6] = { 0, 1, 2, 0, 2, 3 };
	return MakeSmall(p, 4, t, 2);
}

static void a_bullet_does_not_pass_a_wall(void** state)
{
	(void)state;
	Thing bullet = MakeTetrahedron(0.01f), wall = MakeWall();
	snugBody* end = MakeBody(bullet.model, NULL);
	sceneRandom random = { TestSeed() };
	for (int n = 0; n < TestCount(1000); ++n)
	{
		const double y = sceneRandom_Range(&random, -5.0, 5.0), z = sceneRandom_Range(&random, -5.0, 5.0);
		const double from = sceneRandom_Range(&random, 1.0, 500.0), to = sceneRandom_Range(&random, 1.0, 500.0);
		Place(bullet.body, -from, y, z);
		Place(end, to, y, z);
		const snugSweepResult result = snugSweep(bullet.body, end, wall.body, NULL, NULL);
		const double expected = (from - 0.01) / (from + to);
		assert_int_equal(result.status, snug_success);
		assert_true(result.answer != snug_sweepFree);
		assert_true(result.time <= expected + 1e-6 && result.time >= expected - 1e-4);
		assert_true(result.position[0] > -0.1f && result.position[0] < 0.1f);
		assert_true(result.normal[0] < -0.99f); // back to where it came from
		assert_int_equal(result.featureA.kind, snug_featureVertex);
		assert_int_equal(result.featureA.first, 1);
		assert_int_equal(result.featureB.kind, snug_featureTriangle);
	}
	snugBody_Destroy(end);
	Thing_Free(&bullet);
	Thing_Free(&wall);
}

static void what_stands_on_a_floor_meets_it_anew(void** state)
{
	(void)state;
	Thing body = MakeTetrahedron(1.0f), wall = MakeWall();
	snugBody* end = MakeBody(body.model, NULL);
	Place(body.body, 0.0, 0.0, 0.0); // a face and three corners are in the wall
	Place(end, 1.0, 0.0, 0.0);
	snugSweepQuery query = { .newOnly = false };
	snugSweepResult result = snugSweep(body.body, end, wall.body, NULL, &query);
	assert_int_equal(result.answer, snug_sweepMeets);
	assert_true(result.time == 0.0 && result.latest == 0.0);
	assert_int_equal(result.featureA.kind, snug_featureTriangle);
	query.newOnly = true;
	result = snugSweep(body.body, end, wall.body, NULL, &query);
	assert_int_equal(result.answer, snug_sweepFree);
	assert_true(result.time == 1.0);
	// Rest is what the exact test says.
	result = snugSweep(body.body, NULL, wall.body, wall.body, NULL);
	assert_true(result.answer == snug_sweepMeets && result.time == 0.0);
	Place(body.body, 0x1p-20, 0.0, 0.0);
	result = snugSweep(body.body, body.body, wall.body, NULL, NULL);
	assert_int_equal(result.answer, snug_sweepFree);
	snugBody_Destroy(end);
	Thing_Free(&body);
	Thing_Free(&wall);
}

static void margins_count_as_contact(void** state)
{
	(void)state;
	Thing body = MakeTetrahedron(1.0f), wall = MakeWall();
	snugBody* end = MakeBody(body.model, NULL);
	Place(body.body, 4.0, 0.0, 0.0);
	Place(end, 1.0, 0.0, 0.0);
	snugSweepQuery query = { .margin = 2.0 };
	snugSweepResult result = snugSweep(body.body, end, wall.body, NULL, &query);
	assert_int_equal(result.answer, snug_sweepMeets);
	assert_true(result.time <= 2.0 / 3.0 && result.time > 0.66 && result.latest >= 2.0 / 3.0 - 1e-9);
	query.margin = 0.99;
	result = snugSweep(body.body, end, wall.body, NULL, &query);
	assert_int_equal(result.answer, snug_sweepFree);
	query.margin = 5.0; // at the start already
	result = snugSweep(body.body, end, wall.body, NULL, &query);
	assert_true(result.answer == snug_sweepMeets && result.time == 0.0);
	snugBody_Destroy(end);
	Thing_Free(&body);
	Thing_Free(&wall);
}

// Two edges side by side at three margins: their search is cut, and knows no more than that they do not meet before the
// step. The other triangles of both bodies come within the margin first.
static void what_is_named_comes_within_the_margin(void** state)
{
	(void)state;
	static const float positions[2][2][18] = {
		{ { 3.97285199f, 2.031322f, -3.25393152f, 3.80257344f, 1.72718704f, -2.87774277f, 4, 2, 0, //
		      9, 9, 9, 10, 9, 9, 9, 10, 9 },
		    { 0.730892539f, -0.118285604f, -1.25892353f, 0.901171088f, -0.494474202f, -0.954788387f, 1, -1, 2, //
		        9, 9, 8, 10, 9, 8, 9, 10, 8 } },
		{ { 3.97285199f, 2.031322f, -3.25550318f, 3.80257344f, 1.72718704f, -2.87931442f, 4, 2, -6, //
		      9.25f, 9.25f, 8.9996f, 10, 9, 8, 9, 10, 8 },
		    { 2.25448442f, 1.40633845f, -0.775880635f, 1.87829578f, 1.576617f, -1.08001566f, 2, 1, -4, //
		        9.25f, 9.25f, 8.9996f, 10, 9, 8, 9, 10, 8 } },
	};
	static const uint32_t triangles[6] = { 0, 1, 2, 3, 4, 5 };
	snugBody* bodies[2][2];
	Thing things[2];
	for (int i = 0; i < 2; ++i)
	{
		const sceneMesh mesh = { .positions = (float*)positions[i][0],
			.vertexCount = 6,
			.triangles = (uint32_t*)triangles,
			.triangleCount = 2 };
		things[i] = Thing_Make(sceneMesh_Copy(&mesh), snug_free, (snugTreeDef){ 0 }, NULL);
		for (int end = 0; end < 2; ++end)
		{
			bodies[i][end] = end == 0 ? things[i].body : MakeBody(things[i].model, NULL);
			assert_int_equal(snugBody_SetVertices(bodies[i][end], positions[i][end], 0, 0, 6), snug_success);
		}
	}
	const snugSweepQuery query = { .margin = 0.000368387 };
	snugSweepContact all[64];
	const snugSweepResult result = snugSweep(bodies[0][0], bodies[0][1], bodies[1][0], bodies[1][1], &query),
	                      listed = snugSweepAll(
	                          bodies[0][0], bodies[0][1], bodies[1][0], bodies[1][1], &query, all, LENGTH_OF(all));
	assert_true(listed.count > 1 && all[0].a == 0 && all[0].time == 0.0 && all[0].latest > result.latest);
	assert_true(result.answer == snug_sweepMeets && result.time == 0.0 && result.latest < 4e-5);
	assert_true(result.a == 1 && result.b == 1);
	assert_true(listed.time == 0.0 && listed.a == 1 && listed.b == 1);
	for (int i = 0; i < 2; ++i)
	{
		snugBody_Destroy(bodies[i][1]);
		Thing_Free(things + i);
	}
}

static void bad_input_is_refused_in_words(void** state)
{
	(void)state;
	Thing body = MakeTetrahedron(1.0f), wall = MakeWall();
	TestMessages messages = { 0 };
	const snugBodyDef def = { .model = body.model, .messenger = TestMessages_Get(&messages) };
	snugBody *start = NULL, *other = MakeBody(wall.model, NULL);
	assert_int_equal(snugBody_Create(&def, &start), snug_success);
	const snugSweepQuery bad[] = { { .margin = -1.0 }, { .margin = NAN }, { .margin = INFINITY }, { .tolerance = -1.0 },
		{ .tolerance = NAN }, { .tolerance = 1e300 }, { .maxTime = -0.1 }, { .maxTime = 1.1 }, { .maxTime = NAN } };
	const char* const names[] = { "margin", "margin", "margin", "tolerance", "tolerance", "tolerance",
		"time to look until", "time to look until", "time to look until" };
	for (size_t i = 0; i < LENGTH_OF(bad); ++i)
	{
		const snugSweepResult result = snugSweep(start, NULL, wall.body, NULL, bad + i);
		assert_int_equal(result.status, snug_badInput);
		assert_true(result.answer == snug_sweepUnsure && result.time == 0.0);
		assert_non_null(strstr(messages.last, names[i]));
	}
	assert_int_equal(snugSweep(start, other, wall.body, NULL, NULL).status, snug_badInput);
	assert_non_null(strstr(messages.last, "first body has another model"));
	assert_int_equal(snugSweep(start, NULL, wall.body, body.body, NULL).status, snug_badInput);
	assert_non_null(strstr(messages.last, "second body has another model"));
	assert_int_equal(messages.count, (int)LENGTH_OF(bad) + 2);
	const snugSweepQuery odd = { .reserved = { 1 } }, lost = { .origin = { NAN, 0, 0 } };
	assert_int_equal(snugSweep(NULL, NULL, wall.body, NULL, NULL).status, snug_badArgument);
	assert_int_equal(snugSweep(start, NULL, start, NULL, NULL).status, snug_badArgument);
	assert_int_equal(snugSweep(start, wall.body, wall.body, NULL, NULL).status, snug_badArgument);
	assert_int_equal(snugSweep(start, body.body, wall.body, body.body, NULL).status, snug_badArgument);
	assert_int_equal(snugSweep(start, NULL, wall.body, NULL, &odd).status, snug_badArgument);
	assert_int_equal(snugSweep(start, NULL, wall.body, NULL, &lost).status, snug_badArgument);
	Place(start, 1e300, 0.0, 0.0);
	assert_int_equal(snugSweep(start, NULL, wall.body, NULL, NULL).status, snug_outOfRange);
	snugBody_Destroy(start);
	snugBody_Destroy(other);
	Thing_Free(&body);
	Thing_Free(&wall);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sweeps_are_those_of_rational_arithmetic),
		cmocka_unit_test(trees_leave_nothing_out),
		cmocka_unit_test(all_contacts_are_those_of_all_triangles),
		cmocka_unit_test(no_contact_is_missed_or_late),
		cmocka_unit_test(what_rests_meets_as_collide_says),
		cmocka_unit_test(nothing_meets_before_the_time_in_any_sample),
		cmocka_unit_test(a_bullet_does_not_pass_a_wall),
		cmocka_unit_test(what_stands_on_a_floor_meets_it_anew),
		cmocka_unit_test(margins_count_as_contact),
		cmocka_unit_test(what_is_named_comes_within_the_margin),
		cmocka_unit_test(bad_input_is_refused_in_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
