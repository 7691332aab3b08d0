// src/query/self.c: pairs of triangles of one body. See neighbours.h for how they are found.
#include "base/fpenv.h"
#include "query/pairs.h"
#include "snug/snug_queries.h"

static SG_NOINLINE snugResult Run(snugBody* body, const snugQuery* query, bool firstOnly, sgFpEnv callersEnvironment)
{
	const sgPairOptions options = {
		.firstOnly = firstOnly,
		.keepRest = query->keepRest,
		.workers = firstOnly ? (snugWorkers){ NULL, NULL } : query->workers,
	};
	snugResult result = sgAnswer(body, body, &options, query, callersEnvironment);
	result.distanceBound = 0.0;
	return result;
}

static snugResult Ask(snugBody* body, const snugQuery* query, bool firstOnly, const char* function)
{
	static const snugQuery defaults = { .pairs = NULL };
	const snugResult misuse = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE_IN(function, body != NULL, misuse);
	SG_REQUIRE_RESERVED_IN(function, query, misuse);
	SG_REQUIRE_IN(function, query->pairs != NULL || query->capacity == 0, misuse);
	sgFpEnv environment = sgFpEnv_Enter();
	snugResult result = Run(body, query, firstOnly, environment);
	sgFpEnv_Leave(environment);
	return result;
}

snugResult snugCollideSelf(snugBody* body, const snugQuery* query)
{
	return Ask(body, query, false, __func__);
}

snugResult snugTouchesSelf(snugBody* body, const snugQuery* query)
{
	return Ask(body, query, true, __func__);
}
