// src/deform/fields/fields_kernels.c: see fields_kernels.h; docs/bounds/fields.md for why these are bounds.
//
// Lane i of a bound is node i of the group. Nodes that a field does not move have zeros for it.
#include "deform/fields/fields_kernels.h"

#include "deform/fields/sums.h"
#include "geometry/interval.h"
#include "geometry/margins.h"
#include "geometry/prism_support.h"

#include <math.h>
#include <string.h>

static void EvaluateBlocks(const sgDisplacing* blocks, uint32_t count, float* out)
{
	for (uint32_t done = 0; done < count; done += SG_LANES)
	{
		uint32_t left = count - done;
		float last[3 * SG_LANES + 1];
		float* to = left < SG_LANES ? last : out + 3 * (size_t)done;
		f8 placed[3];
		sgFields_TakeBlock(blocks, done / SG_LANES, placed);
		f8_StorePoints(to, placed[0], placed[1], placed[2]);
		if (left < SG_LANES)
		{
			memcpy(out + 3 * (size_t)done, last, 3 * (size_t)left * sizeof(float));
		}
	}
}

// No amplitude is left out: adding zero changes no bit (fields.h).
static void DisplaceTogether(const sgFields* fields, const sgBlock* block, const float* const amplitudes[SG_TOGETHER],
    sgLaneFloats* const out[SG_TOGETHER])
{
	const sgLaneFloats* values = fields->rows.values + block->values;
	const uint16_t* numbers = fields->rows.numbers + block->numbers;
	f8 sums[SG_TOGETHER][3];
	for (int k = 0; k < SG_TOGETHER; ++k)
	{
		sums[k][0] = f8_Load(values[0].lane);
		sums[k][1] = f8_Load(values[1].lane);
		sums[k][2] = f8_Load(values[2].lane);
	}
	values += 3;
	for (uint32_t j = 0; j < block->count; ++j, values += 3)
	{
		sgFields_Prefetch(values + (size_t)3 * SG_FIELDS_AHEAD);
		const f8 x = f8_Load(values[0].lane), y = f8_Load(values[1].lane), z = f8_Load(values[2].lane);
		for (int k = 0; k < SG_TOGETHER; ++k)
		{
			const f8 scale = f8_Set(amplitudes[k][numbers[j]]);
			sums[k][0] = f8_Add(sums[k][0], f8_Mul(scale, x));
			sums[k][1] = f8_Add(sums[k][1], f8_Mul(scale, y));
			sums[k][2] = f8_Add(sums[k][2], f8_Mul(scale, z));
		}
	}
	for (int k = 0; k < SG_TOGETHER; ++k)
	{
		f8_Store(out[k][0].lane, sums[k][0]);
		f8_Store(out[k][1].lane, sums[k][1]);
		f8_Store(out[k][2].lane, sums[k][2]);
	}
}

static void DisplaceBlocks(const sgFields* fields, uint32_t first, uint32_t end,
    const sgFieldsPose* const poses[SG_TOGETHER], sgLaneFloats* const out[SG_TOGETHER])
{
	const float* amplitudes[SG_TOGETHER];
	for (int k = 0; k < SG_TOGETHER; ++k)
	{
		amplitudes[k] = sgFieldsPose_Amplitudes(poses[k]);
	}
	for (uint32_t block = first; block < end; ++block)
	{
		sgLaneFloats* to[SG_TOGETHER];
		for (int k = 0; k < SG_TOGETHER; ++k)
		{
			to[k] = out[k] + 3 * (size_t)block;
		}
		DisplaceTogether(fields, fields->rows.blocks + block, amplitudes, to);
	}
}

/// A group in a pose.
typedef struct Nodes
{
	const sgFields* fields;
	const sgFieldsGroup* group;
	const sgFieldsHead* head;
	const sgFieldsPose* pose;
	const float* amplitudes;
	const uint16_t* numbers;
} Nodes;

/// Roundings as a part of the reach: `roundings` units of 2^-24, and those of evaluation; 2 % for their squares.
static inline float ErrorOf(const Nodes* nodes, float roundings)
{
	return (float)SG_MARGIN_SQUARES * 0x1p-24f *
	       (roundings + (float)SG_MARGIN_FIELDS(nodes->fields->header->rows.most));
}

// --- Boxes ----------------------------------------------------------------------------------------------------------

SG_INLINE void IntervalBoxes(const Nodes* nodes, Interval out[3])
{
	const sgFieldInterval* intervals = sgFieldsGroup_Intervals(nodes->fields, nodes->group);
	f8 lower[3], upper[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 center = f8_Load(nodes->head->center[axis].lane), half = f8_Load(nodes->head->half[axis].lane);
		lower[axis] = f8_Sub(center, half);
		upper[axis] = f8_Add(center, half);
	}
	sgFields_AddIntervals(intervals, nodes->numbers, nodes->group->fieldCount, nodes->amplitudes, lower, upper);
	float error = ErrorOf(nodes, (float)SG_MARGIN_INTERVAL(nodes->group->fieldCount));
	for (int axis = 0; axis < 3; ++axis)
	{
		out[axis] = Widen((Interval){ lower[axis], upper[axis] }, f8_Set(error * nodes->pose->reach[axis]));
	}
}

// --- First order ----------------------------------------------------------------------------------------------------

/// Each node moves by an affine map, and a little beside it.
typedef struct FirstOrder
{
	f8 middle[3];    ///< where the centre goes
	f8 linear[3][3]; ///< L = I + sum of q G
	f8 residual[3];
	f8 half[3];
	f8 error; ///< of the reach
} FirstOrder;

SG_INLINE void MakeFirstOrder(const Nodes* nodes, FirstOrder* order)
{
	const sgFieldFit* fits = sgFieldsGroup_Fits(nodes->fields, nodes->group);
	sgFitSum sum;
	sgFields_SumFits(fits, nodes->numbers, nodes->group->fieldCount, nodes->amplitudes, &sum);
	for (int row = 0; row < 3; ++row)
	{
		order->middle[row] = f8_Add(f8_Load(nodes->head->center[row].lane), sum.mean[row]);
		order->half[row] = f8_Load(nodes->head->half[row].lane);
		order->residual[row] = sum.residual[row];
		for (int k = 0; k < 3; ++k)
		{
			order->linear[row][k] = k == row ? f8_Add(sum.gradient[row][k], f8_Set(1.0f)) : sum.gradient[row][k];
		}
	}
	float roundings = (float)SG_MARGIN_FIRST_ORDER(nodes->group->fieldCount);
	f8 gain = f8_Load(nodes->head->gain.lane), unit = f8_Set((float)SG_MARGIN_SQUARES * 0x1p-24f * roundings);
	order->error = f8_Add(f8_Mul(gain, unit), f8_Set(ErrorOf(nodes, 0.0f)));
}

static inline Interval FirstOrderAlong(
    const FirstOrder* order, const Nodes* nodes, const f8 row[3], f8 middle, f8 residual, float reach)
{
	f8 support[2];
	sgPrismSupport(row, &nodes->head->prism, order->half, support);
	f8 rest = f8_Add(residual, f8_Mul(order->error, f8_Set(reach)));
	return (Interval){ f8_Sub(f8_Add(middle, support[0]), rest), f8_Add(f8_Add(middle, support[1]), rest) };
}

SG_INLINE void FirstOrderBoxes(const Nodes* nodes, const FirstOrder* order, Interval out[3])
{
	for (int axis = 0; axis < 3; ++axis)
	{
		out[axis] = FirstOrderAlong(
		    order, nodes, order->linear[axis], order->middle[axis], order->residual[axis], nodes->pose->reach[axis]);
	}
}

// --- Groups ---------------------------------------------------------------------------------------------------------

static Nodes MakeNodes(const sgFields* fields, const sgFieldsGroup* group, const sgFieldsPose* pose)
{
	return (Nodes){
		.fields = fields,
		.group = group,
		.head = sgFieldsGroup_Head(fields, group),
		.pose = pose,
		.amplitudes = sgFieldsPose_Amplitudes(pose),
		.numbers = fields->groupFields + group->fields,
	};
}

// Along any direction: rows are sums of three with rounded factors, which is off by a few 2^-24 of
// terms that the gain bounds, as are the centre's and the residual's. Positions are evaluated as ever, and turning what
// they are off by per axis gives no more than `order.error` of the turned reach.
static void BoundTurned(const sgFields* fields, const sgFieldsGroup* group, const sgFieldsPose* pose,
    const float rotation[3][3], uint32_t mask, sgBoxLanes* boxes)
{
	const Nodes nodes = MakeNodes(fields, group, pose);
	FirstOrder order;
	MakeFirstOrder(&nodes, &order);
	f8 gain = f8_Add(f8_Load(nodes.head->gain.lane), f8_Set(1.0f));
	f8 unit = f8_Set((float)(SG_MARGIN_SQUARES * 0x1p-24 * SG_MARGIN_TURNED_FITS));
	order.error = f8_Add(order.error, f8_Mul(gain, unit));
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 zero = f8_Set(0.0f), row[3] = { zero, zero, zero }, middle = zero, residual = zero;
		float reach = 0.0f;
		for (int m = 0; m < 3; ++m)
		{
			f8 factor = f8_Set(rotation[axis][m]);
			for (int k = 0; k < 3; ++k)
			{
				row[k] = f8_MulAddLoose(factor, order.linear[m][k], row[k]);
			}
			middle = f8_MulAddLoose(factor, order.middle[m], middle);
			residual = f8_MulAddLoose(f8_Abs(factor), order.residual[m], residual);
			reach += __builtin_fabsf(rotation[axis][m]) * pose->reach[m];
		}
		reach *= 1.0f + 0x1p-20f;
		StoreInterval(FirstOrderAlong(&order, &nodes, row, middle, residual, reach), mask, boxes->lower[axis],
		    boxes->upper[axis]);
	}
}

static void Bound(
    const sgFields* fields, const sgFieldsGroup* group, const sgFieldsPose* pose, uint32_t mask, sgBoxLanes* out)
{
	const Nodes nodes = MakeNodes(fields, group, pose);
	FirstOrder order;
	Interval box[3], others[3];
	MakeFirstOrder(&nodes, &order);
	FirstOrderBoxes(&nodes, &order, box);
	if (group->hasIntervals != 0)
	{
		IntervalBoxes(&nodes, others);
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		if (group->hasIntervals != 0)
		{
			// A NaN of the first order gives way: it is the first operand.
			box[axis].lower = f8_Max(box[axis].lower, others[axis].lower);
			box[axis].upper = f8_Min(box[axis].upper, others[axis].upper);
		}
		StoreInterval(box[axis], mask, out->lower[axis], out->upper[axis]);
	}
}

// ---- In front of a skin ---------------------------------------------------------------------------------------------

/// Whether a sum of gradients is finite, lane by lane.
static m8 IsFinite(const sgFitSum* fit)
{
	f8 most = f8_Set(0.0f);
	for (int i = 0; i < 9; ++i)
	{
		most = f8_Add(most, f8_Abs(fit->gradient[i / 3][i % 3]));
	}
	return f8_Less(most, f8_Set(INFINITY));
}

static void StoreFit(const sgFitSum* fit, const sgFieldsHead* head, f8 error, int axis, sgMorphLanes* out)
{
	f8_Store(out->mean[axis], fit->mean[axis]);
	f8_Store(out->residual[axis], f8_Add(fit->residual[axis], error));
	f8_Store(out->center[axis], f8_Load(head->center[axis].lane));
	f8_Store(out->extent[axis], f8_Load(head->half[axis].lane));
	for (int k = 0; k < 3; ++k)
	{
		f8_Store(out->gradient[axis][k], fit->gradient[axis][k]);
	}
}

static void Displace(const sgFields* fields, const sgFieldsGroup* group, const sgFieldsPose* pose, sgMorphLanes* out)
{
	const Nodes nodes = MakeNodes(fields, group, pose);
	f8 zero = f8_Set(0.0f), half = f8_Set(0.5f), lower[3] = { zero, zero, zero }, upper[3] = { zero, zero, zero };
	f8 gain = f8_Load(nodes.head->gain.lane);
	sgFitSum fit;
	sgFields_SumFits(sgFieldsGroup_Fits(fields, group), nodes.numbers, group->fieldCount, nodes.amplitudes, &fit);
	out->hasFit = m8_Bits(IsFinite(&fit)) == 0xff;
	sgFields_AddIntervals(
	    sgFieldsGroup_Intervals(fields, group), nodes.numbers, group->fieldCount, nodes.amplitudes, lower, upper);
	float unit = ErrorOf(&nodes, (float)SG_MARGIN_MORPH(group->fieldCount));
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 error = f8_Set(unit * pose->reach[axis]);
		f8_Store(out->middle[axis], f8_Mul(half, f8_Add(lower[axis], upper[axis])));
		f8_Store(out->half[axis], f8_Add(f8_Mul(half, f8_Sub(upper[axis], lower[axis])), error));
		if (out->hasFit)
		{
			StoreFit(&fit, nodes.head, f8_Mul(error, gain), axis, out);
		}
	}
}

const sgFieldsKernels SG_FOR_ISA(sgFieldsKernels) = {
	.evaluateBlocks = EvaluateBlocks,
	.displaceBlocks = DisplaceBlocks,
	.bound = Bound,
	.boundTurned = BoundTurned,
	.displace = Displace,
};
