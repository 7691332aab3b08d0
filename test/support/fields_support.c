// test/support/fields_support.c: see fields_support.h.
#include "fields_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void FieldSet_Free(FieldSet* set)
{
	free(set->starts);
	free(set->fields);
	free(set->displacements);
	free(set->amplitudes);
}

typedef enum FieldKind
{
	field_constant,
	field_turn,    // d = axis x p
	field_shrink,  // d = -p: an amplitude of 1 gives a point
	field_shear,   // linear in p
	field_bend,    // quadratic
	field_ripple,  // period of a tenth of the size
	field_noise,   //
	field_single,  // one vertex in ten
	field_oneAxis, // zero along the others
	field_zero,    //
	field_ball,    // only near a centre
	FIELD_KINDS
} FieldKind;

// A wave of period 1 in [-1, 1], by arithmetic alone.
static double Wave(double x)
{
	double t = x - floor(x);
	return 1.0 - 4.0 * fabs(t - 0.5);
}

static void Displace(FieldKind kind, uint64_t seed, const float* p, double size, double out[3])
{
	sceneRandom random = { seed };
	double c[12], x[3] = { (double)p[0] / size, (double)p[1] / size, (double)p[2] / size };
	for (int i = 0; i < 12; ++i)
	{
		c[i] = sceneRandom_Range(&random, -1.0, 1.0);
	}
	double along = c[3] * x[0] + c[4] * x[1] + c[5] * x[2];
	double far = fabs(x[0] - c[0]) + fabs(x[1] - c[1]) + fabs(x[2] - c[2]);
	for (int k = 0; k < 3; ++k)
	{
		int i = (k + 1) % 3, j = (k + 2) % 3;
		switch (kind)
		{
			case field_constant:
				out[k] = c[k];
				break;
			case field_turn:
				out[k] = c[i] * x[j] - c[j] * x[i];
				break;
			case field_shrink:
				out[k] = -x[k];
				break;
			case field_shear:
				out[k] = c[k] * along;
				break;
			case field_bend:
				out[k] = c[k] * along * along;
				break;
			case field_ripple:
				out[k] = 0.1 * c[k] * Wave(10.0 * along);
				break;
			case field_oneAxis:
				out[k] = k == (int)(seed % 3) ? along : 0.0;
				break;
			case field_ball:
				out[k] = far < 0.7 ? c[6 + k] * (0.7 - far) : 0.0;
				break;
			default:
				out[k] = 0.0;
				break;
		}
	}
}

static void FillField(sceneRandom* random, const sceneMesh* mesh, double size, float* out)
{
	static const double sizes[] = { 1.0, 1.0, 1.0, 1e-3, 1e-8, 1e3, 1e-36 };
	FieldKind kind = (FieldKind)sceneRandom_Index(random, FIELD_KINDS);
	uint64_t seed = sceneRandom_Next(random);
	double scale = size * sizes[sceneRandom_Index(random, LENGTH_OF(sizes))];
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		double d[3];
		Displace(kind, seed, mesh->positions + 3 * (size_t)v, size, d);
		bool isMoved = kind == field_noise || (kind == field_single && sceneRandom_Index(random, 10) == 0);
		for (int k = 0; k < 3; ++k)
		{
			d[k] = isMoved ? sceneRandom_Range(random, -1.0, 1.0) : d[k];
			double value = fmax(fmin(scale * d[k], 1e34), -1e34);
			out[3 * (size_t)v + (size_t)k] = (float)value;
		}
	}
}

static void MakeSparse(sceneRandom* random, const sceneMesh* mesh, FieldSet* set)
{
	uint32_t total = 0, n = set->fieldCount;
	float* dense = set->displacements;
	set->starts = calloc(mesh->vertexCount + 1, sizeof(uint32_t));
	set->fields = calloc((size_t)mesh->vertexCount * n + 1, sizeof(uint16_t));
	set->displacements = calloc(3 * (size_t)mesh->vertexCount * n + 1, sizeof(float));
	assert_true(set->starts != NULL && set->fields != NULL && set->displacements != NULL);
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		uint32_t first = sceneRandom_Index(random, n);
		for (uint32_t i = 0; i < n; ++i)
		{
			uint32_t f = (first + i) % n; // ascending but for one place
			const float* d = dense + 3 * ((size_t)f * mesh->vertexCount + v);
			if (d[0] != 0.0f || d[1] != 0.0f || d[2] != 0.0f || sceneRandom_Index(random, 20) == 0)
			{
				set->fields[total] = (uint16_t)f;
				memcpy(set->displacements + 3 * (size_t)total++, d, 3 * sizeof(float));
			}
		}
		set->starts[v + 1] = total;
	}
	free(dense);
}

FieldSet RandomFields(sceneRandom* random, const sceneMesh* mesh, double size)
{
	static const uint32_t counts[] = { 1, 1, 2, 3, 5, 10, 17, 40 };
	FieldSet set = { .fieldCount = counts[sceneRandom_Index(random, LENGTH_OF(counts))] };
	set.displacements = calloc(3 * (size_t)set.fieldCount * mesh->vertexCount + 1, sizeof(float));
	set.amplitudes = calloc(set.fieldCount, sizeof(float));
	assert_true(set.displacements != NULL && set.amplitudes != NULL);
	for (uint32_t f = 0; f < set.fieldCount; ++f)
	{
		FillField(random, mesh, size, set.displacements + 3 * (size_t)f * mesh->vertexCount);
	}
	if (sceneRandom_Index(random, 2) == 0)
	{
		MakeSparse(random, mesh, &set);
	}
	return set;
}

void RandomAmplitudes(sceneRandom* random, FieldSet* set)
{
	static const double sizes[] = { 0.0, 0.3, 1.0, 1.0, 3.0, 30.0, 1e-6, 1e-30, 1e-44, 1e6, 1e30 };
	double size = sizes[sceneRandom_Index(random, LENGTH_OF(sizes))];
	bool isSparse = sceneRandom_Index(random, 3) == 0;
	for (uint32_t f = 0; f < set->fieldCount; ++f)
	{
		bool isZero = isSparse && sceneRandom_Index(random, 4) != 0;
		double value = size * sceneRandom_Range(random, -1.0, 1.0);
		set->amplitudes[f] = isZero ? -0.0f : (float)value;
	}
	if (size > 0.0 && sceneRandom_Index(random, 4) == 0)
	{
		set->amplitudes[sceneRandom_Index(random, set->fieldCount)] = 1.0f;
	}
}

void NudgeAmplitudes(sceneRandom* random, FieldSet* set)
{
	static const double steps[] = { 0.1, 1e-2, 1e-4, 1e-7 };
	double step = steps[sceneRandom_Index(random, LENGTH_OF(steps))];
	for (uint32_t f = 0; f < set->fieldCount; ++f)
	{
		double size = fmax(fabs((double)set->amplitudes[f]), sceneRandom_Index(random, 3) == 0 ? 0.1 : 0.0);
		set->amplitudes[f] = (float)((double)set->amplitudes[f] + step * size * sceneRandom_Range(random, -1.0, 1.0));
	}
}

snugFieldsDef FieldSet_Def(const FieldSet* set)
{
	return (snugFieldsDef){
		.fieldCount = set->fieldCount,
		.starts = set->starts,
		.fields = set->fields,
		.displacements = set->displacements,
	};
}

sceneMesh SmoothMesh(int kind)
{
	return kind % 4 == 0   ? sceneMakeTorus(1.0, 0.3 + 0.1 * (kind % 5), 40, 24)
	       : kind % 4 == 1 ? sceneMakeSphere(20)
	       : kind % 4 == 2 ? sceneMakeCloth(1.0, 1.0, 24, 24)
	                       : sceneMakeBlob(16, (uint32_t)kind);
}

FieldSet SmoothFields(sceneRandom* random, const sceneMesh* mesh)
{
	const uint32_t count = 1 + sceneRandom_Index(random, 3);
	FieldSet set = {
		.fieldCount = count,
		.displacements = malloc(3 * (size_t)count * mesh->vertexCount * sizeof(float)),
		.amplitudes = calloc(count, sizeof(float)),
	};
	for (uint32_t f = 0; f < count; ++f)
	{
		float factors[3][9];
		for (int i = 0; i < 27; ++i)
		{
			factors[i / 9][i % 9] = (float)sceneRandom_Range(random, -1.0, 1.0);
		}
		for (size_t v = 0; v < mesh->vertexCount; ++v)
		{
			const float* p = mesh->positions + 3 * v;
			const float terms[9] = { p[0], p[1], p[2], p[0] * p[0], p[1] * p[1], p[2] * p[2], p[0] * p[1], p[1] * p[2],
				p[0] * p[1] * p[2] };
			for (size_t k = 0; k < 3; ++k)
			{
				float* d = set.displacements + 3 * (f * (size_t)mesh->vertexCount + v) + k;
				*d = 0.0f;
				for (int i = 0; i < 9; ++i)
				{
					*d += factors[k][i] * terms[i];
				}
			}
		}
	}
	return set;
}

snugModelDef FieldsDef(const sceneMesh* mesh, const FieldSet* set, snugTreeDef tree)
{
	snugModelDef def = MeshDef(mesh, snug_fields, tree);
	def.fields = FieldSet_Def(set);
	return def;
}

Thing MakeFields(sceneMesh mesh, const FieldSet* set, snugTreeDef tree, snugStrategy strategy)
{
	snugModelDef def = FieldsDef(&mesh, set, tree);
	return Thing_Build(mesh, &def, strategy, NULL);
}

void PoseFields(const Thing* thing, FieldSet* set)
{
	while (snugBody_SetAmplitudes(thing->body, set->amplitudes, set->fieldCount) != snug_success)
	{
		for (uint32_t f = 0; f < set->fieldCount; ++f)
		{
			set->amplitudes[f] *= 1e-6f;
		}
	}
}
