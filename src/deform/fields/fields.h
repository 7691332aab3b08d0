// src/deform/fields/fields.h: displacement fields: a vertex at rest position p goes to p + sum_f q_f d_f, with
// amplitudes q.
//
// They are the whole deformation of snug_fields, and a stage of morph targets in front of skins. Everything that is
// known about a model's fields is one relocatable piece of memory: what each vertex does, in blocks of eight (rows.h),
// and numbers from which nodes are bounded, eight nodes of a group at a time.
//
// Evaluation: ((p + 0) + q_0 d_0) + q_1 d_1 + ..., fields ascending, float32, never fused. Adding zero to p makes a
// negative zero positive, and a sum that starts so is never a negative zero; hence fields that do not move a vertex, or
// whose amplitude is zero, may be added or left out: not a bit changes.
//
// Bounds: docs/bounds/fields.md.
#ifndef SG_FIELDS_H
#define SG_FIELDS_H

#include "geometry/prism.h"
#include "model/contents.h"
#include "model/deformer.h"

/// What a group knows of its nodes.
typedef struct sgFieldsHead
{
	sgLaneFloats center[3]; ///< of the rest box
	sgLaneFloats half[3];   ///< |p - center| <= half for every vertex below
	sgLaneFloats gain;      ///< at least 1: no fit's terms, |mean| + |gradient| extent + residual per axis with the
	                        ///< extent of the prism, exceed this times the field's greatest displacement
	sgLaneFloats stretch;   ///< no vertex moves farther than this times the length of the change of all amplitudes
	sgPrismLanes prism;     ///< around the rest positions
} sgFieldsHead;
SG_STORED(sgFieldsHead, 768);

/// lower <= d <= upper for the displacement d of every vertex below.
typedef struct sgFieldInterval
{
	sgLaneFloats lower[3];
	sgLaneFloats upper[3];
} sgFieldInterval;
SG_STORED(sgFieldInterval, 192);

/// d = mean + gradient (p - center) +- residual. gradient[i][k]: change of d_i with p_k.
typedef struct sgFieldFit
{
	sgLaneFloats mean[3];
	sgLaneFloats gradient[3][3];
	sgLaneFloats residual[3];
} sgFieldFit;
SG_STORED(sgFieldFit, 480);

/// Nodes of one group of the tree (tree.h) that are bounded from the pose.
typedef struct sgFieldsGroup
{
	uint32_t values; ///< in groupValues: sgFieldsHead, then an sgFieldFit and maybe an sgFieldInterval for each field;
	                 ///< nothing if no node of the group is bounded
	uint32_t fields; ///< in groupFields, ascending: those that move anything below any of the nodes
	uint32_t fieldCount;
	uint32_t hasIntervals; ///< 0 or 1
} sgFieldsGroup;
SG_STORED(sgFieldsGroup, 16);

/// Start of the data; the arrays of sgFields follow.
typedef struct sgFieldsHeader
{
	sgRowCounts rows; ///< of displacements
	uint32_t fieldCount;
	uint32_t groupFieldCount; ///< of all groups together
	uint32_t groupValueCount; ///< sgLaneFloats
	uint32_t hasIntervals;    ///< 1: every group has them; 0: those where fits leave much over
	float restReach[3];       ///< greatest |coordinate| of rest positions
	float reach[3];           ///< the same, of prisms and boxes around nodes too
	float stretch;            ///< the greatest of all vertices: see sgFieldsHead
	float span;               ///< root of the sum of squares over fields of the greatest displacement along any axis
} sgFieldsHeader;
SG_STORED(sgFieldsHeader, 64);

typedef struct sgFields
{
	const sgFieldsHeader* header;
	sgRows rows;                     ///< fields that move each vertex, and its displacements
	const float* most;               ///< (3 fieldCount): greatest |displacement| of each field, per axis
	const sgFieldsGroup* groups;     ///< (groups of the tree)
	const uint16_t* groupFields;     ///< (groupFieldCount)
	const sgLaneFloats* groupValues; ///< (groupValueCount)
} sgFields;

/// The list of those arrays (base/arrays.h), for a header that has all counts.
#define SG_FIELDS_ARRAYS (SG_ROWS_ARRAYS + 4)
void sgFields_ListArrays(const snugModel* model, const sgFieldsHeader* header, sgArray list[SG_FIELDS_ARRAYS]);

/// Bytes of a header and its arrays.
size_t sgFields_Bytes(const snugModel* model, const sgFieldsHeader* header);

/// Amplitudes, and what follows from them. They follow the struct, fieldCount floats.
typedef struct sgFieldsPose
{
	float reach[3];       ///< per axis: bounds every intermediate of evaluating any vertex
	uint32_t activeCount; ///< amplitudes that are not zero
	float padding[12];
} sgFieldsPose;

/// What displaces the vertices of a cluster.
typedef struct sgDisplacing
{
	const sgFields* fields;
	const sgBlock* blocks; ///< of the cluster
	const float* amplitudes;
	const sgLaneFloats* made; ///< nullable: what comes out, x y z of each block
} sgDisplacing;

/// @param made sgPosed.displaced
static inline sgDisplacing sgFields_Displacing(
    const sgFields* fields, const sgFieldsPose* pose, const sgLaneFloats* made, uint32_t cluster)
{
	uint32_t first = fields->rows.firstBlocks[cluster];
	return (sgDisplacing){
		.fields = fields,
		.blocks = fields->rows.blocks + first,
		.amplitudes = (const float*)(const void*)(pose + 1),
		.made = made != NULL ? made + 3 * (size_t)first : NULL,
	};
}

/// sgLaneFloats for displaced positions of all clusters; zero if there is nothing to displace.
size_t sgFields_CountDisplaced(const snugModel* model, const sgFields* fields);

/// sgDeform.displace.
/// @param poses may have some twice
void sgFields_Displace(const snugModel* model, const sgFields* fields, const sgFieldsPose* const poses[SG_TOGETHER],
    sgLaneFloats* const out[SG_TOGETHER]);

/// Make the data from a definition; tree, clusters and positions of the model are ready. Allocated with its allocator.
/// Errors of the definition are told through its messenger.
/// @param hasIntervals sgFieldsHeader
snugStatus sgFields_Build(
    const snugModel* model, const snugModelDef* def, bool hasIntervals, void** data, size_t* bytes);

/// Body-space positions of `count` vertices, x y z each, by the definition above.
void sgFields_Evaluate(const sgFields* fields, const sgFieldsPose* pose, const float* positions,
    const uint32_t* vertices, uint32_t count, float* out);

/// Whether data from a file have the size that their counts ask for, so that their arrays can be found.
bool sgFields_Fits(const snugModel* model, const void* data, size_t bytes);

/// Check data that come from a file and fit: every index, every number that positions follow from; of bounds that they
/// are finite.
/// @param scratch of SG_ROWS_SCRATCH bytes
/// @return null if all is well, or what is wrong
const char* sgFields_Check(const snugModel* model, const void* data, void* scratch);

sgFields sgFields_Bind(const snugModel* model, const void* data);

/// Lanes of a group that are bounded from the pose: inner nodes.
uint32_t sgFields_BoundedLanes(const sgTree* tree, uint32_t group);

/// What there is to say about displacement fields whose data begin there: sgDeform.describe.
void sgFields_Describe(const snugModel* model, const void* data, sgContents* contents);

/// sgLaneFloats of a group that is bounded.
uint64_t sgFieldsGroup_Values(const sgFieldsGroup* group);

static inline const sgFieldsHead* sgFieldsGroup_Head(const sgFields* fields, const sgFieldsGroup* group)
{
	return (const sgFieldsHead*)(const void*)(fields->groupValues + group->values);
}

/// One for each field of a group.
static inline const sgFieldFit* sgFieldsGroup_Fits(const sgFields* fields, const sgFieldsGroup* group)
{
	return (const sgFieldFit*)(const void*)(sgFieldsGroup_Head(fields, group) + 1);
}

/// One for each field of a group that has them.
static inline const sgFieldInterval* sgFieldsGroup_Intervals(const sgFields* fields, const sgFieldsGroup* group)
{
	return (const sgFieldInterval*)(const void*)(sgFieldsGroup_Fits(fields, group) + group->fieldCount);
}

static inline const float* sgFieldsPose_Amplitudes(const sgFieldsPose* pose)
{
	return (const float*)(const void*)(pose + 1);
}

static inline size_t sgFieldsPose_Bytes(const sgFieldsHeader* header)
{
	return sgAlignUp(sizeof(sgFieldsPose) + header->fieldCount * sizeof(float), SG_ALIGNMENT);
}

/// All amplitudes zero.
void sgFieldsPose_SetRest(const sgFields* fields, sgFieldsPose* pose);

/// Take as many amplitudes as there are fields. A bad set leaves the pose as it was.
/// @param change receives a fault, or as `motion` the length of the change of all amplitudes, rounded up; zero only if
/// there is none
void sgFieldsPose_Set(const sgFields* fields, sgFieldsPose* pose, const float* amplitudes, sgPoseChange* change);

/// What rounding may take away from evaluated positions, as a multiple of the pose's reach: (rows.most + 1) 2^-24.
double sgFields_EvaluationError(const sgFieldsHeader* header);

#endif
