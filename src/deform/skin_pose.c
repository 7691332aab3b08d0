// src/deform/skin_pose.c: from matrices to what evaluation and bounds need: rigid motions, signs, rotation centres,
// pairs. See skin.h. In double, with + - * / and square roots only, so that it is the same everywhere.
#include "deform/deform.h"
#include "deform/skin_kernels.h"
#include "geometry/frame.h"

#include <math.h>
#include <string.h>

/// No position or intermediate may be farther out: sums of a few such lengths, divided by the least |sum w q|^2, are
/// finite.
static const double reachLimit = (double)SNUG_MAX_COORDINATE / 4096.0;

static uint32_t SlabCount(const sgSkin* skin)
{
	snugVolume volume = (snugVolume)skin->blend.header->volume;
	return sgVolume_IsDop(volume) ? sgVolume_ExtraSlabs(volume) : 0;
}

// The next array: moves `end` behind it.
static size_t PlaceArray(size_t* end, size_t bytes)
{
	size_t place = *end;
	*end += sgAlignUp(bytes, SG_ALIGNMENT);
	return place;
}

// Where the arrays of a pose are, from its beginning; returns its size.
static size_t PlacePose(const sgBlendHeader* blend, bool isSpherical, size_t places[3])
{
	size_t end = sizeof(sgSkinPose), count = blend->transformCount;
	places[0] = PlaceArray(&end, count * sizeof(sgSkinJoint));
	places[1] = PlaceArray(&end, isSpherical ? count * sizeof(sgSkinMoments) : 0);
	places[2] = PlaceArray(&end, count * 16 * sizeof(float));
	return end;
}

// The same of what is derived.
static size_t PlaceDerived(const sgSkin* skin, size_t places[6])
{
	size_t end = sizeof(sgSkinView), pairs = skin->header->pairCount;
	places[0] = PlaceArray(&end, skin->header->setCount * 4 * sizeof(float));
	places[1] = PlaceArray(&end, pairs * sizeof(sgSkinPairPose));
	places[2] = PlaceArray(&end, pairs * SlabCount(skin) * sizeof(sgSkinSlab));
	places[3] = PlaceArray(&end, sgBlend_BlockCount((uint32_t)pairs) * sizeof(sgSkinPairLanes));
	places[4] = PlaceArray(&end, skin->header->memberCount * sizeof(float));
	places[5] = PlaceArray(&end, skin->blend.header->transformCount * sizeof(float));
	return end;
}

size_t sgSkin_JointBytes(const snugModel* model)
{
	size_t places[3];
	return PlacePose(model->deformData, model->deformer == snug_sphericalSkin, places);
}

size_t sgSkin_DerivedBytes(const snugModel* model)
{
	size_t places[6];
	return PlaceDerived(&((const sgSkinArrays*)model->arrays)->skin, places);
}

// A view of a pose that is being made, or that something is being derived from.
static sgSkinView ViewPose(const snugModel* model, const void* memory)
{
	const sgSkinArrays* arrays = model->arrays;
	char* pose = (char*)(uintptr_t)memory;
	size_t places[3];
	bool isSpherical = model->deformer == snug_sphericalSkin;
	PlacePose(arrays->skin.blend.header, isSpherical, places);
	return (sgSkinView){
		.skin = arrays->skin,
		.restPositions = model->positions,
		.isSpherical = isSpherical,
		.fields = arrays->morph.fields,
		.morph = sgMorph_Active(&arrays->morph, pose),
		.pose = (sgSkinPose*)(void*)pose,
		.joints = (sgSkinJoint*)(void*)(pose + places[0]),
		.moments = (sgSkinMoments*)(void*)(pose + places[1]),
		.stage = (float*)(void*)(pose + places[2]),
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
static bool SetJoints(const sgSkinView* view, const sgPoseInput* input, sgPoseChange* change)
{
	static const float identity[12] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 };
	uint32_t count = view->skin.blend.header->transformCount;
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
		sgJointsTaken taken = sgSkin_GetKernels()->takeJoints(view, pointers, first, these);
		if (FindFault(taken, input, first, these, change))
		{
			return false;
		}
		view->pose->hasStage |= taken.isGeneral != 0;
	}
	return true;
}

// ---- Signs -----------------------------------------------------------------------------------------------------

static double Cosine(const sgSkinJoint* a, const sgSkinJoint* b)
{
	double sum = 0.0;
	for (int k = 0; k < 4; ++k)
	{
		sum += (double)a->q[k] * (double)b->q[k];
	}
	return sum;
}

static void Negate(sgSkinJoint* joint)
{
	for (int k = 0; k < 4; ++k)
	{
		joint->q[k] = -joint->q[k];
		joint->dual[k] = -joint->dual[k];
	}
}

// Signs along links, so that pivots and what they are the pivot of agree. Where other edges agree too, as they do
// unless joints are turned by half a turn against their neighbours, every joint set has its signs right.
static void AlignSigns(const sgSkinView* view)
{
	const sgSkin* skin = &view->skin;
	double least = 1.0;
	for (uint32_t e = 0; e < skin->header->edgeCount; ++e)
	{
		sgSkinJoint *a = view->joints + skin->edges[e].first, *b = view->joints + skin->edges[e].second;
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
static void SetSigns(const sgSkinView* view)
{
	const sgSkin* skin = &view->skin;
	for (uint32_t s = 0; !view->pose->isAligned && s < skin->header->setCount; ++s)
	{
		const sgSkinSet* set = skin->sets + s;
		const uint16_t* members = skin->members + set->firstMember;
		for (uint32_t m = 0; m < set->memberCount; ++m)
		{
			bool isAway = Cosine(view->joints + members[m], view->joints + members[set->pivot]) < 0.0;
			view->signs[set->firstMember + m] = isAway ? -1.0f : 1.0f;
		}
	}
}

// ---- Rotation centres ------------------------------------------------------------------------------------------

// Rotation centres of all sets, and what they say about pairs.
static void FindCenters(const sgSkinView* view)
{
	const sgSkin* skin = &view->skin;
	sgSkin_GetKernels()->findCenters(view);
	for (uint32_t j = 0; j < skin->blend.header->transformCount; ++j)
	{
		view->spreads[j] = 0.0f;
	}
	for (uint32_t s = 0; s < skin->header->setCount; ++s)
	{
		const float* center = view->centers + 4 * (size_t)s;
		const sgSkinSet* set = skin->sets + s;
		for (uint32_t m = 0; m < set->memberCount && set->memberCount > 1; ++m)
		{
			float* spread = view->spreads + skin->members[set->firstMember + m];
			*spread = center[3] > *spread ? center[3] : *spread;
		}
	}
}

// ---- Pairs -----------------------------------------------------------------------------------------------------

// Where joint sets differ in their rotation centres, so do the matrices of their pairs, by no more than
// (|e| / 2 + 1 - cosine) times how far apart the set's joints carry the centre, |e| the sine. Sets with both joints are
// among those of either. The spread is the root of a sum of n^2 terms of the size of the reach squared, which double
// rounds to 2^-52 of it a few times, n up to SG_PAIR_INFLUENCES; and the centre and the matrices are rounded to
// float32: 2^-18 of the reach is more than either.
static void SetOffsets(const sgSkinView* view)
{
	const sgSkin* skin = &view->skin;
	float rounding = 0x1p-18f * view->pose->reach;
	for (uint32_t p = 0; p < skin->header->pairCount; ++p)
	{
		sgSkinPairPose* pair = view->pairs + p;
		float a = view->spreads[skin->pairs[p].first], b = view->spreads[skin->pairs[p].second];
		float cosine = pair->cosine, sine2 = 1.0f - cosine * cosine;
		float sine = sqrtf(sine2 > 0.0f ? sine2 : 0.0f) + 0x1p-11f; // sine2 is off by a few 2^-24
		bool isOne = skin->pairs[p].first == skin->pairs[p].second;
		float spread = (a < b ? a : b) * (1.0f + 0x1p-20f) + rounding;
		float off = isOne ? 0.0f : spread * (0.5f * sine + 1.0f - cosine + 0x1p-20f);
		pair->off[0] = pair->off[1] = pair->off[2] = off;
	}
}

/// Of pairs of which joint sets do not agree what the sign is: beyond SG_DISPUTED.
static const float noCosine = -0x1p10f;

// Where signs do not agree everywhere: those of each pair by its joint sets. `off` keeps what was found meanwhile.
static void SignPairs(const sgSkinView* view)
{
	const sgSkin* skin = &view->skin;
	for (uint32_t s = 0; s < skin->header->setCount; ++s)
	{
		const sgSkinSet* set = skin->sets + s;
		const float* signs = view->signs + set->firstMember;
		uint32_t p = set->firstPair;
		for (uint32_t i = 0; i < set->memberCount; ++i)
		{
			for (uint32_t j = i + 1; j < set->memberCount; ++j)
			{
				float *found = view->pairs[skin->setPairs[p++]].off, sign = signs[i] * signs[j];
				*found = *found == 0.0f || *found == sign ? sign : 2.0f;
			}
		}
	}
	for (uint32_t p = 0; p < skin->header->pairCount; ++p)
	{
		sgSkinPairPose* pair = view->pairs + p;
		for (int i = 0; pair->off[0] == -1.0f && i < 12; ++i)
		{
			pair->matrix[i / 4][i % 4] = -pair->matrix[i / 4][i % 4];
		}
		pair->cosine = pair->off[0] == -1.0f ? -pair->cosine : pair->off[0] == 2.0f ? noCosine : pair->cosine;
		pair->off[0] = 0.0f;
	}
}

static void SetSlabs(const sgSkinView* view)
{
	snugVolume volume = (snugVolume)view->skin.blend.header->volume;
	uint32_t count = SlabCount(&view->skin);
	for (uint32_t p = 0; count > 0 && p < view->skin.header->pairCount; ++p)
	{
		const sgSkinPairPose* pair = view->pairs + p;
		for (uint32_t i = 0; i < count; ++i)
		{
			const float* d = sgVolume_Directions(volume)[i];
			sgSkinSlab* slab = view->slabs + (size_t)count * p + i;
			for (int k = 0; k < 4; ++k)
			{
				slab->row[k] = d[0] * pair->matrix[0][k] + d[1] * pair->matrix[1][k] + d[2] * pair->matrix[2][k];
			}
			// Longer than any row of the three that |d| picks, which is at most the root of three times theirs.
			slab->off = 1.75f * pair->off[0];
		}
	}
}

// Pairs side by side, for nodes alone; zeros after the last.
static void SetAcross(const sgSkinView* view)
{
	uint32_t count = view->skin.header->pairCount;
	for (uint32_t p = 0; p < count; ++p)
	{
		const sgSkinPairPose* pair = view->pairs + p;
		sgSkinPairLanes* lanes = view->across + p / SG_LANES;
		for (int k = 0; k < 12; ++k)
		{
			lanes->matrix[k][p % SG_LANES] = pair->matrix[k / 4][k % 4];
		}
		lanes->cosine[p % SG_LANES] = pair->cosine;
		lanes->off[p % SG_LANES] = pair->off[0];
	}
}

static void SetPairs(const sgSkinView* view)
{
	if (view->skin.header->pairCount == 0)
	{
		return;
	}
	sgSkin_GetKernels()->makePairs(view);
	if (!view->pose->isAligned)
	{
		SignPairs(view);
	}
	if (view->isSpherical)
	{
		SetOffsets(view);
	}
	SetSlabs(view);
	SetAcross(view);
}

// ---- Reach -----------------------------------------------------------------------------------------------------

/// The farthest from zero that the affine stage carries anything within the model's reach, and how far from where it
/// was: per axis, the latter.
static double StageReach(const sgSkinView* view, const float rest[3])
{
	double most2 = 0.0;
	for (uint32_t j = 0; j < view->skin.blend.header->transformCount; ++j)
	{
		const float* columns = view->stage + 16 * (size_t)j;
		double sum = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			double along = fabs((double)columns[12 + i]) + (double)rest[i];
			for (int k = 0; k < 3; ++k)
			{
				along += fabs((double)columns[4 * k + i]) * (double)rest[k];
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
static float FindReach(const sgSkinView* view, double farthestCenter, const sgFieldsPose* amplitudes)
{
	float rest[3];
	double translation2 = 0.0, length2 = 0.0;
	for (int axis = 0; axis < 3; ++axis)
	{
		rest[axis] = view->skin.blend.header->reach[axis] + (amplitudes != NULL ? amplitudes->reach[axis] : 0.0f);
		length2 += (double)rest[axis] * (double)rest[axis];
	}
	for (uint32_t j = 0; j < view->skin.blend.header->transformCount; ++j)
	{
		const sgSkinJoint* joint = view->joints + j;
		double sum = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			sum += (double)joint->matrix[i][3] * (double)joint->matrix[i][3];
		}
		translation2 = sum > translation2 ? sum : translation2;
	}
	double staged = view->pose->hasStage ? StageReach(view, rest) : 0.0, length = sqrt(length2);
	double reach = 2.0 * ((staged > length ? staged : length) + sqrt(translation2) + 2.0 * farthestCenter);
	return reach < reachLimit ? sgRoundUp(reach * (1.0 + 0x1p-20) + 0x1p-100) : INFINITY;
}

static double FarthestCenter(const sgSkinView* view)
{
	double most2 = 0.0;
	for (uint32_t s = 0; view->isSpherical && s < view->skin.header->setCount; ++s)
	{
		const float* center = view->centers + 4 * (size_t)s;
		double x = (double)center[0], y = (double)center[1], z = (double)center[2], length2 = x * x + y * y + z * z;
		most2 = sgMost(most2, length2);
	}
	return sqrt(most2);
}

// No rotation centre is farther out, whatever it is: with e = C_i r0 - C_j r0 over the pairs of a set of n joints,
// damped least squares lead from r0, which is a mean of joints' rest positions, no farther than |e| / (2 sqrt(damping))
// = 5 |e|, and |e| <= sqrt(2) n max |C_i r0|. A pose's reach can be checked with it before any centre is known.
static double FarthestPossibleCenter(const sgSkinView* view)
{
	double origin2 = 0.0, translation2 = 0.0;
	for (uint32_t j = 0; view->isSpherical && j < view->skin.blend.header->transformCount; ++j)
	{
		double position2 = 0.0, sum = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			double at = (double)view->skin.jointPositions[3 * (size_t)j + (size_t)i],
			       t = (double)view->joints[j].matrix[i][3];
			position2 += at * at;
			sum += t * t;
		}
		origin2 = position2 > origin2 ? position2 : origin2;
		translation2 = sum > translation2 ? sum : translation2;
	}
	double origin = sqrt(origin2), image = origin + sqrt(translation2);
	return origin + 8.0 * view->skin.blend.header->rows.most * image;
}

void sgSkin_SetPose(
    const snugModel* model, const sgPoseInput* input, const void* before, void* pose, sgPoseChange* change)
{
	const sgSkinArrays* arrays = model->arrays;
	sgMorph_SetPose(&arrays->morph, input, before, pose, change);
	bool setsAmplitudes = input->kind == sgPose_amplitudes;
	if (change->fault != sgPoseFault_none || (setsAmplitudes && change->motion == 0.0))
	{
		return;
	}
	if (setsAmplitudes)
	{
		memcpy(pose, before, sgSkin_JointBytes(model));
	}
	const sgSkinView view = ViewPose(model, pose);
	if (!setsAmplitudes)
	{
		*view.pose = (sgSkinPose){ 0 };
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
	change->motion = INFINITY;
}

void sgSkin_Derive(const snugModel* model, const void* pose, void* derived)
{
	sgSkinView* view = derived;
	size_t places[6];
	char* at = derived;
	*view = ViewPose(model, pose);
	PlaceDerived(&view->skin, places);
	view->posed = *view->pose;
	view->pose = &view->posed;
	view->centers = (float*)(void*)(at + places[0]);
	view->pairs = (sgSkinPairPose*)(void*)(at + places[1]);
	view->slabs = (sgSkinSlab*)(void*)(at + places[2]);
	view->across = (sgSkinPairLanes*)(void*)(at + places[3]);
	view->signs = (float*)(void*)(at + places[4]);
	view->spreads = (float*)(void*)(at + places[5]);
	SetSigns(view);
	if (view->isSpherical)
	{
		FindCenters(view);
	}
	view->pose->reach = FindReach(view, FarthestCenter(view), view->morph);
	SetPairs(view);
}
