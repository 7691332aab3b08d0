// test/query/test_collide.c: which pairs a query finds, against brute force and against itself.
//
// A tree may only skip work, so any difference from the exact predicate on all pairs means that a bound failed to
// contain its triangles, that a traversal lost its way, or that a query looked at other positions than those reported.
#include "support.h"

#include "io/obj.h"
#include "skip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Oracle --------------------------------------------------------------------------------------------------------

// Where two bodies of about unit size are put.
typedef enum Placing
{
	place_rest,       // identity: positions are used as they are
	place_grid,       // by multiples of 1/4: faces of voxels meet exactly
	place_translated, // by anything
	place_rotated,    // one of them
	place_bothTurned, // both, differently
	place_sameTurn,   // both, alike
	place_farOrigin,  // a million units out, with the query's origin there
	place_farBlind,   // a million units out, without: positions are rounded to multiples of 1/16 or so
	place_apart,      // no contact
	PLACINGS,
} Placing;

static void Shift(sceneRandom* random, double reach, double position[3])
{
	for (int k = 0; k < 3; ++k)
	{
		position[k] += sceneRandom_Range(random, -reach, reach);
	}
}

static void PlaceTwo(
    sceneRandom* random, Placing placing, double scale, snugFrame* frameA, snugFrame* frameB, double origin[3])
{
	*frameA = *frameB = (snugFrame){ 0 };
	memset(origin, 0, 3 * sizeof(double));
	double far[3] = { 0, 0, 0 };
	if (placing == place_farOrigin || placing == place_farBlind)
	{
		Shift(random, 4e6, far);
		memcpy(frameA->position, far, sizeof(far));
		memcpy(frameB->position, far, sizeof(far));
	}
	if (placing == place_farOrigin)
	{
		memcpy(origin, far, sizeof(far));
		Shift(random, 10.0, origin);
	}
	if (placing == place_grid)
	{
		for (int k = 0; k < 3; ++k)
		{
			frameB->position[k] = 0.25 * ((double)sceneRandom_Index(random, 9) - 4.0);
		}
	}
	if (placing == place_bothTurned || placing == place_sameTurn || placing >= place_farOrigin)
	{
		RandomRotation(random, frameA->rotation);
		Shift(random, 1.0, frameA->position);
	}
	if (placing == place_rotated || placing == place_bothTurned || placing >= place_farOrigin)
	{
		RandomRotation(random, frameB->rotation);
	}
	if (placing == place_sameTurn)
	{
		memcpy(frameB->rotation, frameA->rotation, sizeof(frameB->rotation));
		memcpy(frameB->position, frameA->position, sizeof(frameB->position));
	}
	if (placing > place_grid)
	{
		Shift(random, 1.0, frameB->position);
	}
	frameB->position[0] += placing == place_apart ? 10.0 : 0.0;
	for (int k = 0; k < 3; ++k)
	{
		frameA->position[k] *= scale;
		frameB->position[k] *= scale;
		origin[k] *= scale;
	}
}

static Mover RandomDeformer(sceneRandom* random)
{
	return sceneRandom_Index(random, 2) != 0 ? snug_free : snug_rigid;
}

static Thing RandomThing(sceneRandom* random, MeshKind kind, float scale)
{
	sceneMesh mesh = RandomMesh(random, kind);
	ScaleMesh(&mesh, scale);
	Mover deformer = RandomDeformer(random);
	return Thing_Make(mesh, deformer, RandomTreeDef(random), NULL);
}

// Every kind of mesh meets every other over the seeds, at every size that float32 has.
static uint64_t CheckScene(uint64_t seed)
{
	static const double scales[] = { 1.0, 1.0, 1.0, 1e-3, 1e3, 1e-20, 1e20, 1e-38, 1e-44, 1e29 };
	sceneRandom random = { seed * 0x9e3779b97f4a7c15u };
	double scale = scales[sceneRandom_Index(&random, LENGTH_OF(scales))];
	MeshKind kindA = (MeshKind)sceneRandom_Index(&random, MESH_KINDS);
	MeshKind kindB = (MeshKind)sceneRandom_Index(&random, MESH_KINDS);
	// Sometimes one is much smaller than the other.
	double ratio = sceneRandom_Index(&random, 8) == 0 ? 1e-3 : 1.0;
	Thing a = RandomThing(&random, kindA, (float)scale);
	Thing b = RandomThing(&random, kindB, (float)(scale * ratio));
	uint64_t count = 0;
	for (int i = 0; i < 3; ++i)
	{
		Placing placing = (Placing)sceneRandom_Index(&random, PLACINGS);
		snugFrame frameA, frameB;
		double origin[3];
		PlaceTwo(&random, placing, scale, &frameA, &frameB, origin);
		assert_int_equal(snugBody_SetFrame(a.body, &frameA), snug_success);
		assert_int_equal(snugBody_SetFrame(b.body, &frameB), snug_success);
		char what[128];
		snprintf(what, sizeof(what), "%s against %s, scale %g, placing %d", MeshKindName(kindA), MeshKindName(kindB),
		    scale, (int)placing);
		count += CheckPairs(what, seed, &a, &b, origin);
	}
	assert_int_equal(snugBody_Validate(a.body, NULL), snug_success);
	assert_int_equal(snugBody_Validate(b.body, NULL), snug_success);
	Thing_Free(&a);
	Thing_Free(&b);
	return count;
}

static void matches_brute_force(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), pairs = 0;
	for (int i = 0; i < TestCount(3000); ++i)
	{
		pairs += CheckScene(seed + (uint64_t)i);
	}
	assert_true(pairs > 0);
}

// Every shape of tree gives the same pairs. Would catch a family that straddles a group, a leaf mask in the wrong
// lanes, or a traversal that descends one tree only.
static void every_tree_gives_the_same_pairs(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	int rounds = TestCount(3);
	for (int round = 0; round < rounds; ++round)
	{
		sceneRandom random = { seed + (uint64_t)round };
		sceneMesh meshA = sceneMakeBlob(6, sceneRandom_Next(&random));
		sceneMesh meshB = sceneMakeVoxelBox(5, 6, 7, 0.17);
		Thing other = Thing_Make(sceneMesh_Copy(&meshB), snug_rigid, (snugTreeDef){ 0 }, NULL);
		Place(other.body, -0.5, 0.25, 0.125);
		snugFrame frame = { .position = { 0.1, 0.2, 0.3 } };
		RandomRotation(&random, frame.rotation);
		PairList expected = { NULL, 0 };
		for (uint32_t variant = 0; variant < 8; ++variant)
		{
			snugTreeDef tree = { .leafTriangles = 1 + (int)variant };
			Thing thing = Thing_Make(sceneMesh_Copy(&meshA), snug_rigid, tree, NULL);
			assert_int_equal(snugBody_SetFrame(thing.body, &frame), snug_success);
			if (variant == 0)
			{
				expected = BruteAll(&thing, &other, NULL);
				assert_true(expected.count > 100);
			}
			PairList found = CollideAll(thing.body, other.body, NULL);
			AssertSamePairs("tree variants", random.state, &expected, &found);
			PairList_Free(&found);
			Thing_Free(&thing);
		}
		PairList_Free(&expected);
		Thing_Free(&other);
		sceneMesh_Free(&meshA);
		sceneMesh_Free(&meshB);
	}
}

// Far from the query's origin float32 positions are coarse, and triangles that are clear of each other in the bodies'
// own coordinates touch once they are rounded. Would catch bounds that do not allow for the rounding of placement.
static void rounded_positions_touch_across_gaps(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	uint64_t contacts = 0;
	for (int i = 0; i < TestCount(600); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		double far = ldexp(1.0, 10 + (int)sceneRandom_Index(&random, 14));
		double lattice = far * 0x1p-23;
		sceneMesh meshA = sceneMakeCloth(8.0 * lattice, 8.0 * lattice, 6, 6);
		sceneMesh meshB = sceneMakeCloth(8.0 * lattice, 8.0 * lattice, 5, 7);
		Thing a = Thing_Make(meshA, RandomDeformer(&random), RandomTreeDef(&random), NULL);
		Thing b = Thing_Make(meshB, RandomDeformer(&random), RandomTreeDef(&random), NULL);
		snugFrame frameA = { .position = { far, 0, far } }, frameB = frameA;
		if (i % 2 != 0)
		{
			RandomRotation(&random, frameA.rotation);
			memcpy(frameB.rotation, frameA.rotation, sizeof(frameB.rotation));
		}
		if (i % 4 == 3)
		{
			// Nearly parallel.
			frameB.rotation[0] += 1e-3;
		}
		Shift(&random, 1.5 * lattice, frameB.position);
		assert_int_equal(snugBody_SetFrame(a.body, &frameA), snug_success);
		assert_int_equal(snugBody_SetFrame(b.body, &frameB), snug_success);
		contacts += CheckPairs("gaps", random.state, &a, &b, NULL);
		Thing_Free(&a);
		Thing_Free(&b);
	}
	assert_true(contacts > 0);
}

// A turned triangle and one that starts exactly where a corner of it was rounded to, and leads away from it: they share
// that point and nothing else, so their boxes touch at a corner. Would catch any missing ulp in moving boxes.
static void corner_contacts_survive_rounding(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	int touching = 0, total = TestCount(20000);
	for (int i = 0; i < total; ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		double size = ldexp(1.0, (int)sceneRandom_Index(&random, 220) - 120);
		double spread = sceneRandom_Index(&random, 2) != 0 ? 1.0 : 1e4;
		sceneMesh first = sceneMakeSoup(1, 1.0, sceneRandom_Next(&random));
		ScaleMesh(&first, (float)size);
		Thing a = Thing_Make(first, snug_rigid, (snugTreeDef){ 0 }, NULL);
		snugFrame frame = { 0 };
		RandomRotation(&random, frame.rotation);
		Shift(&random, size * spread, frame.position);
		assert_int_equal(snugBody_SetFrame(a.body, &frame), snug_success);
		float placed[9];
		assert_int_equal(snugBody_GetVertices(a.body, NULL, placed, 0), snug_success);
		int axis = (int)sceneRandom_Index(&random, 3);
		int top = 0;
		for (int c = 1; c < 3; ++c)
		{
			top = placed[3 * c + axis] > placed[3 * top + axis] ? c : top;
		}
		sceneMesh second = sceneMakeTriangle();
		for (int c = 0; c < 3; ++c)
		{
			for (int k = 0; k < 3; ++k)
			{
				double away = c == 0 ? 0.0 : (k == axis ? 1.0 : sceneRandom_Range(&random, -1.0, 1.0));
				second.positions[3 * c + k] = (float)((double)placed[3 * top + k] + away * size);
			}
		}
		Thing b = Thing_Make(second, snug_rigid, (snugTreeDef){ 0 }, NULL);
		snugResult result = i % 2 != 0 ? snugCollide(a.body, b.body, NULL) : snugCollide(b.body, a.body, NULL);
		if (result.status != snug_success || result.count != 1)
		{
			print_error(
			    "corner contact lost: SNUG_SEED=%llu, size %a\n", (unsigned long long)(seed + (uint64_t)i), size);
			fail();
		}
		++touching;
		Thing_Free(&a);
		Thing_Free(&b);
	}
	assert_int_equal(touching, total);
}

// --- Metamorphic ---------------------------------------------------------------------------------------------------

typedef struct Scene
{
	Thing a, b;
	snugFrame frameA, frameB;
	double origin[3];
} Scene;

static Scene MakeScene(uint64_t seed)
{
	static const MeshKind kinds[] = { mesh_soup, mesh_blob, mesh_torus, mesh_voxels, mesh_repeated, mesh_zeroArea };
	sceneRandom random = { seed };
	Scene scene;
	scene.a = RandomThing(&random, kinds[sceneRandom_Index(&random, LENGTH_OF(kinds))], 1.0f);
	scene.b = RandomThing(&random, kinds[sceneRandom_Index(&random, LENGTH_OF(kinds))], 1.0f);
	Placing placing = (Placing)sceneRandom_Index(&random, place_farBlind);
	PlaceTwo(&random, placing, 1.0, &scene.frameA, &scene.frameB, scene.origin);
	assert_int_equal(snugBody_SetFrame(scene.a.body, &scene.frameA), snug_success);
	assert_int_equal(snugBody_SetFrame(scene.b.body, &scene.frameB), snug_success);
	return scene;
}

static void Scene_Free(Scene* scene)
{
	Thing_Free(&scene->a);
	Thing_Free(&scene->b);
}

// Would catch anything that treats the bodies differently: boxes are moved from the second to the first only.
static void swapping_bodies_swaps_pairs(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(200); ++i)
	{
		Scene scene = MakeScene(seed + (uint64_t)i);
		PairList straight = CollideAll(scene.a.body, scene.b.body, scene.origin);
		PairList swapped = CollideAll(scene.b.body, scene.a.body, scene.origin);
		for (uint64_t k = 0; k < swapped.count; ++k)
		{
			swapped.pairs[k] = (snugPair){ swapped.pairs[k].b, swapped.pairs[k].a };
		}
		qsort(swapped.pairs, swapped.count, sizeof(snugPair), ComparePairs);
		AssertSamePairs("swap", seed + (uint64_t)i, &straight, &swapped);
		PairList_Free(&straight);
		PairList_Free(&swapped);
		Scene_Free(&scene);
	}
}

static void Shuffle(sceneRandom* random, uint32_t* map, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		map[i] = i;
	}
	for (uint32_t i = count; i > 1; --i)
	{
		uint32_t j = sceneRandom_Index(random, i), swap = map[i - 1];
		map[i - 1] = map[j];
		map[j] = swap;
	}
}

// The same mesh with triangle t at place triangleMap[t], vertex v at vertexMap[v] and corners turned.
static sceneMesh Permute(
    sceneRandom* random, const sceneMesh* mesh, const uint32_t* triangleMap, const uint32_t* vertexMap)
{
	sceneMesh permuted = sceneMesh_Copy(mesh);
	assert_true(sceneMesh_IsValid(&permuted));
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		memcpy(permuted.positions + 3 * vertexMap[v], mesh->positions + 3 * v, 3 * sizeof(float));
	}
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		uint32_t turn = sceneRandom_Index(random, 3);
		for (uint32_t c = 0; c < 3; ++c)
		{
			permuted.triangles[3 * triangleMap[t] + c] = vertexMap[mesh->triangles[3 * t + (c + turn) % 3]];
		}
	}
	return permuted;
}

// Numbers of triangles and vertices carry no meaning. Would catch a result in tree order instead of the caller's.
static void renumbering_renumbers_pairs(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(200); ++i)
	{
		Scene scene = MakeScene(seed + (uint64_t)i);
		sceneRandom random = { seed + (uint64_t)i };
		uint32_t* triangleMap = malloc((scene.a.mesh.triangleCount + 1) * sizeof(uint32_t));
		uint32_t* vertexMap = malloc((scene.a.mesh.vertexCount + 1) * sizeof(uint32_t));
		assert_true(triangleMap != NULL && vertexMap != NULL);
		Shuffle(&random, triangleMap, scene.a.mesh.triangleCount);
		Shuffle(&random, vertexMap, scene.a.mesh.vertexCount);
		sceneMesh permuted = Permute(&random, &scene.a.mesh, triangleMap, vertexMap);
		Thing other = Thing_Make(permuted, RandomDeformer(&random), RandomTreeDef(&random), NULL);
		assert_int_equal(snugBody_SetFrame(other.body, &scene.frameA), snug_success);
		PairList expected = CollideAll(scene.a.body, scene.b.body, scene.origin);
		for (uint64_t k = 0; k < expected.count; ++k)
		{
			expected.pairs[k].a = triangleMap[expected.pairs[k].a];
		}
		qsort(expected.pairs, expected.count, sizeof(snugPair), ComparePairs);
		PairList found = CollideAll(other.body, scene.b.body, scene.origin);
		AssertSamePairs("renumbering", seed + (uint64_t)i, &expected, &found);
		PairList_Free(&expected);
		PairList_Free(&found);
		free(triangleMap);
		free(vertexMap);
		Thing_Free(&other);
		Scene_Free(&scene);
	}
}

// Powers of two scale every rounding alike. Would catch absolute tolerances.
static void scaling_by_powers_of_two_changes_nothing(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(200); ++i)
	{
		Scene scene = MakeScene(seed + (uint64_t)i);
		sceneRandom random = { seed + (uint64_t)i };
		double scale = ldexp(1.0, (int)sceneRandom_Index(&random, 121) - 60);
		PairList expected = CollideAll(scene.a.body, scene.b.body, scene.origin);
		Thing scaled[2];
		for (int k = 0; k < 2; ++k)
		{
			const Thing* thing = k == 0 ? &scene.a : &scene.b;
			snugFrame frame = k == 0 ? scene.frameA : scene.frameB;
			sceneMesh mesh = sceneMesh_Copy(&thing->mesh);
			ScaleMesh(&mesh, (float)scale);
			scaled[k] = Thing_Make(mesh, RandomDeformer(&random), RandomTreeDef(&random), NULL);
			for (int axis = 0; axis < 3; ++axis)
			{
				frame.position[axis] *= scale;
			}
			assert_int_equal(snugBody_SetFrame(scaled[k].body, &frame), snug_success);
		}
		double origin[3] = { scene.origin[0] * scale, scene.origin[1] * scale, scene.origin[2] * scale };
		PairList found = CollideAll(scaled[0].body, scaled[1].body, origin);
		AssertSamePairs("scaling", seed + (uint64_t)i, &expected, &found);
		PairList_Free(&expected);
		PairList_Free(&found);
		Thing_Free(&scaled[0]);
		Thing_Free(&scaled[1]);
		Scene_Free(&scene);
	}
}

static void SnapToGrid(sceneMesh* mesh)
{
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		mesh->positions[i] = rintf(mesh->positions[i] * 0x1p10f) * 0x1p-10f;
	}
}

// Coordinates are multiples of 2^-10 and stay so: every position is exact wherever the bodies are and however they got
// there. Would catch an origin that is added twice, or to one body only.
static void translating_exactly_changes_nothing(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(200); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		sceneMesh meshA = RandomMesh(&random, i % 2 != 0 ? mesh_soup : mesh_voxels);
		sceneMesh meshB = RandomMesh(&random, mesh_blob);
		SnapToGrid(&meshA);
		SnapToGrid(&meshB);
		double shift[3], place[3];
		for (int k = 0; k < 3; ++k)
		{
			shift[k] = rint(sceneRandom_Range(&random, -4096.0, 4096.0));
			place[k] = rint(sceneRandom_Range(&random, -1024.0, 1024.0)) * 0x1p-10;
		}
		sceneMesh moved = sceneMesh_Copy(&meshA);
		sceneMesh_Translate(&moved, shift[0] + place[0], shift[1] + place[1], shift[2] + place[2]);
		Thing b = Thing_Make(meshB, snug_rigid, RandomTreeDef(&random), NULL);
		Thing a = Thing_Make(meshA, snug_free, RandomTreeDef(&random), NULL);
		Thing baked = Thing_Make(moved, snug_rigid, RandomTreeDef(&random), NULL);

		Place(a.body, place[0], place[1], place[2]);
		PairList expected = CollideAll(a.body, b.body, NULL);
		PairList viaOrigin = CollideAll(a.body, b.body, shift);
		AssertSamePairs("origin", seed + (uint64_t)i, &expected, &viaOrigin);

		Place(b.body, shift[0], shift[1], shift[2]);
		PairList viaMesh = CollideAll(baked.body, b.body, NULL);
		AssertSamePairs("vertices moved", seed + (uint64_t)i, &expected, &viaMesh);

		Place(a.body, shift[0] + place[0], shift[1] + place[1], shift[2] + place[2]);
		PairList viaFrame = CollideAll(a.body, b.body, NULL);
		AssertSamePairs("frames moved", seed + (uint64_t)i, &expected, &viaFrame);
		PairList viaBoth = CollideAll(a.body, b.body, shift);
		AssertSamePairs("frames and origin moved", seed + (uint64_t)i, &expected, &viaBoth);

		PairList_Free(&expected);
		PairList_Free(&viaOrigin);
		PairList_Free(&viaMesh);
		PairList_Free(&viaFrame);
		PairList_Free(&viaBoth);
		Thing_Free(&a);
		Thing_Free(&b);
		Thing_Free(&baked);
	}
}

// The reported positions are what queries decide upon: bodies built from them, at rest, give the same pairs. And they
// are where the frame puts them: within half an ulp of the image computed in long double, but for double's own error.
static void frames_match_baked_vertices(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(200); ++i)
	{
		Scene scene = MakeScene(seed + (uint64_t)i);
		PairList expected = CollideAll(scene.a.body, scene.b.body, scene.origin);
		Thing baked[2];
		for (int k = 0; k < 2; ++k)
		{
			const Thing* thing = k == 0 ? &scene.a : &scene.b;
			const snugFrame* frame = k == 0 ? &scene.frameA : &scene.frameB;
			sceneMesh mesh = sceneMesh_Copy(&thing->mesh);
			assert_int_equal(snugBody_GetVertices(thing->body, scene.origin, mesh.positions, 0), snug_success);
			long double q[4] = { frame->rotation[0], frame->rotation[1], frame->rotation[2], frame->rotation[3] };
			long double n = sqrtl(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
			q[3] = n == 0.0L ? 1.0L : q[3];
			n = n == 0.0L ? 1.0L : n;
			for (uint32_t v = 0; v < mesh.vertexCount; ++v)
			{
				const float* p = thing->mesh.positions + 3 * v;
				// v + 2 w (u x v) + 2 u x (u x v)
				long double c[3], d[3];
				for (int axis = 0; axis < 3; ++axis)
				{
					int y = (axis + 1) % 3, z = (axis + 2) % 3;
					c[axis] = (q[y] * (long double)p[z] - q[z] * (long double)p[y]) / n;
				}
				for (int axis = 0; axis < 3; ++axis)
				{
					int y = (axis + 1) % 3, z = (axis + 2) % 3;
					d[axis] = (q[y] * c[z] - q[z] * c[y]) / n;
				}
				for (int axis = 0; axis < 3; ++axis)
				{
					long double offset = (long double)frame->position[axis] - (long double)scene.origin[axis];
					long double exact = (long double)p[axis] + 2.0L * (q[3] / n * c[axis] + d[axis]) + offset;
					long double reach = fabsl((long double)frame->position[axis]) + 8.0L;
					long double error = fabsl((long double)mesh.positions[3 * v + (uint32_t)axis] - exact);
					if (error > fabsl(exact) * 0x1p-24L + reach * 0x1p-49L)
					{
						print_error("placement: SNUG_SEED=%llu: vertex %u is off by %Lg\n",
						    (unsigned long long)(seed + (uint64_t)i), v, error);
						fail();
					}
				}
			}
			baked[k] = Thing_Make(mesh, snug_rigid, (snugTreeDef){ 0 }, NULL);
		}
		PairList found = CollideAll(baked[0].body, baked[1].body, NULL);
		AssertSamePairs("baked", seed + (uint64_t)i, &expected, &found);
		PairList_Free(&expected);
		PairList_Free(&found);
		Thing_Free(&baked[0]);
		Thing_Free(&baked[1]);
		Scene_Free(&scene);
	}
}

// --- Cases with known answers --------------------------------------------------------------------------------------

static uint64_t CountAt(snugBody* a, snugBody* b, double x, double y, double z)
{
	Place(b, x, y, z);
	snugResult result = snugCollide(a, b, NULL);
	assert_int_equal(result.status, snug_success);
	assert_true(result.complete);
	return result.count;
}

// The triangle (0, 0, 0), (1, 0, 0), (0, 1, 0) and a copy of it.
static void touching_counts_and_one_ulp_does_not(void** state)
{
	(void)state;
	Thing a = Thing_Make(sceneMakeTriangle(), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Thing b = Thing_Make(sceneMakeTriangle(), snug_free, (snugTreeDef){ 0 }, NULL);
	assert_int_equal(CountAt(a.body, b.body, 0, 0, 0), 1);     // the same
	assert_int_equal(CountAt(a.body, b.body, 1, 0, 0), 1);     // corner to corner
	assert_int_equal(CountAt(a.body, b.body, 0.5, 0.5, 0), 1); // a corner in an edge
	assert_int_equal(CountAt(a.body, b.body, 0.5, 0.5 + 0x1p-23, 0), 0);
	assert_int_equal(CountAt(a.body, b.body, 1.0 + 0x1p-23, 0, 0), 0);
	assert_int_equal(CountAt(a.body, b.body, 1.0 + 0x1p-25, 0, 0), 1); // rounds to 1
	assert_int_equal(CountAt(a.body, b.body, 0, 0, 0x1p-149), 0);      // a subnormal apart
	assert_int_equal(CountAt(a.body, b.body, 0, 0, 0x1p-151), 1);      // rounds to zero
	assert_int_equal(CountAt(a.body, b.body, 0.25, 0.25, 0), 1);
	assert_int_equal(CountAt(a.body, b.body, 2, 0, 0), 0);
	Thing_Free(&a);
	Thing_Free(&b);
}

static void empty_models_touch_nothing(void** state)
{
	(void)state;
	Thing none = Thing_Make(sceneMesh_Allocate(0, 0), snug_free, (snugTreeDef){ 0 }, NULL);
	Thing other = Thing_Make(sceneMesh_Allocate(0, 0), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Thing some = Thing_Make(sceneMakeSoup(100, 1.0, 1), snug_rigid, (snugTreeDef){ 0 }, NULL);
	snugFrame frame = { .position = { 0.1, 0.2, 0.3 }, .rotation = { 0.6, 0, 0, 0.8 } };
	for (int i = 0; i < 4; ++i)
	{
		assert_int_equal(snugCollide(none.body, some.body, NULL).count, 0);
		assert_int_equal(snugCollide(some.body, none.body, NULL).count, 0);
		assert_int_equal(snugCollide(none.body, other.body, NULL).count, 0);
		assert_int_equal(snugTouches(other.body, none.body, NULL).count, 0);
		assert_true(snugCollide(none.body, some.body, NULL).complete);
		const snugQuery bound = { .findDistanceBound = true };
		assert_true(isinf(snugCollide(none.body, some.body, &bound).distanceBound));
		assert_true(isinf(snugTouches(some.body, other.body, &bound).distanceBound));
		assert_true(isinf(snugCollide(none.body, other.body, &bound).distanceBound));
		snugBody* moved = i == 0 ? none.body : i == 1 ? some.body : other.body;
		assert_int_equal(snugBody_SetFrame(moved, &frame), snug_success);
	}
	assert_int_equal(snugBody_SetVertices(none.body, NULL, 0, 0, 0), snug_success);
	assert_int_equal(snugBody_Validate(none.body, NULL), snug_success);
	Thing_Free(&none);
	Thing_Free(&other);
	Thing_Free(&some);
}

// Bodies too far from the query's origin give an error, never a wrong answer; with an origin beside them they work.
static void too_far_is_an_error(void** state)
{
	(void)state;
	Thing a = Thing_Make(sceneMakeTetrahedron(), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Thing b = Thing_Make(sceneMakeTetrahedron(), snug_free, (snugTreeDef){ 0 }, NULL);
	static const double far[] = { 1.1e36, 1e40, 1e300, -1e308 };
	for (size_t i = 0; i < LENGTH_OF(far); ++i)
	{
		Place(b.body, 0, far[i], 0);
		snugResult result = snugCollide(a.body, b.body, NULL);
		assert_int_equal(result.status, snug_outOfRange);
		assert_int_equal(result.count, 0);
		assert_false(result.complete);
		assert_int_equal(snugCollide(b.body, a.body, NULL).status, snug_outOfRange);
		assert_int_equal(snugTouches(b.body, a.body, NULL).status, snug_outOfRange);
		float positions[12];
		assert_int_equal(snugBody_GetVertices(b.body, NULL, positions, 0), snug_outOfRange);
		snugBounds bounds;
		assert_int_equal(snugBody_GetBounds(b.body, NULL, &bounds), snug_outOfRange);
		Place(a.body, 0, far[i], 0);
		snugQuery query = { .origin = { 0, far[i], 0 } };
		assert_int_equal(snugCollide(a.body, b.body, &query).count, 16);
		Place(a.body, 0, -far[i], 0); // position - origin may overflow double
		assert_int_equal(snugCollide(a.body, b.body, &query).status, snug_outOfRange);
		Place(a.body, 0, 0, 0);
	}
	Thing_Free(&a);
	Thing_Free(&b);
}

// --- Real meshes ---------------------------------------------------------------------------------------------------

static bool ReadMesh(const char* name, sceneMesh* mesh)
{
	char path[1024];
	snprintf(path, sizeof(path), "%s/%s", MODELS_FOLDER, name);
	FILE* file = fopen(path, "rb");
	if (file == NULL)
	{
		return false;
	}
	fclose(file);
	ioMesh read;
	ioError error;
	if (!ioReadObj(path, &read, &error))
	{
		print_error("%s\n", error.text);
		fail();
	}
	*mesh = sceneMesh_Allocate(read.vertexCount, read.triangleCount);
	assert_true(sceneMesh_IsValid(mesh));
	memcpy(mesh->positions, read.positions, 3 * sizeof(float) * read.vertexCount);
	memcpy(mesh->triangles, read.triangles, 3 * sizeof(uint32_t) * read.triangleCount);
	ioMesh_Free(&read);
	return true;
}

// Into [-1, 1]^3.
static void Normalise(sceneMesh* mesh)
{
	float lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY };
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		lower[i % 3] = fminf(lower[i % 3], mesh->positions[i]);
		upper[i % 3] = fmaxf(upper[i % 3], mesh->positions[i]);
	}
	float size = fmaxf(upper[0] - lower[0], fmaxf(upper[1] - lower[1], upper[2] - lower[2]));
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		mesh->positions[i] = (mesh->positions[i] - 0.5f * (lower[i % 3] + upper[i % 3])) * (2.0f / size);
	}
}

static void real_meshes(void** state)
{
	(void)state;
	static const char* const names[] = { "fish.obj", "koala.obj", "bridge.obj" };
	Thing things[LENGTH_OF(names)];
	size_t count = 0;
	for (size_t i = 0; i < LENGTH_OF(names); ++i)
	{
		sceneMesh mesh;
		if (ReadMesh(names[i], &mesh))
		{
			Normalise(&mesh);
			things[count++] = Thing_Make(mesh, i % 2 != 0 ? snug_free : snug_rigid, (snugTreeDef){ 0 }, NULL);
		}
	}
	if (count == 0)
	{
		SKIP_WITHOUT("models", "no fish.obj, koala.obj, bridge.obj (set SNUG_MODELS)");
	}
	uint64_t seed = TestSeed(), pairs = 0;
	sceneRandom random = { seed };
	for (int round = 0; round < TestCount(2); ++round)
	{
		for (size_t i = 0; i < count; ++i)
		{
			for (size_t j = i + 1; j < count; ++j)
			{
				snugFrame frame = { 0 };
				RandomRotation(&random, frame.rotation);
				Shift(&random, 0.3, frame.position);
				assert_int_equal(snugBody_SetFrame(things[j].body, &frame), snug_success);
				pairs += CheckPairs("real meshes", seed, &things[i], &things[j], NULL);
			}
		}
	}
	assert_true(count == 1 || pairs > 0);
	for (size_t i = 0; i < count; ++i)
	{
		assert_int_equal(snugBody_Validate(things[i].body, NULL), snug_success);
		Thing_Free(&things[i]);
	}
}

int main(void)
{
	print_message("instruction set %s\n", snugGetInstructionSet());
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(touching_counts_and_one_ulp_does_not),
		cmocka_unit_test(empty_models_touch_nothing),
		cmocka_unit_test(too_far_is_an_error),
		cmocka_unit_test(matches_brute_force),
		cmocka_unit_test(every_tree_gives_the_same_pairs),
		cmocka_unit_test(rounded_positions_touch_across_gaps),
		cmocka_unit_test(corner_contacts_survive_rounding),
		cmocka_unit_test(swapping_bodies_swaps_pairs),
		cmocka_unit_test(renumbering_renumbers_pairs),
		cmocka_unit_test(scaling_by_powers_of_two_changes_nothing),
		cmocka_unit_test(translating_exactly_changes_nothing),
		cmocka_unit_test(frames_match_baked_vertices),
		cmocka_unit_test(real_meshes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
