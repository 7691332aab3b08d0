// test/driver/experimental.c: see experimental.h. Every bound and volume, and contact spheres: those that overlap cover
// every pair of triangles that meets.
#include "driver/experimental.h"

#include "driver/operations.h"
#include "snug/snug_bounds.h"
#include "snug/snug_spheres.h"

// --- Bounds ---------------------------------------------------------------------------------------------------------

void DrawBounds(World* world, const Kind* kind, snugModelDef* tested, snugModelDef* plain)
{
	static snugBoundsDef bounds, same;
	bounds = same = (snugBoundsDef){ .bound = snug_boundDefault };
	if (kind->deformer == snug_rigid || kind->deformer == snug_free || Chance(world, 0.4))
	{
		return;
	}
	if (kind->deformer == snug_sphericalSkin && Chance(world, 0.3))
	{
		bounds.centerDamping = same.centerDamping = (float)Magnitude(world, 1e-3, 10.0);
	}
	bounds.bound = (snugBound)(Chance(world, 0.3) ? 0 : Below(world, 11));
	bounds.fieldsBound = (snugBound)(Chance(world, 0.6) ? 0 : Below(world, 11));
	bounds.fieldsBound = Kind_IsSkin(kind) && kind->fields.fieldCount > 0 ? bounds.fieldsBound : snug_boundDefault;
	bounds.volume = (snugVolume)(Chance(world, 0.6) ? 0 : Below(world, 5));
	bounds.restVolume = (snugRestVolume)(kind->deformer != snug_skin || Chance(world, 0.7) ? 0 : Below(world, 3));
	bounds.boundLeaves = Chance(world, 0.2);
	if (kind->deformer == snug_fields && Chance(world, 0.3)) // those that contact spheres need
	{
		bounds.bound = Chance(world, 0.5) ? snug_boundBall : snug_boundMeanBall;
		bounds.volume = snug_volumeBall;
	}
	const bool areBalls = bounds.bound == snug_boundBall || bounds.bound == snug_boundMeanBall;
	bounds.contactLevel = kind->deformer == snug_fields && areBalls && Chance(world, 0.7) ? 1 + Below(world, 3) : 0;
	bounds.prune =
	    tested->tree.split == snug_splitMedian && Chance(world, 0.3) ? (float)Between(world, 0.1, 0.99) : 0.0f;
	tested->bounds = &bounds;
	plain->bounds = &same;
}

// Of the model's tree, or of another one over the same triangles.
static void Mark(World* world, const Kind* kind, const snugSphereTree* tree, uint32_t node, bool* marks)
{
	const uint32_t count = kind->skinned.mesh.triangleCount;
	uint32_t* triangles = malloc((count + 1) * sizeof(uint32_t));
	const uint32_t below = tree != NULL ? snugSphereTree_GetTriangles(tree, node, triangles, count)
	                                    : snugModel_GetNodeTriangles(kind->model, node, triangles, count);
	EXPECT(world, below >= 1 && below <= count, "%u triangles below node %u", below, node);
	memset(marks, 0, count);
	for (uint32_t i = 0; i < below; ++i)
	{
		marks[triangles[i]] = true;
	}
	free(triangles);
}

void MarkBelow(World* world, const Kind* kind, uint32_t node, bool* marks)
{
	Mark(world, kind, NULL, node, marks);
}

// --- Contact spheres ------------------------------------------------------------------------------------------------

// Each pair of triangles that meets is below a pair of spheres that overlaps, and none of these is too deep. Spheres
// are those of the trees, or of the models.
static void ExpectSpheres(World* world, const Two* two, const snugSphereTree* treeA, const snugSphereTree* treeB,
    const snugSphereContact* contacts, uint64_t count)
{
	bool* isBelowA = Scratch(two->surfaceA->triangleCount);
	bool* isBelowB = Scratch(two->surfaceB->triangleCount);
	bool* isCovered = Scratch(two->truth.count);
	memset(isCovered, 0, two->truth.count);
	for (uint64_t i = 0; i < count; ++i)
	{
		EXPECT(world, contacts[i].depth >= 0.0f, "spheres that are %g apart", -(double)contacts[i].depth);
		Mark(world, two->a->kind, treeA, contacts[i].a.treeNode, isBelowA);
		Mark(world, two->b->kind, treeB, contacts[i].b.treeNode, isBelowB);
		for (uint64_t k = 0; k < two->truth.count; ++k)
		{
			isCovered[k] = isCovered[k] || (isBelowA[two->truth.pairs[k].a] && isBelowB[two->truth.pairs[k].b]);
		}
	}
	for (uint64_t k = 0; k < two->truth.count; ++k)
	{
		EXPECT(world, isCovered[k], "no spheres cover %u and %u", two->truth.pairs[k].a, two->truth.pairs[k].b);
	}
}

static bool HasSpheres(const Actor* actor)
{
	return snugModel_GetBoundsDef(actor->kind->model).contactLevel > 0;
}

bool CollideSpheres(World* world)
{
	enum
	{
		MOST = 3000
	};
	Two two;
	if (!DrawTwo(world, &two) || !HasSpheres(two.a) || !HasSpheres(two.b))
	{
		return false;
	}
	FindTruth(world, &two);
	snugSphereQuery query = { .contacts = Room(world, MOST, sizeof(snugSphereContact)), .capacity = MOST };
	Copy(query.origin, two.origin, sizeof(query.origin));
	const snugSphereQuery* given = GIVEN(world, query);
	snugSphereResult result;
	CALL(world, result = snugCollideSpheres(two.a->body, two.b->body, given));
	if (!IsAnswered(world, result.status, two.surfaceA) || result.count > 300)
	{
		return false;
	}
	ExpectSpheres(world, &two, NULL, NULL, query.contacts, result.count);
	return true;
}

typedef struct SphereSide
{
	snugSphereTree* tree;
	snugSpheres* spheres;
} SphereSide;

static bool MakeSpheres(World* world, const Actor* actor, SphereSide* side)
{
	const snugSphereTreeDef def = { .model = actor->kind->model, .level = Below(world, 5), .messenger = Listener() };
	snugStatus status;
	CALL(world, status = snugSphereTree_Create(&def, &side->tree));
	EXPECT(world, status == (actor->kind->skinned.mesh.triangleCount > 0 ? snug_success : snug_badInput), "spheres: %s",
	    snugGetStatusText(status));
	if (status == snug_success)
	{
		const snugSpheresDef own = { .tree = side->tree, .body = actor->body };
		CALL(world, status = snugSpheres_Create(&own, &side->spheres));
		EXPECT(world, status == snug_success, "spheres: %s", snugGetStatusText(status));
	}
	return status == snug_success;
}

static void FreeSpheres(SphereSide sides[2])
{
	for (int s = 0; s < 2; ++s)
	{
		snugSpheres_Destroy(sides[s].spheres);
		snugSphereTree_Destroy(sides[s].tree);
	}
}

bool CollideSphereTrees(World* world)
{
	enum
	{
		MOST = 1000
	};
	Two two;
	SphereSide sides[2] = { { NULL, NULL }, { NULL, NULL } };
	if (world->isExtreme || !DrawTwo(world, &two))
	{
		return false;
	}
	FindTruth(world, &two);
	bool isAsked = MakeSpheres(world, two.a, &sides[0]) && MakeSpheres(world, two.b, &sides[1]);
	if (isAsked)
	{
		snugSpheresQuery query = { .contacts = Room(world, MOST, sizeof(snugSphereContact)), .capacity = MOST };
		Copy(query.origin, two.origin, sizeof(query.origin));
		const snugSpheresQuery* given = GIVEN(world, query);
		snugSphereResult result;
		CALL(world, result = snugSpheres_Collide(sides[0].spheres, sides[1].spheres, given));
		EXPECT(world, result.status == snug_success, "spheres: %s", snugGetStatusText(result.status));
		isAsked = result.count <= 300;
		if (isAsked)
		{
			ExpectSpheres(world, &two, sides[0].tree, sides[1].tree, query.contacts, result.count);
		}
	}
	FreeSpheres(sides);
	return isAsked;
}
