// src/deform/bounds/linear_bounds_fit.c: numbers that the bounds of a family rest on. See families.h;
// docs/bounds/skins.md for the proofs.
#include "deform/bounds/linear_bounds_build.h"
#include "geometry/frame.h"
#include "geometry/margins.h"

#include <math.h>
#include <string.h>

static const double roundoff = 0x1p-24;

/// Vertices of a node that a probe looks at.
#define PROBE_VERTICES 256

/// Steeper gradients are dropped.
#define MAX_GRADIENT 1e36

// fmax and fmin are function calls because of NaN, and none of these numbers is NaN.
static inline double Larger(double a, double b)
{
	return a > b ? a : b;
}

static inline double Smaller(double a, double b)
{
	return a < b ? a : b;
}

static const float* Position(const sgFamilyDraft* draft, uint32_t vertex)
{
	return draft->model->positions + 3 * (size_t)vertex;
}

// A box as float32 centre and half extents that contains the given one: the halves are taken about the rounded centre.
static void CenterAndHalf(const double lower[3], const double upper[3], float center[3], float half[3])
{
	for (int k = 0; k < 3; ++k)
	{
		center[k] = sgRoundNearest(0.5 * (lower[k] + upper[k]));
		half[k] = sgRoundUp(Larger(upper[k] - (double)center[k], (double)center[k] - lower[k]));
	}
}

static void StartBox(double lower[3], double upper[3])
{
	for (int k = 0; k < 3; ++k)
	{
		lower[k] = INFINITY;
		upper[k] = -INFINITY;
	}
}

static void AddToBox(const float p[3], double lower[3], double upper[3])
{
	for (int k = 0; k < 3; ++k)
	{
		lower[k] = Smaller(lower[k], (double)p[k]);
		upper[k] = Larger(upper[k], (double)p[k]);
	}
}

static void FillBox(const sgFamilyDraft* draft, uint32_t lane, sgLinearCommon* common)
{
	double lower[3], upper[3];
	float center[3], half[3];
	StartBox(lower, upper);
	for (uint32_t i = draft->laneFirst[lane]; i < draft->laneLast[lane]; ++i)
	{
		AddToBox(Position(draft, draft->members[i]), lower, upper);
	}
	CenterAndHalf(lower, upper, center, half);
	for (int k = 0; k < 3; ++k)
	{
		common->center[k].lane[lane] = center[k];
		common->half[k].lane[lane] = half[k];
	}
}

// Write the dense row of a vertex' weights; Clear takes it back.
static void LoadWeights(const sgFamilyDraft* draft, uint32_t vertex)
{
	const sgWeights* weights = draft->weights;
	for (uint32_t k = weights->starts[vertex]; k < weights->starts[vertex + 1]; ++k)
	{
		draft->row[draft->entryOf[weights->transforms[k]]] = (double)weights->weights[k];
	}
}

static void ClearWeights(const sgFamilyDraft* draft, uint32_t vertex)
{
	const sgWeights* weights = draft->weights;
	for (uint32_t k = weights->starts[vertex]; k < weights->starts[vertex + 1]; ++k)
	{
		draft->row[draft->entryOf[weights->transforms[k]]] = 0.0;
	}
}

static void StoreError(sgLinearCommon* common, uint32_t lane, double roundings)
{
	common->error.lane[lane] = sgRoundUp(SG_MARGIN_SQUARES * roundings * roundoff);
}

// Least and greatest weight of every transform over the vertices of a lane; a vertex that does not list it has zero.
static void FillRanges(const sgFamilyDraft* draft, uint32_t lane, sgLinearCommon* common, sgLocalEntry* entries)
{
	uint32_t memberCount = draft->laneLast[lane] - draft->laneFirst[lane];
	double* greatest = draft->row; // all zero between uses
	double lowSum = 0.0, spreadSum = 0.0;
	uint32_t own = 0;
	for (uint32_t i = draft->laneFirst[lane]; i < draft->laneLast[lane]; ++i)
	{
		const sgWeights* weights = draft->weights;
		uint32_t vertex = draft->members[i];
		for (uint32_t k = weights->starts[vertex]; k < weights->starts[vertex + 1]; ++k)
		{
			uint32_t j = draft->entryOf[weights->transforms[k]];
			sgRangeEntry* range = &entries[j].range;
			float weight = weights->weights[k];
			// While counting, `low` is the least seen and `spread` how often.
			bool isLeast = greatest[j] == 0.0 || weight < range->low.lane[lane];
			range->low.lane[lane] = isLeast ? weight : range->low.lane[lane];
			range->spread.lane[lane] += 1.0f;
			greatest[j] = Larger(greatest[j], (double)weight);
		}
	}
	for (uint32_t j = 0; j < draft->entryCount; ++j)
	{
		sgRangeEntry* range = &entries[j].range;
		bool isEverywhere = range->spread.lane[lane] >= (float)memberCount && memberCount < (1u << 24);
		float low = isEverywhere ? range->low.lane[lane] : 0.0f;
		range->low.lane[lane] = low;
		range->spread.lane[lane] = sgRoundUp(greatest[j] - (double)low);
		lowSum += (double)low;
		spreadSum += (double)range->spread.lane[lane];
		own += greatest[j] > 0.0;
		greatest[j] = 0.0;
	}
	common->slack.lane[lane] = sgRoundUp(Larger(1.0 - lowSum, 0.0));
	// A bound that exceeds the reach contains everything, so that spreads need not count beyond 1.
	double roundings = SG_MARGIN_RANGE_TERM * own + SG_MARGIN_RANGES;
	StoreError(common, lane, roundings * (1.0 + Smaller(spreadSum, 1.0)) + draft->evaluation);
}

// Rest boxes of only those vertices that a transform moves.
static void FillLocalBoxes(const sgFamilyDraft* draft, uint32_t lane, sgLocalEntry* entries, double (*boxes)[6])
{
	for (uint32_t j = 0; j < draft->entryCount; ++j)
	{
		StartBox(boxes[j], boxes[j] + 3);
	}
	for (uint32_t i = draft->laneFirst[lane]; i < draft->laneLast[lane]; ++i)
	{
		const sgWeights* weights = draft->weights;
		uint32_t vertex = draft->members[i];
		for (uint32_t k = weights->starts[vertex]; k < weights->starts[vertex + 1]; ++k)
		{
			double* box = boxes[draft->entryOf[weights->transforms[k]]];
			AddToBox(Position(draft, vertex), box, box + 3);
		}
	}
	for (uint32_t j = 0; j < draft->entryCount; ++j)
	{
		float center[3] = { 0 }, half[3] = { 0 };
		if (boxes[j][0] <= boxes[j][3])
		{
			CenterAndHalf(boxes[j], boxes[j] + 3, center, half);
		}
		for (int k = 0; k < 3; ++k)
		{
			entries[j].center[k].lane[lane] = center[k];
			entries[j].half[k].lane[lane] = half[k];
		}
	}
}

static sgPointList PointsOf(const sgFamilyDraft* draft, uint32_t lane)
{
	return (sgPointList){
		.positions = draft->model->positions,
		.members = draft->members + draft->laneFirst[lane],
		.count = draft->laneLast[lane] - draft->laneFirst[lane],
		.step = draft->step,
	};
}

static void FillPrism(const sgFamilyDraft* draft, uint32_t lane, const sgLinearCommon* common, sgPrismLanes* prism)
{
	float center[3], half[3];
	for (int k = 0; k < 3; ++k)
	{
		center[k] = common->center[k].lane[lane];
		half[k] = common->half[k].lane[lane];
	}
	sgPointList list = PointsOf(draft, lane);
	sgPrismLanes_Fit(prism, lane, &list, center, half);
}

// Least squares of every transform's weight over the vertices: mean + gradient . (v - center). Directions in which the
// cloud is thin say nothing reliable about gradients and get none, nor do clouds of subnormal size, whose gradients
// float32 cannot hold.
static void FitWeights(
    const sgFamilyDraft* draft, uint32_t lane, const sgLinearCommon* common, sgFirstEntry* entries, double (*sums)[4])
{
	sgPointList list = PointsOf(draft, lane);
	sgCloud cloud = sgCloud_Make(&list);
	double count = (double)sgPointList_Used(&list);
	memset(sums, 0, draft->entryCount * sizeof(*sums));
	for (uint32_t i = draft->laneFirst[lane]; i < draft->laneLast[lane]; i += draft->step)
	{
		const sgWeights* weights = draft->weights;
		uint32_t vertex = draft->members[i];
		const float* p = Position(draft, vertex);
		for (uint32_t k = weights->starts[vertex]; k < weights->starts[vertex + 1]; ++k)
		{
			double* sum = sums[draft->entryOf[weights->transforms[k]]];
			double weight = weights->weights[k];
			sum[3] += weight / count;
			for (int a = 0; a < 3; ++a)
			{
				sum[a] += weight * ((double)p[a] - cloud.mean[a]);
			}
		}
	}
	for (uint32_t j = 0; j < draft->entryCount; ++j)
	{
		double gradient[3] = { 0, 0, 0 }, mean = sums[j][3];
		for (int a = 0; a < 3; ++a)
		{
			bool isThin = !(cloud.variance[a] > 0.02 * cloud.variance[0]);
			double along = 0.0;
			for (int k = 0; k < 3; ++k)
			{
				along += cloud.axes[a][k] * sums[j][k];
			}
			for (int k = 0; k < 3 && !isThin; ++k)
			{
				gradient[k] += cloud.axes[a][k] * along / cloud.variance[a];
			}
		}
		bool isSteep = false;
		for (int k = 0; k < 3; ++k)
		{
			isSteep = isSteep || fabs(gradient[k]) > MAX_GRADIENT;
		}
		for (int k = 0; k < 3 && !isSteep; ++k)
		{
			entries[j].gradient[k].lane[lane] = sgRoundNearest(gradient[k]);
			mean += gradient[k] * ((double)common->center[k].lane[lane] - cloud.mean[k]);
		}
		entries[j].mean.lane[lane] = sgRoundNearest(mean);
	}
}

// The largest deviation of a weight from its rounded fit, over all vertices of the lane. Transforms that the lane does
// not have keep zeros throughout. Coefficients are copied together first: this is where building spends its time.
static void FillResiduals(
    const sgFamilyDraft* draft, uint32_t lane, const sgLinearCommon* common, sgFirstEntry* entries)
{
	uint32_t own = 0;
	for (uint32_t j = 0; j < draft->entryCount; ++j)
	{
		if (draft->sums[j][3] > 0.0)
		{
			const sgFirstEntry* entry = entries + j;
			draft->fits[own++] = (sgFit){
				.mean = entry->mean.lane[lane],
				.gradient = { entry->gradient[0].lane[lane], entry->gradient[1].lane[lane],
				    entry->gradient[2].lane[lane] },
				.entry = j,
			};
		}
	}
	for (uint32_t i = draft->laneFirst[lane]; i < draft->laneLast[lane]; i += draft->step)
	{
		uint32_t vertex = draft->members[i];
		const float* p = Position(draft, vertex);
		double x = (double)p[0] - (double)common->center[0].lane[lane];
		double y = (double)p[1] - (double)common->center[1].lane[lane];
		double z = (double)p[2] - (double)common->center[2].lane[lane];
		LoadWeights(draft, vertex);
		for (uint32_t n = 0; n < own; ++n)
		{
			sgFit* fit = draft->fits + n;
			double at = fit->mean + fit->gradient[0] * x + fit->gradient[1] * y + fit->gradient[2] * z;
			fit->residual = Larger(fit->residual, fabs(draft->row[fit->entry] - at));
		}
		ClearWeights(draft, vertex);
	}
	for (uint32_t n = 0; n < own; ++n)
	{
		const sgFit* fit = draft->fits + n;
		sgFirstEntry* entry = entries + fit->entry;
		entry->residual.lane[lane] = sgRoundUp(fit->residual * (1.0 + SG_MARGIN_FIT) + SG_MARGIN_LEAST_FIT);
	}
}

// Sums over the entries, and the rounding of docs/bounds/rounding.md: n transforms, m = sum of |means|, G = sum of
// gradients over the box, P = sum of residuals, kappa = how much the reference map may exceed the transforms.
static void FillSums(const sgFamilyDraft* draft, uint32_t lane, sgLinearCommon* common, sgLinearVolume* volume,
    const sgFirstEntry* entries)
{
	double sum = 0.0, absolute = 0.0, residual = 0.0, variation = 0.0, gradientSum[3] = { 0, 0, 0 }, own = 0.0;
	for (uint32_t j = 0; j < draft->entryCount; ++j)
	{
		const sgFirstEntry* entry = entries + j;
		double mean = entry->mean.lane[lane];
		sum += mean;
		absolute += fabs(mean);
		residual += (double)entry->residual.lane[lane];
		own += mean != 0.0 || entry->residual.lane[lane] != 0.0f;
		for (int k = 0; k < 3; ++k)
		{
			double gradient = entry->gradient[k].lane[lane];
			gradientSum[k] += gradient;
			variation += fabs(gradient) * (double)common->half[k].lane[lane];
		}
	}
	volume->inverseSum.lane[lane] = (float)(1.0 / sum);
	for (int k = 0; k < 3; ++k)
	{
		volume->gradientSum[k].lane[lane] = (float)gradientSum[k];
	}
	double kappa = Larger(1.0, absolute / fabs(sum));
	StoreError(common, lane,
	    SG_MARGIN_MEANS(own) * absolute + SG_MARGIN_REFERENCE * kappa +
	        SG_MARGIN_GRADIENTS(own) * variation * (1.0 + kappa) + SG_MARGIN_RESIDUALS(own) * residual * (1.0 + kappa) +
	        draft->evaluation);
}

static void FillFirstOrder(const sgFamilyDraft* draft, uint32_t lane, sgLinearCommon* common, sgFirstEntry* entries)
{
	sgLinearVolume* volume = (sgLinearVolume*)(void*)(common + 1);
	FitWeights(draft, lane, common, entries, draft->sums);
	FillResiduals(draft, lane, common, entries);
	FillPrism(draft, lane, common, &volume->prism);
	FillSums(draft, lane, common, volume, entries);
}

void sgLinear_FillFamily(const sgFamilyDraft* draft, const sgLinearFamily* family, sgLaneFloats* values)
{
	sgLinearCommon* common = (sgLinearCommon*)(void*)values;
	sgLaneFloats* entries = values + sgLinearFamily_HeadValues(family);
	memset(values, 0, (size_t)sgLinearFamily_Values(family) * sizeof(sgLaneFloats));
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		if (draft->laneFirst[lane] == draft->laneLast[lane])
		{
			continue;
		}
		FillBox(draft, lane, common);
		if (family->kind == sgLinear_firstOrder)
		{
			FillFirstOrder(draft, lane, common, (void*)entries);
		}
		else
		{
			FillRanges(draft, lane, common, (void*)entries);
			FillLocalBoxes(draft, lane, (void*)entries, draft->boxes);
		}
	}
}

double sgLinear_ProbeFit(const sgFamilyDraft* draft, sgLaneFloats* values)
{
	const sgLinearFamily family = { .kind = sgLinear_firstOrder, .entryCount = draft->entryCount };
	sgFamilyDraft probe = *draft;
	sgLinearCommon* common = (sgLinearCommon*)(void*)values;
	sgFirstEntry* entries = (sgFirstEntry*)(void*)(values + sgLinearFamily_HeadValues(&family));
	memset(values, 0, (size_t)sgLinearFamily_Values(&family) * sizeof(sgLaneFloats));
	double most = 0.0;
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		uint32_t count = draft->laneLast[lane] - draft->laneFirst[lane];
		if (count == 0)
		{
			continue;
		}
		probe.step = count / PROBE_VERTICES + 1;
		FillBox(&probe, lane, common);
		FitWeights(&probe, lane, common, entries, probe.sums);
		FillResiduals(&probe, lane, common, entries);
		double sum = 0.0;
		for (uint32_t j = 0; j < draft->entryCount; ++j)
		{
			sum += (double)entries[j].residual.lane[lane];
		}
		most = Larger(most, sum);
	}
	return most;
}
