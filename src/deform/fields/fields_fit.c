// src/deform/fields/fields_fit.c: the numbers that bounds of moved nodes rest on. See fields_build.h;
// docs/bounds/fields.md for the proofs.
//
// Every number is made for one node from the displacements of its vertices, in double, rounded to float32, and then
// what is left over is measured against the rounded numbers and rounded up.
#include "deform/fields/fields_build.h"
#include "geometry/eigen.h"
#include "geometry/frame.h"
#include "geometry/margins.h"

#include <math.h>
#include <string.h>

/// A fit whose terms exceed the field's greatest displacement by more than this is not used.
#define MAX_GAIN 16.0
/// Directions along which a node is thinner than the root of this part of its length get no gradient.
#define THIN 1e-4
/// Fits that leave over more than this part of what intervals span are worth having intervals beside them.
#define MUCH_LEFT 0.6

static inline double Larger(double a, double b)
{
	return a > b ? a : b;
}

// a - b, not below it: the difference of two floats need not be a double if one is far smaller than the other.
static double DifferenceUp(double a, double b)
{
	double difference = a - b;
	bool isExact = difference + b == a && a - difference == b;
	return isExact ? difference : nextafter(difference, INFINITY);
}

static sgPointList PointsOf(const sgGroupDraft* draft, uint32_t lane)
{
	return (sgPointList){
		.positions = draft->model->positions,
		.members = draft->members + draft->laneFirst[lane],
		.count = draft->laneLast[lane] - draft->laneFirst[lane],
		.step = 1,
	};
}

// Of a symmetric positive 3x3 matrix; Jacobi's method is off by a few 2^-52 of the trace.
float sgFields_FindStretch(const float* displacements, uint32_t count)
{
	double moment[3][3] = { { 0 } }, values[3], vectors[3][3];
	for (uint32_t k = 0; k < count; ++k)
	{
		const float* d = displacements + 3 * (size_t)k;
		for (int a = 0; a < 3; ++a)
		{
			for (int b = 0; b < 3; ++b)
			{
				moment[a][b] += (double)d[a] * (double)d[b];
			}
		}
	}
	double trace = moment[0][0] + moment[1][1] + moment[2][2];
	sgEigen3(moment, values, vectors);
	return sgRoundUp(sqrt(Larger(values[0], 0.0) + 1e-9 * trace));
}

// --- The rest positions ---------------------------------------------------------------------------------------------

static void FillBox(const sgPointList* list, uint32_t lane, sgFieldsHead* head)
{
	for (int k = 0; k < 3; ++k)
	{
		double lower = INFINITY, upper = -INFINITY;
		for (uint32_t i = 0; i < list->count; ++i)
		{
			double p = (double)sgPointList_Get(list, i)[k];
			lower = p < lower ? p : lower;
			upper = Larger(upper, p);
		}
		float center = sgRoundNearest(0.5 * (lower + upper));
		head->center[k].lane[lane] = center;
		double above = DifferenceUp(upper, (double)center), below = DifferenceUp((double)center, lower);
		head->half[k].lane[lane] = sgRoundUp(Larger(above, below));
	}
}

// How far the prism and the box reach from the centre, per axis.
static void FindExtent(const sgFieldsHead* head, uint32_t lane, double extent[3])
{
	for (int k = 0; k < 3; ++k)
	{
		extent[k] = fabs((double)head->prism.offset[k].lane[lane]);
		for (int a = 0; a < 3; ++a)
		{
			extent[k] += fabs((double)head->prism.axes[a][k].lane[lane]);
		}
		extent[k] = Larger(extent[k], (double)head->half[k].lane[lane]);
	}
}

static void FillHead(const sgGroupDraft* draft, uint32_t lane, sgFieldsHead* head, float reach[3])
{
	sgPointList list = PointsOf(draft, lane);
	float center[3], half[3], stretch = 0.0f;
	FillBox(&list, lane, head);
	for (int k = 0; k < 3; ++k)
	{
		center[k] = head->center[k].lane[lane];
		half[k] = head->half[k].lane[lane];
	}
	sgPrismLanes_Fit(&head->prism, lane, &list, center, half);
	for (uint32_t i = 0; i < list.count; ++i)
	{
		float own = draft->stretches[list.members[i]];
		stretch = own > stretch ? own : stretch;
	}
	head->stretch.lane[lane] = stretch;
	head->gain.lane[lane] = 1.0f;
	double extent[3];
	FindExtent(head, lane, extent);
	for (int k = 0; k < 3; ++k)
	{
		float far = sgRoundUp(fabs((double)center[k]) + extent[k]);
		reach[k] = far > reach[k] ? far : reach[k];
	}
}

// --- Intervals ------------------------------------------------------------------------------------------------------

// Ranges of all fields over a lane, a vertex that a field does not move counting as zero.
static void FindRanges(const sgGroupDraft* draft, uint32_t lane)
{
	memset(draft->sums, 0, draft->fieldCount * sizeof(sgFieldSums));
	for (uint32_t i = draft->laneFirst[lane]; i < draft->laneLast[lane]; ++i)
	{
		const sgDisplacements* from = draft->displacements;
		uint32_t vertex = draft->members[i];
		for (uint32_t k = from->starts[vertex]; k < from->starts[vertex + 1]; ++k)
		{
			sgFieldSums* sums = draft->sums + draft->entryOf[from->fields[k]];
			const float* d = from->values + 3 * (size_t)k;
			for (int axis = 0; axis < 3; ++axis)
			{
				sums->lower[axis] = sums->count == 0 || d[axis] < sums->lower[axis] ? d[axis] : sums->lower[axis];
				sums->upper[axis] = sums->count == 0 || d[axis] > sums->upper[axis] ? d[axis] : sums->upper[axis];
			}
			++sums->count;
		}
	}
	for (uint32_t j = 0; j < draft->fieldCount; ++j)
	{
		sgFieldSums* sums = draft->sums + j;
		for (int axis = 0; sums->count < draft->laneLast[lane] - draft->laneFirst[lane] && axis < 3; ++axis)
		{
			sums->lower[axis] = sums->lower[axis] < 0.0f ? sums->lower[axis] : 0.0f;
			sums->upper[axis] = sums->upper[axis] > 0.0f ? sums->upper[axis] : 0.0f;
		}
	}
}

static void FillIntervals(const sgGroupDraft* draft, uint32_t lane, sgFieldInterval* out)
{
	for (uint32_t j = 0; j < draft->fieldCount; ++j)
	{
		for (int axis = 0; axis < 3; ++axis)
		{
			out[j].lower[axis].lane[lane] = draft->sums[j].lower[axis];
			out[j].upper[axis].lane[lane] = draft->sums[j].upper[axis];
		}
	}
}

// --- Fits -----------------------------------------------------------------------------------------------------------

static void SumForFits(const sgGroupDraft* draft, uint32_t lane, const sgCloud* cloud)
{
	for (uint32_t i = draft->laneFirst[lane]; i < draft->laneLast[lane]; ++i)
	{
		const sgDisplacements* from = draft->displacements;
		uint32_t vertex = draft->members[i];
		const float* p = draft->model->positions + 3 * (size_t)vertex;
		const double at[3] = { (double)p[0] - cloud->mean[0], (double)p[1] - cloud->mean[1],
			(double)p[2] - cloud->mean[2] };
		for (uint32_t k = from->starts[vertex]; k < from->starts[vertex + 1]; ++k)
		{
			sgFieldSums* sums = draft->sums + draft->entryOf[from->fields[k]];
			const float* d = from->values + 3 * (size_t)k;
			for (int row = 0; row < 3; ++row)
			{
				sums->first[row] += (double)d[row];
				for (int column = 0; column < 3; ++column)
				{
					sums->second[row][column] += (double)d[row] * at[column];
				}
			}
		}
	}
}

// The middle of a field's range, and half its width about it: what is left where a fit makes no sense.
static void SetFlatFit(const sgFieldSums* sums, uint32_t lane, sgFieldFit* fit)
{
	for (int row = 0; row < 3; ++row)
	{
		float mean = sgRoundNearest(0.5 * ((double)sums->lower[row] + (double)sums->upper[row]));
		double above = DifferenceUp((double)sums->upper[row], (double)mean);
		double below = DifferenceUp((double)mean, (double)sums->lower[row]);
		fit->mean[row].lane[lane] = mean;
		fit->residual[row].lane[lane] = sgRoundUp(Larger(above, below));
		for (int k = 0; k < 3; ++k)
		{
			fit->gradient[row][k].lane[lane] = 0.0f;
		}
	}
}

// Least squares: d = mean + gradient (p - center).
static void SetFit(const sgFieldSums* sums, uint32_t count, const sgCloud* cloud, const sgFieldsHead* head,
    uint32_t lane, sgFieldFit* fit)
{
	for (int row = 0; row < 3; ++row)
	{
		double gradient[3] = { 0, 0, 0 }, mean = sums->first[row] / (double)count;
		for (int a = 0; a < 3; ++a)
		{
			double along = 0.0;
			for (int k = 0; k < 3; ++k)
			{
				along += cloud->axes[a][k] * sums->second[row][k];
			}
			bool isThin = !(cloud->variance[a] > THIN * cloud->variance[0]);
			for (int k = 0; k < 3 && !isThin; ++k)
			{
				gradient[k] += cloud->axes[a][k] * along / cloud->variance[a];
			}
		}
		for (int k = 0; k < 3; ++k)
		{
			bool isSteep = !(fabs(gradient[k]) < 1e36);
			fit->gradient[row][k].lane[lane] = isSteep ? 0.0f : sgRoundNearest(gradient[k]);
			mean += (double)fit->gradient[row][k].lane[lane] * ((double)head->center[k].lane[lane] - cloud->mean[k]);
		}
		fit->mean[row].lane[lane] = sgRoundNearest(mean);
	}
}

// What a fit leaves over at one vertex, and what double precision may have lost of it: at most six roundings of terms.
static void AddResidual(
    const sgFieldFit* fit, uint32_t lane, const double at[3], const double displacement[3], double residual[3])
{
	for (int row = 0; row < 3; ++row)
	{
		double value = (double)fit->mean[row].lane[lane], size = fabs(value) + fabs(displacement[row]);
		for (int k = 0; k < 3; ++k)
		{
			double term = (double)fit->gradient[row][k].lane[lane] * at[k];
			value += term;
			size += fabs(term);
		}
		residual[row] = Larger(residual[row], fabs(displacement[row] - value) + SG_MARGIN_FIELD_FIT * size);
	}
}

// Residuals of all entries with isFitted, over all vertices, into sums->first.
static void MeasureResiduals(const sgGroupDraft* draft, uint32_t lane, const sgFieldsHead* head, const sgFieldFit* fits)
{
	for (uint32_t j = 0; j < draft->fieldCount; ++j)
	{
		memset(draft->sums[j].first, 0, sizeof(draft->sums[j].first));
	}
	for (uint32_t i = draft->laneFirst[lane]; i < draft->laneLast[lane]; ++i)
	{
		const sgDisplacements* from = draft->displacements;
		uint32_t vertex = draft->members[i], first = from->starts[vertex], end = from->starts[vertex + 1];
		double at[3];
		for (int k = 0; k < 3; ++k)
		{
			at[k] =
			    (double)draft->model->positions[3 * (size_t)vertex + (size_t)k] - (double)head->center[k].lane[lane];
		}
		for (uint32_t k = first; k < end; ++k)
		{
			double* row = draft->row + 3 * (size_t)draft->entryOf[from->fields[k]];
			for (size_t axis = 0; axis < 3; ++axis)
			{
				row[axis] = (double)from->values[3 * (size_t)k + axis];
			}
		}
		for (uint32_t j = 0; j < draft->fieldCount; ++j)
		{
			if (draft->sums[j].isFitted)
			{
				AddResidual(fits + j, lane, at, draft->row + 3 * (size_t)j, draft->sums[j].first);
			}
		}
		for (uint32_t k = first; k < end; ++k)
		{
			memset(draft->row + 3 * (size_t)draft->entryOf[from->fields[k]], 0, 3 * sizeof(double));
		}
	}
}

// The greatest of a fit's terms over the field's greatest displacement, over the axes. Where that is zero, so are they.
static double FindGain(const sgFieldFit* fit, uint32_t lane, const float most[3], const double extent[3])
{
	double gain = 1.0;
	for (int row = 0; row < 3; ++row)
	{
		double terms = fabs((double)fit->mean[row].lane[lane]) + (double)fit->residual[row].lane[lane];
		for (int k = 0; k < 3; ++k)
		{
			terms += fabs((double)fit->gradient[row][k].lane[lane]) * extent[k];
		}
		gain = terms > 0.0 ? Larger(gain, terms / (double)most[row]) : gain;
	}
	return gain;
}

// Fields that move less than half of a node's vertices are not fitted: it would neither be good nor cheap.
static void FillFits(const sgGroupDraft* draft, uint32_t lane, sgFieldsHead* head, sgFieldFit* fits)
{
	sgPointList list = PointsOf(draft, lane);
	sgCloud cloud = sgCloud_Make(&list);
	double extent[3], gain = 1.0;
	FindExtent(head, lane, extent);
	SumForFits(draft, lane, &cloud);
	for (uint32_t j = 0; j < draft->fieldCount; ++j)
	{
		sgFieldSums* sums = draft->sums + j;
		sums->isFitted = sums->count > 0 && sums->count >= list.count / 2;
		if (sums->isFitted)
		{
			SetFit(sums, list.count, &cloud, head, lane, fits + j);
		}
	}
	MeasureResiduals(draft, lane, head, fits);
	for (uint32_t j = 0; j < draft->fieldCount; ++j)
	{
		const sgFieldSums* sums = draft->sums + j;
		const float* most = draft->most + 3 * (size_t)draft->fields[j];
		for (int row = 0; sums->isFitted && row < 3; ++row)
		{
			fits[j].residual[row].lane[lane] = sgRoundUp(sums->first[row] * (1.0 + 0x1p-50));
		}
		if (!sums->isFitted || !(FindGain(fits + j, lane, most, extent) <= MAX_GAIN))
		{
			SetFlatFit(sums, lane, fits + j);
		}
		gain = Larger(gain, FindGain(fits + j, lane, most, extent));
	}
	head->gain.lane[lane] = sgRoundUp(gain * (1.0 + 0x1p-40));
}

bool sgFields_NeedsIntervals(const sgGroupDraft* draft, const sgLaneFloats* values)
{
	const sgFieldFit* fits = (const void*)((const char*)values + sizeof(sgFieldsHead));
	const sgFieldInterval* intervals = (const void*)(fits + draft->fieldCount);
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		double spans = 0.0, residuals = 0.0;
		for (uint32_t j = 0; j < draft->fieldCount; ++j)
		{
			for (int axis = 0; axis < 3; ++axis)
			{
				double most = (double)draft->most[3 * (size_t)draft->fields[j] + (size_t)axis];
				double span = (double)intervals[j].upper[axis].lane[lane] - (double)intervals[j].lower[axis].lane[lane];
				spans += most > 0.0 ? 0.5 * span / most : 0.0;
				residuals += most > 0.0 ? (double)fits[j].residual[axis].lane[lane] / most : 0.0;
			}
		}
		if (residuals > MUCH_LEFT * spans)
		{
			return true;
		}
	}
	return false;
}

// --- Groups ---------------------------------------------------------------------------------------------------------

void sgFields_FillGroup(const sgGroupDraft* draft, sgLaneFloats* values, float reach[3])
{
	sgFieldsHead* head = (sgFieldsHead*)(void*)values;
	sgFieldFit* fits = (sgFieldFit*)(void*)(head + 1);
	sgFieldInterval* intervals = (sgFieldInterval*)(void*)(fits + draft->fieldCount);
	memset(values, 0, (size_t)((char*)(intervals + draft->fieldCount) - (char*)values));
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		if (draft->laneFirst[lane] < draft->laneLast[lane])
		{
			FillHead(draft, lane, head, reach);
			FindRanges(draft, lane);
			FillIntervals(draft, lane, intervals);
			FillFits(draft, lane, head, fits);
		}
	}
}
