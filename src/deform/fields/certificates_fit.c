// src/deform/fields/certificates_fit.c: gradients of displacement fields below the nodes of a tree: certificates hold
// with any, and reach farther the less these leave over.
#include "deform/fields/certificates_build.h"

#include "geometry/frame.h"

#include <math.h>
#include <string.h>

/// What a node has to say about a direction along which it is as thin as the root of this part of its size counts half.
#define RIDGE 1e-4
/// The root has nothing above it to go by.
#define ROOT_RIDGE 1e-9

// Rest positions below a node: their mean, and its moments, `ridge` of their trace added.
typedef struct Moments
{
	uint32_t first, end; ///< leaf vertices
	double mean[3];
	double inverse[3][3];
	double ridge;
} Moments;

static void Invert(const double m[3][3], double inverse[3][3])
{
	double determinant = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			const double *u = m[(i + 1) % 3], *v = m[(i + 2) % 3];
			inverse[k][i] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
			determinant += i == 0 ? m[0][k] * inverse[k][0] : 0.0;
		}
	}
	for (int i = 0; i < 9; ++i)
	{
		inverse[i / 3][i % 3] /= determinant;
	}
}

static Moments FindMoments(const snugModel* model, uint32_t slot)
{
	const sgTree* tree = &model->tree;
	const sgLeafRange range = sgTree_LeavesBelow(tree, slot);
	const sgLeaf* last = tree->leaves + range.last;
	Moments m = { .first = tree->leaves[range.first].firstVertex, .end = last->firstVertex + last->vertexCount };
	double moments[3][3] = { { 0.0 } };
	const double part = 1.0 / (double)(m.end - m.first);
	for (uint32_t v = m.first; v < m.end; ++v)
	{
		for (size_t k = 0; k < 3; ++k)
		{
			m.mean[k] += part * (double)model->positions[3 * (size_t)tree->leafVertices[v] + k];
		}
	}
	for (uint32_t v = m.first; v < m.end; ++v)
	{
		const float* p = model->positions + 3 * (size_t)tree->leafVertices[v];
		for (int i = 0; i < 9; ++i)
		{
			moments[i / 3][i % 3] += part * ((double)p[i / 3] - m.mean[i / 3]) * ((double)p[i % 3] - m.mean[i % 3]);
		}
	}
	m.ridge = (slot == 0 ? ROOT_RIDGE : RIDGE) * (moments[0][0] + moments[1][1] + moments[2][2]) + 0x1p-300;
	for (int k = 0; k < 3; ++k)
	{
		moments[k][k] += m.ridge;
	}
	Invert((const double(*)[3])moments, m.inverse);
	return m;
}

// Sums of displacement times position for all fields of a group.
static void AddProducts(
    const snugModel* model, const sgFields* fields, const sgFieldsGroup* group, const Moments* m, double (*sums)[3][3])
{
	const double part = 1.0 / (double)(m->end - m->first);
	for (uint32_t v = m->first; v < m->end; ++v)
	{
		const uint32_t vertex = model->tree.leafVertices[v];
		const float* p = model->positions + 3 * (size_t)vertex;
		const sgRow row = sgRows_Get(&fields->rows, vertex);
		for (uint32_t j = 0; j < row.count; ++j)
		{
			const uint32_t entry = sgFieldsGroup_FindField(fields, group, row.numbers[j]);
			for (size_t i = 0; i < 9 && entry != SG_NONE; ++i)
			{
				const double d = (double)row.values[(3 * (size_t)j + i / 3) * SG_LANES];
				sums[entry][i / 3][i % 3] += part * d * ((double)p[i % 3] - m->mean[i % 3]);
			}
		}
	}
}

static void Finish(const Moments* m, double sums[3][3], const sgGradient* above, sgGradient* gradient)
{
	bool isFinite = true;
	for (int i = 0; i < 9 && above != NULL; ++i)
	{
		sums[i / 3][i % 3] += m->ridge * (double)above->rows[i / 3][i % 3];
	}
	for (int i = 0; i < 9; ++i)
	{
		const double* row = sums[i / 3];
		double entry = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			entry += row[k] * m->inverse[k][i % 3];
		}
		isFinite = isFinite && fabs(entry) <= 0x1p100;
		gradient->rows[i / 3][i % 3] = sgRoundNearest(isFinite ? entry : 0.0);
	}
	if (!isFinite)
	{
		memset(gradient, 0, sizeof(*gradient));
	}
}

void sgCertificates_FitGradients(const snugModel* model, const sgFields* fields, const sgCertificates* certificates,
    uint32_t slot, sgGradient* gradients, double (*sums)[3][3])
{
	const sgFieldsGroup* group = fields->groups + slot / SG_LANES;
	const Moments m = FindMoments(model, slot);
	memset(sums, 0, group->fieldCount * sizeof(*sums));
	AddProducts(model, fields, group, &m, sums);
	const uint32_t parent = model->tree.nodes[slot].parent;
	for (uint32_t f = 0; f < group->fieldCount; ++f)
	{
		const sgGradient* above = NULL;
		if (parent != SG_NONE)
		{
			const uint32_t field = fields->groupFields[group->fields + f];
			const uint32_t entry = sgFieldsGroup_FindField(fields, fields->groups + parent / SG_LANES, field);
			above = certificates->gradients + certificates->starts[parent].gradients + entry;
		}
		Finish(&m, sums[f], above, gradients + f);
	}
}
