// solvers/eigen.h: the lowest vibrations of an elastic body, by shift-invert Lanczos.
//
// Solves K u = lambda M u for the smallest lambda above zero. The six rigid motions are known exactly, since
// bricks represent them exactly; they are given and projected out. What remains is searched by ARPACK in the inverse of
// K + shift M, which CHOLMOD factorises: it is positive definite, and the lowest lambda become the largest.
//
// A Lanczos method that starts from one vector may miss one of two equal eigenvalues, which every symmetric body has.
// So when all are found, the search is repeated in the complement of what was found; nothing lower must turn up there.
#ifndef SIM_EIGEN_H
#define SIM_EIGEN_H

#include "solvers/elastic.h"

typedef struct simEigenDef
{
	const simElastic* elastic;
	uint32_t count;           ///< wanted, without the rigid ones
	bool isHeld;              ///< it has no rigid motions
	double shift;             ///< about as large as the lowest lambda, or less
	simProgressFcn* progress; ///< nullable
	void* user;
} simEigenDef;

typedef struct simEigen
{
	uint32_t count;
	double* values;  ///< (count) lambda, ascending
	double* vectors; ///< (count * 3 * nodeCount) one after the other, u' M u = 1
	double rigid[6]; ///< lambda of the rigid motions: zero, but for rounding; all zero if the body is held
} simEigen;

/// @return whether snug was built with SuiteSparse and ARPACK; without them simEigen_Solve fails and says so
bool simEigen_IsAvailable(void);

bool simEigen_Solve(simEigen* eigen, const simEigenDef* def, simError* error);
void simEigen_Free(simEigen* eigen);

#endif
