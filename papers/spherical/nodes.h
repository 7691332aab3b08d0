// papers/spherical/nodes.h: single nodes of a posed body: which ones a query looked at, and what refitting one costs.
#ifndef PAPERS_NODES_H
#define PAPERS_NODES_H

#include "body/body.h"

/// Whether queries looked at a family since the body was last posed.
bool benchIsVisited(snugBody* body, sgLaneSet family);

/// @return nanoseconds to refit one node of a posed skin straight from its joints, warm, eight at a time
double benchTimeRefits(snugBody* body);

#endif
