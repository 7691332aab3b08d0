// test/query/test_certificates.c: bodies with constants by which parts are known not to meet themselves
// (deform/fields/certificates.h). Oracles: the same body without them, which test_self.c compares with brute force;
// first contacts that are known in closed form.
#include "fields_support.h"
#include "posed.h"
#include "workers.h"

#include "body/body.h"
#include "deform/deform.h"
#include "deform/fields/certificates.h"
#include "snug/snug_queries.h"
#include "snug/snug_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A body with certificates, and the same without.
typedef struct Twins
{
	Thing with, without;
	FieldSet fields;
} Twins;

// Takes the mesh and the fields.
static Twins Twins_Make(sceneMesh mesh, FieldSet fields, snugTreeDef tree, snugStrategy strategy)
{
	Twins twins = { .fields = fields };
	snugModelDef def = FieldsDef(&mesh, &fields, tree);
	twins.without = Thing_Build(sceneMesh_Copy(&mesh), &def, strategy, NULL);
	def.certificates = true;
	twins.with = Thing_Build(mesh, &def, strategy, NULL);
	assert_true(snugModel_GetInfo(twins.with.model).certificateBytes > 0);
	assert_int_equal(snugModel_GetInfo(twins.without.model).certificateBytes, 0);
	return twins;
}

static void Twins_Free(Twins* twins)
{
	Thing_Free(&twins->with);
	Thing_Free(&twins->without);
	FieldSet_Free(&twins->fields);
}

static void Twins_Pose(Twins* twins)
{
	PoseFields(&twins->without, &twins->fields);
	PoseFields(&twins->with, &twins->fields);
}

static snugResult Collide(snugBody* body, bool keepRest, snugWorkers workers, PairList* list)
{
	const uint64_t capacity = 1 << 16;
	*list = (PairList){ malloc(capacity * sizeof(snugPair)), 0 };
	const snugQuery query = { .pairs = list->pairs, .capacity = capacity, .keepRest = keepRest, .workers = workers };
	const snugResult result = snugCollideSelf(body, &query);
	assert_true(result.status == snug_success && result.complete);
	list->count = result.count < capacity ? result.count : capacity;
	return result;
}

// All answers about both bodies in their pose are the same.
// @return what the query of the one with certificates cost
static snugCounters CheckTwins(const char* what, uint64_t seed, const Twins* twins)
{
	snugCounters cost = { 0 };
	for (int keepRest = 1; keepRest >= 0; --keepRest)
	{
		PairList expected, found, together;
		const snugResult plain = Collide(twins->without.body, keepRest != 0, (snugWorkers){ NULL, NULL }, &expected);
		const snugResult result = Collide(twins->with.body, keepRest != 0, (snugWorkers){ NULL, NULL }, &found);
		Collide(twins->with.body, keepRest != 0, (snugWorkers){ RunOnThreads, NULL }, &together);
		AssertSamePairs(what, seed, &expected, &found);
		AssertSamePairs(what, seed, &expected, &together);
		assert_int_equal(plain.count, result.count);
		cost = result.counters;
		snugPair first[2] = { { SNUG_NONE, SNUG_NONE }, { SNUG_NONE, SNUG_NONE } };
		for (int k = 0; k < 2; ++k)
		{
			const snugQuery query = { .pairs = first + k, .capacity = 1, .keepRest = keepRest != 0 };
			snugTouchesSelf(k == 0 ? twins->without.body : twins->with.body, &query);
		}
		assert_memory_equal(first, first + 1, sizeof(snugPair));
		PairList_Free(&expected);
		PairList_Free(&found);
		PairList_Free(&together);
	}
	return cost;
}

// Whatever else asks for pairs of one body.
static void CheckContacts(const Twins* twins, snugWorkers workers)
{
	snugBody* const bodies[2] = { twins->without.body, twins->with.body };
	for (int keepRest = 0; keepRest < 2; ++keepRest)
	{
		snugContactBuffer* buffers[2];
		snugContactResult results[2];
		for (int k = 0; k < 2; ++k)
		{
			const snugContactBufferDef def = { .capacity = 20000 };
			const snugContactQuery query = { .keepRest = keepRest != 0, .depths = true, .workers = workers };
			assert_int_equal(snugContactBuffer_Create(&def, buffers + k), snug_success);
			results[k] = snugFindSelfContacts(bodies[k], buffers[k], &query);
		}
		const snugContactResult *p = results, *q = results + 1;
		assert_true(p->status == snug_success && q->status == snug_success && p->complete && q->complete);
		assert_true(p->count == q->count && p->contactCount == q->contactCount && p->pointCount == q->pointCount);
		assert_int_equal(p->curveCount, q->curveCount);
		assert_true(p->count == 0 || memcmp(p->contacts, q->contacts, p->contactCount * sizeof(snugContact)) == 0);
		assert_true(p->count == 0 || memcmp(p->points, q->points, p->pointCount * sizeof(snugContactPoint)) == 0);
		for (uint32_t i = 0; i < p->curveCount; ++i)
		{
			assert_memory_equal(p->depths + i, q->depths + i, sizeof(double));
			assert_memory_equal(p->curves[i].area, q->curves[i].area, sizeof(p->curves[i].area));
		}
		snugContactBuffer_Destroy(buffers[0]);
		snugContactBuffer_Destroy(buffers[1]);
	}
}

static void CheckInside(const Twins* twins)
{
	const size_t vertices = twins->with.mesh.vertexCount, all = vertices + twins->with.mesh.triangleCount;
	snugPointSide* sides = calloc(2 * all + 1, sizeof(*sides));
	const snugResult plain = snugFindSelfInside(twins->without.body, sides, sides + vertices);
	const snugResult result = snugFindSelfInside(twins->with.body, sides + all, sides + all + vertices);
	assert_true(plain.status == snug_success && result.status == snug_success && plain.count == result.count);
	assert_memory_equal(sides, sides + all, all * sizeof(*sides) + 1);
	free(sides);
}

static snugScene* MakeScene(snugBody* body, snugWorkers workers)
{
	snugScene* scene = NULL;
	uint32_t id;
	const snugSceneDef def = { .room = { .bodies = 1 }, .workers = workers };
	const snugSceneBodyDef added = { .body = body, .meetsItself = true };
	assert_int_equal(snugScene_Create(&def, &scene), snug_success);
	assert_int_equal(snugScene_Add(scene, &added, &id), snug_success);
	return scene;
}

static void Update(snugScene* scene)
{
	const snugSceneQuery query = { .trianglePairs = true };
	snugSceneResult result;
	while ((result = snugScene_Update(scene, &query)).status == snug_outOfRange)
	{
		assert_int_equal(snugScene_Reserve(scene, &result.needed), snug_success);
	}
	assert_int_equal(result.status, snug_success);
}

// Scenes of one body each after the same poses. Returns how many events there were.
static uint64_t CheckScenes(const char* what, uint64_t seed, snugScene* const scenes[2])
{
	PairList lists[2];
	snugSceneEvents events[2];
	for (int k = 0; k < 2; ++k)
	{
		Update(scenes[k]);
		lists[k].pairs = (snugPair*)(uintptr_t)snugScene_GetTrianglePairs(scenes[k], &lists[k].count);
		events[k] = snugScene_GetEvents(scenes[k]);
	}
	AssertSamePairs(what, seed, lists, lists + 1);
	assert_int_equal(events[0].begunCount, events[1].begunCount);
	assert_int_equal(events[0].persistingCount, events[1].persistingCount);
	assert_int_equal(events[0].endedCount, events[1].endedCount);
	return events[0].begunCount + events[0].endedCount;
}

static bool IsCertified(const snugCounters* cost)
{
	return cost->certified > 0 && cost->volumeTests == 0;
}

static void Scale(Twins* twins, const float* direction, double factor)
{
	for (uint32_t f = 0; f < twins->fields.fieldCount; ++f)
	{
		twins->fields.amplitudes[f] = (float)(factor * (double)direction[f]);
	}
	Twins_Pose(twins);
}

// ---- Answers -------------------------------------------------------------------------------------------------------

static void answers_are_those_without_certificates(void** state)
{
	(void)state;
	uint64_t certified = 0;
	for (int n = 0; n < TestCount(60); ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		sceneMesh mesh = RandomMesh(&random, (MeshKind)(n % MESH_KINDS));
		const FieldSet fields = RandomFields(&random, &mesh, 1.0);
		Twins twins = Twins_Make(mesh, fields, RandomTreeDef(&random), (snugStrategy)sceneRandom_Index(&random, 4));
		certified += CheckTwins("at rest", seed, &twins).certified;
		for (int pose = 0; pose < 6; ++pose)
		{
			RandomAmplitudes(&random, &twins.fields);
			const double factor = exp(sceneRandom_Range(&random, -9.0, 1.0));
			for (uint32_t f = 0; f < fields.fieldCount; ++f)
			{
				twins.fields.amplitudes[f] *= pose % 3 == 0 ? 1.0f : (float)factor;
			}
			Twins_Pose(&twins);
			certified += CheckTwins("a pose", seed, &twins).certified;
		}
		Twins_Free(&twins);
	}
	assert_true(certified > 0);
}

static Twins MakeSmooth(sceneRandom* random, int n)
{
	sceneMesh mesh = SmoothMesh(n);
	const FieldSet fields = SmoothFields(random, &mesh);
	return Twins_Make(mesh, fields, (snugTreeDef){ 0 }, (snugStrategy)(n % 4));
}

// To the edge of what is certified as a whole, and from there on to where nothing is.
static void answers_are_right_at_the_edge_of_certificates(void** state)
{
	(void)state;
	int whole = 0, partial = 0;
	for (int n = 0; n < TestCount(4); ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Twins twins = MakeSmooth(&random, n);
		float direction[3];
		for (int f = 0; f < 3; ++f)
		{
			direction[f] = (float)sceneRandom_Range(&random, -1.0, 1.0);
		}
		double known = 0.0, unknown = 64.0;
		for (int i = 0; i < 14; ++i)
		{
			const double factor = known > 0.0 ? 0.5 * (known + unknown) : unknown * 0.25;
			Scale(&twins, direction, factor);
			const snugCounters cost = CheckTwins("towards the edge", seed, &twins);
			known = IsCertified(&cost) ? factor : known;
			unknown = IsCertified(&cost) ? unknown : factor;
		}
		whole += known > 0.0;
		for (double factor = known; factor < 30.0 * known; factor *= 1.6)
		{
			Scale(&twins, direction, factor);
			const snugCounters cost = CheckTwins("beyond the edge", seed, &twins);
			partial += cost.certified > 0 && cost.volumeTests > 0;
		}
		Twins_Free(&twins);
	}
	assert_true(whole > 0 && partial > 0);
}

// The edge of what is certified of a region: a factor with which something of it is, or 0.
static double FindEdge(Twins* twins, const float* direction, uint32_t slotA, uint32_t slotB)
{
	const snugBody* body = twins->with.body;
	double known = 0.0, unknown = 64.0;
	for (int i = 0; i < 40; ++i)
	{
		const double factor = known > 0.0 ? 0.5 * (known + unknown) : unknown * 0.25;
		Scale(twins, direction, factor);
		*(body->deform->certify(&body->posed, slotA, slotB, false) != 0 ? &known : &unknown) = factor;
	}
	return known;
}

// Everything that asks about one body, in poses in which its regions cease to be certified one after the other, and
// beyond; alone, and in a scene, where it begins and ceases to meet itself.
static void all_queries_are_right_at_the_edge_of_every_region(void** state)
{
	(void)state;
	uint64_t edges = 0, events = 0;
	for (int n = 0; n < TestCount(3); ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Twins twins = MakeSmooth(&random, n);
		const snugWorkers workers = { n % 2 == 0 ? RunOnThreads : NULL, NULL };
		snugScene* const scenes[2] = { MakeScene(twins.without.body, (snugWorkers){ NULL, NULL }),
			MakeScene(twins.with.body, workers) };
		const sgCertificates certificates = sgCertificates_Bind(twins.with.model, twins.with.model->certificateData);
		for (uint32_t slot = 0; slot < twins.with.model->tree.groupCount * SG_LANES; ++slot)
		{
			const sgCertified* start = certificates.starts + slot;
			for (uint32_t r = start->regions; r < start[1].regions; ++r)
			{
				float direction[3];
				for (int f = 0; f < 3; ++f)
				{
					direction[f] = (float)sceneRandom_Range(&random, -1.0, 1.0);
				}
				if (slot != 0 && sceneRandom_Index(&random, certificates.header->regionCount) >= 6)
				{
					continue;
				}
				const double edge = FindEdge(&twins, direction, slot, certificates.regions[r].slot);
				edges += edge > 0.0;
				for (double factor = edge; factor < 10.0 * edge; factor *= 6.0)
				{
					Scale(&twins, direction, factor);
					CheckTwins("at the edge of a region", seed, &twins);
					CheckContacts(&twins, workers);
					CheckInside(&twins);
					events += CheckScenes("a scene", seed, scenes);
				}
			}
		}
		snugScene_Destroy(scenes[0]);
		snugScene_Destroy(scenes[1]);
		Twins_Free(&twins);
	}
	assert_true(edges > 0 && events > 0);
}

// Pairs alone, of few triangles and in many poses, about as many certified as not.
static void small_meshes_are_right_in_random_poses(void** state)
{
	(void)state;
	uint64_t certified = 0, met = 0, poses = 0;
	const uint64_t count = (uint64_t)TestCount(25000);
	for (uint64_t n = 0; poses < count; ++n)
	{
		const uint64_t seed = TestSeed() + n;
		sceneRandom random = { seed };
		sceneMesh mesh = n % 4 == 0   ? sceneMakeTorus(1.0, 0.4, 5, 4)
		                 : n % 4 == 1 ? sceneMakeSphere(1 + (uint32_t)(n / 4 % 3))
		                 : n % 4 == 2 ? sceneMakeCloth(1.0, 1.0, 1 + (uint32_t)(n / 4 % 5), 3)
		                              : RandomMesh(&random, mesh_tetrahedron);
		const FieldSet fields = n % 3 == 0 ? SmoothFields(&random, &mesh) : RandomFields(&random, &mesh, 1.0);
		Twins twins = Twins_Make(mesh, fields, (snugTreeDef){ .leafTriangles = 1 + (int)(n % 3) }, snug_strategyAuto);
		for (int pose = 0; pose < 100; ++pose, ++poses)
		{
			const double factor = exp(sceneRandom_Range(&random, -5.0, 2.0));
			for (uint32_t f = 0; f < fields.fieldCount; ++f)
			{
				twins.fields.amplitudes[f] = (float)(factor * sceneRandom_Range(&random, -1.0, 1.0));
			}
			Twins_Pose(&twins);
			PairList expected, found;
			Collide(twins.without.body, false, (snugWorkers){ NULL, NULL }, &expected);
			certified += Collide(twins.with.body, false, (snugWorkers){ NULL, NULL }, &found).counters.certified > 0;
			met += expected.count > 0;
			AssertSamePairs("a small mesh", seed, &expected, &found);
			PairList_Free(&expected);
			PairList_Free(&found);
		}
		Twins_Free(&twins);
	}
	assert_true(certified > count / 10 && met > count / 10);
}

// ---- Closed forms ---------------------------------------------------------------------------------------------------

// The least amplitude with which a body meets itself, and the greatest with which that is known not to be.
static void FindEdges(Twins* twins, double most, double* certified, double* apart)
{
	const float direction = 1.0f;
	double low = 0.0, high = most;
	for (int i = 0; i < 40; ++i)
	{
		Scale(twins, &direction, 0.5 * (low + high));
		const bool meets = snugCollideSelf(twins->without.body, NULL).count > 0;
		assert_int_equal(snugCollideSelf(twins->with.body, NULL).count > 0, meets);
		*(meets ? &high : &low) = 0.5 * (low + high);
	}
	*apart = low;
	low = 0.0, high = most;
	for (int i = 0; i < 40; ++i)
	{
		Scale(twins, &direction, 0.5 * (low + high));
		const snugCounters cost = snugCollideSelf(twins->with.body, NULL).counters;
		*(IsCertified(&cost) ? &low : &high) = 0.5 * (low + high);
	}
	*certified = low;
}

static FieldSet OneField(const sceneMesh* mesh)
{
	return (FieldSet){
		.fieldCount = 1,
		.displacements = calloc(3 * (size_t)mesh->vertexCount + 1, sizeof(float)),
		.amplitudes = calloc(1, sizeof(float)),
	};
}

// Two triangles on both sides of an edge.
static sceneMesh MakeKite(void)
{
	static const float positions[4][3] = { { 0.0f, -1.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, { -1.0f, 0.0f, 0.0f },
		{ 1.0f, 0.0f, 0.0f } };
	static const uint32_t triangles[6] = { 0, 1, 2, 1, 0, 3 };
	sceneMesh mesh = sceneMesh_Allocate(4, 2);
	memcpy(mesh.positions, positions, sizeof(positions));
	memcpy(mesh.triangles, triangles, sizeof(triangles));
	return mesh;
}

// One half of a sheet slides over the other: at an amplitude of 1 it is a line, beyond that it covers the other. Of two
// triangles the certificate knows this exactly; of more, triangles that share a corner alone have larger constants.
static void sheets_are_certified_until_they_fold(void** state)
{
	(void)state;
	for (uint32_t n = 0; n < 6; ++n)
	{
		sceneMesh mesh = n == 0 ? MakeKite() : sceneMakeCloth(2.0, 2.0, 2 * n, 8);
		FieldSet set = OneField(&mesh);
		for (size_t v = 0; v < mesh.vertexCount; ++v)
		{
			set.displacements[3 * v] = fminf(0.0f, -mesh.positions[3 * v]);
		}
		Twins twins = Twins_Make(mesh, set, (snugTreeDef){ .leafTriangles = n == 0 ? 1 : 8 }, snug_strategyAuto);
		double certified, apart;
		FindEdges(&twins, 2.0, &certified, &apart);
		assert_true(apart > 0.99999 && apart < 1.00001);
		assert_true(certified > (n == 0 ? 0.9999 : 0.3) && certified <= apart);
		Twins_Free(&twins);
	}
}

// A hinge whose second plate comes down from upright along straight lines: at an amplitude q its direction is (q, 1 -
// q), which meets a ridge of the first plate where (1 - q) / q is its slope.
static void hinges_meet_their_ridges(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(8); ++n)
	{
		sceneRandom random = { TestSeed() + (uint64_t)n };
		const uint32_t count = 2 + sceneRandom_Index(&random, 8);
		const double ridge = sceneRandom_Range(&random, 0.2, 0.4), height = sceneRandom_Range(&random, 0.02, 0.2);
		const double known = ridge / (ridge + height);
		sceneMesh mesh = sceneMesh_Allocate(5 * (count + 1), 8 * count);
		FieldSet set = OneField(&mesh);
		for (uint32_t i = 0; i <= count; ++i)
		{
			const float z = (float)i / (float)count;
			const float profile[5][2] = { { 0.0f, 0.0f }, { (float)ridge, (float)height }, { 1.0f, 0.0f },
				{ 0.0f, 0.75f }, { 0.0f, 1.0f } };
			for (uint32_t k = 0; k < 5; ++k)
			{
				const size_t v = 5 * (size_t)i + k;
				memcpy(mesh.positions + 3 * v, (float[3]){ profile[k][0], profile[k][1], z }, 3 * sizeof(float));
				set.displacements[3 * v] = k >= 3 ? profile[k][1] : 0.0f;
				set.displacements[3 * v + 1] = k >= 3 ? -profile[k][1] : 0.0f;
			}
		}
		static const uint32_t strips[4][2] = { { 0, 1 }, { 1, 2 }, { 3, 0 }, { 4, 3 } };
		for (uint32_t i = 0; i < 4 * count; ++i)
		{
			const uint32_t from = 5 * (i / 4) + strips[i % 4][0], to = 5 * (i / 4) + strips[i % 4][1];
			const uint32_t quad[6] = { from, to, to + 5, from, to + 5, from + 5 };
			memcpy(mesh.triangles + 6 * (size_t)i, quad, sizeof(quad));
		}
		Twins twins = Twins_Make(mesh, set, RandomTreeDef(&random), snug_strategyAuto);
		double certified, apart;
		FindEdges(&twins, 1.0, &certified, &apart);
		if (!(fabs(apart - known) < 1e-5))
		{
			fail_msg(
			    "seed %llu: it meets at %g, not at %g", (unsigned long long)(TestSeed() + (uint64_t)n), apart, known);
		}
		assert_true(certified > 0.1 && certified <= apart);
		Twins_Free(&twins);
	}
}

// A ring whose inner sides, 0.5 from the axis, come towards each other: see test_self.c.
static void rings_meet_in_the_middle(void** state)
{
	(void)state;
	for (uint32_t n = 16; n <= 48; n += 16)
	{
		sceneMesh mesh = sceneMakeTorus(1.0, 0.5, n, n / 2);
		FieldSet set = OneField(&mesh);
		for (size_t v = 0; v < mesh.vertexCount; ++v)
		{
			const float* p = mesh.positions + 3 * v;
			const float cosine = p[0] / sqrtf(p[0] * p[0] + p[1] * p[1]);
			set.displacements[3 * v] = -cosine * cosine * cosine;
		}
		Twins twins = Twins_Make(mesh, set, (snugTreeDef){ 0 }, snug_strategyAuto);
		double certified, apart;
		FindEdges(&twins, 1.0, &certified, &apart);
		assert_true(fabs(apart - 0.5) < 3e-7);
		assert_true(certified > 0.1 && certified < 0.5);
		Twins_Free(&twins);
	}
}

// Far from where it was at rest, a body's vertices are rounded until its triangles lie on each other: that is known
// not to be certain.
static void what_rounding_does_is_not_certified(void** state)
{
	(void)state;
	uint64_t met = 0, certified = 0;
	for (int n = 0; n < TestCount(3); ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneMesh mesh = n % 2 == 0 ? sceneMakeSphere(4) : sceneMakeTorus(1.0, 0.4, 12, 8);
		FieldSet set = OneField(&mesh);
		for (size_t i = 0; i < 3 * (size_t)mesh.vertexCount; ++i)
		{
			set.displacements[i] = i % 3 == 0 ? 1.0f : i % 3 == 1 ? 0.7f : -0.9f;
		}
		Twins twins = Twins_Make(mesh, set, (snugTreeDef){ 0 }, snug_strategyAuto);
		const float direction = 1.0f;
		for (double factor = 1e3; factor < 1e9; factor *= 3.1)
		{
			Scale(&twins, &direction, factor);
			certified += CheckTwins("far away", seed, &twins).certified;
			met += snugCollideSelf(twins.without.body, NULL).count;
		}
		Twins_Free(&twins);
	}
	assert_true(met > 0 && certified > 0);
}

// ---- What it costs -------------------------------------------------------------------------------------------------

// A body that is certified, or at rest, evaluates nothing and bounds nothing, by whatever strategy, pose after pose.
static void certified_bodies_cost_nothing(void** state)
{
	(void)state;
	for (int n = 0; n < 4; ++n)
	{
		sceneRandom random = { TestSeed() + (uint64_t)n };
		Twins twins = MakeSmooth(&random, n);
		const float direction[3] = { 0.01f, 0.01f, 0.01f };
		for (int pose = 0; pose < 5; ++pose)
		{
			Scale(&twins, direction, 0.5 * pose);
			const snugResult result = snugCollideSelf(twins.with.body, NULL);
			const snugCounters* cost = &result.counters;
			assert_true(result.count == 0 && cost->certified > 0);
			assert_true(cost->nodesRefitted == 0 && cost->verticesEvaluated == 0 && cost->volumeTests == 0);
		}
		Twins_Free(&twins);
		Thing rigid = Thing_Make(sceneMakeSoup(100, 0.5, 3), snug_rigid, (snugTreeDef){ 0 }, NULL);
		const snugResult result = snugCollideSelf(rigid.body, NULL);
		assert_true(result.count == 0 && result.counters.certified > 0 && result.counters.volumeTests == 0);
		Thing_Free(&rigid);
	}
}

// What a snugProgressFcn was told.
typedef struct Told
{
	uint64_t calls, first, done, all;
	bool isWrong;
} Told;

static void Tell(void* user, uint64_t done, uint64_t all)
{
	Told* told = user;
	told->isWrong = told->isWrong || done < told->done || done > all || (told->calls > 0 && all != told->all);
	told->first = told->calls == 0 ? done : told->first;
	told->done = done;
	told->all = all;
	++told->calls;
}

// One part after the other, to the last, by one thread and by several; nothing where nothing takes long.
static void progress_is_told(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	sceneMesh mesh = sceneMakeTorus(1.0, 0.4, 32, 16);
	FieldSet set = RandomFields(&random, &mesh, 1.0);
	for (int n = 0; n < 4; ++n)
	{
		Told told = { 0 };
		snugModel* model;
		snugModelDef def = FieldsDef(&mesh, &set, (snugTreeDef){ 0 });
		def.certificates = n != 0;
		def.workers.run = n >= 2 ? RunOnThreads : NULL;
		def.progress = n != 3 ? Tell : NULL;
		def.progressUser = &told;
		assert_int_equal(snugModel_Create(&def, &model), snug_success);
		assert_true(!told.isWrong && told.done == told.all);
		const bool isTold = n == 1 || n == 2;
		assert_true(isTold ? told.first < told.all && told.calls > told.all / 4 : told.calls == 0);
		snugModel_Destroy(model);
	}
	FieldSet_Free(&set);
	sceneMesh_Free(&mesh);
}

static void memory_may_run_out(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	sceneMesh mesh = sceneMakeTorus(1.0, 0.4, 16, 8);
	FieldSet set = RandomFields(&random, &mesh, 1.0);
	snugModelDef def = FieldsDef(&mesh, &set, (snugTreeDef){ 0 });
	def.certificates = true;
	snugStatus status = snug_outOfMemory;
	uint64_t failures = 0;
	for (; status != snug_success; ++failures)
	{
		TestAllocator allocator = { .failAt = failures + 1 };
		snugModel* model = NULL;
		def.allocator = TestAllocator_Get(&allocator);
		status = snugModel_Create(&def, &model);
		assert_true(status == snug_success || (status == snug_outOfMemory && model == NULL));
		snugModel_Destroy(model);
		assert_true(allocator.live == 0 && allocator.faults == 0);
	}
	assert_true(failures > 10);
	FieldSet_Free(&set);
	sceneMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_those_without_certificates),
		cmocka_unit_test(answers_are_right_at_the_edge_of_certificates),
		cmocka_unit_test(all_queries_are_right_at_the_edge_of_every_region),
		cmocka_unit_test(small_meshes_are_right_in_random_poses),
		cmocka_unit_test(sheets_are_certified_until_they_fold),
		cmocka_unit_test(hinges_meet_their_ridges),
		cmocka_unit_test(rings_meet_in_the_middle),
		cmocka_unit_test(what_rounding_does_is_not_certified),
		cmocka_unit_test(certified_bodies_cost_nothing),
		cmocka_unit_test(progress_is_told),
		cmocka_unit_test(memory_may_run_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
