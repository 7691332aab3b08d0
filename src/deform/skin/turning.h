// src/deform/skin/turning.h: skins whose joints turn: spherical blending (Kavan, Zara 2005) and dual quaternions.
//
//     spherical:        v' = rotation(sum w_i q_i) (v - r) + sum w_i C_i r,      r the joint set's rotation centre
//     dual quaternion:  v' = the rigid motion of sum w_i (q_i + epsilon d_i), divided by the length of sum w_i q_i
//
// C_i is joint i's rigid motion, q_i its quaternion. Quaternions q and -q are the same rotation, but not the same
// summand: a vertex' joint set, the joints that move it, has a pivot, and the others' signs are chosen so that none
// points away from it. Signs, pivots and rotation centres are made once per pose, for evaluation and bounds alike.
//
// Both are rational quadratic in the weights: v' = sum_ij w_i w_j M_ij v / sum_ij w_i w_j (q_i . q_j), with matrices
// M_ij of pairs of joints, which depend on the pose alone. So what linear_bounds.h has for sums over transforms serves
// for sums over pairs, with a denominator: a skin's data are those of a linear skin whose families have pairs for
// transforms, followed by what is below. docs/bounds/turning-skins.md has the proofs.
//
// turning.c evaluates; rows/joint_sets.c finds joint sets and pairs, turning_pose.c makes poses, turning_kernels.c is
// compiled per instruction set.
#ifndef SG_SKIN_H
#define SG_SKIN_H

#include "deform/rows/joint_sets.h"
#include "deform/skin/linear.h"

/// 1 - cosine of a pair is 2 at most, but for pairs on whose sign joint sets disagree. Nodes that have
/// one are bounded by their vertices.
#define SG_DISPUTED 4.0f

/// Below this, |sum w q|^2 says nothing about a direction any more, and the pivot's quaternion takes its place.
#define SG_LEAST_LENGTH2 0x1p-10f

typedef struct sgTurning
{
	sgLinear blend;
	const sgTurningHeader* header;
	const float* jointPositions; ///< (3 transformCount): at rest
	const uint32_t* setOf;       ///< (vertexCount): joint set
	const sgTurningSet* sets;    ///< (setCount), those with fewer members first
	const uint16_t* members;     ///< (memberCount)
	const sgTurningPair* pairs;  ///< (pairCount), ascending
	const uint16_t* setPairs;    ///< (setPairCount)
	const sgTurningPair* edges;  ///< (edgeCount): pivots and what they are the pivot of, each once; of the first
	                             ///< linkCount, `first` came before
	const uint32_t* blockSets;   ///< (blockCount * SG_LANES): joint sets of the vertices of a block
} sgTurning;

/// The list of those arrays (base/arrays.h), for headers that have all counts.
#define SG_SKIN_ARRAYS 8
void sgTurning_ListArrays(
    const snugModel* model, const sgLinearHeader* blend, const sgTurningHeader* header, sgArray list[SG_SKIN_ARRAYS]);

/// Bytes of a header and its arrays.
size_t sgTurning_Bytes(const snugModel* model, const sgLinearHeader* blend, const sgTurningHeader* header);

/// Find the arrays of data that begin with those of linear_bounds.h.
sgTurning sgTurning_Bind(const snugModel* model, const void* data);
sgTurning sgTurning_Get(const snugModel* model);

/// Where a model's data of both end. Morph targets follow.
size_t sgTurning_End(const snugModel* model);

/// sgDeform.build, fits and check.
snugStatus sgTurning_Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes);
bool sgTurning_Fits(const snugModel* model);
const char* sgTurning_Check(const snugModel* model, void* scratch);

// ---- Poses -------------------------------------------------------------------------------------------------------

/// One joint in a pose: the rigid motion of its matrix, and what remains of that.
typedef struct sgTurningJoint
{
	float q[4];           ///< x, y, z, w; about unit length; its sign as its neighbours', where they agree
	float translation[3]; ///< after the rotation
	float stage[9];       ///< scale and shear about the joint, less the identity: xx xy xz yy yz zz, then the
	                      ///< translation; all zero of a joint that has none
} SG_ALIGN(64) sgTurningJoint;

/// Where row r, column c of a joint's affine stage is; columns 3 are the translation.
static const uint8_t sgStagePlace[3][4] = { { 0, 1, 2, 6 }, { 1, 3, 4, 7 }, { 2, 4, 5, 8 } };

/// Sums over the joints of a joint set start from these, in double: the rotation by rows, the translation t, the
/// rotation's transpose times t, zero.
typedef struct sgTurningMoments
{
	double values[16];
} SG_ALIGN(64) sgTurningMoments;

/// Two joints in a pose: M [v; 1] and the cosine. For spherical blending M depends on the rotation centre, so on the
/// joint set: its translation lies between two.
typedef struct sgTurningPairPose
{
	float columns[3][3]; ///< of M
	float lower[3];      ///< translations; the same of a joint with itself, and of dual quaternions
	float upper[3];
	float cosine; ///< of the angle between the quaternions; exactly 1 for a joint with itself
} SG_ALIGN(64) sgTurningPairPose;

/// A pose. An array follows, then the amplitudes of morph targets, if there are any, an sgFieldsPose:
///   joints[transformCount]
typedef struct sgTurningPose
{
	float reach;        ///< twice the length of any intermediate of evaluating a vertex, at least, with any centres
	uint32_t isAligned; ///< signs of all joint sets agree with those in `joints`
	uint32_t hasStage;  ///< joints scale or shear: an affine stage comes first
	float leastLength2; ///< of |sum w q|^2 over all vertices; zero if that is not known
	uint32_t padding[12];
} sgTurningPose;

/// What model->arrays is.
typedef struct sgTurningArrays
{
	sgTurning skin;
	sgMorph morph;
} sgTurningArrays;

/// A model and a pose, with all that evaluation and bounds look at: what is derived from a pose begins with it. Arrays
/// follow, each aligned, in the order below.
typedef struct sgTurningView
{
	const sgTurning* skin;
	const float* restPositions; ///< of the model
	const sgFields* fields;     ///< morph targets; only if the next is not null
	const sgFieldsPose* morph;  ///< their amplitudes; null if all are zero
	sgTurningPose* pose;
	sgTurningJoint* joints; ///< of the pose
	bool isSpherical;
	float reach; ///< of the pose with its rotation centres

	sgTurningPairPose* pairs;  ///< (pairCount); or of each joint with itself (transformCount), of models without pairs
	sgTurningMoments* moments; ///< (transformCount): in the same place, while rotation centres are found
	float* centers;            ///< (3 setCount, and one more): rotation centres, of spherical blending
	float* duals;              ///< (4 transformCount): half of the translation times q, of dual quaternions
	uint16_t* ownPairs;        ///< (transformCount): where the pair of a joint with itself is in `pairs`, or SG_NO_PAIR
	int8_t* pairSigns;         ///< (pairCount): sgPairSign, unless isAligned
	uint16_t* turns; ///< (transformCount): in the same place, if isAligned: joints that turn as one have one number
} SG_ALIGN(64) sgTurningView;

/// A model has fewer pairs.
#define SG_NO_PAIR UINT16_MAX

/// What joint sets say about the sign of a pair.
typedef enum sgPairSign
{
	sgPairSign_minus = -1,
	sgPairSign_none,
	sgPairSign_plus,
	sgPairSign_disputed, ///< they do not agree
} sgPairSign;

/// The sign of a member's quaternion in its joint set: its own, if it does not point away from the pivot's.
float sgTurning_SignOf(const sgTurningView* view, const sgTurningSet* set, uint32_t member);

/// Bytes of a pose without the amplitudes of morph targets, and of what is derived from one.
size_t sgTurning_JointBytes(const snugModel* model);
size_t sgTurning_DerivedBytes(const snugModel* model);

/// sgDeform.setPose and sgDeform.derive.
void sgTurning_SetPose(
    const snugModel* model, const sgPoseInput* input, const void* before, void* pose, sgPoseChange* change);
double sgTurning_Derive(const snugModel* model, const void* pose, const void* before, void* derived);

#endif
