// In place of eigen.c where SuiteSparse or ARPACK was not found.
#include "solvers/eigen.h"

bool simEigen_IsAvailable(void)
{
	return false;
}

bool simEigen_Solve(simEigen* eigen, const simEigenDef* def, simError* error)
{
	(void)def;
	*eigen = (simEigen){ 0 };
	return simError_Set(error, "snug was built without SuiteSparse and ARPACK, which find vibration modes (Debian: "
	                           "apt-get install libsuitesparse-dev libarpack2-dev, then build it again)");
}

void simEigen_Free(simEigen* eigen)
{
	*eigen = (simEigen){ 0 };
}
