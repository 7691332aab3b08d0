// test/query/test_certificates.c: bodies with constants by which parts are known not to meet themselves
// (deform/fields/certificates.h). Oracles: the same body without them, which test_self.c compares with brute force; for
// the constants, rational arithmetic; first contacts that are known in closed form.
#include "fields_support.h"
#include "posed.h"
#include "rational_vector.h"
#include "workers.h"

#include "deform/fields/certificates.h"
#include "geometry/triangle.h"
#include "snug/snug_queries.h"

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

// A surface that is fine enough for regions of every level, and smooth fields.
static Twins MakeSmooth(sceneRandom* random, int n)
{
	sceneMesh mesh = n % 4 == 0   ? sceneMakeTorus(1.0, 0.3 + 0.1 * (n % 5), 40, 24)
	                 : n % 4 == 1 ? sceneMakeSphere(20)
	                 : n % 4 == 2 ? sceneMakeCloth(1.0, 1.0, 24, 24)
	                              : sceneMakeBlob(16, (uint32_t)n);
	const uint32_t count = 1 + sceneRandom_Index(random, 3);
	FieldSet set = {
		.fieldCount = count,
		.displacements = malloc(3 * (size_t)count * mesh.vertexCount * sizeof(float)),
		.amplitudes = calloc(count, sizeof(float)),
	};
	for (uint32_t f = 0; f < count; ++f)
	{
		float factors[3][9];
		for (int i = 0; i < 27; ++i)
		{
			factors[i / 9][i % 9] = (float)sceneRandom_Range(random, -1.0, 1.0);
		}
		for (size_t v = 0; v < mesh.vertexCount; ++v)
		{
			const float* p = mesh.positions + 3 * v;
			const float terms[9] = { p[0], p[1], p[2], p[0] * p[0], p[1] * p[1], p[2] * p[2], p[0] * p[1], p[1] * p[2],
				p[0] * p[1] * p[2] };
			for (size_t k = 0; k < 3; ++k)
			{
				float* d = set.displacements + 3 * (f * (size_t)mesh.vertexCount + v) + k;
				*d = 0.0f;
				for (int i = 0; i < 9; ++i)
				{
					*d += factors[k][i] * terms[i];
				}
			}
		}
	}
	return Twins_Make(mesh, set, (snugTreeDef){ 0 }, (snugStrategy)(n % 4));
}

// To the edge of what is certified as a whole, and from there on to where nothing is.
static void answers_are_right_at_the_edge_of_certificates(void** state)
{
	(void)state;
	int whole = 0, partial = 0;
	for (int n = 0; n < TestCount(8); ++n)
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
	for (int n = 0; n < TestCount(6); ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneMesh mesh = n % 2 == 0 ? sceneMakeSphere(6) : sceneMakeTorus(1.0, 0.4, 20, 12);
		FieldSet set = OneField(&mesh);
		for (size_t i = 0; i < 3 * (size_t)mesh.vertexCount; ++i)
		{
			set.displacements[i] = i % 3 == 0 ? 1.0f : i % 3 == 1 ? 0.7f : -0.9f;
		}
		Twins twins = Twins_Make(mesh, set, (snugTreeDef){ 0 }, snug_strategyAuto);
		const float direction = 1.0f;
		for (double factor = 1e3; factor < 1e9; factor *= 1.9)
		{
			Scale(&twins, &direction, factor);
			certified += CheckTwins("far away", seed, &twins).certified;
			met += snugCollideSelf(twins.without.body, NULL).count;
		}
		Twins_Free(&twins);
	}
	assert_true(met > 0 && certified > 0);
}

// ---- Constants -----------------------------------------------------------------------------------------------------

typedef struct Oracle
{
	const snugModel* model;
	sgFields fields;
	sgCertificates certificates;
	sceneRandom random;
	uint64_t checked;
} Oracle;

typedef struct Work
{
	Vector x, y, way, dx, dy, left, vertex;
	mpq_t weight, length2, left2, bound, factor, part;
	mpq_t gradient[3][3];
} Work;
static Work work;

static void Displacement(const Oracle* oracle, uint32_t vertex, uint32_t field, float value[3])
{
	const sgRow row = sgRows_Get(&oracle->fields.rows, vertex);
	memset(value, 0, 3 * sizeof(float));
	for (uint32_t j = 0; j < row.count; ++j)
	{
		for (uint32_t k = 0; k < 3 && row.numbers[j] == field; ++k)
		{
			value[k] = row.values[(3 * j + k) * SG_LANES];
		}
	}
}

// A point of a triangle, and what a field does there.
static void Interpolate(const Oracle* oracle, const uint32_t vertices[3], const double weights[3], uint32_t field,
    Vector* point, Vector* displacement)
{
	for (int k = 0; k < 3; ++k)
	{
		mpq_set_d(point->c[k], 0.0);
		mpq_set_d(displacement->c[k], 0.0);
	}
	for (int c = 0; c < 3; ++c)
	{
		float values[2][3];
		memcpy(values[0], oracle->model->positions + 3 * (size_t)vertices[c], sizeof(values[0]));
		Displacement(oracle, vertices[c], field, values[1]);
		mpq_set_d(work.weight, weights[c]);
		for (int i = 0; i < 6; ++i)
		{
			mpq_set_d(work.part, (double)values[i / 3][i % 3]);
			mpq_mul(work.part, work.part, work.weight);
			mpq_t* sum = &(i < 3 ? point : displacement)->c[i % 3];
			mpq_add(*sum, *sum, work.part);
		}
	}
}

// |d(x) - d(y) - G (x - y)| <= part constant |x - y|, exactly.
static bool IsBounded(const Oracle* oracle, const uint32_t* a, const double* weightsA, const uint32_t* b,
    const double* weightsB, uint32_t field, double gradient[3][3], double bound)
{
	Interpolate(oracle, a, weightsA, field, &work.x, &work.dx);
	Interpolate(oracle, b, weightsB, field, &work.y, &work.dy);
	Subtract(&work.way, &work.x, &work.y);
	Subtract(&work.left, &work.dx, &work.dy);
	for (int i = 0; i < 9; ++i)
	{
		mpq_set_d(work.factor, gradient[i / 3][i % 3]);
		mpq_mul(work.part, work.factor, work.way.c[i % 3]);
		mpq_sub(work.left.c[i / 3], work.left.c[i / 3], work.part);
	}
	Dot(work.length2, &work.way, &work.way);
	Dot(work.left2, &work.left, &work.left);
	mpq_set_d(work.bound, bound);
	mpq_mul(work.bound, work.bound, work.bound);
	mpq_mul(work.bound, work.bound, work.length2);
	return mpq_cmp(work.left2, work.bound) <= 0;
}

// Weights that sum to 1 exactly: anything, corners, and little more than a corner or an edge of both.
static void ChooseWeights(sceneRandom* random, double weights[3], const double* like)
{
	const double unit = 0x1p-10;
	const uint32_t first = sceneRandom_Index(random, 1025), second = sceneRandom_Index(random, 1025 - first);
	const uint32_t corner = sceneRandom_Index(random, 3);
	weights[0] = unit * first, weights[1] = unit * second, weights[2] = 1.0 - weights[0] - weights[1];
	if (like != NULL && sceneRandom_Index(random, 2) == 0)
	{
		memcpy(weights, like, 3 * sizeof(double));
	}
	else if (sceneRandom_Index(random, 3) == 0)
	{
		memset(weights, 0, 3 * sizeof(double));
		weights[corner] = 1.0;
	}
	else if (sceneRandom_Index(random, 2) == 0)
	{
		weights[corner] *= 0x1p-8;
		weights[(corner + 1) % 3] = 1.0 - weights[corner] - weights[(corner + 2) % 3];
	}
}

typedef struct Corners
{
	uint32_t vertices[3];
	float points[3][3];
} Corners;

static Corners CornersOf(const snugModel* model, const sgLeaf* leaf, uint32_t t, uint32_t turn)
{
	Corners corners;
	for (uint32_t c = 0; c < 3; ++c)
	{
		const uint32_t at = leaf->corners[(c + turn) % 3][t];
		corners.vertices[c] = model->tree.leafVertices[leaf->firstVertex + at];
		memcpy(corners.points[c], model->positions + 3 * (size_t)corners.vertices[c], sizeof(corners.points[c]));
	}
	return corners;
}

static bool MeetAtRest(const snugModel* model, const Corners* a, const Corners* b)
{
	uint32_t shared = 0;
	for (uint32_t k = 0; k < 9; ++k)
	{
		shared |= (uint32_t)(sgTwinOf(model, a->vertices[k / 3]) == sgTwinOf(model, b->vertices[k % 3])) << k;
	}
	const uint32_t ofA = (shared & 7) != 0, ofB = (shared & 070) != 0, ofC = (shared & 0700) != 0;
	const uint32_t all = (shared | shared >> 3 | shared >> 6) & 7;
	return ofA + ofB + ofC == 3 || all == 7 || sgTriangles_IntersectBeyond(a->points, b->points, shared);
}

static const sgLeaf* ChooseLeaf(Oracle* oracle, uint32_t slot)
{
	const sgTree* tree = &oracle->model->tree;
	const sgLeafRange range = sgTree_LeavesBelow(tree, slot);
	return tree->leaves + range.first + sceneRandom_Index(&oracle->random, range.last - range.first + 1);
}

static double PartOf(uint8_t code)
{
	const uint32_t bits = (code + SG_CODE_BASE) << 20;
	float part;
	memcpy(&part, &bits, sizeof(part));
	return (double)part;
}

// Some pairs of triangles of one cell.
static void CheckCell(Oracle* oracle, uint32_t slotA, const sgRegion* region, uint32_t i, uint32_t k)
{
	const snugModel* model = oracle->model;
	const uint32_t childA = model->tree.nodes[slotA].first + i, childB = model->tree.nodes[region->slot].first + k;
	for (int n = 0; n < 6; ++n)
	{
		const sgLeaf *leafA = ChooseLeaf(oracle, childA), *leafB = ChooseLeaf(oracle, childB);
		const uint32_t a = sceneRandom_Index(&oracle->random, leafA->triangleCount);
		const uint32_t b = sceneRandom_Index(&oracle->random, leafB->triangleCount);
		const uint32_t turns = sceneRandom_Index(&oracle->random, 9);
		const Corners cornersA = CornersOf(model, leafA, a, turns / 3),
		              cornersB = CornersOf(model, leafB, b, turns % 3);
		if ((leafA == leafB && a == b) || MeetAtRest(model, &cornersA, &cornersB))
		{
			continue;
		}
		sgRegionFields from = sgRegionFields_Begin(&oracle->certificates, &oracle->fields, slotA, region->slot);
		const float* constants = oracle->certificates.constants + region->constants;
		double gradient[3][3];
		for (uint32_t field; (field = sgRegionFields_Next(&from, gradient)) != SG_NONE; ++constants)
		{
			double weights[2][3];
			ChooseWeights(&oracle->random, weights[0], NULL);
			ChooseWeights(&oracle->random, weights[1], weights[0]);
			const double bound = PartOf(region->codes[i][k]) * (double)*constants;
			++oracle->checked;
			assert_true(IsBounded(
			    oracle, cornersA.vertices, weights[0], cornersB.vertices, weights[1], field, gradient, bound));
		}
	}
}

static void constants_hold_in_rational_arithmetic(void** state)
{
	(void)state;
	InitOnce(&work, sizeof(work));
	uint64_t checked = 0;
	for (int n = 0; n < TestCount(20); ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Twins twins = { .fields = { .fieldCount = 0 } };
		if (n % 3 != 0)
		{
			twins = MakeSmooth(&random, n);
		}
		else
		{
			sceneMesh mesh = RandomMesh(&random, (MeshKind)(n / 3 % MESH_KINDS));
			const FieldSet fields = RandomFields(&random, &mesh, 1.0);
			twins = Twins_Make(mesh, fields, RandomTreeDef(&random), snug_strategyAuto);
		}
		const snugModel* model = twins.with.model;
		Oracle oracle = {
			.model = model,
			.fields = sgFields_Bind(model, model->deformData),
			.certificates = sgCertificates_Bind(model, model->certificateData),
			.random = random,
		};
		for (uint32_t slot = 0; slot < model->tree.groupCount * SG_LANES; ++slot)
		{
			const sgCertified* start = oracle.certificates.starts + slot;
			for (uint32_t r = start->regions; r < start[1].regions; ++r)
			{
				const sgRegion* region = oracle.certificates.regions + r;
				const uint32_t rows = model->tree.nodes[slot].childCount;
				const uint32_t columns = model->tree.nodes[region->slot].childCount;
				for (uint32_t i = 0; i < rows; ++i)
				{
					for (uint32_t k = slot == region->slot ? i : 0; k < columns; ++k)
					{
						if (region->codes[i][k] != SG_CODE_NEVER && sceneRandom_Index(&random, 8) == 0)
						{
							CheckCell(&oracle, slot, region, i, k);
						}
					}
				}
			}
		}
		checked += oracle.checked;
		Twins_Free(&twins);
	}
	assert_true(checked > 1000 * (uint64_t)TestCount(20));
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
		cmocka_unit_test(sheets_are_certified_until_they_fold),
		cmocka_unit_test(hinges_meet_their_ridges),
		cmocka_unit_test(rings_meet_in_the_middle),
		cmocka_unit_test(what_rounding_does_is_not_certified),
		cmocka_unit_test(constants_hold_in_rational_arithmetic),
		cmocka_unit_test(certified_bodies_cost_nothing),
		cmocka_unit_test(memory_may_run_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
