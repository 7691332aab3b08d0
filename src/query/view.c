// src/query/view.c: see view.h.
#include "query/view.h"

static void ForgetLeaves(sgView* side)
{
	side->generation = 0;
	for (int i = 0; i < SG_LEAF_GROUPS; ++i)
	{
		side->leafGroups[i].group = SG_NONE;
	}
}

static void Begin(sgView* side, snugBody* body)
{
	side->body = body;
	side->tree = &body->model->tree;
	side->visits = (sgVisits){ 0 };
	ForgetLeaves(side);
}

snugStatus sgView_Place(sgView* side, snugBody* body, const double origin[3], sgBox* root, snugCounters* counters)
{
	Begin(side, body);
	return sgBody_MakePlacement(body, origin, root, &side->placement, counters);
}

snugStatus sgView_PlaceLoosely(
    sgView* side, snugBody* body, const double origin[3], sgBox* around, snugCounters* counters)
{
	Begin(side, body);
	return sgBody_MakeLoosePlacement(body, origin, around, &side->placement, counters);
}

snugStatus sgView_Start(sgView* side, snugBody* body, const double origin[3], sgBox* root, snugCounters* counters)
{
	sgBody_Prepare(body, counters);
	return sgView_Place(side, body, origin, root, counters);
}

void sgView_StartAlone(sgView* side, snugBody* body, snugCounters* counters)
{
	sgBody_Prepare(body, counters);
	Begin(side, body);
	side->placement = (sgPlacement){ .isIdentity = true };
}

void sgView_Share(sgView* side, const sgView* like)
{
	side->body = like->body;
	side->tree = like->tree;
	side->placement = like->placement;
	side->visits = (sgVisits){ 0 };
	ForgetLeaves(side);
}

void sgView_Finish(sgView* side)
{
	sgBody_AddVisits(side->body, &side->visits);
}

const sgBoxLanes* sgView_Bounds(sgView* side, const sgOpened* opened, snugCounters* counters)
{
	sgLook look = sgBody_Look(side->body, opened->set);
	const sgBoxLanes* bounds = look.bounds;
	if (bounds == NULL)
	{
		bounds = sgBody_Update(side->body, look.cached, opened->set, &side->scratch, counters);
	}
	sgBody_NoteVisit(side->body, look, &side->visits);
	return bounds;
}

const sgTriangleLanes* sgView_PlaceLeaf(sgView* side, const sgOpened* opened, uint32_t lane, snugCounters* counters)
{
	const sgLaneSet* set = &opened->set;
	sgLeafGroup* kept = side->leafGroups + set->group % SG_LEAF_GROUPS;
	const sgLeaf* leaf = side->tree->leaves + side->tree->nodes[sgOpened_Slot(opened, lane)].first;
	if (kept->group != set->group)
	{
		kept->group = set->group;
		kept->ready = 0;
		kept->source = sgBody_FindLeaves(side->body, leaf, counters);
	}
	sgTriangleLanes* triangles = kept->triangles + lane;
	sgLeafScratch scratch;
	sgLeafVertices vertices = sgBody_LeafVertices(side->body, &kept->source, leaf, &scratch, counters);
	sgGetKernels()->leaves->placeTriangles(vertices.positions, vertices.indices, leaf, &side->placement, triangles);
	kept->ready |= 1u << lane;
	return triangles;
}

sgKeptLeaf sgView_Leaves(sgView* side, const sgOpened* opened, uint32_t lanes, snugCounters* counters)
{
	const sgLeafGroup* kept = side->leafGroups + opened->set.group % SG_LEAF_GROUPS;
	const uint32_t ready = kept->group == opened->set.group ? kept->ready : 0;
	side->generation += SG_CHECKED;
	for (uint32_t rest = lanes & ~ready; rest != 0; rest &= rest - 1)
	{
		sgView_PlaceLeaf(side, opened, sgLowestBit(rest), counters);
	}
	return (sgKeptLeaf){ side, kept->triangles, side->generation };
}
