// test/support/rational_vector.h: vectors of rationals, for the oracles alone.
#pragma once

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Vector
{
	mpq_t c[3];
} Vector;

static mpq_t vectorProduct; // of Cross and Dot

// A workspace holds nothing but rationals, which live as long as the program: initialising one costs more than using
// it. There is one workspace per oracle.
static inline void InitOnce(void* workspace, size_t bytes)
{
	static bool done = false;
	mpq_t* all = workspace;
	for (size_t i = 0; !done && i < bytes / sizeof(mpq_t); ++i)
	{
		mpq_init(all[i]);
	}
	if (!done)
	{
		mpq_init(vectorProduct);
	}
	done = true;
}

static inline void SetVector(Vector* v, const float* from)
{
	for (int k = 0; k < 3; ++k)
	{
		mpq_set_d(v->c[k], (double)from[k]);
	}
}

static inline void Subtract(Vector* out, const Vector* u, const Vector* v)
{
	for (int k = 0; k < 3; ++k)
	{
		mpq_sub(out->c[k], u->c[k], v->c[k]);
	}
}

// `out` is neither of them.
static inline void Cross(Vector* out, const Vector* u, const Vector* v)
{
	for (int k = 0; k < 3; ++k)
	{
		const int i = (k + 1) % 3, j = (k + 2) % 3;
		mpq_mul(out->c[k], u->c[i], v->c[j]);
		mpq_mul(vectorProduct, u->c[j], v->c[i]);
		mpq_sub(out->c[k], out->c[k], vectorProduct);
	}
}

static inline void Dot(mpq_t out, const Vector* u, const Vector* v)
{
	mpq_mul(out, u->c[0], v->c[0]);
	for (int k = 1; k < 3; ++k)
	{
		mpq_mul(vectorProduct, u->c[k], v->c[k]);
		mpq_add(out, out, vectorProduct);
	}
}

static inline bool IsZero(const Vector* v)
{
	return mpq_sgn(v->c[0]) == 0 && mpq_sgn(v->c[1]) == 0 && mpq_sgn(v->c[2]) == 0;
}
