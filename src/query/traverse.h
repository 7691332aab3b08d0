// src/query/traverse.h: descending two trees together.
#ifndef SG_TRAVERSE_H
#define SG_TRAVERSE_H

#include "body/body.h"
#include "query/sink.h"

typedef struct sgTraversal
{
	const double* origin;
	uint64_t maxVolumeTests;   ///< UINT64_MAX: no limit
	uint64_t maxTriangleTests; ///< UINT64_MAX: no limit
	bool firstOnly;            ///< stop at the first pair
	snugParallelFcn* parallel; ///< null: alone
	void* parallelUser;
} sgTraversal;

/// Find pairs of intersecting triangles and hand them to `sink`. Fills in status, complete and counters.
void sgTraverse(snugBody* a, snugBody* b, const sgTraversal* traversal, sgSink* sink, snugResult* result);

#endif
