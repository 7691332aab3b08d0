// test/papers/test_contact_spheres.c: contact spheres of rigid and fielded bodies: they contain their triangles, are
// wrapped by those above on every level and in every pose, no contact is missed, nothing is stale, and scenes find the
// same.
#include "posed.h"
#include "workers.h"

#include "geometry/distance.h"
#include "papers/bdtree/contact_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A body in random poses, and its spheres.
typedef struct Sphered
{
	Posed posed;
	contactTree* tree;
	contactSpheres* spheres;
} Sphered;

static Sphered Sphered_Make(sceneRandom* random, sceneMesh mesh, Mover deformer, uint32_t level)
{
	Sphered s = { .posed = Posed_Make(random, mesh, deformer, NULL) };
	contactTreeDef treeDef = { .model = s.posed.thing.model, .level = level, .leafTriangles = 1 };
	assert_int_equal(contactTree_Create(&treeDef, &s.tree), snug_success);
	contactSpheresDef def = { .tree = s.tree, .body = s.posed.thing.body };
	assert_int_equal(contactSpheres_Create(&def, &s.spheres), snug_success);
	return s;
}

static void Sphered_Free(Sphered* s)
{
	contactSpheres_Destroy(s->spheres);
	contactTree_Destroy(s->tree);
	Posed_Free(&s->posed);
}

// A pose that is not refused: spheres take the reach of all fields together, which may lie beyond what float32 can hold
// where no vertex does.
static void ChangePose(sceneRandom* random, Sphered* s)
{
	snugStatus status;
	do
	{
		Posed_Change(random, &s->posed);
		status = contactSpheres_Begin(s->spheres, s->posed.origin, s->tree->level);
		assert_true(status == snug_success || status == snug_outOfRange);
	} while (status != snug_success);
}

// A mesh with triangles.
static sceneMesh SomeMesh(sceneRandom* random)
{
	MeshKind kind = (MeshKind)sceneRandom_Index(random, MESH_KINDS);
	return RandomMesh(random, kind == mesh_empty ? mesh_blob : kind);
}

static Sphered RandomSphered(sceneRandom* random, uint64_t number)
{
	uint32_t level = 1 + sceneRandom_Index(random, 7);
	return Sphered_Make(random, SomeMesh(random), number % 3 == 0 ? snug_rigid : snug_fields, level);
}

/// All contact spheres of a level.
typedef struct Level
{
	contactSphere* list;
	uint32_t count;
} Level;

static Level GetLevel(contactSpheres* spheres, const double origin[3], uint32_t level)
{
	Level all = { .list = NULL };
	assert_int_equal(contactSpheres_GetLevel(spheres, origin, level, NULL, NULL, 0, &all.count), snug_success);
	all.list = calloc(all.count + 1, sizeof(contactSphere));
	assert_non_null(all.list);
	uint32_t again = 0;
	assert_int_equal(contactSpheres_GetLevel(spheres, origin, level, all.list, NULL, all.count, &again), snug_success);
	assert_int_equal(again, all.count);
	return all;
}

static long double Distance(const float a[3], const float b[3])
{
	long double x = (long double)a[0] - (long double)b[0], y = (long double)a[1] - (long double)b[1];
	long double z = (long double)a[2] - (long double)b[2];
	return sqrtl(x * x + y * y + z * z);
}

// ---- Containing and wrapping ----------------------------------------------------------------------------------------

// Every corner of a sphere's triangles is within it, at the very positions that are reported; each triangle is in one.
static uint64_t CheckContents(const Sphered* s, uint64_t number, uint32_t level)
{
	const Posed* posed = &s->posed;
	uint32_t total = posed->thing.mesh.triangleCount, covered = 0;
	uint32_t* triangles = malloc((total + 1) * sizeof(uint32_t));
	Level all = GetLevel(s->spheres, posed->origin, level);
	assert_non_null(triangles);
	for (uint32_t i = 0; i < all.count; ++i)
	{
		const contactSphere* sphere = all.list + i;
		uint32_t count = contactTree_GetTriangles(s->tree, sphere->treeNode, triangles, total);
		covered += count;
		for (uint32_t k = 0; k < 3 * count; ++k)
		{
			uint32_t vertex = posed->thing.mesh.triangles[3 * triangles[k / 3] + k % 3];
			long double far = Distance(sphere->center, posed->positions + 3 * (size_t)vertex);
			if (!(far <= (long double)sphere->radius * (1.0L + 0x1p-60L)))
			{
				fail_msg("SNUG_SEED=%llu: deformer %d: a vertex is %Lg outside a sphere of level %u",
				    (unsigned long long)number, (int)posed->deformer, far - (long double)sphere->radius, level);
			}
		}
	}
	assert_int_equal(covered, total);
	assert_int_equal(all.count, 1u << level);
	free(triangles);
	free(all.list);
	return all.count;
}

// One sphere, made together with its siblings.
static posedSphere GetSphere(const Sphered* s, uint32_t node)
{
	posedSphere scratch[2];
	uint64_t updates = 0;
	contactFamily family = contactTree_Siblings(node);
	return contactSpheres_Get(s->spheres, family, scratch, &updates)[node - family.first];
}

// Every sphere above contains the contact sphere, exactly, in the numbers as computed.
static uint64_t CheckWraps(const Sphered* s, uint64_t number, uint32_t level)
{
	uint64_t checks = 0;
	for (uint32_t i = contactTree_Start(level); i < contactTree_Start(level + 1); ++i)
	{
		const posedSphere below = GetSphere(s, i);
		for (uint32_t at = i; at > 0; ++checks)
		{
			at = (at - 1) / 2;
			const posedSphere above = GetSphere(s, at);
			long double far = Distance(above.center, below.center) + (long double)below.radius;
			if (!(far <= (long double)above.radius * (1.0L + 0x1p-60L)))
			{
				fail_msg("SNUG_SEED=%llu: deformer %d: a sphere of level %u leaves the one above by %Lg",
				    (unsigned long long)number, (int)s->posed.deformer, level, far - (long double)above.radius);
			}
		}
	}
	return checks;
}

static void spheres_contain_and_wrap_in_every_pose(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), checks = 0, spheres = 0;
	for (int i = 0; i < TestCount(240); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		Sphered s = RandomSphered(&random, number);
		for (int pose = 0; pose < 4; ++pose)
		{
			if (pose > 0)
			{
				ChangePose(&random, &s);
			}
			uint32_t level = 1 + sceneRandom_Index(&random, s.tree->level > 0 ? s.tree->level : 1);
			level = level < s.tree->level ? level : s.tree->level;
			spheres += CheckContents(&s, number, level);
			checks += CheckWraps(&s, number, level);
		}
		Sphered_Free(&s);
	}
	assert_true(spheres > (uint64_t)TestCount(500) && checks > (uint64_t)TestCount(500));
}

// Contact spheres of a chair that is not deformed.
static Level GetChair(void)
{
	Thing chair = Thing_Make(sceneMakeChair(1), snug_rigid, (snugTreeDef){ 0 }, NULL);
	contactTree* tree = NULL;
	contactSpheres* spheres = NULL;
	assert_int_equal(contactTree_Create(&(contactTreeDef){ .model = chair.model }, &tree), snug_success);
	assert_int_equal(
	    contactSpheres_Create(&(contactSpheresDef){ .tree = tree, .body = chair.body }, &spheres), snug_success);
	Level all = GetLevel(spheres, (const double[3]){ 0.0, 0.0, 0.0 }, 10);
	contactSpheres_Destroy(spheres);
	contactTree_Destroy(tree);
	Thing_Free(&chair);
	return all;
}

// A chair has bars below its seat, and two posts: no sphere is around parts of two of them, which would make it several
// times as large as all others. In a tree of medians two of 1,024 are.
static void no_sphere_spans_a_gap(void** state)
{
	(void)state;
	Level all = GetChair();
	double most = 0.0, mean = 0.0;
	for (uint32_t i = 0; i < all.count; ++i)
	{
		most = fmax(most, (double)all.list[i].radius);
		mean += (double)all.list[i].radius / all.count;
	}
	assert_int_equal(all.count, 1024);
	if (!(most < 2.5 * mean))
	{
		fail_msg("of spheres with a mean radius of %g m one has %g m", mean, most);
	}
	free(all.list);
}

// ---- Queries against brute force ------------------------------------------------------------------------------------

/// Contacts of a query, however many.
typedef struct Contacts
{
	sphereContact* list;
	uint64_t count, tests, updates;
} Contacts;

typedef enum QueryKind
{
	query_spheres,
	query_triangles,
	query_plane,
	QUERY_KINDS
} QueryKind;

/// What is asked.
typedef struct Question
{
	QueryKind kind;
	contactSpheres *a, *b;
	snugPlane plane;
	contactQuery query;
} Question;

static contactResult AskOnce(const Question* q, const contactQuery* query)
{
	switch (q->kind)
	{
		case query_spheres:
			return contactSpheres_Collide(q->a, q->b, query);
		case query_triangles:
			return contactSpheres_CollideTriangles(q->a, q->b, query);
		default:
			return contactSpheres_CollidePlane(q->a, &q->plane, query);
	}
}

static Contacts Ask(const Question* q)
{
	contactResult counted = AskOnce(q, &q->query);
	assert_int_equal(counted.status, snug_success);
	contactQuery query = q->query;
	query.contacts = calloc(counted.count + 1, sizeof(sphereContact));
	query.capacity = counted.count;
	assert_non_null(query.contacts);
	contactResult found = AskOnce(q, &query);
	assert_int_equal(found.status, snug_success);
	assert_int_equal(found.count, counted.count);
	assert_int_equal(found.spheresUpdated, 0); // remembered
	assert_int_equal(found.sphereTests, counted.sphereTests);
	return (Contacts){ query.contacts, found.count, counted.sphereTests, counted.spheresUpdated };
}

static int CompareContacts(const void* a, const void* b)
{
	const sphereContact *first = a, *second = b;
	int order = (first->a.treeNode > second->a.treeNode) - (first->a.treeNode < second->a.treeNode);
	return order != 0 ? order : (first->b.treeNode > second->b.treeNode) - (first->b.treeNode < second->b.treeNode);
}

// What a sphere has in common with one of the others, a triangle or a plane; depths below zero are no contacts.
static double Expect(
    const Question* q, const Posed* other, const contactSphere* a, const Level* others, uint32_t i, contactSphere* b)
{
	double radius = (double)a->radius, distance2 = 0.0;
	*b = (contactSphere){ .radius = 0.0f };
	if (q->kind == query_triangles)
	{
		float corners[3][3];
		sgNearest nearest;
		Posed_Triangle(other, i, corners);
		sgPoint_ToTriangle(a->center, (const float(*)[3])corners, &nearest);
		for (int k = 0; k < 3; ++k)
		{
			b->center[k] = (float)nearest.b[k];
		}
		return nearest.distance2 <= radius * radius ? radius - sqrt(nearest.distance2) : -1.0;
	}
	if (q->kind == query_plane)
	{
		const double* n = q->plane.normal;
		double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), value = q->plane.offset / length;
		for (int k = 0; k < 3; ++k)
		{
			value += n[k] / length * (double)a->center[k];
		}
		for (int k = 0; k < 3; ++k)
		{
			b->center[k] = (float)((double)a->center[k] - value * n[k] / length);
		}
		return radius - value;
	}
	memcpy(b->center, others->list[i].center, sizeof(b->center));
	b->radius = others->list[i].radius;
	for (int k = 0; k < 3; ++k)
	{
		double apart = (double)a->center[k] - (double)b->center[k];
		distance2 += apart * apart;
	}
	radius += (double)b->radius;
	return distance2 <= radius * radius ? radius - sqrt(distance2) : -1.0;
}

static bool IsExpected(const sphereContact* found, const contactSphere* a, const contactSphere* b, double depth)
{
	bool isGood = memcmp(&found->a, a, sizeof(*a)) == 0 && found->b.radius == b->radius;
	double size = (double)a->radius + (double)b->radius;
	for (int k = 0; k < 3; ++k)
	{
		size = fmax(size, fabs((double)a->center[k]) + fabs((double)b->center[k]));
	}
	for (int k = 0; k < 3; ++k)
	{
		isGood = isGood && fabs((double)found->b.center[k] - (double)b->center[k]) <= 1e-6 * size;
	}
	return isGood && fabs((double)found->depth - fmax(depth, 0.0)) <= 1e-6 * size;
}

static uint32_t OtherNumber(const Question* q, const Level* others, uint32_t i)
{
	return q->kind == query_spheres ? others->list[i].treeNode : q->kind == query_triangles ? i : UINT32_MAX;
}

// Every pair by brute force, in both directions: none is missed and none invented, and depths are right.
static uint64_t CheckQuery(const Question* q, const Posed* other, uint64_t number)
{
	Contacts found = Ask(q);
	Level mine = GetLevel(q->a, q->query.origin, q->query.level), others = { .count = 1 };
	if (q->kind == query_spheres)
	{
		others = GetLevel(q->b, q->query.origin, q->query.otherLevel);
	}
	others.count = q->kind == query_triangles ? other->thing.mesh.triangleCount : others.count;
	qsort(found.list, (size_t)found.count, sizeof(sphereContact), CompareContacts);
	uint64_t expected = 0;
	for (uint32_t i = 0; i < mine.count; ++i)
	{
		for (uint32_t k = 0; k < others.count; ++k)
		{
			sphereContact key = { .a = mine.list[i], .b = { .treeNode = OtherNumber(q, &others, k) } };
			const sphereContact* there =
			    bsearch(&key, found.list, (size_t)found.count, sizeof(sphereContact), CompareContacts);
			contactSphere b;
			const double depth = Expect(q, other, mine.list + i, &others, k, &b);
			const bool isExpected = depth >= 0.0;
			expected += isExpected;
			if ((there != NULL) != isExpected || (there != NULL && !IsExpected(there, mine.list + i, &b, depth)))
			{
				fail_msg("SNUG_SEED=%llu: query %d: a contact is %s", (unsigned long long)number, (int)q->kind,
				    there == NULL ? "missed" : "invented, or another one");
			}
		}
	}
	assert_int_equal(expected, found.count);
	free(mine.list);
	free(others.list);
	free(found.list);
	return expected;
}

// Pairs of triangles that touch are each covered by two contact spheres that were found.
static uint64_t CheckCovered(const Question* q, const Posed* a, const Posed* b, uint64_t number)
{
	PairList pairs = BruteAll(&a->thing, &b->thing, q->query.origin);
	Contacts found = Ask(q);
	uint32_t countA = a->thing.mesh.triangleCount, countB = b->thing.mesh.triangleCount;
	uint8_t* isCovered = calloc((size_t)countA * countB + 1, 1);
	uint32_t* lists = malloc(((size_t)countA + countB + 2) * sizeof(uint32_t));
	assert_true(isCovered != NULL && lists != NULL);
	for (uint64_t i = 0; i < found.count; ++i)
	{
		uint32_t n = contactTree_GetTriangles(q->a->tree, found.list[i].a.treeNode, lists, countA);
		uint32_t m = contactTree_GetTriangles(q->b->tree, found.list[i].b.treeNode, lists + countA, countB);
		for (uint64_t k = 0; k < (uint64_t)n * m; ++k)
		{
			isCovered[(size_t)lists[k / m] * countB + lists[countA + k % m]] = 1;
		}
	}
	for (uint64_t i = 0; i < pairs.count; ++i)
	{
		if (!isCovered[(size_t)pairs.pairs[i].a * countB + pairs.pairs[i].b])
		{
			fail_msg("SNUG_SEED=%llu: triangles %u and %u touch, and no spheres do", (unsigned long long)number,
			    pairs.pairs[i].a, pairs.pairs[i].b);
		}
	}
	uint64_t count = pairs.count;
	free(isCovered);
	free(lists);
	free(found.list);
	PairList_Free(&pairs);
	return count;
}

static void RandomQuestion(sceneRandom* random, Question* q)
{
	q->plane.offset = sceneRandom_Range(random, -1.0, 1.0);
	for (int k = 0; k < 3; ++k)
	{
		q->plane.normal[k] = sceneRandom_Range(random, -3.0, 3.0);
	}
	q->query.level = sceneRandom_Index(random, q->a->tree->level + 1);
	q->query.otherLevel = 1 + sceneRandom_Index(random, 7);
}

// Whether a distance to every triangle is worth anything: beyond, the rounding of its corners is as large as a sphere.
static bool IsMeasurable(const Posed* posed)
{
	bool isNear = true;
	for (size_t i = 0; i < 3 * (size_t)posed->thing.mesh.vertexCount; ++i)
	{
		isNear = isNear && fabsf(posed->positions[i]) < 1e6f;
	}
	return isNear;
}

static void queries_find_what_brute_force_finds(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), contacts[QUERY_KINDS] = { 0 }, pairs = 0;
	for (int i = 0; i < TestCount(150); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		Sphered a = RandomSphered(&random, number), b = RandomSphered(&random, number / 3);
		for (int pose = 0; pose < 3; ++pose)
		{
			ChangePose(&random, &a);
			ChangePose(&random, &b);
			Question q = { .a = a.spheres, .b = b.spheres };
			memcpy(q.query.origin, a.posed.origin, sizeof(q.query.origin));
			memcpy(b.posed.origin, a.posed.origin, sizeof(b.posed.origin));
			Posed_Read(&b.posed);
			RandomQuestion(&random, &q);
			for (q.kind = query_spheres; q.kind < QUERY_KINDS; ++q.kind)
			{
				bool isAsked = q.kind != query_triangles || IsMeasurable(&b.posed);
				contacts[q.kind] += isAsked ? CheckQuery(&q, &b.posed, number) : 0;
			}
			q.kind = query_spheres;
			pairs += CheckCovered(&q, &a.posed, &b.posed, number);
		}
		Sphered_Free(&a);
		Sphered_Free(&b);
	}
	for (int k = 0; k < QUERY_KINDS; ++k)
	{
		assert_true(contacts[k] > (uint64_t)TestCount(200));
	}
	assert_true(pairs > (uint64_t)TestCount(100));
}

// Two balls about an axis, moved apart in the smallest steps that there are: at one of them they just touch.
static void touching_counts(void** state)
{
	(void)state;
	sceneRandom random = { 1 };
	Sphered s[2];
	for (int i = 0; i < 2; ++i)
	{
		sceneMesh mesh = sceneMakeTriangle();
		memcpy(mesh.positions, (const float[9]){ 0, 1, 0, 0, -1, 0, 0, 0, 1 }, 9 * sizeof(float));
		s[i] = Sphered_Make(&random, mesh, snug_rigid, 1);
	}
	int touching[2] = { 0 };
	for (int step = -20; step <= 20; ++step)
	{
		const double origin[3] = { 0.0 };
		Place(s[0].posed.thing.body, -1.0, 0.0, 0.0);
		Place(s[1].posed.thing.body, 1.0 + step * 0x1p-23, 0.0, 0.0);
		Level a = GetLevel(s[0].spheres, origin, 0), b = GetLevel(s[1].spheres, origin, 0);
		const double x = (double)a.list[0].center[0], reach = (double)a.list[0].radius + (double)b.list[0].radius;
		const double apart = (double)b.list[0].center[0] - x;
		assert_int_equal(contactSpheres_Collide(s[0].spheres, s[1].spheres, NULL).count, apart <= reach);
		const snugPlane plane = { .normal = { -1.0, 0.0, 0.0 }, .offset = step * 0x1p-24 };
		const double depth = (double)a.list[0].radius - (plane.offset - x);
		assert_int_equal(contactSpheres_CollidePlane(s[0].spheres, &plane, NULL).count, depth >= 0.0);
		touching[0] += apart == reach;
		touching[1] += depth == 0.0;
		free(a.list);
		free(b.list);
	}
	assert_true(touching[0] > 0 && touching[1] > 0);
	Sphered_Free(&s[0]);
	Sphered_Free(&s[1]);
}

// ---- Remembering ----------------------------------------------------------------------------------------------------

// The same answers as from spheres that remember nothing, however poses, frames, origins, levels and queries follow
// each other. Would catch a sphere that is stale.
static void nothing_is_stale(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), updates = 0, first = 0;
	for (int i = 0; i < TestCount(60); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		Sphered a = RandomSphered(&random, number), b = RandomSphered(&random, number + 1);
		for (int step = 0; step < 8; ++step)
		{
			Question q = { .kind = (QueryKind)sceneRandom_Index(&random, QUERY_KINDS), .a = a.spheres, .b = b.spheres };
			if (sceneRandom_Index(&random, 2) == 0)
			{
				ChangePose(&random, sceneRandom_Index(&random, 2) == 0 ? &a : &b);
			}
			memcpy(q.query.origin, a.posed.origin, sizeof(q.query.origin));
			RandomQuestion(&random, &q);
			Question fresh = q;
			contactSpheresDef defA = { .tree = a.tree, .body = a.posed.thing.body };
			contactSpheresDef defB = { .tree = b.tree, .body = b.posed.thing.body };
			assert_int_equal(contactSpheres_Create(&defA, &fresh.a), snug_success);
			assert_int_equal(contactSpheres_Create(&defB, &fresh.b), snug_success);
			Contacts found = Ask(&q), expected = Ask(&fresh);
			if (found.count != expected.count ||
			    memcmp(found.list, expected.list, (size_t)found.count * sizeof(sphereContact)) != 0)
			{
				fail_msg("SNUG_SEED=%llu: step %d differs from fresh spheres", (unsigned long long)number, step);
			}
			assert_true(found.updates <= expected.updates);
			updates += found.updates;
			first += expected.updates;
			free(found.list);
			free(expected.list);
			contactSpheres_Destroy(fresh.a);
			contactSpheres_Destroy(fresh.b);
		}
		Sphered_Free(&a);
		Sphered_Free(&b);
	}
	assert_true(updates < first);
}

// Versions are bytes, and come round. What was looked at so long ago is not taken for what is asked for now.
static void nothing_is_stale_when_versions_come_round(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	Sphered s = Sphered_Make(&random, RandomMesh(&random, mesh_blob), snug_fields, 5);
	const snugPlane far = { .normal = { 0.0, 1.0, 0.0 }, .offset = 1e300 }; // only the root is looked at
	const uint32_t level = s.tree->level;                                   // less than 5 if there are few triangles
	CheckContents(&s, TestSeed(), level);
	uint8_t version = s.spheres->version;
	for (int poses = 1; poses == 1 || s.spheres->version != version; ++poses)
	{
		contactQuery query = { .level = level };
		ChangePose(&random, &s);
		memcpy(query.origin, s.posed.origin, sizeof(query.origin));
		assert_int_equal(contactSpheres_CollidePlane(s.spheres, &far, &query).sphereTests, 1);
		assert_true(poses < 1000);
	}
	CheckContents(&s, TestSeed(), level);
	Sphered_Free(&s);
}

// Summing zeros changes nothing.
static void summing_all_fields_gives_the_same(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	Sphered s = Sphered_Make(&random, RandomMesh(&random, mesh_blob), snug_fields, 5);
	contactSpheresDef def = { .tree = s.tree, .body = s.posed.thing.body, .sumsAll = true };
	contactSpheres* all = NULL;
	assert_int_equal(contactSpheres_Create(&def, &all), snug_success);
	for (int pose = 0; pose < 20; ++pose)
	{
		Level some = GetLevel(s.spheres, s.posed.origin, 4), same = GetLevel(all, s.posed.origin, 4);
		assert_int_equal(some.count, same.count);
		assert_memory_equal(some.list, same.list, some.count * sizeof(contactSphere));
		free(some.list);
		free(same.list);
		ChangePose(&random, &s);
	}
	contactSpheres_Destroy(all);
	Sphered_Free(&s);
}

// ---- Scenes ---------------------------------------------------------------------------------------------------------

#define CROWD 24

static bool IsEven(void* user, uint32_t a, uint32_t b)
{
	(void)user;
	return (a + b) % 7 != 0;
}

static void CheckScene(const contactScene* found, Sphered* crowd, const double origin[3], uint32_t level)
{
	uint64_t pairCount, contactCount, pair = 0, contact = 0;
	const contactPair* pairs = contactScene_GetPairs(found, &pairCount);
	const sphereContact* contacts = contactScene_GetContacts(found, &contactCount);
	for (uint32_t a = 0; a < CROWD; ++a)
	{
		for (uint32_t b = a + 1; b < CROWD; ++b)
		{
			bool isAsked = IsEven(NULL, a, b) && !(a % 5 == 0 && b % 5 == 0) && a != 7 && b != 7;
			Question q = { .kind = query_spheres, .a = crowd[a].spheres, .b = crowd[b].spheres };
			q.query.level = level;
			memcpy(q.query.origin, origin, sizeof(q.query.origin));
			Contacts expected = Ask(&q);
			if (isAsked && expected.count > 0)
			{
				assert_true(pair < pairCount && pairs[pair].a == a && pairs[pair].b == b);
				assert_int_equal(pairs[pair].first, contact);
				assert_int_equal(pairs[pair].count, expected.count);
				assert_memory_equal(contacts + contact, expected.list, (size_t)expected.count * sizeof(sphereContact));
				contact += expected.count;
				++pair;
			}
			free(expected.list);
		}
	}
	assert_int_equal(pair, pairCount);
	assert_int_equal(contact, contactCount);
}

// Too little room says how much is needed; a body that is too far is named, unless it has no spheres.
static void CheckRefusals(snugScene* scene, contactScene* spheres, Sphered* crowd)
{
	const snugFrame far = { .position = { 1e300, 0.0, 0.0 } };
	const contactSceneResult full = contactScene_Update(spheres, 0);
	assert_int_equal(full.status, snug_success);
	assert_int_equal(full.body, UINT32_MAX);
	contactScene* small = NULL;
	const contactSceneDef def = { .scene = scene, .contacts = 1 };
	assert_int_equal(contactScene_Create(&def, &small), snug_success);
	for (uint32_t i = 0; i < CROWD; ++i)
	{
		assert_int_equal(contactScene_Set(small, i, i != 7 ? crowd[i].spheres : NULL), snug_success);
	}
	const contactSceneResult refused = contactScene_Update(small, 0);
	assert_int_equal(refused.status, snug_outOfRange);
	assert_int_equal(refused.contacts, full.contacts);
	assert_int_equal(refused.body, UINT32_MAX);
	contactScene_Destroy(small);
	assert_int_equal(snugBody_SetFrame(crowd[7].posed.thing.body, &far), snug_success);
	assert_int_equal(contactScene_Update(spheres, 0).status, snug_success);
	assert_int_equal(snugBody_SetFrame(crowd[11].posed.thing.body, &far), snug_success);
	const contactSceneResult tooFar = contactScene_Update(spheres, 0);
	assert_int_equal(tooFar.status, snug_outOfRange);
	assert_int_equal(tooFar.body, 11);
}

// Every fifth body is static, 7 has no spheres, and a filter says no to some: what is left is what queries find one by
// one, with any number of threads.
static void scenes_find_what_queries_find(void** state)
{
	(void)state;
	for (int threads = 0; threads <= 4; threads += 2)
	{
		sceneRandom random = { TestSeed() + (uint64_t)threads };
		const double origin[3] = { 0.1, 0.0, 0.0 };
		Sphered crowd[CROWD];
		snugScene* scene = NULL;
		contactScene* spheres = NULL;
		snugSceneDef def = { .room = { .bodies = 32, .candidates = 600 },
			.origin = { 0.1, 0.0, 0.0 },
			.filter = IsEven,
			.workers.run = threads > 0 ? RunOnThreads : NULL,
			.workers.user = &threads };
		assert_int_equal(snugScene_Create(&def, &scene), snug_success);
		contactSceneDef sphereDef = { .scene = scene, .contacts = 200000 };
		assert_int_equal(contactScene_Create(&sphereDef, &spheres), snug_success);
		for (uint32_t i = 0; i < CROWD; ++i)
		{
			crowd[i] = RandomSphered(&random, i);
			uint32_t id;
			snugSceneBodyDef body = { .body = crowd[i].posed.thing.body, .isStatic = i % 5 == 0 };
			assert_int_equal(snugScene_Add(scene, &body, &id), snug_success);
			assert_int_equal(contactScene_Set(spheres, id, crowd[i].spheres), snug_success);
		}
		assert_int_equal(contactScene_Set(spheres, 7, NULL), snug_success);
		uint64_t pairs = 0;
		for (int step = 0; step < 5; ++step)
		{
			uint32_t level = (uint32_t)step;
			contactSceneResult result = contactScene_Update(spheres, level);
			assert_int_equal(result.status, snug_success);
			pairs += result.pairs;
			CheckScene(spheres, crowd, origin, level);
			for (uint32_t i = 0; i < CROWD; i += 2)
			{
				ChangePose(&random, &crowd[i]);
			}
		}
		assert_true(pairs > 50);
		CheckRefusals(scene, spheres, crowd);
		contactScene_Destroy(spheres);
		snugScene_Destroy(scene);
		for (uint32_t i = 0; i < CROWD; ++i)
		{
			Sphered_Free(&crowd[i]);
		}
	}
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

static void other_models_are_refused(void** state)
{
	(void)state;
	Thing none = Thing_Make(RandomMesh(&(sceneRandom){ 1 }, mesh_empty), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Thing clay = Thing_Make(sceneMakeTetrahedron(), snug_free, (snugTreeDef){ 0 }, NULL);
	contactTree* tree = NULL;
	assert_int_equal(contactTree_Create(&(contactTreeDef){ .model = none.model }, &tree), snug_badInput);
	assert_int_equal(contactTree_Create(&(contactTreeDef){ .model = clay.model }, &tree), snug_badInput);
	assert_null(tree);
	Thing_Free(&none);
	Thing_Free(&clay);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spheres_contain_and_wrap_in_every_pose),
		cmocka_unit_test(no_sphere_spans_a_gap),
		cmocka_unit_test(queries_find_what_brute_force_finds),
		cmocka_unit_test(touching_counts),
		cmocka_unit_test(nothing_is_stale),
		cmocka_unit_test(nothing_is_stale_when_versions_come_round),
		cmocka_unit_test(summing_all_fields_gives_the_same),
		cmocka_unit_test(scenes_find_what_queries_find),
		cmocka_unit_test(other_models_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
