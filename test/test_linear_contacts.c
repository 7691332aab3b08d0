// test/test_linear_contacts.c: contact spheres wrap, none is missed, and nothing that can be seen is culled.
#include "linear_support.h"

#include "body/body.h"
#include "deform/fields/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The ball of a node, straight from the pose.
typedef struct Ball
{
	long double center[3];
	long double radius;
} Ball;

static Ball BallOf(snugBody* body, uint32_t slot)
{
	sgBoxLanes boxes;
	sgBallLanes balls;
	sgLaneSet set = { .group = slot / SG_LANES, .mask = 1u << (slot % SG_LANES) };
	body->deform->bound(sgBody_Derive(body), set, (sgBoundsOut){ &boxes, (sgSlabLanes*)(void*)&balls });
	Ball ball = { .radius = (long double)balls.radius[slot % SG_LANES] };
	for (int k = 0; k < 3; ++k)
	{
		ball.center[k] = (long double)balls.center[k][slot % SG_LANES];
	}
	return ball;
}

static long double Distance(const long double a[3], const long double b[3])
{
	long double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
	return sqrtl(x * x + y * y + z * z);
}

static Thing MakeWithContacts(sceneRandom* random, uint64_t number, double size, FieldSet* set, uint32_t* level)
{
	sceneMesh mesh = RandomMesh(random, (MeshKind)sceneRandom_Index(random, MESH_KINDS));
	ScaleMesh(&mesh, (float)size);
	*set = RandomFields(random, &mesh, size);
	LinearBounding how = { .bound = number % 2 == 0 ? snug_boundBall : snug_boundMeanBall };
	snugModelDef def = LinearDef(&mesh, set, RandomTreeDef(random));
	*level = 1 + sceneRandom_Index(random, 6);
	snugBoundsDef bounds = LinearBounding_Def(&how);
	bounds.contactLevel = *level;
	def.bounds = &bounds;
	Thing thing = { .mesh = mesh };
	assert_int_equal(snugModel_Create(&def, &thing.model), snug_success);
	thing.body = MakeBody(thing.model, NULL);
	return thing;
}

static bool IsContact(const snugModel* model, uint32_t slot, uint32_t level)
{
	const sgNode* node = model->tree.nodes + slot;
	return node->first != SG_NONE && (node->level == level || (node->childCount == 0 && node->level < level)) &&
	       model->tree.triangleCount > 0;
}

// Every node above a contact node contains its sphere, whatever the amplitudes: exactly, in the numbers as computed.
// The paper's spheres, wrapped at rest only, fail here.
static void contact_spheres_stay_wrapped(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), checks = 0;
	for (int i = 0; i < TestCount(300); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		double size = sceneRandom_Index(&random, 3) == 0 ? ldexp(1.0, (int)sceneRandom_Index(&random, 120) - 60) : 1.0;
		FieldSet set;
		uint32_t level;
		Thing thing = MakeWithContacts(&random, number, size, &set, &level);
		const sgTree* tree = &thing.model->tree;
		for (int pose = 0; pose < 5; ++pose)
		{
			RandomAmplitudes(&random, &set);
			PoseLinear(&thing, &set);
			for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
			{
				if (!IsContact(thing.model, slot, level))
				{
					continue;
				}
				Ball below = BallOf(thing.body, slot);
				for (uint32_t at = tree->nodes[slot].parent; at != SG_NONE; at = tree->nodes[at].parent, ++checks)
				{
					Ball above = BallOf(thing.body, at);
					long double far = Distance(above.center, below.center) + below.radius;
					if (!(far <= above.radius * (1.0L + 0x1p-60L)))
					{
						fail_msg("SNUG_SEED=%llu: a contact sphere leaves the one at level %u by %Lg",
						    (unsigned long long)number, tree->nodes[at].level, far - above.radius);
					}
				}
			}
		}
		Thing_Free(&thing);
		FieldSet_Free(&set);
	}
	assert_true(checks > 30 * (uint64_t)TestCount(300));
}

// Narrow trees, whose groups hold several families: here one part of the body has a field of its own for every vertex,
// and the other has one for all. Would catch a margin for rounding that counts the fields of the upper group only.
static void contact_spheres_of_narrow_trees_stay_wrapped(void** state)
{
	(void)state;
	for (int i = 0; i < 24; ++i)
	{
		sceneMesh mesh = sceneMakeBlob((uint32_t)(6 + i / 6), 1);
		uint32_t count = mesh.vertexCount;
		FieldSet set = { .fieldCount = 1,
			.starts = calloc(count + 1, sizeof(uint32_t)),
			.fields = calloc(count + 1, sizeof(uint16_t)),
			.displacements = calloc(3 * (size_t)count + 3, sizeof(float)) };
		assert_true(set.starts != NULL && set.fields != NULL && set.displacements != NULL);
		for (uint32_t v = 0; v < count; ++v)
		{
			set.fields[v] = mesh.positions[3 * v] < 0.2f ? 0 : (uint16_t)set.fieldCount++;
			set.displacements[3 * v] = 0.1f;
			set.starts[v + 1] = v + 1;
		}
		set.amplitudes = calloc(set.fieldCount, sizeof(float));
		LinearBounding how = { .bound = i % 2 == 0 ? snug_boundBall : snug_boundMeanBall };
		snugTreeDef tree = { .branching = i / 2 % 3 == 0 ? 8 : i / 2 % 3 == 1 ? 4 : 2, .leafTriangles = 1 };
		snugModelDef def = LinearDef(&mesh, &set, tree);
		snugBoundsDef bounds = LinearBounding_Def(&how);
		bounds.contactLevel = 6;
		def.bounds = &bounds;
		Thing thing = { .mesh = mesh };
		assert_int_equal(snugModel_Create(&def, &thing.model), snug_success);
		thing.body = MakeBody(thing.model, NULL);
		const sgTree* nodes = &thing.model->tree;
		for (uint32_t slot = 0; slot < nodes->groupCount * SG_LANES; ++slot)
		{
			Ball below = IsContact(thing.model, slot, 6) ? BallOf(thing.body, slot) : (Ball){ .radius = 0.0L };
			uint32_t parent = IsContact(thing.model, slot, 6) ? nodes->nodes[slot].parent : SG_NONE;
			for (uint32_t at = parent; at != SG_NONE; at = nodes->nodes[at].parent)
			{
				Ball above = BallOf(thing.body, at);
				long double far = Distance(above.center, below.center) + below.radius;
				assert_true(far <= above.radius * (1.0L + 0x1p-60L));
			}
		}
		Thing_Free(&thing);
		FieldSet_Free(&set);
	}
}

static bool AreSame(const snugSphereContact* a, const snugSphereContact* b, uint64_t count)
{
	return memcmp(a, b, (size_t)count * sizeof(snugSphereContact)) == 0;
}

static snugSphereContact* AllContacts(snugBody* a, snugBody* b, const double origin[3], uint64_t* count)
{
	snugSphereQuery query = { .capacity = 0 };
	memcpy(query.origin, origin, sizeof(query.origin));
	snugSphereResult counted = snugCollideSpheres(a, b, &query);
	assert_int_equal(counted.status, snug_success);
	query.capacity = counted.count;
	query.contacts = calloc(counted.count + 1, sizeof(snugSphereContact));
	assert_non_null(query.contacts);
	snugSphereResult found = snugCollideSpheres(a, b, &query);
	assert_int_equal(found.status, snug_success);
	assert_int_equal(found.count, counted.count);
	*count = found.count;
	return query.contacts;
}

// Contact node of every triangle of a model, each triangle below exactly one.
static uint32_t* ContactOfTriangles(const snugModel* model, uint32_t level)
{
	uint32_t count = snugModel_GetInfo(model).triangleCount, covered = 0;
	uint32_t* owner = malloc((count + 1) * sizeof(uint32_t));
	uint32_t* list = malloc((count + 1) * sizeof(uint32_t));
	assert_true(owner != NULL && list != NULL);
	memset(owner, 0xff, count * sizeof(uint32_t));
	for (uint32_t slot = 0; slot < model->tree.groupCount * SG_LANES; ++slot)
	{
		if (IsContact(model, slot, level))
		{
			uint32_t own = snugModel_GetNodeTriangles(model, slot, list, count);
			assert_true(own <= count);
			for (uint32_t t = 0; t < own; ++t)
			{
				assert_int_equal(owner[list[t]], UINT32_MAX);
				owner[list[t]] = slot;
			}
			covered += own;
		}
	}
	assert_int_equal(covered, count);
	free(list);
	return owner;
}

static bool HasContact(const snugSphereContact* contacts, uint64_t count, uint32_t nodeA, uint32_t nodeB)
{
	for (uint64_t i = 0; i < count; ++i)
	{
		if (contacts[i].a.treeNode == nodeA && contacts[i].b.treeNode == nodeB)
		{
			return true;
		}
	}
	return false;
}

static void CheckSphere(const snugSphereContact* contact, uint64_t number)
{
	long double a[3], b[3];
	for (int k = 0; k < 3; ++k)
	{
		a[k] = (long double)contact->a.center[k];
		b[k] = (long double)contact->b.center[k];
	}
	long double depth = (long double)contact->a.radius + (long double)contact->b.radius - Distance(a, b);
	if (!(fabsl(depth - (long double)contact->depth) <= 0x1p-22L * (fabsl(depth) + (long double)contact->a.radius)))
	{
		fail_msg("SNUG_SEED=%llu: a depth is %g, not %Lg", (unsigned long long)number, (double)contact->depth, depth);
	}
}

// Oracles: every pair of triangles that intersect lies below a pair of contact spheres that is reported; all pairs of
// contact spheres by brute force; and the same contacts after other queries, which leave other things in the caches.
static void no_contact_is_missed(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), contactCount = 0, pairCount = 0, tests = 0, allTests = 0;
	for (int i = 0; i < TestCount(300); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		FieldSet sets[2];
		uint32_t levels[2];
		Thing things[2];
		for (int k = 0; k < 2; ++k)
		{
			things[k] = MakeWithContacts(&random, number + (uint64_t)k, 1.0, &sets[k], &levels[k]);
		}
		double origin[3] = { sceneRandom_Range(&random, -1.0, 1.0), 0.0, 0.0 };
		for (int pose = 0; pose < 3; ++pose)
		{
			for (int k = 0; k < 2; ++k)
			{
				RandomAmplitudes(&random, &sets[k]);
				PoseLinear(&things[k], &sets[k]);
				snugFrame frame = { .position = { sceneRandom_Range(&random, -1.0, 1.0), 0.1, 0.0 } };
				RandomRotation(&random, frame.rotation);
				assert_int_equal(snugBody_SetFrame(things[k].body, &frame), snug_success);
			}
			uint64_t count, again;
			snugSphereContact* contacts = AllContacts(things[0].body, things[1].body, origin, &count);
			PairList pairs = BruteAll(&things[0], &things[1], origin);
			uint32_t* owners[2];
			for (int k = 0; k < 2; ++k)
			{
				owners[k] = ContactOfTriangles(things[k].model, levels[k]);
			}
			for (uint64_t p = 0; p < pairs.count; ++p)
			{
				uint32_t nodeA = owners[0][pairs.pairs[p].a], nodeB = owners[1][pairs.pairs[p].b];
				if (!HasContact(contacts, count, nodeA, nodeB))
				{
					fail_msg("SNUG_SEED=%llu: no contact of nodes %u and %u", (unsigned long long)number, nodeA, nodeB);
				}
			}
			for (uint64_t c = 0; c < count; ++c)
			{
				CheckSphere(contacts + c, number);
			}
			snugCollide(things[0].body, things[1].body, NULL);
			snugSphereContact* later = AllContacts(things[0].body, things[1].body, origin, &again);
			assert_int_equal(again, count);
			assert_true(AreSame(contacts, later, count));
			contactCount += count;
			pairCount += pairs.count;
			tests += snugCollideSpheres(things[0].body, things[1].body, NULL).sphereTests;
			allTests +=
			    (uint64_t)snugModel_GetInfo(things[0].model).nodeCount * snugModel_GetInfo(things[1].model).nodeCount;
			free(contacts);
			free(later);
			free(owners[0]);
			free(owners[1]);
			PairList_Free(&pairs);
		}
		for (int k = 0; k < 2; ++k)
		{
			Thing_Free(&things[k]);
			FieldSet_Free(&sets[k]);
		}
	}
	print_message("%llu contacts, %llu pairs of triangles, %llu of %llu sphere tests\n",
	    (unsigned long long)contactCount, (unsigned long long)pairCount, (unsigned long long)tests,
	    (unsigned long long)allTests);
	assert_true(contactCount > 0 && pairCount > 0);
}

// Contact spheres that overlap are found by the traversal exactly if they are found among all pairs.
static void all_pairs_of_spheres_agree(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), total = 0;
	for (int i = 0; i < TestCount(200); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		FieldSet sets[2];
		uint32_t levels[2];
		Thing things[2];
		for (int k = 0; k < 2; ++k)
		{
			things[k] = MakeWithContacts(&random, number + (uint64_t)k, 1.0, &sets[k], &levels[k]);
			RandomAmplitudes(&random, &sets[k]);
			PoseLinear(&things[k], &sets[k]);
		}
		const double origin[3] = { 0.0, 0.0, 0.0 };
		uint64_t count, expected = 0;
		snugSphereContact* contacts = AllContacts(things[0].body, things[1].body, origin, &count);
		for (uint32_t a = 0; a < things[0].model->tree.groupCount * SG_LANES; ++a)
		{
			for (uint32_t b = 0; b < things[1].model->tree.groupCount * SG_LANES; ++b)
			{
				if (!IsContact(things[0].model, a, levels[0]) || !IsContact(things[1].model, b, levels[1]))
				{
					continue;
				}
				Ball ballA = BallOf(things[0].body, a), ballB = BallOf(things[1].body, b);
				double sum = 0.0;
				for (int k = 0; k < 3; ++k)
				{
					double difference = (double)ballA.center[k] - (double)ballB.center[k];
					sum += difference * difference;
				}
				bool overlap = sqrt(sum) <= (double)ballA.radius + (double)ballB.radius;
				expected += overlap;
				if (overlap && !HasContact(contacts, count, a, b))
				{
					fail_msg("SNUG_SEED=%llu: spheres %u and %u are missing", (unsigned long long)number, a, b);
				}
			}
		}
		assert_int_equal(count, expected);
		total += count;
		free(contacts);
		for (int k = 0; k < 2; ++k)
		{
			Thing_Free(&things[k]);
			FieldSet_Free(&sets[k]);
		}
	}
	assert_true(total > 0);
}

static void misuse_is_refused(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	FieldSet set;
	uint32_t level;
	Thing good = MakeWithContacts(&random, 1, 1.0, &set, &level);
	Thing rigid = Thing_Make(sceneMakeBlob(3, 1), snug_rigid, (snugTreeDef){ 0 }, NULL);
	snugSphereQuery query = { .capacity = 1 };
	assert_int_equal(snugCollideSpheres(good.body, rigid.body, NULL).status, snug_badArgument);
	assert_int_equal(snugCollideSpheres(good.body, good.body, NULL).status, snug_badArgument);
	assert_int_equal(snugCollideSpheres(NULL, good.body, NULL).status, snug_badArgument);
	assert_int_equal(snugCollideSpheres(good.body, rigid.body, &query).status, snug_badArgument);
	assert_int_equal(snugModel_GetNodeTriangles(rigid.model, UINT32_MAX, NULL, 0), 0);
	assert_int_equal(snugModel_GetNodeTriangles(rigid.model, 0, NULL, 0), rigid.mesh.triangleCount);
	bool isOutside = true;
	const snugPlane flat = { .normal = { 0.0, 0.0, 0.0 }, .offset = 1.0 };
	const snugPlane odd = { .normal = { 0.0, NAN, 0.0 } }, odder = { .normal = { 1.0, 0.0, 0.0 }, .offset = INFINITY };
	assert_int_equal(snugBody_IsOutside(rigid.body, NULL, &flat, 1, &isOutside), snug_badInput);
	assert_false(isOutside);
	assert_int_equal(snugBody_IsOutside(rigid.body, NULL, &odd, 1, &isOutside), snug_badInput);
	assert_int_equal(snugBody_IsOutside(rigid.body, NULL, &odder, 1, &isOutside), snug_badInput);
	assert_int_equal(snugBody_IsOutside(NULL, NULL, &flat, 1, &isOutside), snug_badArgument);
	assert_int_equal(snugBody_IsOutside(rigid.body, NULL, NULL, 0, &isOutside), snug_success);
	assert_false(isOutside);
	Thing_Free(&good);
	Thing_Free(&rigid);
	FieldSet_Free(&set);
}

// --- Culling --------------------------------------------------------------------------------------------------------

static bool IsSeen(const float* p, const snugPlane* planes, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		long double value = (long double)planes[i].offset;
		for (int k = 0; k < 3; ++k)
		{
			value += (long double)planes[i].normal[k] * (long double)p[k];
		}
		if (value < 0.0L)
		{
			return false;
		}
	}
	return true;
}

// Oracle: a vertex of a triangle on the inner side of all planes. Planes go through vertices as often as not, so that
// rounding decides.
static void nothing_seen_is_culled(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), culled = 0, seen = 0;
	for (int i = 0; i < TestCount(3000); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		double size = sceneRandom_Index(&random, 3) == 0 ? ldexp(1.0, (int)sceneRandom_Index(&random, 80) - 40) : 1.0;
		sceneMesh mesh = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		ScaleMesh(&mesh, (float)size);
		FieldSet set = RandomFields(&random, &mesh, size);
		LinearBounding how = LinearBoundingOf(number);
		Thing thing = MakeLinear(mesh, &set, RandomTreeDef(&random), &how);
		RandomAmplitudes(&random, &set);
		PoseLinear(&thing, &set);
		snugFrame frame = { .position = { size * sceneRandom_Range(&random, -3.0, 3.0), 0.0, size } };
		RandomRotation(&random, frame.rotation);
		assert_int_equal(snugBody_SetFrame(thing.body, &frame), snug_success);
		const double origin[3] = { size * sceneRandom_Range(&random, -9.0, 9.0), 0.0, 0.0 };
		float* positions = calloc(3 * (size_t)mesh.vertexCount + 3, sizeof(float));
		assert_non_null(positions);
		if (snugBody_GetVertices(thing.body, origin, positions, 0) == snug_success)
		{
			snugPlane planes[6];
			uint32_t count = 1 + sceneRandom_Index(&random, 6);
			for (uint32_t p = 0; p < count; ++p)
			{
				const float* at = positions + 3 * (size_t)sceneRandom_Index(&random, mesh.vertexCount + 1);
				double offset = sceneRandom_Index(&random, 2) == 0 ? 0.0 : size * sceneRandom_Range(&random, -2.0, 2.0);
				for (int k = 0; k < 3; ++k)
				{
					planes[p].normal[k] = sceneRandom_Range(&random, -1.0, 1.0) + (k == 0 ? 1e-3 : 0.0);
					offset -= planes[p].normal[k] * (double)at[k];
				}
				planes[p].offset = offset;
			}
			bool isOutside, isSeen = false;
			assert_int_equal(snugBody_IsOutside(thing.body, origin, planes, count, &isOutside), snug_success);
			for (uint32_t t = 0; t < 3 * mesh.triangleCount; ++t)
			{
				isSeen = isSeen || IsSeen(positions + 3 * (size_t)mesh.triangles[t], planes, count);
			}
			if (isSeen && isOutside)
			{
				fail_msg("SNUG_SEED=%llu: culled, but a vertex is inside", (unsigned long long)number);
			}
			culled += isOutside;
			seen += isSeen;
		}
		free(positions);
		Thing_Free(&thing);
		FieldSet_Free(&set);
	}
	print_message("%llu culled, %llu seen\n", (unsigned long long)culled, (unsigned long long)seen);
	assert_true(culled > 0 && seen > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contact_spheres_stay_wrapped),
		cmocka_unit_test(contact_spheres_of_narrow_trees_stay_wrapped),
		cmocka_unit_test(no_contact_is_missed),
		cmocka_unit_test(all_pairs_of_spheres_agree),
		cmocka_unit_test(misuse_is_refused),
		cmocka_unit_test(nothing_seen_is_culled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
