// src/deform/skin/turning_check.c: what skins that turn store, if it comes from a file. See turning.h.
#include "deform/skin/skins.h"
#include "deform/skin/turning.h"
#include "tree/row_kernels.h"

#include <string.h>

// Sets are in order, each once: by how many joints they have, then by the first joint in which they differ.
static bool ComesBefore(const sgTurning* skin, const sgTurningSet* a, const sgTurningSet* b)
{
	if (a->memberCount != b->memberCount)
	{
		return a->memberCount < b->memberCount;
	}
	for (uint32_t i = 0; i < a->memberCount; ++i)
	{
		uint16_t first = skin->members[a->firstMember + i], second = skin->members[b->firstMember + i];
		if (first != second)
		{
			return first < second;
		}
	}
	return false;
}

static bool CheckSet(const sgTurning* skin, const sgTurningSet* set, uint32_t firstMember, uint32_t firstPair)
{
	if (set->firstMember != firstMember || set->memberCount == 0 ||
	    set->memberCount > skin->header->memberCount - firstMember ||
	    set->memberCount > skin->blend.header->rows.most || set->pivot >= set->memberCount ||
	    set->firstPair != firstPair || set->reserved != 0 || !sgAreWithin(set->origin, 3, SNUG_MAX_COORDINATE))
	{
		return false;
	}
	const uint16_t* members = skin->members + firstMember;
	for (uint32_t i = 1; i < set->memberCount; ++i)
	{
		if (members[i - 1] >= members[i])
		{
			return false;
		}
	}
	return true;
}

// The pairs of a set are those of its members.
static bool CheckSetPairs(const sgTurning* skin, const sgTurningSet* set)
{
	const uint16_t *members = skin->members + set->firstMember, *next = skin->setPairs + set->firstPair;
	for (uint32_t i = 0; i < set->memberCount; ++i)
	{
		for (uint32_t j = i + 1; j < set->memberCount; ++j, ++next)
		{
			sgTurningPair pair = skin->pairs[*next];
			if (pair.first != members[i] || pair.second != members[j])
			{
				return false;
			}
		}
	}
	return true;
}

static const char* CheckSets(const sgTurning* skin)
{
	static const char fault[] = "its joint sets are wrong";
	const sgTurningHeader* header = skin->header;
	uint64_t member = 0, pair = 0;
	for (uint32_t s = 0; s < header->setCount; ++s)
	{
		const sgTurningSet* set = skin->sets + s;
		if (!CheckSet(skin, set, (uint32_t)member, (uint32_t)pair) || (s > 0 && !ComesBefore(skin, set - 1, set)))
		{
			return fault;
		}
		member += set->memberCount;
		pair += header->pairCount > 0 ? (uint64_t)set->memberCount * (set->memberCount - 1) / 2 : 0;
		if (pair > header->setPairCount || (header->pairCount > 0 && !CheckSetPairs(skin, set)))
		{
			return fault;
		}
	}
	return member == header->memberCount && pair == header->setPairCount ? NULL : fault;
}

// Joints of pairs and edges exist. Pairs ascend.
static const char* CheckPairs(const sgTurning* skin)
{
	const sgTurningHeader* header = skin->header;
	uint32_t joints = skin->blend.header->transformCount;
	for (uint32_t i = 0; i < header->pairCount; ++i)
	{
		sgTurningPair pair = skin->pairs[i], before = i > 0 ? skin->pairs[i - 1] : (sgTurningPair){ 0, 0 };
		bool isBehind = pair.first > before.first || (pair.first == before.first && pair.second > before.second);
		if (pair.second >= joints || pair.first > pair.second || (i > 0 && !isBehind))
		{
			return "its pairs of joints are wrong";
		}
	}
	for (uint32_t i = 0; i < header->edgeCount; ++i)
	{
		sgTurningPair edge = skin->edges[i];
		if (edge.first >= joints || edge.second >= joints || edge.first == edge.second)
		{
			return "an edge between joints is wrong";
		}
	}
	return header->linkCount <= header->edgeCount ? NULL : "an edge between joints is wrong";
}

// Vertices of a block that have one set: each of them has its members, and no other joint. Both lists ascend.
static bool HaveMembers(
    const sgTurning* skin, const sgBlock* block, const sgTurningSet* set, const uint8_t* owners, uint32_t lanes)
{
	const uint16_t *numbers = skin->blend.rows.numbers + block->numbers, *members = skin->members + set->firstMember;
	uint32_t found = 0, last = set->memberCount - 1;
	bool isGood = true;
	for (uint32_t j = 0; j < block->count; ++j)
	{
		uint32_t isMember = members[found < last ? found : last] == numbers[j];
		isGood &= (owners[j] & lanes) == (lanes & -isMember);
		found += isMember;
	}
	return isGood && found == set->memberCount;
}

// Set by set; lanes without a vertex repeat the set of the first.
static bool CheckBlock(
    const sgTurning* skin, uint32_t number, const uint32_t* vertices, uint32_t count, uint8_t* owners)
{
	const sgRows* rows = &skin->blend.rows;
	const sgBlock* block = rows->blocks + number;
	const uint32_t* blockSets = skin->blockSets + (size_t)number * SG_LANES;
	sgGetKernels()->rows->findOwners(rows->values + block->values + 3, block->count, owners);
	bool isGood = true;
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		isGood &= blockSets[lane] == skin->setOf[vertices[lane < count ? lane : 0]];
	}
	for (uint32_t rest = (1u << count) - 1u; rest != 0 && isGood;)
	{
		uint32_t set = blockSets[sgLowestBit(rest)], lanes = 0;
		for (uint32_t lane = 0; lane < count; ++lane)
		{
			lanes |= (uint32_t)(blockSets[lane] == set) << lane;
		}
		isGood = HaveMembers(skin, block, skin->sets + set, owners, lanes);
		rest &= ~lanes;
	}
	return isGood;
}

static const char* CheckVertices(const snugModel* model, const sgTurning* skin, void* scratch)
{
	const sgRowsOf of = sgModel_RowsOf(model);
	uint32_t number = 0;
	bool isGood = true;
	for (uint32_t c = 0; c <= of.clusters->header->count && isGood; ++c)
	{
		uint32_t vertices[SG_LANES], blocks = sgRows_CountBlocks(&of, c);
		for (uint32_t i = 0; i < blocks && isGood; ++i)
		{
			uint32_t count = sgRows_BlockVertices(&of, c, i, vertices);
			isGood = CheckBlock(skin, number++, vertices, count, scratch);
		}
	}
	return isGood ? NULL : "a vertex has another joint set than its joints say";
}

static const char* CheckOwn(const snugModel* model, const sgTurning* skin, void* scratch)
{
	// Kernels have room for the places of so many joints.
	bool hasPairs = skin->header->pairCount > 0;
	if (skin->header->pairCount > UINT16_MAX || (hasPairs && skin->blend.header->rows.most > SG_PAIR_INFLUENCES))
	{
		return "its joint sets are wrong";
	}
	sgArray list[SG_SKIN_ARRAYS];
	sgTurning_ListArrays(model, skin->blend.header, skin->header, list);
	const char* fault = sgArrays_Check(list, SG_SKIN_ARRAYS, skin);
	fault = fault == NULL ? CheckPairs(skin) : fault;
	fault = fault == NULL ? CheckSets(skin) : fault;
	return fault == NULL ? CheckVertices(model, skin, scratch) : fault;
}

bool sgTurning_Fits(const snugModel* model)
{
	const sgLinearHeader* header = model->deformData;
	if (!sgLinear_FitsHeader(model))
	{
		return false;
	}
	size_t end = sgLinear_Bytes(model, header);
	return model->deformBytes >= end && model->deformBytes - end >= sizeof(sgTurningHeader) &&
	       sgSkin_FitsMorph(model, sgTurning_End(model));
}

const char* sgTurning_Check(const snugModel* model, void* scratch)
{
	const sgTurning skin = sgTurning_Get(model);
	const sgFamilyRules families = { skin.header->pairCount, sgAcross_eights, sgLinear_local };
	const char* fault = sgLinear_CheckData(model, &skin.blend, &families, scratch);
	fault = fault == NULL ? CheckOwn(model, &skin, scratch) : fault;
	return fault == NULL ? sgSkin_CheckMorph(model, sgTurning_End(model), scratch) : fault;
}
