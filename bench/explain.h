// bench/explain.h: which nodes a query looked at, and which of their bounds were loose.
//
// Of the frame with the most pairs, after the frames before it, as a body that is used frame by frame would come to it.
// A node is visited if a query compared its bound, together with those of its siblings; its looseness is the radius of
// its box over that of the optimal box, the one around its vertices. Nodes that ours visits and the oracle does not are
// what loose bounds cost.
#ifndef BENCH_EXPLAIN_H
#define BENCH_EXPLAIN_H

#include "bench/meeting.h"

/// Whether queries looked at a family since the body was last posed.
bool benchIsVisited(const snugBody* body, sgLaneSet family);

/// Tables that several meetings fill.
typedef struct benchExplained
{
	benchReport levels;  ///< a row per level of the trees
	benchReport loosest; ///< a row per node
} benchExplained;

/// Add the cells that say which scene a row is of.
typedef void benchSceneFcn(benchRow* row, const void* scene);

/// Explain a meeting that was run. Failures go to the tables.
void benchExplained_Add(benchExplained* explained, benchMeeting* meeting, benchSceneFcn* addScene, const void* scene);

/// Move the tables to a report.
void benchExplained_Finish(benchExplained* explained, benchReport* report);

#endif
