#include "solvers/brick.h"

#include <math.h>
#include <string.h>

#define OWN (SIM_BRICK_ALL - SIM_BRICK_DOFS)

// A brick with filled subcells is everywhere a thousandth of solid; one that a triangle touches, but in which no
// subcell's centre is inside, counts as one filled subcell, spread evenly.
#define BACKGROUND 1e-3
#define TOUCHED (1.0 / SIM_SUBCELL_COUNT)

static void SetElasticity(double elasticity[6][6], double poisson)
{
	double lambda = poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), shear = 0.5 / (1.0 + poisson);
	memset(elasticity, 0, 36 * sizeof(double));
	for (int i = 0; i < 3; ++i)
	{
		for (int j = 0; j < 3; ++j)
		{
			elasticity[i][j] = lambda + (i == j ? 2.0 * shear : 0.0);
		}
		elasticity[i + 3][i + 3] = shear;
	}
}

// Gradient of every scalar shape at a point of [-1, 1]^3: 8 trilinear ones, then the 3 of the brick's own.
static void SetGradients(const double s[3], const double edges[3], double gradients[8 + 3][3], double values[8])
{
	for (int node = 0; node < 8; ++node)
	{
		double f[3], d[3];
		for (int k = 0; k < 3; ++k)
		{
			double sign = (node >> k & 1) ? 1.0 : -1.0;
			f[k] = 0.5 * (1.0 + sign * s[k]);
			d[k] = sign / edges[k];
		}
		values[node] = f[0] * f[1] * f[2];
		gradients[node][0] = d[0] * f[1] * f[2];
		gradients[node][1] = f[0] * d[1] * f[2];
		gradients[node][2] = f[0] * f[1] * d[2];
	}
	memset(gradients[8], 0, 9 * sizeof(double));
	for (int k = 0; k < 3; ++k)
	{
		gradients[8 + k][k] = -4.0 * s[k] / edges[k]; // of 1 - s^2, with ds/dx = 2 / edge
	}
}

static void SetStrains(double gradients[8 + 3][3], double strain[6][SIM_BRICK_ALL])
{
	memset(strain, 0, 6 * SIM_BRICK_ALL * sizeof(double));
	for (int i = 0; i < 8 + 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			int next = (k + 1) % 3;
			strain[k][3 * i + k] = gradients[i][k];
			strain[3 + k][3 * i + k] = gradients[i][next]; // engineering shear of axes k and k + 1
			strain[3 + k][3 * i + next] = gradients[i][k];
		}
	}
}

static void AddPoint(simBrick* brick, int subcell, const double edges[3], const double s[3], double weight)
{
	double gradients[8 + 3][3], values[8], b[6][SIM_BRICK_ALL], cb[6][SIM_BRICK_ALL];
	SetGradients(s, edges, gradients, values);
	SetStrains(gradients, b);
	for (int r = 0; r < 6; ++r)
	{
		for (int i = 0; i < SIM_BRICK_ALL; ++i)
		{
			double sum = 0.0;
			for (int k = 0; k < 6; ++k)
			{
				sum += brick->elasticity[r][k] * b[k][i];
			}
			cb[r][i] = weight * sum;
			brick->strain[subcell][r][i] += weight * b[r][i];
		}
	}
	for (int i = 0; i < SIM_BRICK_ALL; ++i)
	{
		for (int j = 0; j <= i; ++j)
		{
			double sum = 0.0;
			for (int k = 0; k < 6; ++k)
			{
				sum += b[k][i] * cb[k][j];
			}
			brick->stiffness[subcell][i][j] += sum;
		}
	}
	for (int i = 0; i < 8; ++i)
	{
		for (int j = 0; j < 8; ++j)
		{
			brick->mass[subcell][i][j] += weight * values[i] * values[j];
		}
	}
}

void simBrick_Init(simBrick* brick, const double edges[3], double poisson)
{
	memset(brick, 0, sizeof(*brick));
	SetElasticity(brick->elasticity, poisson);
	brick->volume = edges[0] * edges[1] * edges[2] / SIM_SUBCELL_COUNT;
	const double gauss = 1.0 / sqrt(3.0); // two points per axis are exact for what is integrated
	for (int subcell = 0; subcell < SIM_SUBCELL_COUNT; ++subcell)
	{
		int place[3] = { subcell % SIM_SUBCELLS, subcell / SIM_SUBCELLS % SIM_SUBCELLS,
			subcell / (SIM_SUBCELLS * SIM_SUBCELLS) };
		for (int point = 0; point < 8; ++point)
		{
			double s[3];
			for (int k = 0; k < 3; ++k)
			{
				double middle = (2.0 * place[k] + 1.0) / SIM_SUBCELLS - 1.0;
				s[k] = middle + ((point >> k & 1) ? gauss : -gauss) / SIM_SUBCELLS;
			}
			AddPoint(brick, subcell, edges, s, brick->volume / 8.0);
		}
	}
	simBrick_Evaluate(brick, UINT64_MAX, brick->fullStiffness, brick->fullMass);
}

typedef struct sums
{
	double stiffness[SIM_BRICK_ALL][SIM_BRICK_ALL], strain[6][SIM_BRICK_ALL], mass[8][8], volume;
} sums;

static void AddSubcell(const simBrick* brick, int subcell, double weight, sums* sum)
{
	for (int i = 0; i < SIM_BRICK_ALL; ++i)
	{
		for (int j = 0; j <= i; ++j)
		{
			sum->stiffness[i][j] += weight * brick->stiffness[subcell][i][j];
		}
		for (int r = 0; r < 6; ++r)
		{
			sum->strain[r][i] += weight * brick->strain[subcell][r][i];
		}
	}
	for (int i = 0; i < 8; ++i)
	{
		for (int j = 0; j < 8; ++j)
		{
			sum->mass[i][j] += weight * brick->mass[subcell][i][j];
		}
	}
	sum->volume += weight * brick->volume;
}

// Subtract the mean of the brick's own strains: the integral of (Bi - mean)' C (Bj - mean) is that of Bi' C Bj less
// Si' C Sj / V, with S the integrals of B; with nodal strains on one side, which keep their mean, it is the same.
static void SubtractMeanStrains(const simBrick* brick, sums* sum)
{
	for (int i = SIM_BRICK_DOFS; i < SIM_BRICK_ALL; ++i)
	{
		double stress[6];
		for (int r = 0; r < 6; ++r)
		{
			stress[r] = 0.0;
			for (int k = 0; k < 6; ++k)
			{
				stress[r] += brick->elasticity[r][k] * sum->strain[k][i] / sum->volume;
			}
		}
		for (int j = 0; j <= i; ++j)
		{
			for (int r = 0; r < 6; ++r)
			{
				sum->stiffness[i][j] -= stress[r] * sum->strain[r][j];
			}
		}
	}
}

// Eliminate the brick's own displacements, last first: they carry no load and no mass.
static void Condense(double stiffness[SIM_BRICK_ALL][SIM_BRICK_ALL])
{
	for (int e = SIM_BRICK_ALL - 1; e >= SIM_BRICK_DOFS; --e)
	{
		double pivot = stiffness[e][e];
		for (int i = 0; i < e; ++i)
		{
			double factor = stiffness[e][i] / pivot;
			for (int j = 0; j <= i; ++j)
			{
				stiffness[i][j] -= factor * stiffness[e][j];
			}
		}
	}
}

void simBrick_Evaluate(
    const simBrick* brick, uint64_t fill, double stiffness[SIM_BRICK_DOFS][SIM_BRICK_DOFS], double mass[8][8])
{
	if (fill == UINT64_MAX && brick->fullMass[0][0] > 0.0)
	{
		memcpy(stiffness, brick->fullStiffness, sizeof(brick->fullStiffness));
		memcpy(mass, brick->fullMass, sizeof(brick->fullMass));
		return;
	}
	sums sum = { .volume = 0.0 };
	double rest = fill != 0 ? BACKGROUND : TOUCHED;
	for (int i = 0; i < SIM_SUBCELL_COUNT; ++i)
	{
		AddSubcell(brick, i, (fill >> i & 1) ? 1.0 : rest, &sum);
	}
	SubtractMeanStrains(brick, &sum);
	Condense(sum.stiffness);
	for (int i = 0; i < SIM_BRICK_DOFS; ++i)
	{
		for (int j = 0; j <= i; ++j)
		{
			stiffness[i][j] = stiffness[j][i] = sum.stiffness[i][j];
		}
	}
	memcpy(mass, sum.mass, sizeof(sum.mass));
}
