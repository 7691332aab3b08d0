// src/deform/bounds/linear_bounds.h: rows of weights with what bounds need: what linear skins, meshless bodies and
// skins that turn have in common. A row is of transforms, or of pairs of joints (skin/turning.h).
//
// A family of siblings is bounded at once, a node per lane: its transforms are the union of those of its nodes, and
// what depends on node and transform lies side by side for all eight. Neighbours share most of their transforms, so
// little is computed for nothing, and each transform is loaded once for eight nodes. Large nodes do not: near the root
// each has its own transforms, so they are bounded one by one, with eight transforms side by side.
// docs/bounds/skins.md derives the bounds, docs/bounds/rounding.md their rounding.
#ifndef SG_BLEND_BOUNDS_H
#define SG_BLEND_BOUNDS_H

#include "deform/rows/moved.h"
#include "geometry/prism.h"

/// How one family is bounded. A family has one kind, since its lanes are computed together.
typedef enum sgLinearKind
{
	sgLinear_local,      ///< a linear program over ranges of weights and boxes of what each transform moves
	sgLinear_firstOrder, ///< weights that vary linearly over each node, and what that leaves over
	SG_BLEND_KINDS
} sgLinearKind;

/// What every kind needs of a node.
typedef struct sgLinearCommon
{
	sgLaneFloats center[3]; ///< of the rest box
	sgLaneFloats half[3];   ///< |v - center| <= half for every vertex v below
	sgLaneFloats slack;     ///< 1 - sum of least weights
	sgLaneFloats error;     ///< rounding, as a multiple of the pose's reach (sgLinearPose)
} sgLinearCommon;
SG_STORED(sgLinearCommon, 256);

/// The range of a transform's weight.
typedef struct sgRangeEntry
{
	sgLaneFloats low;
	sgLaneFloats spread; ///< greatest - least
} sgRangeEntry;
SG_STORED(sgRangeEntry, 64);

/// Entry of kind local: a range, and the rest box of only those vertices that the transform moves.
typedef struct sgLocalEntry
{
	sgRangeEntry range;
	sgLaneFloats center[3];
	sgLaneFloats half[3];
} sgLocalEntry;
SG_STORED(sgLocalEntry, 256);

/// Entry of kind firstOrder: weights are mean + gradient . (v - center) +- residual.
typedef struct sgFirstEntry
{
	sgLaneFloats mean;
	sgLaneFloats residual;
	sgLaneFloats gradient[3];
} sgFirstEntry;
SG_STORED(sgFirstEntry, 160);

/// Kind firstOrder: sums over the entries, and a rest volume that is tighter than the box.
typedef struct sgLinearVolume
{
	sgLaneFloats inverseSum; ///< 1 / sum of means
	sgLaneFloats gradientSum[3];
	sgPrismLanes prism;
} sgLinearVolume;
SG_STORED(sgLinearVolume, 640);

/// What the lanes of a family's entries are.
typedef enum sgAcross
{
	sgAcross_nodes,  ///< nodes
	sgAcross_blocks, ///< eight transforms in the order of `across`, of one node: entryTransforms says which eight
	sgAcross_eights, ///< eight transforms of one node: entryTransforms has eight numbers for each entry
} sgAcross;

/// How the nodes of a family are bounded: together, or one record for each bounded node, one after the other.
typedef struct sgLinearFamily
{
	uint32_t firstEntry; ///< in entryTransforms
	uint32_t entryCount;
	uint32_t values;  ///< where sgLinearCommon, then sgLinearVolume of first order, then entries start, in sgLaneFloats
	uint8_t kind;     ///< sgLinearKind
	uint8_t isAcross; ///< sgAcross: whether it is a node alone, lane 0 of what it shares, its transforms side by side
	uint16_t reserved; ///< zero
} sgLinearFamily;
SG_STORED(sgLinearFamily, 16);

/// How many of entryTransforms are a family's.
static inline uint64_t sgLinearFamily_Numbers(const sgLinearFamily* family)
{
	return family->entryCount * (uint64_t)(family->isAcross == sgAcross_eights ? SG_LANES : 1);
}

static inline uint32_t sgLinear_BlockCount(uint32_t transformCount)
{
	return (transformCount + SG_LANES - 1) / SG_LANES;
}

/// Start of a model's data; the arrays of sgLinear follow.
typedef struct sgLinearHeader
{
	sgRowCounts rows; ///< of influences
	uint32_t transformCount;
	uint32_t familyCount;
	uint32_t entryCount; ///< numbers of transforms, of all families together
	uint32_t valueCount; ///< sgLaneFloats
	float reach[3];      ///< greatest |coordinate| of the rest mesh, and of terms of rest volumes
} sgLinearHeader;
SG_STORED(sgLinearHeader, 44);

/// The arrays of rows and of what bounds need.
typedef struct sgLinear
{
	const sgLinearHeader* header;
	sgRows rows;                     ///< transforms that move each vertex, and their weights
	const uint32_t* firstFamilies;   ///< (groups): the first family of a group, if any node is bounded; else SG_NONE
	const sgLinearFamily* families;  ///< (familyCount)
	const uint16_t* entryTransforms; ///< (entryCount)
	const sgLaneFloats* values;      ///< (valueCount)
	const sgLinearMoved* moved;      ///< (blocks of eight transforms)
	const uint16_t* across;          ///< (transformCount): all transforms, neighbours in space close to each other
} sgLinear;

/// The list of those arrays (base/arrays.h), for a header that has all counts.
/// @param boundedCount what families are made of: transforms, or pairs of joints (skin/turning.h)
#define SG_BLEND_ARRAYS (SG_ROWS_ARRAYS + 6)
void sgLinear_ListArrays(
    const snugModel* model, const sgLinearHeader* header, uint32_t boundedCount, sgArray list[SG_BLEND_ARRAYS]);

/// Bytes of a header and its arrays.
size_t sgLinear_Bytes(const snugModel* model, const sgLinearHeader* header);

/// Find the arrays behind a header. Models keep what is found: sgLinearArrays.
sgLinear sgLinear_Bind(const snugModel* model, const void* data);
sgLinear sgLinear_Get(const snugModel* model);

/// Lanes of a family that are bounded: leaves are evaluated instead.
static inline uint32_t sgLinear_BoundedLanes(sgLaneSet family)
{
	return family.mask & ~family.leafMask;
}

/// sgLaneFloats of an entry, of a family before the first entry, and of a family in all.
uint32_t sgLinearKind_EntryValues(sgLinearKind kind);
uint32_t sgLinearFamily_HeadValues(const sgLinearFamily* family);
uint64_t sgLinearFamily_Values(const sgLinearFamily* family);

#endif
