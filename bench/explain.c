#include "bench/explain.h"

#include "bench/tightness.h"
#include "deform/skin/blend.h"

#include <math.h>
#include <string.h>

#define LOOSEST 10
#define HISTORY 8 // frames before the one that is explained

/// Where a box comes from.
typedef enum boundSource
{
	source_exact,  ///< around evaluated vertices
	source_merged, ///< around the children's boxes
	source_grown,  ///< by what the body moved, from an earlier frame
	source_direct, ///< from the transforms
	SOURCES
} boundSource;

typedef struct visitedNode
{
	const snugBody* body;
	int actor;
	uint32_t slot;
	boundSource source;
	double looseness;
	double size; ///< optimal radius over that of the body
	bool isVisitedByOracle;
} visitedNode;

/// What was found out about one meeting.
typedef struct explanation
{
	uint32_t depth;
	uint64_t nodes[BENCH_MAX_LEVELS], visited[BENCH_MAX_LEVELS], needless[BENCH_MAX_LEVELS];
	uint64_t sources[SOURCES][BENCH_MAX_LEVELS];
	double sum[BENCH_MAX_LEVELS], most[BENCH_MAX_LEVELS]; ///< looseness of visited nodes
	visitedNode loosest[LOOSEST];                         ///< the loosest first
	int loosestCount;
} explanation;

// ---- Bodies ----------------------------------------------------------------------------------------------------

// What a body remembers of a group, or null.
static const sgCacheGroup* FindGroup(const snugBody* body, uint32_t group)
{
	uint32_t page = body->pageTable[group >> body->groupShift];
	if (page == SG_NONE)
	{
		return NULL;
	}
	size_t number = group & ((1u << body->groupShift) - 1u);
	return (const sgCacheGroup*)(const void*)(body->pool->pages[page].bytes + number * body->groupStride);
}

bool benchIsVisited(const snugBody* body, sgLaneSet family)
{
	const sgCacheGroup* cached = FindGroup(body, family.group);
	return cached != NULL && cached->version[family.first / 2] == body->version &&
	       cached->lastVisit[family.first / 2] == body->step;
}

// A box that came from merging is the very box of its children's.
static bool IsMerged(const snugBody* body, uint32_t slot, const sgBox* box)
{
	sgLaneSet children = sgTree_Children(&body->model->tree, slot);
	const sgCacheGroup* cached = FindGroup(body, children.group);
	if (cached == NULL || cached->version[children.first / 2] != body->version)
	{
		return false;
	}
	sgBox merged = sgBox_Empty();
	for (uint32_t rest = children.mask; rest != 0; rest &= rest - 1)
	{
		sgBox child = sgBoxLanes_Get(&cached->boxes, sgLowestBit(rest));
		sgBox_AddBox(&merged, &child);
	}
	return memcmp(&merged, box, sizeof(merged)) == 0;
}

static boundSource FindSource(const snugBody* body, const sgCacheGroup* cached, sgLaneSet family, uint32_t slot)
{
	const sgBlendHeader* header = body->model->deformData;
	sgBox box = sgBoxLanes_Get(&cached->boxes, slot % SG_LANES);
	bool isLeaf = sgTree_IsLeaf(&body->model->tree, slot);
	if (!isLeaf && IsMerged(body, slot, &box))
	{
		return source_merged;
	}
	if (cached->grown[family.first / 2] != 0)
	{
		return source_grown;
	}
	return isLeaf && header->boundLeaves == 0 ? source_exact : source_direct;
}

// ---- Nodes -----------------------------------------------------------------------------------------------------

static void KeepLoosest(explanation* e, const visitedNode* node)
{
	int i = e->loosestCount < LOOSEST ? e->loosestCount++ : LOOSEST - 1;
	if (e->loosest[i].looseness >= node->looseness) // zero where there is none yet
	{
		return;
	}
	for (; i > 0 && e->loosest[i - 1].looseness < node->looseness; --i)
	{
		e->loosest[i] = e->loosest[i - 1];
	}
	e->loosest[i] = *node;
}

static void AddNode(explanation* e, const visitedNode* node)
{
	uint32_t level = node->body->model->tree.nodes[node->slot].level;
	++e->visited[level];
	e->needless[level] += !node->isVisitedByOracle;
	++e->sources[node->source][level];
	e->sum[level] += node->looseness;
	e->most[level] = fmax(e->most[level], node->looseness);
	KeepLoosest(e, node);
}

static void AddBody(explanation* e, const snugBody* body, const snugBody* oracle, int actor)
{
	const sgTree* tree = &body->model->tree;
	e->depth = tree->depth > e->depth ? tree->depth : e->depth;
	sgBox whole = sgBoxLanes_Get(&FindGroup(oracle, 0)->boxes, 0);
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		if (tree->nodes[slot].first == SG_NONE)
		{
			continue;
		}
		sgLaneSet family = sgTree_Family(tree, slot);
		++e->nodes[tree->nodes[slot].level];
		if (!benchIsVisited(body, family))
		{
			continue;
		}
		const sgCacheGroup* cached = FindGroup(body, family.group);
		sgBox box = sgBoxLanes_Get(&cached->boxes, slot % SG_LANES);
		sgBox optimal = sgBoxLanes_Get(&FindGroup(oracle, family.group)->boxes, slot % SG_LANES);
		double radius = benchGetRadius(&optimal);
		const visitedNode node = { .body = body,
			.actor = actor,
			.slot = slot,
			.source = FindSource(body, cached, family, slot),
			.looseness = radius > 0.0 ? benchGetRadius(&box) / radius : 1.0,
			.size = radius / benchGetRadius(&whole),
			.isVisitedByOracle = benchIsVisited(oracle, family) };
		AddNode(e, &node);
	}
}

// ---- Frames ----------------------------------------------------------------------------------------------------

// Bring a stage to a frame by way of those before it.
static void Approach(benchMeeting* meeting, benchStage* stage, int frame, benchReport* report)
{
	snugResult result;
	for (int f = frame > HISTORY ? frame - HISTORY : 0; f <= frame && report->failure[0] == '\0'; ++f)
	{
		if (benchStage_Pose(stage, meeting->actors, f, meeting->places[f]) != snug_success)
		{
			benchReport_Fail(report, "frame %d: cannot pose the bodies", f);
		}
		benchMeeting_Collide(meeting, stage, f, &result, report);
	}
}

static void AskOracle(benchMeeting* meeting, int frame, benchReport* report)
{
	benchStage* base = &meeting->base;
	snugResult result;
	bool good = benchStage_Pose(base, meeting->actors, frame, meeting->places[frame]) == snug_success;
	for (int i = 0; i < base->count && good; ++i)
	{
		oracleBody_Evaluate(&base->oracles[i], base->bodies[i].body);
		good = oracleBody_Refit(&base->oracles[i]) == snug_success;
	}
	if (!good)
	{
		benchReport_Fail(report, "frame %d: cannot ask the oracle", frame);
	}
	benchMeeting_Collide(meeting, base, frame, &result, report);
}

// ---- Report ----------------------------------------------------------------------------------------------------

static void AddLevelRow(benchRow* row, const explanation* e, uint32_t level)
{
	static const char* const keys[SOURCES] = { "exact", "merged", "grown", "fromTransforms" };
	benchRow_Count(row, "level", level);
	benchRow_Count(row, "nodesOfLevel", e->nodes[level]);
	benchRow_Count(row, "visited", e->visited[level]);
	benchRow_Count(row, "notByOracle", e->needless[level]);
	benchRow_Number(row, "meanRadiusOverOptimal", e->sum[level] / (double)e->visited[level], 3);
	benchRow_Number(row, "greatest", e->most[level], 3);
	for (int i = 0; i < SOURCES; ++i)
	{
		benchRow_Count(row, keys[i], e->sources[i][level]);
	}
}

// What bounds a node from its transforms; null for leaves whose vertices are evaluated.
static const sgBlendFamily* FindFamily(const snugModel* model, uint32_t slot)
{
	sgBlend blend = sgBlend_Get(model);
	uint32_t parent = model->tree.nodes[slot].parent, family = parent == SG_NONE ? 0 : blend.familyOfParent[parent];
	bool isExact = sgTree_IsLeaf(&model->tree, slot) && blend.header->boundLeaves == 0;
	return isExact || family == SG_NONE ? NULL : blend.families + family;
}

static void AddBoundCell(benchRow* row, const visitedNode* node, const sgBlendFamily* family)
{
	static const char* const kinds[SG_BLEND_KINDS] = {
		[sgBlend_limited] = "limited",
		[sgBlend_program] = "program",
		[sgBlend_local] = "local",
		[sgBlend_zeroOrder] = "zeroOrder",
		[sgBlend_firstOrder] = "firstOrder",
		[sgBlend_mixed] = "local and firstOrder",
	};
	char text[48];
	const char* kind = family != NULL ? kinds[family->kind] : "exact";
	snprintf(text, sizeof(text), "%s%s", node->source == source_merged ? "merged" : kind,
	    node->source == source_grown ? ", grown" : "");
	benchRow_Text(row, "bound", text);
}

static void AddLoosestRow(benchRow* row, const visitedNode* node)
{
	const sgTree* tree = &node->body->model->tree;
	const sgBlendFamily* family = FindFamily(node->body->model, node->slot);
	sgLeafRange leaves = sgTree_LeavesBelow(tree, node->slot);
	const sgLeaf *first = tree->leaves + leaves.first, *last = tree->leaves + leaves.last;
	benchRow_Number(row, "radiusOverOptimal", node->looseness, 3);
	benchRow_Count(row, "body", (uint64_t)node->actor + 1);
	benchRow_Count(row, "level", tree->nodes[node->slot].level);
	benchRow_Count(row, "triangles", last->firstTriangle + last->triangleCount - first->firstTriangle);
	benchRow_Number(row, "radiusOverBody", node->size, 4);
	if (family != NULL)
	{
		benchRow_Count(row, "transformsOfFamily", family->entryCount * (family->isAcross != 0 ? SG_LANES : 1u));
	}
	AddBoundCell(row, node, family);
	benchRow_Text(row, "oracle", node->isVisitedByOracle ? "visits it too" : "does not visit it");
}

static void AddRows(benchExplained* explained, const explanation* e, benchSceneFcn* addScene, const void* scene)
{
	for (uint32_t level = 0; level <= e->depth; ++level)
	{
		if (e->visited[level] > 0)
		{
			benchRow* row = benchReport_AddRow(&explained->levels, "Which nodes were visited, and how loose they were");
			addScene(row, scene);
			AddLevelRow(row, e, level);
		}
	}
	for (int i = 0; i < e->loosestCount; ++i)
	{
		benchRow* row = benchReport_AddRow(&explained->loosest, "The loosest nodes that were visited");
		addScene(row, scene);
		AddLoosestRow(row, e->loosest + i);
	}
}

void benchExplained_Add(benchExplained* explained, benchMeeting* meeting, benchSceneFcn* addScene, const void* scene)
{
	benchReport* report = &explained->levels;
	int frame = benchAnswers_GetPeak(&meeting->answers);
	explanation e = { .depth = 0 };
	benchStage stage;
	if (!benchStage_Create(
	        &stage, benchGetMethod(bench_ours), meeting->actors, meeting->actorCount, &meeting->base, report))
	{
		return;
	}
	Approach(meeting, &stage, frame, report);
	AskOracle(meeting, frame, report);
	for (int i = 0; i < stage.count && report->failure[0] == '\0'; ++i)
	{
		AddBody(&e, stage.bodies[i].body, meeting->base.oracles[i].body, i);
	}
	AddRows(explained, &e, addScene, scene);
	benchStage_Destroy(&stage);
}

void benchExplained_Finish(benchExplained* explained, benchReport* report)
{
	benchReport_TakeRows(report, &explained->levels);
	benchReport_TakeRows(report, &explained->loosest);
}
