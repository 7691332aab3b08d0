#include "papers/meshless/state.h"

#include <math.h>
#include <string.h>

bool simState_WriteVectors(FILE* stream, const double (*places)[3], const double (*velocities)[3], uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		const double *u = places[i], *v = velocities[i];
		fprintf(stream, "%a %a %a %a %a %a\n", u[0], u[1], u[2], v[0], v[1], v[2]);
	}
	return ferror(stream) == 0;
}

bool simState_ReadVectors(FILE* stream, double (*places)[3], double (*velocities)[3], uint32_t count, simError* error)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		double *u = places[i], *v = velocities[i];
		int read = fscanf(stream, " %la %la %la %la %la %la", &u[0], &u[1], &u[2], &v[0], &v[1], &v[2]);
		bool good = read == 6;
		for (int k = 0; k < 3; ++k)
		{
			good = good && fabs(u[k]) <= 1e30 && fabs(v[k]) <= 1e30; // false for NaN
		}
		if (!good)
		{
			return simError_Set(error, "node %u has no six finite numbers", i);
		}
	}
	return true;
}

bool simState_Write(FILE* stream, const simMeshless* body)
{
	fprintf(stream, "body %u time %a\n", body->nodeCount, body->time);
	return simState_WriteVectors(
	    stream, (const double(*)[3])body->displacement, (const double(*)[3])body->velocity, body->nodeCount);
}

bool simState_Read(FILE* stream, simMeshless* body, simError* error)
{
	uint32_t count = 0;
	double time = 0.0;
	simError ignored;
	bool good = fscanf(stream, " body %u time %la", &count, &time) == 2 && time >= 0.0 && time <= 1e9;
	good = good || simError_Set(error, "there is no body where one is expected");
	good = good &&
	       (count == body->nodeCount || simError_Set(error, "the body has %u nodes, not %u", count, body->nodeCount));
	body->time = good ? time : 0.0;
	good = good && simState_ReadVectors(stream, body->displacement, body->velocity, body->nodeCount, error) &&
	       simMeshless_ComputeForces(body, error);
	if (!good)
	{
		body->time = 0.0;
		memset(body->displacement, 0, body->nodeCount * sizeof(*body->displacement));
		memset(body->velocity, 0, body->nodeCount * sizeof(*body->velocity));
		simMeshless_ComputeForces(body, &ignored); // at rest there is nothing to fail
	}
	return good;
}
