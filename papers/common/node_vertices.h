// papers/common/node_vertices.h: the vertices below a node of a model's tree, each once.
#ifndef PAPERS_NODE_VERTICES_H
#define PAPERS_NODE_VERTICES_H

#include "model/model.h"

typedef struct nodeVertices
{
	uint32_t* vertices; ///< (count) tree order
	uint32_t count;
	uint32_t* stamps; ///< for the gathering
	uint32_t stamp;
} nodeVertices;

/// Room for any node of a model.
/// @return false, with nothing to free, if there is no memory
bool nodeVertices_Create(nodeVertices* gathered, const snugModel* model);
void nodeVertices_Free(nodeVertices* gathered);

void nodeVertices_Gather(nodeVertices* gathered, const snugModel* model, uint32_t slot);

#endif
