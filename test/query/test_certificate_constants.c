// test/query/test_certificate_constants.c: the constants of docs/bounds/certificates.md, of whole bodies and of two
// triangles. Oracles: rational arithmetic; what is known in closed form.
#include "fields_support.h"
#include "rational_vector.h"

#include "deform/fields/certificates_build.h"
#include "geometry/triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Takes the mesh.
static Thing MakeCertified(sceneMesh mesh, const FieldSet* fields, snugTreeDef tree)
{
	snugModelDef def = FieldsDef(&mesh, fields, tree);
	def.certificates = true;
	return Thing_Build(mesh, &def, snug_strategyAuto, NULL);
}

// ---- An oracle ------------------------------------------------------------------------------------------------------

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

// |d(x) - d(y) - G (x - y)| <= bound |x - y|, exactly.
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

// ---- Whole bodies ---------------------------------------------------------------------------------------------------

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
	for (int n = 0; n < TestCount(4); ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		const bool isSmooth = n % 3 != 0;
		sceneMesh mesh = isSmooth ? SmoothMesh(n) : RandomMesh(&random, (MeshKind)(n / 3 % MESH_KINDS));
		FieldSet fields = isSmooth ? SmoothFields(&random, &mesh) : RandomFields(&random, &mesh, 1.0);
		Thing thing = MakeCertified(mesh, &fields, isSmooth ? (snugTreeDef){ 0 } : RandomTreeDef(&random));
		const snugModel* model = thing.model;
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
						if (region->codes[i][k] != SG_CODE_NEVER && sceneRandom_Index(&random, 32) == 0)
						{
							CheckCell(&oracle, slot, region, i, k);
						}
					}
				}
			}
		}
		checked += oracle.checked;
		Thing_Free(&thing);
		FieldSet_Free(&fields);
	}
	assert_true(checked > 300 * (uint64_t)TestCount(4));
}

// ---- Two triangles --------------------------------------------------------------------------------------------------

// What two triangles have in common.
typedef enum FoldKind
{
	fold_edge,
	fold_corner,
	fold_nothing,
	FOLD_KINDS,
} FoldKind;

// Two triangles, each the mirror image of the other in y = 0, at an angle. With the same weights, points are images of
// each other.
static sceneMesh MakeFold(FoldKind kind, const float inner[2], double angle, double length)
{
	const float x = (float)(length * cos(0.5 * angle)), y = (float)(length * sin(0.5 * angle));
	const float positions[FOLD_KINDS][6][3] = {
		{ { 0.0f, 0.0f, inner[0] }, { 0.0f, 0.0f, inner[1] }, { x, y, 0.0f }, { x, -y, 0.0f } },
		{ { 0.0f, 0.0f, 0.0f }, { x, y, inner[0] }, { x, y, inner[1] }, { x, -y, inner[0] }, { x, -y, inner[1] } },
		{ { x, y, inner[0] }, { x, y, inner[1] }, { 2.0f * x, 2.0f * y, 0.0f }, { x, -y, inner[0] },
		    { x, -y, inner[1] }, { 2.0f * x, -2.0f * y, 0.0f } },
	};
	static const uint32_t triangles[FOLD_KINDS][6] = { { 0, 1, 2, 0, 1, 3 }, { 0, 1, 2, 0, 3, 4 },
		{ 0, 1, 2, 3, 4, 5 } };
	sceneMesh mesh = sceneMesh_Allocate(4 + (uint32_t)kind, 2);
	memcpy(mesh.positions, positions[kind], 3 * (size_t)mesh.vertexCount * sizeof(float));
	memcpy(mesh.triangles, triangles[kind], sizeof(triangles[kind]));
	return mesh;
}

// What moves: the second triangle alone, both against each other, or everything; linear over each of them.
typedef enum KinkKind
{
	kink_second,
	kink_both,
	kink_any,
	KINK_KINDS,
} KinkKind;

static FieldSet MakeKink(sceneRandom* random, const sceneMesh* mesh, KinkKind kind)
{
	FieldSet set = { 1, NULL, NULL, calloc(3 * (size_t)mesh->vertexCount, sizeof(float)), calloc(1, sizeof(float)) };
	const uint32_t shared = 6 - mesh->vertexCount, own = 3 - shared;
	for (size_t v = kind == kink_any ? 0 : shared; v < mesh->vertexCount; ++v)
	{
		float* d = set.displacements + 3 * v;
		for (size_t k = 0; k < 3; ++k)
		{
			const bool isImage = kind == kink_both && v >= shared + own;
			d[k] = isImage ? -set.displacements[3 * (v - own) + k] : RandomFloat(random, -1.0f, 1.0f);
			d[k] = kind == kink_second && v < shared + own ? 0.0f : d[k];
		}
	}
	return set;
}

static double LengthOf(const float v[3])
{
	return sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
}

// The constant of both triangles, as it is before it is rounded to float32. Negative: there is none.
static double FindConstant(const Oracle* oracle, double gradient[3][3])
{
	double constant = 0.0, enough = 0.0, size2 = 0.0;
	for (int i = 0; i < 9; ++i)
	{
		size2 += gradient[i / 3][i % 3] * gradient[i / 3][i % 3];
	}
	double size = sqrt(size2);
	uint32_t number = 0;
	const sgRegionDraft region = { oracle->model, &oracle->fields, 1, &number, (double(*)[3][3])gradient, &size };
	sgCellDraft cell = { .constants = &constant, .enough = &enough };
	sgCellDraft_AddLeaves(&cell, &region, 0, oracle->model->tree.leafCount - 1);
	assert_false(cell.isAtRest);
	return cell.isNever ? -1.0 : constant;
}

// Points of both, images of each other among them.
static void CheckFold(uint64_t seed, Oracle* oracle, double gradient[3][3], double constant)
{
	const snugModel* model = oracle->model;
	const sgLeaf *leafA = model->tree.leaves, *leafB = leafA + model->tree.leafCount - 1;
	for (int n = 0; n < 24; ++n)
	{
		double weights[2][3];
		const uint32_t turns = n < 12 ? 0 : sceneRandom_Index(&oracle->random, 9);
		const Corners a = CornersOf(model, leafA, 0, turns / 3),
		              b = CornersOf(model, leafB, leafB->triangleCount - 1, turns % 3);
		ChooseWeights(&oracle->random, weights[0], NULL);
		ChooseWeights(&oracle->random, weights[1], weights[0]);
		++oracle->checked;
		if (!IsBounded(oracle, a.vertices, weights[0], b.vertices, weights[1], 0, gradient, constant))
		{
			fail_msg("seed %llu: the constant %.17g does not hold", (unsigned long long)seed, constant);
		}
	}
}

// Without anything taken away, where the triangles share an edge: one that moves differs most from the other straight
// across, and two that move against each other do at points that are each other's image.
static void CheckKnown(const sceneMesh* mesh, const FieldSet* set, KinkKind kink, double angle, double constant)
{
	const float *apex = mesh->positions + 6, *d = set->displacements + 9;
	const double slope = LengthOf(d) / LengthOf((float[3]){ apex[0], apex[1], 0.0f });
	const double known = kink == kink_both ? slope / sin(0.5 * angle) : slope / (angle < 1.5707 ? sin(angle) : 1.0);
	assert_true(constant > 0.999 * known && constant < 1.001 * known);
}

// Folds from sharp to nearly flat, with kinks where they are folded. Bounds are met there, so nothing may be missing.
static void constants_of_folds_hold_in_rational_arithmetic(void** state)
{
	(void)state;
	InitOnce(&work, sizeof(work));
	uint64_t found = 0;
	const int count = TestCount(3000);
	for (int n = 0; n < count; ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		const FoldKind fold = (FoldKind)(n % FOLD_KINDS);
		const KinkKind kink = (KinkKind)(n / 3 % KINK_KINDS);
		const bool takes = n / 9 % 2 == 1;
		const double angle = n / 18 % 2 == 0 ? exp(sceneRandom_Range(&random, -5.0, 1.0)) // 0.4 to 156 degrees
		                                     : sceneRandom_Range(&random, 1.58, 3.1);
		const float inner[2] = { RandomFloat(&random, -1.0f, -0.1f), RandomFloat(&random, 0.1f, 1.0f) };
		sceneMesh mesh = MakeFold(fold, inner, angle, sceneRandom_Range(&random, 0.2, 2.0));
		FieldSet set = MakeKink(&random, &mesh, kink);
		Thing thing = MakeFields(mesh, &set, (snugTreeDef){ .leafTriangles = n % 2 == 0 ? 1 : 8 }, snug_strategyAuto);
		Oracle oracle = {
			.model = thing.model,
			.fields = sgFields_Bind(thing.model, thing.model->deformData),
			.random = random,
		};
		double gradient[3][3] = { { 0.0 } };
		for (int i = 0; i < 9 && takes; ++i)
		{
			gradient[i / 3][i % 3] = sceneRandom_Range(&random, -1.0, 1.0);
		}
		const double constant = FindConstant(&oracle, gradient);
		if (constant >= 0.0)
		{
			CheckFold(seed, &oracle, gradient, constant);
			++found;
		}
		if (!takes && fold == fold_edge && kink != kink_any)
		{
			CheckKnown(&thing.mesh, &set, kink, angle, constant);
		}
		Thing_Free(&thing);
		FieldSet_Free(&set);
	}
	assert_true(found > (uint64_t)count * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants_hold_in_rational_arithmetic),
		cmocka_unit_test(constants_of_folds_hold_in_rational_arithmetic),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
