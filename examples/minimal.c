#include <snug/snug.h>
#include <stdio.h>

int main(void)
{
	const float positions[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	const uint32_t triangles[] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3 };
	snugModelDef modelDef = { 0 };
	modelDef.positions = positions;
	modelDef.vertexCount = 4;
	modelDef.triangles = triangles;
	modelDef.triangleCount = 4;
	snugModel* model = NULL;
	snugStatus status = snugModel_Create(&modelDef, &model);

	snugBodyDef bodyDef = { 0 };
	bodyDef.model = model;
	snugBody *a = NULL, *b = NULL;
	if (status != snug_success || snugBody_Create(&bodyDef, &a) != snug_success ||
	    snugBody_Create(&bodyDef, &b) != snug_success)
	{
		return 1;
	}
	const snugFrame frame = { { 0.25, 0.25, 0.25 }, { 0, 0, 0, 1 } };
	snugBody_SetFrame(b, &frame);

	snugPair pairs[16];
	snugQuery query = { 0 };
	query.pairs = pairs;
	query.capacity = 16;
	snugResult result = snugCollide(a, b, &query);
	for (uint64_t i = 0; i < result.count; ++i)
	{
		printf("triangle %u of a meets triangle %u of b\n", pairs[i].a, pairs[i].b);
	}
	snugBody_Destroy(a);
	snugBody_Destroy(b);
	snugModel_Destroy(model);
	return 0;
}
