#include <snug/snug.h>
#include <stdio.h>

int main(void)
{
	const float positions[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	const uint32_t triangles[] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3 };
	snugModelDef def = { .positions = positions, .vertexCount = 4, .triangles = triangles, .triangleCount = 4 };
	snugModel* model = NULL;
	snugBody *a = NULL, *b = NULL;
	if (snugModel_Create(&def, &model) != snug_success ||
	    snugBody_Create(&(snugBodyDef){ .model = model }, &a) != snug_success ||
	    snugBody_Create(&(snugBodyDef){ .model = model }, &b) != snug_success)
	{
		return 1;
	}
	snugBody_SetFrame(b, &(snugFrame){ .position = { 0.25, 0.25, 0.25 } });

	snugPair pairs[16];
	snugResult result = snugCollide(a, b, &(snugQuery){ .pairs = pairs, .capacity = 16 });
	for (uint64_t i = 0; i < result.count; ++i)
	{
		printf("triangle %u of a meets triangle %u of b\n", pairs[i].a, pairs[i].b);
	}
	snugBody_Destroy(a);
	snugBody_Destroy(b);
	snugModel_Destroy(model);
	return 0;
}
