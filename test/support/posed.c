// test/support/posed.c: see posed.h.
#include "posed.h"

#include "geometry/triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void MakeModelOf(sceneRandom* random, Posed* posed, snugTreeDef tree)
{
	snugModelDef def = MeshDef(&posed->thing.mesh, posed->deformer, tree);
	if (posed->deformer == snug_fields)
	{
		posed->fields = RandomFields(random, &posed->thing.mesh, 1.0);
		def.fields = FieldSet_Def(&posed->fields);
		// Those of large meshes take longer to make than all that is asked of the body.
		def.certificates = posed->thing.mesh.triangleCount % 2 == 0 && posed->thing.mesh.triangleCount <= 300;
	}
	else if (posed->deformer != snug_rigid && posed->deformer != snug_free)
	{
		sceneMesh copy = sceneMesh_Copy(&posed->thing.mesh);
		posed->skinned = (SkinnedMesh){ copy, RandomSkin(random, &copy) };
		def.skin = Skin_Def(&posed->skinned.skin);
		def.skin.blending = Mover_Blending(posed->deformer);
	}
	assert_int_equal(snugModel_Create(&def, &posed->thing.model), snug_success);
}

Posed Posed_Make(sceneRandom* random, sceneMesh mesh, Mover deformer, snugPool* pool)
{
	return Posed_MakeWith(random, mesh, deformer, RandomTreeDef(random), pool);
}

Posed Posed_MakeWith(sceneRandom* random, sceneMesh mesh, Mover deformer, snugTreeDef tree, snugPool* pool)
{
	Posed posed = { .thing = { .mesh = mesh }, .deformer = deformer };
	MakeModelOf(random, &posed, tree);
	const snugBodyDef def = {
		.model = posed.thing.model,
		.pool = pool,
		.strategy = (snugStrategy)sceneRandom_Index(random, 4),
	};
	assert_int_equal(snugBody_Create(&def, &posed.thing.body), snug_success);
	posed.positions = malloc((3 * (size_t)mesh.vertexCount + 1) * sizeof(float));
	Posed_Read(&posed);
	return posed;
}

void Posed_Free(Posed* posed)
{
	free(posed->positions);
	SkinnedMesh_Free(&posed->skinned);
	FieldSet_Free(&posed->fields);
	Thing_Free(&posed->thing);
}

void Posed_Read(Posed* posed)
{
	snugStatus status = snugBody_GetVertices(posed->thing.body, posed->origin, posed->positions, 0);
	assert_int_equal(status, snug_success);
}

// Some vertices of a free body, moved a little, or onto a coarse grid.
static void ChangeVertices(sceneRandom* random, Posed* posed)
{
	const sceneMesh* mesh = &posed->thing.mesh;
	float* moved = malloc((3 * (size_t)mesh->vertexCount + 1) * sizeof(float));
	bool toGrid = sceneRandom_Index(random, 3) == 0;
	for (uint32_t i = 0; i < 3 * mesh->vertexCount; ++i)
	{
		float x = mesh->positions[i] + (float)sceneRandom_Range(random, -0.1, 0.1);
		moved[i] = toGrid ? (float)(int)(4.0f * x) * 0.25f : x;
	}
	snugStatus status = snugBody_SetVertices(posed->thing.body, moved, 0, 0, mesh->vertexCount);
	assert_int_equal(status, snug_success);
	free(moved);
}

static void ChangeFrame(sceneRandom* random, Posed* posed)
{
	snugFrame frame = { { 0 }, { 0 } };
	if (sceneRandom_Index(random, 3) != 0)
	{
		RandomRotation(random, frame.rotation);
		for (int k = 0; k < 3; ++k)
		{
			frame.position[k] = sceneRandom_Range(random, -1.0, 1.0);
			posed->origin[k] = sceneRandom_Index(random, 2) == 0 ? 0.0 : sceneRandom_Range(random, -1.0, 1.0);
		}
	}
	assert_int_equal(snugBody_SetFrame(posed->thing.body, &frame), snug_success);
}

void Posed_Change(sceneRandom* random, Posed* posed)
{
	switch (posed->deformer)
	{
		case snug_rigid:
			break;
		case snug_free:
			ChangeVertices(random, posed);
			break;
		case snug_fields:
			RandomAmplitudes(random, &posed->fields);
			PoseFields(&posed->thing, &posed->fields);
			break;
		default:
			TurnJoints(random, &posed->skinned);
			PoseBody(posed->thing.body, &posed->skinned);
			break;
	}
	ChangeFrame(random, posed);
	Posed_Read(posed);
}

void Posed_Triangle(const Posed* posed, uint32_t triangle, float corners[3][3])
{
	for (int c = 0; c < 3; ++c)
	{
		uint32_t vertex = posed->thing.mesh.triangles[3 * (size_t)triangle + (size_t)c];
		memcpy(corners[c], posed->positions + 3 * (size_t)vertex, 3 * sizeof(float));
	}
}

bool Posed_Normal(const Posed* posed, uint32_t triangle, double n[3])
{
	float c[3][3];
	Posed_Triangle(posed, triangle, c);
	double edges[3][3], squares[3], length2 = 0.0;
	int least = 0;
	for (int e = 0; e < 3; ++e)
	{
		squares[e] = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			edges[e][k] = (double)c[(e + 1) % 3][k] - c[e][k];
			squares[e] += edges[e][k] * edges[e][k];
		}
		least = squares[e] < squares[least] ? e : least;
	}
	const double *u = edges[least], *v = edges[(least + 1) % 3];
	for (int k = 0; k < 3; ++k)
	{
		int i = (k + 1) % 3, j = (k + 2) % 3;
		n[k] = u[i] * v[j] - u[j] * v[i];
		length2 += n[k] * n[k];
	}
	for (int k = 0; k < 3; ++k)
	{
		n[k] /= sqrt(length2);
	}
	return length2 > 1e-16 * squares[least] * squares[(least + 1) % 3];
}

void Posed_PlaceApart(sceneRandom* random, Posed* posed)
{
	snugFrame frame = { { 0 }, { 0 } };
	double distance = sceneRandom_Index(random, 3) == 0 ? 0.3 : sceneRandom_Index(random, 4) == 0 ? 1000.0 : 3.0;
	for (int k = 0; k < 3; ++k)
	{
		frame.position[k] = distance * sceneRandom_Range(random, -1.0, 1.0);
	}
	if (sceneRandom_Index(random, 2) == 0)
	{
		RandomRotation(random, frame.rotation);
	}
	if (sceneRandom_Index(random, 4) == 0) // equal distances abound
	{
		frame = (snugFrame){ { 3.0, 0.0, 0.0 }, { 0 } };
	}
	assert_int_equal(snugBody_SetFrame(posed->thing.body, &frame), snug_success);
}

double Posed_PairDistance2(const Posed* one, uint32_t i, const Posed* other, uint32_t j, sgNearest* nearest)
{
	float a[3][3], b[3][3];
	Posed_Triangle(one, i, a);
	Posed_Triangle(other, j, b);
	if (sgTriangles_Intersect((const float(*)[3])a, (const float(*)[3])b))
	{
		return 0.0;
	}
	sgTriangles_Nearest((const float(*)[3])a, (const float(*)[3])b, nearest);
	return fmax(nearest->distance2, 0x1p-1000);
}

snugDistanceResult Posed_FindDistance(const Posed* a, const Posed* b)
{
	snugDistanceResult best = { .distance = INFINITY, .a = SNUG_NONE, .b = SNUG_NONE };
	for (uint32_t i = 0; i < a->thing.mesh.triangleCount; ++i)
	{
		for (uint32_t j = 0; j < b->thing.mesh.triangleCount; ++j)
		{
			sgNearest nearest = { .distance2 = 0.0 };
			double distance = sqrt(Posed_PairDistance2(a, i, b, j, &nearest));
			if (distance < best.distance)
			{
				best = (snugDistanceResult){ .isWithin = true, .distance = distance, .a = i, .b = j };
				for (int k = 0; k < 3; ++k)
				{
					best.pointA[k] = (float)nearest.a[k];
					best.pointB[k] = (float)nearest.b[k];
				}
			}
		}
	}
	return best;
}
