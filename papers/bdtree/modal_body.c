#include "papers/bdtree/modal_body.h"

#include "solvers/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void FindSides(benchModalBody* body)
{
	for (uint32_t k = 0; k < 3; ++k)
	{
		double lower = INFINITY, upper = -INFINITY;
		for (uint32_t v = 0; v < body->mesh.vertexCount; ++v)
		{
			lower = fmin(lower, (double)body->mesh.positions[3 * (size_t)v + k]);
			upper = fmax(upper, (double)body->mesh.positions[3 * (size_t)v + k]);
		}
		body->sides[k] = upper - lower;
		body->length = fmax(body->length, body->sides[k]);
	}
}

static bool ComputeModes(simModes* modes, const sceneMesh* mesh, simError* error)
{
	static const uint32_t cellCounts[] = { 5000, 1500, 500 };
	bool good = false;
	for (size_t i = 0; i < sizeof(cellCounts) / sizeof(cellCounts[0]) && !good; ++i)
	{
		const simModesDef def = {
			.mesh = { mesh->positions, mesh->vertexCount, mesh->triangles, mesh->triangleCount },
			.modeCount = BENCH_MODES,
			.cellCount = cellCounts[i],
		};
		good = simModes_Compute(modes, &def, error);
	}
	return good;
}

bool benchModalBody_Create(benchModalBody* body, const char* name, sceneMesh mesh, benchReport* report)
{
	*body = (benchModalBody){ .mesh = mesh };
	snprintf(body->name, sizeof(body->name), "%s", name);
	simModes modes;
	simError error = { "" };
	if (!sceneMesh_IsValid(&mesh) || !ComputeModes(&modes, &mesh, &error))
	{
		benchReport_Fail(report, "%s: %s", name, error.text[0] != '\0' ? error.text : "out of memory");
		sceneMesh_Free(&body->mesh);
		return false;
	}
	FindSides(body);
	body->fields = modes.fields;
	body->frequencies = modes.frequencies;
	modes.fields = NULL;
	modes.frequencies = NULL;
	simModes_Free(&modes);
	body->amplitudes = calloc(BENCH_MODAL_FRAMES * BENCH_MODES, sizeof(float));
	if (body->amplitudes == NULL)
	{
		benchReport_Fail(report, "out of memory");
		benchModalBody_Free(body);
		return false;
	}
	return true;
}

void benchModalBody_Free(benchModalBody* body)
{
	sceneMesh_Free(&body->mesh);
	free(body->fields);
	free(body->frequencies);
	free(body->amplitudes);
	*body = (benchModalBody){ .fields = NULL };
}

void benchModalBody_Vibrate(benchModalBody* body, double size)
{
	for (int f = 0; f < BENCH_MODAL_FRAMES; ++f)
	{
		for (int j = 0; j < BENCH_MODES; ++j)
		{
			double ratio = body->frequencies[j] / body->frequencies[0];
			double phase = 2.0 * 3.14159265358979 * (ratio * f / 60.0 + 0.37 * j);
			body->amplitudes[f * BENCH_MODES + j] = (float)(size * body->length * cos(phase) / ratio);
		}
	}
}

double benchModalBody_FindReach(const benchModalBody* body)
{
	double most = 0.0;
	for (int f = 0; f < BENCH_MODAL_FRAMES; f += 6)
	{
		for (uint32_t v = 0; v < body->mesh.vertexCount; ++v)
		{
			double sum[3] = { 0.0, 0.0, 0.0 };
			for (int j = 0; j < BENCH_MODES; ++j)
			{
				const float* d = body->fields + 3 * ((size_t)j * body->mesh.vertexCount + v);
				for (int k = 0; k < 3; ++k)
				{
					sum[k] += (double)body->amplitudes[f * BENCH_MODES + j] * (double)d[k];
				}
			}
			most = fmax(most, sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]));
		}
	}
	return most / body->length;
}

benchActor benchModalBody_GetActor(const benchModalBody* body)
{
	return benchActor_Fielded(&body->mesh, body->fields, BENCH_MODES, body->amplitudes, BENCH_MODAL_FRAMES);
}
