// Where two boxes meet, which way to push, how far apart they are then, and what a ray hits.
#include <snug/snug_queries.h>
#include <stdio.h>

static const float corners[24] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1 };
// Seen from outside, corners turn counterclockwise.
static const uint32_t faces[36] = { 0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2,
	7, 6, 3, 0, 4, 3, 4, 7 };

int main(void)
{
	snugModelDef def = { .positions = corners, .vertexCount = 8, .triangles = faces, .triangleCount = 12 };
	snugModel* model;
	snugBody *a, *b;
	snugContactBuffer* buffer;
	if (snugModel_Create(&def, &model) != snug_success ||
	    snugBody_Create(&(snugBodyDef){ .model = model }, &a) != snug_success ||
	    snugBody_Create(&(snugBodyDef){ .model = model }, &b) != snug_success ||
	    snugContactBuffer_Create(&(snugContactBufferDef){ .capacity = 1000 }, &buffer) != snug_success)
	{
		return 1;
	}
	// The second box stands on the first, a little too deep.
	snugBody_SetFrame(b, &(snugFrame){ .position = { 0.25, 0.25, 0.875 } });
	snugContactResult contacts = snugFindContacts(a, b, buffer, NULL);
	double push[3] = { 0 };
	for (uint32_t i = 0; i < contacts.curveCount; ++i)
	{
		const snugCurve* curve = contacts.curves + i;
		printf("curve of %u segments, %s, length %g\n", curve->contactCount, curve->isClosed ? "closed" : "open",
		    curve->length);
		for (int k = 0; k < 3; ++k)
		{
			push[k] += curve->area[k];
		}
	}
	printf("push b along (%g, %g, %g)\n", push[0], push[1], push[2]);

	snugBody_SetFrame(b, &(snugFrame){ .position = { 0.25, 0.25, 1.5 } });
	snugDistanceResult distance = snugFindDistance(a, b, NULL);
	printf("apart by %g, from triangle %u to triangle %u\n", distance.distance, distance.a, distance.b);

	snugRay ray = { { 0.5f, 0.5f, 9.0f }, { 0.5f, 0.5f, -9.0f } };
	snugRayHit hit;
	snugCastRays(b, &ray, 1, &hit, NULL);
	printf("the ray hits b at height %g\n", (double)hit.position[2]);

	snugContactBuffer_Destroy(buffer);
	snugBody_Destroy(a);
	snugBody_Destroy(b);
	snugModel_Destroy(model);
	return 0;
}
