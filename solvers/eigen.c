#include "solvers/eigen.h"

#include <arpack/arpack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

#define RIGID 6
// Relative accuracy of lambda that ARPACK is asked for, and what is not lower by more than rounding.
#define TOLERANCE 1e-10
#define SAME 1e-6
#define MAX_RESTARTS 300
// Searches in the complement of what was found.
#define MAX_REPEATS 12

typedef struct solver
{
	const simEigenDef* def;
	size_t size; // 3 * nodeCount
	cholmod_common common;
	cholmod_factor* factor;
	cholmod_dense *right, *solution, *work1, *work2;
	simHoard hoard;            // found, foundMass, values
	double *found, *foundMass; // ((RIGID + capacity) * size) vectors u with u' M u = 1, and M u
	uint32_t rigidCount;       // RIGID, or none if the body is held
	uint32_t foundCount;       // the rigid ones included
	double* values;            // (RIGID + capacity)
	uint64_t solves;
} solver;

bool simEigen_IsAvailable(void)
{
	return true;
}

// ---- Factorisation ---------------------------------------------------------------------------------------------

// K + shift M, its lower triangle by columns.
static cholmod_sparse* MakeShifted(solver* s)
{
	const simElastic* e = s->def->elastic;
	size_t blocks = e->starts[e->nodeCount], diagonal = e->nodeCount;
	cholmod_sparse* a =
	    cholmod_allocate_sparse(s->size, s->size, 9 * blocks - 3 * diagonal, true, true, -1, CHOLMOD_REAL, &s->common);
	if (a == NULL)
	{
		return NULL;
	}
	int *columns = a->p, *rows = a->i, count = 0;
	double* numbers = a->x;
	for (size_t n = 0; n < e->nodeCount; ++n)
	{
		for (size_t c = 0; c < 3; ++c)
		{
			columns[3 * n + c] = count;
			for (uint32_t i = e->starts[n]; i < e->starts[n + 1]; ++i)
			{
				for (size_t r = e->rows[i] == n ? c : 0; r < 3; ++r)
				{
					rows[count] = (int)(3 * e->rows[i] + r);
					numbers[count++] =
					    e->stiffness[9 * (size_t)i + 3 * r + c] + (r == c ? s->def->shift * e->mass[i] : 0.0);
				}
			}
		}
	}
	columns[s->size] = count;
	return a;
}

static bool Factorise(solver* s, simError* error)
{
	cholmod_start(&s->common);
	s->common.print = 0;
	s->common.supernodal = CHOLMOD_SUPERNODAL;
	s->common.nmethods = 1;
	s->common.method[0].ordering = CHOLMOD_METIS;
	cholmod_sparse* a = MakeShifted(s);
	s->factor = a != NULL ? cholmod_analyze(a, &s->common) : NULL;
	bool good = s->factor != NULL && cholmod_factorize(a, s->factor, &s->common) == 1;
	bool positive = s->common.status != CHOLMOD_NOT_POSDEF;
	cholmod_free_sparse(&a, &s->common);
	s->right = good ? cholmod_zeros(s->size, 1, CHOLMOD_REAL, &s->common) : NULL;
	if (good && !positive)
	{
		return simError_Set(
		    error, "the stiffness matrix is not positive: its cells differ too much in size or filling");
	}
	return s->right != NULL ||
	       simError_Set(error, "not enough memory to factorise %zu unknowns: use fewer cells", s->size);
}

// ---- What was found --------------------------------------------------------------------------------------------

static double Dot(const double* a, const double* b, size_t size)
{
	double sum = 0.0;
	for (size_t i = 0; i < size; ++i)
	{
		sum += a[i] * b[i];
	}
	return sum;
}

// Take from x its part in the span of what was found. Twice is enough, whatever cancels.
static void ProjectOut(const solver* s, double* x)
{
	for (uint32_t f = 0; f < 2 * s->foundCount; ++f)
	{
		size_t at = (size_t)(f % s->foundCount) * s->size;
		double part = Dot(s->foundMass + at, x, s->size);
		for (size_t i = 0; i < s->size; ++i)
		{
			x[i] -= part * s->found[at + i];
		}
	}
}

// Take the vector behind those that were found over: orthogonal to them, of unit length, with its Rayleigh quotient.
static void Accept(solver* s)
{
	size_t at = (size_t)s->foundCount * s->size;
	double *u = s->found + at, *mass = s->foundMass + at;
	ProjectOut(s, u);
	simElastic_MultiplyMass(s->def->elastic, u, mass);
	double scale = 1.0 / sqrt(Dot(u, mass, s->size));
	simElastic_MultiplyStiffness(s->def->elastic, u, s->right->x);
	s->values[s->foundCount] = scale * scale * Dot(u, s->right->x, s->size);
	for (size_t i = 0; i < s->size; ++i)
	{
		u[i] *= scale;
		mass[i] *= scale;
	}
	++s->foundCount;
}

// Three translations, and three rotations about the centre.
static void AcceptRigid(solver* s)
{
	const double* nodes = s->def->elastic->nodes;
	for (size_t motion = 0; motion < s->rigidCount; ++motion)
	{
		double* u = s->found + (size_t)s->foundCount * s->size;
		memset(u, 0, s->size * sizeof(double));
		for (size_t n = 0; n < s->size; n += 3)
		{
			size_t axis = motion % 3, next = (axis + 1) % 3, last = (axis + 2) % 3;
			if (motion < 3)
			{
				u[n + axis] = 1.0;
			}
			else
			{
				u[n + next] = -nodes[n + last];
				u[n + last] = nodes[n + next];
			}
		}
		Accept(s);
	}
}

// ---- Lanczos ---------------------------------------------------------------------------------------------------

typedef struct lanczos
{
	a_int wanted, basis; // vectors
	simHoard hoard;
	double *residual, *vectors, *work, *small, *values;
	a_int smallSize;
	a_int parameters[11], pointers[14];
} lanczos;

static bool AllocateLanczos(lanczos* l, size_t size, uint32_t wanted)
{
	*l = (lanczos){ .wanted = (a_int)wanted };
	size_t basis = 2 * (size_t)wanted + 20;
	basis = basis < size ? basis : size;
	l->basis = (a_int)basis;
	l->smallSize = (a_int)(basis * (basis + 8));
	l->residual = simHoard_Take(&l->hoard, size, sizeof(double));
	l->vectors = simHoard_Take(&l->hoard, basis * size, sizeof(double));
	l->work = simHoard_Take(&l->hoard, 3 * size, sizeof(double));
	l->small = simHoard_Take(&l->hoard, (size_t)l->smallSize, sizeof(double));
	l->values = simHoard_Take(&l->hoard, basis, sizeof(double));
	l->parameters[0] = 1;            // ARPACK chooses its own shifts
	l->parameters[2] = MAX_RESTARTS; //
	l->parameters[6] = 3;            // shift-invert
	return !l->hoard.isShort;
}

// The same start every time: pseudo-random, so that it has a part of every mode, however symmetric the body.
static void SetStart(const solver* s, double* x)
{
	uint64_t state = 1;
	for (size_t i = 0; i < s->size; ++i)
	{
		state = state * 6364136223846793005u + 1442695040888963407u;
		x[i] = (double)(state >> 11) / 4503599627370496.0 - 1.0;
	}
	ProjectOut(s, x);
}

// y = (K + shift M)^-1 b, in the complement of what was found.
static bool Invert(solver* s, const double* b, double* y)
{
	memcpy(s->right->x, b, s->size * sizeof(double));
	if (!cholmod_solve2(CHOLMOD_A, s->factor, s->right, NULL, &s->solution, NULL, &s->work1, &s->work2, &s->common))
	{
		return false;
	}
	memcpy(y, s->solution->x, s->size * sizeof(double));
	ProjectOut(s, y);
	if (s->def->progress != NULL)
	{
		s->def->progress(s->def->user, "searching modes", ++s->solves, 0);
	}
	return true;
}

// ARPACK asks for products, in its own work space, until it is satisfied.
static bool Iterate(solver* s, lanczos* l, simError* error)
{
	a_int ask = 0, info = 1, size = (a_int)s->size;
	SetStart(s, l->residual);
	for (;;)
	{
		dsaupd_c(&ask, "G", size, "LM", l->wanted, TOLERANCE, l->residual, l->basis, l->vectors, size, l->parameters,
		    l->pointers, l->work, l->small, l->smallSize, &info);
		double *x = l->work + l->pointers[0] - 1, *y = l->work + l->pointers[1] - 1;
		bool good = true;
		if (ask == -1)
		{
			simElastic_MultiplyMass(s->def->elastic, x, y);
			good = Invert(s, y, y);
		}
		else if (ask == 1)
		{
			good = Invert(s, l->work + l->pointers[2] - 1, y);
		}
		else if (ask == 2)
		{
			simElastic_MultiplyMass(s->def->elastic, x, y);
		}
		else
		{
			break;
		}
		if (!good)
		{
			return simError_SetMemory(error);
		}
	}
	if (info != 0)
	{
		return simError_Set(error, "the search for modes did not converge (ARPACK's dsaupd: %d, %d of %d modes)", info,
		    l->parameters[4], l->wanted);
	}
	return true;
}

// Find the lowest `wanted` in the complement of what was found, and put them behind it, ascending.
static bool Search(solver* s, uint32_t wanted, simError* error)
{
	lanczos l;
	a_int size = (a_int)s->size, info = 0;
	bool good = AllocateLanczos(&l, s->size, wanted) || simError_SetMemory(error);
	good = good && Iterate(s, &l, error);
	a_int* select = good ? calloc((size_t)l.basis, sizeof(a_int)) : NULL;
	if (good && select == NULL)
	{
		good = simError_SetMemory(error);
	}
	if (good)
	{
		dseupd_c(1, "A", select, l.values, l.vectors, size, -s->def->shift, "G", size, "LM", l.wanted, TOLERANCE,
		    l.residual, l.basis, l.vectors, size, l.parameters, l.pointers, l.work, l.small, l.smallSize, &info);
		good = info == 0 || simError_Set(error, "the search for modes failed (ARPACK's dseupd: %d)", info);
	}
	for (uint32_t i = 0; good && i < wanted; ++i)
	{
		memcpy(s->found + (size_t)s->foundCount * s->size, l.vectors + (size_t)i * s->size, s->size * sizeof(double));
		Accept(s);
	}
	free(select);
	simHoard_Free(&l.hoard);
	return good;
}

// ---- All of it -------------------------------------------------------------------------------------------------

static void Swap(double* a, double* b, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		double t = a[i];
		a[i] = b[i];
		b[i] = t;
	}
}

// Sort what is not rigid by its value; insertion, since it is nearly sorted and short.
static void SortFound(solver* s)
{
	for (size_t i = s->rigidCount + 1; i < s->foundCount; ++i)
	{
		for (size_t j = i; j > s->rigidCount && s->values[j] < s->values[j - 1]; --j)
		{
			Swap(s->values + j, s->values + j - 1, 1);
			Swap(s->found + j * s->size, s->found + (j - 1) * s->size, s->size);
			Swap(s->foundMass + j * s->size, s->foundMass + (j - 1) * s->size, s->size);
		}
	}
}

static bool FindAll(solver* s, simError* error)
{
	uint32_t last = s->rigidCount + s->def->count - 1;
	if (!Search(s, s->def->count, error))
	{
		return false;
	}
	for (int repeat = 0; repeat < MAX_REPEATS; ++repeat)
	{
		SortFound(s);
		s->foundCount = last + 1;
		if (!Search(s, 1, error))
		{
			return false;
		}
		if (s->values[last + 1] >= s->values[last] * (1.0 - SAME))
		{
			s->foundCount = last + 1;
			return true;
		}
	}
	return simError_Set(error, "the search for modes keeps finding lower ones");
}

static void FreeSolver(solver* s)
{
	cholmod_free_dense(&s->right, &s->common);
	cholmod_free_dense(&s->solution, &s->common);
	cholmod_free_dense(&s->work1, &s->common);
	cholmod_free_dense(&s->work2, &s->common);
	cholmod_free_factor(&s->factor, &s->common);
	cholmod_finish(&s->common);
	simHoard_Free(&s->hoard);
}

static bool CopyFound(simEigen* eigen, const solver* s)
{
	size_t count = (size_t)s->def->count * s->size;
	eigen->count = s->def->count;
	eigen->values = malloc(eigen->count * sizeof(double));
	eigen->vectors = malloc(count * sizeof(double));
	if (eigen->values == NULL || eigen->vectors == NULL)
	{
		return false;
	}
	memcpy(eigen->rigid, s->values, s->rigidCount * sizeof(double));
	memcpy(eigen->values, s->values + s->rigidCount, eigen->count * sizeof(double));
	memcpy(eigen->vectors, s->found + s->rigidCount * s->size, count * sizeof(double));
	return true;
}

bool simEigen_Solve(simEigen* eigen, const simEigenDef* def, simError* error)
{
	*eigen = (simEigen){ 0 };
	solver s = { .def = def, .size = 3 * (size_t)def->elastic->nodeCount, .rigidCount = def->isHeld ? 0 : RIGID };
	if ((size_t)def->count + RIGID + 2 > s.size / 2)
	{
		return simError_Set(
		    error, "%u modes are too many for %u nodes: use more cells", def->count, def->elastic->nodeCount);
	}
	size_t capacity = RIGID + (size_t)def->count + 1;
	s.found = simHoard_Take(&s.hoard, capacity * s.size, sizeof(double));
	s.foundMass = simHoard_Take(&s.hoard, capacity * s.size, sizeof(double));
	s.values = simHoard_Take(&s.hoard, capacity, sizeof(double));
	if (def->progress != NULL)
	{
		def->progress(def->user, "factorising", 0, 0);
	}
	bool good = Factorise(&s, error) && (!s.hoard.isShort || simError_SetMemory(error));
	if (good)
	{
		AcceptRigid(&s);
		good = FindAll(&s, error) && (CopyFound(eigen, &s) || simError_SetMemory(error));
	}
	FreeSolver(&s);
	if (!good)
	{
		simEigen_Free(eigen);
	}
	return good;
}

void simEigen_Free(simEigen* eigen)
{
	free(eigen->values);
	free(eigen->vectors);
	*eigen = (simEigen){ 0 };
}
