// src/deform/rows/weights.c: reading and repairing weights. See weights.h.
#include "deform/rows/weights.h"

#include <math.h>
#include <string.h>

/// What was repaired, told once per model and not once per vertex.
typedef struct Repairs
{
	uint32_t scaledCount, scaledFirst;
	uint32_t unboundCount, unboundFirst;
} Repairs;

static snugStatus CheckInfluence(const snugModelDef* def, uint32_t vertex, uint64_t k)
{
	const snugSkinDef* blend = &def->skin;
	if (blend->joints[k] >= blend->jointCount)
	{
		return sgFail(&def->messenger, snug_badInput, "vertex %u: joint %u of %u does not exist", vertex,
		    blend->joints[k], blend->jointCount);
	}
	if (!(blend->weights[k] >= 0.0f) || !isfinite(blend->weights[k]))
	{
		return sgFail(&def->messenger, snug_badInput, "vertex %u: a weight is negative or not finite", vertex);
	}
	return snug_success;
}

// Insert into a list that ascends by transform; the same transform twice adds up.
static void Insert(sgInfluence* list, uint32_t* count, uint16_t transform, double weight)
{
	uint32_t place = 0;
	while (place < *count && list[place].transform < transform)
	{
		++place;
	}
	if (place < *count && list[place].transform == transform)
	{
		list[place].weight += weight;
		return;
	}
	memmove(list + place + 1, list + place, (*count - place) * sizeof(sgInfluence));
	list[place] = (sgInfluence){ weight, transform };
	++*count;
}

static void Normalise(
    const snugModelDef* def, uint32_t vertex, uint64_t first, sgInfluence* list, uint32_t* count, Repairs* repairs)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < *count; ++i)
	{
		sum += list[i].weight;
	}
	if (*count == 0)
	{
		repairs->unboundFirst =
		    repairs->unboundCount++ == 0 || vertex < repairs->unboundFirst ? vertex : repairs->unboundFirst;
		list[0] = (sgInfluence){ 1.0, def->skin.joints[first] };
		*count = 1;
		return;
	}
	if (fabs(sum - 1.0) > 1e-3)
	{
		repairs->scaledFirst =
		    repairs->scaledCount++ == 0 || vertex < repairs->scaledFirst ? vertex : repairs->scaledFirst;
	}
	for (uint32_t i = 0; i < *count; ++i)
	{
		list[i].weight /= sum;
	}
}

static uint64_t FirstInfluence(const snugSkinDef* blend, uint32_t vertex)
{
	return blend->starts != NULL ? blend->starts[vertex] : (uint64_t)vertex * blend->influencesPerVertex;
}

// The influences of one vertex of the caller's, checked before, into list.
static uint32_t ReadVertex(const snugModelDef* def, uint32_t vertex, sgInfluence* list, Repairs* repairs)
{
	uint64_t first = FirstInfluence(&def->skin, vertex), end = FirstInfluence(&def->skin, vertex + 1);
	uint32_t count = 0;
	for (uint64_t k = first; k < end; ++k)
	{
		if (def->skin.weights[k] > 0.0f)
		{
			Insert(list, &count, def->skin.joints[k], def->skin.weights[k]);
		}
	}
	Normalise(def, vertex, first, list, &count, repairs);
	return count;
}

static snugStatus CheckVertex(const snugModelDef* def, uint32_t vertex, uint32_t* count)
{
	uint64_t first = FirstInfluence(&def->skin, vertex), end = FirstInfluence(&def->skin, vertex + 1);
	*count = 0;
	if (end < first || end - first > UINT16_MAX)
	{
		return sgFail(&def->messenger, snug_badInput, "vertex %u: its influences are out of order or too many", vertex);
	}
	if (first == end)
	{
		return sgFail(&def->messenger, snug_badInput, "vertex %u has no influences", vertex);
	}
	snugStatus status = snug_success;
	for (uint64_t k = first; k < end && status == snug_success; ++k)
	{
		status = CheckInfluence(def, vertex, k);
	}
	*count = (uint32_t)(end - first);
	return status;
}

snugStatus sgWeights_CheckDef(const snugModelDef* def, uint32_t* maxInfluences, uint64_t* influenceCount)
{
	const snugSkinDef* blend = &def->skin;
	if (blend->jointCount < 1 || blend->jointCount > UINT16_MAX)
	{
		return sgFail(&def->messenger, snug_badInput, "%u joints; 1 to 65535 are possible", blend->jointCount);
	}
	SG_REQUIRE_IN("snugModel_Create", def->vertexCount == 0 || (blend->joints != NULL && blend->weights != NULL),
	    snug_badArgument);
	*maxInfluences = 0;
	for (uint32_t v = 0; v < def->vertexCount; ++v)
	{
		uint32_t count;
		snugStatus status = CheckVertex(def, v, &count);
		if (status != snug_success)
		{
			return status;
		}
		*maxInfluences = count > *maxInfluences ? count : *maxInfluences;
	}
	*influenceCount = FirstInfluence(blend, def->vertexCount) - FirstInfluence(blend, 0);
	return *influenceCount <= UINT32_MAX / 2 ? snug_success
	                                         : sgFail(&def->messenger, snug_outOfRange, "too many influences in all");
}

/// Vertices that are read at a time when several threads share the work.
#define CHUNK 1024

typedef struct Reading
{
	const snugModelDef* def;
	const sgTree* tree;
	sgInfluence* scratch;
	size_t stride; ///< of scratch, from one worker to the next
	uint32_t* counts;
	sgWeights* out;
	Repairs repairs[SG_TEAM_WORKERS];
} Reading;

// The influences of each vertex go where there is room for as many as were given.
static void ReadChunk(void* context, uint32_t worker, uint32_t chunk)
{
	Reading* r = context;
	sgInfluence* list = r->scratch + worker * r->stride;
	uint32_t first = chunk * CHUNK, left = r->tree->vertexCount - first;
	for (uint32_t v = first; v < first + (left < CHUNK ? left : CHUNK); ++v)
	{
		uint32_t count = ReadVertex(r->def, r->tree->vertexMap[v], list, r->repairs + worker), kept = 0;
		float* weights = r->out->weights + r->out->starts[v];
		uint16_t* transforms = r->out->transforms + r->out->starts[v];
		for (uint32_t i = 0; i < count; ++i)
		{
			weights[kept] = (float)list[i].weight;
			transforms[kept] = list[i].transform;
			kept += weights[kept] > 0.0f; // a weight that vanishes in float32 is left out
		}
		r->counts[v] = kept;
	}
}

// Close the gaps behind vertices that have fewer influences than were given.
static void CloseGaps(const Reading* r)
{
	sgWeights* out = r->out;
	uint32_t total = 0;
	for (uint32_t v = 0; v < r->tree->vertexCount; ++v)
	{
		uint32_t from = out->starts[v], count = r->counts[v];
		if (from != total)
		{
			memmove(out->weights + total, out->weights + from, count * sizeof(float));
			memmove(out->transforms + total, out->transforms + from, count * sizeof(uint16_t));
			out->starts[v] = total;
		}
		total += count;
	}
	out->starts[r->tree->vertexCount] = total;
}

static void TellRepairs(const Reading* r)
{
	Repairs all = { 0 };
	for (int i = 0; i < SG_TEAM_WORKERS; ++i)
	{
		const Repairs* own = r->repairs + i;
		bool isScaled = own->scaledCount > 0 && (all.scaledCount == 0 || own->scaledFirst < all.scaledFirst);
		bool isUnbound = own->unboundCount > 0 && (all.unboundCount == 0 || own->unboundFirst < all.unboundFirst);
		all.scaledFirst = isScaled ? own->scaledFirst : all.scaledFirst;
		all.unboundFirst = isUnbound ? own->unboundFirst : all.unboundFirst;
		all.scaledCount += own->scaledCount;
		all.unboundCount += own->unboundCount;
	}
	if (all.scaledCount > 0)
	{
		sgWarn(&r->def->messenger, "weights of %u vertices did not sum to 1 and were scaled, first those of vertex %u",
		    all.scaledCount, all.scaledFirst);
	}
	if (all.unboundCount > 0)
	{
		sgWarn(&r->def->messenger, "%u vertices without weight follow their first joint, first vertex %u",
		    all.unboundCount, all.unboundFirst);
	}
}

void sgWeights_Read(const snugModel* model, const snugModelDef* def, uint32_t mostGiven, sgInfluence* scratch,
    uint32_t* counts, sgWeights* out)
{
	const sgTree* tree = &model->tree;
	Reading reading = {
		.def = def,
		.tree = tree,
		.scratch = scratch,
		.stride = (size_t)mostGiven + 1,
		.counts = counts,
		.out = out,
	};
	uint64_t total = 0;
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		uint32_t vertex = tree->vertexMap[v];
		out->starts[v] = (uint32_t)total;
		total += FirstInfluence(&def->skin, vertex + 1) - FirstInfluence(&def->skin, vertex);
	}
	sgTeam_Run(model->team, (tree->vertexCount + CHUNK - 1) / CHUNK, ReadChunk, &reading);
	CloseGaps(&reading);
	TellRepairs(&reading);
}
