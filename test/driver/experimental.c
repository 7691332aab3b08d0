// test/driver/experimental.c: see experimental.h. Every bound and volume, and contact spheres: those that overlap cover
// every pair of triangles that meets.
#include "driver/experimental.h"

#include "driver/operations.h"
#include "snug/snug_bounds.h"

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

void MarkBelow(World* world, const Kind* kind, uint32_t node, bool* marks)
{
	const uint32_t count = kind->skinned.mesh.triangleCount;
	uint32_t* triangles = malloc((count + 1) * sizeof(uint32_t));
	const uint32_t below = snugModel_GetNodeTriangles(kind->model, node, triangles, count);
	EXPECT(world, below >= 1 && below <= count, "%u triangles below node %u", below, node);
	memset(marks, 0, count);
	for (uint32_t i = 0; i < below; ++i)
	{
		marks[triangles[i]] = true;
	}
	free(triangles);
}

// --- Contact spheres ------------------------------------------------------------------------------------------------

// Each pair of triangles that meets is below a pair of spheres that overlaps, and none of these is too deep.
static void ExpectSpheres(World* world, const Two* two, const snugSphereContact* contacts, uint64_t count)
{
	bool* isBelowA = Scratch(two->surfaceA->triangleCount);
	bool* isBelowB = Scratch(two->surfaceB->triangleCount);
	bool* isCovered = Scratch(two->truth.count);
	memset(isCovered, 0, two->truth.count);
	for (uint64_t i = 0; i < count; ++i)
	{
		EXPECT(world, contacts[i].depth >= 0.0f, "spheres that are %g apart", -(double)contacts[i].depth);
		MarkBelow(world, two->a->kind, contacts[i].a.treeNode, isBelowA);
		MarkBelow(world, two->b->kind, contacts[i].b.treeNode, isBelowB);
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
	ExpectSpheres(world, &two, query.contacts, result.count);
	return true;
}
