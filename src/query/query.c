// src/query/query.c: the public queries. See pairs.h for how they are answered.
#include "base/fpenv.h"
#include "query/pairs.h"

snugResult sgAnswer(
    snugBody* a, snugBody* b, const sgPairOptions* options, const snugQuery* query, sgFpEnv callersEnvironment)
{
	sgSink sink = sgSink_Make(query, callersEnvironment);
	snugResult result = { .status = snug_success };
	sgFindPairs(a, b, options, &sink, &result);
	sgSink_Finish(&sink);
	result.count = sink.count;
	result.complete = result.complete || (options->firstOnly && sink.count > 0);
	return result;
}

static SG_NOINLINE snugResult Run(
    snugBody* a, snugBody* b, const snugQuery* query, bool firstOnly, sgFpEnv callersEnvironment)
{
	const bool isAlone = firstOnly || query->findDistanceBound;
	const sgPairOptions options = {
		.origin = query->origin,
		.firstOnly = firstOnly,
		.witness = firstOnly ? query->witness : NULL,
		.distanceBound = query->findDistanceBound,
		.workers = isAlone ? (snugWorkers){ NULL, NULL } : query->workers,
	};
	return sgAnswer(a, b, &options, query, callersEnvironment);
}

static snugResult Ask(snugBody* a, snugBody* b, const snugQuery* query, bool firstOnly, const char* function)
{
	static const snugQuery defaults = { 0 };
	const snugResult misuse = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE_IN(function, a != NULL && b != NULL, misuse);
	SG_REQUIRE_IN(function, a != b, misuse); // collisions of a body with itself are another question
	SG_REQUIRE_RESERVED_IN(function, query, misuse);
	SG_REQUIRE_IN(function, query->pairs != NULL || query->capacity == 0, misuse);
	SG_REQUIRE_IN(function, sgIsFinitePoint(query->origin), misuse);
	sgFpEnv environment = sgFpEnv_Enter();
	snugResult result = Run(a, b, query, firstOnly, environment);
	sgFpEnv_Leave(environment);
	return result;
}

snugResult snugCollide(snugBody* a, snugBody* b, const snugQuery* query)
{
	return Ask(a, b, query, false, __func__);
}

snugResult snugTouches(snugBody* a, snugBody* b, const snugQuery* query)
{
	return Ask(a, b, query, true, __func__);
}
