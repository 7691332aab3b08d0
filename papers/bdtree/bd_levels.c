#include "papers/bdtree/bd_levels.h"

#include "tree/tree.h"

#include <math.h>

const benchBdPrinted benchBdChair = { { 1.000, 0.684, 0.575, 0.399, 0.252, 0.167, (double)NAN, (double)NAN, 0.057,
	0.041, 0.030, 0.022, 0.017, 0.016, 0.015, 0.013, 0.007, 0.004, 0.003 } };

static void AddRows(benchReport* report, const char* name, const bdTree* tree, const benchBdPrinted* printed)
{
	double sums[SG_MAX_DEPTH + 1] = { 0.0 };
	uint64_t counts[SG_MAX_DEPTH + 1] = { 0 };
	for (uint32_t i = 0; i < bdTree_GetNodeCount(tree); ++i)
	{
		sums[bdTree_GetLevel(tree, i)] += bdTree_GetGrowth(tree, i);
		++counts[bdTree_GetLevel(tree, i)];
	}
	for (int level = 0; level <= SG_MAX_DEPTH && counts[level] > 0; ++level)
	{
		benchRow* row = benchReport_AddRow(report, "How much BD spheres can grow: |dR| by level, over the root's");
		benchRow_Text(row, "body", name);
		benchRow_Count(row, "level", (uint64_t)level);
		benchRow_Count(row, "spheres", counts[level]);
		benchRow_Number(row, "here", sums[level] / (double)counts[level] / sums[0], 3);
		if (printed != NULL && level < BENCH_BD_LEVELS && !isnan(printed->levels[level]))
		{
			benchRow_Number(row, "paper", printed->levels[level], 3);
		}
	}
}

void benchBdLevels(benchReport* report, const char* name, const benchActor* actor, const benchBdPrinted* printed)
{
	const benchMethodDef* method = benchGetMethod(bench_bd);
	snugModel* model = NULL;
	if (benchActor_MakeModel(actor, &model) != snug_success)
	{
		benchReport_Fail(report, "%s: cannot make the paper's model", name);
		return;
	}
	bdTree* tree = bdTree_Create(model, &method->bd);
	if (tree != NULL)
	{
		AddRows(report, name, tree, printed);
	}
	else
	{
		benchReport_Fail(report, "out of memory");
	}
	bdTree_Destroy(tree);
	snugModel_Destroy(model);
}
