#include "papers/common/node_vertices.h"

#include <stdlib.h>

bool nodeVertices_Create(nodeVertices* gathered, const snugModel* model)
{
	size_t count = (size_t)model->tree.vertexCount + 1;
	*gathered = (nodeVertices){
		.vertices = malloc(count * sizeof(uint32_t)),
		.stamps = calloc(count, sizeof(uint32_t)),
	};
	bool good = gathered->vertices != NULL && gathered->stamps != NULL;
	if (!good)
	{
		nodeVertices_Free(gathered);
	}
	return good;
}

void nodeVertices_Free(nodeVertices* gathered)
{
	free(gathered->vertices);
	free(gathered->stamps);
	*gathered = (nodeVertices){ .vertices = NULL };
}

void nodeVertices_Gather(nodeVertices* gathered, const snugModel* model, uint32_t slot)
{
	const sgTree* tree = &model->tree;
	sgLeafRange range = sgTree_LeavesBelow(tree, slot);
	const sgLeaf* last = tree->leaves + range.last;
	++gathered->stamp;
	gathered->count = 0;
	for (uint32_t i = tree->leaves[range.first].firstVertex; i < last->firstVertex + last->vertexCount; ++i)
	{
		uint32_t vertex = tree->leafVertices[i];
		if (gathered->stamps[vertex] != gathered->stamp)
		{
			gathered->stamps[vertex] = gathered->stamp;
			gathered->vertices[gathered->count++] = vertex;
		}
	}
}
