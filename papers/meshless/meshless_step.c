// papers/meshless/meshless_step.c: forces of a meshless body, its largest time step, and steps through time.
#include "base/vec.h"
#include "lab/scenes/random.h"
#include "papers/meshless/meshless.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POWER_STEPS 60
#define STEP_MARGIN 0.9
#define LARGEST_MOVE 0.25 // of the support, in one step

typedef double matrix3[3][3];

// ---- Forces ----------------------------------------------------------------------------------------------------

static void ComputeGradient(const simMeshless* body, const double (*u)[3], uint32_t node, matrix3 gradient)
{
	memset(gradient, 0, sizeof(matrix3));
	for (uint32_t k = body->starts[node]; k < body->starts[node + 1]; ++k)
	{
		const simNeighbour* n = body->neighbours + k;
		double difference[3];
		sgSubtract(u[n->node], u[node], difference);
		for (int i = 0; i < 3; ++i)
		{
			for (int c = 0; c < 3; ++c)
			{
				gradient[i][c] += n->derive[i] * difference[c];
			}
		}
	}
}

// The energy changes by stress : grad(change of u)^T, so -stress times `derive` is the force on each neighbour.
static void Scatter(const simMeshless* body, uint32_t node, const matrix3 stress, double (*force)[3])
{
	for (uint32_t k = body->starts[node]; k < body->starts[node + 1]; ++k)
	{
		const simNeighbour* n = body->neighbours + k;
		for (int c = 0; c < 3; ++c)
		{
			double f = sgDot(stress[c], n->derive);
			force[n->node][c] -= f;
			force[node][c] += f;
		}
	}
}

// lambda tr(E) I + 2 mu E
static void ApplyLaw(double lambda, double mu, const matrix3 strain, matrix3 stress)
{
	double trace = strain[0][0] + strain[1][1] + strain[2][2];
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			stress[i][k] = 2.0 * mu * strain[i][k] + (i == k ? lambda * trace : 0.0);
		}
	}
}

/// How a node is deformed.
typedef struct deformation
{
	matrix3 j;      ///< I + grad u^T; of thin nodes the part within their range
	matrix3 strain; ///< Green's
	matrix3 area;   ///< cofactors of j: the derivative of its determinant
	double determinant;
} deformation;

static void Deform(const simMeshless* body, uint32_t node, const matrix3 gradient, deformation* d)
{
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			d->j[i][k] = body->range[node][i][k] + gradient[k][i];
		}
	}
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			double product = d->j[0][i] * d->j[0][k] + d->j[1][i] * d->j[1][k] + d->j[2][i] * d->j[2][k];
			d->strain[i][k] = 0.5 * (product - body->range[node][i][k]);
		}
	}
	sgCross(d->j[1], d->j[2], d->area[0]);
	sgCross(d->j[2], d->j[0], d->area[1]);
	sgCross(d->j[0], d->j[1], d->area[2]);
	d->determinant = sgDot(d->j[0], d->area[0]);
}

// v_i times the derivative of the energy's density with respect to J.
static void ComputeStress(const simMeshless* body, uint32_t node, const deformation* d, matrix3 stress)
{
	matrix3 second;
	ApplyLaw(body->lambda, body->mu, d->strain, second);
	double pressure = body->isThin[node] ? 0.0 : body->bulk * (d->determinant - 1.0);
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			double product = d->j[i][0] * second[0][k] + d->j[i][1] * second[1][k] + d->j[i][2] * second[2][k];
			stress[i][k] = body->volume[node] * (product + pressure * d->area[i][k]);
		}
	}
}

bool simMeshless_ComputeForces(simMeshless* body, simError* error)
{
	memset(body->force, 0, body->nodeCount * sizeof(*body->force));
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		deformation d;
		matrix3 stress;
		ComputeGradient(body, (const double(*)[3])body->displacement, i, body->gradient[i]);
		Deform(body, i, (const double(*)[3])body->gradient[i], &d);
		if (!body->isThin[i] && !(d.determinant > 0.0)) // true for NaN
		{
			return simError_Set(error, "node %u is turned inside out after %g s: the determinant of its gradient is %g",
			    i, body->time, d.determinant);
		}
		ComputeStress(body, i, &d, stress);
		Scatter(body, i, (const double(*)[3])stress, body->force);
	}
	return true;
}

// ---- The largest step ------------------------------------------------------------------------------------------

// Forces of small displacements, times -1.
static void ApplyStiffness(const simMeshless* body, const double (*u)[3], double (*product)[3])
{
	memset(product, 0, body->nodeCount * sizeof(*product));
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		matrix3 gradient, strain, stress;
		ComputeGradient(body, u, i, gradient);
		double volume = -body->volume[i], lambda = body->lambda + (body->isThin[i] ? 0.0 : body->bulk);
		for (int a = 0; a < 3; ++a)
		{
			for (int b = 0; b < 3; ++b)
			{
				strain[a][b] = 0.5 * volume * (gradient[a][b] + gradient[b][a]);
			}
		}
		ApplyLaw(lambda, body->mu, (const double(*)[3])strain, stress);
		Scatter(body, i, (const double(*)[3])stress, product);
	}
}

static double GetLength(const double (*u)[3], uint32_t count)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < count; ++i)
	{
		sum += sgDot(u[i], u[i]);
	}
	return sqrt(sum);
}

// An explicit step is stable below 2 / omega. Power iteration finds the largest omega from below, to a percent or two:
// the margin covers that.
bool simMeshless_FindLargestStep(simMeshless* body, simError* error)
{
	uint32_t count = body->nodeCount;
	double(*u)[3] = malloc(count * sizeof(*u)), (*product)[3] = malloc(count * sizeof(*product));
	bool good = (u != NULL && product != NULL) || simError_SetMemory(error);
	double stiffness = 0.0;
	sceneRandom random = { 1 };
	for (uint32_t i = 0; good && i < count; ++i)
	{
		for (int c = 0; c < 3; ++c)
		{
			u[i][c] = sceneRandom_Range(&random, -1.0, 1.0);
		}
	}
	for (int step = 0; good && step < POWER_STEPS; ++step)
	{
		double length = GetLength((const double(*)[3])u, count);
		for (uint32_t i = 0; i < 3 * count; ++i)
		{
			u[i / 3][i % 3] /= length;
		}
		ApplyStiffness(body, (const double(*)[3])u, product);
		stiffness = GetLength((const double(*)[3])product, count);
		memcpy(u, product, count * sizeof(*u));
	}
	good = good && (stiffness > 0.0 || simError_Set(error, "the body has no stiffness"));
	double vibration = good ? STEP_MARGIN * 2.0 / sqrt(stiffness / body->mass) : 0.0;
	// Beyond 1 / c damping would turn velocities around.
	body->largestStep = vibration * body->damping > 1.0 ? 1.0 / body->damping : vibration;
	free(u);
	free(product);
	return good;
}

// ---- Steps -----------------------------------------------------------------------------------------------------

void simMeshless_Hold(simMeshless* body, uint32_t node, const double displacement[3])
{
	body->isHeld[node] = 1;
	memcpy(body->goal[node], displacement, sizeof(body->goal[node]));
}

void simMeshless_Release(simMeshless* body, uint32_t node)
{
	body->isHeld[node] = 0;
}

static void Move(simMeshless* body, uint32_t node, double step)
{
	for (int c = 0; c < 3; ++c)
	{
		double* v = &body->velocity[node][c];
		double* u = &body->displacement[node][c];
		if (body->isHeld[node])
		{
			*v = (body->goal[node][c] - *u) / step;
			*u = body->goal[node][c];
			continue;
		}
		double acceleration = (body->force[node][c] + body->external[node][c]) / body->mass + body->gravity[c];
		*v = (*v + step * acceleration) * (1.0 - body->damping * step);
		*u += step * *v;
	}
}

static bool Advance(simMeshless* body, double step, simError* error)
{
	double largest = LARGEST_MOVE * body->support;
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		Move(body, i, step);
		double move = step * sqrt(sgDot(body->velocity[i], body->velocity[i]));
		if (!(move <= largest)) // true for NaN
		{
			return simError_Set(error,
			    "node %u would move by %g in the step after %g s, more than a quarter of its support %g", i, move,
			    body->time, body->support);
		}
	}
	return simMeshless_ComputeForces(body, error);
}

bool simMeshless_Step(simMeshless* body, double step, simError* error)
{
	size_t size = body->nodeCount * sizeof(*body->kept);
	if (!(step > 0.0 && step <= body->largestStep))
	{
		return simError_Set(error,
		    "a step of %g s is not possible: this body vibrates so fast that it needs %g s at most", step,
		    body->largestStep);
	}
	memcpy(body->kept, body->displacement, size);
	memcpy(body->kept + body->nodeCount, body->velocity, size);
	bool good = Advance(body, step, error);
	if (!good)
	{
		simError ignored;
		memcpy(body->displacement, body->kept, size);
		memcpy(body->velocity, body->kept + body->nodeCount, size);
		simMeshless_ComputeForces(body, &ignored); // as they were, since that succeeded before
		return false;
	}
	memset(body->external, 0, body->nodeCount * sizeof(*body->external));
	body->time += step;
	return true;
}

// ---- What came of it -------------------------------------------------------------------------------------------

void simMeshless_GetNodes(const simMeshless* body, snugMeshlessNode* nodes)
{
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			nodes[i].position[k] = (float)body->rest[i][k];
			nodes[i].displacement[k] = (float)body->displacement[i][k];
			for (int c = 0; c < 3; ++c)
			{
				nodes[i].gradient[k][c] = (float)body->gradient[i][k][c];
			}
		}
	}
}

simEnergy simMeshless_GetEnergy(const simMeshless* body)
{
	simEnergy energy = { 0.0, 0.0, 0.0 };
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		matrix3 gradient, stress;
		deformation d;
		ComputeGradient(body, (const double(*)[3])body->displacement, i, gradient);
		Deform(body, i, (const double(*)[3])gradient, &d);
		ApplyLaw(body->lambda, body->mu, (const double(*)[3])d.strain, stress);
		double change = body->isThin[i] ? 0.0 : d.determinant - 1.0;
		double density = 0.5 * body->bulk * change * change;
		for (int k = 0; k < 3; ++k)
		{
			density += 0.5 * sgDot(stress[k], d.strain[k]);
		}
		energy.elastic += body->volume[i] * density;
		energy.kinetic += 0.5 * body->mass * sgDot(body->velocity[i], body->velocity[i]);
		energy.gravity -= body->mass * sgDot(body->gravity, body->displacement[i]);
	}
	return energy;
}

void simMeshless_GetMomentum(const simMeshless* body, double linear[3], double angular[3])
{
	memset(linear, 0, 3 * sizeof(double));
	memset(angular, 0, 3 * sizeof(double));
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		double place[3], turning[3];
		for (int c = 0; c < 3; ++c)
		{
			place[c] = body->rest[i][c] + body->displacement[i][c];
		}
		sgCross(place, body->velocity[i], turning);
		for (int c = 0; c < 3; ++c)
		{
			linear[c] += body->mass * body->velocity[i][c];
			angular[c] += body->mass * turning[c];
		}
	}
}
