// src/deform/skin/turning_pose.c: from matrices to what evaluation and bounds need: rigid motions, signs, rotation
// centres, pairs. See turning.h. In double, with + - * / and square roots only, so that it is the same everywhere.
#include "deform/deform.h"
#include "deform/skin/turning_kernels.h"
#include "geometry/frame.h"

#include <math.h>
#include <string.h>

/// No position or intermediate may be farther out: sums of a few such lengths, divided by the least |sum w q|^2, are
/// finite.
static const double reachLimit = (double)SNUG_MAX_COORDINATE / 4096.0;

// The next array: moves `end` behind it.
static size_t PlaceArray(size_t* end, size_t bytes)
{
	size_t place = *end;
	*end += sgAlignUp(bytes, SG_ALIGNMENT);
	return place;
}

/// Where the arrays of what is derived are, in bytes from its beginning.
typedef struct Places
{
	size_t pairs, oldCenters, centers, duals, ownPairs, pairSigns, end;
} Places;

static size_t CenterBytes(const sgTurning* skin, bool isSpherical)
{
	return isSpherical ? (3 * (size_t)skin->header->setCount + 1) * sizeof(float) : 0;
}

static Places PlaceDerived(const sgTurning* skin, bool isSpherical)
{
	size_t joints = skin->blend.header->transformCount, pairs = skin->header->pairCount, end = sizeof(sgTurningView);
	size_t pairBytes = (pairs > 0 ? pairs : joints) * sizeof(sgTurningPairPose);
	// In the same place, but before.
	size_t momentBytes = joints * sizeof(sgTurningMoments), scratchBytes = momentBytes + CenterBytes(skin, isSpherical);
	Places places;
	places.oldCenters = end + momentBytes;
	places.pairs = PlaceArray(&end, pairBytes > scratchBytes ? pairBytes : scratchBytes);
	places.centers = PlaceArray(&end, CenterBytes(skin, isSpherical));
	places.duals = PlaceArray(&end, isSpherical ? 0 : 4 * joints * sizeof(float));
	places.ownPairs = PlaceArray(&end, joints * sizeof(uint16_t));
	places.pairSigns = PlaceArray(&end, pairs > 2 * joints ? pairs : 2 * joints);
	places.end = end;
	return places;
}

size_t sgTurning_JointBytes(const snugModel* model)
{
	const sgLinearHeader* blend = model->deformData;
	return sizeof(sgTurningPose) + (size_t)blend->transformCount * sizeof(sgTurningJoint);
}

size_t sgTurning_DerivedBytes(const snugModel* model)
{
	return PlaceDerived(&((const sgTurningArrays*)model->arrays)->skin, model->deform->blending == snug_blendSpherical)
	    .end;
}

// A view of a pose that is being made, or that something is being derived from.
static sgTurningView ViewPose(const snugModel* model, const void* memory)
{
	const sgTurningArrays* arrays = model->arrays;
	sgTurningPose* pose = (sgTurningPose*)(uintptr_t)memory;
	return (sgTurningView){
		.skin = &arrays->skin,
		.restPositions = model->positions,
		.fields = &arrays->morph.fields,
		.morph = sgMorph_Active(&arrays->morph, pose),
		.pose = pose,
		.joints = (sgTurningJoint*)(void*)(pose + 1),
		.isSpherical = model->deform->blending == snug_blendSpherical,
	};
}

// ---- Joints ----------------------------------------------------------------------------------------------------

// The first of eight joints that something is wrong with.
static bool FindFault(
    sgJointsTaken taken, const sgPoseInput* input, uint32_t first, uint32_t count, sgPoseChange* change)
{
	uint32_t bad = ~(taken.isFinite & taken.isTurn) & ((1u << count) - 1u);
	if (bad == 0)
	{
		return false;
	}
	uint32_t lane = sgLowestBit(bad);
	change->culprit = first + lane;
	change->fault = sgPoseFault_notRigid;
	if ((taken.isFinite >> lane & 1) == 0)
	{
		bool isFinite = sgPoseInput_IsFinite(input, change->culprit);
		change->fault = isFinite ? sgPoseFault_tooFar : sgPoseFault_notFinite;
	}
	return true;
}

// False if something is wrong with a joint.
static bool SetJoints(const sgTurningView* view, const sgPoseInput* input, sgPoseChange* change)
{
	static const float identity[12] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 };
	uint32_t count = view->skin->blend.header->transformCount;
	view->pose->hasStage = 0;
	for (uint32_t first = 0; first < count; first += SG_LANES)
	{
		float room[SG_LANES][12];
		const float* pointers[SG_LANES];
		uint32_t these = count - first < SG_LANES ? count - first : SG_LANES;
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			pointers[lane] = lane < these ? sgPoseInput_Matrix(input, first + lane, room[lane]) : identity;
		}
		sgJointsTaken taken = sgTurning_GetKernels()->takeJoints(view, pointers, first, these);
		if (FindFault(taken, input, first, these, change))
		{
			return false;
		}
		view->pose->hasStage |= taken.isGeneral != 0;
	}
	return true;
}

// ---- Signs -----------------------------------------------------------------------------------------------------

static double Cosine(const sgTurningJoint* a, const sgTurningJoint* b)
{
	double sum = 0.0;
	for (int k = 0; k < 4; ++k)
	{
		sum += (double)a->q[k] * (double)b->q[k];
	}
	return sum;
}

static void Negate(sgTurningJoint* joint)
{
	for (int k = 0; k < 4; ++k)
	{
		joint->q[k] = -joint->q[k];
	}
}

// Signs along links, so that pivots and what they are the pivot of agree. Where other edges agree too, as they do
// unless joints are turned by half a turn against their neighbours, every joint set has its signs right.
static void AlignSigns(const sgTurningView* view)
{
	const sgTurning* skin = view->skin;
	double least = 1.0;
	for (uint32_t e = 0; e < skin->header->edgeCount; ++e)
	{
		sgTurningJoint *a = view->joints + skin->edges[e].first, *b = view->joints + skin->edges[e].second;
		double cosine = Cosine(a, b);
		if (cosine < 0.0 && e < skin->header->linkCount)
		{
			Negate(b);
			cosine = -cosine;
		}
		least = cosine < least ? cosine : least;
	}
	// The sum of a vertex' quaternions is at least as long as it is along the pivot's: a convex combination of cosines.
	bool isAligned = least >= 0.0;
	view->pose->isAligned = isAligned;
	view->pose->leastLength2 = isAligned ? (float)(least * least * (1.0 - 0x1p-20)) : 0.0f;
}

// Where they do not, each joint set has signs of its own.
float sgTurning_SignOf(const sgTurningView* view, const sgTurningSet* set, uint32_t member)
{
	const uint16_t* members = view->skin->members + set->firstMember;
	bool isAway =
	    !view->pose->isAligned && Cosine(view->joints + members[member], view->joints + members[set->pivot]) < 0.0;
	return isAway ? -1.0f : 1.0f;
}

// What joint sets say about the signs of their pairs.
static void SignPairs(const sgTurningView* view)
{
	const sgTurning* skin = view->skin;
	memset(view->pairSigns, sgPairSign_none, skin->header->pairCount);
	for (uint32_t s = 0; s < skin->header->setCount; ++s)
	{
		const sgTurningSet* set = skin->sets + s;
		const uint16_t* pair = skin->setPairs + set->firstPair;
		for (uint32_t i = 0; i < set->memberCount; ++i)
		{
			float first = sgTurning_SignOf(view, set, i);
			for (uint32_t j = i + 1; j < set->memberCount; ++j)
			{
				int8_t sign = first == sgTurning_SignOf(view, set, j) ? sgPairSign_plus : sgPairSign_minus;
				int8_t* found = view->pairSigns + *pair++;
				*found = *found == sgPairSign_none || *found == sign ? sign : sgPairSign_disputed;
			}
		}
	}
}

// ---- Pairs -----------------------------------------------------------------------------------------------------

// Where the pairs of joints with themselves are. Joints that move nothing have none.
static void FindOwnPairs(const sgTurningView* view)
{
	const sgTurning* skin = view->skin;
	for (uint32_t j = 0; j < skin->blend.header->transformCount; ++j)
	{
		view->ownPairs[j] = skin->header->pairCount > 0 ? SG_NO_PAIR : (uint16_t)j;
	}
	for (uint32_t p = 0; p < skin->header->pairCount; ++p)
	{
		if (skin->pairs[p].first == skin->pairs[p].second)
		{
			view->ownPairs[skin->pairs[p].first] = (uint16_t)p;
		}
	}
}

// ---- Reach -----------------------------------------------------------------------------------------------------

/// The farthest from zero that the affine stage carries anything within the model's reach, and how far from where it
/// was: per axis, the latter.
static double StageReach(const sgTurningView* view, const float rest[3])
{
	double most2 = 0.0;
	for (uint32_t j = 0; j < view->skin->blend.header->transformCount; ++j)
	{
		const float* stage = view->joints[j].stage;
		double sum = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			double along = fabs((double)stage[sgStagePlace[i][3]]) + (double)rest[i];
			for (int k = 0; k < 3; ++k)
			{
				along += fabs((double)stage[sgStagePlace[i][k]]) * (double)rest[k];
			}
			sum += along * along;
		}
		most2 = sum > most2 ? sum : most2;
	}
	return sqrt(most2);
}

// Twice a bound of |v| + |t| + 2 |r|, which bounds v - r, the images of both, and the parts of a dual quaternion;
// twice, since bounds are made of differences of two of them. 2^-100 is for products below what float32 can hold.
// Infinite if it is too large.
static float FindReach(const sgTurningView* view, double farthestCenter, const sgFieldsPose* amplitudes)
{
	float rest[3];
	double translation2 = 0.0, length2 = 0.0;
	for (int axis = 0; axis < 3; ++axis)
	{
		rest[axis] = view->skin->blend.header->reach[axis] + (amplitudes != NULL ? amplitudes->reach[axis] : 0.0f);
		length2 += (double)rest[axis] * (double)rest[axis];
	}
	for (uint32_t j = 0; j < view->skin->blend.header->transformCount; ++j)
	{
		const sgTurningJoint* joint = view->joints + j;
		double sum = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			sum += (double)joint->translation[i] * (double)joint->translation[i];
		}
		translation2 = sum > translation2 ? sum : translation2;
	}
	double staged = view->pose->hasStage ? StageReach(view, rest) : 0.0, length = sqrt(length2);
	double reach = 2.0 * ((staged > length ? staged : length) + sqrt(translation2) + 2.0 * farthestCenter);
	return reach < reachLimit ? sgRoundUp(reach * (1.0 + 0x1p-20) + 0x1p-100) : INFINITY;
}

static double FarthestCenter(const sgTurningView* view)
{
	double most2 = 0.0;
	for (uint32_t s = 0; view->isSpherical && s < view->skin->header->setCount; ++s)
	{
		const float* center = view->centers + 3 * (size_t)s;
		double x = (double)center[0], y = (double)center[1], z = (double)center[2], length2 = x * x + y * y + z * z;
		most2 = sgMost(most2, length2);
	}
	return sqrt(most2);
}

// No rotation centre is farther out, whatever it is: with e = C_i r0 - C_j r0 over the pairs of a set of n joints,
// damped least squares lead from r0, which is a mean of joints' rest positions, no farther than |e| / (2
// sqrt(damping)), and |e| <= sqrt(2) n max |C_i r0|: 0.8 n max |C_i r0| / sqrt(damping) is more. A pose's reach can be
// checked with it before any centre is known.
static double FarthestPossibleCenter(const sgTurningView* view)
{
	double origin2 = 0.0, translation2 = 0.0;
	for (uint32_t j = 0; view->isSpherical && j < view->skin->blend.header->transformCount; ++j)
	{
		double position2 = 0.0, sum = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			double at = (double)view->skin->jointPositions[3 * (size_t)j + (size_t)i],
			       t = (double)view->joints[j].translation[i];
			position2 += at * at;
			sum += t * t;
		}
		origin2 = position2 > origin2 ? position2 : origin2;
		translation2 = sum > translation2 ? sum : translation2;
	}
	double origin = sqrt(origin2), image = origin + sqrt(translation2);
	double farthest = 0.8 / sqrt(SG_CENTER_DAMPING);
	return origin + farthest * view->skin->blend.header->rows.most * image;
}

void sgTurning_SetPose(
    const snugModel* model, const sgPoseInput* input, const void* before, void* pose, sgPoseChange* change)
{
	const sgTurningArrays* arrays = model->arrays;
	sgMorph_SetPose(&arrays->morph, input, before, pose, change);
	bool setsAmplitudes = input->kind == sgPose_amplitudes;
	if (change->fault != sgPoseFault_none || (setsAmplitudes && change->motion == 0.0))
	{
		return;
	}
	if (setsAmplitudes)
	{
		memcpy(pose, before, sgTurning_JointBytes(model));
	}
	const sgTurningView view = ViewPose(model, pose);
	if (!setsAmplitudes)
	{
		*view.pose = (sgTurningPose){ 0 };
		if (!SetJoints(&view, input, change))
		{
			return;
		}
		AlignSigns(&view);
	}
	view.pose->reach = FindReach(&view, FarthestPossibleCenter(&view), view.morph);
	// A rest pose may be too far out as well. It cannot be refused: all of its bounds are as large as they can be.
	if (!(view.pose->reach < INFINITY) && input->kind != sgPose_rest)
	{
		*change = (sgPoseChange){ .fault = sgPoseFault_tooFar, .culprit = SG_NONE };
		return;
	}
	change->isPending = true;
	change->motion = INFINITY;
}

/// Vertices that go farther from pose to pose, as a part of the mesh' least extent at rest, need no bound on how far:
/// it is too far for any box to grow by.
#define GREATEST_MOTION 0x1p-6f

static float LeastExtent(const sgBoxLanes* root)
{
	float least = INFINITY;
	for (int k = 0; k < 3; ++k)
	{
		least = fminf(least, root->upper[k][0] - root->lower[k][0]);
	}
	return least;
}

// Whether there is a bound on how far vertices go from one pose to another.
static bool CanMove(const sgTurningView* view)
{
	return view->morph == NULL && view->pose->isAligned != 0 && view->pose->hasStage == 0;
}

double sgTurning_Derive(const snugModel* model, const void* pose, const void* before, void* derived)
{
	sgTurningView* view = derived;
	char* at = derived;
	const float reachBefore = view->reach;
	const sgTurningView old = before != NULL ? ViewPose(model, before) : (sgTurningView){ .skin = NULL };
	*view = ViewPose(model, pose);
	Places places = PlaceDerived(view->skin, view->isSpherical);
	view->pairs = (sgTurningPairPose*)(void*)(at + places.pairs);
	view->moments = (sgTurningMoments*)(void*)(at + places.pairs);
	view->centers = (float*)(void*)(at + places.centers);
	view->duals = (float*)(void*)(at + places.duals);
	view->ownPairs = (uint16_t*)(void*)(at + places.ownPairs);
	view->pairSigns = (int8_t*)(at + places.pairSigns);
	view->turns = (uint16_t*)(void*)(at + places.pairSigns);
	float* oldCenters = (float*)(void*)(at + places.oldCenters);
	bool canMove = before != NULL && CanMove(&old) && CanMove(view);
	FindOwnPairs(view);
	if (view->isSpherical)
	{
		memcpy(oldCenters, view->centers, CenterBytes(view->skin, true));
		sgTurning_GetKernels()->findCenters(view);
	}
	view->reach = FindReach(view, FarthestCenter(view), view->morph);
	double motion = INFINITY;
	if (canMove)
	{
		float limit = GREATEST_MOTION * LeastExtent(model->restBounds);
		motion = sgTurning_GetKernels()->findMotion(view, old.pose, oldCenters, reachBefore, limit);
	}
	if (!view->pose->isAligned && view->skin->header->pairCount > 0)
	{
		SignPairs(view);
	}
	sgTurning_GetKernels()->makePairs(view);
	return motion;
}
