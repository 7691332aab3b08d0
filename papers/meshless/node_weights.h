// papers/meshless/node_weights.h: what the papers' bounds of a node rest on: its vertices, and the range of each
// weight.
//
// Gathered from a blend model one node at a time, plainly; src/deform has it side by side for
// whole families. Weights are the repaired ones that evaluation uses.
#ifndef PAPERS_NODE_WEIGHTS_H
#define PAPERS_NODE_WEIGHTS_H

#include "papers/common/binary_tree.h"

typedef struct nodeWeights
{
	nodeVertices below;   ///< the node
	simHoard hoard;       ///< all that follows
	uint32_t* transforms; ///< (count): those with a weight somewhere below
	double* low;          ///< (count): least weight; zero if a vertex does without
	double* high;         ///< (count): greatest weight
	double* mean;         ///< (count): over the vertices
	uint32_t count;
	double lower[3], upper[3]; ///< rest box

	uint32_t* entryOf; ///< for the gathering, as is what follows
	uint32_t* listed;
} nodeWeights;

/// Room for any node of a tree over a blend model.
bool nodeWeights_Create(nodeWeights* weights, const binaryTree* tree);
void nodeWeights_Free(nodeWeights* weights);

/// Fill in everything for one node.
void nodeWeights_Gather(nodeWeights* weights, const binaryTree* tree, uint32_t node);

#endif
